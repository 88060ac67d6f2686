"""One layer of retrograde analysis: what a frontier tells its quiet predecessors.

The *frontier* of a depth holds the slots whose final value is that depth, as a list of patterns
per block.  A lost position makes each quiet predecessor a win one ply deeper, unless that wins
sooner already.  A won one takes one from the predecessor's open moves; with none left it is lost.

Both kernels *pull*: a call writes to the blocks of its own range alone and only reads the
frontier, so ranges can run side by side and the outcome never depends on their number.  A slot
that becomes final goes straight to the next layer's list; those whose value captures set wait in
*seeds*, sorted by depth within each block, until their layer comes.  So nothing is ever searched.

The work on a block goes in two halves: first the ranks of all predecessors are written down, and
what is known of them is asked for from memory; then they are told, which takes a few instructions.

Names used below: `x` block, `r` rank, `p` and `q` patterns, `place` next free entry of the next
layer's lists, `reached` ranks written down and `count` their number.
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import trailing_zeros
from solver.kernels.frames import edge_parities, fill_edge_parities, mill_points
from solver.kernels.prefetch import prefetch_to_read, prefetch_to_write
from solver.kernels.ranks import (
    FRAME_BITS,
    SHORT_POINTS,
    fill_permutation,
    half,
    permutation_room,
    permutation_width,
    permuted,
    rank_in_frame,
    shortly_permuted,
)
from solver.kernels.values import largest, waits

# Ranks written down before they are told.
_BATCH = 4096


@step
def tell(layer, reached, count, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Tell the listed predecessors of slots that are final at depth `layer`.

    The depth of those that become lost is not set yet, see :func:`close_list`.

    Args:
        layer: the depth.
        reached, count: their ranks.
        depth, open_moves: the block's rows.
        out, place: ranks of those that become final, and the next free entry.

    Returns:
        The next free entry.
    """
    if layer & 1:
        for number in range(count):
            place = close_move(np.int64(reached[np.uint64(number)]), open_moves, out, place)
    else:
        for number in range(count):
            place = make_won(np.int64(reached[np.uint64(number)]), layer, depth, out, place)
    return place


@step
def make_won(r, layer, depth, out, place):  # type: ignore[no-untyped-def]
    """Note that a slot has a successor lost in `layer` plies; return the next free place.

    Whether that is news cannot be foreseen, so everything is written and only the place says
    whether it counts: a branch guessed wrong would cost more than all the rest.
    """
    known = np.int64(depth[np.uint64(r)])
    sooner = ((known & 1) ^ 1) | np.int64(known > layer + 1)
    depth[np.uint64(r)] = known + sooner * (layer + 1 - known)
    out[np.uint64(place)] = r
    return place + sooner


