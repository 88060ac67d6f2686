"""Re-keying: the same sector with the other side as major.

Needed where the placing phase ends: there the first player's colour is major, while a moving
sector's file has the side with more stones.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import gather_bits, scatter_bits
from solver.kernels.prefetch import prefetch_to_read
from solver.kernels.ranks import rank_in_frame, rank_of
from solver.kernels.sets import automorphism_of, image_of, orbit_of


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
    full = (1 << board.points) - 1
    places = np.zeros(_AHEAD, dtype=np.int64)
    for x in range(first, last):
        mask = small.masks[x]
        for g in range(len(board.automorphisms)):
            images[g] = image_of(mask, board.automorphisms[g])
        rekey_block(full & ~mask, full, large, patterns, ranks, stored, images, places, out[x])


# Slots looked up together: first all their places, then all their bytes, which are on their way
# meanwhile.
_AHEAD = 256


@step
def rekey_block(frame, full, large, patterns, ranks, stored, images, places, out):  # type: ignore[no-untyped-def]
    """Fill one block (see :func:`rekey`)."""
    for begin in range(0, len(patterns), _AHEAD):
        end = min(begin + _AHEAD, len(patterns))
        for r in range(begin, end):
            mask = scatter_bits(np.int64(patterns[np.uint64(r)]), frame)
            way = large.way[np.uint64(rank_of(mask, large.low, large.high, large.low_bits))]
            orbit = orbit_of(way)
            image = images[np.uint64(automorphism_of(way))]
            pattern = gather_bits(image, full & ~large.masks[np.uint64(orbit)])
            within = rank_in_frame(pattern, ranks.low, ranks.high)
            place = orbit * ranks.total + within
            prefetch_to_read(stored, place)
            places[np.uint64(r - begin)] = place
        for r in range(begin, end):
            out[np.uint64(r)] = stored[np.uint64(places[np.uint64(r - begin)])]
