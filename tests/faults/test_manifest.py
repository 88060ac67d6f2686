"""Lists of SHA-256: made of sound tables only, and compared with tables from elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultlist import Fault

from solver.manifest import MAX_BYTES, TableName, all_tables
from solver.seekable import FileSource
from solver.tablefile import TableReader, write_table

Morris = Callable[..., Any]
"""What the fixture of that name is: it runs the command line."""

FOLDER = "merels24-e95907ef"
NAMES = sorted(
    f"{FOLDER}/{sector}.{metric}.zst"
    for sector in ("3-3", "3-4", "4-3")
    for metric in ("dtw", "wdl")
)
THREE_THREE = f"{FOLDER}/3-3.dtw.zst"

needs_sha256sum = pytest.mark.skipif(
    shutil.which("sha256sum") is None, reason="there is no program sha256sum"
)


@pytest.fixture(scope="module")
def packed(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of distances and of values, with what lies beside tables. Not to be written to."""
    from solver.pack import pack_tables
    from solver.rules import get_variant
    from solver.sectors import sectors_up_to

    copy = tmp_path_factory.mktemp("packed") / "tables"
    shutil.copytree(database, copy)
    nine = get_variant("nine")
    pack_tables(nine, sectors_up_to(nine, 7), copy)
    (copy / FOLDER / "3-3.verified.json").write_text("{}")
    (copy / FOLDER / "4-3.dtw.zst.tmp-12").write_text("half a table")
    (copy / FOLDER / "notes.txt").write_text("mine")
    (copy / "backup").mkdir()
    shutil.copy(copy / THREE_THREE, copy / "backup")
    return copy


@pytest.fixture
def tables(packed: Path, tmp_path: Path) -> Path:
    """A copy to damage, without a manifest."""
    copy = tmp_path / "tables"
    shutil.copytree(packed, copy)
    return copy


@pytest.fixture
def listed(tables: Path, morris: Morris) -> Path:
    """The manifest of those tables, as published: kept elsewhere."""
    path = tables.parent / "published"
    assert morris("manifest", "--db", tables, "--output", path).code == 0
    return path


