"""``morris engine`` as a program of its own."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Morris

ROOT = Path(__file__).parents[1]
WON = "w:Wa1,d1,g4:Bb2,b4,d6"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes are waited for the POSIX way")


class Program:
    """A running ``morris engine``, spoken to over pipes without any buffer of ours."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "solver", "engine", *map(str, arguments)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._read = b""

    def type(self, *commands: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{command}\n" for command in commands).encode())

    def line(self, seconds: float = 30) -> str:
        """The next line, which must come in time though nothing more is typed."""
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], end - time.monotonic())
            assert ready, f"no line within {seconds} s, but {self._read!r}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the engine has ended"
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def end(self, seconds: float) -> tuple[int, bytes, bytes]:
        """Its exit code, the rest of what it says, and what it says on stderr."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        code = self.process.wait(seconds)
        return code, self._read + self.process.stdout.read(), self.process.stderr.read()

    def close(self) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        self.process.wait()


@pytest.fixture
def program(database: Path) -> Iterator[Program]:
    started = Program("--db", database)
    yield started
    started.close()


def run(text: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "solver", "engine", *map(str, arguments)],
        cwd=ROOT,
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_a_game_over_pipes(program: Program) -> None:
    program.type("uci")
    lines = [program.line()]
    while lines[-1] != "uciok":
        lines.append(program.line())
    assert lines[0].startswith("id name morris-solver ")
    program.type("isready")
    assert program.line() == "readyok"
    program.type(f"position fen {WON}", "go")
    assert " score mate 1 wdl 1000 0 0 dtw 1 pv g4-g1xb2" in program.line()
    assert program.line() == "bestmove g4-g1xb2"
    program.type(f"position fen {WON} moves g4-g1 xb2", "go")
    assert program.line() == "info string The game is over, Black has lost: 2 stones left."
    assert program.line() == "info depth 0 score mate 0 wdl 0 0 1000 dtw 0"
    assert program.line() == "bestmove (none)"
    program.type("quit")
    assert program.end(5) == (0, b"", b"")


def test_it_listens_while_it_counts(program: Program) -> None:
    program.type("isready")
    program.line()
    program.type("go perft 12")
    for _ in range(5):
        program.type("isready")
        assert program.line(2) == "readyok"
    begun = time.monotonic()
    program.type("stop")
    assert program.line(5).startswith("info string perft was stopped: 0 of 24 turns")
    assert time.monotonic() - begun < 1
    program.type("go perft 12")
    time.sleep(0.2)
    begun = time.monotonic()
    program.type("quit")
    code, _, err = program.end(5)
    assert time.monotonic() - begun < 1
    assert (code, err) == (0, b"")


def test_the_end_of_the_input_is_the_end(program: Program) -> None:
    program.type("isready")
    program.line()
    program.type("go perft 12", f"position fen {WON}", "go infinite")
    assert program.process.stdin is not None
    program.process.stdin.close()
    code, out, err = program.end(10)
    assert (code, err) == (0, b"")
    assert out.decode().splitlines()[-1] == "bestmove g4-g1xb2"
    program.process.stdin = subprocess.Popen(["true"], stdin=subprocess.PIPE).stdin


def test_quit_though_nobody_reads(program: Program) -> None:
    program.type("isready")
    program.line()
    # Far more than a pipe holds, by the thread that answers; nobody reads it.
    program.type("setoption name multipv value 1000")
    program.type(*["position startpos", *["go perft 1"] * 900], "quit")
    code, _, err = program.end(20)
    assert (code, err) == (0, b"")


@pytest.mark.parametrize("text", ["isready\nisready\nisready\n", "go\n", "go perft 3\nisready\n"])
def test_a_reader_that_goes_away(database: Path, text: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "solver", "engine", "--db", str(database)],
            cwd=ROOT,
            input=text.encode(),
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_is_told() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is always full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "solver", "engine"],
            cwd=ROOT,
            input=b"uci\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 5
    assert done.stderr == b"Error: no space left on device\n"


@pytest.mark.parametrize(("closed", "code"), [("<&-", 0), (">&-", 141), ("<&- >&- 2>&-", 141)])
def test_closed_streams(closed: str, code: int) -> None:
    command = f"{shlex.quote(sys.executable)} -m solver engine {closed}"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, input=b"uci\n", capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (code, b"")


def test_an_interruption(program: Program) -> None:
    program.type("isready")
    program.line()
    program.type("go perft 12")
    time.sleep(0.2)
    program.process.send_signal(signal.SIGINT)
    assert program.end(5) == (130, b"", b"interrupted\n")


def test_options_of_the_command(database: Path, tmp_path: Path) -> None:
    done = run(
        "d\nuci\n", "--variant", "six", "-r", "stones=4", "--db", tmp_path / "ü", "--db", "b"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nsix -r stones=4: w:W:B:H4,4\n" in done.stdout
    assert f"\noption name Database type string default {tmp_path}/ü:b\n" in done.stdout


def test_wrong_options_are_refused(morris: Morris) -> None:
    assert "no variant is called 'chess'" in morris("engine", "--variant", "chess").refused(2)
    assert "is not a folder" in morris("engine", "--db", __file__).refused(2)
    assert "stones=99 is not a rule" in morris("engine", "-r", "stones=99").refused(2)


def test_nonsense_ends_well(database: Path) -> None:
    noise = bytes(range(256)) * 20 + b"\ngo perft 99999999999999\n" + b"z" * 200_000 + b"\nd\n"
    done = subprocess.run(
        [sys.executable, "-m", "solver", "engine", "--db", str(database)],
        cwd=ROOT,
        input=noise,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"\nWhite to move, 0 stones against 0; in hand 9 against 9.\n")
    assert b"internal error" not in done.stdout


def test_no_compiler_is_loaded(database: Path) -> None:
    code = (
        "import sys; from solver.cli import run; run(['engine', '--db', sys.argv[1]]);"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(database)],
        cwd=ROOT,
        input=f"position fen {WON}\ngo\nposition startpos\ngo\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "bestmove g4-g1xb2\n" in done.stdout
    assert not {"numba", "llvmlite", "rich", "solver.solve"} & set(done.stderr.split())
