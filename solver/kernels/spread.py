"""One layer of retrograde analysis: what a frontier tells its quiet predecessors.

A lost position makes each quiet predecessor a win one ply deeper, unless that wins sooner
already.  A won one takes one from the predecessor's open moves; with none left it is lost.  Both
kernels *pull*: a call writes to the blocks of its own range alone and only reads the frontier, so
ranges can run side by side and the outcome never depends on their number.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import trailing_zeros
from solver.kernels.capture import edge_parities, fill_edge_parities, mill_points
from solver.kernels.ranks import fill_permutation, permuted, rank_of

# Below this many entries, moving each point by itself is cheaper than making chunk tables.
FEW = 6


@kernel
def make_won(r, x, layer, depth, counts):  # type: ignore[no-untyped-def]
    """Note that slot `r` of block `x` has a successor lost in `layer` plies."""
    known = np.int64(depth[x, r])
    if known & 1 == 0:
        depth[x, r] = layer + 1
        counts[layer + 1, x] += 1
    elif known > layer + 1:
        depth[x, r] = layer + 1
        counts[known, x] -= 1
        counts[layer + 1, x] += 1


@kernel
def close_move(r, x, layer, spare, depth, open_moves, counts):  # type: ignore[no-untyped-def]
    """Note that one more quiet move from slot `r` of block `x` meets a win in `layer` plies."""
    left = np.int64(open_moves[x, r]) - 1
    open_moves[x, r] = left & 255
    if left == 0:
        if r == spare:
            open_moves[x, r] = 255
        else:
            value = max(np.int64(depth[x, r]), layer + 1)
            depth[x, r] = value
            counts[value, x] += 1


@kernel
def spread_inside(first, last, layer, points, flying, ranks, frames, starts, frontier, depth, open_moves, counts):  # type: ignore[no-untyped-def]
    """Spread a frontier with the major side to move to the minor side's positions before it.

    Args:
        first, last: range of blocks.
        layer: depth of the frontier.
        points: points of a frame.
        flying: whether the minor side's stones may go anywhere.
        ranks: rank tables of the minor sets.
        frames: :class:`FrameEdges` of the major sets.
        starts, frontier: the frontier's lists.
        depth, open_moves, counts: of the minor side to move, changed.
    """
    width = (points + 2) // 3
    parities = np.zeros(3 << width, dtype=np.int64)
    full = (1 << points) - 1
    won = layer % 2 == 1
    for x in range(first, last):
        begin = starts[x]
        end = starts[x + 1]
        if begin == end:
            continue
        first_line = frames.line_start[x]
        last_line = frames.line_start[x + 1]
        if flying:
            for place in range(begin, end):
                p = np.int64(frontier[place])
                stones = p & ~mill_points(p, frames.line, first_line, last_line)
                while stones != 0:
                    stone = stones & -stones
                    stones &= stones - 1
                    targets = full & ~p
                    while targets != 0:
                        q = (p ^ stone) | (targets & -targets)
                        targets &= targets - 1
                        r = rank_of(q, ranks.low, ranks.high, ranks.low_bits)
                        if won:
                            close_move(r, x, layer, ranks.count, depth, open_moves, counts)
                        else:
                            make_won(r, x, layer, depth, counts)
            continue
        first_edge = frames.edge_start[x]
        fill_edge_parities(frames.edge, first_edge, frames.edge_start[x + 1], points, width, parities)
        for place in range(begin, end):
            p = np.int64(frontier[place])
            edges = edge_parities(p, width, parities)
            for number in range(first_line, last_line):
                line = np.int64(frames.line[number])
                if (p & line) == line:
                    edges &= ~frames.line_edges[number]
            while edges != 0:
                q = p ^ np.int64(frames.edge[first_edge + trailing_zeros(edges)])
                edges &= edges - 1
                r = rank_of(q, ranks.low, ranks.high, ranks.low_bits)
                if won:
                    close_move(r, x, layer, ranks.count, depth, open_moves, counts)
                else:
                    make_won(r, x, layer, depth, counts)


@kernel
def spread_across(first, last, layer, points, ranks, quiet, starts, frontier, depth, open_moves, counts):  # type: ignore[no-untyped-def]
    """Spread a frontier with the minor side to move to the major side's positions before it.

    Args:
        first, last: range of blocks.
        layer: depth of the frontier.
        points: points of a frame.
        ranks: rank tables of the minor sets.
        quiet: quiet :class:`Moves` of the major sets, permutations inward.
        starts, frontier: the frontier's lists.
        depth, open_moves, counts: of the major side to move, changed.
    """
    width = (points + 2) // 3
    table = np.zeros(3 << width, dtype=np.int32)
    won = layer % 2 == 1
    for x in range(first, last):
        for entry in range(quiet.start[x], quiet.start[x + 1]):
            source = np.int64(quiet.target[entry])
            begin = starts[source]
            end = starts[source + 1]
            if begin == end:
                continue
            if end - begin < FEW:
                for place in range(begin, end):
                    p = np.int64(frontier[place])
                    q = 0
                    while p != 0:
                        q |= 1 << np.int64(quiet.permutation[entry, trailing_zeros(p)])
                        p &= p - 1
                    r = rank_of(q, ranks.low, ranks.high, ranks.low_bits)
                    if r < ranks.count:
                        if won:
                            close_move(r, x, layer, ranks.count, depth, open_moves, counts)
                        else:
                            make_won(r, x, layer, depth, counts)
                continue
            fill_permutation(quiet.permutation[entry], points, width, table)
            if won:
                for place in range(begin, end):
                    q = permuted(np.int64(frontier[place]), width, table)
                    r = min(rank_of(q, ranks.low, ranks.high, ranks.low_bits), ranks.count)
                    close_move(r, x, layer, ranks.count, depth, open_moves, counts)
            else:
                for place in range(begin, end):
                    q = permuted(np.int64(frontier[place]), width, table)
                    r = min(rank_of(q, ranks.low, ranks.high, ranks.low_bits), ranks.count)
                    make_won(r, x, layer, depth, counts)
