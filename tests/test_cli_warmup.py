"""``morris warmup`` compiles all that solving needs."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
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
