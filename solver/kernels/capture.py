"""Initial values: what each side gets by capturing, and how many quiet moves it has.

Array names: `x` block number, `p` and `q` patterns, `r` ranks; `depth` and `open_moves` are the
working tables, one row of bytes per block.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount, trailing_zeros
from solver.kernels.frames import (
    edge_parities,
    fill_edge_parities,
    fill_open_lines,
    fill_sums,
    mill_points,
    open_lines,
    pattern_sum,
)
from solver.kernels.ranks import fill_permutation, half, permuted, rank_of, spare_rank
from solver.kernels.values import plant, settle_depth, settle_moves


@kernel
def major_captures(first, last, holders, frames, patterns, smaller, solved, scores, out):  # type: ignore[no-untyped-def]
    """Score the captures open to the major side once it has closed a mill.

    Args:
        first, last: range of `holders` to do.
        holders: blocks whose set holds a mill.
        frames: :class:`FrameEdges` of the major sets.
        patterns: all minor sets by rank.
        smaller: rank tables for one minor stone fewer.
        solved: stored bytes of the sector with one minor stone fewer, minor side to move, by
            (block, rank).
        scores: score by stored byte.
        out: scores by (place in `holders`, rank).
    """
    for place in range(first, last):
        x = np.int64(holders[place])
        begin = x * smaller.total
        block = solved[begin : begin + smaller.total]
        score_removals(x, frames, patterns, smaller, block, scores, out[place])


@step
def score_removals(x, frames, patterns, smaller, solved, scores, out):  # type: ignore[no-untyped-def]
    """Score, for each minor set of block `x`, the best removal of a minor stone."""
    low, high, low_bits = smaller.low, smaller.high, smaller.low_bits
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    for r in range(len(patterns)):
        p = np.int64(patterns[np.uint64(r)])
        stones = p & ~mill_points(p, frames.line, first_line, last_line)
        if stones == 0:
            stones = p
        best = 0
        while stones != 0:
            q = p & ~(stones & -stones)
            stones &= stones - 1
            value = solved[np.uint64(rank_of(q, low, high, low_bits))]
            best = max(best, np.int64(scores[value]))
        out[np.uint64(r)] = best


@kernel
def start_major(first, last, place, points, patterns, ranks, arrivals, closing, row, captures, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """Set depth and open quiet moves of every slot with the major side to move.

    Args:
        first, last: range of blocks.
        place: first entry of the seeds this range may use.
        points: points of a frame.
        patterns: all minor sets by rank.
        ranks: their rank tables.
        arrivals: number of quiet moves of the major side to each point of the frame, by block.
        closing: :class:`Moves` that close a mill, permutations outward.
        row: place of each block in `captures`.
        captures: scores, see :func:`major_captures`; the last column is a spare and holds 0.
        depth, open_moves: working tables, out.
        seeds: :class:`Seeds`, out.
    """
    width = half(points)
    table = np.zeros(2 << width, dtype=np.int32)
    sums = np.zeros(2 << width, dtype=np.int32)
    best = np.zeros(ranks.total, dtype=np.uint8)
    ends = np.zeros(256, dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        best[:] = 0
        for entry in range(closing.start[x], closing.start[x + 1]):
            fill_permutation(closing.permutation[entry], points, width, table)
            scores = captures[row[closing.target[entry]]]
            raise_scores(patterns, ranks, width, table, scores, best)
        total = fill_sums(arrivals[x], points, width, sums)
        count_quiet(patterns, width, total, sums, best, depth[x], open_moves[x])
        place = plant(
            x, place, depth[x, : ranks.total], open_moves[x, : ranks.total], seeds, ends, listed
        )


@step
def raise_scores(patterns, ranks, width, table, scores, best):  # type: ignore[no-untyped-def]
    """Raise ``best`` of each minor set to the score of its image under a permutation."""
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    for r in range(len(patterns)):
        q = permuted(np.int64(patterns[np.uint64(r)]), width, table)
        score = scores[np.uint64(spare_rank(rank_of(q, low, high, low_bits), ranks.total))]
        best[np.uint64(r)] = max(best[np.uint64(r)], score)


@step
def count_quiet(patterns, width, total, sums, best, depth, open_moves):  # type: ignore[no-untyped-def]
    """Set depth and open moves, given the sums of moves that a minor set's stones block."""
    for r in range(len(patterns)):
        quiet = total - pattern_sum(np.int64(patterns[np.uint64(r)]), width, sums)
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score)
        open_moves[np.uint64(r)] = settle_moves(score, quiet)


