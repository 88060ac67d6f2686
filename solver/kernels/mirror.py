"""Colour mirror for sectors with equal sides: (x, y) with one side to move is (y, x) with the other.

Only the table with the major side to move is held then; its frontier, mirrored, is the one with
the minor side to move.

A mirrored entry can belong to any block.  So the images are first dealt to *groups* of blocks,
few enough that each group's next place stays in the cache, and then sorted within their group.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import gather_bits, scatter_bits, trailing_zeros
from solver.kernels.ranks import rank_of
from solver.kernels.sets import automorphism_of, image_of, is_smallest, orbit_of

# Blocks of a group, as a number of bits.
GROUP_BITS = 8

# Bits for the points of a board in an image; its block stands above them.
_POINT_BITS = 32


@kernel
def mirror_frontier(first, last, board, orbits, found, out, counts):  # type: ignore[no-untyped-def]
    """List the mirror images of a frontier's entries, in no particular order of blocks.

    A position stands in several slots of a block where the major set has symmetries of its own.
    One of them is mirrored, to all the slots that the mirrored position stands in.

    Args:
        first, last: range of blocks.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the sets of both sides.
        found: :class:`Lists`, the frontier.
        out: the images, each a minor set with its block above.
        counts: number of images per group of blocks, added to.

    Returns:
        The number of images, which may exceed the length of `out`: then they are cut short and
        the call must be repeated with more room (and fresh counts).
    """
    images = np.zeros(len(board.automorphisms), dtype=np.int64)
    total = 0
    for x in range(first, last):
        if found.length[x] == 0:
            continue
        major = orbits.masks[x]
        for g in range(len(board.automorphisms)):
            images[g] = image_of(major, board.automorphisms[g])
        total = mirror_block(x, board, orbits, found, images, out, counts, total)
    return total


@step
def mirror_block(x, board, orbits, found, images, out, counts, total):  # type: ignore[no-untyped-def]
    """Mirror the entries of block `x`; return the new number of images.

    `images` holds the block's major set under each automorphism.
    """
    frame = ((1 << board.points) - 1) & ~orbits.masks[x]
    own = orbits.stabiliser[x]
    begin = found.start[x]
    for entry in range(begin, begin + np.int64(found.length[x])):
        minor = scatter_bits(np.int64(found.pattern[np.uint64(entry)]), frame)
        if own != 1 and not is_smallest(minor, own, board.automorphisms):
            continue
        way = orbits.way[np.uint64(rank_of(minor, orbits.low, orbits.high, orbits.low_bits))]
        block = orbit_of(way)
        image = images[np.uint64(automorphism_of(way))]
        total = put_image(block, image, out, counts, total)
        group = orbits.stabiliser[np.uint64(block)]
        others = group & ~1
        while others != 0:
            h = trailing_zeros(others)
            others &= others - 1
            further = image_of(image, board.automorphisms[h])
            new = further != image
            before = group & ((1 << h) - 1) & ~1
            while before != 0 and new:
                new = image_of(image, board.automorphisms[trailing_zeros(before)]) != further
                before &= before - 1
            if new:
                total = put_image(block, further, out, counts, total)
    return total


@step
def put_image(block, image, out, counts, total):  # type: ignore[no-untyped-def]
    """Append an image if there is room for it; return the number of images with it."""
    if total < len(out):
        out[np.uint64(total)] = block << _POINT_BITS | image
        counts[np.uint64(block >> GROUP_BITS)] += 1
    return total + 1


@kernel
def deal_to_groups(images, places, out):  # type: ignore[no-untyped-def]
    """Distribute images over the groups of their blocks.

    Args:
        images: from :func:`mirror_frontier`.
        places: where the next image of each group goes; changed.
        out: all images, group by group.
    """
    for entry in range(len(images)):
        image = images[np.uint64(entry)]
        group = np.uint64(image >> (_POINT_BITS + GROUP_BITS))
        out[np.uint64(places[group])] = image
        places[group] += 1


@kernel
def sort_groups(first, last, board, orbits, dealt, group_start, lists):  # type: ignore[no-untyped-def]
    """Turn groups of images into lists of patterns, block by block.

    Args:
        first, last: range of groups.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the sets of both sides.
        dealt: images, group by group.
        group_start: first image by group, and the end of the last.
        lists: :class:`Lists`, out.
    """
    full = (1 << board.points) - 1
    blocks = len(orbits.masks)
    places = np.zeros(1 << GROUP_BITS, dtype=np.int64)
    for group in range(first, last):
        first_block = group << GROUP_BITS
        last_block = min(blocks, first_block + (1 << GROUP_BITS))
        begin, end = group_start[group], group_start[group + 1]
        places[:] = 0
        for entry in range(begin, end):
            places[(dealt[entry] >> _POINT_BITS) - first_block] += 1
        place = begin
        for block in range(first_block, last_block):
            length = places[block - first_block]
            lists.start[block] = place
            lists.length[block] = length
            places[block - first_block] = place
            place += length
        write_patterns(begin, end, first_block, full, orbits.masks, dealt, places, lists.pattern)


@step
def write_patterns(first, last, first_block, full, masks, dealt, places, out):  # type: ignore[no-untyped-def]
    """Write the patterns of a group's images to the next places of their blocks."""
    for entry in range(first, last):
        image = dealt[np.uint64(entry)]
        block = image >> _POINT_BITS
        frame = full & ~masks[np.uint64(block)]
        number = np.uint64(block - first_block)
        out[np.uint64(places[number])] = gather_bits(image & full, frame)
        places[number] += 1
