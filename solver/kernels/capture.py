"""Initial values: what each side gets by leaving the unit, and how many quiet moves it has.

Array names: `x` block number, `p` and `q` patterns, `r` ranks; `depth` and `open_moves` are the
working tables, one row of entries per block; `top` is the greatest number of as many bits.
"""

from __future__ import annotations

from typing import NamedTuple

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
    twice_mill_points,
)
from solver.kernels.ranks import (
    Ranks,
    fill_permutation,
    fill_run_tables,
    half,
    permutation_room,
    permutation_width,
    permuted,
    rank_in_frame,
    run_room,
    spare_rank,
)
from solver.kernels.sets import PROTECT_NONE, PROTECT_WHILE_OTHERS, Moves
from solver.kernels.values import (
    NO_TURN,
    Entries,
    largest,
    plant,
    score_block,
    settle_depth,
    settle_moves,
)


class Removal(NamedTuple):
    """What taking major stones leads to."""

    moves: Moves  # removals, by block
    ranks: Ranks  # of the minor sets in a frame of so many points more
    solved: Entries  # stored entries of the sector it leads to; none if it wins at once


@kernel
def major_captures(
    first,
    last,
    holders,
    protection,
    points,
    frames,
    patterns,
    ranks,
    smaller,
    smaller_ranks,
    solved,
    out,
):  # type: ignore[no-untyped-def]
    """Score the captures open to the major side once it has closed a mill.

    Args:
        first, last: range of `holders` to do.
        holders: blocks whose set holds a mill.
        protection: which minor stones may be taken, see :mod:`solver.kernels.sets`.
        points: points of a frame.
        frames: :class:`FrameEdges` of the major sets.
        patterns, ranks: all minor sets by rank, and their rank tables.
        smaller: rank tables for one minor stone fewer.
        smaller_ranks: by (rank, number), the rank there with one stone taken.
        solved: stored entries of the sector with one minor stone fewer, minor side to move, by
            (block, rank); none if taking a stone wins at once.
        out: scores by (place in `holders`, rank); NO_TURN where nothing may be taken.
    """
    table = np.zeros(2 << half(points), dtype=frames.bit_lines.dtype)
    value = np.zeros(smaller.total, dtype=out.dtype)
    protected = np.zeros(ranks.total + 1, dtype=np.int32)
    for place in range(first, last):
        x = np.int64(holders[place])
        score_solved(x, solved, value)
        best_removals(
            x, protection, points, frames, patterns, ranks, smaller, smaller_ranks, value, table,
            protected, out[place, : ranks.total],
        )  # fmt: skip


