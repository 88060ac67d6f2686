"""The certificate check: the best turns of a side that places, block by block."""

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
from solver.kernels.check_minor import list_holders, take_inside


@step
def read_across(ranks, minors, route, width, after, start, stored, of_value, scores, first):
    """Improve scores by what another block holds at the end of a route.

    Args:
        ranks: which minor sets to look at: those without a stone on the point a major one takes.
        minors: the minor sets.
        route, width: see :func:`solver.kernels.check.follow`.
        after: the minor sets in the frame of the target block.
        start: the first slot of the target block.
        stored: entries after the turn.
        of_value: scores by stored entry.
        scores: in and out: from `first` on the scores by rank.
    """
    for i in range(len(ranks)):
        rank = np.int64(ranks[np.uint64(i)])
        moved = follow(np.int64(minors.sets[np.uint64(rank)]), route, width)
        slot = start + number_of(moved, after.low, after.high, after.low_bits)
        score = of_value[stored[np.uint64(slot)]]
        place = np.uint64(first + rank)
        scores[place] = max(scores[place], score)


@step
def take_across(ranks, minors, removals, victims, left, win_now, scores, first):
    """Improve a block's scores by a placement that closes a mill.

    Args:
        ranks, minors: see `read_across`.
        removals: by rank, the rank of what is left without each of the stones.
        victims: by rank, which stones may be taken; where there are none nothing is done.
        left: scores after the capture by rank of what is left; empty if it wins.
        win_now: the score of that.
        scores: in and out: from `first` on the scores by rank.
    """
    size = minors.members.shape[1]
    for i in range(len(ranks)):
        rank = np.int64(ranks[i])
        if victims[rank] == 0:
            continue
        score = np.int64(0)
        if len(left) == 0:
            score = np.int64(win_now)
        elif victims[rank] == minors.sets[rank]:
            for j in range(size):
                score = max(score, np.int64(left[np.uint64(removals[np.uint64(rank), np.uint64(j)])]))
        else:
            for j in range(size):
                if victims[rank] >> np.int64(minors.members[rank, j]) & 1:
                    score = max(score, np.int64(left[removals[rank, j]]))
        scores[first + rank] = max(np.int64(scores[first + rank]), score)


@step
def stay_across(ranks, minors, victims, route, width, after, start, stored, of_value, scores, first):
    """Like `read_across`, for a placement that closes a mill, where there are no victims."""
    for i in range(len(ranks)):
        rank = np.int64(ranks[i])
        if victims[rank] == 0:
            moved = follow(np.int64(minors.sets[rank]), route, width)
            slot = start + number_of(moved, after.low, after.high, after.low_bits)
            scores[first + rank] = max(scores[first + rank], of_value[stored[slot]])


@kernel
def score_major_placements(
    first, last, any_may_go, board, majors, larger, minors, fewer, after, after_fewer, gaps,
    fewer_gaps, removals, quiet, capture, of_value, best
):  # fmt: skip
    """Find the best turns in the blocks `first` to `last` of a sector whose major side places.

    Args:
        first, last: block numbers, the last one excluded.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        larger: the major sets with one stone more.
        fewer: the minor sets with one stone less, in the same frame.
        after, after_fewer: the two kinds of minor sets in a frame of one point less.
        gaps, fewer_gaps: by frame point, the ranks of the minor sets of both kinds without it.
        removals: by rank, the rank of what is left of a minor set without each of its stones.
        quiet, capture: stored entries after a placement without and with a capture, the latter
            empty if it wins; in both the same side is the major one.
        of_value: scores by stored entry.
        best: out, [slots of the blocks]: the score of the best turn, 0 if there is none.
    """
    slots = len(minors.sets)
    everywhere = (1 << len(board.neighbours)) - 1
    victims = np.empty(slots, dtype=np.int64)
    left = np.empty(len(fewer.sets) if len(capture) else 0, dtype=of_value.dtype)
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
        for i in range(len(frame)):
            end = frame[i]
            placed = major | 1 << end
            place = number_of(placed, larger.low, larger.high, larger.low_bits)
            target = np.int64(larger.orbit[place])
            free = everywhere - larger.canonical[target]
            permutation = board.automorphisms[larger.automorphism[place]]
            lay_route(frame, end, end, permutation, free, bit_to, route)
            start = target * len(after.sets)
            if not mills_in(placed, board.lines) >> end & 1:
                read_across(
                    gaps[i], minors, route, width, after, start, quiet, of_value, best, row
                )
                continue
            if len(left):
                left[:] = 0
                read_across(
                    fewer_gaps[i], fewer, route, width, after_fewer,
                    target * len(after_fewer.sets), capture, of_value, left, 0,
                )  # fmt: skip
            take_across(gaps[i], minors, removals, victims, left, of_value[0], best, row)
            stay_across(
                gaps[i], minors, victims, route, width, after, start, quiet, of_value, best, row
            )


