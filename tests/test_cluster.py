"""Solving on a cluster: the same bytes, whatever is lost on the way."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import test_readme
from conftest import Morris
from faultlist import Fault
from strategies import NINE

from databases import files
from solver.build import build
from solver.buildprogress import BuildProgress, BuildReport
from solver.cluster import batch
from solver.cluster.places import AtAddress
from solver.rules import get_variant
from solver.sectors import Sector, Unit, sectors_up_to, wanted_sectors
from solver.tablefile import table_path

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

ROOT = Path(__file__).parents[1]
STONES = 8
LOST = "its unit is given to another one; nothing half-written has a table's name; the same bytes"


class Recorder(BuildProgress):
    """What a run tells, and a chance to do something when a unit is begun."""

    def __init__(self, on_start: Callable[[str], None] = lambda name: None) -> None:
        self.started: list[str] = []
        self.finished: list[str] = []
        self.most_running = 0
        self.tables: list[Sector] = []
        self.notes: list[str] = []
        self.shared: list[tuple[int, int]] = []
        self._on_start = on_start

    def share(self, workers: int, threads: int) -> None:
        self.shared.append((workers, threads))

    def start_unit(self, unit: Unit) -> None:
        self.started.append(str(unit))
        self.most_running = max(self.most_running, len(self.started) - len(self.finished))
        self._on_start(str(unit))

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        self.finished.append(str(unit))

    def wrote(self, sector: Sector, size: int, seconds: float) -> None:
        self.tables.append(sector)

    def note(self, text: str) -> None:
        self.notes.append(text)


@contextmanager
def local_cluster(workers: int, **options: Any) -> Iterator[Any]:
    """A scheduler in this process and so many worker processes of one thread."""
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL, **options,
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster(2, memory_limit="4 GB") as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """For looking on. Begins with two workers, after whatever a test before has done to them."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a plain run makes."""
    folder = tmp_path_factory.mktemp("eight")
    build(NINE, sectors_up_to(NINE, STONES), folder)
    return folder


def solve(cluster: Any, database: Path, progress: BuildProgress, **options: Any) -> BuildReport:
    """Solve on the cluster what `eight` holds."""
    place = AtAddress(cluster.scheduler_address)
    sectors = sectors_up_to(NINE, STONES)
    return batch.build_on_cluster(NINE, sectors, database, place, progress=progress, **options)


# -- the same bytes -----------------------------------------------------------------------------


def test_a_whole_game(cluster: Any, morris: Morris, tmp_path: Path) -> None:
    five = get_variant("five")
    build(five, wanted_sectors(five), tmp_path / "plain")
    answer = morris(
        "solve", "five", "--all", "--scheduler", cluster.scheduler_address, "--db",
        tmp_path / "cluster", "--json",
    )  # fmt: skip
    assert len(answer.json["solved"]) == 68
    assert answer.json["skipped"] == []
    assert files(tmp_path / "cluster") == files(tmp_path / "plain")
    lines = answer.err.splitlines()
    assert lines[0].startswith("solving 65 units, ")
    assert len(lines) == 66
    assert all(line.endswith(" left") for line in lines[1:-1])


def test_workers_of_this_machine(morris: Morris, eight: Path, tmp_path: Path) -> None:
    arguments = ("solve", "nine", "--stones", STONES, "--workers", 2, "--db", tmp_path)
    answer = morris(*arguments, "--memory", "1", "--threads", 2)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("solved 6 tables: 3-3 4-3 3-4 ")
    assert files(tmp_path) == files(eight)


def test_what_is_told(cluster: Any, client: Any, eight: Path, tmp_path: Path) -> None:
    recorder = Recorder()
    report = solve(cluster, tmp_path, recorder)
    assert sorted(recorder.started) == sorted(recorder.finished) == ["3-3", "4-3", "4-4", "5-3"]
    assert recorder.started[:2] == ["3-3", "4-3"]  # all others need them
    assert recorder.most_running <= 2
    assert recorder.shared == [(2, 1)]  # which the time left depends on
    assert sorted(recorder.tables) == sorted(report.solved) == sorted(sectors_up_to(NINE, STONES))
    assert recorder.notes == []
    assert files(tmp_path) == files(eight)
    assert solve(cluster, tmp_path, recorder).skipped == sectors_up_to(NINE, STONES)
    assert len(recorder.started) == 4


def test_tables_are_made_anew_once(cluster: Any, client: Any, eight: Path, tmp_path: Path) -> None:
    build(NINE, [Sector(4, 3)], tmp_path)
    paths = {name: table_path(tmp_path, NINE, Sector(*name)) for name in ((3, 3), (4, 3), (3, 4))}
    before = {name: path.stat() for name, path in paths.items()}
    recorder = Recorder()
    place = AtAddress(cluster.scheduler_address)
    batch.build_on_cluster(
        NINE, [Sector(4, 3)], tmp_path, place, force=True, progress=recorder
    )  # fmt: skip
    assert recorder.started == ["4-3"]
    changed = {name for name, path in paths.items() if path.stat().st_ino != before[name].st_ino}
    assert changed == {(4, 3), (3, 4)}


# -- what is lost on the way ----------------------------------------------------------------------


@pytest.mark.fault(
    "interruption",
    "a worker of a cluster killed while it solves a unit",
    promise=LOST,
)
def test_a_worker_killed_while_it_solves(
    fault: Fault, cluster: Any, client: Any, eight: Path, tmp_path: Path
) -> None:
    pids = client.run(os.getpid)

    def kill(name: str) -> None:
        if name == "5-3" and recorder.started.count(name) == 1:
            working = client.processing()
            (address,) = [a for a, keys in working.items() if any("unit_5_3-" in k for k in keys)]
            os.kill(pids[address], signal.SIGKILL)

    recorder = Recorder(kill)
    solve(cluster, tmp_path, recorder)
    assert sorted(recorder.started) == ["3-3", "4-3", "4-4", "5-3", "5-3"]
    assert sorted(recorder.finished) == ["3-3", "4-3", "4-4", "5-3"]
    (note,) = recorder.notes
    assert note.startswith("the worker tcp://")
    assert note.endswith(" was lost; 5-3 is given to another one")
    assert files(tmp_path) == files(eight)
    fault.happened("another one solved it; the same bytes")


