"""What captures are worth: by the major side, by the minor side, and of two stones at once.

Array names: `x` block number, `p` and `q` patterns, `r` ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel, step
from solver.kernels.frames import fill_open_lines, mill_points, open_lines
from solver.kernels.ranks import (
    Ranks,
    fill_permutation,
    half,
    permutation_width,
    permuted,
    rank_in_frame,
)
from solver.kernels.sets import PROTECT_NONE, PROTECT_WHILE_OTHERS, Moves
from solver.kernels.values import NO_TURN, largest, score_block
from solver.widths import Stored


class Removal(NamedTuple):
    """What taking major stones leads to."""

    moves: Moves  # removals, by block
    ranks: Ranks  # of the minor sets in a frame of so many points more
    solved: Stored  # stored entries of the sector it leads to; none if it wins at once


class Taking(NamedTuple):
    """How to take a stone from minor sets of one size."""

    patterns: npt.NDArray[np.int32]  # the sets by rank
    ranks: Ranks  # their rank tables
    smaller: Ranks  # those of the sets with one stone fewer
    smaller_ranks: npt.NDArray[np.int32]  # by (rank, number), the rank there with one stone taken
    solved: Stored  # entries of the sector then, by (block, rank); none if it wins at once


@kernel
def major_captures(first, last, holders, protection, points, frames, one, another, double, out):  # type: ignore[no-untyped-def]
    """Score the captures open to the major side once it has closed a mill, or two at once.

    Args:
        first, last: range of `holders` to do.
        holders: blocks whose set holds a mill.
        protection: which minor stones may be taken, see :mod:`solver.kernels.sets`.
        points: points of a frame.
        frames: :class:`FrameEdges` of the major sets.
        one: the :class:`Taking` of a stone.
        another: that of a second one, from the sets that are left.
        double: whether a second one is taken.
        out: scores by (place in `holders`, rank); NO_TURN where nothing may be taken.
    """
    table = np.zeros(2 << half(points), dtype=frames.bit_lines.dtype)
    value = np.zeros(one.smaller.total, dtype=out.dtype)
    value_twice = np.zeros(another.smaller.total, dtype=out.dtype)
    left = np.zeros(another.ranks.total, dtype=out.dtype)
    protected = np.zeros(max(one.ranks.total, another.ranks.total) + 1, dtype=np.int32)
    for place in range(first, last):
        x = np.int64(holders[place])
        score_solved(x, one.solved, value)
        if double:
            score_solved(x, another.solved, value_twice)
            best_removals(
                x, protection, points, frames, another, value_twice, table, protected, left
            )
            # Where no second stone may go, the first is all.
            for r in range(len(value)):
                if left[r] != NO_TURN:
                    value[r] = left[r]
        best_removals(
            x, protection, points, frames, one, value, table, protected,
            out[place, : one.ranks.total],
        )  # fmt: skip


@step
def score_solved(x, solved, value):  # type: ignore[no-untyped-def]
    """Fill `value` with the scores of block `x` of a solved sector; of wins if there is none."""
    size = len(value)
    if len(solved) == 0:
        value[:] = largest(value)
    else:
        score_block(solved[x * size : (x + 1) * size], largest(value), value)


@step
def best_removals(x, protection, points, frames, taking, value, table, protected, out):  # type: ignore[no-untyped-def]
    """Set each entry of `out` to the greatest value that taking a stone of a minor set gives."""
    # As if every stone could be taken; then those sets anew that hold a mill.
    take_best(taking.smaller_ranks, value, out)
    if protection != PROTECT_NONE:
        found = find_mills(x, points, taking.patterns, frames, table, protected)
        score_removals(x, found, protected, protection, frames, taking, value, out)


@step
def take_best(numbers, value, out):  # type: ignore[no-untyped-def]
    """Set each entry of `out` to the greatest of the values its row of `numbers` points to."""
    for r in range(len(out)):
        row = numbers[np.uint64(r)]
        greatest = np.int64(0)
        for number in range(len(row)):
            greatest = max(greatest, np.int64(value[np.uint64(row[np.uint64(number)])]))
        out[np.uint64(r)] = greatest


@step
def score_removals(x, found, listed, protection, frames, taking, value, out):  # type: ignore[no-untyped-def]
    """Score, for the listed minor sets of block `x`, the best removal of a stone that may be."""
    ranks = taking.ranks
    low, high = taking.smaller.low, taking.smaller.high
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    for number in range(found):
        p = np.int64(listed[np.uint64(number)])
        stones = p & ~mill_points(p, frames.line, first_line, last_line)
        if stones == 0 and protection == PROTECT_WHILE_OTHERS:
            stones = p
        best = np.int64(NO_TURN)
        while stones != 0:
            q = p & ~(stones & -stones)
            stones &= stones - 1
            best = max(best, np.int64(value[np.uint64(rank_in_frame(q, low, high))]))
        out[np.uint64(rank_in_frame(p, ranks.low, ranks.high))] = best


@step
def find_mills(x, points, patterns, frames, table, holders):  # type: ignore[no-untyped-def]
    """List the patterns of block `x` that hold a mill; return their number.

    `table` is room for chunk tables.
    """
    width = half(points)
    full = (1 << points) - 1
    lines = (1 << (frames.line_start[x + 1] - frames.line_start[x])) - 1
    fill_open_lines(frames.bit_lines[x], points, width, table)
    found = 0
    for r in range(len(patterns)):
        p = np.int64(patterns[np.uint64(r)])
        # Written always and kept only if it counts: cheaper than a branch nobody can foresee.
        holders[np.uint64(found)] = p
        found += np.int64(open_lines(full & ~p, width, table) != lines)
    return found


@step
def score_removal(x, points, found, holders, removal, table, scores, taken):  # type: ignore[no-untyped-def]
    """Raise the score of each listed pattern of block `x` to the best that a removal gives.

    Args:
        x: the block.
        points: points of its frame.
        found, holders: the patterns.
        removal: :class:`Removal`.
        table: room for the tables of a permutation.
        scores: score by stored entry.
        taken: by place in `holders`.
    """
    size = removal.ranks.total
    width = permutation_width(points)
    for entry in range(removal.moves.start[x], removal.moves.start[x + 1]):
        if len(removal.solved) == 0:
            taken[:found] = largest(taken)
            return
        fill_permutation(removal.moves.permutation[entry], points, table)
        begin = np.int64(removal.moves.target[entry]) * size
        block = removal.solved[begin : begin + size]
        score_left(found, holders, removal.ranks, width, table, block, scores, taken)


@step
def score_left(found, holders, ranks, width, table, block, scores, taken):  # type: ignore[no-untyped-def]
    """Raise the score of each listed pattern to what taking certain major stones gives."""
    low, high = ranks.low, ranks.high
    for number in range(found):
        q = permuted(np.int64(holders[np.uint64(number)]), width, table)
        value = block[np.uint64(rank_in_frame(q, low, high))]
        taken[np.uint64(number)] = max(taken[np.uint64(number)], scores[value])


@kernel
def list_larger(points, patterns, after, out):  # type: ignore[no-untyped-def]
    """List, for every minor set, the ranks of the sets with one of its free points added."""
    full = (1 << points) - 1
    for r in range(len(patterns)):
        targets = full & ~np.int64(patterns[r])
        list_changed(np.int64(patterns[r]), targets, after, out[r])


@kernel
def list_smaller(patterns, after, out):  # type: ignore[no-untyped-def]
    """List, for every minor set, the ranks of the sets with one of its points taken away."""
    for r in range(len(patterns)):
        list_changed(np.int64(patterns[r]), np.int64(patterns[r]), after, out[r])


@step
def list_changed(p, points, after, out):  # type: ignore[no-untyped-def]
    """List the ranks of a pattern with each of some points changed, one at a time."""
    number = 0
    while points != 0:
        out[number] = rank_in_frame(p ^ (points & -points), after.low, after.high)
        points &= points - 1
        number += 1
