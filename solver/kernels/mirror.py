"""Colour mirror for sectors with equal sides: (x, y) with one side to move is (y, x) with the other.

Only the table with the major side to move is held then; its frontier, mirrored, is the one with
the minor side to move.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import trailing_zeros
from solver.kernels.ranks import rank_of
from solver.kernels.sets import compressed, expanded, image_of, is_smallest, list_points


@kernel
def mirror_frontier(first, last, board, orbits, found, out_block, out_pattern, out_counts):  # type: ignore[no-untyped-def]
    """List the mirror images of a frontier's entries, in no particular order of blocks.

    A position stands in several slots of a block where the major set has symmetries of its own.
    One of them is mirrored, to all the slots that the mirrored position stands in.

    Args:
        first, last: range of blocks.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the sets of both sides.
        found: :class:`Lists`, the frontier.
        out_block, out_pattern: out, block and pattern of each image.
        out_counts: number of images per block, added to.

    Returns:
        The number of images, which may exceed the length of the outputs: then they are cut short
        and the call must be repeated with more room (and fresh counts).
    """
    full = (1 << board.points) - 1
    frame_points = np.zeros(board.points, dtype=np.int64)
    images = np.zeros(len(board.automorphisms), dtype=np.int64)
    total = 0
    for x in range(first, last):
        if found.length[x] == 0:
            continue
        major = orbits.masks[x]
        list_points(full & ~major, frame_points)
        for g in range(len(board.automorphisms)):
            images[g] = image_of(major, board.automorphisms[g])
        own = orbits.stabiliser[x]
        for place in range(found.start[x], found.start[x] + found.length[x]):
            minor = expanded(np.int64(found.pattern[place]), frame_points)
            if own != 1 and not is_smallest(minor, own, board.automorphisms):
                continue
            slot = rank_of(minor, orbits.low, orbits.high, orbits.low_bits)
            block = np.int64(orbits.orbit[slot])
            g = np.int64(orbits.automorphism[slot])
            frame = full & ~orbits.masks[block]
            image = images[g]
            if total < len(out_block):
                out_block[total] = block
                out_pattern[total] = compressed(image, frame)
                out_counts[block] += 1
            total += 1
            group = orbits.stabiliser[block]
            if group != 1:
                others = group & ~1
                while others != 0:
                    h = trailing_zeros(others)
                    others &= others - 1
                    further = image_of(image, board.automorphisms[h])
                    new = further != image
                    before = group & ((1 << h) - 1) & ~1
                    while before != 0 and new:
                        k = trailing_zeros(before)
                        before &= before - 1
                        new = image_of(image, board.automorphisms[k]) != further
                    if new:
                        if total < len(out_block):
                            out_block[total] = block
                            out_pattern[total] = compressed(further, frame)
                            out_counts[block] += 1
                        total += 1
    return total


@kernel
def sort_by_block(blocks, patterns, places, out):  # type: ignore[no-untyped-def]
    """Distribute patterns over their blocks' lists.

    Args:
        blocks, patterns: from :func:`mirror_frontier`.
        places: where the next pattern of each block goes; changed.
        out: the lists.
    """
    for entry in range(len(blocks)):
        block = blocks[entry]
        out[places[block]] = patterns[entry]
        places[block] += 1
