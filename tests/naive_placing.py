"""The naive twin of the placing phase: one look at every position, and every set on its own.

Masks, sets and tables are those of :mod:`naive`.  The key of a table is the sector: the mover's and
the opponent's stones on the board, then in hand; without hands it is the two first numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import naive
import numba
import numpy as np
from naive import Tables

Counts = tuple[int, int, int, int]


@cache
def placements_of(board: str, size: int) -> np.ndarray:
    """All placements onto each set of stones, in the form of `naive.moves_of`."""
    points = range(len(naive.POINTS[board]))
    number = {int(mask): i for i, mask in enumerate(naive.sets(board, size + 1))}
    rows = []
    for mask in naive.sets(board, size).tolist():
        row = []
        for end in points:
            if not mask >> end & 1:
                after = mask | 1 << end
                row.append((1 << end, number[after], naive.mills_of(board, after) >> end & 1))
        rows.append(row)
    return np.array(rows, dtype=np.int32)


@numba.njit(cache=True)
def look_everywhere(table, opponents, placements, captures, quiet, capture):
    """Set every value of a placing sector; see `naive.look`."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if table[i, j] != naive.VOID:
                table[i, j] = naive.look(i, j, opponents[j], placements, captures, quiet, capture)


def solve_sector(board: str, all_in_mills_any: bool, sector: Counts, solved: Tables) -> np.ndarray:
    """Solve a sector whose mover places.

    Args:
        board: a name in `naive.POINTS`.
        all_in_mills_any: when all enemy stones stand in mills any may go, otherwise none.
        sector: the mover's and the opponent's stones on the board, then in hand.
        solved: tables of sectors solved before; needed are those after a placement with and
            without a capture, as far as nobody has lost there.
    """
    mover, opponent, mover_hand, opponent_hand = sector
    hands = (opponent_hand, mover_hand - 1) if opponent_hand or mover_hand > 1 else ()
    quiet = solved[(opponent, mover + 1, *hands)]
    capture = np.zeros((0, 0), dtype=np.uint8)
    if opponent > 0 and opponent + opponent_hand > 3:
        capture = solved[(opponent - 1, mover + 1, *hands)]
    own, other = naive.sets(board, mover), naive.sets(board, opponent)
    apart = (own[:, None] & other[None, :]) == 0
    table = np.where(apart, naive.DRAW, naive.VOID).astype(np.uint8)
    look_everywhere(
        table,
        other,
        placements_of(board, mover),
        naive.captures_of(board, opponent, all_in_mills_any),
        quiet,
        capture,
    )
    return table


def solve_sectors(
    board: str, all_in_mills_any: bool, sectors: Iterable[Counts], moving: Tables
) -> Tables:
    """Solve placing sectors in the order given; their tables and the moving ones given."""
    solved = dict(moving)
    for sector in sectors:
        solved[tuple(sector)] = solve_sector(board, all_in_mills_any, sector, solved)
    return solved
