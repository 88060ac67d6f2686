"""Tables of the naive solver of the family in the package's numbering of slots."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import naive_family
import numpy as np
from strategies import game_of

from solver.boards import BOARDS, apply_automorphism
from solver.rules import Rules
from solver.sectors import Sector, closure, solving_order

Tables = dict[Sector, np.ndarray]


@cache
def dense_tables(rules: Rules, sectors: tuple[Sector, ...]) -> dict[Sector, np.ndarray]:
    """The naive tables of some sectors and all they need, by the numbers of both sides' sets."""
    order = [s for unit in solving_order(rules, closure(rules, sectors)) for s in unit.sectors]
    solved = naive_family.solve_sectors(game_of(rules), [tuple(sector) for sector in order])
    return {Sector(*key): table for key, table in solved.items()}


@cache
def canonical_sets(board: str, size: int) -> np.ndarray:
    """The smallest image of every orbit, ascending, found one set after the other."""
    automorphisms = BOARDS[board].automorphisms
    masks = naive_family.sets(board, size).tolist()
    return np.array(
        [m for m in masks if all(apply_automorphism(a, m) >= m for a in automorphisms)],
        dtype=np.int64,
    )


def by_slot(rules: Rules, sector: Sector, table: np.ndarray) -> np.ndarray:
    """A dense table by slot: orbits of the major set times minor sets; words."""
    if sector.moving or rules.place_or_slide:
        mover_is_major = (sector.mover, sector.mover_hand) >= (sector[1], sector[3])
    else:
        mover_is_major = sector.mover_hand == sector.opponent_hand
    major_size, minor_size = sector[:2] if mover_is_major else sector[1::-1]
    points, board = rules.board.size, rules.board.name
    majors = canonical_sets(board, major_size)
    # Minor sets on the frame of free points, ascending; the i-th free point holds bit i.
    frames = np.array([[p for p in range(points) if not m >> p & 1] for m in majors.tolist()])
    all_sets = naive_family.sets(board, minor_size)
    compressed = all_sets[all_sets < 1 << (points - major_size)]
    minors = np.zeros((len(majors), len(compressed)), dtype=np.int64)
    for i in range(points - major_size):
        minors |= (compressed >> i & 1)[None, :] << frames[:, i, None]
    major_rows = np.searchsorted(naive_family.sets(board, major_size), majors)[:, None]
    minor_rows = np.searchsorted(all_sets, minors)
    rows = (major_rows, minor_rows) if mover_is_major else (minor_rows, major_rows)
    return table[rows].ravel()


def as_bytes(words: np.ndarray) -> np.ndarray:
    """Entries as a table of bytes has them."""
    assert not np.any((words > 252) & (words < naive_family.VOID))
    return np.where(words >= naive_family.VOID, words - 65280, words).astype(np.uint8)


def tables_by_slot(rules: Rules, sectors: Iterable[Sector]) -> Tables:
    """The tables of some sectors and all they need, by slot; bytes."""
    dense = dense_tables(rules, tuple(sectors))
    return {s: as_bytes(by_slot(rules, s, table)) for s, table in dense.items()}
