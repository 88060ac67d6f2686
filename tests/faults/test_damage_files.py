"""Files in the place of others, what is no file at all, and several damaged at once."""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from damaging import FIVE, SUBJECTS, Harmed, Morris, Subject, sound_databases, stamps
from faultlist import Fault
from trials import PROMISE, REFUSED, Trial

from solver.rules import get_variant
from solver.sectors import parse_sector
from solver.tablefile import TableReader, table_path, write_table

BYTES, PLACING, OTHER, WORDS, VALUES, PLACING_VALUES = SUBJECTS


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


# -- files in the place of others -----------------------------------------------------------------


def tried(morris: Morris, harmed: Harmed, part: str) -> None:
    assert Trial(morris, harmed, part).run() == set(range(harmed.known.frames))


@pytest.mark.fault("damage", "another sector's table renamed", promise=PROMISE)
@pytest.mark.parametrize(
    ("subject", "source"),
    [(BYTES, "2-3+1-0"), (PLACING, "3-3"), (OTHER, "4-3"), (WORDS, "3-4"), (VALUES, "2-3+1-0")],
)
def test_another_sector(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject, source: str
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    shutil.copyfile(harmed.table(subject.metric, parse_sector(source)), harmed.path)
    tried(morris, harmed, f"header: holds sector {re.escape(source)}, not ")
    fault.happened(REFUSED)


@pytest.mark.fault("damage", "another variant's table of the same sector", promise=PROMISE)
@pytest.mark.parametrize(("subject", "other"), [(BYTES, OTHER), (VALUES, PLACING_VALUES)])
def test_another_variant(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject, other: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    path = table_path(sound / other.folder, other.rules, subject.sector, subject.metric)
    shutil.copyfile(path, harmed.path)
    tried(morris, harmed, "header: made for other rules: board is merels16, not merels24")
    fault.happened(REFUSED)


@pytest.mark.fault("damage", "a table of the same sector under other options", promise=PROMISE)
@pytest.mark.parametrize("subject", [BYTES, PLACING, VALUES])
def test_other_options(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    other = get_variant("nine-no-flying").reduced(subject.sector)
    with TableReader(harmed.path, metric=subject.metric) as reader:
        header = replace(reader.header, rules=other)
        payload = np.empty(header.payload_bytes, np.uint8)
        reader.read_into(payload)
    write_table(harmed.path, header, payload)
    tried(morris, harmed, "header: made for other rules: flying_at is none, not 3")
    fault.happened(REFUSED)


@pytest.mark.fault(
    "damage", "a table of distances named as one of values, and back", promise=PROMISE
)
@pytest.mark.parametrize(
    ("subject", "other"), [(BYTES, "wdl"), (WORDS, "wdl"), (VALUES, "dtw"), (PLACING_VALUES, "dtw")]
)
def test_the_other_kind_of_table(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject, other: str
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    shutil.copyfile(harmed.table(other), harmed.path)
    tried(morris, harmed, f"header: holds metric {other}, not {subject.metric}")
    fault.happened(REFUSED)


# -- what is no file ------------------------------------------------------------------------------


def link_back(path: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.symlink_to(os.devnull)


def bind_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(1 << 42)


NO_FILES = {
    "a pipe": (os.mkfifo, "file: this is not a regular file"),
    "a device": (device, "file: this is not a regular file"),
    "a socket": (bind_socket, "file: this is not a regular file"),
    "a link to itself": (link_back, "file: this is a link that leads back to itself"),
    "four terabytes of nothing": (sparse, "header: this is not a table file"),
}


@pytest.mark.parametrize("subject", [BYTES, PLACING_VALUES], ids=["distances", "values"])
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            kind,
            marks=pytest.mark.fault("damage", f"{kind} in the place of a table", promise=PROMISE),
        )
        for kind in NO_FILES
    ],
)
def test_what_is_no_table_at_all(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, kind: str, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    make, part = NO_FILES[kind]
    if subject is BYTES:  # then this is all there is of the sector
        harmed.table("wdl").unlink()
    harmed.path.unlink()
    make(harmed.path)
    tried(morris, harmed, part)
    assert not harmed.path.is_symlink()
    fault.happened(REFUSED)


@pytest.mark.fault(
    "damage",
    "a folder in the place of a table",
    promise="never a value; named by whatever reads it, and by `morris solve`, which leaves it",
)
@pytest.mark.parametrize("subject", [BYTES, PLACING_VALUES], ids=["distances", "values"])
def test_a_folder(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    harmed.path.unlink()
    harmed.path.mkdir()
    kept = harmed.path / "kept"
    kept.touch()
    trial = Trial(morris, harmed, "file: this is not a regular file")
    with harmed.only():
        trial.asked()
        trial.queried(0)
    trial.verified()
    answer = trial.make()
    assert (answer.code, answer.out) == (5, "")
    why = "it is a folder; move it away" if subject is BYTES else ""
    assert f"Error: {harmed.path} cannot be written: {why}" in answer.err
    assert "slots in" not in answer.err, "said only after the work"
    assert kept.exists()
    fault.happened("refused and named; nothing written")


@pytest.mark.fault(
    "damage",
    "a table that is a link to nothing",
    promise="as one that is missing: exit code 3 and the command that makes it, which does",
)
@pytest.mark.parametrize("subject", [BYTES, PLACING], ids=["moving", "placing"])
def test_a_link_to_nothing(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    for metric in ("dtw", "wdl"):
        harmed.table(metric).unlink()
        harmed.table(metric).symlink_to("nothing")
    trial = Trial(morris, harmed, "")
    position = harmed.known.of_frame(0)
    for command in (
        ["query", position, *subject.variant],
        ["verify", *subject.game, subject.sector],
    ):
        answer = morris(*command, "--db", harmed.database)
        assert (answer.code, answer.out) == (3, "")
        assert f"sector {subject.sector} is missing; make it with: morris solve" in answer.err
    assert trial.make().code == 0
    assert harmed.path.read_bytes() == harmed.bytes
    assert not harmed.path.is_symlink()
    fault.happened("missing, and made by that command")


# -- several at once ------------------------------------------------------------------------------


def swap(database: Path) -> set[Path]:
    """Two tables of one unit, each under the name of the other."""
    first, second = (table_path(database, FIVE, parse_sector(s)) for s in ("3-4", "4-3"))
    away = database / "away"
    first.rename(away)
    second.rename(first)
    away.rename(second)
    return {first, second}


def damage_all(database: Path) -> set[Path]:
    """All tables, each in another way."""
    paths = sorted(database.rglob("*.zst"))
    ways: list[Callable[[bytes], bytes]] = [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
    ]
    for number, path in enumerate(paths):
        path.write_bytes(ways[number % len(ways)](path.read_bytes()))
    return set(paths)


def damage_two_frames(database: Path) -> set[Path]:
    """A bit of a frame of a table of distances, and of one of values of another sector."""
    paths = {
        table_path(database, FIVE, parse_sector("4-4")),
        table_path(database, FIVE, parse_sector("3-3"), "wdl"),
    }
    for path in paths:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 8
        path.write_bytes(data)
    return paths


SEVERAL = {
    "two tables with their names swapped": swap,
    "all tables damaged at once": damage_all,
    "tables of two kinds damaged at once": damage_two_frames,
}


@pytest.mark.parametrize(
    "many",
    [
        pytest.param(
            many,
            marks=pytest.mark.fault(
                "damage",
                many,
                promise="`morris verify` lists them all and checks the others; `morris solve` and"
                " `morris pack` make just these anew",
            ),
        )
        for many in SEVERAL
    ],
)
def test_several_at_once(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, many: str
) -> None:
    database = tmp_path / "database"
    shutil.copytree(sound / "five", database)
    whole = {path: path.read_bytes() for path in database.rglob("*.zst")}
    harmed = SEVERAL[many](database)
    before = stamps(database)
    for how in ([], ["--checksums"], ["--full"]):
        answer = morris("verify", *FIVE.name.split(), *how, "--db", database)
        assert (answer.code, answer.out) == (4, "")
        named = re.findall(r"^Error: (\S+\.zst): \S", answer.err, re.M)
        assert sorted(named) == sorted(map(str, harmed))
        if how == ["--checksums"]:
            checked = set(re.findall(r"^(\S+): checksums .* right", answer.err, re.M))
            sectors = {path: path.name.split(".")[0] for path in whole}
            assert checked == set(sectors.values()) - {sectors[path] for path in harmed}
    sectors = sorted({path.name.split(".")[0] for path in whole})
    game = [*FIVE.name.split(), *sectors, "--db", database]
    assert morris("solve", *game).code == 0
    assert morris("pack", *game, "--wdl").code == 0
    assert {path: path.read_bytes() for path in whole} == whole
    after = stamps(database)
    records = {path for path in after if path.suffix == ".json"}
    assert {path for path in whole if after[path] != before[path]} == harmed
    assert {path for path in records if after[path] != before.get(path)} == records - before.keys()
    assert morris("verify", *FIVE.name.split(), "--db", database).code == 0
    fault.happened("all named, and made anew as they were")
