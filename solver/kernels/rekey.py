"""Re-keying: the same sector with the other side as major.

Needed where the placing phase ends: there the first player's colour is major, while a moving
sector's file has the side with more stones.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount
from solver.kernels.ranks import fill_permutation, half, permuted, rank_of
from solver.kernels.sets import compressed, image_of, list_points


@kernel
def rekey(first, last, board, small, large, patterns, ranks, stored, out):  # type: ignore[no-untyped-def]
    """Fill blocks of the sets in `small` from a table whose blocks are the sets in `large`.

    Args:
        first, last: range of blocks to fill.
        board: :class:`BoardArrays`.
        small: :class:`Orbits` of the side that becomes major.
        large: :class:`Orbits` of the side that is major in `stored`.
        patterns: sets of the other side by rank, in a frame of the side that becomes major.
        ranks: rank tables of the sets of the side that becomes major, in a frame of the other.
        stored: stored bytes by (block of `large`, rank).
        out: stored bytes by (block of `small`, rank), filled.
    """
    images = np.zeros(len(board.automorphisms), dtype=np.int64)
    frame_points = np.zeros(board.points, dtype=np.uint8)
    free = board.points - popcount(small.masks[0])
    width = half(free)
    spread = np.zeros(2 << width, dtype=np.int32)
    places = np.zeros(_AHEAD, dtype=np.int64)
    for x in range(first, last):
        mask = small.masks[x]
        list_points(((1 << board.points) - 1) & ~mask, frame_points)
        for g in range(len(board.automorphisms)):
            images[g] = image_of(mask, board.automorphisms[g])
        fill_permutation(frame_points, free, width, spread)
        rekey_block(board, large, patterns, ranks, stored, images, width, spread, places, out[x])


# Slots looked up together: first all their places, then all their bytes, so that many memory
# accesses are under way at once.
_AHEAD = 64


@step
def rekey_block(board, large, patterns, ranks, stored, images, width, spread, places, out):  # type: ignore[no-untyped-def]
    """Fill one block (see :func:`rekey`)."""
    full = (1 << board.points) - 1
    for begin in range(0, len(patterns), _AHEAD):
        end = min(begin + _AHEAD, len(patterns))
        for r in range(begin, end):
            mask = permuted(np.int64(patterns[np.uint64(r)]), width, spread)
            number = np.uint64(rank_of(mask, large.low, large.high, large.low_bits))
            orbit = np.int64(large.orbit[number])
            image = images[np.uint64(large.automorphism[number])]
            pattern = compressed(image, full & ~large.masks[np.uint64(orbit)])
            within = rank_of(pattern, ranks.low, ranks.high, ranks.low_bits)
            places[np.uint64(r - begin)] = orbit * ranks.total + within
        for r in range(begin, end):
            out[np.uint64(r)] = stored[np.uint64(places[np.uint64(r - begin)])]
