"""Too little disk or memory, folders that refuse: a clear error, and nothing lost."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faultlist import Fault
from killing import ForkServer, Run, fill_disk

from databases import files

SOLVE = ["solve", "five", "--stones", "8"]
VERIFY = ["verify", "five", "--full"]
PACK = ["pack", "five", "--wdl"]
EXPORT = ["export", "4-4", "--variant", "five", "--force"]
NOBODY = 65534
PAGE = 4096
AMOUNT = r"[0-9.,]+ (bytes|MB|GB)"
NO_DISK = re.compile(
    rf".*needs? (about |more than )?{AMOUNT} of disk, but only {AMOUNT} are (free|left).*"
)
KEPT = "finished tables are untouched, no temporary file is left, the same command goes on later"
NEED_AND_LEFT = f"exit code 5; says how much is needed and how much there is; {KEPT}"


def refused(run: Run, code: int = 5) -> str:
    """Why a run failed: the last line it wrote, and the only one that says so."""
    lines = run.err.splitlines()
    assert run.code == code, run
    assert (run.out, "Traceback" in run.err) == ("", False), run
    assert [line.startswith("Error: ") for line in lines].count(True) == 1, run
    return lines[-1].removeprefix("Error: ")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """What runs the command line."""
    warm = str(tmp_path_factory.mktemp("warm"))
    commands = [[*command, "--db", warm] for command in (SOLVE, VERIFY, PACK, ["stats", "five"])]
    output = ["--output", f"{warm}/out.npy"]
    with ForkServer([*commands, [*EXPORT, "--db", warm, *output]]) as server:
        yield server


@pytest.fixture(scope="module")
def tables(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that everybody may read. Not to be written to."""
    database = tmp_path_factory.mktemp("tables") / "database"
    assert server.run(*SOLVE, "--db", database).code == 0
    return database


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=40", "morris-tests", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may look into; only root can be somebody else."""
    if os.getuid():
        pytest.skip("only root can be another user")
    with tempfile.TemporaryDirectory(prefix="morris-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


# -- the disk -------------------------------------------------------------------------------------


@pytest.mark.fault("scarcity", "disk too small for what is to be made", promise=NEED_AND_LEFT)
@pytest.mark.parametrize("free", [0, PAGE, 10 * PAGE])
def test_the_disk_is_full_before_the_start(
    server: ForkServer, tables: Path, disk: Path, fault: Fault, free: int
) -> None:
    filler = disk / "filler"
    fill_disk(filler, free)
    assert NO_DISK.fullmatch(refused(server.run(*SOLVE, "--db", disk)))
    output = disk / "out.npy"
    run = server.run(*EXPORT, "--db", tables, "--output", output)
    assert NO_DISK.fullmatch(refused(run))
    filler.unlink()
    assert files(disk) == {}
    assert server.run(*SOLVE, "--db", disk).code == 0
    assert files(disk) == files(tables)
    fault.happened("exit code 5 before anything is solved, with both amounts", 2)


@pytest.mark.fault("scarcity", "disk full while tables are written", promise=NEED_AND_LEFT)
@pytest.mark.parametrize("step", ["solving", "writing", "compressing", "renaming"])
@pytest.mark.parametrize("pages", [0, 1, 2, 3])
def test_the_disk_is_full_while_tables_are_written(
    server: ForkServer, tables: Path, disk: Path, fault: Fault, step: str, pages: int
) -> None:
    expected = files(tables)
    filler = disk / "filler"
    for number in (1, 4):
        run = server.run(
            *SOLVE, "--db", disk, step=step, number=number, fill=filler, leave=pages * PAGE
        )
        assert run.reached
        assert NO_DISK.fullmatch(refused(run)), run
        filler.unlink()
        assert files(disk).items() <= expected.items()
        fault.happened("exit code 5 with both amounts; finished tables kept; later the same bytes")
    assert server.run(*SOLVE, "--db", disk).code == 0
    assert files(disk) == expected


@pytest.mark.fault("scarcity", "disk full at the last bytes of a table", promise=NEED_AND_LEFT)
def test_the_disk_is_full_at_the_last_bytes(
    server: ForkServer, tables: Path, disk: Path, fault: Fault
) -> None:
    """The page that holds the end of the last table is the one that there is no room for."""
    expected = files(tables)
    (name,) = (name for name in expected if name.endswith("4-4.dtw.zst"))
    pages = -(-len(expected[name]) // PAGE)
    filler = disk / "filler"
    options: dict[str, Any] = {"step": "writing", "number": 6, "fill": filler}
    run = server.run(*SOLVE, "--db", disk, **options, leave=(pages - 1) * PAGE)
    why = refused(run)
    assert NO_DISK.fullmatch(why)
    assert name in why
    filler.unlink()
    assert files(disk) == {other: data for other, data in expected.items() if other != name}
    options["number"] = 1
    assert server.run(*SOLVE, "--db", disk, **options, leave=pages * PAGE).code == 0
    filler.unlink()
    assert files(disk) == expected
    fault.happened("exit code 5 with both amounts; with one page more the table is written", 1)


@pytest.mark.fault(
    "scarcity",
    "disk full while morris pack, export and verify --full write",
    promise="pack and export: exit code 5 with both amounts, no part of a file; verify: says what"
    " is right, and that it could not be recorded",
)
def test_the_disk_is_full_for_what_else_writes(
    server: ForkServer, tables: Path, disk: Path, fault: Fault
) -> None:
    database, filler, output = disk / "database", disk / "filler", disk / "out.npy"
    shutil.copytree(tables, database)
    before = files(disk)
    for command, step in (
        ([*PACK, "--db", database], "deriving"),
        ([*EXPORT, "--db", database, "--output", output], "gathering rows"),
    ):
        run = server.run(*command, step=step, fill=filler)
        assert run.reached
        assert NO_DISK.fullmatch(refused(run)), run
        filler.unlink()
        assert files(disk) == before
    run = server.run(*VERIFY, "--db", database, step="checking", fill=filler)
    assert (run.code, run.reached) == (0, True)
    assert "all of it holds" in run.out
    assert NO_DISK.fullmatch(run.err.splitlines()[-1])
    assert "what was checked is not recorded: " in run.err
    filler.unlink()
    assert files(disk) == before
    for command in ([*PACK, "--db", database], [*VERIFY, "--db", database]):
        assert server.run(*command).code == 0
    assert len(files(disk)) == 3 * len(before)
    fault.happened("as promised; later all is written", 3)


@pytest.mark.fault(
    "scarcity", "no room on the disk for another file", promise=f"exit code 5 and why; {KEPT}"
)
def test_no_room_for_another_file(
    server: ForkServer, tables: Path, disk: Path, fault: Fault
) -> None:
    fillers = []
    with pytest.raises(OSError, match="No space"):
        while True:
            filler = disk / f"filler-{len(fillers)}"
            filler.touch()
            fillers.append(filler)
    for left in range(4):  # for the lock, the family's folder, and a file being written
        why = refused(server.run(*SOLVE, "--db", disk))
        assert re.search(r"no space left", why, re.IGNORECASE), why
        assert {Path(name).name.split("-")[0] for name in files(disk)} == {"filler"} or left == 3
        fillers.pop().unlink()
        fault.happened("exit code 5, names the file or folder that there is no room for")
    for filler in fillers:
        filler.unlink()
    assert server.run(*SOLVE, "--db", disk).code == 0
    assert files(disk) == files(tables)


@pytest.mark.fault(
    "scarcity",
    "the disk fails (EIO), is full (ENOSPC), or a quota is used up (EDQUOT) when a file is put on"
    " it or renamed",
    promise=f"exit code 5, names the file and why; {KEPT}",
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_the_disk_fails(
    server: ForkServer, tables: Path, tmp_path: Path, fault: Fault, call: str, number: int
) -> None:
    says = {
        errno.EIO: "input/output error",
        errno.ENOSPC: "no space left on the disk to write it: it needs about",
        errno.EDQUOT: "of disk, but your quota leaves less",
    }
    expected = files(tables)
    for nth in range(1, 14, 4):  # at steps of putting the first two tables on the disk
        run = server.run(
            *SOLVE, "--db", tmp_path, "--force",
            step="renaming", number=nth, failures={call: number},
        )  # fmt: skip
        assert run.reached
        why = refused(run)
        assert says[number] in why.lower(), why
        assert ".dtw.zst" in why
        assert ".tmp-" not in why
        assert files(tmp_path).items() <= expected.items()
        fault.happened("exit code 5, names the file; what has its name is whole")
    assert server.run(*SOLVE, "--db", tmp_path).code == 0
    assert files(tmp_path) == expected


@pytest.mark.fault(
    "scarcity",
    "files may not be larger than a limit (ulimit -f)",
    promise=f"exit code 5; says how much is needed and allowed; {KEPT}",
)
def test_a_limit_on_the_size_of_files(
    server: ForkServer, tables: Path, tmp_path: Path, fault: Fault
) -> None:
    expected = files(tables)
    message = re.compile(
        rf".* needs (about|more than) {AMOUNT}, but a file may have only {AMOUNT} here"
        r" \(ulimit -f\)"
    )
    largest = max(map(len, expected.values()))
    for limit in (2000, 5000, 9000, 17_000, largest - 1):
        limits = {"RLIMIT_FSIZE": limit}
        assert message.fullmatch(refused(server.run(*SOLVE, "--db", tmp_path, limits=limits)))
        assert files(tmp_path).items() <= expected.items()
        fault.happened("exit code 5 with both amounts; finished tables kept")
    output = ["--output", tmp_path / "out.npy"]
    run = server.run(*EXPORT, "--db", tables, *output, limits=limits)
    assert message.fullmatch(refused(run))
    fault.happened("exit code 5 with both amounts; finished tables kept")
    assert server.run(*SOLVE, "--db", tmp_path, limits={"RLIMIT_FSIZE": largest}).code == 0
    assert files(tmp_path) == expected


# -- folders that refuse --------------------------------------------------------------------------


@pytest.mark.fault(
    "scarcity",
    "a read-only disk",
    promise="what is there is answered and checked as ever; writing: exit code 5, names the folder",
)
def test_a_read_only_disk(server: ForkServer, tables: Path, disk: Path, fault: Fault) -> None:
    (name,) = (name for name in files(tables) if name.endswith("4-4.dtw.zst"))
    whole, part = disk / "whole", disk / "part"
    shutil.copytree(tables, whole)
    shutil.copytree(tables, part)
    (part / name).unlink()
    before = files(disk)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert server.run(*SOLVE, "--db", whole).code == 0
    assert server.run("stats", "five", "--db", whole).code == 0
    checked = server.run(*VERIFY, "--db", whole)
    assert checked.code == 0
    assert "what was checked is not recorded" in checked.err
    fault.happened("there already: exit code 0", 3)
    for command in (
        [*SOLVE, "--db", part],
        [*SOLVE, "--db", disk / "new"],
        [*SOLVE, "--db", whole, "--force"],
        [*PACK, "--db", whole],
        [*EXPORT, "--db", whole, "--output", disk / "out.npy"],
    ):
        why = refused(server.run(*command))
        assert re.search(r"read-only file system", why, re.IGNORECASE), why
        assert str(disk) in why
        fault.happened("to be written: exit code 5, names the file or folder")
    assert files(disk) == before


def _forbid(path: Path) -> Callable[[], None]:
    """Take all permissions; return what gives them back."""
    mode = stat.S_IMODE(path.stat().st_mode)
    path.chmod(0)
    return lambda: path.chmod(mode)


@pytest.mark.fault(
    "scarcity",
    "a database, a family's folder or a table that the user has no permission for",
    promise="exit code 5, names it; nothing is taken for missing or damaged, nothing made anew",
)
def test_no_permission(server: ForkServer, tables: Path, public: Path, fault: Fault) -> None:
    database = public / "database"
    shutil.copytree(tables, database)
    before = files(database)
    (family,) = (path for path in database.iterdir() if path.is_dir())
    readers = [SOLVE, VERIFY, ["stats", "five"]]
    for path in (database, family, family / "4-3.dtw.zst"):
        allow = _forbid(path)
        for command in readers:
            why = refused_in_one_of(server.run(*command, "--db", database, user=NOBODY))
            assert "permission denied" in why.lower(), why
            assert str(path) in why
            fault.happened("may not be read: exit code 5, names the file")
        allow()
    new = ["--db", public / "new"]
    output = ["--db", database, "--output", public / "out.npy"]
    for command in (
        [*SOLVE, *new],
        [*SOLVE, "--force", "--db", database],
        [*PACK, "--db", database],
        [*EXPORT, *output],
    ):
        why = refused(server.run(*command, user=NOBODY))
        assert re.search(r"permission denied|may not be written", why, re.IGNORECASE), why
        fault.happened("may not be written: exit code 5, names the file or folder")
    # The database's folder may be written and a family's not: said before anything is solved.
    database.chmod(0o777)
    (database / "lock").chmod(0o666)
    run = server.run(*SOLVE, "--force", "--db", database, user=NOBODY)
    assert refused(run) == f"the folder {family} may not be written"
    assert "solving" not in run.err
    fault.happened("may not be written: exit code 5, names the file or folder")
    assert files(database) == before


def refused_in_one_of(run: Run) -> str:
    """Why a run failed that goes on after the first failure: the last line."""
    assert run.code == 5, run
    assert "Traceback" not in run.err
    return run.err.splitlines()[-1]


@pytest.mark.fault(
    "scarcity",
    "a file where a folder belongs, or a folder where a file does",
    promise="exit code 2 or 5, names it; nothing is removed or replaced",
)
def test_something_else_in_the_place(
    server: ForkServer, tables: Path, tmp_path: Path, fault: Fault
) -> None:
    (family,) = (path.name for path in tables.iterdir() if path.is_dir())
    file = tmp_path / "file"
    file.write_text("mine")
    blocked, odd, locked = tmp_path / "blocked", tmp_path / "odd", tmp_path / "locked"
    blocked.mkdir()
    (blocked / family).write_text("mine")
    table = odd / family / "4-3.dtw.zst"
    table.mkdir(parents=True)
    (table / "notes").write_text("mine")
    (locked / "lock").mkdir(parents=True)
    before = files(tmp_path)
    for database, code, named in (
        (file, 2, file),
        (file / "below", 2, file),
        (blocked, 2, blocked / family),
        (odd, 5, table),
        (locked, 5, locked),
    ):
        run = server.run(*SOLVE, "--db", database)
        assert str(named) in refused(run, code)
        assert "solving" not in run.err
        fault.happened("refused before anything is solved, names what is in the way")
    assert files(tmp_path) == before


# -- memory, files, threads -----------------------------------------------------------------------


@pytest.mark.fault(
    "scarcity",
    "less memory allowed with --memory than a unit needs",
    promise="exit code 5 before anything is solved; says how much is needed and allowed",
)
def test_less_memory_allowed_than_needed(server: ForkServer, tmp_path: Path, fault: Fault) -> None:
    for allowed in ("0.000001", "0.01", "0.15"):
        run = server.run(*SOLVE, "--db", tmp_path, "--memory", allowed)
        assert re.fullmatch(
            rf"unit \S+ needs about {AMOUNT} of memory, but the limit is {AMOUNT};"
            r" allow more with --memory",
            refused(run),
        )
        assert files(tmp_path) == {}
        fault.happened("exit code 5 with both amounts")
    assert server.run(*SOLVE, "--db", tmp_path, "--memory", "1").code == 0


@pytest.mark.fault(
    "scarcity",
    "few files may be open (ulimit -n)",
    promise="works with fewer tables open at a time, or exit code 5 and 'too many open files'",
)
@pytest.mark.parametrize("limit", [7, 9, 12, 20])
def test_few_files_may_be_open(
    server: ForkServer, tables: Path, tmp_path: Path, fault: Fault, limit: int
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tables, copy)
    output = ["--output", tmp_path / "out.npy"]
    for command in (
        [*SOLVE, "--db", tmp_path / "new"],
        [*VERIFY, "--db", copy],
        ["stats", "five", "--db", copy],
        [*EXPORT, "--db", copy, *output],
        [*PACK, "--db", copy],
    ):
        run = server.run(*command, limits={"RLIMIT_NOFILE": limit})
        if limit >= 12:
            assert run.code == 0, run
        if run.code:
            assert "too many open files" in refused_in_one_of(run).lower()
        assert not list(tmp_path.rglob("*.tmp-*"))
        fault.happened("works, or exit code 5 and why")
    assert files(tables).items() <= files(copy).items()
    assert files(tmp_path / "new").items() <= files(tables).items()


@pytest.mark.fault(
    "scarcity",
    "no more threads may be started (ulimit -u)",
    promise="exit code 5 and what to allow; with one thread reading and checking work",
)
def test_no_more_threads(server: ForkServer, tables: Path, public: Path, fault: Fault) -> None:
    database = public / "database"
    shutil.copytree(tables, database)
    new = public / "new"
    new.mkdir()
    new.chmod(0o777)
    limits = {"RLIMIT_NPROC": 1}
    for command in ([*SOLVE, "--db", new], [*VERIFY, "--threads", "2", "--db", database]):
        why = refused_in_one_of(server.run(*command, user=NOBODY, limits=limits))
        assert why.startswith("Error: the system refuses to start another thread: allow more")
        assert files(new) == {}
        fault.happened("exit code 5, says what to allow")
    run = server.run(*VERIFY, "--threads", "1", "--db", database, user=NOBODY, limits=limits)
    assert run.code == 0
    fault.happened("with --threads 1 a check works")


TOO_LITTLE, ENOUGH = 30, 900
"""Megabytes of address space."""
LIMITS = {"query": [30, 110, 320], "stats": [30, 110, 320]}
"""By command: too little for the command line, for NumPy; enough, as they do without Numba."""
ALL_LIMITS = [16, 20, 25, 30, 35, 50, 110, 150, 170, 280, 350, 420, 500, 560, 590, 610, 650, 800]
COMMANDS = {
    "query": ["query", "w:Wa4,d5,d6:Ba7,b4,c4", "--json"],
    "stats": ["stats", "nine", "--json"],
    "verify --full": ["verify", "nine", "--full", "--json"],
    "pack --wdl": ["pack", "nine", "--wdl"],
    "export": ["export", "3-3", "--force"],
    "solve": ["solve", "nine", "--stones", "7"],
    "serve": ["serve", "--port", "0"],
}


def start(command: list[str], limit: int | None) -> tuple[int, str, str]:
    """Run ``morris`` in a process of its own, with so many megabytes of address space."""

    def restrict() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit * 10**6, limit * 10**6))

    process = subprocess.Popen(
        [sys.executable, "-m", "solver", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restrict,
        env={name: text for name, text in os.environ.items() if not name.startswith("COVERAGE")},
    )
    first = ""
    if command[0] == "serve":
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    return process.returncode, first + out, err


def check_under(limit: int, name: str, database: Path, tmp_path: Path) -> None:
    """Run a command with a limit; it must be right, or refuse with the amounts."""
    copy = tmp_path / f"{name} {limit}"
    shutil.copytree(database, copy)
    command = [*COMMANDS[name], "--db", str(copy)]
    output = copy / "out.npy"
    if name == "export":
        command += ["--output", str(output)]
    if name == "solve":
        for path in copy.rglob("*4.dtw.zst"):
            path.unlink()
    before = files(copy)
    code, out, err = start(command, limit)
    found = files(copy)
    assert not [path for path in found if ".tmp-" in path]
    assert before.items() <= found.items()
    if code == 0:
        assert limit > TOO_LITTLE, "that was enough?"
        if name == "solve":
            assert found == files(database)
        elif name == "query":
            assert '"value": "win"' in out or '"value":"win"' in out, out
        elif name == "serve":
            assert out.startswith("Serving")
        return
    assert limit < ENOUGH, err
    assert code == 5, (code, out, err)
    assert out == ""
    (line,) = (line for line in err.splitlines() if line.startswith("Error: "))
    assert re.search(rf"takes (about|at least) {AMOUNT} of address space|memory", line), line
    assert not re.search("Traceback|LLVM|OpenBLAS|terminate", err)


@pytest.mark.fault(
    "scarcity",
    "too little address space (ulimit -v), from none to spare to enough",
    promise="right bytes and answers, or exit code 5 with how much is needed and allowed",
)
@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_limit_on_the_address_space(
    database: Path, tmp_path: Path, fault: Fault, name: str
) -> None:
    for limit in LIMITS.get(name, [TOO_LITTLE, 320, ENOUGH]):
        check_under(limit, name, database, tmp_path)
        fault.happened("right, or exit code 5 and how much is needed")


@pytest.mark.deep
@pytest.mark.parametrize("name", list(COMMANDS))
def test_many_limits_on_the_address_space(database: Path, tmp_path: Path, name: str) -> None:
    for limit in ALL_LIMITS:
        check_under(limit, name, database, tmp_path)
