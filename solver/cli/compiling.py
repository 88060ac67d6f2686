"""Compiling the solving code before the first unit, where no earlier run has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solver.boards import BOARDS
from solver.rules import Rules
from solver.sectors import sectors_up_to, solving_order, wanted_sectors

if TYPE_CHECKING:
    from solver.sectors import Sector, Unit
    from solver.widths import Stored

__all__ = ["compile_first", "is_compiled", "remove_unfinished"]

_INDEX: Final = {True: "spread.*.nbi", False: "place.*.nbi"}
"""What the cache has files of once moving (True) or placing sectors have been solved."""
_UNFINISHED_SECONDS: Final = 3600


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
    remove_unfinished()
    _solve_the_smallest(placing=False in kinds)
    if not all(is_compiled(moving) for moving in kinds):
        say(f"compiled code cannot be kept in {_cache()}, so every run has to compile again")


def remove_unfinished() -> None:
    """Remove what runs that were killed while they wrote compiled code have left in the cache.

    Writing takes no time, so what is an hour old is being written by nobody.
    """
    for path in _cache().rglob("*.tmp.*"):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > _UNFINISHED_SECONDS:
                path.unlink()


def is_compiled(moving: bool) -> bool:
    """Return whether the cache has the code that solves moving or placing sectors."""
    return any(_cache().rglob(_INDEX[moving]))


def _cache() -> Path:
    """Return where Numba keeps compiled code."""
    import numba

    import solver.kernels  # noqa: F401 - says where

    return Path(str(numba.config.CACHE_DIR))


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