@kernel
def start_minor(first, last, place, points, flying, patterns, ranks, frames, removals, larger, solved, scores, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """Set depth and open quiet moves of every slot with the minor side to move.

    A minor side's move stays inside the block.  The captures are scored once per minor set that
    holds a mill, then handed back along each move that can have closed it.

    Args:
        first, last: range of blocks.
        place: first entry of the seeds this range may use.
        points: points of a frame.
        flying: whether the minor side's stones may go anywhere.
        patterns: all minor sets by rank.
        ranks: their rank tables.
        frames: :class:`FrameEdges` of the major sets.
        removals: :class:`Moves` that take a major stone.
        larger: rank tables of the minor sets in a frame of one point more.
        solved: stored bytes of the sector with one major stone fewer, that side to move.
        scores: score by stored byte.
        depth, open_moves: working tables, out.
        seeds: :class:`Seeds`, out.
    """
    width = half(points)
    table = np.zeros(2 << width, dtype=np.int32)
    parities = np.zeros(2 << width, dtype=np.int64)
    best = np.zeros(ranks.total, dtype=np.uint8)
    quiet = np.zeros(ranks.total, dtype=np.uint8)
    holders = np.zeros(ranks.total + 1, dtype=np.int32)
    taken = np.zeros(ranks.total, dtype=np.uint8)
    ends = np.zeros(256, dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        fill_edge_parities(frames.bit_edges[x], points, width, parities)
        found = find_mills(x, points, patterns, frames, table, holders)
        taken[:found] = 0
        for entry in range(removals.start[x], removals.start[x + 1]):
            fill_permutation(removals.permutation[entry], points, width, table)
            begin = np.int64(removals.target[entry]) * larger.total
            block = solved[begin : begin + larger.total]
            score_removal(found, holders, larger, width, table, block, scores, taken)
        best[:] = 0
        if flying:
            quiet[:] = ranks.size * (points - ranks.size)
            undo_flights(x, points, found, holders, ranks, frames, taken, best, quiet)
        else:
            for r in range(ranks.total):
                quiet[r] = popcount(edge_parities(np.int64(patterns[r]), width, parities))
            undo_slides(x, width, found, holders, ranks, frames, parities, taken, best, quiet)
        settle_all(best, quiet, depth[x], open_moves[x])
        place = plant(
            x, place, depth[x, : ranks.total], open_moves[x, : ranks.total], seeds, ends, listed
        )


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
def score_removal(found, holders, larger, width, table, solved, scores, taken):  # type: ignore[no-untyped-def]
    """Raise the score of each listed pattern to what taking one certain major stone gives."""
    low, high, low_bits = larger.low, larger.high, larger.low_bits
    for number in range(found):
        q = permuted(np.int64(holders[np.uint64(number)]), width, table)
        value = solved[np.uint64(rank_of(q, low, high, low_bits))]
        taken[np.uint64(number)] = max(taken[np.uint64(number)], scores[value])


@step
def undo_slides(x, width, found, holders, ranks, frames, parities, taken, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the slides that closed their mills."""
    first_edge = frames.edge_start[x]
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        edges = 0
        for which in range(first_line, last_line):
            line = np.int64(frames.line[np.uint64(which)])
            if (p & line) == line:
                edges |= frames.line_edges[np.uint64(which)]
        edges &= edge_parities(p, width, parities)
        score = taken[np.uint64(number)]
        while edges != 0:
            q = p ^ np.int64(frames.edge[np.uint64(first_edge + trailing_zeros(edges))])
            edges &= edges - 1
            r = np.uint64(rank_of(q, low, high, low_bits))
            best[r] = max(best[r], score)
            quiet[r] -= 1


@step
def undo_flights(x, points, found, holders, ranks, frames, taken, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the flights that closed their mills."""
    full = (1 << points) - 1
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        stones = mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
        score = taken[np.uint64(number)]
        while stones != 0:
            kept = p & ~(stones & -stones)
            stones &= stones - 1
            targets = full & ~p
            while targets != 0:
                q = kept | (targets & -targets)
                targets &= targets - 1
                r = np.uint64(rank_of(q, low, high, low_bits))
                best[r] = max(best[r], score)
                quiet[r] -= 1


@step
def settle_all(best, quiet, depth, open_moves):  # type: ignore[no-untyped-def]
    """Set depth and open moves of a row from best captures and numbers of quiet moves."""
    for r in range(len(best)):
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score)
        open_moves[np.uint64(r)] = settle_moves(score, np.int64(quiet[np.uint64(r)]))