@pytest.mark.fault(
    "interruption",
    "the only worker of a cluster killed while it solves, and started again",
    promise="waited for; then the run goes on",
)
def test_the_only_worker_is_killed(
    fault: Fault, eight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.cluster.round._LOOK_SECONDS", 0.5)

    def kill(name: str) -> None:
        if name == "4-3" and len(recorder.started) == 2:
            for worker in list(cluster.workers.values()):
                os.kill(worker.pid, signal.SIGKILL)

    recorder = Recorder(kill)
    with local_cluster(1) as cluster:
        place = AtAddress(cluster.scheduler_address)
        batch.build_on_cluster(
            NINE, sectors_up_to(NINE, STONES), tmp_path, place, progress=recorder
        )  # fmt: skip
    assert any(text.endswith(" was lost; 4-3 is given to another one") for text in recorder.notes)
    assert files(tmp_path) == files(eight)
    fault.happened("the next worker went on; the same bytes")


@pytest.mark.fault(
    "interruption",
    "a worker of a cluster killed while it writes a table",
    promise=LOST,
)
def test_a_worker_killed_while_it_writes(
    fault: Fault, cluster: Any, client: Any, eight: Path, tmp_path: Path
) -> None:
    def write_slowly() -> None:
        """Runs in the workers."""
        import time

        from solver import tablewriter

        original = tablewriter.write_table

        def slowly(*arguments: Any, **options: Any) -> int:
            told = options.pop("progress")
            return original(
                *arguments, progress=lambda done: (time.sleep(0.5), told(done)), **options
            )

        tablewriter.write_table = slowly

    client.run(write_slowly)
    killed = []

    def kill() -> None:
        while not killed:
            for path in tmp_path.rglob("4-3.dtw.zst.tmp-*"):
                killed.append(path)
                os.kill(int(path.name.rpartition("-")[2]), signal.SIGKILL)
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    recorder = Recorder()
    solve(cluster, tmp_path, recorder)
    killer.join()
    assert recorder.started.count("4-3") == 2
    assert sorted(set(recorder.started)) == ["3-3", "4-3", "4-4", "5-3"]
    assert files(tmp_path) == files(eight)  # without what the killed one had begun to write
    fault.happened("another one made it; the same bytes")


@pytest.mark.fault(
    "damage",
    "a table of a cluster's run damaged after it was found sound",
    promise="noticed when it is read; made anew",
)
def test_a_table_damaged_meanwhile(
    fault: Fault,
    cluster: Any,
    client: Any,
    eight: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build(NINE, [Sector(4, 3)], tmp_path)
    path = table_path(tmp_path, NINE, Sector(4, 3))
    original = batch.check_disk

    def harm(*arguments: Any) -> None:
        """After all tables were found to be sound."""
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        original(*arguments)

    monkeypatch.setattr(batch, "check_disk", harm)
    recorder = Recorder()
    report = solve(cluster, tmp_path, recorder)
    assert files(tmp_path) == files(eight)
    assert any("4-3.dtw.zst" in note and "made anew" in note for note in recorder.notes)
    assert sorted(recorder.finished) == ["4-3", "4-4", "5-3"]
    assert Sector(3, 3) in report.skipped
    assert Sector(4, 3) in report.solved
    fault.happened("made anew; the same bytes")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def commands(port: int, database: Path) -> list[list[str]]:
    """What the README says to type for a scheduler, a worker and a run, but for here."""
    (block,) = [b for b in test_readme.blocks() if b.before == test_readme.ON_CLUSTER]
    here = block.body.replace("10.0.0.1", "127.0.0.1").replace("8786", str(port))
    here = here.replace("/shared/morris", str(database)).replace("--nthreads 8", "--nthreads 1")
    return [shlex.split(line.removeprefix("$ ")) for line in here.splitlines()]


@pytest.mark.fault(
    "interruption",
    "the scheduler of a cluster killed in the middle of a run, and started again",
    promise="waited for; tables that are finished stay, and the run goes on",
)
def test_a_scheduler_that_is_started_again(
    fault: Fault, eight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun as the README says."""
    monkeypatch.setattr("solver.cluster.round._LOOK_SECONDS", 0.5)
    *cluster, (program, *arguments) = commands(free_port(), tmp_path)
    assert program == "morris"
    place = AtAddress(arguments[arguments.index("--scheduler") + 1])
    quiet = subprocess.DEVNULL
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        for dask, *options in cluster:
            assert dask == "dask"
            command = [sys.executable, "-m", "dask", *options]
            running.append(subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet))

    def kill(name: str) -> None:
        if name == "4-4" and len(running) == 2:
            running[0].kill()
            running[0].wait()
            start()

    recorder = Recorder(kill)
    start()
    try:
        report = batch.build_on_cluster(
            NINE, sectors_up_to(NINE, STONES), tmp_path, place, progress=recorder
        )  # fmt: skip
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
    assert len(running) == 4
    assert "the scheduler is lost; waiting for it to come back" in recorder.notes
    assert recorder.started.count("3-3") == recorder.started.count("4-3") == 1
    assert sorted(report.solved) == sorted(sectors_up_to(NINE, STONES))
    assert files(tmp_path) == files(eight)
    fault.happened("went on; the same bytes")
