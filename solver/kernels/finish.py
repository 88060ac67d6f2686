"""From working tables to stored bytes and counts."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import trailing_zeros
from solver.kernels.mirror import expanded
from solver.kernels.sets import image_of
from solver.kernels.values import DRAW


@kernel
def store(first, last, block, depth, open_moves, out):  # type: ignore[no-untyped-def]
    """Write the stored bytes of blocks `first` to `last`: final depths, and draws for the rest.

    Args:
        first, last: range of blocks.
        block: slots per block.
        depth, open_moves: working tables, one row per block.
        out: stored bytes by (block, rank).
    """
    for x in range(first, last):
        for r in range(block):
            value = depth[x, r]
            settled = (value & 1) != 0 or open_moves[x, r] == 0
            out[x, r] = value if settled else np.uint8(DRAW)


@kernel
def count_symmetric(first, last, board, orbits, patterns, stored, distinct):  # type: ignore[no-untyped-def]
    """Count, by stored byte, the distinct positions of the blocks whose set has symmetries.

    A position counts once: where its minor set is the smallest image under the symmetries.

    Args:
        first, last: range of blocks.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the major sets.
        patterns: minor sets by rank.
        stored: stored bytes by (block, rank).
        distinct: 256 counts, added to.
    """
    full = (1 << board.points) - 1
    frame_points = np.zeros(board.points, dtype=np.int64)
    for x in range(first, last):
        group = orbits.stabiliser[x]
        if group == 1:
            continue
        rest = full & ~orbits.masks[x]
        number = 0
        while rest != 0:
            frame_points[number] = trailing_zeros(rest)
            rest &= rest - 1
            number += 1
        for r in range(len(patterns)):
            minor = expanded(np.int64(patterns[r]), frame_points)
            smallest = True
            others = group & ~1
            while others != 0:
                g = trailing_zeros(others)
                others &= others - 1
                if image_of(minor, board.automorphisms[g]) < minor:
                    smallest = False
                    break
            if smallest:
                distinct[stored[x, r]] += 1
