"""Kernels whose sources change, and two processes that compile at once, in a real copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faultlist import Fault

ROOT = Path(__file__).parents[2]

# `is_listed` calls a kernel of another module: does a set fill a line through a point?
PROGRAM = """
import numpy as np
from solver.boards import BOARDS
from solver.kernels import turnlists
from solver.majors import board_arrays
board = board_arrays(BOARDS["grid3d"])
rows = np.zeros(0, dtype=np.int64)
def run():
    try:
        return turnlists.is_listed(0b000000111, 0, board, rows, True, False)
    except IndexError:
        return "out of bounds"
answers = [run() for _ in range(2)]
stats = turnlists.is_listed.stats
print(*answers, sum(stats.cache_misses.values()))
"""
FILLED = "False False"
NOT_FILLED = "True True"
COUNT = "for number in range(len(lines)):\n        line = lines[number]\n        found +="


class Copy:
    """A copy of the package, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "solver", folder / "solver", ignore=ignored)

    def start(self, **settings: str) -> subprocess.Popen[str]:
        """Begin to ask the kernel, as a process of its own."""
        own = {"PYTHONPATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")}
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
        }
        return subprocess.Popen(
            [sys.executable, "-B", "-c", PROGRAM],
            cwd=self.folder,
            env=environment | own | settings,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **settings: str) -> tuple[str, bool]:
        """Return what the kernel answers, twice, and whether it was compiled for that."""
        return answer(self.start(**settings))

    def edit(self, module: str, old: str, new: str) -> None:
        path = self.folder / "solver" / "kernels" / f"{module}.py"
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))


def answer(process: subprocess.Popen[str]) -> tuple[str, bool]:
    out, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    said, _, compiled = out.rstrip().rpartition(" ")
    return said, compiled != "0"


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.mark.fault(
    "environment",
    "the source of a kernel that others call is edited",
    promise="the new code runs in those as well; when it is undone, the old code is still there",
)
def test_edited_sources(fault: Fault, copy: Copy) -> None:
    assert copy.ask() == (FILLED, True)
    # The kernel that is called, in another module; that one's own source is as it was.
    copy.edit("sets", COUNT, COUNT.replace("+=", "+= 0 *"))
    assert copy.ask() == (NOT_FILLED, True)
    fault.happened("the new code ran")
    copy.edit("sets", COUNT.replace("+=", "+= 0 *"), COUNT)
    assert copy.ask() == (FILLED, False)
    fault.happened("the old code ran again, without compiling")


@pytest.mark.fault(
    "environment",
    "a kernel that reads past the end of an array",
    promise="noticed where bounds are checked, whatever was compiled without before",
)
def test_a_kernel_that_reads_out_of_bounds(fault: Fault, copy: Copy) -> None:
    copy.edit("sets", COUNT, COUNT.replace("range(len(lines))", "range(len(lines) + 1)"))
    said, compiled = copy.ask()
    assert compiled
    assert "out of bounds" not in said
    said, compiled = copy.ask(NUMBA_BOUNDSCHECK="1")
    assert (said, compiled) == ("out of bounds out of bounds", True)
    fault.happened("noticed")


@pytest.mark.fault(
    "environment",
    "two processes compile the same at once",
    promise="neither disturbs the other, and what they keep is whole",
)
def test_compiling_at_once(fault: Fault, copy: Copy) -> None:
    processes = [copy.start() for _ in range(2)]
    for process in processes:
        assert answer(process)[0] == FILLED
        fault.happened("the right answer")
    assert copy.ask() == (FILLED, False)
    fault.happened("the right answer, by what was kept")
