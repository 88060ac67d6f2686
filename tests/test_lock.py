"""One writer per database."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Morris
from faultlist import Fault

from solver import lock
from solver.errors import LockedDatabaseError, ResourceError, UsageError
from solver.lock import locked

HOLD = """
import sys
from solver.lock import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""
SOLVE = """
import sys
from solver.build import BuildProgress, build
from solver.rules import get_variant
from solver.sectors import sectors_up_to
class Progress(BuildProgress):
    def start_unit(self, unit):
        print("held", flush=True)
        sys.stdin.readline()
nine = get_variant("nine")
build(nine, sectors_up_to(nine, 7), sys.argv[1], progress=Progress())
"""
PACK = """
import sys
from solver.pack import pack_tables
from solver.rules import get_variant
from solver.sectors import sectors_up_to
def wrote(header, size):
    print("held", flush=True)
    sys.stdin.readline()
nine = get_variant("nine")
pack_tables(nine, sectors_up_to(nine, 7), sys.argv[1], wrote=wrote)
"""
HOLD_AND_FORK = """
import os, sys, time
from solver.lock import locked
with locked(sys.argv[1]):
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""

ONE_WRITER = "the second refuses (exit code 5) and says who holds the lock; nothing is changed"
SECOND = "refused, naming the holder; nothing is changed"
FREED = "the lock is free at once; nothing has to be removed by hand"

Holding = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def holding() -> Iterator[Holding]:
    """Start other processes that hold the lock of a database."""
    started: list[subprocess.Popen[str]] = []

    def start(database: Path, program: str = HOLD, *before: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*before, sys.executable, "-c", program, str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def waited_for(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """The process, once it holds the lock."""
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture
def holder(holding: Holding, tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock of the database."""
    return waited_for(holding(tmp_path / "database"))


def states(database: Path) -> dict[Path, tuple[int, int]]:
    """What changes in a database when something is written to it, but for its lock."""
    found = {path: path.stat() for path in database.rglob("*") if path.name != "lock"}
    return {path: (status.st_ino, status.st_mtime_ns) for path, status in found.items()}


# -- two writers ----------------------------------------------------------------------------------


@pytest.mark.fault("concurrency", "a second writer to a database", promise=ONE_WRITER)
def test_the_second_writer_is_told_who_is_first(
    holder: subprocess.Popen[str], tmp_path: Path, fault: Fault
) -> None:
    with (
        pytest.raises(LockedDatabaseError, match=rf"written by process {holder.pid} on .+ since"),
        locked(tmp_path / "database"),
    ):
        pass
    fault.happened(SECOND)


@pytest.mark.fault("concurrency", "a second writer to a database", promise=ONE_WRITER)
@pytest.mark.parametrize("first", ["solve", "pack"])
def test_commands_that_write_exclude_each_other(
    morris: Morris, holding: Holding, database: Path, tmp_path: Path, fault: Fault, first: str
) -> None:
    tables = tmp_path / "tables"
    shutil.copytree(database, tables)
    folder = next(tables.glob("merels24-*"))
    if first == "solve":
        (folder / "4-3.dtw.zst").unlink()
    process = waited_for(holding(tables, SOLVE if first == "solve" else PACK))
    before = states(tables)
    for second in (
        ["solve", "nine", "3-3", "--force"],
        ["solve", "nine", "5-3"],
        ["solve", "three", "--all"],  # another game, but one lock for all of a database
        ["pack", "nine", "3-3", "--wdl"],
    ):
        message = morris(*second, "--db", tables).refused(5)
        assert f"is being written by process {process.pid} on " in message
        assert states(tables) == before
        fault.happened(SECOND)
    # What needs no lock goes on.
    for arguments in (
        ["solve", "nine", "3-3"],
        ["verify", "nine", "3-3", "--full"],
        ["stats", "nine"],
        ["query", "w:Wa1,d1,g4:Bb2,b4,d6"],
        ["manifest"],
    ):
        assert morris(*arguments, "--db", tables).code == 0
    # Which is of 498 sectors, but of these it knows that one is checked.
    assert "checked in full: 1 of 498 sectors" in morris("prove", "nine", "--db", tables).out
    process.communicate("\n" * 9)
    assert process.returncode == 0
    assert morris("pack", "nine", "--wdl", "--db", tables).code == 0
    assert len(list(folder.glob("*.zst"))) == 6
    assert morris("verify", "nine", "--db", tables).code == 0


