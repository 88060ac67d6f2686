"""Initial values of a unit: the best turn that leaves it, and how many quiet moves there are.

Array names: `x` block number, `p` and `q` patterns, `r` ranks; `depth` and `open_moves` are the
working tables, one row of entries per block; `top` is the greatest number of as many bits.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount, trailing_zeros
from solver.kernels.capture import find_mills, score_removal
from solver.kernels.frames import (
    edge_parities,
    fill_edge_parities,
    fill_sums,
    mill_points,
    pattern_sum,
    twice_mill_points,
)
from solver.kernels.ranks import (
    fill_run_tables,
    half,
    permutation_room,
    rank_in_frame,
    run_room,
    spare_rank,
)
from solver.kernels.values import NO_TURN, largest, plant, settle_depth, settle_moves


@kernel
def start_major(first, last, place, points, patterns, ranks, runs, arrivals, closing, row, captures, unpaid, exits, table):  # type: ignore[no-untyped-def]
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
def start_minor(first, last, place, points, flying, patterns, ranks, frames, one, two, lone, double, scores, exits, table):  # type: ignore[no-untyped-def]
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
