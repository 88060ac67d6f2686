"""``morris warmup``: compile the solving and checking code ahead of time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from solver.boards import BOARDS
from solver.cli.common import json_option
from solver.cli.formats import emit_json, format_duration
from solver.codefolder import clear_away
from solver.errors import UsageError
from solver.escape import one_line
from solver.rules import Rules
from solver.sectors import Sector, Unit, sectors_up_to, solving_order, wanted_sectors

if TYPE_CHECKING:
    from solver.widths import Stored

__all__ = ["warmup"]


@click.command()
@json_option
def warmup(as_json: bool) -> None:
    """Compile the code that solves and checks, so that nothing waits for it later.

    It is kept in the user's cache folder and compiled again only when the program, Numba or
    Python changes; what earlier versions have kept there and not used for a month is removed.
    Without this command the first solve and the first check compile it.
    """
    started = time.perf_counter()
    import numba  # takes its time as well

    from solver.kernels import CODE

    if numba.config.DISABLE_JIT:
        raise UsageError("NUMBA_DISABLE_JIT is set, so there is nothing to compile")
    for rules, units in _smallest():
        tables: dict[Sector, Stored] = {}
        for unit in units:
            _solve_and_check(rules, unit, tables)
    if CODE.folder is not None:
        clear_away(CODE.folder)
    seconds = time.perf_counter() - started
    if as_json:
        cache = None if CODE.folder is None else str(CODE.folder)
        emit_json({"seconds": round(seconds, 3), "cache": cache})
        return
    ready = f"Ready after {format_duration(seconds)}; compiled code"
    if CODE.folder is None:
        click.echo(f"{ready} cannot be kept anywhere, so every run has to compile again")
    else:
        click.echo(f"{ready} is in {one_line(str(CODE.folder))}")


def _smallest() -> Iterator[tuple[Rules, list[Unit]]]:
    """Yield small units that use all of the code, in solving order.

    Moving units with equal sides and unequal ones, and on the small board a whole game, placing
    included. On a small board sets of points are held in narrower numbers, by other machine code;
    so they are on a large board with many stones.
    """
    large = Rules(name="warmup", board=BOARDS["merels24"], stones=4)
    yield large, solving_order(large, sectors_up_to(large, 7))
    small = Rules(name="warmup", board=BOARDS["merels16"], stones=4)
    yield small, solving_order(small, wanted_sectors(small))


def _solve_and_check(rules: Rules, unit: Unit, tables: dict[Sector, Stored]) -> None:
    """Solve a unit in memory, add its tables to `tables` and check them."""
    import numpy as np

    from solver.certificate import check_sample, check_sector
    from solver.parallel import Workers
    from solver.solve import solve_unit

    with Workers(1) as workers:
        for solved in solve_unit(rules, unit, tables.__getitem__, workers):
            tables[solved.sector] = solved.stored
    first = np.zeros(1, dtype=np.int64)
    for sector in unit.sectors:
        check_sector(rules, sector, tables)
        check_sample(rules, sector, lambda other, slots: tables[other][slots], first)
