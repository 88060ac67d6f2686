"""``morris warmup`` compiles all that solving needs."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from conftest import Morris

from solver import kernels
from solver.parallel import Workers
from solver.rules import get_variant
from solver.sectors import parse_sector, slots, unit_of
from solver.solve import solve_unit

NINE = get_variant("nine")


def compiled() -> dict[str, set[str]]:
    """The signatures that machine code was made for, by kernel."""
    found = {}
    for module in pkgutil.iter_modules(kernels.__path__, f"{kernels.__name__}."):
        for name, value in vars(import_module(module.name)).items():
            if hasattr(value, "nopython_signatures"):
                found[f"{module.name}.{name}"] = set(map(str, value.nopython_signatures))
    return found


def test_warmup_says_how_long_it_took_and_where_the_code_is(morris: Morris) -> None:
    record = morris("warmup", "--json").json
    assert list(record) == ["seconds", "cache"]
    assert record["seconds"] > 0
    assert Path(record["cache"]).is_dir()
    assert morris("warmup").out.startswith("Ready after ")


def test_code_that_cannot_be_kept(morris: Morris, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.CODE, "folder", None)
    assert morris("warmup", "--json").json["cache"] is None
    out = morris("warmup").out
    assert out.endswith(
        "; compiled code cannot be kept anywhere, so every run has to compile again\n"
    )


def test_without_the_compiler(morris: Morris, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    message = morris("warmup").refused(2)
    assert message == "NUMBA_DISABLE_JIT is set, so there is nothing to compile"


def test_nothing_is_left_to_compile(morris: Morris) -> None:
    morris("warmup")
    before = compiled()
    # Equal and unequal sides, few stones and so many that sets fit narrower numbers, placing.
    for text in ("4-4", "5-3", "3-4+1-1", "4-3+1-0", "4-3+1-1", "8-1+2-1"):
        with Workers(1) as workers:
            solve_unit(
                NINE,
                unit_of(NINE, parse_sector(text)),
                lambda sector: np.full(slots(NINE, sector), 255, np.uint8),
                workers,
            )
    assert compiled() == before
