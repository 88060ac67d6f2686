"""From working tables to stored bytes and counts."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import scatter_bits
from solver.kernels.sets import is_smallest

_HIGHS = np.uint64(0x8080808080808080)
_LOWS = np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVEN = np.uint64(7)


@kernel
def mark_draws(first, last, depth, open_moves):  # type: ignore[no-untyped-def]
    """Turn depths into stored bytes, in place: what is neither won nor lost becomes a draw.

    A slot is won if its depth is odd and lost if no move is open.  Eight slots are done at a time,
    in words the compiler can put into vectors.

    Args:
        first, last: range of rows.
        depth, open_moves: working tables seen as 64-bit words, one row per block.
    """
    for x in range(first, last):
        values = depth[x]
        left = open_moves[x]
        for number in range(len(values)):
            v = values[number]
            w = left[number]
            none_left = ~(((w & _LOWS) + _LOWS) | w | _LOWS)
            settled = (none_left | (v << _SEVEN)) & _HIGHS
            # 0x80 to 0xff and 0 to 0, byte by byte.
            settled |= settled - (settled >> _SEVEN)
            values[number] = v | ~settled


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
    for x in range(first, last):
        group = orbits.stabiliser[x]
        if group == 1:
            continue
        frame = full & ~orbits.masks[x]
        for r in range(len(patterns)):
            minor = scatter_bits(np.int64(patterns[r]), frame)
            if is_smallest(minor, group, board.automorphisms):
                distinct[stored[x, r]] += 1
