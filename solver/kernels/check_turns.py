"""The two halves of the certificate check: the major side to move, the minor side to move."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.check import (
    WIN_NOW,
    compare_block,
    follow,
    frame_points,
    lay_route,
    look_across,
    masks_in_frame,
    mills_in,
    number_of,
    removable,
    take_across,
)


@kernel
def check_major_turns(
    first, last, fly, any_may_go, board, majors, minors, fewer, tables, scores, counts, wrong
):
    """Check the blocks `first` to `last` of a sector in which the major side moves.

    Args:
        first, last: block numbers, the last one excluded.
        fly: whether the major side moves to any free point.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        fewer: the minor sets with one stone less, in the same frame.
        tables: `Tables`; in all of them the same side is the major one.
        scores: `Scores`.
        counts, wrong: out, see `compare_block`.

    Returns:
        The number of mismatching slots.
    """
    slots, slots_after = len(minors.sets), len(fewer.sets)
    everywhere = (1 << len(board.neighbours)) - 1
    best = np.empty(slots, dtype=np.uint8)
    victims = np.empty(slots, dtype=np.int64)
    route = np.empty((3, 1024), dtype=np.int64)
    found = 0
    for number in range(first, last):
        major = majors.canonical[number]
        frame = frame_points(everywhere - major)
        width = (len(frame) + 2) // 3
        bit_to = np.empty(len(frame), dtype=np.int64)
        best[:] = 0
        victims_known = False
        for start in range(len(board.neighbours)):
            if not major >> start & 1:
                continue
            for end_bit in range(len(frame)):
                end = frame[end_bit]
                if not fly and not board.neighbours[start] >> end & 1:
                    continue
                moved = major ^ (1 << start) ^ (1 << end)
                place = number_of(moved, majors.low, majors.high, majors.low_bits)
                target = np.int64(majors.orbit[place])
                permutation = board.automorphisms[majors.automorphism[place]]
                free = everywhere - majors.canonical[target]
                lay_route(frame, start, end, permutation, free, bit_to, route)
                quiet = tables.quiet[target * slots : (target + 1) * slots]
                if not mills_in(moved, board.lines) >> end & 1:
                    look_across(end_bit, minors, route, width, quiet, scores.of_value, best)
                    continue
                if not victims_known:
                    victims_known = True
                    lines = masks_in_frame(board.lines, frame, True)
                    for slot in range(slots):
                        minor = np.int64(minors.sets[slot])
                        victims[slot] = removable(minor, lines, any_may_go)
                after = tables.capture[target * slots_after : (target + 1) * slots_after]
                take_across(
                    end_bit, minors, fewer, victims, route, width, bit_to,
                    quiet, after, scores.of_value, best,
                )  # fmt: skip
        found = compare_block(
            number, board, majors, minors, tables.own, best, scores, counts, wrong, found
        )
    return found


@kernel
def capture_scores(
    major, frame, any_may_go, board, fewer, minors, minors_after, mills, capture, scores, out
):
    """Find what each minor set that holds a mill gets by taking a stone of the major side.

    Args:
        major: the major set.
        frame: its free points.
        fewer: the major sets with one stone less.
        minors_after: the minor sets in a frame of one point more.
        mills: by rank, the minor stones in a mill.
        capture: stored bytes after the capture; empty if it wins.
        out: uint8 by rank, valid where `mills` is not 0.

    Returns:
        Whether a stone may be taken at all.
    """
    everywhere = (1 << len(board.neighbours)) - 1
    width = (len(frame) + 2) // 3
    bit_to = np.empty(len(frame), dtype=np.int64)
    route = np.empty((3, 1024), dtype=np.int64)
    slots = len(minors_after.sets)
    victims = removable(major, board.lines, any_may_go)
    out[:] = WIN_NOW if len(capture) == 0 else 0
    if len(capture) == 0:
        return victims != 0
    for victim in range(len(board.neighbours)):
        if not victims >> victim & 1:
            continue
        left = major ^ (1 << victim)
        place = number_of(left, fewer.low, fewer.high, fewer.low_bits)
        target = np.int64(fewer.orbit[place])
        permutation = board.automorphisms[fewer.automorphism[place]]
        free = everywhere - fewer.canonical[target]
        lay_route(frame, -1, -1, permutation, free, bit_to, route)
        for slot in range(len(out)):
            if mills[slot]:
                moved = follow(np.int64(minors.sets[slot]), route, width)
                after = number_of(
                    moved, minors_after.low, minors_after.high, minors_after.low_bits
                )
                out[slot] = max(out[slot], scores.of_value[capture[target * slots + after]])
    return victims != 0


@kernel
def check_minor_turns(
    first, last, fly, any_may_go, board, majors, fewer, minors, minors_after, tables, scores,
    counts, wrong,
):  # fmt: skip
    """Check the blocks `first` to `last` of a sector in which the minor side moves.

    Args:
        first, last: block numbers, the last one excluded.
        fly: whether the minor side moves to any free point.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        fewer: the major sets with one stone less.
        minors_after: the minor sets in a frame of one point more.
        tables: `Tables`; in all of them the same side is the major one.
        scores: `Scores`.
        counts, wrong: out, see `compare_block`.

    Returns:
        The number of mismatching slots.
    """
    slots = len(minors.sets)
    everywhere = (1 << len(board.neighbours)) - 1
    best = np.empty(slots, dtype=np.uint8)
    mills = np.empty(slots, dtype=np.int64)
    quiet = np.empty(slots, dtype=np.uint8)
    taking = np.empty(slots, dtype=np.uint8)
    found = 0
    for number in range(first, last):
        major = majors.canonical[number]
        frame = frame_points(everywhere - major)
        lines = masks_in_frame(board.lines, frame, True)
        near = masks_in_frame(board.neighbours[frame], frame, False)
        inside = (1 << len(frame)) - 1
        for slot in range(slots):
            mills[slot] = mills_in(np.int64(minors.sets[slot]), lines)
            quiet[slot] = scores.of_value[tables.quiet[number * slots + slot]]
        captures = capture_scores(
            major, frame, any_may_go, board, fewer, minors, minors_after, mills, tables.capture,
            scores, taking,
        )  # fmt: skip
        for slot in range(slots):
            minor = np.int64(minors.sets[slot])
            score = np.uint8(0)
            for i in range(minors.members.shape[1]):
                start = np.int64(minors.members[slot, i])
                ends = inside & ~minor
                if not fly:
                    ends &= near[start]
                while ends:
                    end = ends & -ends
                    ends ^= end
                    after = minor ^ (1 << start) ^ end
                    other = number_of(after, minors.low, minors.high, minors.low_bits)
                    if captures and mills[other] & end:
                        score = max(score, taking[other])
                    else:
                        score = max(score, quiet[other])
            best[slot] = score
        found = compare_block(
            number, board, majors, minors, tables.own, best, scores, counts, wrong, found
        )
    return found


@kernel
def slot_of(major, minor, board, majors, slots):
    """Return the slot of two masks on the board, with `slots` slots in a block."""
    place = number_of(major, majors.low, majors.high, majors.low_bits)
    orbit = np.int64(majors.orbit[place])
    permutation = board.automorphisms[majors.automorphism[place]]
    free = (1 << len(board.neighbours)) - 1 - majors.canonical[orbit]
    image = np.int64(0)
    for point in range(len(permutation)):
        image |= (minor >> point & 1) << permutation[point]
    rank, size, below = np.int64(0), np.int64(0), np.int64(0)
    for point in range(len(permutation)):
        if image >> point & 1:
            # `below` points of the frame are lower: C(below, size) sets come first.
            size += 1
            ways = np.int64(1)
            for i in range(size):
                ways = ways * (below - i) // (i + 1)
            rank += ways
        below += free >> point & 1
    return orbit * slots + rank


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
    for number in range(first, last):
        major = majors.canonical[number]
        frame = frame_points((1 << len(board.neighbours)) - 1 - major)
        for slot in range(slots):
            minor = np.int64(0)
            for i in range(minors.members.shape[1]):
                minor |= 1 << frame[np.int64(minors.members[slot, i])]
            out[number * slots + slot] = own[slot_of(minor, major, board, majors, slots)]
