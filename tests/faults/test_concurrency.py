"""Many readers at once, in threads and processes, while others write; forks and copies.

Two writers are in ``test_lock.py``.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faultlist import Fault
from readers import PROCESSES, THREADS, Known, Task, answers

from databases import shared_database
from solver.build import build
from solver.errors import MissingTableError
from solver.index import Layout, layout
from solver.lru import LruCache
from solver.pack import pack_tables
from solver.position import Position
from solver.proof import Checker, record_path
from solver.rules import get_variant
from solver.sectors import parse_sector, sectors_up_to
from solver.tablebase import Tablebase, open_tablebase
from solver.tablefile import TableReader

NINE = get_variant("nine")
SECTORS = sectors_up_to(NINE, 8)
SMALL = sectors_up_to(NINE, 7)
QUESTIONS = 40
"""That each thread asks."""
MANY_QUESTIONS = 500
"""With ``--deep``."""
OTHER_USER = 65534

linux_only = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of up to eight stones. Not to be written to."""
    return shared_database(tmp_path_factory, "database-8", [(NINE, SECTORS)])


@pytest.fixture(scope="module")
def known(whole: Path) -> list[Known]:
    """Positions of all sectors, with their answers from tables that nobody writes to."""
    rng = random.Random(20)
    found = []
    with Tablebase(whole) as tablebase:
        for sector in SECTORS:
            numbering = layout(NINE, sector)
            for _ in range(25):
                masks = numbering.masks(rng.randrange(numbering.slots))
                position = Position(NINE, *masks, True)
                found.append(answers(tablebase, position, str(sector)))
    return found


@pytest.fixture
def readable(database: Path) -> Iterator[Path]:
    """A copy of the tables of up to seven stones, where any user can get to it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copied = Path(folder) / "tables"
        shutil.copytree(database, copied)
        for path in [copied, *copied.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield copied


def add_and_replace(database: Path, done: threading.Event) -> int:
    """Add tables, and make others anew, until `done`; return how many were written."""
    written = 0
    written += len(build(NINE, SECTORS, database, threads=1).solved)
    while True:
        for sector in SECTORS:
            if done.is_set() and written > len(SECTORS):
                return written
            written += len(build(NINE, [sector], database, threads=1, force=True).solved)
            if sector in SMALL:
                written += len(pack_tables(NINE, [sector], database).packed)
                with TableReader(next(database.glob(f"*/{sector}.wdl.zst")), metric="wdl"):
                    next(database.glob(f"*/{sector}.wdl.zst")).unlink()


def run_readers(
    database: Path, known: list[Known], method: str, questions: int, fault: Fault
) -> None:
    """Run readers and a writer side by side, and check what they saw."""
    limits = {"cache_mb": 0.3, "max_open_files": 2}
    task = Task(str(database), known, False, questions, **limits)  # type: ignore[arg-type]
    user = OTHER_USER if os.geteuid() == 0 else 0
    done = threading.Event()
    written: list[int] = []
    writer = threading.Thread(target=lambda: written.append(add_and_replace(database, done)))
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("readers.py")), method, str(user)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(pickle.dumps(task))
            process.stdin.close()
            assert process.stdout.readline() == b"ready\n"
            writer.start()
            seen = json.loads(process.stdout.readline())
            done.set()
            writer.join()
        finally:
            done.set()
            process.kill()
    assert written[0] > len(SECTORS)
    assert len(seen) == PROCESSES
    for each in seen:
        assert each["wrong"] == ""
        assert each["right"] + each["missing"] == THREADS * questions
        assert each["right"] > THREADS * questions // 4
        assert each["cached"] <= limits["cache_mb"] * 1e6
        # Each thread has open what its question takes: the quiet sector, and that of captures.
        assert each["open_files"] <= limits["max_open_files"] + 2 * THREADS
        assert each["may_write"] == (user == 0)
    fault.happened(
        "right, or that the table was missing yet; limits kept", PROCESSES * THREADS * questions
    )


READING = (
    "every answer is right, or names a table that was not there yet; memory and open files stay"
    " within their limits"
)


@linux_only
@pytest.mark.fault(
    "concurrency",
    "questions of 4 processes of 8 threads to a read-only folder, while another process adds and"
    " replaces tables",
    promise=READING,
)
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_readers_while_others_write(
    readable: Path, known: list[Known], fault: Fault, method: str
) -> None:
    run_readers(readable, known, method, QUESTIONS, fault)


@linux_only
@pytest.mark.deep
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_readers_while_others_write_for_long(
    readable: Path, known: list[Known], method: str
) -> None:
    run_readers(readable, known, method, MANY_QUESTIONS, Fault())


@pytest.mark.fault(
    "concurrency",
    "a process forked while another thread changes what is kept of tables",
    promise="the child answers; it waits for nobody",
)
@pytest.mark.parametrize("which", ["frames", "tables"])
def test_a_fork_at_a_bad_moment(
    database: Path, known: list[Known], fault: Fault, which: str
) -> None:
    with open_tablebase(database, max_open_files=1) as tablebase:
        cache: LruCache[object, object] = getattr(tablebase, f"_{which}")
        held, release = threading.Event(), threading.Event()

        def change() -> None:
            with cache._lock:
                cache._used += 1000  # as between two steps of a change
                held.set()
                release.wait()
                cache._used -= 1000

        thread = threading.Thread(target=change)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            right = False
            try:
                right = all(
                    tablebase.probe(Position.parse(NINE, each.text)) == each.result
                    for each in known[:75]
                ) and cache.used == sum(cost for _, cost in cache._entries.values())
            finally:
                os._exit(0 if right else 1)
        try:
            assert exit_code(child) == 0
        finally:
            release.set()
            thread.join()
        fault.happened("the child answers")


IMPORTING = """
import os, sys, threading, time
from solver import Position, get_variant, open_tablebase
tablebase = open_tablebase(sys.argv[1])
begun = threading.Event()
class Slow:
    def find_spec(self, name, *_):
        if name == sys.argv[2] and not begun.is_set():
            begun.set()
            time.sleep(0.3)
