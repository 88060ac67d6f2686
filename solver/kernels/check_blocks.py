"""The certificate check: comparing a range of blocks with the best turns found, and turning tables round."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    ROUTE_SHAPE,
    VOID_WORD,
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
def compare(first, last, board, majors, minors, own, value, void, best, counts, wrong):
    """Compare the blocks `first` to `last` with the scores found, and twins with each other.

    Entries are told as words: void and drawn bytes are so much greater.

    Args:
        first, last: block numbers, the last one excluded.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        own: the sector's stored entries.
        value: by score the entry, as a word.
        void: the stored entry of a void slot.
        best: [slots of the blocks]: the score of the best turn.
        counts: in and out, int64[2, entries there can be]: all positions and distinct ones by
            stored entry, void ones excepted.
        wrong: out, int64[most, 4]: slot, stored and expected entry as words, whether symmetry is
            what says so.

    Returns:
        The number of mismatching slots; those beyond the length of `wrong` are counted only.
    """
    slots = len(minors.sets)
    wider = VOID_WORD - void
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
            stored, twin = np.int64(own[slot]), np.int64(own[number * slots + twins[rank]])
            if stored != void:
                counts[0, stored] += weight
                counts[1, stored] += twins[rank] == rank
            # Only now, as the bytes for void and drawn slots could be depths of a word.
            stored += wider if stored >= void else 0
            twin += wider if twin >= void else 0
            expected = np.int64(value[best[slot - first * slots]])
            if stored != expected or stored != twin:
                if found < len(wrong):
                    wrong[found, 0] = slot
                    wrong[found, 1] = stored
                    wrong[found, 2] = expected if stored != expected else twin
                    wrong[found, 3] = stored == expected
                found += 1
    return found


@kernel
def turn_round(first, last, board, majors, minors, turned_majors, turned_minors, stored, out):
    """Turn a table round: the side that was the minor one becomes the major one.

    Args:
        first, last: block numbers after the turn, the last one excluded.
        board: see :class:`solver.kernels.check.BoardTable`.
        majors, minors: the sets that number the slots after the turn.
        turned_majors, turned_minors: those that number them before.
        stored: entries by slot before the turn.
        out: out, [slots of the blocks]: entries by slot after it.
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
