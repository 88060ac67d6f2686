"""The certificate check: the best turns of the major side, block by block."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    ROUTE_SHAPE,
    fill_frame,
    follow,
    lay_route,
    lines_in_frame,
    mills_in,
    number_of,
    removable,
)


@step
def look_across(occupied, minors, route, width, start, stored, of_value, best, first):
    """Improve a block's scores by a quiet move that leads into another one.

    Args:
        occupied: frame point the stone moves to; where a minor stone stands there, it cannot.
        minors: the minor sets.
        route, width: see :func:`solver.kernels.check.follow`.
        start: the first slot of the target block.
        stored: entries after a quiet move.
        of_value: scores by stored entry.
        best: in and out: from `first` on the block's scores by rank.
    """
    for rank in range(len(minors.sets)):
        minor = np.int64(minors.sets[rank])
        if minor >> occupied & 1:
            continue
        moved = follow(minor, route, width)
        after = number_of(moved, minors.low, minors.high, minors.low_bits)
        score = of_value[stored[start + after]]
        if score > best[first + rank]:
            best[first + rank] = score


@step
def take_across(
    occupied, minors, fewer, victims, route, width, bit_to, start, stored, of_value, best, first
):
    """Improve a block's scores by a move that closes a mill; see `look_across`.

    Args:
        fewer: the minor sets with one stone less.
        victims: by rank, which stones may be taken; where there are none nothing is done.
        bit_to: what each frame point becomes along the route.
        start: the first slot of the target block among those after a capture.
        stored: entries after a capture, empty if that wins.
    """
    for rank in range(len(minors.sets)):
        minor = np.int64(minors.sets[rank])
        if minor >> occupied & 1 or victims[rank] == 0:
            continue
        if len(stored) == 0:
            best[first + rank] = of_value[0]
            continue
        moved = follow(minor, route, width)
        for i in range(minors.members.shape[1]):
            member = np.int64(minors.members[rank, i])
            if victims[rank] >> member & 1:
                left = number_of(moved ^ bit_to[member], fewer.low, fewer.high, fewer.low_bits)
                score = of_value[stored[start + left]]
                best[first + rank] = max(best[first + rank], score)


@step
def stay_across(occupied, minors, victims, route, width, start, stored, of_value, best, first):
    """Like `look_across`, for a move that closes a mill, where there are no victims."""
    for rank in range(len(minors.sets)):
        minor = np.int64(minors.sets[rank])
        if victims[rank] == 0 and not minor >> occupied & 1:
            moved = follow(minor, route, width)
            after = number_of(moved, minors.low, minors.high, minors.low_bits)
            best[first + rank] = max(best[first + rank], of_value[stored[start + after]])


@kernel
def score_major_turns(
    first, last, fly, any_may_go, board, majors, minors, fewer, tables, of_value, best
):
    """Find the best turns in the blocks `first` to `last` of a sector whose major side moves.

    Args:
        first, last: block numbers, the last one excluded.
        fly: whether the major side moves to any free point.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        fewer: the minor sets with one stone less, in the same frame.
        tables: `Tables`; in all of them the same side is the major one.
        of_value: scores by stored entry.
        best: out, [slots of the blocks]: the score of the best turn, 0 if there is none.
    """
    slots, slots_after = len(minors.sets), len(fewer.sets)
    everywhere = (1 << len(board.neighbours)) - 1
    victims = np.empty(slots, dtype=np.int64)
    route = np.empty(ROUTE_SHAPE, dtype=np.int64)
    frame = np.empty(minors.points, dtype=np.int64)
    bit_to = np.empty_like(frame)
    width = (len(frame) + 2) // 3
    best[:] = 0
    for number in range(first, last):
        major = majors.canonical[number]
        fill_frame(everywhere - major, frame)
        lines = lines_in_frame(board.lines, frame)
        for rank in range(slots):
            victims[rank] = removable(np.int64(minors.sets[rank]), lines, any_may_go)
        row = (number - first) * slots
        for start in range(len(board.neighbours)):
            if not major >> start & 1:
                continue
            for i in range(len(frame)):
                end = frame[i]
                if not fly and not board.neighbours[start] >> end & 1:
                    continue
                moved = major ^ (1 << start) ^ (1 << end)
                place = number_of(moved, majors.low, majors.high, majors.low_bits)
                target = np.int64(majors.orbit[place])
                free = everywhere - majors.canonical[target]
                permutation = board.automorphisms[majors.automorphism[place]]
                lay_route(frame, start, end, permutation, free, bit_to, route)
                if not mills_in(moved, board.lines) >> end & 1:
                    look_across(
                        i, minors, route, width, target * slots, tables.quiet, of_value, best, row
                    )
                    continue
                take_across(
                    i, minors, fewer, victims, route, width, bit_to,
                    target * slots_after, tables.capture, of_value, best, row,
                )  # fmt: skip
                if not any_may_go:
                    stay_across(
                        i, minors, victims, route, width,
                        target * slots, tables.quiet, of_value, best, row,
                    )  # fmt: skip
