"""Runs that are interrupted or killed, and go on: the same bytes, and nothing left behind."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faultlist import Fault
from strategies import NINE

from databases import files
from solver import unitbuilder
from solver.build import BuildProgress, build
from solver.sectors import Sector, Unit, sectors_up_to

MORRIS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner may have it ignored
from solver.cli import main
main()
"""
DIES_WHILE_WRITING = """
import os, signal, sys
from solver import tablewriter
original = tablewriter.write_table
sector = sys.argv.pop()
def write_table(path, header, payload, **options):
    if header.sector == sector:
        options["progress"] = lambda done: os.kill(os.getpid(), signal.SIGKILL)
    return original(path, header, payload, **options)
tablewriter.write_table = write_table
from solver.cli import run
run(sys.argv[1:])
"""
WAITS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from solver import unitbuilder
original = unitbuilder.solve_unit
def solve_unit(rules, unit, *arguments):
    if str(unit) == "4-3":
        while not list(Path(sys.argv[-2]).rglob("*.zst")):
            time.sleep(0.01)
        print("waiting", file=sys.stderr, flush=True)
        time.sleep(60)
    return original(rules, unit, *arguments)
unitbuilder.solve_unit = solve_unit
from solver.cli import main
main()
"""
STONES = 8


def start(database: Path, code: str = MORRIS, *more: str) -> subprocess.Popen[str]:
    command = ["solve", "nine", "--stones", str(STONES), "--db", str(database), *more]
    return subprocess.Popen(
        [sys.executable, "-c", code, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a run leaves that nobody disturbs."""
    database = tmp_path_factory.mktemp("undisturbed")
    build(NINE, sectors_up_to(NINE, STONES), database)
    return files(database)


@pytest.mark.fault(
    "interruption",
    "SIGINT, SIGTERM or SIGKILL at a random moment, and again at another in the run that goes on",
    promise="files with their names are whole; the same command goes on and makes the same bytes",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_killed_at_random_points_and_resumed(
    number: signal.Signals, undisturbed: dict[str, bytes], tmp_path: Path, fault: Fault
) -> None:
    chance = random.Random(int(number))
    for _ in range(2):
        with start(tmp_path) as process:
            assert process.stderr is not None
            process.stderr.readline()  # from here on it solves, unless nothing is left to do
            time.sleep(chance.uniform(0, 0.8))
            process.send_signal(number)
            _, err = process.communicate()
        # A signal may come after the work is done, while the program ends.
        assert process.returncode in (0, -number, *((130,) if number != signal.SIGKILL else ()))
        if process.returncode == 130:
            assert "interrupted" in err
            assert not list(tmp_path.rglob("*.tmp-*"))
        # What has its name is whole.
        finished = {name: data for name, data in files(tmp_path).items() if ".tmp-" not in name}
        assert finished.items() <= undisturbed.items()
        fault.happened("files with their names are whole; in the end the same bytes")
    with start(tmp_path) as process:
        _, err = process.communicate()
    assert process.returncode == 0, err
    assert files(tmp_path) == undisturbed


@pytest.mark.parametrize("sector", ["3-3", "3-4"])
def test_killed_while_writing(sector: str, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    with start(tmp_path, DIES_WHILE_WRITING, sector) as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert [path.name.split(".tmp-")[0] for path in tmp_path.rglob("*.tmp-*")] == [
        f"{sector}.dtw.zst"
    ]
    build(NINE, sectors_up_to(NINE, STONES), tmp_path)
    assert files(tmp_path) == undisturbed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(number: signal.Signals, tmp_path: Path) -> None:
    with start(tmp_path, WAITS, "--json") as process:
        assert process.stderr is not None
        while "waiting" not in process.stderr.readline():
            pass
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    # The table that it waited for has its name, and may not be finished with yet.
    assert err.removeprefix("finishing a table; interrupt again to give it up\n") == (
        "interrupted; 1 table finished; to go on from there, give the same command again\n"
    )


class Interrupting(BuildProgress):
    """Interrupts, as Ctrl-C does, at the n-th sign of life."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.notes: list[str] = []

    def count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def begin(self, units: list[Unit]) -> None:
        self.count()

    def start_unit(self, unit: Unit) -> None:
        self.count()

    def advance(self, unit: Unit, slots: int) -> None:
        self.count()

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        self.count()

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_interrupted_at_every_step_it_goes_on(
    undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    interrupted = 0
    number = 1
    while True:
        try:
            build(NINE, sectors_up_to(NINE, STONES), tmp_path, progress=Interrupting(number))
            break
        except KeyboardInterrupt:
            interrupted += 1
            assert not list(tmp_path.rglob("*.tmp-*"))
            assert files(tmp_path).items() <= undisturbed.items()
        number = 2 * number + 1
    assert interrupted >= 4
    assert files(tmp_path) == undisturbed


def test_a_table_being_written_is_finished_unless_interrupted_again(
    undisturbed: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solver import tablewriter

    original = tablewriter.write_table
    solve = unitbuilder.solve_unit

    def slowly(*arguments: object, **options: object) -> int:
        time.sleep(0.2)
        return original(*arguments, **options)  # type: ignore[arg-type]

    def interrupt(rules: object, unit: Unit, *arguments: object) -> object:
        if unit.sectors[0] == Sector(4, 3):
            raise KeyboardInterrupt
        return solve(rules, unit, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(tablewriter, "write_table", slowly)
    monkeypatch.setattr(unitbuilder, "solve_unit", interrupt)
    progress = Interrupting(-1)
    with pytest.raises(KeyboardInterrupt):
        build(NINE, sectors_up_to(NINE, STONES), tmp_path / "once", progress=progress)
    assert progress.notes == ["finishing a table; interrupt again to give it up"]
    assert [name.split("/")[-1] for name in files(tmp_path / "once")] == ["3-3.dtw.zst"]

    wait = tablewriter.TableWriter.wait
    calls = []

    def interrupted_wait(self: tablewriter.TableWriter) -> None:
        calls.append(self)
        if self.bytes:
            raise KeyboardInterrupt
        wait(self)

    monkeypatch.setattr(tablewriter.TableWriter, "wait", interrupted_wait)
    with pytest.raises(KeyboardInterrupt):
        build(NINE, sectors_up_to(NINE, STONES), tmp_path / "twice")
    assert files(tmp_path / "twice") == {}
