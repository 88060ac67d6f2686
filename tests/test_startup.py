"""Commands come at once: what they must not import, and how long they take."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUERY = ["query", "w:Wa4,d5,d6:Ba7,b4,c4,g4"]

# On a quiet machine a query takes 0.25 s and help 0.1 s. The limits are for processor time, as
# other tests run at the same time, and leave room for a slower machine.
QUERY_SECONDS = 1.0
HELP_SECONDS = 0.4

ASKING = ["query", "line", "analyse", "play", "engine", "puzzles", "longest", "export", "render"]
"""Commands that read tables, and whose help need not."""


def imported_by(*arguments: str) -> set[str]:
    """The modules that a run of ``morris`` imports."""
    code = (
        "import sys; from solver.cli import run; code = run(sys.argv[1:]);"
        "print(*sys.modules, sep='\\n', file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        *([name, "--help"] for name in ASKING),
        ["render", "w:W:B:H9,9"],
        ["variants"],
        ["perft", "nine", "2"],
    ],
    ids=" ".join,
)
def test_no_numpy_where_no_table_is_read(arguments: list[str]) -> None:
    assert not {"numpy", "numba", "rich", "zstandard"} & imported_by(*arguments)


@pytest.mark.parametrize("name", ["solve", "plan", "verify", "bench", "warmup"])
def test_help_of_a_command_that_solves_does_not_compile(name: str) -> None:
    assert not {"numba", "rich"} & imported_by(name, "--help")


@pytest.mark.parametrize("name", ["query", "line"])
def test_a_question_is_answered_without_numba(database: Path, name: str) -> None:
    modules = imported_by(name, QUERY[1], "--db", str(database))
    assert "numpy" in modules
    assert not {"numba", "llvmlite", "rich", "solver.solve"} & modules


def test_stats_are_given_without_numba(database: Path) -> None:
    assert not {"numba", "rich"} & imported_by("stats", "nine", "--db", str(database))


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, solver; print(*(m for m in sys.modules if m.startswith('solver')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["solver"]


def processor_seconds(*arguments: str) -> float:
    """The least processor time of three runs of ``morris``."""
    least = float("inf")
    for _ in range(3):
        before = os.times()
        subprocess.run(
            [sys.executable, "-c", "from solver.cli import main; main()", *arguments],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
        used = after.children_user + after.children_system
        least = min(least, used - before.children_user - before.children_system)
    return least


@pytest.mark.skipif(os.name != "posix", reason="times of child processes are not counted")
def test_a_query_is_quick(database: Path) -> None:
    assert processor_seconds(*QUERY, "--db", str(database)) < QUERY_SECONDS


@pytest.mark.skipif(os.name != "posix", reason="times of child processes are not counted")
def test_help_is_quick() -> None:
    assert processor_seconds("--help") < HELP_SECONDS


def test_the_orbits_of_nine_stones_are_found_quickly() -> None:
    from solver import index
    from solver.boards import BOARDS

    index.orbits.cache_clear()
    before = time.process_time()
    assert len(index.orbits(BOARDS["merels24"], 9)) == 82880
    assert time.process_time() - before < 0.5
