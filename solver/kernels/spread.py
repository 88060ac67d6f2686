"""One layer of retrograde analysis: what a frontier tells its quiet predecessors.

The *frontier* of a depth holds the slots whose final value is that depth, as a list of patterns
per block.  A lost position makes each quiet predecessor a win one ply deeper, unless that wins
sooner already.  A won one takes one from the predecessor's open moves; with none left it is lost.

Both kernels *pull*: a call writes to the blocks of its own range alone and only reads the
frontier, so ranges can run side by side and the outcome never depends on their number.  A slot
that becomes final goes straight to the next layer's list; those whose value captures set wait in
*seeds*, sorted by depth within each block, until their layer comes.  So nothing is ever searched.

Names used below: `x` block, `r` rank, `p` and `q` patterns, `place` next free entry of the next
layer's lists.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import trailing_zeros
from solver.kernels.frames import edge_parities, fill_edge_parities, mill_points
from solver.kernels.ranks import fill_permutation, half, permuted, rank_of, spare_rank


@step
def make_won(r, q, layer, depth, out, place):  # type: ignore[no-untyped-def]
    """Note that a slot has a successor lost in `layer` plies; return the next free place.

    Whether that is news cannot be foreseen, so everything is written and only the place says
    whether it counts: a branch guessed wrong would cost more than all the rest.
    """
    known = np.int64(depth[np.uint64(r)])
    sooner = ((known & 1) ^ 1) | np.int64(known > layer + 1)
    depth[np.uint64(r)] = known + sooner * (layer + 1 - known)
    out[np.uint64(place)] = q
    return place + sooner


@step
def close_move(r, q, layer, depth, open_moves, spare, out, place):  # type: ignore[no-untyped-def]
    """Note that one more quiet move of a slot meets a win in `layer` plies.

    Returns:
        The next free place of the lists.
    """
    left = np.int64(open_moves[np.uint64(r)]) - 1
    open_moves[np.uint64(r)] = left & 255
    if left == 0 and r != spare and np.int64(depth[np.uint64(r)]) <= layer:
        # A longer loss by capture is a seed and comes when its layer does.
        depth[np.uint64(r)] = layer + 1
        out[np.uint64(place)] = q
        place += 1
    return place


@step
def release(x, layer, depth, open_moves, patterns, seeds, out, place):  # type: ignore[no-untyped-def]
    """Append the seeds of block `x` that are final at depth `layer`; return the next place."""
    begin = seeds.next[x]
    end = begin + np.int64(seeds.waiting[layer, x])
    seeds.next[x] = end
    for entry in range(begin, end):
        r = np.int64(seeds.rank[entry])
        # Found to be won sooner meanwhile, or a loss by capture with quiet moves still open.
        if np.int64(depth[r]) == layer and (layer & 1 == 1 or open_moves[r] == 0):
            out[place] = patterns[r]
            place += 1
    return place


@kernel
def release_first(first, last, place, depth, open_moves, patterns, seeds, lists):  # type: ignore[no-untyped-def]
    """Make the frontier of depth 0: the slots without any turn.

    Args:
        first, last: range of blocks.
        place: first entry of the lists this range may use.
        depth, open_moves: working tables, one row per block.
        patterns: minor sets by rank.
        seeds: :class:`Seeds` of this table.
        lists: :class:`Lists`, out.
    """
    for x in range(first, last):
        lists.start[x] = place
        place = release(x, 0, depth[x], open_moves[x], patterns, seeds, lists.pattern, place)
        lists.length[x] = place - lists.start[x]


@step
def few_entries(size):  # type: ignore[no-untyped-def]
    """Return the length up to which a list is better moved point by point than by tables.

    Filling the tables takes about 100 ns, moving one point about one.
    """
    return 80 // size


@kernel
def spread_inside(first, last, place, layer, points, flying, patterns, ranks, smaller, frames, found, depth, open_moves, seeds, lists):  # type: ignore[no-untyped-def]
    """Spread a frontier with the major side to move to the minor side's positions before it.

    Args:
        first, last: range of blocks.
        place: first entry of the next lists this range may use.
        layer: depth of the frontier.
        points: points of a frame.
        flying: whether the minor side's stones may go anywhere.
        patterns, ranks: minor sets by rank, and their rank tables.
        smaller: rank tables of the minor sets with one stone fewer.
        frames: :class:`FrameEdges` of the major sets.
        found: :class:`Lists`, the frontier.
        depth, open_moves: of the minor side to move, changed.
        seeds: :class:`Seeds` of the minor side to move.
        lists: :class:`Lists` of the next layer, out.
    """
    width = half(points)
    parities = np.zeros(2 << width, dtype=np.int64)
    fans = np.zeros(smaller.total + 1, dtype=np.int32)
    own = np.zeros(ranks.total, dtype=np.uint8)
    for x in range(first, last):
        lists.start[x] = place
        length = np.int64(found.length[x])
        row, moves = depth[x], open_moves[x]
        if length != 0 and flying and length * 50 > ranks.total:
            place = spread_fans(
                x, layer, patterns, ranks, smaller, frames, found, fans, own, row, moves,
                lists.pattern, place,
            )  # fmt: skip
        elif length != 0 and flying:
            place = spread_flights(
                x, layer, points, ranks, frames, found, row, moves, lists.pattern, place
            )
        elif length != 0:
            place = spread_slides(
                x, layer, points, ranks, frames, found, parities, row, moves, lists.pattern, place
            )
        place = release(x, layer + 1, row, moves, patterns, seeds, lists.pattern, place)
        lists.length[x] = place - lists.start[x]


@step
def spread_slides(x, layer, points, ranks, frames, found, parities, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Spread one block's frontier back along the minor side's slides (see spread_inside)."""
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    won = layer % 2 == 1
    width = half(points)
    begin = found.start[x]
    length = np.int64(found.length[x])
    many = length > few_entries(ranks.size)
    bit_edges = frames.bit_edges[x]
    if many:
        fill_edge_parities(bit_edges, points, width, parities)
    first_edge = frames.edge_start[x]
    for entry in range(begin, begin + length):
        p = np.int64(found.pattern[np.uint64(entry)])
        if many:
            edges = edge_parities(p, width, parities)
        else:
            edges = 0
            rest = p
            while rest != 0:
                edges ^= bit_edges[np.uint64(trailing_zeros(rest))]
                rest &= rest - 1
        # A stone that stands in a mill cannot have come by a quiet move.
        for number in range(frames.line_start[x], frames.line_start[x + 1]):
            line = np.int64(frames.line[np.uint64(number)])
            if (p & line) == line:
                edges &= ~frames.line_edges[np.uint64(number)]
        while edges != 0:
            q = p ^ np.int64(frames.edge[np.uint64(first_edge + trailing_zeros(edges))])
            edges &= edges - 1
            r = rank_of(q, low, high, low_bits)
            if won:
                place = close_move(r, q, layer, depth, open_moves, ranks.total, out, place)
            else:
                place = make_won(r, q, layer, depth, out, place)
    return place


