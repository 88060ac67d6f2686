"""Compiling the solving code before the first unit, where no earlier run has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from solver.boards import BOARDS
from solver.codefolder import SUFFIX, clear_away
from solver.rules import Rules
from solver.sectors import sectors_up_to, solving_order, wanted_sectors

if TYPE_CHECKING:
    from pathlib import Path

    from solver.sectors import Sector, Unit
    from solver.widths import Stored

__all__ = ["compile_first", "is_compiled", "load_first"]

_MODULE: Final = {True: "spread", False: "place"}
"""What there is code of once moving (True) or placing sectors have been solved."""


def compile_first(units: Iterable[Unit], say: Callable[[str], None]) -> None:
    """Compile what solving some units takes, unless it is in the cache; say that it takes time.

    Args:
        units: what is to be solved.
        say: called with a line for the user.
    """
    kinds = {unit.sectors[0].moving for unit in units}
    if not kinds or all(is_compiled(moving) for moving in kinds):
        return
    say("compiling, which is done once and takes a minute or two")
    _solve_the_smallest(placing=False in kinds)
    folder = _folder()
    if not all(is_compiled(moving) for moving in kinds):
        where = "anywhere" if folder is None else f"in {folder}"
        say(f"compiled code cannot be kept {where}, so every run has to compile again")
    if folder is not None:
        clear_away(folder)  # of an earlier version of the program there may be some


def load_first(units: Iterable[Unit], say: Callable[[str], None]) -> None:
    """Load the code that solving some units takes, so that the first of them is not kept waiting.

    Args:
        units: what is to be solved.
        say: called with a line for the user if it has to be compiled.
    """
    units = list(units)
    compile_first(units, say)
    if units:
        _solve_the_smallest(placing=any(not unit.sectors[0].moving for unit in units))


def is_compiled(moving: bool) -> bool:
    """Return whether there is code that solves moving or placing sectors, or no need of any."""
    import numba

    if numba.config.DISABLE_JIT:
        return True
    folder = _folder()
    return folder is not None and any(folder.glob(f"{_MODULE[moving]}.*{SUFFIX}"))


def _folder() -> Path | None:
    """Return where compiled code is kept."""
    from solver.kernels import CODE  # brings Numba, which takes its time

    return CODE.folder


def _solve_the_smallest(placing: bool) -> None:
    """Solve in memory what is small and uses all of the code."""
    from solver.parallel import Workers
    from solver.solve import solve_unit

    # On the small board sets of points are held in narrower numbers, by other machine code; so
    # they are on the large one with many stones.
    for board, stones in (("merels24", 7), ("merels16", 8)):
        rules = Rules(name="compiling", board=BOARDS[board], stones=4)
        whole = placing and board == "merels16"
        sectors = wanted_sectors(rules) if whole else sectors_up_to(rules, stones)
        tables: dict[Sector, Stored] = {}
        with Workers(1) as workers:
            for unit in solving_order(rules, sectors):
                for solved in solve_unit(rules, unit, tables.__getitem__, workers):
                    tables[solved.sector] = solved.stored
