"""The certificate check: comparing a range of blocks with the best turns found, and mirroring."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    ROUTE_SHAPE,
    fill_frame,
    follow,
    image_of,
    lay_route,
    number_of,
    slot_of,
)


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
    frame = np.empty(len(minors.ways), dtype=np.int64)
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
def mirror(first, last, board, majors, minors, own, out):
    """Turn the table of a sector of equal sides round: the side that moves becomes the minor one.

    Args:
        first, last: block numbers of `out`, the last one excluded.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        own: stored bytes, the side to move being the major one.
        out: out, the same values, the side to move being the minor one.
    """
    slots = len(minors.sets)
    frame = np.empty(len(minors.ways), dtype=np.int64)
    found = np.empty(slots, dtype=np.int64)
    for number in range(first, last):
        major = majors.canonical[number]
        fill_frame((1 << len(board.neighbours)) - 1 - major, frame)
        for rank in range(slots):
            minor = np.int64(0)
            for i in range(minors.members.shape[1]):
                minor |= 1 << frame[np.int64(minors.members[rank, i])]
            found[rank] = slot_of(minor, major, board, majors, minors)
        # Apart from the loop above, so that many of these cache misses are under way at once.
        for rank in range(slots):
            out[number * slots + rank] = own[found[rank]]
