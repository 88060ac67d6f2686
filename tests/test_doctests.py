"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from conftest import solved_once
from strategies import NINE

from solver.position import Position
from solver.tablebase import open_tablebase

PACKAGE = Path(__file__).parents[1] / "solver"


def with_examples() -> list[str]:
    """Every module that has examples."""
    return sorted(
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
        if ">>> " in path.read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that examples are about."""
    return solved_once(tmp_path_factory, 8)


@pytest.mark.parametrize("name", with_examples())
def test_examples_print_what_they_show(
    name: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MORRIS_DB", str(database))
    with open_tablebase() as tablebase:
        known = {
            "nine": NINE,
            "position": Position.parse(NINE, "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"),
            "tablebase": tablebase,
        }
        result = doctest.testmod(import_module(name), extraglobs=known)
    assert result.attempted
    assert not result.failed


def test_the_public_api_has_examples() -> None:
    assert {"solver", "solver.game", "solver.record", "solver.tablebase"} <= set(with_examples())
