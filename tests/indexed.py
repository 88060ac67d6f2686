"""Tables of the naive twin in the package's numbering of slots."""

from __future__ import annotations

from math import comb

import naive
import numpy as np

from solver.boards import BOARDS, apply_automorphism
from solver.sectors import Sector
from solver.widths import BYTE, WORD


def canonical_sets(board: str, size: int) -> np.ndarray:
    """The smallest image of every orbit, ascending, found one set after the other."""
    automorphisms = BOARDS[board].automorphisms
    masks = naive.sets(board, size).tolist()
    return np.array(
        [m for m in masks if all(apply_automorphism(a, m) >= m for a in automorphisms)],
        dtype=np.int64,
    )


def compress(mask: int, onto: int) -> int:
    """Keep the bits of `mask` at the set bits of `onto`, packed together in ascending order."""
    result = 0
    position = 0
    while onto:
        low = onto & -onto
        if mask & low:
            result |= 1 << position
        position += 1
        onto ^= low
    return result


def key_of(sector: Sector) -> tuple[int, ...]:
    """A sector's key in tables of the naive twin."""
    return tuple(sector) if sector.mover_hand else sector[:2]


def indexed(board: str, tables: naive.Tables, sector: Sector) -> np.ndarray:
    """A sector's values by slot: uint8[orbits of the major set * minor sets]."""
    # While stones are placed the first player's side is major; it moves when hands are equal.
    placing = sector.mover_hand > 0
    mover_is_major = (
        sector.mover_hand == sector.opponent_hand if placing else sector.mover >= sector.opponent
    )
    major_size, minor_size = sector[:2] if mover_is_major else sector[1::-1]
    points = len(naive.POINTS[board])
    majors = canonical_sets(board, major_size)
    # Minor sets on the frame of free points, ascending; the i-th free point holds bit i.
    frames = np.array([[p for p in range(points) if not m >> p & 1] for m in majors.tolist()])
    all_sets = naive.sets(board, minor_size)
    compressed = all_sets[all_sets < 1 << (points - major_size)]
    assert len(compressed) == comb(points - major_size, minor_size)
    minors = np.zeros((len(majors), len(compressed)), dtype=np.int64)
    for i in range(points - major_size):
        minors |= (compressed >> i & 1)[None, :] << frames[:, i, None]
    major_rows = np.searchsorted(naive.sets(board, major_size), majors)[:, None]
    minor_rows = np.searchsorted(all_sets, minors)
    table = tables[key_of(sector)]
    if mover_is_major:
        return table[major_rows, minor_rows].ravel()
    return table[minor_rows, major_rows].ravel()


def all_indexed(board: str, tables: naive.Tables) -> dict[Sector, np.ndarray]:
    """Every table of `tables` by slot."""
    return {Sector(*sizes): indexed(board, tables, Sector(*sizes)) for sizes in tables}


def as_words(*entries: int) -> list[int]:
    """Entries of a table of bytes as one of words has them."""
    return [entry if entry < BYTE.void else entry + WORD.void - BYTE.void for entry in entries]
