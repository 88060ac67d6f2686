"""Placing sectors: one pass, because every turn leaves the sector.

The first player's colour is major throughout the placing phase.  A stone the major side places
leads to another block, through a permutation of the free points; one the minor side places stays
inside the block.  Captures are scored as in :mod:`solver.kernels.capture`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount
from solver.kernels.capture import find_mills, score_removal, take_best
from solver.kernels.frames import mill_points
from solver.kernels.ranks import (
    FRAME_BITS,
    fill_permutation,
    fill_run_tables,
    half,
    permutation_room,
    rank_in_frame,
)
from solver.kernels.values import DRAW, DRAW_SCORE, score_block, settle_depth


@step
def stored_value(score):  # type: ignore[no-untyped-def]
    """Return the stored byte of a slot by the score of its best turn."""
    return settle_depth(score) | (DRAW * np.int64(score == DRAW_SCORE))


@kernel
def place_major(first, last, points, ranks, runs, placements, following, closing, row, captures, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the major side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        ranks: rank tables of the minor sets.
        runs: :class:`Runs` of the same minor sets in a frame of one point fewer.
        placements: :class:`Moves` that add a major stone and take none, permutations outward.
        following: stored bytes of the sector those lead to.
        closing: :class:`Moves` that add a stone and close a mill with something to take.
        row: place in `captures` by block of the larger major set.
        captures: scores, see :func:`solver.kernels.capture.major_captures`.
        out: stored bytes by (block, rank).
    """
    low_image = np.zeros(len(runs.low_part), dtype=np.int32)
    room = np.zeros(len(runs.low_part), dtype=np.int32)
    high_image = np.zeros(runs.high_parts, dtype=np.int32)
    back = np.zeros(points, dtype=np.uint8)
    best = np.zeros(ranks.total, dtype=np.uint8)
    block = np.zeros(runs.total, dtype=np.uint8)
    for x in range(first, last):
        best[:] = 0
        for entry in range(placements.start[x], placements.start[x + 1]):
            invert(placements.permutation[entry], points, back)
            fill_run_tables(back, points - 1, runs, room, low_image, high_image)
            begin = np.int64(placements.target[entry]) * runs.total
            score_block(following[begin : begin + runs.total], block)
            raise_all(runs, low_image, high_image, ranks, block, best)
        for entry in range(closing.start[x], closing.start[x + 1]):
            invert(closing.permutation[entry], points, back)
            fill_run_tables(back, points - 1, runs, room, low_image, high_image)
            taken = captures[row[closing.target[entry]]]
            raise_all(runs, low_image, high_image, ranks, taken, best)
        for r in range(ranks.total):
            out[x, r] = stored_value(np.int64(best[r]))


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
    for high_part in range(runs.high_parts):
        size = runs.size - popcount(high_part)
        if size < 0 or size > FRAME_BITS:
            continue
        image = high_image[np.uint64(high_part)]
        for entry in range(runs.start[size], runs.start[size + 1]):
            r = np.uint64(rank_in_frame(np.int64(low_image[np.uint64(entry)] | image), low, high))
            best[r] = max(best[r], values[np.uint64(number)])
            number += 1


@kernel
def place_minor(first, last, points, ranks, larger_ranks, after_patterns, after, frames, following, removals, larger, solved, wins, scores, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the minor side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        ranks: rank tables of the minor sets.
        larger_ranks: by (rank, number), the rank of a minor set with its `number`-th free point
            added.
        after_patterns: minor sets of one stone more, by rank.
        after: their rank tables.
        frames: :class:`FrameEdges` of the major sets.
        following: stored bytes of the sector that placing without a mill leads to.
        removals: :class:`Moves` that take a major stone.
        larger: rank tables of the minor sets after, in a frame of one point more.
        solved: stored bytes of the sector with one major stone fewer.
        wins: whether taking a stone wins at once; `solved` is not read then.
        scores: score by stored byte.
        out: stored bytes by (block, rank).
    """
    width = half(points)
    table = np.zeros(max(2 << width, permutation_room(points)), dtype=np.int32)
    value = np.zeros(after.total, dtype=np.uint8)
    holders = np.zeros(after.total + 1, dtype=np.int32)
    plain = np.zeros(after.total, dtype=np.uint8)
    taken = np.zeros(after.total, dtype=np.uint8)
    best = np.zeros(ranks.total, dtype=np.uint8)
    for x in range(first, last):
        score_block(following[x * after.total : (x + 1) * after.total], value)
        first_removal = removals.start[x]
        last_removal = removals.start[x + 1]
        found = 0
        if wins or first_removal != last_removal:
            found = find_mills(x, points, after_patterns, frames, table, holders)
            for number in range(found):
                r = rank_in_frame(np.int64(holders[number]), after.low, after.high)
                plain[number] = value[r]
                value[r] = 0  # whether a mill is closed depends on the stone placed
            taken[:found] = 255 if wins else 0
            for entry in range(first_removal, first_removal if wins else last_removal):
                fill_permutation(removals.permutation[entry], points, table)
                begin = np.int64(removals.target[entry]) * larger.total
                smaller_block = solved[begin : begin + larger.total]
                score_removal(found, holders, larger, table, smaller_block, scores, taken)
        take_best(larger_ranks, value, best)
        undo_placements(x, found, holders, ranks, frames, plain, taken, best)
        for r in range(ranks.total):
            out[x, r] = stored_value(np.int64(best[r]))


@step
def undo_placements(x, found, holders, ranks, frames, plain, taken, best):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the placements that can have led to them.

    Args:
        x: the block.
        found, holders: the patterns that hold a mill.
        ranks: rank tables of the minor sets with one stone fewer.
        frames: :class:`FrameEdges` of the major sets.
        plain, taken: by place in `holders`, the scores of a placement that closes no mill and of
            one that does.
        best: raised, by rank.
    """
    low, high = ranks.low, ranks.high
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        mills = mill_points(p, frames.line, first_line, last_line)
        both = np.int64(plain[np.uint64(number)]) | np.int64(taken[np.uint64(number)]) << 8
        stones = p
        while stones != 0:
            stone = stones & -stones
            stones &= stones - 1
            # Without a branch, as one stone in a mill says little of the next.
            score = (both >> (8 * np.int64(mills & stone != 0))) & 255
            r = np.uint64(rank_in_frame(p ^ stone, low, high))
            best[r] = max(np.int64(best[r]), score)


@kernel
def count_values(first, last, symmetries, weights, stored, positions, distinct):  # type: ignore[no-untyped-def]
    """Count stored bytes: all positions, and distinct ones in blocks without symmetries.

    Args:
        first, last: range of blocks.
        symmetries: number of symmetries of each block's set, itself unchanged included.
        weights: positions that one slot of each block stands for.
        stored: stored bytes by (block, rank).
        positions, distinct: 256 counts each, added to.
    """
    counts = np.zeros((2, 256), dtype=np.int64)
    for x in range(first, last):
        counts[:] = 0
        count_row(stored[x], counts)
        for value in range(256):
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
