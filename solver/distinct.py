"""The distinct positions of a sector, as masks, for many slots at once.

Of the slots of a sector some hold a position that cannot be (*void* ones), and some hold an image
of a position that an earlier slot of the same block holds: where the major set has symmetries. A
position is *distinct* if its minor set is the smallest of its images under those; every set of
symmetric positions has just one, and headers count these. Each stands for as many positions as it
has images on the board: its *weight*.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.images import images
from solver.index import layout, subsets
from solver.laws import void_rows
from solver.rules import Rules
from solver.sectors import Sector

__all__ = ["CHUNK_SLOTS", "Distinct", "Positions", "fill_any"]

Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

CHUNK_SLOTS: Final = 1 << 18
"""Slots that are worked on together, if a block has no more: some 10 MB of masks and flags."""


class Positions(NamedTuple):
    """Distinct positions in the order of their slots; all of shape (n,).

    Attributes:
        slots: where a table has them.
        movers, opponents: masks.
        weights: positions that each stands for, itself included; int8, as boards have few images.
    """

    slots: Ints
    movers: Masks
    opponents: Masks
    weights: npt.NDArray[np.int8]


class Distinct:
    """What tells the distinct positions of a sector from its slots.

    Attributes:
        layout: the numbering of the slots.
    """

    def __init__(self, rules: Rules, sector: Sector) -> None:
        self.layout = layout(rules, sector)
        board = rules.board
        sets = self.layout.major_sets
        numbers = range(1, len(board.automorphisms))
        self._order = len(board.automorphisms)
        self._fixing = {number: images(board, number, sets) == sets for number in numbers}
        self._members = _members(subsets(self.layout.free, self.layout.minor_size))
        sides = void_rows(rules, placing=not sector.moving)
        self._major_void, self._minor_void = sides if self.layout.mover_is_major else sides[::-1]

    @property
    def blocks_at_once(self) -> int:
        """How many blocks to ask :meth:`of_blocks` for."""
        return max(1, CHUNK_SLOTS // self.layout.block)

    def of_blocks(self, first: int, stop: int) -> Positions:
        """Return the distinct positions of the blocks from `first` up to before `stop`."""
        numbering = self.layout
        majors = numbering.major_sets[first:stop]
        bits = _frame_bits(numbering.board.full_mask & ~majors, numbering.free)
        minors = np.zeros((len(majors), numbering.block), dtype=np.int32)
        for members in self._members:
            minors |= bits.take(members, axis=1)
        kept, weights = self._thin(np.arange(first, stop), minors)
        kept &= ~fill_any(majors, self._major_void)[:, None]
        wide = np.broadcast_to(majors.astype(np.int32)[:, None], minors.shape)
        inside = np.flatnonzero(kept)
        if len(inside) == kept.size:  # as in most blocks of a large sector
            return self._sides(
                inside + first * numbering.block, wide.ravel(), minors.ravel(), weights.ravel()
            )
        return self._sides(
            inside + first * numbering.block, wide[kept], minors[kept], weights[kept]
        )

    def of_slots(self, slots: Ints) -> Positions:
        """Return the distinct positions among those of some slots, given in ascending order."""
        numbering = self.layout
        orbits, ranks = np.divmod(slots, numbering.block)
        majors = numbering.major_sets[orbits]
        bits = _frame_bits(numbering.board.full_mask & ~majors, numbering.free)
        minors = np.zeros(len(slots), dtype=np.int32)
        rows = np.arange(len(slots))
        for members in self._members:
            minors |= bits[rows, members[ranks]]
        kept, weights = self._thin(orbits, minors)
        kept &= ~fill_any(majors, self._major_void)
        return self._sides(slots[kept], majors[kept].astype(np.int32), minors[kept], weights[kept])

    def _sides(
        self, slots: Ints, majors: Masks, minors: Masks, weights: npt.NDArray[np.int8]
    ) -> Positions:
        """Return positions, given the sides by their part in the numbering."""
        movers, opponents = (majors, minors) if self.layout.mover_is_major else (minors, majors)
        return Positions(slots, movers, opponents, weights)

    def _thin(self, orbits: Ints, minors: Masks) -> tuple[Flags, npt.NDArray[np.int8]]:
        """Return which minor sets are those of distinct positions, and the weights.

        Args:
            orbits: numbers of the major sets.
            minors: for each of them a minor set, or a row of minor sets.

        Returns:
            Two arrays of the shape of `minors`. The first knows nothing of void major sets.
        """
        kept = ~fill_any(minors, self._minor_void)
        fixed = np.ones(minors.shape, dtype=np.int8)
        for number, fixing in self._fixing.items():
            rows = np.flatnonzero(fixing[orbits])
            if len(rows):
                some = minors[rows].astype(np.int64)
                turned = images(self.layout.board, number, some)
                kept[rows] &= turned >= some
                fixed[rows] += turned == some
        return kept, np.int8(self._order) // fixed


def _members(patterns: Ints) -> list[Ints]:
    """Return the points of sets that have as many, an array by set for the first point and so on.

    Args:
        patterns: the sets, shape (n,), at least one.
    """
    left = patterns.copy()
    members = []
    for _ in range(int(patterns[0]).bit_count()):
        low = left & -left
        left ^= low
        members.append(np.bitwise_count(low - 1).astype(np.int64))
    return members


def _frame_bits(frames: Ints, points: int) -> Masks:
    """Return the points of each frame as masks of one bit, ascending, shape (frames, points)."""
    left = frames.astype(np.int32)
    bits = np.empty((len(left), points), dtype=np.int32)
    for number in range(points):
        bits[:, number] = left & -left
        left &= left - 1
    return bits


def fill_any(masks: Ints | Masks, rows: tuple[int, ...]) -> Flags:
    """Return which sets fill one of some rows; of the shape of `masks`."""
    filled = np.zeros(masks.shape, dtype=np.bool_)
    for row in rows:
        filled |= masks & row == row
    return filled
