"""What searches through tables share: what they need, and positions as they are given back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from solver.boards import Board
from solver.errors import UsageError
from solver.images import images
from solver.mining.scanning import Depths
from solver.position import Position
from solver.results import MoveResult, Result, words
from solver.rules import Rules
from solver.sectors import Sector, exits, quiet
from solver.tablebase import Tablebase
from solver.tablefile import TableReader

__all__ = ["Progress", "analyse_again", "canonical_masks", "check_tables", "found_position"]

Ints = npt.NDArray[np.int64]

Progress = Callable[[Sector, int, int], None]
"""Called with a sector, how much of the work on it is done, and all of it."""


def check_tables(tablebase: Tablebase, rules: Rules, sectors: Iterable[Sector]) -> None:
    """Refuse to look into sectors whose moves cannot be looked up.

    Raises:
        MissingTableError: a table of distances of one of them, or of one that a turn there leads
            to, is missing.
    """
    wanted: dict[Sector, None] = {}
    for sector in sectors:
        twin = quiet(rules, sector)
        around = (sector, *([twin] if twin else []), *exits(rules, sector))
        wanted.update(dict.fromkeys(around))
    present = set(tablebase.present(rules, wanted, "dtw"))
    for sector in wanted:
        if sector not in present:
            tablebase.reader(rules, sector, "dtw")  # says what is missing, and what makes it


def canonical_masks(board: Board, movers: Ints, opponents: Ints) -> tuple[Ints, Ints]:
    """Return the smallest image of each position under the board's automorphisms.

    Images are compared by the mover's mask, then by the opponent's.

    Args:
        board: the board.
        movers, opponents: masks, both of shape (n,).

    Returns:
        Masks of the same shape, of mover and opponent.
    """
    least = movers << board.size | opponents
    for number in range(1, len(board.automorphisms)):
        image = images(board, number, movers).astype(np.int64) << board.size
        np.minimum(least, image | images(board, number, opponents), out=least)
    return least >> board.size, least & board.full_mask


def found_position(rules: Rules, sector: Sector, mover: int, opponent: int) -> Position:
    """Return a position of a sector with White to move."""
    return Position(rules, mover, opponent, True, sector.mover_hand, sector.opponent_hand)


def analyse_again(
    tablebase: Tablebase, reader: TableReader, position: Position, slot: int, depths: Depths
) -> tuple[Result, list[MoveResult]]:
    """Return the result and the moves of a position that was found in a slot.

    Raises:
        DamagedTableError: it cannot be, or has another distance than the slot says.
    """
    try:
        result, moves = tablebase.analyse(position)
    except UsageError as error:
        raise reader.damaged(f"slot {slot}", f"has a distance, but {error}") from None
    if result.dtw is None or result.dtw not in depths:
        said = f"{'win' if depths.least % 2 else 'loss'} in {depths.least}"
        if depths.least < depths.most:
            said += f" to {depths.most}"
        raise reader.damaged(
            f"slot {slot}", f"holds a {said}, but the same position {position} is a {words(result)}"
        )
    return result, moves
