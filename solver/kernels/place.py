"""Placing sectors: one pass, because every turn leaves the sector.

The first player's colour is major throughout the placing phase.  A stone the major side places
leads to another block, through a permutation of the free points; one the minor side places stays
inside the block.  Captures are scored as in :mod:`solver.kernels.capture`.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.capture import find_mills, raise_scores, score_removal
from solver.kernels.ranks import fill_permutation, half, permuted, rank_of
from solver.kernels.values import DRAW, DRAW_SCORE, settle_depth


@step
def stored_value(score):  # type: ignore[no-untyped-def]
    """Return the stored byte of a slot by the score of its best turn."""
    return settle_depth(score) | (DRAW * np.int64(score == DRAW_SCORE))


@kernel
def place_major(first, last, points, total, patterns, free_ranks, free_patterns, placements, after, following, closing, row, captures, scores, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the major side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        total: slots of a block.
        patterns: all minor sets by rank.
        free_ranks, free_patterns: the minor sets that leave a point free, by (point of the frame,
            number).
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
    best = np.zeros(total, dtype=np.uint8)
    for x in range(first, last):
        best[:] = 0
        for entry in range(placements.start[x], placements.start[x + 1]):
            permutation = placements.permutation[entry]
            fill_permutation(permutation, points, width, table)
            begin = np.int64(placements.target[entry]) * after.total
            block = following[begin : begin + after.total]
            point = point_without_place(permutation, points)
            raise_values(
                free_ranks[point], free_patterns[point], width, table, after, block, scores, best
            )
        for entry in range(closing.start[x], closing.start[x + 1]):
            fill_permutation(closing.permutation[entry], points, width, table)
            raise_scores(patterns, after, width, table, captures[row[closing.target[entry]]], best)
        for r in range(total):
            out[x, r] = stored_value(np.int64(best[r]))


@step
def point_without_place(permutation, points):  # type: ignore[no-untyped-def]
    """Return the point of the frame that a permutation takes nowhere: the one placed on."""
    for point in range(points):
        if permutation[point] == points - 1:
            return point
    return -1


@step
def raise_values(ranks, patterns, width, table, after, following, scores, best):  # type: ignore[no-untyped-def]
    """Raise ``best`` to what one placement gives, for each minor set that leaves its point free."""
    low, high, low_bits = after.low, after.high, after.low_bits
    for number in range(len(ranks)):
        q = permuted(np.int64(patterns[np.uint64(number)]), width, table)
        score = scores[following[np.uint64(rank_of(q, low, high, low_bits))]]
        r = np.uint64(ranks[np.uint64(number)])
        best[r] = max(best[r], score)


@kernel
def place_minor(first, last, points, patterns, larger_ranks, after_patterns, after, frames, following, removals, larger, solved, wins, scores, out):  # type: ignore[no-untyped-def]
    """Value the slots in which the minor side places a stone.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        patterns: all minor sets by rank.
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
    table = np.zeros(2 << width, dtype=np.int32)
    value = np.zeros(after.total, dtype=np.uint8)
    holders = np.zeros(after.total + 1, dtype=np.int32)
    taken = np.zeros(after.total, dtype=np.uint8)
    capture = np.zeros(after.total, dtype=np.uint8)
    for x in range(first, last):
        block = following[x * after.total : (x + 1) * after.total]
        for r in range(after.total):
            value[r] = scores[block[r]]
        first_removal = removals.start[x]
        last_removal = removals.start[x + 1]
        takes = wins or first_removal != last_removal
        if takes:
            found = find_mills(x, points, after_patterns, frames, table, holders)
            taken[:found] = 255 if wins else 0
            for entry in range(first_removal, 0 if wins else last_removal):
                fill_permutation(removals.permutation[entry], points, width, table)
                begin = np.int64(removals.target[entry]) * larger.total
                smaller_block = solved[begin : begin + larger.total]
                score_removal(found, holders, larger, width, table, smaller_block, scores, taken)
            spread_scores(found, holders, after, taken, capture)
        place_block(x, points, takes, patterns, larger_ranks, frames, value, capture, out[x])


@step
def spread_scores(found, holders, after, taken, capture):  # type: ignore[no-untyped-def]
    """Write the scores of the listed patterns where their ranks say."""
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        capture[np.uint64(rank_of(p, after.low, after.high, after.low_bits))] = taken[
            np.uint64(number)
        ]


@step
def place_block(x, points, takes, patterns, larger_ranks, frames, value, capture, out):  # type: ignore[no-untyped-def]
    """Value one block's slots by the best placement (see :func:`place_minor`)."""
    full = (1 << points) - 1
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1] if takes else first_line
    for r in range(len(patterns)):
        p = np.int64(patterns[np.uint64(r)])
        closers = 0
        for number in range(first_line, last_line):
            missing = np.int64(frames.line[np.uint64(number)]) & ~p
            # One point is missing: that one closes the line.
            closers |= missing & -np.int64(missing & (missing - 1) == 0)
        targets = full & ~p
        numbers = larger_ranks[np.uint64(r)]
        best = np.int64(0)
        number = 0
        while targets != 0:
            after = np.uint64(numbers[np.uint64(number)])
            number += 1
            if targets & -targets & closers:
                best = max(best, np.int64(capture[after]))
            else:
                best = max(best, np.int64(value[after]))
            targets &= targets - 1
        out[np.uint64(r)] = stored_value(best)


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
def list_free(points, patterns, ranks, free_patterns):  # type: ignore[no-untyped-def]
    """List, for every point of a frame, the minor sets that leave it free: ranks and patterns."""
    for point in range(points):
        number = 0
        for r in range(len(patterns)):
            if not (patterns[r] >> point) & 1:
                ranks[point, number] = r
                free_patterns[point, number] = patterns[r]
                number += 1


@kernel
def list_larger(points, patterns, after, out):  # type: ignore[no-untyped-def]
    """List, for every minor set, the ranks of the sets with one of its free points added."""
    full = (1 << points) - 1
    for r in range(len(patterns)):
        p = np.int64(patterns[r])
        targets = full & ~p
        number = 0
        while targets != 0:
            q = p | (targets & -targets)
            targets &= targets - 1
            out[r, number] = rank_of(q, after.low, after.high, after.low_bits)
            number += 1