@step
def spread_flights(x, layer, points, ranks, frames, found, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Spread one block's frontier back along the minor side's flights, one by one."""
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    won = layer % 2 == 1
    full = (1 << points) - 1
    begin = found.start[x]
    for entry in range(begin, begin + np.int64(found.length[x])):
        p = np.int64(found.pattern[np.uint64(entry)])
        stones = p & ~mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
        while stones != 0:
            stone = stones & -stones
            stones &= stones - 1
            targets = full & ~p
            while targets != 0:
                q = (p ^ stone) | (targets & -targets)
                targets &= targets - 1
                r = rank_of(q, low, high, low_bits)
                if won:
                    place = close_move(r, q, layer, depth, open_moves, ranks.total, out, place)
                else:
                    place = make_won(r, q, layer, depth, out, place)
    return place


@step
def spread_fans(x, layer, patterns, ranks, smaller, frames, found, fans, own, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Spread one block's frontier back along the minor side's flights, all at once.

    A flight keeps all stones but one: the *fan* of those kept.  Frontier slots are counted by the
    fans they can have been reached from; each slot then adds up the fans it belongs to, less its
    own part in them.  That beats dozens of single flights per frontier slot.
    """
    low, high, low_bits = smaller.low, smaller.high, smaller.low_bits
    won = layer % 2 == 1
    fans[:] = 0
    own[:] = 0
    begin = found.start[x]
    for entry in range(begin, begin + np.int64(found.length[x])):
        p = np.int64(found.pattern[np.uint64(entry)])
        stones = p & ~mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
        r = rank_of(p, ranks.low, ranks.high, ranks.low_bits)
        while stones != 0:
            fans[np.uint64(rank_of(p & ~(stones & -stones), low, high, low_bits))] += 1
            stones &= stones - 1
            own[np.uint64(r)] += 1
    for r in range(ranks.total):
        p = np.int64(patterns[np.uint64(r)])
        stones = p
        reached = -np.int64(own[np.uint64(r)])
        while stones != 0:
            kept = rank_of(p & ~(stones & -stones), low, high, low_bits)
            stones &= stones - 1
            reached += np.int64(fans[np.uint64(kept)])
        if reached == 0:
            continue
        if won:
            open_moves[np.uint64(r)] -= reached - 1
            place = close_move(r, p, layer, depth, open_moves, ranks.total, out, place)
        else:
            place = make_won(r, p, layer, depth, out, place)
    return place


@kernel
def spread_across(first, last, place, layer, points, patterns, ranks, quiet, found, depth, open_moves, seeds, lists):  # type: ignore[no-untyped-def]
    """Spread a frontier with the minor side to move to the major side's positions before it.

    Args:
        first, last: range of blocks.
        place: first entry of the next lists this range may use.
        layer: depth of the frontier.
        points: points of a frame.
        patterns, ranks: minor sets by rank, and their rank tables.
        quiet: quiet :class:`Moves` of the major sets, permutations inward.
        found: :class:`Lists`, the frontier.
        depth, open_moves: of the major side to move, changed.
        seeds: :class:`Seeds` of the major side to move.
        lists: :class:`Lists` of the next layer, out.
    """
    table = np.zeros(2 << half(points), dtype=np.int32)
    for x in range(first, last):
        lists.start[x] = place
        row, moves = depth[x], open_moves[x]
        place = spread_moves(
            x, layer, points, ranks, quiet, found, table, row, moves, lists.pattern, place
        )
        place = release(x, layer + 1, row, moves, patterns, seeds, lists.pattern, place)
        lists.length[x] = place - lists.start[x]


@step
def spread_moves(x, layer, points, ranks, quiet, found, table, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Pull the frontier lists that the major side's moves from `x` lead to (see spread_across)."""
    low, high, low_bits = ranks.low, ranks.high, ranks.low_bits
    spare = ranks.total
    won = layer % 2 == 1
    width = half(points)
    few = few_entries(ranks.size)
    for number in range(quiet.start[x], quiet.start[x + 1]):
        source = np.uint64(quiet.target[np.uint64(number)])
        length = np.int64(found.length[source])
        if length == 0:
            continue
        begin = found.start[source]
        permutation = quiet.permutation[number]
        if length <= few:
            for entry in range(begin, begin + length):
                p = np.int64(found.pattern[np.uint64(entry)])
                q = 0
                while p != 0:
                    q |= 1 << np.int64(permutation[np.uint64(trailing_zeros(p))])
                    p &= p - 1
                r = spare_rank(rank_of(q, low, high, low_bits), spare)
                if won:
                    place = close_move(r, q, layer, depth, open_moves, spare, out, place)
                else:
                    place = make_won(r, q, layer, depth, out, place)
            continue
        fill_permutation(permutation, points, width, table)
        if won:
            for entry in range(begin, begin + length):
                q = permuted(np.int64(found.pattern[np.uint64(entry)]), width, table)
                r = spare_rank(rank_of(q, low, high, low_bits), spare)
                place = close_move(r, q, layer, depth, open_moves, spare, out, place)
        else:
            for entry in range(begin, begin + length):
                q = permuted(np.int64(found.pattern[np.uint64(entry)]), width, table)
                r = spare_rank(rank_of(q, low, high, low_bits), spare)
                place = make_won(r, q, layer, depth, out, place)
    return place
