"""Packages that only a part of the program needs: what is said where they are missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from solver.errors import UsageError
from solver.extras import MissingPackageError, import_extra

ROOT = Path(__file__).parents[1]


def test_a_package_that_is_there() -> None:
    assert import_extra("json.decoder", "json", "this").JSONDecoder


def test_a_package_that_is_missing() -> None:
    with pytest.raises(MissingPackageError) as caught:
        import_extra("no_such_package.part", "part", "taking apart")
    assert str(caught.value) == (
        "taking apart needs the Python package no_such_package, which is not installed; install it"
        " with: pip install 'morris-solver[part]'"
    )
    assert isinstance(caught.value, UsageError)
    assert isinstance(caught.value, ImportError)


def test_a_package_that_lacks_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_a_package.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package") as caught:
        import_extra("half_a_package", "half", "this")
    assert not isinstance(caught.value, MissingPackageError)


def test_openspiel_is_only_needed_for_a_bot(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["pyspiel"] = None
from solver import open_tablebase
from solver.adapters.openspiel import Oracle, PerfectBot, PerfectEvaluator
tablebase = open_tablebase(sys.argv[1])
Oracle(tablebase), PerfectEvaluator(tablebase)
try:
    PerfectBot(tablebase)
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (
        "a bot for OpenSpiel needs the Python package pyspiel, which is not installed; install it"
        " with: pip install 'morris-solver[openspiel]'\n"
    )
