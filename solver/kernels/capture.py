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
from solver.kernels.ranks import (
    FRAME_BITS,
    fill_permutation,
    fill_run_tables,
    half,
    permutation_room,
    permuted,
    rank_in_frame,
    spare_rank,
)
from solver.kernels.values import plant, score_block, settle_depth, settle_moves


@kernel
def major_captures(first, last, holders, points, frames, patterns, ranks, smaller, smaller_ranks, solved, out):  # type: ignore[no-untyped-def]
    """Score the captures open to the major side once it has closed a mill.

    Args:
        first, last: range of `holders` to do.
        holders: blocks whose set holds a mill.
        points: points of a frame.
        frames: :class:`FrameEdges` of the major sets.
        patterns, ranks: all minor sets by rank, and their rank tables.
        smaller: rank tables for one minor stone fewer.
        smaller_ranks: by (rank, number), the rank there with one stone taken.
        solved: stored bytes of the sector with one minor stone fewer, minor side to move, by
            (block, rank).
        out: scores by (place in `holders`, rank).
    """
    table = np.zeros(2 << half(points), dtype=np.int32)
    value = np.zeros(smaller.total, dtype=np.uint8)
    protected = np.zeros(ranks.total + 1, dtype=np.int32)
    for place in range(first, last):
        x = np.int64(holders[place])
        score_block(solved[x * smaller.total : (x + 1) * smaller.total], value)
        # As if every stone could be taken; then those sets anew that hold a mill.
        take_best(smaller_ranks, value, out[place, : ranks.total])
        found = find_mills(x, points, patterns, frames, table, protected)
        score_removals(x, found, protected, frames, ranks, smaller, value, out[place])


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
def score_removals(x, found, listed, frames, ranks, smaller, value, out):  # type: ignore[no-untyped-def]
    """Score, for the listed minor sets of block `x`, the best removal of a stone that may be."""
    low, high = smaller.low, smaller.high
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    for number in range(found):
        p = np.int64(listed[np.uint64(number)])
        stones = p & ~mill_points(p, frames.line, first_line, last_line)
        if stones == 0:
            stones = p
        best = np.int64(0)
        while stones != 0:
            q = p & ~(stones & -stones)
            stones &= stones - 1
            best = max(best, np.int64(value[np.uint64(rank_in_frame(q, low, high))]))
        out[np.uint64(rank_in_frame(p, ranks.low, ranks.high))] = best


@kernel
def start_major(first, last, place, points, patterns, ranks, runs, arrivals, closing, row, captures, table):  # type: ignore[no-untyped-def]
    """Set depth and open quiet moves of every slot with the major side to move.

    Args:
        first, last: range of blocks.
        place: first entry of the seeds this range may use.
        points: points of a frame.
        patterns: all minor sets by rank.
        ranks: their rank tables.
        runs: :class:`Runs` of the same sets.
        arrivals: number of quiet moves of the major side to each point of the frame, by block.
        closing: :class:`Moves` that close a mill, permutations outward.
        row: place of each block in `captures`.
        captures: scores, see :func:`major_captures`; the last column is a spare and holds 0.
        table: :class:`Working`, out.
    """
    width = half(points)
    room = np.zeros(len(runs.low_part), dtype=np.int32)
    low_image = np.zeros(len(runs.low_part), dtype=np.int32)
    high_image = np.zeros(runs.high_parts, dtype=np.int32)
    sums = np.zeros(2 << width, dtype=np.int32)
    best = np.zeros(ranks.total, dtype=np.uint8)
    ends = np.zeros(256, dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        best[:] = 0
        for entry in range(closing.start[x], closing.start[x + 1]):
            permutation = closing.permutation[entry]
            fill_run_tables(permutation, points, runs, room, low_image, high_image)
            scores = captures[row[closing.target[entry]]]
            raise_scores(runs, low_image, high_image, ranks, scores, best)
        total = fill_sums(arrivals[x], points, width, sums)
        depth, open_moves = table.depth[x, : ranks.total], table.open_moves[x, : ranks.total]
        count_quiet(patterns, width, total, sums, best, depth, open_moves)
        place = plant(x, place, depth, open_moves, table.seeds, ends, listed)


@step
def raise_scores(runs, low_image, high_image, ranks, scores, best):  # type: ignore[no-untyped-def]
    """Raise ``best`` of each minor set to the score of its image under a permutation.

    Args:
        runs: :class:`Runs` of the minor sets.
        low_image, high_image: what their parts become, see :func:`fill_run_tables`.
        ranks: their rank tables.
        scores: by rank; one more, for all without an image, is a spare and holds 0.
        best: by rank.
    """
    low, high = ranks.low, ranks.high
    place = 0
    for high_part in range(runs.high_parts):
        size = runs.size - popcount(high_part)
        if size < 0 or size > FRAME_BITS:
            continue
        image = high_image[np.uint64(high_part)]
        for entry in range(runs.start[size], runs.start[size + 1]):
            r = rank_in_frame(np.int64(low_image[np.uint64(entry)] | image), low, high)
            score = scores[np.uint64(spare_rank(r, ranks.total))]
            best[np.uint64(place)] = max(best[np.uint64(place)], score)
            place += 1


@step
def count_quiet(patterns, width, total, sums, best, depth, open_moves):  # type: ignore[no-untyped-def]
    """Set depth and open moves, given the sums of moves that a minor set's stones block."""
    for r in range(len(patterns)):
        quiet = total - pattern_sum(np.int64(patterns[np.uint64(r)]), width, sums)
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score)
        open_moves[np.uint64(r)] = settle_moves(score, quiet)


