"""The certificate check: comparing a range of blocks with the best turns found, and turning tables round."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    ROUTE_SHAPE,
    fill_frame,
    fill_route,
    follow,
    image_of,
    lay_route,
    number_of,
    slot_in,
)


@step
def keeps_all(frame, permutation):
    """Return whether a permutation moves none of the points of a frame."""
    moved = 0
    for i in range(len(frame)):
        moved += permutation[frame[i]] != frame[i]
    return moved == 0


@step
def find_twins(major, board, minors, frame, bit_to, route, twins):
    """Find the symmetric slots of a block.

    Args:
        major: the canonical major set.
        board, minors: see the classes of :mod:`solver.kernels.check`.
        frame: its free points.
        bit_to, route: room for a route.
        twins: out, int64 by rank: the least rank of the images of the minor set under the
            automorphisms that keep the major set.

    Returns:
        The number of those automorphisms.
    """
    for rank in range(len(twins)):
        twins[rank] = rank
    free = (1 << len(board.neighbours)) - 1 - major
    width = (len(frame) + 2) // 3
    keeping = 0
    for automorphism in range(len(board.automorphisms)):
        if image_of(major, automorphism, board.images) != major:
            continue
        keeping += 1
        permutation = board.automorphisms[automorphism]
        if keeps_all(frame, permutation):
            continue
        lay_route(frame, frame[0], frame[0], permutation, free, bit_to, route)
        for rank in range(len(twins)):
            moved = follow(np.int64(minors.sets[rank]), route, width)
            other = number_of(moved, minors.low, minors.high, minors.low_bits)
            twins[rank] = min(twins[rank], other)
    return keeping


@kernel
def compare(first, last, board, majors, minors, own, value, best, counts, wrong):
    """Compare the blocks `first` to `last` with the scores found, and twins with each other.

    Args:
        first, last: block numbers, the last one excluded.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        own: the sector's stored bytes.
        value: the stored byte by score.
        best: uint8[slots of the blocks]: the score of the best turn.
        counts: in and out, int64[2, 256]: all positions and distinct ones by stored byte.
        wrong: out, int64[most, 3]: slot, expected byte, whether symmetry is what says so.

    Returns:
        The number of mismatching slots; those beyond the length of `wrong` are counted only.
    """
    slots = len(minors.sets)
    route = np.empty(ROUTE_SHAPE, dtype=np.int64)
    frame = np.empty(minors.points, dtype=np.int64)
    bit_to = np.empty_like(frame)
    twins = np.empty(slots, dtype=np.int64)
    found = 0
    for number in range(first, last):
        major = majors.canonical[number]
        fill_frame((1 << len(board.neighbours)) - 1 - major, frame)
        keeping = find_twins(major, board, minors, frame, bit_to, route, twins)
        weight = len(board.automorphisms) // keeping
        for rank in range(slots):
            slot = number * slots + rank
            stored, twin = own[slot], own[number * slots + twins[rank]]
            expected = value[best[slot - first * slots]]
            if stored != expected or stored != twin:
                if found < len(wrong):
                    wrong[found, 0] = slot
                    wrong[found, 1] = expected if stored != expected else twin
                    wrong[found, 2] = stored == expected
                found += 1
            counts[0, stored] += weight
            if twins[rank] == rank:
                counts[1, stored] += 1
    return found


@kernel
def turn_round(first, last, board, majors, minors, turned_majors, turned_minors, stored, out):
    """Turn a table round: the side that was the minor one becomes the major one.

    Args:
        first, last: block numbers after the turn, the last one excluded.
        board: see :class:`solver.kernels.check.BoardTable`.
        majors, minors: the sets that number the slots after the turn.
        turned_majors, turned_minors: those that number them before.
        stored: bytes by slot before the turn.
        out: out, uint8[slots of the blocks]: bytes by slot after it.
    """
    slots = len(minors.sets)
    images = np.empty(len(board.automorphisms), dtype=np.int64)
    route = np.empty(ROUTE_SHAPE, dtype=np.int64)
    frame = np.empty(minors.points, dtype=np.int64)
    bit_to = np.empty_like(frame)
    found = np.empty(slots, dtype=np.int64)
    width = (len(frame) + 2) // 3
    for number in range(first, last):
        major = majors.canonical[number]
        for automorphism in range(len(images)):
            images[automorphism] = image_of(major, automorphism, board.images)
        fill_frame((1 << len(board.neighbours)) - 1 - major, frame)
        for i in range(len(frame)):
            bit_to[i] = 1 << frame[i]
        fill_route(bit_to, route)
        for rank in range(slots):
            minor = follow(np.int64(minors.sets[rank]), route, width)
            place = number_of(
                minor, turned_majors.low, turned_majors.high, turned_majors.low_bits
            )
            orbit = np.int64(turned_majors.orbit[np.uint64(place)])
            image = images[turned_majors.automorphism[np.uint64(place)]]
            found[rank] = slot_in(orbit, image, board, turned_majors, turned_minors)
        # Apart from the loop above, so that many of these cache misses are under way at once.
        for rank in range(slots):
            out[(number - first) * slots + rank] = stored[np.uint64(found[rank])]