def test_solve_refuses_a_database_that_is_being_written(
    morris: Morris, holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    message = morris("solve", "nine", "3-3", "--db", tmp_path / "database").refused(5)
    assert f"process {holder.pid}" in message


def test_the_lock_is_free_when_its_holder_is_done(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    holder.communicate("\n")
    with locked(tmp_path / "database"):
        record = json.loads((tmp_path / "database" / "lock").read_text())
        assert record["pid"] == os.getpid()
    assert (tmp_path / "database" / "lock").read_text() == ""


def test_threads_of_one_process_exclude_each_other_too(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(LockedDatabaseError), locked(tmp_path):
        pass
    assert not lock._held


def can_have_namespaces() -> bool:
    program = shutil.which("unshare")
    if program is None:
        return False
    done = subprocess.run(
        [program, "--pid", "--uts", "--fork", "true"], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.fault(
    "concurrency",
    "two writers in two containers, with the same process number",
    promise=ONE_WRITER,
)
def test_writers_in_two_containers(holding: Holding, tmp_path: Path, fault: Fault) -> None:
    if not can_have_namespaces():
        pytest.skip("making containers (unshare) is not allowed here")
    container = ["unshare", "--pid", "--uts", "--fork", "--kill-child", "sh", "-c"]
    named = 'hostname "$0" && exec "$@"'
    waited_for(holding(tmp_path, HOLD, *container, named, "first"))
    message = "is being written by process 1 on first since"
    program = f"import os\nassert os.getpid() == 1\n{HOLD}"
    done = subprocess.run(
        [*container, named, "second", sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert message in done.stderr
    fault.happened(SECOND)


# -- holders that end, or do not ------------------------------------------------------------------


@pytest.mark.fault("concurrency", "a writer killed while it holds the lock", promise=FREED)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_the_lock_of_a_dead_holder_is_free(
    holder: subprocess.Popen[str], tmp_path: Path, fault: Fault, number: signal.Signals
) -> None:
    holder.send_signal(number)
    holder.wait()
    assert str(holder.pid) in (tmp_path / "database" / "lock").read_text()
    with locked(tmp_path / "database"):
        pass
    fault.happened("the lock is free at once")


@pytest.mark.fault(
    "concurrency",
    "a writer stopped (SIGSTOP) while it holds the lock",
    promise="it holds it until it goes on or is killed",
)
def test_a_stopped_holder_still_holds(
    holder: subprocess.Popen[str], tmp_path: Path, fault: Fault
) -> None:
    holder.send_signal(signal.SIGSTOP)
    os.waitpid(holder.pid, os.WUNTRACED)
    for _ in range(2):
        with (
            pytest.raises(LockedDatabaseError, match=f"process {holder.pid} "),
            locked(tmp_path / "database"),
        ):
            pass
        time.sleep(0.1)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with locked(tmp_path / "database"):
        pass
    fault.happened("held; free once it is killed")


@pytest.mark.fault("concurrency", "a writer killed whose forked child lives on", promise=FREED)
def test_a_child_does_not_hold_the_lock(holding: Holding, tmp_path: Path, fault: Fault) -> None:
    process = holding(tmp_path, HOLD_AND_FORK)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    try:
        with pytest.raises(LockedDatabaseError), locked(tmp_path):
            pass
        process.kill()
        process.wait()
        os.kill(child, 0)  # it is there
        with locked(tmp_path):
            pass
        fault.happened("the lock is free at once")
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.fault(
    "concurrency",
    "a child forked by a writer that leaves the work before its parent",
    promise="the parent still holds the lock, and the child closes no file of its own",
)
def test_a_child_cannot_give_the_lock_up(tmp_path: Path, fault: Fault) -> None:
    reading, writing = os.pipe()
    child = -1
    with locked(tmp_path):
        numbers = sorted(lock._held)
        assert len(numbers) == 2
        child = os.fork()
        if child == 0:
            outcome = b"wrong"
            with suppress(BaseException):
                # The numbers are free, and given to other files.
                files = [os.open(os.devnull, os.O_RDONLY) for _ in numbers]
                assert sorted(files) == numbers
        else:
            os.waitpid(child, 0)
            assert os.read(reading, 100) == b"right"
            assert (tmp_path / "lock").read_text() != ""
            with pytest.raises(LockedDatabaseError, match=f"process {os.getpid()}"):
                locked(tmp_path).__enter__()
            fault.happened("held by the parent")
    if child == 0:
        with suppress(BaseException):
            for number in numbers:
                os.fstat(number)  # still open
            outcome = b"right"
        os.write(writing, outcome)
        os._exit(0)
    os.close(reading)
    os.close(writing)


# -- lock files that are not as they should be ----------------------------------------------------


@pytest.mark.fault(
    "concurrency",
    "the lock file removed or replaced while it is held",
    promise="the holder still holds the database; a second writer refuses",
)
@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_a_lock_file_that_goes_while_it_is_held(
    holder: subprocess.Popen[str], tmp_path: Path, fault: Fault, what: str
) -> None:
    database = tmp_path / "database"
    if what == "removed":
        (database / "lock").unlink()
    else:
        (database / "new").touch()
        os.replace(database / "new", database / "lock")
    for _ in range(2):
        with (
            pytest.raises(LockedDatabaseError, match="somebody has removed its file lock"),
            locked(database),
        ):
            pass
    fault.happened("refused")
    holder.communicate("\n")
    assert holder.returncode == 0
    with locked(database):
        pass


@pytest.mark.fault(
    "concurrency",
    "the lock file removed just when it is locked",
    promise="only who has locked the file that lies there goes on",
)
@pytest.mark.parametrize("times", [1, 3, 10**6])
def test_a_lock_file_that_goes_while_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, times: int
) -> None:
    left = [times]

    def take(descriptor: int) -> bool:
        if left[0]:
            left[0] -= 1
            (tmp_path / "lock").unlink(missing_ok=True)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True

    monkeypatch.setattr(lock, "_take", take)
    if times > 10:
        with (
            pytest.raises(ResourceError, match=r"removes .*lock again and again"),
            locked(tmp_path),
        ):
            pass
        fault.happened("refused: it is removed again and again")
    else:
        with locked(tmp_path):
            assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()
        fault.happened("the new file is locked")
    assert not lock._held


@pytest.mark.fault(
    "concurrency",
    "a file system that cannot lock folders",
    promise="the lock file alone keeps a second writer out",
)
def test_a_folder_that_cannot_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    whole = fcntl.flock

    def flock(descriptor: int, how: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(9, "Bad file descriptor")  # as NFS does
        whole(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with (
        locked(tmp_path),
        pytest.raises(LockedDatabaseError, match=f"process {os.getpid()}"),
        locked(tmp_path),
    ):
        pass
    assert not lock._held
    fault.happened("refused, naming the holder")


@pytest.mark.fault(
    "concurrency",
    "a lock file that is a link, a pipe or a folder, or holds nonsense",
    promise="refused in a sentence, or locked all the same; nothing else is written to",
)
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder", "nonsense"])
def test_a_lock_file_that_is_none(tmp_path: Path, fault: Fault, kind: str) -> None:
    path = tmp_path / "lock"
    other = tmp_path / "diary"
    if kind == "link":
        other.write_text("mine")
    if kind in ("link", "dangling"):
        path.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b'{"pid": ' + bytes(5000))
        with locked(tmp_path):
            assert json.loads(path.read_text())["pid"] == os.getpid()
        fault.happened("locked all the same")
        return
    with pytest.raises(ResourceError, match=r"cannot be written: .*/lock: "), locked(tmp_path):
        pass
    assert not lock._held
    assert not other.exists() or other.read_text() == "mine"
    fault.happened("refused in a sentence")


def test_a_holder_that_left_no_name(tmp_path: Path) -> None:
    with locked(tmp_path):
        for text in ("[", "", "[]", '{"pid": 1}', "\ufeff{}", "9" * 5000):
            (tmp_path / "lock").write_text(text)
            with pytest.raises(LockedDatabaseError, match="another process"), locked(tmp_path):
                pass


def test_a_file_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="is not a folder"), locked(path):
            pass


def as_ordinary_user(folder: Path, call: Callable[[Path], object]) -> str:
    """What went wrong when an ordinary user called something with a folder; empty if nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = "none of ours"
        try:
            os.chdir(folder)  # whose parents the user could not even enter
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            call(Path())
            text = ""
        except (ResourceError, UsageError) as error:
            text = str(error)
        finally:
            os.write(writing, text.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text


@pytest.mark.fault(
    "concurrency",
    "a database, or its lock file, that the user may not write",
    promise="refused in a sentence that names the file (exit code 5)",
)
@pytest.mark.parametrize("kind", ["folder", "file", "neither"])
def test_what_may_not_be_written(tmp_path: Path, fault: Fault, kind: str) -> None:
    tmp_path.chmod(0o555 if kind == "folder" else 0o777)
    if kind == "file":
        (tmp_path / "lock").touch()
        (tmp_path / "lock").chmod(0o000)
    found = as_ordinary_user(tmp_path, lambda folder: locked(folder).__enter__())
    if kind == "neither":
        assert found == ""
        return
    assert found == "the database . cannot be written: lock: Permission denied"
    fault.happened("refused, naming the file")
