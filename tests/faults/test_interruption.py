"""Work that is interrupted or killed at every step, and done again: the same bytes, nothing left.

The runs are children of a process that has loaded everything (see :mod:`killing`); the real signal
comes from outside when they have come to the step, at once or a random moment later.
``test_resume.py`` does the same to whole processes that nothing is added to.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from faultlist import Fault
from killing import STEPS, ForkServer, Run

from databases import files

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
GO_ON = re.compile(
    r"interrupted; (no table|[0-9]+ tables?) finished; to go on from there, give the same command"
    r" again\n"
)
SOLVE = ["solve", "five", "--stones", "8"]
DOING = {
    "starting": "before the first table",
    "solving": "while a unit is solved",
    "compressing": "while a table is compressed",
    "renaming": "while a table is put on the disk and renamed",
    "solving beside the writer": "while a table is written and the next unit solved",
}
SAME_BYTES = "files with their names are whole; the same command goes on and makes the same bytes"
NOTHING_LEFT = f"{SAME_BYTES}; no temporary file is left"
Files = dict[str, bytes]


def temporary(found: Files) -> list[str]:
    return [name for name in found if ".tmp-" in name]


def named(found: Files) -> Files:
    """Those that have their names."""
    return {name: data for name, data in found.items() if ".tmp-" not in name}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """What runs the command line."""
    warm = tmp_path_factory.mktemp("warm")
    commands = [work.command(warm) for work in OTHER_WORK]
    solve = [*SOLVE, "--db", str(warm), "--threads", "1"]
    with ForkServer([solve, *([str(part) for part in command] for command in commands)]) as server:
        yield server


class Undisturbed(NamedTuple):
    """What a run leaves that nobody disturbs, and how often it comes to each step."""

    files: Files
    steps: dict[str, int]


@pytest.fixture(scope="module")
def undisturbed(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    database = tmp_path_factory.mktemp("undisturbed")
    run = server.run(*SOLVE, "--db", database, "--threads", 1)
    assert run.code == 0, run
    found = files(database)
    assert len(found) == 6
    return Undisturbed(found, run.steps)


def check_stopped(run: Run, number: signal.Signals, *, done: bool) -> None:
    """Compare how a run ended with how it has to after a signal.

    Args:
        run: which.
        number: the signal.
        done: whether all its work is done: then it may have ended before it heard of the signal,
            or said what it did, and be interrupted or die of the signal after that.
    """
    assert "Traceback" not in run.err, run
    assert "HANGS" not in run.err, run
    if done and run.out and run.code in (0, 130, -number):
        return
    assert run.code == (-number if number == signal.SIGKILL else 130), run
    if run.code == 130:
        assert run.err.splitlines(keepends=True)[-1].startswith("interrupted"), run
        assert run.out == ""


def kill_and_go_on(
    server: ForkServer,
    undisturbed: Undisturbed,
    folder: Path,
    step: str,
    number: signal.Signals,
    tries: int,
) -> None:
    """Kill runs, some of which go on after one that was killed, and let the last of them end."""
    chance = random.Random(f"{step} {int(number)}")
    databases = (folder / str(each) for each in count())
    database = next(databases)
    tried = 0
    while tried < tries:
        before = files(database)
        delay = None if tried % 2 else chance.uniform(0, 0.03)
        run = server.run(
            *SOLVE, "--db", database, "--threads", chance.randint(1, 2),
            step=step, number=chance.randint(1, undisturbed.steps.get(step, 1)),
            signals=[number], delay=delay,
        )  # fmt: skip
        found = files(database)
        if not run.reached:  # it had less to do than that, and is done
            assert run.code == 0, run
            assert found == undisturbed.files
            database = next(databases)
            continue
        tried += 1
        whole = named(found)
        check_stopped(run, number, done=whole == undisturbed.files)
        assert named(before).items() <= whole.items()
        assert whole.items() <= undisturbed.files.items()
        if number != signal.SIGKILL:
            assert not temporary(found)
        if run.code == 130:
            said = GO_ON.fullmatch(run.err.splitlines(keepends=True)[-1])
            assert said, run
            new = len(whole.keys() - before.keys())
            assert said[1].split()[0] == (str(new) if new else "no")
    run = server.run(*SOLVE, "--db", database)
    assert run.code == 0, run
    assert files(database) == undisturbed.files


@pytest.mark.parametrize(
    ("step", "number"),
    [
        pytest.param(
            step,
            number,
            marks=pytest.mark.fault(
                "interruption",
                f"{number.name} {DOING[step]}",
                promise=SAME_BYTES if number == signal.SIGKILL else NOTHING_LEFT,
            ),
            id=f"{step}-{number.name}",
        )
        for step in STEPS
        for number in SIGNALS
    ],
)
def test_killed_at_every_step(
    server: ForkServer,
    undisturbed: Undisturbed,
    tmp_path: Path,
    fault: Fault,
    step: str,
    number: signal.Signals,
) -> None:
    tries = 10
    kill_and_go_on(server, undisturbed, tmp_path, step, number, tries)
    ends = (
        "dies at once"
        if number == signal.SIGKILL
        else "exit code 130 and how to go on, unless all was done"
    )
    fault.happened(f"{ends}; then the same bytes, and nothing else", tries)


@pytest.mark.deep
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_every_step_often(
    server: ForkServer, undisturbed: Undisturbed, tmp_path: Path, step: str, number: signal.Signals
) -> None:
    kill_and_go_on(server, undisturbed, tmp_path, step, number, 50)


@pytest.mark.fault(
    "interruption",
    "signals to stop twice or three times at once, as timeout and terminals send them",
    promise=NOTHING_LEFT,
)
@pytest.mark.parametrize("step", STEPS)
def test_several_signals_at_once(
    server: ForkServer, undisturbed: Undisturbed, tmp_path: Path, fault: Fault, step: str
) -> None:
    together = [
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGTERM, signal.SIGTERM],
        [signal.SIGTERM, signal.SIGHUP, signal.SIGINT],
    ]
    for pause, signals in ((pause, signals) for pause in (0, 0.003) for signals in together):
        run = server.run(*SOLVE, "--db", tmp_path, step=step, signals=signals, pause=pause)
        if run.reached:
            check_stopped(run, signals[0], done=files(tmp_path) == undisturbed.files)
        assert not temporary(files(tmp_path))
        assert files(tmp_path).items() <= undisturbed.files.items()
        fault.happened(
            "exit code 130 and how to go on, unless all was done; then the same bytes,"
            " and nothing else"
        )
    assert server.run(*SOLVE, "--db", tmp_path).code == 0
    assert files(tmp_path) == undisturbed.files


@pytest.mark.fault(
    "interruption", "the terminal closed (SIGHUP) at every step", promise=NOTHING_LEFT
)
@pytest.mark.parametrize("step", STEPS)
def test_the_terminal_is_closed(
    server: ForkServer, undisturbed: Undisturbed, tmp_path: Path, fault: Fault, step: str
) -> None:
    options: dict[str, Any] = {"step": step, "signals": [signal.SIGHUP]}
    for closed in ("", "stderr"):
        run = server.run(*SOLVE, "--db", tmp_path, closed=closed, **options)
        assert run.reached
        # Where it has something to say to the terminal before it stops, it stops for that.
        assert run.code in ((130, 141) if closed else (130,)), run
        assert "Traceback" not in run.err
        assert not temporary(files(tmp_path))
        assert files(tmp_path).items() <= undisturbed.files.items()
        fault.happened("stops as for SIGTERM; then the same bytes, and nothing else")
        options["step"] = "solving"  # for there may be nothing left to write
    assert server.run(*SOLVE, "--db", tmp_path).code == 0
    assert files(tmp_path) == undisturbed.files


@pytest.mark.fault(
    "interruption",
    "nobody reads stderr or stdout any more, as where the output goes to 'head'",
    promise="stops with exit code 141 at the next line that it would write; " + NOTHING_LEFT,
)
@pytest.mark.parametrize(("closed", "whole"), [("stderr", False), ("stdout", True)])
def test_nobody_reads_what_it_says(
    server: ForkServer,
    undisturbed: Undisturbed,
    tmp_path: Path,
    fault: Fault,
    closed: str,
    whole: bool,
) -> None:
    for number, step in enumerate(["starting", "solving", "compressing", "renaming"]):
        database = tmp_path / str(number)
        run = server.run(*SOLVE, "--db", database, step=step, closed=closed)
        assert run.reached
        assert run.code == 141, run
        assert "Traceback" not in run.err
        found = files(database)
        assert (found == undisturbed.files) or not whole
        assert not temporary(found)
        assert found.items() <= undisturbed.files.items()
        assert server.run(*SOLVE, "--db", database).code == 0
        assert files(database) == undisturbed.files
        fault.happened("exit code 141; then the same bytes, and nothing else")


@pytest.mark.fault(
    "interruption", "stopped and continued (SIGSTOP, SIGCONT)", promise="goes on; the same bytes"
)
@pytest.mark.parametrize("step", STEPS)
def test_stopped_and_continued(
    server: ForkServer, undisturbed: Undisturbed, tmp_path: Path, fault: Fault, step: str
) -> None:
    run = server.run(*SOLVE, "--db", tmp_path, step=step, signals=[signal.SIGSTOP], delay=0.001)
    assert (run.code, run.reached) == (0, True), run
    assert files(tmp_path) == undisturbed.files
    fault.happened("goes on; the same bytes")


COMPILES = """
import os, signal, sys
from solver.kernels.check import count_bits
original, left = os.replace, [int(sys.argv[1])]
def replace(*paths):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    original(*paths)
os.replace = replace
print(count_bits(0b1011), sum(count_bits.stats.cache_hits.values()))
from solver.codefolder import clear_away
from solver.kernels import CODE
clear_away(CODE.folder)
"""


@pytest.mark.fault(
    "interruption",
    "killed while compiled code is being kept for later runs",
    promise="later runs compile again what is missing; what was left is removed when it is old",
)
def test_killed_while_compiled_code_is_written(tmp_path: Path, fault: Fault) -> None:
    def run(number: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", COMPILES, str(number)],
            env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
        )

    assert run(1).returncode == -signal.SIGKILL
    (left,) = tmp_path.rglob("*.tmp-*")
    os.utime(left, (0, 0))
    done = run(0)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 0\n", "")
    assert not list(tmp_path.rglob("*.tmp-*"))
    assert run(0).stdout == "3 1\n"
    fault.happened("compiled again and kept; nothing left")


FRAGILE = """
import os, signal, sys, threading, time
from solver.cli.signals import keep_to_the_end, terminated_like_interrupted
WORK = '''
def work():
    os.kill(os.getpid(), signal.SIGINT)
    if waits:
        lock.acquire()  # for ever
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    done.append("all of it")
'''
signal.signal(signal.SIGINT, signal.default_int_handler)
done, lock, waits = [], threading.Lock(), sys.argv[1] == "waits"
lock.acquire()
keep_to_the_end()
threads = globals() | {"__name__": "threading"}
exec(WORK, threads)
try:
    with terminated_like_interrupted():
        threads["work"]()
        time.sleep(10)
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGTERM)  # another one, while it says what it did
    print("interrupted", *done)
