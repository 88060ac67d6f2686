"""Placing sectors: one pass, because every turn leaves the sector.

The first player's colour is major throughout the placing phase.  A stone the major side places
leads to another block, through a permutation of the free points; one the minor side places stays
inside the block.  Captures are scored as in :mod:`solver.kernels.capture`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.capture import find_mills, raise_scores, score_removal
from solver.kernels.frames import mill_points
from solver.kernels.ranks import fill_permutation, half, permuted, rank_of
from solver.kernels.values import DRAW, DRAW_SCORE, settle_depth


@step
def stored_value(score):  # type: ignore[no-untyped-def]
    """Return the stored byte of a slot by the score of its best turn."""
    return settle_depth(score) | (DRAW * np.int64(score == DRAW_SCORE))


@kernel
def place_major(first, last, points, patterns, ranks, without, placements, after, following, closing, row, captures, scores, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the major side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        patterns, ranks: all minor sets by rank, and their rank tables.
        without: ranks of the minor sets that leave a point free, by (point of the frame, number).
        placements: :class:`Moves` that add a major stone and take none, permutations outward.
        after: rank tables of the same minor sets in a frame of one point fewer.
        following: stored bytes of the sector those lead to.
        closing: :class:`Moves` that add a stone and close a mill with something to take.
        row: place in `captures` by block of the larger major set.
        captures: scores, see :func:`solver.kernels.capture.major_captures`; spare column last.
        scores: score by stored byte.
        out: stored bytes by (block, rank).
    """
    width = half(points)
    table = np.zeros(2 << width, dtype=np.int32)
    best = np.zeros(ranks.total, dtype=np.uint8)
    for x in range(first, last):
        best[:] = 0
        for entry in range(placements.start[x], placements.start[x + 1]):
            permutation = placements.permutation[entry]
            fill_permutation(permutation, points, width, table)
            begin = np.int64(placements.target[entry]) * after.total
            block = following[begin : begin + after.total]
            free = without[point_without_place(permutation, points)]
            raise_values(free, patterns, width, table, after, block, scores, best)
        for entry in range(closing.start[x], closing.start[x + 1]):
            fill_permutation(closing.permutation[entry], points, width, table)
            raise_scores(patterns, after, width, table, captures[row[closing.target[entry]]], best)
        for r in range(ranks.total):
            out[x, r] = stored_value(np.int64(best[r]))


@step
def point_without_place(permutation, points):  # type: ignore[no-untyped-def]
    """Return the point of the frame that a permutation takes nowhere: the one placed on."""
    for point in range(points):
        if permutation[point] == points - 1:
            return point
    return -1


@step
def raise_values(free, patterns, width, table, after, following, scores, best):  # type: ignore[no-untyped-def]
    """Raise ``best`` to what one placement gives, for each minor set that leaves its point free."""
    low, high, low_bits = after.low, after.high, after.low_bits
    for number in range(len(free)):
        r = np.uint64(free[np.uint64(number)])
        q = permuted(np.int64(patterns[r]), width, table)
        score = scores[following[np.uint64(rank_of(q, low, high, low_bits))]]
        best[r] = max(best[r], score)


@kernel
def place_minor(first, last, points, total, after_patterns, ranks, after, frames, following, removals, larger, solved, wins, scores, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the minor side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        total: slots of a block.
        after_patterns: minor sets of one stone more, by rank.
        ranks, after: rank tables of the minor sets before and after the placement.
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
    table = np.zeros(2 << width, dtype=np.int32)
    best = np.zeros(total, dtype=np.uint8)
    value = np.zeros(after.total, dtype=np.uint8)
    holders = np.zeros(after.total + 1, dtype=np.int32)
    taken = np.zeros(after.total, dtype=np.uint8)
    for x in range(first, last):
        block = following[x * after.total : (x + 1) * after.total]
        found = find_mills(x, after_patterns, frames, holders)
        first_removal = removals.start[x]
        last_removal = removals.start[x + 1]
        if wins:
            taken[:found] = 255
        else:
            taken[:found] = 0
            for entry in range(first_removal, last_removal):
                fill_permutation(removals.permutation[entry], points, width, table)
                begin = np.int64(removals.target[entry]) * larger.total
                smaller_block = solved[begin : begin + larger.total]
                score_removal(found, holders, larger, width, table, smaller_block, scores, taken)
        best[:] = 0
        for r in range(after.total):
            value[r] = scores[block[r]]
        undo_placements(
            x, after_patterns, ranks, frames, value, taken, first_removal == last_removal, best
        )
        for r in range(total):
            out[x, r] = stored_value(np.int64(best[r]))


@step
def undo_placements(x, after_patterns, ranks, frames, value, taken, nothing_to_take, best):  # type: ignore[no-untyped-def]
    """Hand scores back from every minor set of block `x` to those with one stone fewer.

    The patterns that hold a mill come in the same order as in :func:`find_mills`, so their scores
    in `taken` are met one after the other.
    """
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    holder = 0
    for r in range(len(after_patterns)):
        p = np.int64(after_patterns[np.uint64(r)])
        mills = mill_points(p, frames.line, first_line, last_line)
        plain = value[np.uint64(r)]
        capture = plain
        if mills != 0:
            if not nothing_to_take:
                capture = taken[np.uint64(holder)]
            holder += 1
        stones = p
        while stones != 0:
            stone = stones & -stones
            stones &= stones - 1
            score = capture if mills & stone else plain
            before = np.uint64(rank_of(p & ~stone, low, high, low_bits))
            best[before] = max(best[before], score)


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


@kernel
def list_without(points, patterns, without):  # type: ignore[no-untyped-def]
    """List, for every point of a frame, the ranks of the minor sets that leave it free."""
    for point in range(points):
        number = 0
        for r in range(len(patterns)):
            if not (patterns[r] >> point) & 1:
                without[point, number] = r
                number += 1