@kernel
def start_minor(first, last, place, points, flying, patterns, ranks, frames, removals, larger, solved, scores, table):  # type: ignore[no-untyped-def]
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
        table: :class:`Working`, out.
    """
    width = half(points)
    chunks = np.zeros(max(2 << width, permutation_room(points)), dtype=np.int32)
    parities = np.zeros(2 << width, dtype=np.int64)
    best = np.zeros(ranks.total, dtype=np.uint8)
    quiet = np.zeros(ranks.total, dtype=np.uint8)
    holders = np.zeros(ranks.total + 1, dtype=np.int32)
    taken = np.zeros(ranks.total, dtype=np.uint8)
    ends = np.zeros(256, dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        fill_edge_parities(frames.bit_edges[x], points, width, parities)
        found = find_mills(x, points, patterns, frames, chunks, holders)
        taken[:found] = 0
        for entry in range(removals.start[x], removals.start[x + 1]):
            fill_permutation(removals.permutation[entry], points, chunks)
            begin = np.int64(removals.target[entry]) * larger.total
            block = solved[begin : begin + larger.total]
            score_removal(found, holders, larger, chunks, block, scores, taken)
        best[:] = 0
        if flying:
            quiet[:] = ranks.size * (points - ranks.size)
            undo_flights(x, points, found, holders, ranks, frames, taken, best, quiet)
        else:
            for r in range(ranks.total):
                quiet[r] = popcount(edge_parities(np.int64(patterns[r]), width, parities))
            undo_slides(x, width, found, holders, ranks, frames, parities, taken, best, quiet)
        depth, open_moves = table.depth[x, : ranks.total], table.open_moves[x, : ranks.total]
        settle_all(best, quiet, depth, open_moves)
        place = plant(x, place, depth, open_moves, table.seeds, ends, listed)


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
def score_removal(found, holders, larger, table, solved, scores, taken):  # type: ignore[no-untyped-def]
    """Raise the score of each listed pattern to what taking one certain major stone gives."""
    low, high = larger.low, larger.high
    for number in range(found):
        q = permuted(np.int64(holders[np.uint64(number)]), table)
        value = solved[np.uint64(rank_in_frame(q, low, high))]
        taken[np.uint64(number)] = max(taken[np.uint64(number)], scores[value])


@step
def undo_slides(x, width, found, holders, ranks, frames, parities, taken, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the slides that closed their mills."""
    first_edge = frames.edge_start[x]
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    low, high = ranks.low, ranks.high
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
            r = np.uint64(rank_in_frame(q, low, high))
            best[r] = max(best[r], score)
            quiet[r] -= 1


@step
def undo_flights(x, points, found, holders, ranks, frames, taken, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the flights that closed their mills."""
    full = (1 << points) - 1
    low, high = ranks.low, ranks.high
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
                r = np.uint64(rank_in_frame(q, low, high))
                best[r] = max(best[r], score)
                quiet[r] -= 1


@step
def settle_all(best, quiet, depth, open_moves):  # type: ignore[no-untyped-def]
    """Set depth and open moves of a row from best captures and numbers of quiet moves."""
    for r in range(len(best)):
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score)
        open_moves[np.uint64(r)] = settle_moves(score, np.int64(quiet[np.uint64(r)]))


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