"""


@pytest.mark.fault(
    "interruption",
    "a signal amid code that would never give back a lock if it were interrupted",
    promise="interrupted when that code has ended, or at once if it only waits; never a hang",
)
@pytest.mark.parametrize(("how", "said"), [("works", "all of it"), ("waits", "")])
def test_interrupted_where_a_lock_could_be_lost(how: str, said: str, fault: Fault) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FRAGILE, how],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout.strip()) == (0, f"interrupted {said}".strip()), run
    fault.happened("interrupted, and no lock lost")


# -- what else writes -----------------------------------------------------------------------------


class Work(NamedTuple):
    """A command that writes.

    Attributes:
        name: of what it does, for the list.
        command: its arguments, given a folder that holds tables.
        steps: where it is killed.
    """

    name: str
    command: Callable[[Path], list[object]]
    steps: list[str]


OTHER_WORK = [
    Work(
        "morris verify --full",
        lambda folder: ["verify", "five", "--full", "--db", folder],
        ["checking", "renaming"],
    ),
    Work(
        "morris pack --wdl",
        lambda folder: ["pack", "five", "--wdl", "--db", folder],
        ["deriving", "compressing", "renaming"],
    ),
    Work(
        "morris export",
        lambda folder: [
            "export", "4-4", "--variant", "five", "--db", folder,
            "--output", folder / "out.npy", "--force",
        ],
        ["gathering rows", "renaming"],
    ),
    Work(
        "morris render --output",
        lambda folder: ["render", "w:W:B:H9,9", "--output", folder / "start.svg"],
        ["renaming"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(
            work,
            marks=pytest.mark.fault(
                "interruption",
                f"{work.name} interrupted (SIGINT, SIGTERM) or killed (SIGKILL) at every step",
                promise="files with their names are whole; the same command makes the same bytes"
                " and removes what was left",
            ),
            id=work.name,
        )
        for work in OTHER_WORK
    ],
)
def test_what_else_writes_is_killed(
    server: ForkServer, undisturbed: Undisturbed, tmp_path: Path, fault: Fault, work: Work
) -> None:
    begin = tmp_path / "begin"
    assert server.run(*SOLVE, "--db", begin).code == 0
    done = tmp_path / "done"
    shutil.copytree(begin, done)
    whole = server.run(*work.command(done))
    assert whole.code == 0, whole
    expected = files(done)
    assert len(expected) > len(undisturbed.files)
    chance = random.Random(work.name)
    for step in work.steps:
        killed = tmp_path / step
        shutil.copytree(begin, killed)
        for number in (*SIGNALS, signal.SIGKILL):
            nth = chance.randint(1, whole.steps[step])
            run = server.run(*work.command(killed), step=step, number=nth, signals=[number])
            found = files(killed)
            assert named(found).items() <= expected.items()
            if run.reached:
                check_stopped(run, number, done=named(found) == expected)
                assert number == signal.SIGKILL or not temporary(found)
            else:  # less was left to do
                assert run.code == 0
            fault.happened("files with their names are whole; then the same bytes, nothing else")
        again = server.run(*work.command(killed))
        assert again.code == 0, again
        assert files(killed) == expected
