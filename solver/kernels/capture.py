"""Initial values: what each side gets by capturing, and how many quiet moves it has.

Array names: `x` block number, `p` and `q` patterns, `r` ranks; `depth` and `open_moves` are the
working tables, one row of ``stride`` bytes per block, of which the one at ``ranks.count`` is a
spare that takes what has no rank.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount, trailing_zeros
from solver.kernels.ranks import fill_permutation, permuted, rank_of
from solver.kernels.values import plant, settle


@step
def mill_points(p, lines, first, last):  # type: ignore[no-untyped-def]
    """Return the stones of pattern `p` that stand in one of ``lines[first:last]``."""
    result = 0
    for number in range(first, last):
        line = np.int64(lines[number])
        if (p & line) == line:
            result |= line
    return result


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
        out: scores by (place in `holders`, rank); the last column is a spare and stays 0.
    """
    for place in range(first, last):
        x = np.int64(holders[place])
        base = x * smaller.count
        for r in range(len(patterns)):
            p = np.int64(patterns[r])
            stones = p & ~mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
            if stones == 0:
                stones = p
            best = 0
            while stones != 0:
                q = p & ~(stones & -stones)
                stones &= stones - 1
                value = solved[base + rank_of(q, smaller.low, smaller.high, smaller.low_bits)]
                best = max(best, np.int64(scores[value]))
            out[place, r] = best