def sums(folder: Path, names: list[str]) -> str:
    """What sha256sum would say, by other code than the program's."""
    lines = [f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
    return "".join(lines)


def flip(path: Path, offset: int) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def rewrite(
    path: Path, *, slot: int | None = None, entry: int = 0, level: int | None = None
) -> None:
    """Write a table of distances anew, with right checksums."""
    with TableReader(path) as reader:
        header, payload = reader.header, reader.entries().copy()
    if slot is not None:
        assert payload[slot] != entry
        payload[slot] = entry
    write_table(path, header, payload, level=level)


# -- making one -----------------------------------------------------------------------------------


def test_every_table_is_listed(morris: Morris, tables: Path) -> None:
    answer = morris("manifest", "--db", tables)
    assert (answer.code, answer.out) == (0, sums(tables, NAMES))
    assert (tables / "SHA256SUMS").read_text() == answer.out
    assert answer.err.startswith("6 tables, ")
    # It is in nobody's way, and no part of the next one.
    for arguments in (["solve", "nine", "3-3"], ["stats", "nine"], ["verify", "nine"]):
        assert morris(*arguments, "--db", tables).code == 0
    assert morris("manifest", "--db", tables, "--threads", 3).out == answer.out


def test_where_it_is_written(morris: Morris, tables: Path, tmp_path: Path) -> None:
    text = sums(tables, NAMES)
    printed = morris("manifest", "--db", tables, "--output", "-")
    assert (printed.code, printed.out, printed.err) == (0, text, "")
    written = morris("manifest", "--db", tables, "-o", tmp_path / "list")
    assert (written.code, written.out) == (0, "")
    assert (tmp_path / "list").read_text() == text
    assert not (tables / "SHA256SUMS").exists()
    found = morris("manifest", "--db", tables, "--json").json
    size = sum((tables / name).stat().st_size for name in NAMES)
    assert found == {"files": 6, "bytes": size, "manifest": str(tables / "SHA256SUMS")}
    assert "exclude" in morris("manifest", "--db", tables, "-o", "-", "--json").refused(2)
    assert morris("manifest", "--db", tables, "-o", tables).refused(2)


def test_tables_of_one_game_alone(morris: Morris, tables: Path, tmp_path: Path) -> None:
    assert morris("solve", "three", "--all", "--db", tables).code == 0
    everything = morris("manifest", "--db", tables, "-o", "-").out
    nine = morris("manifest", "nine", "--db", tables, "-o", "-").out
    three = morris("manifest", "three", "--db", tables, "-o", "-").out
    assert nine == sums(tables, NAMES)
    assert "".join(sorted(nine.splitlines(True), key=lambda x: x[66:])) == nine
    assert set(everything.splitlines()) == {*nine.splitlines(), *three.splitlines()}
    assert len(three.splitlines()) == 7
    # Games that share a table share its line.
    assert morris("manifest", "ten", "--db", tables, "-o", "-").out == nine
    message = morris("manifest", "dara", "--db", tables, "-o", "-").refused(3)
    assert "there are no tables of dara" in message
    assert "there are no tables in" in morris("manifest", "--db", tmp_path / "none").refused(3)
    assert "-r changes" in morris("manifest", "-r", "stones=4").refused(2)


@pytest.mark.fault(
    "supply",
    "a list of SHA-256 asked for where the folder has one that says otherwise",
    promise="the one that is there stays; what it says of other games is kept as well",
)
def test_a_list_that_says_otherwise_is_not_replaced(
    morris: Morris, tables: Path, fault: Fault
) -> None:
    kept = tables / "SHA256SUMS"
    received = sums(tables, NAMES).replace(sums(tables, NAMES[:1])[:64], "0" * 64)
    for arguments in ([], ["nine"], ["--json"]):
        kept.write_text(received)
        message = morris("manifest", *arguments, "--db", tables).refused(1)
        assert (
            f"is not replaced, as it says something else of 1 table, such as {NAMES[0]}" in message
        )
        assert kept.read_text() == received
        fault.happened("refused, naming a table; the list is as it was")
    other = f"{'1' * 64}  merels16-01234567/3-3.dtw.zst\n"
    kept.write_text(other + sums(tables, NAMES[:1]))
    answer = morris("manifest", "nine", "--db", tables)
    assert (answer.code, answer.out) == (0, sums(tables, NAMES))
    assert kept.read_text() == other + sums(tables, NAMES)
    fault.happened("other games: their lines are kept")
    answer = morris("manifest", "--db", tables)
    assert "no longer listed, as they are not there: 1 table, such as merels16-" in answer.err
    assert kept.read_text() == sums(tables, NAMES)
    fault.happened("tables that have gone: told, and no longer listed")


@pytest.mark.fault(
    "supply",
    "a list of SHA-256 asked for of tables one of which is damaged",
    promise="no list; every damaged table is named, with the part",
)
@pytest.mark.parametrize("kind", ["bit", "cut", "renamed", "other rules", "folder", "dangling"])
def test_no_list_of_damaged_tables(
    morris: Morris, tables: Path, fault: Fault, kind: str, packed: Path
) -> None:
    (tables / "SHA256SUMS").write_text("the old one")
    path = tables / THREE_THREE
    other = tables / FOLDER / "4-3.wdl.zst"
    flip(other, -1)
    if kind == "bit":
        flip(path, path.stat().st_size // 2)
        expected = "3-3.dtw.zst: frame "
    elif kind == "cut":
        os.truncate(path, path.stat().st_size // 2)
        expected = "3-3.dtw.zst: seek table: does not stand at the end"
    elif kind == "renamed":
        shutil.copy(packed / FOLDER / "4-3.dtw.zst", path)
        expected = "3-3.dtw.zst: header: holds sector 4-3, not 3-3"
    elif kind == "other rules":
        path = tables / "merels24-00000000" / path.name
        path.parent.mkdir()
        shutil.copy(packed / THREE_THREE, path)
        expected = f"3-3.dtw.zst: header: made for other rules, those of {FOLDER}"
    else:
        path.unlink()
        path.mkdir() if kind == "folder" else path.symlink_to("nowhere")
        expected = "this is not a regular file" if kind == "folder" else "3-3.dtw.zst is missing"
    answer = morris("manifest", "--db", tables)
    assert (answer.code, answer.out) == (4, "")
    first, second = answer.err.splitlines()
    assert expected in first + second
    assert "4-3.wdl.zst: seek table: does not stand at the end" in first + second
    assert (tables / "SHA256SUMS").read_text() == "the old one"
    fault.happened("no list, both damaged tables named, the old list as it was")


@pytest.mark.fault(
    "supply",
    "a list of SHA-256 asked for while tables are replaced, added or removed",
    promise="no list: it would be one of tables that were never there together",
)
@pytest.mark.parametrize("what", ["replaced", "added", "removed"])
def test_tables_that_change_meanwhile(
    morris: Morris, tables: Path, fault: Fault, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tables / THREE_THREE  # the largest, which is read first
    opened = FileSource.__init__

    def disturb(self: FileSource, name: os.PathLike[str]) -> None:
        opened(self, name)
        if str(name).endswith("4-3.dtw.zst") and not (tables / "done").exists():
            (tables / "done").touch()
            if what == "replaced":
                shutil.copy(path, tables / "new")
                os.replace(tables / "new", path)
            elif what == "added":
                shutil.copy(path, tables / FOLDER / "5-3.dtw.zst")
            else:
                path.unlink()

    monkeypatch.setattr(FileSource, "__init__", disturb)
    message = morris("manifest", "--db", tables, "--threads", 1).refused(5)
    changed = "5-3" if what == "added" else "3-3"
    assert f"{changed}.dtw.zst was written while the tables were read" in message
    assert not (tables / "SHA256SUMS").exists()
    fault.happened("refused, saying that a table was written meanwhile")


@pytest.mark.fault(
    "supply",
    "a database that may not be written, of which a list is asked for",
    promise="the list is printed, and a line says that it is not kept",
)
def test_a_database_that_may_not_be_written(morris: Morris, tables: Path, fault: Fault) -> None:
    # What root would not feel either: the name is a folder's.
    (tables / "SHA256SUMS").mkdir()
    answer = morris("manifest", "--db", tables)
    assert (answer.code, answer.out) == (0, sums(tables, NAMES))
    assert "SHA256SUMS cannot be written: is a directory; the list is not kept" in answer.err
    assert answer.err.count("\n") == 1
    fault.happened("printed; not kept, which is said")
    assert "cannot be written" in morris("manifest", "--db", tables, "--json").refused(5)
    fault.happened("refused where nothing is printed (--json)")
    assert sorted(os.listdir(tables)) == ["SHA256SUMS", "backup", "lock", FOLDER]


@pytest.mark.fault(
    "supply",
    "a database from strangers in which SHA256SUMS is a link to a file of the user's",
    promise="the file is left as it is; the list takes the place of the link",
)
def test_a_planted_link_is_not_followed(
    morris: Morris, tables: Path, tmp_path: Path, fault: Fault
) -> None:
    victim = tmp_path / "diary"
    victim.write_text("mine")
    (tables / "SHA256SUMS").symlink_to(victim)
    assert morris("manifest", "--db", tables).code == 0
    assert victim.read_text() == "mine"
    assert (tables / "SHA256SUMS").read_text() == sums(tables, NAMES)
    fault.happened("the list takes the place of the link")


# -- comparing with one ---------------------------------------------------------------------------


@needs_sha256sum
def test_sha256sum_reads_and_writes_the_same(
    morris: Morris, tables: Path, listed: Path, tmp_path: Path
) -> None:
    def sha256sum(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sha256sum", *arguments], cwd=tables, capture_output=True, text=True, check=False
        )

    assert sha256sum("--check", "--strict", str(listed)).stdout == "".join(
        f"{name}: OK\n" for name in NAMES
    )
    for options in ([], ["--binary"], ["--tag"], ["--zero"]):
        theirs = tmp_path / "theirs"
        text = sha256sum(*options, "--", *NAMES).stdout
        theirs.write_text(text)
        if options != ["--zero"]:
            answer = morris("verify", "--manifest", theirs, "--db", tables)
            assert (answer.code, answer.err) == (0, "")
        if not options:
            assert text == listed.read_text()
    flip(tables / THREE_THREE, 5000)
    assert sha256sum("--check", str(listed)).returncode == 1
    assert morris("verify", "--manifest", listed, "--db", tables).code == 4


def test_names_are_escaped_as_sha256sum_does(morris: Morris, tables: Path) -> None:
    odd = "an odd\nname\\ with\rall of it  "
    (tables / odd).write_text("odd")
    (tables / "ümlaut").write_text("odd")
    digest = hashlib.sha256(b"odd").hexdigest()
    path = tables / "list"
    path.write_text(
        f"\\{digest}  an odd\\nname\\\\ with\\rall of it  \n{digest.upper()} *ümlaut\n",
        encoding="utf-8",
    )
    answer = morris("verify", "--manifest", path, "--db", tables)
    assert (answer.code, answer.out) == (0, f"2 files, 6 bytes: all as in {path}\n")
    if shutil.which("sha256sum"):
        done = subprocess.run(
            ["sha256sum", "--", odd], cwd=tables, capture_output=True, text=True, check=True
        )
        path.write_text(done.stdout)
        assert done.stdout.startswith("\\")
        assert morris("verify", "--manifest", path, "--db", tables).code == 0


def test_all_is_as_listed(morris: Morris, tables: Path, listed: Path) -> None:
    answer = morris("verify", "--manifest", listed, "--db", tables)
    size = sum((tables / name).stat().st_size for name in NAMES)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"6 files, {size / 1000:.1f} kB: all as in {listed}\n"
    for threads in (1, 4):
        found = morris(
            "verify", "--manifest", listed, "--db", tables, "--threads", threads, "--json"
        )
        assert found.json == {"files": 6, "bytes": size, "unlisted": []}


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [line + "\r" for line in lines],
        lambda lines: [line.replace("  ", " *") for line in lines],
        lambda lines: [line.replace("  ", " ") for line in lines],
        lambda lines: [line.replace("  ", "  ./") for line in lines],
        lambda lines: ["# from the makers", "", *lines[::-1], ""],
        lambda lines: [f"SHA256 ({line[66:]}) = {line[:64]}" for line in lines],
        lambda lines: [f"  {line.upper()[:64]}{line[64:]}" for line in lines],
        lambda lines: lines * 2,
    ],
    ids=["CRLF", "binary", "one space", "dot", "comments", "BSD", "capitals", "twice"],
)
def test_forms_that_sha256sum_takes(
    morris: Morris, tables: Path, listed: Path, change: object
) -> None:
    lines = listed.read_text().splitlines()
    listed.write_bytes("\n".join(change(lines)).encode())  # type: ignore[operator]
    found = morris("verify", "--manifest", listed, "--db", tables, "--json").json
    assert found["files"] == 6


@pytest.mark.fault(
    "supply",
    "a table that is not that of the list: one bit changed, at chosen places",
    promise="exit code 4, naming file and part",
)
def test_a_damaged_table_is_not_the_listed_one(
    morris: Morris, tables: Path, listed: Path, fault: Fault
) -> None:
    path = tables / THREE_THREE
    size = path.stat().st_size
    for offset in [*range(0, size, size // 24), size - 1]:
        flip(path, offset)
        message = morris("verify", "--manifest", listed, "--db", tables).refused(4)
        flip(path, offset)
        assert f"{path}: " in message
        fault.happened("damaged, naming file and part")


@pytest.mark.fault(
    "supply",
    "a sound table with other values than the listed one",
    promise="exit code 4: sound, but not the table of the list",
)
def test_a_sound_table_that_is_another(
    morris: Morris, tables: Path, listed: Path, fault: Fault
) -> None:
    rewrite(tables / THREE_THREE, slot=1000, entry=3)
    assert morris("verify", "nine", "3-3", "--checksums", "--db", tables).code == 0
    message = morris("verify", "--manifest", listed, "--db", tables).refused(4)
    assert "3-3.dtw.zst: sound by its own checksums, but not the table of the manifest" in message
    fault.happened("sound, but not the table of the list")


@pytest.mark.fault(
    "supply",
    "tables compressed anew by other means, with the same values",
    promise="exit code 4: sound, but not the table of the list; every answer is the same",
)
def test_tables_compressed_by_other_means(
    morris: Morris, tables: Path, listed: Path, fault: Fault
) -> None:
    path = tables / THREE_THREE
    with TableReader(path) as reader:
        entries = reader.entries()
    for level in (1, 19):
        rewrite(path, level=level)
        message = morris("verify", "--manifest", listed, "--db", tables).refused(4)
        assert "sound by its own checksums, but not the table of the manifest" in message
        assert morris("verify", "nine", "--full", "--db", tables).code == 0
        with TableReader(path) as reader:
            assert (reader.entries() == entries).all()
        fault.happened("sound, but not the table of the list; all values hold")


@pytest.mark.fault(
    "supply",
    "a list of a damaged table, made by sha256sum",
    promise="exit code 4: the table is damaged although it is the listed one",
)
def test_a_list_of_a_damaged_table(morris: Morris, tables: Path, fault: Fault) -> None:
    flip(tables / THREE_THREE, 4000)
    path = tables / "list"
    path.write_text(sums(tables, [THREE_THREE]))
    answer = morris("verify", "nine", "3-3", "--manifest", path, "--db", tables)
    assert (answer.code, answer.out) == (4, "")
    note, message = answer.err.splitlines()
    assert note.startswith("1 table is not in ")
    assert re.fullmatch(r"Error: .*3-3\.dtw\.zst: frame 1 of 13: wrong checksum", message)
    fault.happened("refused, naming file and part")


@pytest.mark.fault(
    "supply",
    "a table missing that the list has",
    promise="exit code 3, naming each; other files are compared all the same",
)
def test_missing_tables_are_named(morris: Morris, tables: Path, listed: Path, fault: Fault) -> None:
    for name in NAMES[:2]:
        (tables / name).unlink()
    answer = morris("verify", "--manifest", listed, "--db", tables)
    assert (answer.code, answer.out) == (3, "")
    for name in NAMES[:2]:
        assert f"Error: {tables / name} is missing, which the manifest lists\n" in answer.err
    fault.happened("exit code 3, all named")
    flip(tables / NAMES[3], 100)
    assert morris("verify", "--manifest", listed, "--db", tables).code == 4
    fault.happened("exit code 4 where another is damaged too, all named")
    assert morris("verify", "--manifest", listed, "--db", tables / "none").code == 3


def test_missing_tables_can_be_left_out(morris: Morris, tables: Path, listed: Path) -> None:
    def verify(*arguments: object) -> Any:
        return morris("verify", "--manifest", listed, "--ignore-missing", *arguments)

    (tables / NAMES[0]).unlink()
    assert verify("--db", tables, "--json").json["files"] == 5
    flip(tables / NAMES[1], 100)
    assert NAMES[1] in verify("--db", tables).refused(4)
    (tables / NAMES[1]).unlink()
    (tables / NAMES[1]).symlink_to("nowhere")  # which is not the same as not there
    assert NAMES[1] in verify("--db", tables).refused(3)
    message = verify("nine", "3-3", "--db", tables / "none").refused(3)
    assert "none of the files that" in message
    assert "--ignore-missing goes with" in morris("verify", "nine", "--ignore-missing").refused(2)


@pytest.mark.fault(
    "supply",
    "tables that the list does not have",
    promise="noted by name; the exit code is that of the others",
)
def test_tables_that_are_not_listed(
    morris: Morris, tables: Path, listed: Path, fault: Fault
) -> None:
    lines = listed.read_text().splitlines(True)
    listed.write_text("".join(lines[:3]))
    answer = morris("verify", "--manifest", listed, "--db", tables)
    assert answer.code == 0
    assert answer.err == f"3 tables are not in {listed}, and not compared: {', '.join(NAMES[3:])}\n"
    found = morris("verify", "--manifest", listed, "--db", tables, "--json").json
    assert (found["files"], found["unlisted"]) == (3, NAMES[3:])
    fault.happened("noted; exit code 0")


def test_some_of_a_list(morris: Morris, tables: Path, listed: Path) -> None:
    def verify(*arguments: str) -> dict[str, object]:
        answer = morris("verify", "--manifest", listed, *arguments, "--db", tables, "--json")
        return dict(answer.json)

    flip(tables / THREE_THREE, 3000)
    assert verify("nine", "4-3", "3-4")["files"] == 4
    assert verify("ten", "4-3")["files"] == 2
    assert morris("verify", "nine", "--manifest", listed, "--db", tables).code == 4
    message = morris("verify", "nine", "5-3", "--manifest", listed, "--db", tables).refused(2)
    assert "lists no table of sector 5-3" in message
    message = morris("verify", "three", "--manifest", listed, "--db", tables).refused(2)
    assert "lists no table of three" in message
    assert "-r changes" in morris("verify", "-r", "stones=4", "--manifest", listed).refused(2)


@pytest.mark.parametrize("option", ["--checksums", "--full", "--sample=3"])
def test_one_way_at_a_time(morris: Morris, tables: Path, listed: Path, option: str) -> None:
    message = morris("verify", "nine", option, "--manifest", listed, "--db", tables).refused(2)
    assert "exclude each other" in message
    assert "Missing argument 'VARIANT'" in morris("verify", option, "--db", tables).refused(2)


DIGEST = "0c9cea635f75f327d9f6e187d03520a092f1e38c7cbb5fb26d83b89d43b102f6"


@pytest.mark.fault(
    "supply",
    "a list that is none, is not whole, contradicts itself or names files elsewhere",
    promise="exit code 2, naming the line; no file is compared",
)
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "lists no file"),
        (b"# nothing but words\n\n", "lists no file"),
        (b"hello\n", "line 1: 'hello' is no line of a manifest"),
        (f"{DIGEST}  a\n{DIGEST[:40]}".encode(), "line 2: '0c9cea635f75f327"),
        (f"{DIGEST}0  a\n".encode(), "is no line"),
        (f"{DIGEST}\n".encode(), "is no line"),
        (f"{DIGEST}  \n".encode(), "is no line"),
        (f"{DIGEST[:-1]}g  a\n".encode(), "is no line"),
        (f"{DIGEST}\tg".encode()[:64] + b"\n", "is no line"),
        (f"\ufeff{DIGEST}  a\n".encode(), "line 1"),
        (f"{DIGEST}  a\0b\n".encode(), "line 1: 'a\\x00b' is no name of a file"),
        (f"{DIGEST}  .\n".encode(), "line 1: '.' is no name of a file"),
        (f"{DIGEST}  /etc/passwd\n".encode(), "line 1: '/etc/passwd' is not below the folder"),
        (f"{DIGEST}  a\n{DIGEST}  a/../../b\n".encode(), "line 2: 'a/../../b' is not below"),
        (f"SHA256 (../a) = {DIGEST}\n".encode(), "line 1: '../a' is not below"),
        (f"\\{DIGEST}  \\a\n".encode(), "line 1: nothing is written as"),
        (f"MD5 (a) = {DIGEST[:32]}\n".encode(), "is no line"),
        (f"{DIGEST}  a\n{DIGEST[::-1]}  a\n".encode(), "line 2: says something else of 'a'"),
        (bytes(range(256)) * 100, "line 1: "),
        (b"\x28\xb5\x2f\xfd" + bytes(5000), "line 1: "),
        (b"x" * 100_000, "line 1: "),
        (f"{DIGEST}  a\n".encode() * (MAX_BYTES // 68 + 1), "has more than 16 MiB"),
    ],
    ids=lambda value: "",
)
def test_what_is_no_list(
    morris: Morris, tables: Path, tmp_path: Path, fault: Fault, content: bytes, expected: str
) -> None:
    path = tmp_path / "list"
    path.write_bytes(content)
    message = morris("verify", "--manifest", path, "--db", tables).refused(2)
    assert expected in message
    assert len(message) < 400
    fault.happened("refused, saying why and in which line")


def test_a_list_that_cannot_be_read(morris: Morris, tables: Path) -> None:
    message = morris("verify", "--manifest", tables / "none", "--db", tables).refused(2)
    assert "cannot be read: no such file or directory" in message
    assert "is a directory" in morris("verify", "--manifest", tables, "--db", tables).refused(2)
    assert "has more than" in morris("verify", "--manifest", "/dev/zero").refused(2)


@pytest.mark.fault(
    "supply",
    "a list that names what is no regular file: a folder, a pipe, a link that leads nowhere",
    promise="named as such, and nothing is waited for",
)
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "long"])
def test_what_is_no_file(morris: Morris, tables: Path, fault: Fault, kind: str) -> None:
    path = tables / "odd"
    name = "odd"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("nowhere")
    else:
        name = "n" * 5000
    (tables / "list").write_text(f"{DIGEST}  {name}\n")
    answer = morris("verify", "--manifest", tables / "list", "--db", tables)
    assert answer.out == ""
    assert {"link": 3, "long": 5}.get(kind, 4) == answer.code
    fault.happened("named, and the exit code says which")


def test_names_of_tables() -> None:
    assert TableName.parse(THREE_THREE) == ("merels24", "e95907ef", "3-3", "dtw")
    assert TableName.parse("grid3d-01234567/0-1+3-2.wdl.zst") is not None
    for name in (
        "3-3.dtw.zst",
        f"{FOLDER}/3-3.dtw.zst.tmp-1",
        f"{FOLDER}/3-3.dtw.zst\n",
        f"{FOLDER}/3-3.dtm.zst",
        f"{FOLDER}/x/3-3.dtw.zst",
        f"x/{FOLDER}/3-3.dtw.zst",
        "chess-e95907ef/3-3.dtw.zst",
    ):
        assert TableName.parse(name) is None


def test_progress_says_how_far_it_is(
    tables: Path, listed: Path, morris: Morris, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.cli.progress._LINE_SECONDS", 0)
    err = morris("verify", "--manifest", listed, "--db", tables).err.splitlines()
    assert len(err) >= 6
    assert err[-1].startswith("100 %, ")
    assert all("B/s, about " in line and line.endswith(" left") for line in err)
    assert json.loads(morris("manifest", "--json", "--db", tables).out)["files"] == 6


def test_listing_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert all_tables(tmp_path / "none") == []
    (tmp_path / "file").touch()
    assert all_tables(tmp_path / "file") == []