@step
def place_inside(rank, minors, mill, removals, quiet, taking, scores, first):
    """Improve the scores of all minor sets that one stone makes into a given one.

    Args:
        rank, minors: the set afterwards.
        mill: its stones in a mill if one may take a stone for it, else 0.
        removals: by rank, the ranks of the sets before each of the stones was placed.
        quiet, taking: the scores of the placements that close no mill and of those that do.
        scores: in and out: from `first` on the scores by rank.
    """
    for i in range(minors.members.shape[1]):
        member = np.int64(minors.members[np.uint64(rank), np.uint64(i)])
        score = taking if mill >> member & 1 else quiet
        place = np.uint64(first + np.int64(removals[np.uint64(rank), np.uint64(i)]))
        scores[place] = max(scores[place], score)


@kernel
def score_minor_placements(
    first, last, any_may_go, board, majors, smaller, slots, minors, after, removals, quiet,
    capture, of_value, best
):  # fmt: skip
    """Find the best turns in the blocks `first` to `last` of a sector whose minor side places.

    Args:
        first, last: block numbers, the last one excluded.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors: see the classes of :mod:`solver.kernels.check`.
        smaller: the major sets with one stone less.
        slots: the minor sets before the placement.
        minors: the minor sets with one stone more: those after it.
        after: the same in a frame of one point more.
        removals: by rank, the rank of what `minors` are without each of their stones.
        quiet: stored entries after a placement without a capture, from block `first` on.
        capture: stored entries after one with a capture; empty if it wins. In both tables the same
            side is the major one.
        of_value: scores by stored entry.
        best: out, [slots of the blocks]: the score of the best turn, 0 if there is none.
    """
    everywhere = (1 << len(board.neighbours)) - 1
    mills = np.empty(len(minors.sets), dtype=np.int64)
    holders = np.empty(len(minors.sets), dtype=np.int64)
    taking = np.empty(len(minors.sets), dtype=of_value.dtype)
    route = np.empty(ROUTE_SHAPE, dtype=np.int64)
    frame = np.empty(minors.points, dtype=np.int64)
    bit_to = np.empty_like(frame)
    best[:] = 0
    for number in range(first, last):
        major = majors.canonical[number]
        fill_frame(everywhere - major, frame)
        lines = lines_in_frame(board.lines, frame)
        victims = removable(major, board.lines, any_may_go)
        found = list_holders(victims, lines, minors, mills, holders)
        take_inside(
            major, victims, frame, board, smaller, minors, after, holders[:found], route, bit_to,
            capture, of_value, taking,
        )  # fmt: skip
        row = (number - first) * slots
        for rank in range(len(minors.sets)):
            place_inside(
                rank, minors, mills[rank], removals,
                of_value[quiet[(number - first) * len(minors.sets) + rank]], taking[rank],
                best, row,
            )  # fmt: skip
