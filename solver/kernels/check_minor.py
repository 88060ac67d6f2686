"""The certificate check: the best turns of the minor side, block by block."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    ROUTE_SHAPE,
    fill_frame,
    follow,
    lay_route,
    lines_in_frame,
    mask_in_frame,
    mills_in,
    number_of,
    removable,
)


@step
def list_holders(victims, lines, minors, mills, holders):
    """List the minor sets that hold a mill for which a stone may be taken.

    Args:
        victims: the stones of the major side that may be taken.
        lines: the lines within the frame.
        minors: the minor sets.
        mills: out, int64 by rank: the stones in a mill; 0 if there are no victims.
        holders: out, int64: the ranks for which it is not 0.

    Returns:
        How many there are.
    """
    found = 0
    for rank in range(len(mills)):
        mills[rank] = mills_in(np.int64(minors.sets[rank]), lines) if victims else 0
        holders[found] = rank
        found += mills[rank] != 0
    return found


@step
def take_inside(
    major, victims, frame, board, fewer, minors, minors_after, holders, route, bit_to,
    stored, of_value, taking,
):  # fmt: skip
    """Find what each minor set that holds a mill gets by taking a stone of the major side.

    Args:
        major: the major set.
        victims: those of its stones that may be taken.
        frame: its free points.
        board, minors: see the classes of :mod:`solver.kernels.check`.
        fewer: the major sets with one stone less.
        minors_after: the minor sets in a frame of one point more.
        holders: the ranks of the sets to do it for.
        route, bit_to: room for a route.
        stored: entries after the capture; empty if it wins.
        of_value: scores by stored entry.
        taking: out, scores by rank, valid for the holders.
    """
    taking[:] = of_value[0] if len(stored) == 0 else 0
    if len(stored) == 0:
        return
    everywhere = (1 << len(board.neighbours)) - 1
    width = (len(frame) + 2) // 3
    for victim in range(len(board.neighbours)):
        if not victims >> victim & 1:
            continue
        place = number_of(major ^ (1 << victim), fewer.low, fewer.high, fewer.low_bits)
        target = np.int64(fewer.orbit[place])
        free = everywhere - fewer.canonical[target]
        permutation = board.automorphisms[fewer.automorphism[place]]
        lay_route(frame, frame[0], frame[0], permutation, free, bit_to, route)
        start = target * len(minors_after.sets)
        for i in range(len(holders)):
            rank = np.uint64(holders[i])
            moved = follow(np.int64(minors.sets[rank]), route, width)
            after = number_of(moved, minors_after.low, minors_after.high, minors_after.low_bits)
            taking[rank] = max(taking[rank], of_value[stored[np.uint64(start + after)]])


@step
def look_inside(minor, members, fly, near, everywhere, minors, mills, taking, quiet):
    """Return the score of the best turn of one minor set within its block.

    Args:
        minor, members: the set and its points.
        fly: whether it moves to any free point.
        near: by frame point, the neighbours.
        everywhere: the whole frame.
        minors: all minor sets.
        mills: by rank, the stones in a mill if one may take a stone for it, else 0.
        taking: scores by rank after a capture.
        quiet: scores by rank after a quiet move.
    """
    score = np.int64(0)
    for i in range(len(members)):
        start = np.int64(members[i])
        ends = everywhere & ~minor
        if not fly:
            ends &= near[start]
        while ends:
            end = ends & -ends
            ends ^= end
            after = minor ^ (1 << start) ^ end
            rank = number_of(after, minors.low, minors.high, minors.low_bits)
            score = max(score, np.int64(taking[rank] if mills[rank] & end else quiet[rank]))
    return score


@kernel
def score_minor_turns(
    first, last, fly, any_may_go, board, majors, fewer, minors, minors_after, tables, of_value, best
):
    """Find the best turns in the blocks `first` to `last` of a sector whose minor side moves.

    Args:
        first, last: block numbers, the last one excluded.
        fly: whether the minor side moves to any free point.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        board, majors, minors: see the classes of :mod:`solver.kernels.check`.
        fewer: the major sets with one stone less.
        minors_after: the minor sets in a frame of one point more.
        tables: `Tables`; in all of them the same side is the major one.
        of_value: scores by stored entry.
        best: out, [slots of the blocks]: the score of the best turn, 0 if there is none.
    """
    slots = len(minors.sets)
    everywhere = (1 << len(board.neighbours)) - 1
    mills = np.empty(slots, dtype=np.int64)
    holders = np.empty(slots, dtype=np.int64)
    quiet = np.empty(slots, dtype=of_value.dtype)
    taking = np.empty(slots, dtype=of_value.dtype)
    route = np.empty(ROUTE_SHAPE, dtype=np.int64)
    frame = np.empty(minors.points, dtype=np.int64)
    bit_to, near = np.empty_like(frame), np.empty_like(frame)
    for number in range(first, last):
        major = majors.canonical[number]
        fill_frame(everywhere - major, frame)
        lines = lines_in_frame(board.lines, frame)
        for i in range(len(frame)):
            near[i] = mask_in_frame(board.neighbours[frame[i]], frame)
        victims = removable(major, board.lines, any_may_go)
        found = list_holders(victims, lines, minors, mills, holders)
        for rank in range(slots):
            quiet[rank] = of_value[tables.quiet[number * slots + rank]]
        take_inside(
            major, victims, frame, board, fewer, minors, minors_after, holders[:found], route,
            bit_to, tables.capture, of_value, taking,
        )  # fmt: skip
        for rank in range(slots):
            best[(number - first) * slots + rank] = look_inside(
                np.int64(minors.sets[rank]), minors.members[rank], fly, near,
                (1 << len(frame)) - 1, minors, mills, taking, quiet,
            )  # fmt: skip