@step
def close_move(r, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Note that one more quiet move of a slot meets a win; return the next free place."""
    left = np.int64(open_moves[np.uint64(r)]) - 1
    open_moves[np.uint64(r)] = left
    out[np.uint64(place)] = r
    return place + np.int64(left == 0)


@step
def release(x, layer, depth, open_moves, seeds, out, place):  # type: ignore[no-untyped-def]
    """Append the ranks of the seeds of `x` that are final at depth `layer`; return the next place.

    For depth 1 this must come before anything else is found to be final at that depth.
    """
    if layer >= len(seeds.waiting) or seeds.waiting[layer, x] == 0:
        return place
    if layer == 1:
        return list_won_at_once(depth, out, place)
    begin = seeds.next[x]
    end = begin + np.int64(seeds.waiting[layer, x])
    seeds.next[x] = end
    for entry in range(begin, end):
        r = np.uint64(seeds.rank[entry])
        if np.int64(depth[r]) != layer:
            continue  # found to be won sooner meanwhile
        if layer & 1 == 0:
            # A loss by capture waits no more; it is one if no quiet move is open.
            left = np.int64(open_moves[r]) & ~waits(largest(open_moves))
            open_moves[r] = left
            if left != 0:
                continue
        out[np.uint64(place)] = r
        place += 1
    return place


@step
def list_won_at_once(depth, out, place):  # type: ignore[no-untyped-def]
    """Append the ranks of the slots of depth 1; return the next free place."""
    for r in range(len(depth)):
        out[np.uint64(place)] = r
        place += np.int64(depth[np.uint64(r)] == 1)
    return place


@step
def close_list(x, layer, place, depth, patterns, lists):  # type: ignore[no-untyped-def]
    """End the list of block `x`, final at depth `layer`: set depths, turn ranks into patterns."""
    start = lists.start[x]
    for entry in range(start, place):
        r = np.uint64(lists.pattern[np.uint64(entry)])
        depth[r] = layer
        lists.pattern[np.uint64(entry)] = patterns[r]
    lists.length[x] = place - start


@kernel
def release_first(first, last, place, table, patterns, lists):  # type: ignore[no-untyped-def]
    """Make the frontier of depth 0: the slots without any turn.

    Args:
        first, last: range of blocks.
        place: first entry of the lists this range may use.
        table: :class:`Working`.
        patterns: minor sets by rank.
        lists: :class:`Lists`, out.
    """
    for x in range(first, last):
        lists.start[x] = place
        place = release(
            x, 0, table.depth[x], table.open_moves[x], table.seeds, lists.pattern, place
        )
        close_list(x, 0, place, table.depth[x], patterns, lists)


@kernel
def spread_inside(first, last, place, layer, points, flying, patterns, ranks, smaller, frames, found, minor, lists):  # type: ignore[no-untyped-def]
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
        minor: :class:`Working` table of the minor side to move, changed.
        lists: :class:`Lists` of the next layer, out.
    """
    parities = np.zeros(2 << half(points), dtype=np.int64)
    fans = np.zeros(smaller.total + 1, dtype=np.int32)
    own = np.zeros(ranks.total, dtype=np.uint8)
    # No slot has more predecessors than stones times points to come from.
    room = max(1, ranks.size * points)
    reached = np.zeros(_BATCH + room, dtype=np.int32)
    for x in range(first, last):
        lists.start[x] = place
        length = np.int64(found.length[x])
        row, moves, out = minor.depth[x], minor.open_moves[x], lists.pattern
        told = moves if layer & 1 else row
        place = release(x, layer + 1, row, moves, minor.seeds, out, place)
        if length != 0 and flying and length * 50 > ranks.total:
            place = spread_fans(
                x, layer, patterns, ranks, smaller, frames, found, fans, own, row, moves, out, place
            )
        elif length != 0:
            if not flying:
                fill_edge_parities(frames.bit_edges[x], points, half(points), parities)
            # In batches, so that what is written down stays in the cache.
            entry = found.start[x]
            end = entry + length
            while entry < end:
                stop = min(end, entry + _BATCH // room)
                if flying:
                    count = list_flights(
                        x, entry, stop, points, ranks, frames, found, told, reached
                    )
                else:
                    count = list_slides(
                        x, entry, stop, points, ranks, frames, found, parities, told, reached
                    )
                place = tell(layer, reached, count, row, moves, out, place)
                entry = stop
        close_list(x, layer + 1, place, row, patterns, lists)


@step
def list_slides(x, first, last, points, ranks, frames, found, parities, told, reached):  # type: ignore[no-untyped-def]
    """Write down where the minor side's slides to entries `first` to `last` can have begun.

    Returns:
        The number of ranks written to `reached`.
    """
    low, high = ranks.low, ranks.high
    width = half(points)
    first_edge = frames.edge_start[x]
    first_line = frames.line_start[x]
    last_line = frames.line_start[x + 1]
    count = 0
    for entry in range(first, last):
        p = np.int64(found.pattern[np.uint64(entry)])
        edges = edge_parities(p, width, parities)
        # A stone that stands in a mill cannot have come by a quiet move.
        for number in range(first_line, last_line):
            line = np.int64(frames.line[np.uint64(number)])
            full = np.int64((p & line) == line)
            edges &= ~(frames.line_edges[np.uint64(number)] & -full)
        while edges != 0:
            q = p ^ np.int64(frames.edge[np.uint64(first_edge + trailing_zeros(edges))])
            edges &= edges - 1
            r = rank_in_frame(q, low, high)
            prefetch_to_write(told, r)
            reached[np.uint64(count)] = r
            count += 1
    return count


@step
def list_flights(x, first, last, points, ranks, frames, found, told, reached):  # type: ignore[no-untyped-def]
    """Write down where the minor side's flights to entries `first` to `last` can have begun.

    Returns:
        The number of ranks written to `reached`.
    """
    low, high = ranks.low, ranks.high
    full = (1 << points) - 1
    count = 0
    for entry in range(first, last):
        p = np.int64(found.pattern[np.uint64(entry)])
        stones = p & ~mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
        while stones != 0:
            kept = p & ~(stones & -stones)
            stones &= stones - 1
            targets = full & ~p
            while targets != 0:
                q = kept | (targets & -targets)
                targets &= targets - 1
                reached[np.uint64(count)] = rank_in_frame(q, low, high)
                count += 1
    return count


@step
def spread_fans(x, layer, patterns, ranks, smaller, frames, found, fans, own, depth, open_moves, out, place):  # type: ignore[no-untyped-def]
    """Spread one block's frontier back along the minor side's flights, all at once.

    A flight keeps all stones but one: the *fan* of those kept.  Frontier slots are counted by the
    fans they can have been reached from; each slot then adds up the fans it belongs to, less its
    own part in them.  That beats dozens of single flights per frontier slot.
    """
    low, high = smaller.low, smaller.high
    odd = layer % 2 == 1
    fans[:] = 0
    own[:] = 0
    begin = found.start[x]
    for entry in range(begin, begin + np.int64(found.length[x])):
        p = np.int64(found.pattern[np.uint64(entry)])
        stones = p & ~mill_points(p, frames.line, frames.line_start[x], frames.line_start[x + 1])
        r = rank_in_frame(p, ranks.low, ranks.high)
        while stones != 0:
            fans[np.uint64(rank_in_frame(p & ~(stones & -stones), low, high))] += 1
            stones &= stones - 1
            own[np.uint64(r)] += 1
    for r in range(ranks.total):
        p = np.int64(patterns[np.uint64(r)])
        stones = p
        reached = -np.int64(own[np.uint64(r)])
        while stones != 0:
            kept = rank_in_frame(p & ~(stones & -stones), low, high)
            stones &= stones - 1
            reached += np.int64(fans[np.uint64(kept)])
        if reached == 0:
            continue
        if odd:
            open_moves[np.uint64(r)] -= reached - 1
            place = close_move(r, open_moves, out, place)
        else:
            place = make_won(r, layer, depth, out, place)
    return place


@kernel
def spread_across(first, last, place, layer, points, patterns, ranks, quiet, unpaid, frames, found, major, lists):  # type: ignore[no-untyped-def]
    """Spread a frontier with the minor side to move to the major side's positions before it.

    Args:
        first, last: range of blocks.
        place: first entry of the next lists this range may use.
        layer: depth of the frontier.
        points: points of a frame.
        patterns, ranks: minor sets by rank, and their rank tables.
        quiet: quiet :class:`Moves` of the major sets, permutations inward.
        unpaid: those that close a mill but may have nothing to take, permutations inward.
        frames: :class:`FrameEdges` of the major sets.
        found: :class:`Lists`, the frontier.
        major: :class:`Working` table of the major side to move, changed.
        lists: :class:`Lists` of the next layer, out; may be those of the present one with the
            major side to move.
    """
    table = np.zeros(permutation_room(points), dtype=np.int32)
    reached = np.zeros(_BATCH + ranks.total + 1, dtype=np.int32)
    for x in range(first, last):
        lists.start[x] = place
        row, moves, out = major.depth[x], major.open_moves[x], lists.pattern
        told = moves if layer & 1 else row
        place = release(x, layer + 1, row, moves, major.seeds, out, place)
        count = 0
        if x + 1 < last:
            # The next block's lists lie anywhere in memory.
            for number in range(quiet.start[x + 1], quiet.start[x + 2]):
                prefetch_to_read(found.pattern, found.start[np.uint64(quiet.target[number])])
        for number in range(quiet.start[x], quiet.start[x + 1]):
            source = np.int64(quiet.target[number])
            length = np.int64(found.length[source])
            if length == 0:
                continue
            permutation = quiet.permutation[number]
            begin = found.start[source]
            fill_permutation(permutation, points, table)
            if points <= SHORT_POINTS:
                count = list_moved(begin, begin + length, table, ranks, found, told, reached, count)
            else:
                count = list_moved_widely(
                    begin, begin + length, table, ranks, found, told, reached, count
                )
            # In batches, so that what is written down stays in the cache.
            if count > _BATCH:
                place = tell(layer, reached, count, row, moves, out, place)
                count = 0
        for number in range(unpaid.start[x], unpaid.start[x + 1]):
            source = np.int64(unpaid.target[number])
            if (
                found.length[source] == 0
                or frames.line_start[source] == frames.line_start[source + 1]
            ):
                continue
            fill_permutation(unpaid.permutation[number], points, table)
            count = list_unpaid(source, points, frames, table, ranks, found, reached, count)
            if count > _BATCH:
                place = tell(layer, reached, count, row, moves, out, place)
                count = 0
        place = tell(layer, reached, count, row, moves, out, place)
        close_list(x, layer + 1, place, row, patterns, lists)


@step
def list_moved(first, last, table, ranks, found, told, reached, count):  # type: ignore[no-untyped-def]
    """Write down the images of entries `first` to `last` of the frontier under a permutation.

    What has no image is written too, but not counted.

    Args:
        table: from :func:`solver.kernels.ranks.fill_permutation`, of at most SHORT_POINTS points.

    Returns:
        The new count.
    """
    low, high = ranks.low, ranks.high
    for entry in range(first, last):
        q = shortly_permuted(np.uint32(found.pattern[np.uint64(entry)]), table)
        r = rank_in_frame(np.int64(q), low, high)
        prefetch_to_write(told, r)
        reached[np.uint64(count)] = r
        count += np.int64(r < ranks.total)
    return count


@step
def list_moved_widely(first, last, table, ranks, found, told, reached, count):  # type: ignore[no-untyped-def]
    """Do what :func:`list_moved` does in a frame of more than SHORT_POINTS points."""
    low, high = ranks.low, ranks.high
    for entry in range(first, last):
        q = permuted(np.int64(found.pattern[np.uint64(entry)]), FRAME_BITS, table)
        r = rank_in_frame(q, low, high)
        prefetch_to_write(told, r)
        reached[np.uint64(count)] = r
        count += np.int64(r < ranks.total)
    return count


@step
def list_unpaid(source, points, frames, table, ranks, found, reached, count):  # type: ignore[no-untyped-def]
    """Do what :func:`list_moved` does for a move that closes a mill where it takes nothing.

    That is so for minor sets all of whose stones stand in mills.

    Args:
        source: the block whose frontier entries are listed.
        points: points of a frame.
        frames: :class:`FrameEdges` of the major sets.
        table, ranks, found, reached, count: as there.
    """
    first_line, last_line = frames.line_start[source], frames.line_start[source + 1]
    width = permutation_width(points)
    begin = found.start[source]
    for entry in range(begin, begin + np.int64(found.length[source])):
        p = np.int64(found.pattern[np.uint64(entry)])
        if mill_points(p, frames.line, first_line, last_line) == p:
            r = rank_in_frame(permuted(p, width, table), ranks.low, ranks.high)
            reached[np.uint64(count)] = r
            count += np.int64(r < ranks.total)
    return count