sys.meta_path.insert(0, Slow())
def ask():
    nine = get_variant("nine")
    position = Position.parse(nine, "w:Wa1,d1,g4:Bb2,b4,d6")
    masks = [position.mover_mask], [position.opponent_mask]
    assert tablebase.probe_many(*masks, "3-3", threads=2).dtw.tolist() == [1]
    assert tablebase.get(Position.start(nine)) is None
thread = threading.Thread(target=ask)
thread.start()
assert begun.wait(20)
child = os.fork()
if child == 0:
    ask()
    os._exit(0)
thread.join()
print(child, flush=True)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.fault(
    "concurrency",
    "a process forked while another thread asks its first question, and so imports modules",
    promise="the child answers; it waits for nobody",
)
@pytest.mark.parametrize("module", ["solver.notation", "solver.probing", "solver.survey"])
def test_a_fork_while_modules_are_imported(database: Path, fault: Fault, module: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", IMPORTING, str(database), module],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the child as well
            raise
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0
    fault.happened("the child answers")


@pytest.mark.fault(
    "concurrency",
    "a process forked while another thread works out what is worked out once",
    promise="the child answers; it waits for nobody",
)
@pytest.mark.parametrize("name", ["major_sets", "_block_of"])
def test_a_fork_while_something_is_worked_out(
    database: Path, known: list[Known], fault: Fault, name: str
) -> None:
    found = vars(Layout)[name]
    lock = getattr(found, "lock", None) or threading.Lock()  # there is none from Python 3.12 on
    held, release = threading.Event(), threading.Event()

    def work_out() -> None:
        with lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=work_out)
    thread.start()
    held.wait()
    with open_tablebase(database) as tablebase:
        child = os.fork()
        if child == 0:
            right = False
            try:
                layout.cache_clear()
                right = ask_all(tablebase, known[:75]) == 75
            finally:
                os._exit(0 if right else 1)
        try:
            assert exit_code(child) == 0
        finally:
            release.set()
            thread.join()
    fault.happened("the child answers")