@kernel
def start_major(first, last, points, patterns, ranks, arrivals, closing, row, captures, place, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """Set depth and open quiet moves of every slot with the major side to move.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        patterns: all minor sets by rank.
        ranks: their rank tables.
        arrivals: number of quiet moves of the major side to each point of the frame, by block.
        closing: :class:`Moves` that close a mill, permutations outward.
        row: place of each block in `captures`.
        captures: scores, see :func:`major_captures`.
        place: first entry of the seeds this range may use.
        depth, open_moves: working tables, out.
        seeds: :class:`Seeds`, out.
    """
    width = (points + 2) // 3
    chunk = (1 << width) - 1
    table = np.zeros(3 << width, dtype=np.int32)
    sums = np.zeros(3 << width, dtype=np.int32)
    best = np.zeros(ranks.count, dtype=np.uint8)
    for x in range(first, last):
        total = 0
        for part in range(3):
            start = part << width
            sums[start] = 0
            for value in range(1, 1 << width):
                bit = part * width + trailing_zeros(value)
                more = np.int64(arrivals[x, bit]) if bit < points else 0
                sums[start + value] = sums[start + (value & (value - 1))] + more
            total += np.int64(sums[start + chunk])
        best[:] = 0
        for entry in range(closing.start[x], closing.start[x + 1]):
            fill_permutation(closing.permutation[entry], points, width, table)
            scores = captures[row[closing.target[entry]]]
            for r in range(ranks.count):
                q = permuted(np.int64(patterns[r]), width, table)
                q = min(rank_of(q, ranks.low, ranks.high, ranks.low_bits), ranks.count)
                best[r] = max(best[r], scores[q])
        for r in range(ranks.count):
            p = np.int64(patterns[r])
            quiet = total - (
                np.int64(sums[p & chunk])
                + np.int64(sums[(1 << width) + ((p >> width) & chunk)])
                + np.int64(sums[(2 << width) + (p >> (2 * width))])
            )
            depth[x, r], open_moves[x, r] = settle(np.int64(best[r]), quiet)
        place = plant(x, place, ranks.count, depth, open_moves, seeds)


@step
def fill_edge_parities(bit_edges, points, width, table):  # type: ignore[no-untyped-def]
    """Make chunk tables whose XOR tells which edges have exactly one end in a pattern.

    Args:
        bit_edges: the edges at each point of the frame, as bits.
        points: points of the frame.
        width: bits per chunk; ``3 * width >= points``.
        table: out, int64, length at least ``3 << width``.
    """
    for part in range(3):
        start = part << width
        table[start] = 0
        filled = 1
        for bit in range(part * width, (part + 1) * width):
            edges = bit_edges[bit] if bit < points else 0
            for entry in range(filled):
                table[start + filled + entry] = table[start + entry] ^ edges
            filled *= 2


@step
def edge_parities(p, width, table):  # type: ignore[no-untyped-def]
    """Return the edges with exactly one end in `p`, as bits."""
    chunk = (1 << width) - 1
    return (
        table[p & chunk]
        ^ table[(1 << width) + ((p >> width) & chunk)]
        ^ table[(2 << width) + (p >> (2 * width))]
    )


@kernel
def start_minor(first, last, points, flying, patterns, ranks, frames, removals, larger, solved, scores, place, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """Set depth and open quiet moves of every slot with the minor side to move.

    A minor side's move stays inside the block.  The captures are scored once per minor set that
    holds a mill, then handed back along each move that can have closed it.

    Args:
        first, last: range of blocks.
        points: points of a frame.
        flying: whether the minor side's stones may go anywhere.
        patterns: all minor sets by rank.
        ranks: their rank tables.
        frames: :class:`FrameEdges` of the major sets.
        removals: :class:`Moves` that take a major stone.
        larger: rank tables of the minor sets in a frame of one point more.
        solved: stored bytes of the sector with one major stone fewer, that side to move.
        scores: score by stored byte.
        place: first entry of the seeds this range may use.
        depth, open_moves: working tables, out.
        seeds: :class:`Seeds`, out.
    """
    width = (points + 2) // 3
    table = np.zeros(3 << width, dtype=np.int32)
    parities = np.zeros(3 << width, dtype=np.int64)
    best = np.zeros(ranks.count, dtype=np.uint8)
    quiet = np.zeros(ranks.count, dtype=np.uint8)
    holders = np.zeros(ranks.count, dtype=np.int32)
    taken = np.zeros(ranks.count, dtype=np.uint8)
    full = (1 << points) - 1
    fly_moves = ranks.size * (points - ranks.size)
    for x in range(first, last):
        first_line = frames.line_start[x]
        last_line = frames.line_start[x + 1]
        first_edge = frames.edge_start[x]
        fill_edge_parities(frames.bit_edges[x], points, width, parities)
        best[:] = 0
        found = 0
        for r in range(ranks.count):
            p = np.int64(patterns[r])
            quiet[r] = fly_moves if flying else popcount(edge_parities(p, width, parities))
            holds = False
            for which in range(first_line, last_line):
                line = np.int64(frames.line[which])
                holds |= (p & line) == line
            # Written always and kept only if it counts: cheaper than a branch nobody can foresee.
            holders[found] = r
            found += np.int64(holds)
        taken[:found] = 0
        for entry in range(removals.start[x], removals.start[x + 1]):
            fill_permutation(removals.permutation[entry], points, width, table)
            base = np.int64(removals.target[entry]) * larger.count
            for number in range(found):
                q = permuted(np.int64(patterns[holders[number]]), width, table)
                value = solved[base + rank_of(q, larger.low, larger.high, larger.low_bits)]
                taken[number] = max(taken[number], scores[value])
        for number in range(found):
            p = np.int64(patterns[holders[number]])
            score = taken[number]
            if flying:
                stones = mill_points(p, frames.line, first_line, last_line)
                while stones != 0:
                    stone = stones & -stones
                    stones &= stones - 1
                    targets = full & ~p
                    while targets != 0:
                        q = (p ^ stone) | (targets & -targets)
                        targets &= targets - 1
                        r = rank_of(q, ranks.low, ranks.high, ranks.low_bits)
                        best[r] = max(best[r], score)
                        quiet[r] -= 1
            else:
                edges = 0
                for which in range(first_line, last_line):
                    line = np.int64(frames.line[which])
                    if (p & line) == line:
                        edges |= frames.line_edges[which]
                edges &= edge_parities(p, width, parities)
                while edges != 0:
                    q = p ^ np.int64(frames.edge[first_edge + trailing_zeros(edges)])
                    edges &= edges - 1
                    r = rank_of(q, ranks.low, ranks.high, ranks.low_bits)
                    best[r] = max(best[r], score)
                    quiet[r] -= 1
        for r in range(ranks.count):
            depth[x, r], open_moves[x, r] = settle(np.int64(best[r]), np.int64(quiet[r]))
        place = plant(x, place, ranks.count, depth, open_moves, seeds)
