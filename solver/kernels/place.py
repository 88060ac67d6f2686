"""Placements: what a side gets by placing a stone, and so the value of sectors that only place.

Every turn of a sector without quiet moves leaves it, so one pass is enough.  A stone the major side
places leads to another block, through a permutation of the free points; one the minor side places
stays inside the block.  Captures are scored as in :mod:`solver.kernels.capture`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.capture import find_mills, score_removal, take_best
from solver.kernels.frames import mill_points, twice_mill_points
from solver.kernels.ranks import (
    fill_run_tables,
    half,
    permutation_room,
    rank_in_frame,
    run_room,
)
from solver.kernels.values import NO_TURN, draw_score, largest, score_block, settle_depth


@step
def write_row(best, settled, out):  # type: ignore[no-untyped-def]
    """Write a block's best scores; as stored entries if no other turns are to be compared."""
    top = largest(out)
    for r in range(len(best)):
        score = np.int64(best[r])
        entry = settle_depth(score, top) | (top * np.int64(score == draw_score(top)))
        out[r] = entry if settled else score


@kernel
def place_major(first, last, points, ranks, runs, placements, following, closing, row, captures, unpaid, settled, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the major side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        ranks: rank tables of the minor sets.
        runs: :class:`Runs` of the same minor sets in a frame of one point fewer.
        placements: :class:`Moves` that add a major stone and take none, permutations outward.
        following: stored entries of the sector those lead to.
        closing: :class:`Moves` that add a stone and close a mill.
        row: row in `captures` of each of these.
        captures: scores, see :func:`solver.kernels.capture.major_captures`.
        unpaid: whether a mill may take nothing.
        settled: whether to write stored entries, or scores.
        out: those, by (block, rank).
    """
    low_image = np.zeros(len(runs.low_part), dtype=np.int32)
    room = np.zeros(run_room(points), dtype=np.int32)
    high_image = np.zeros(len(runs.high_part), dtype=np.int32)
    back = np.zeros(points, dtype=np.uint8)
    best = np.zeros(ranks.total, dtype=out.dtype)
    block = np.zeros(runs.total, dtype=out.dtype)
    for x in range(first, last):
        best[:] = NO_TURN
        for entry in range(placements.start[x], placements.start[x + 1]):
            invert(placements.permutation[entry], points, back)
            fill_run_tables(back, points - 1, runs, room, low_image, high_image)
            begin = np.int64(placements.target[entry]) * runs.total
            score_block(following[begin : begin + runs.total], largest(block), block)
            raise_all(runs, low_image, high_image, ranks, block, best)
        for entry in range(closing.start[x], closing.start[x + 1]):
            invert(closing.permutation[entry], points, back)
            fill_run_tables(back, points - 1, runs, room, low_image, high_image)
            taken = captures[row[entry], : runs.total]
            if unpaid:
                begin = np.int64(closing.target[entry]) * runs.total
                score_block(following[begin : begin + runs.total], largest(block), block)
                prefer(taken, block)
                raise_all(runs, low_image, high_image, ranks, block, best)
            else:
                raise_all(runs, low_image, high_image, ranks, taken, best)
        write_row(best, settled, out[x])


@step
def prefer(taken, block):  # type: ignore[no-untyped-def]
    """Replace the scores of a block by those of captures, where something can be taken."""
    for r in range(len(block)):
        if taken[r] != NO_TURN:
            block[r] = taken[r]


@step
def invert(permutation, points, back):  # type: ignore[no-untyped-def]
    """Write down where each bit of the frame after a placement comes from."""
    for point in range(points):
        # The point placed on comes last and belongs to no bit of the smaller frame.
        back[np.uint64(permutation[np.uint64(point)])] = point


@step
def raise_all(runs, low_image, high_image, ranks, values, best):  # type: ignore[no-untyped-def]
    """Raise ``best`` to what one placement gives, for each minor set that leaves its point free.

    Args:
        runs: :class:`Runs` of the minor sets after it.
        low_image, high_image: what their parts are before it, see :func:`fill_run_tables`.
        ranks: rank tables of the minor sets before it.
        values: scores after it, by rank.
        best: scores before it, by rank.
    """
    low, high = ranks.low, ranks.high
    number = 0
    for part in range(len(runs.high_part)):
        size = runs.low_size[part]
        image = high_image[np.uint64(part)]
        for entry in range(runs.start[size], runs.start[size + 1]):
            r = np.uint64(rank_in_frame(np.int64(low_image[np.uint64(entry)] | image), low, high))
            best[r] = max(best[r], values[np.uint64(number)])
            number += 1


@kernel
def place_minor(first, last, points, ranks, larger_ranks, after_patterns, after, frames, following, one, two, lone, double, mill_wins, scores, settled, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the minor side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        ranks: rank tables of the minor sets.
        larger_ranks: by (rank, number), the rank of a minor set with its `number`-th free point
            added.
        after_patterns: minor sets of one stone more, by rank.
        after: their rank tables.
        frames: :class:`FrameEdges` of the major sets, without lines where mills take nothing.
        following: stored entries of the sector that placing without a mill leads to.
        one, two, lone, double: as in :func:`solver.kernels.capture.start_minor`.
        mill_wins: whether a mill wins at once.
        scores: score by stored entry.
        settled: whether to write stored entries, or scores.
        out: those, by (block, rank).
    """
    width = half(points)
    table = np.zeros(permutation_room(points), dtype=np.int32)
    line_table = np.zeros(2 << width, dtype=frames.bit_lines.dtype)
    value = np.zeros(after.total, dtype=out.dtype)
    holders = np.zeros(after.total + 1, dtype=np.int32)
    plain = np.zeros(after.total, dtype=out.dtype)
    taken = np.zeros(after.total, dtype=out.dtype)
    taken_twice = np.zeros(after.total if double else 0, dtype=out.dtype)
    best = np.zeros(ranks.total, dtype=out.dtype)
    for x in range(first, last):
        block = following[x * after.total : (x + 1) * after.total]
        score_block(block, largest(value), value)
        found = find_mills(x, points, after_patterns, frames, line_table, holders)
        for number in range(found):
            r = rank_in_frame(np.int64(holders[number]), after.low, after.high)
            plain[number] = value[r]
            value[r] = NO_TURN  # whether a mill is closed depends on the stone placed
        taken[:found] = largest(taken) if mill_wins else NO_TURN
        score_removal(x, points, found, holders, one, table, scores, taken)
        if double:
            taken_twice[:found] = NO_TURN
            score_removal(x, points, found, holders, two, table, scores, taken_twice)
            score_removal(x, points, found, holders, lone, table, scores, taken_twice)
        take_best(larger_ranks, value, best)
        undo_placements(x, found, holders, ranks, frames, plain, taken, taken_twice, best)
        write_row(best, settled, out[x])


@step
def undo_placements(x, found, holders, ranks, frames, plain, taken, taken_twice, best):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the placements that can have led to them.

    Args:
        x: the block.
        found, holders: the patterns that hold a mill.
        ranks: rank tables of the minor sets with one stone fewer.
        frames: :class:`FrameEdges` of the major sets.
        plain, taken, taken_twice: by place in `holders`, the scores of a placement that closes no
            mill, of one that does, and of one that closes two, unless that has no entries.
        best: raised, by rank.
    """
    low, high = ranks.low, ranks.high
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    double = len(taken_twice) != 0
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        mills = mill_points(p, frames.line, first_line, last_line)
        choices = np.int64(plain[np.uint64(number)]) | np.int64(taken[np.uint64(number)]) << 16
        twice = 0
        if double:
            twice = twice_mill_points(p, frames.line, first_line, last_line)
            choices |= np.int64(taken_twice[np.uint64(number)]) << 32
        stones = p
        while stones != 0:
            stone = stones & -stones
            stones &= stones - 1
            # Without a branch, as one stone in a mill says little of the next.
            which = np.int64(mills & stone != 0) + np.int64(twice & stone != 0)
            score = (choices >> (16 * which)) & 65535
            r = np.uint64(rank_in_frame(p ^ stone, low, high))
            best[r] = max(np.int64(best[r]), score)


@kernel
def count_values(first, last, symmetries, weights, stored, positions, distinct):  # type: ignore[no-untyped-def]
    """Count stored entries: all positions, and distinct ones in blocks without symmetries.

    Args:
        first, last: range of blocks.
        symmetries: number of symmetries of each block's set, itself unchanged included.
        weights: positions that one slot of each block stands for.
        stored: stored entries by (block, rank).
        positions, distinct: counts by entry, added to.
    """
    counts = np.zeros((2, len(positions)), dtype=np.int64)
    for x in range(first, last):
        counts[:] = 0
        count_row(stored[x], counts)
        for value in range(len(positions)):
            count = counts[0, value] + counts[1, value]
            positions[value] += weights[x] * count
            if symmetries[x] == 1:
                distinct[value] += count


@step
def count_row(row, counts):  # type: ignore[no-untyped-def]
    """Count the bytes of a row, in two tables so that equal neighbours do not wait in line."""
    for r in range(0, len(row) - 1, 2):
        counts[0, row[np.uint64(r)]] += 1
        counts[1, row[np.uint64(r + 1)]] += 1
    if len(row) & 1:
        counts[0, row[len(row) - 1]] += 1