def exit_code(child: int, seconds: float = 20) -> int:
    """Wait for a child, which is killed after a time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


def ask_all(tablebase: Tablebase, known: list[Known]) -> int:
    """Count the right answers; called in other processes too."""
    return sum(tablebase.probe(Position.parse(NINE, each.text)) == each.result for each in known)


@pytest.mark.fault(
    "concurrency",
    "a tablebase sent to other processes, as loaders of training data do",
    promise="it opens the same folders there, with the same limits",
)
def test_copies_in_other_processes(whole: Path, known: list[Known], fault: Fault) -> None:
    with open_tablebase([whole, whole / "none"], cache_mb=1, max_open_files=3) as tablebase:
        ask_all(tablebase, known)  # files are open
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(ask_all, (tablebase, known)) == len(known)
            fault.happened("right answers")
        for again in (pickle.loads(pickle.dumps(tablebase)), copy.copy(tablebase)):
            assert isinstance(again, Tablebase)
            assert again.paths == tablebase.paths
            assert again._limits == tablebase._limits == (1, 3)
            assert ask_all(again, known) == len(known)
            again.close()
            fault.happened("right answers")
        assert ask_all(tablebase, known) == len(known)  # not closed with the copies
    with pytest.raises(ValueError, match="the tablebase is closed"):
        pickle.dumps(tablebase)


@linux_only
def test_a_file_opened_while_the_tablebase_is_closed(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solver import tablebase as module

    opening = module.open_sector_table
    tablebase = open_tablebase(database)

    def slowly(*arguments: object) -> object:
        found = opening(*arguments)  # type: ignore[arg-type]
        tablebase.close()
        return found

    monkeypatch.setattr(module, "open_sector_table", slowly)
    tablebase.reader(NINE, parse_sector("3-3"))
    assert len(tablebase._tables) == 0


@pytest.mark.fault(
    "concurrency",
    "questions of 8 threads about all parts of tables, with room for few of them",
    promise="memory stays within the limit",
)
def test_memory_is_bounded(whole: Path, fault: Fault) -> None:
    limit = 500_000
    sectors = [parse_sector(text) for text in ("4-4", "5-3", "3-5")]
    numberings = {sector: layout(NINE, sector) for sector in sectors}

    def ask(tablebase: Tablebase, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            sector = rng.choice(sectors)
            slot = rng.randrange(numberings[sector].slots)
            tablebase.probe(Position(NINE, *numberings[sector].masks(slot), True))

    def grown(cache_mb: float) -> int:
        with open_tablebase(whole, cache_mb=cache_mb) as tablebase:
            ask(tablebase, 0)  # what is needed in any case
            tracemalloc.start()
            try:
                threads = [
                    threading.Thread(target=ask, args=(tablebase, seed)) for seed in range(8)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    room = 8 * 200_000  # for each thread what it unpacks, and its stack
    assert grown(limit / 1e6) <= limit + room
    assert grown(64) > limit + room  # or this would show nothing
    fault.happened("within the limit")


@pytest.mark.fault(
    "concurrency",
    "a writer that begins just when another process records a check",
    promise="the record is there nevertheless",
)
def test_a_record_is_not_cleared_away(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    copied = tmp_path / "tables"
    shutil.copytree(database, copied)
    sector = parse_sector("3-3")
    checker = Checker(NINE, copied)
    replace: Callable[[Path, Path], None] = os.replace
    written = []

    def clear_first(source: Path, target: Path) -> None:
        written.append(Path(source).name.split(".tmp-")[0])
        # What is seen as left behind is tried in another process, as locks are between those.
        code = "import sys; from solver.atomicfile import remove_temporary_files as remove; "
        code += "sys.exit(len(remove(sys.argv[1])))"
        folder = str(Path(source).parent)
        assert subprocess.run([sys.executable, "-c", code, folder], check=False).returncode == 0
        replace(source, target)

    report = checker.check(sector, "full", 1)
    monkeypatch.setattr(os, "replace", clear_first)
    assert checker.record(report)
    assert written == ["3-3.verified.json"]
    assert json.loads(record_path(copied, NINE, sector).read_text())["sector"] == "3-3"
    fault.happened("recorded")


def test_a_missing_table_is_found_once_it_is_there(database: Path, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    with open_tablebase(tmp_path / "tables") as tablebase:
        position = Position.parse(NINE, "w:Wa1,d1,g4:Bb2,b4,d6")
        with pytest.raises(MissingTableError):
            tablebase.probe(position)
        shutil.copytree(database, tmp_path / "tables", dirs_exist_ok=True)
        assert tablebase.probe(position) == ("win", 1)
