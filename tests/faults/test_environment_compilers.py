"""The kernels without the compiler, and with the oldest packages and bounds checked."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import numba
import pytest
from faultlist import Fault

from solver.build import build
from solver.rules import get_variant
from solver.sectors import Sector, wanted_sectors

ROOT = Path(__file__).parents[2]

GAMES = ("three", "tic-tac-toe", "six")
WITHOUT = """
import sys
from solver.cli import run
database = sys.argv[1]
for game in sys.argv[2:]:
    which = ["--all"] if game != "six" else ["3-3"]
    codes = [
        run(["solve", game, *which, "--db", database]),
        run(["verify", game, "--full", "--db", database]),
    ]
    if codes != [0, 0]:
        sys.exit(f"{game}: {codes}")
"""
SMALL = ("bits", "kernel_steps")

numba_compiles = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="this is a run without the compiler"
)


def environment(**changes: str) -> dict[str, str]:
    """That of this process, but what speaks of the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return kept | changes


def outcomes(report: Path) -> Counter[str]:
    """How many tests of each module passed; all of those that were run must have."""
    passed: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        assert case.find("failure") is None, case.attrib
        assert case.find("error") is None, case.attrib
        if case.find("skipped") is None:
            passed[case.attrib["classname"]] += 1
    return passed


@numba_compiles
@pytest.mark.fault(
    "environment",
    "no compiler (NUMBA_DISABLE_JIT=1)",
    promise="slower, and the same tables; the tests of small steps and small games pass",
)
def test_games_without_the_compiler(fault: Fault, tmp_path: Path) -> None:
    compiled, interpreted = tmp_path / "compiled", tmp_path / "interpreted"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(interpreted), *GAMES],
        env=environment(NUMBA_DISABLE_JIT="1"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert "compiling" not in done.stderr
    for game in GAMES:
        rules = get_variant(game)
        build(rules, [Sector(3, 3)] if game == "six" else wanted_sectors(rules), compiled)
    tables = sorted(path.relative_to(compiled) for path in compiled.rglob("*.dtw.zst"))
    assert len(tables) == 18
    for table in tables:
        assert (interpreted / table).read_bytes() == (compiled / table).read_bytes(), table
    fault.happened("tables of small games: the same", times=len(tables))


@numba_compiles
@pytest.mark.fault(
    "environment",
    "no compiler (NUMBA_DISABLE_JIT=1)",
    promise="slower, and the same tables; the tests of small steps and small games pass",
)
def test_small_tests_without_the_compiler(fault: Fault, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    modules = [f"tests/test_{name}.py" for name in SMALL]
    # The one test left out is of compiling.
    command = ["-q", "-p", "no:cacheprovider", "--deselect", f"{modules[0]}::{COMPILES}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *command, f"--junitxml={report}", *modules],
        env=environment(NUMBA_DISABLE_JIT="1"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert len(outcomes(report)) == len(SMALL)
    fault.happened("modules of tests: passed", times=len(SMALL))


COMPILES = "test_processors_without_the_instructions"


@numba_compiles
@pytest.mark.slow
@pytest.mark.skipif("NUMBA_BOUNDSCHECK" in os.environ, reason="this is such a run")
@pytest.mark.fault(
    "environment",
    "the oldest versions of Python and all packages, with the bounds of arrays checked in kernels",
    promise="tests of files, commands and small kernels pass; so does the whole suite, as"
    " `scripts/oldest --all` shows",
)
def test_the_oldest_versions(fault: Fault, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = subprocess.run(
        ["scripts/oldest", "-p", "no:cacheprovider", f"--junitxml={report}"],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 75 and "CI" not in os.environ:
        pytest.skip("the packages cannot be had here")
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    fault.happened("modules of tests: passed", times=len(outcomes(report)))