@kernel
def major_double_captures(
    first,
    last,
    holders,
    protection,
    points,
    frames,
    patterns,
    ranks,
    smaller,
    smaller_ranks,
    left_patterns,
    smallest,
    left_ranks,
    solved,
    solved_twice,
    out,
):  # type: ignore[no-untyped-def]
    """Score what the major side gets by closing two mills at once, which takes two stones.

    Args:
        first, last, holders, protection, points, frames, patterns, ranks: see `major_captures`.
        smaller, smaller_ranks, solved: see there, for one stone.
        left_patterns: the sets with one stone fewer, by rank.
        smallest, left_ranks: rank tables for two stones fewer, and the ranks there by (rank with
            one fewer, number).
        solved_twice: like `solved`, with two stones fewer.
        out: scores by (place in `holders`, rank).
    """
    table = np.zeros(2 << half(points), dtype=frames.bit_lines.dtype)
    value = np.zeros(smaller.total, dtype=out.dtype)
    value_twice = np.zeros(smallest.total, dtype=out.dtype)
    left = np.zeros(smaller.total, dtype=out.dtype)
    protected = np.zeros(max(ranks.total, smaller.total) + 1, dtype=np.int32)
    for place in range(first, last):
        x = np.int64(holders[place])
        score_solved(x, solved, value)
        score_solved(x, solved_twice, value_twice)
        best_removals(
            x, protection, points, frames, left_patterns, smaller, smallest, left_ranks,
            value_twice, table, protected, left,
        )  # fmt: skip
        # Where no second stone may go, the first is all.
        for r in range(smaller.total):
            if left[r] == NO_TURN:
                left[r] = value[r]
        best_removals(
            x, protection, points, frames, patterns, ranks, smaller, smaller_ranks, left, table,
            protected, out[place, : ranks.total],
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
def best_removals(
    x,
    protection,
    points,
    frames,
    patterns,
    ranks,
    smaller,
    smaller_ranks,
    value,
    table,
    protected,
    out,
):  # type: ignore[no-untyped-def]
    """Set each entry of `out` to the greatest value that taking a stone of a minor set gives."""
    # As if every stone could be taken; then those sets anew that hold a mill.
    take_best(smaller_ranks, value, out)
    if protection != PROTECT_NONE:
        found = find_mills(x, points, patterns, frames, table, protected)
        score_removals(x, found, protected, protection, frames, ranks, smaller, value, out)


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
def score_removals(x, found, listed, protection, frames, ranks, smaller, value, out):  # type: ignore[no-untyped-def]
    """Score, for the listed minor sets of block `x`, the best removal of a stone that may be."""
    low, high = smaller.low, smaller.high
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


@kernel
def start_major(
    first,
    last,
    place,
    points,
    patterns,
    ranks,
    runs,
    arrivals,
    closing,
    row,
    captures,
    unpaid,
    exits,
    table,
):  # type: ignore[no-untyped-def]
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
        row: row in `captures` of each of these moves.
        captures: scores, see :func:`major_captures`; the last column is a spare and holds 0.
        unpaid: whether a mill may take nothing, which makes the move a quiet one.
        exits: scores of the turns that leave the unit without moving a stone on the board, by
            (block, rank); none if there are no such turns.
        table: :class:`Working`, out.
    """
    width = half(points)
    room = np.zeros(run_room(points), dtype=np.int32)
    low_image = np.zeros(len(runs.low_part), dtype=np.int32)
    high_image = np.zeros(len(runs.high_part), dtype=np.int32)
    sums = np.zeros(2 << width, dtype=np.int32)
    best = np.zeros(ranks.total, dtype=captures.dtype)
    further = np.zeros(ranks.total, dtype=np.uint8)
    ends = np.zeros(len(table.seeds.waiting), dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        begin_with(x, exits, best)
        if unpaid:
            further[:] = 0
        for entry in range(closing.start[x], closing.start[x + 1]):
            permutation = closing.permutation[entry]
            fill_run_tables(permutation, points, runs, room, low_image, high_image)
            scores = captures[row[entry]]
            raise_scores(runs, low_image, high_image, ranks, scores, best)
            if unpaid:
                count_unpaid(runs, low_image, high_image, ranks, scores, further)
        total = fill_sums(arrivals[x], points, width, sums)
        depth, open_moves = table.depth[x, : ranks.total], table.open_moves[x, : ranks.total]
        count_quiet(patterns, width, total, sums, further, best, depth, open_moves)
        place = plant(x, place, depth, open_moves, table.seeds, ends, listed)


@step
def begin_with(x, exits, best):  # type: ignore[no-untyped-def]
    """Set the best scores of block `x` to those of its exits; to NO_TURN if there are none."""
    for r in range(len(best)):
        best[r] = NO_TURN if len(exits) == 0 else exits[x, r]


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
    for number in range(len(runs.high_part)):
        size = runs.low_size[number]
        image = high_image[np.uint64(number)]
        for entry in range(runs.start[size], runs.start[size + 1]):
            r = rank_in_frame(np.int64(low_image[np.uint64(entry)] | image), low, high)
            score = scores[np.uint64(spare_rank(r, ranks.total))]
            best[np.uint64(place)] = max(best[np.uint64(place)], score)
            place += 1


@step
def count_unpaid(runs, low_image, high_image, ranks, scores, further):  # type: ignore[no-untyped-def]
    """Count a move that closes a mill where it takes nothing; arguments as in `raise_scores`."""
    low, high = ranks.low, ranks.high
    place = 0
    for number in range(len(runs.high_part)):
        size = runs.low_size[number]
        image = high_image[np.uint64(number)]
        for entry in range(runs.start[size], runs.start[size + 1]):
            r = rank_in_frame(np.int64(low_image[np.uint64(entry)] | image), low, high)
            nothing = scores[np.uint64(spare_rank(r, ranks.total))] == NO_TURN
            further[np.uint64(place)] += nothing & (r < ranks.total)
            place += 1


@step
def count_quiet(patterns, width, total, sums, further, best, depth, open_moves):  # type: ignore[no-untyped-def]
    """Set depth and open moves, given the sums of moves that a minor set's stones block.

    `further` counts quiet moves besides.
    """
    top = largest(depth)
    for r in range(len(patterns)):
        quiet = total - pattern_sum(np.int64(patterns[np.uint64(r)]), width, sums)
        quiet += np.int64(further[np.uint64(r)])
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score, top)
        open_moves[np.uint64(r)] = settle_moves(score, quiet, top)


@kernel
def start_minor(
    first,
    last,
    place,
    points,
    flying,
    patterns,
    ranks,
    frames,
    one,
    two,
    lone,
    double,
    scores,
    exits,
    table,
):  # type: ignore[no-untyped-def]
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
        frames: :class:`FrameEdges` of the major sets, without lines where mills take nothing.
        one: the :class:`Removal` of one major stone.
        two, lone: those of two, and of one where no second may go, for two mills closed at once.
        double: whether these two count.
        scores: score by stored entry.
        exits: as in :func:`start_major`.
        table: :class:`Working`, out.
    """
    width = half(points)
    chunks = np.zeros(permutation_room(points), dtype=np.int32)
    line_table = np.zeros(2 << width, dtype=frames.bit_lines.dtype)
    parities = np.zeros(2 << width, dtype=np.int64)
    best = np.zeros(ranks.total, dtype=scores.dtype)
    quiet = np.zeros(ranks.total, dtype=np.uint8)
    holders = np.zeros(ranks.total + 1, dtype=np.int32)
    taken = np.zeros(ranks.total, dtype=scores.dtype)
    taken_twice = np.zeros(ranks.total if double else 0, dtype=scores.dtype)
    ends = np.zeros(len(table.seeds.waiting), dtype=np.int64)
    listed = np.zeros(ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        fill_edge_parities(frames.bit_edges[x], points, width, parities)
        found = find_mills(x, points, patterns, frames, line_table, holders)
        taken[:found] = NO_TURN
        score_removal(x, points, found, holders, one, chunks, scores, taken)
        if double:
            taken_twice[:found] = NO_TURN
            score_removal(x, points, found, holders, two, chunks, scores, taken_twice)
            score_removal(x, points, found, holders, lone, chunks, scores, taken_twice)
        begin_with(x, exits, best)
        if flying:
            quiet[:] = ranks.size * (points - ranks.size)
            undo_flights(x, points, found, holders, ranks, frames, taken, taken_twice, best, quiet)
        else:
            for r in range(ranks.total):
                quiet[r] = popcount(edge_parities(np.int64(patterns[r]), width, parities))
            undo_slides(
                x, width, found, holders, ranks, frames, parities, taken, taken_twice, best, quiet
            )
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


@step
def undo_slides(x, width, found, holders, ranks, frames, parities, taken, taken_twice, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the slides that closed their mills.

    Slides that closed two hand back those of `taken_twice`, if it has any.
    """
    first_edge = frames.edge_start[x]
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    low, high = ranks.low, ranks.high
    double = len(taken_twice) != 0
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        edges = 0
        twice = 0
        for which in range(first_line, last_line):
            line = np.int64(frames.line[np.uint64(which)])
            if (p & line) == line:
                twice |= edges & frames.line_edges[np.uint64(which)]
                edges |= frames.line_edges[np.uint64(which)]
        edges &= edge_parities(p, width, parities)
        score = taken[np.uint64(number)]
        while edges != 0:
            q = p ^ np.int64(frames.edge[np.uint64(first_edge + trailing_zeros(edges))])
            r = np.uint64(rank_in_frame(q, low, high))
            if double and twice & (edges & -edges) != 0:
                best[r] = max(best[r], taken_twice[np.uint64(number)])
            else:
                best[r] = max(best[r], score)
            edges &= edges - 1
            quiet[r] -= 1


@step
def undo_flights(x, points, found, holders, ranks, frames, taken, taken_twice, best, quiet):  # type: ignore[no-untyped-def]
    """Hand the listed patterns' scores back along the flights that closed their mills."""
    full = (1 << points) - 1
    low, high = ranks.low, ranks.high
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    double = len(taken_twice) != 0
    for number in range(found):
        p = np.int64(holders[np.uint64(number)])
        stones = mill_points(p, frames.line, first_line, last_line)
        twice = 0
        if double:
            twice = twice_mill_points(p, frames.line, first_line, last_line)
        while stones != 0:
            kept = p & ~(stones & -stones)
            score = taken[np.uint64(number)]
            if twice & (stones & -stones) != 0:
                score = taken_twice[np.uint64(number)]
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
    """Set depth and open moves of a row from best exits and numbers of quiet moves."""
    top = largest(depth)
    for r in range(len(best)):
        score = np.int64(best[np.uint64(r)])
        depth[np.uint64(r)] = settle_depth(score, top)
        open_moves[np.uint64(r)] = settle_moves(score, np.int64(quiet[np.uint64(r)]), top)


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
