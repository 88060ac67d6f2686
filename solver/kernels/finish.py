"""From working tables to stored entries and counts."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import gather_bits, scatter_bits
from solver.kernels.sets import holds_any, is_smallest
from solver.kernels.values import largest, void_entry


@kernel
def mark_draws(first, last, bits, depth, open_moves):  # type: ignore[no-untyped-def]
    """Turn depths into stored entries, in place: what is neither won nor lost becomes a draw.

    A slot is won if its depth is odd and lost if no move is open.  The slots of a 64-bit word are
    done together, in words the compiler can put into vectors.

    Args:
        first, last: range of words.
        bits: of an entry, 8 or 16.
        depth, open_moves: working tables seen as 64-bit words.
    """
    highs = np.uint64(0x8080808080808080) if bits == 8 else np.uint64(0x8000800080008000)
    lows = ~highs
    shift = np.uint64(bits - 1)
    values = depth[first:last]
    left = open_moves[first:last]
    for number in range(len(values)):
        v = values[number]
        w = left[number]
        none_left = ~(((w & lows) + lows) | w | lows)
        settled = (none_left | (v << shift)) & highs
        # In a byte: 0x80 to 0xff and 0 to 0.
        settled |= settled - (settled >> shift)
        values[number] = v | ~settled


@kernel
def mark_ended(first, last, rows, mill_wins, major_moves, board, orbits, patterns, stored):  # type: ignore[no-untyped-def]
    """Set the slots whose position cannot be, or has ended by a mill, to what they hold.

    Args:
        first, last: range of blocks.
        rows: masks. A position cannot be if either side fills one of them; but where a mill wins
            they are the lines, and only the mover's mills cannot be, while the opponent's mean
            that the mover has lost.
        mill_wins: whether a mill wins.
        major_moves: whether the major side is the one to move.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the major sets.
        patterns: minor sets by rank.
        stored: stored entries by (block, rank), changed.
    """
    full = (1 << board.points) - 1
    inside = np.zeros(len(rows), dtype=np.int64)
    void = void_entry(largest(stored))
    for x in range(first, last):
        frame = full & ~orbits.masks[x]
        number = 0
        for row in rows:
            if (row & frame) == row:
                inside[number] = gather_bits(row, frame)
                number += 1
        major = holds_any(orbits.masks[x], rows)
        for r in range(len(patterns)):
            minor = holds_any(np.int64(patterns[r]), inside[:number])
            movers, others = (major, minor) if major_moves else (minor, major)
            if movers or (others and not mill_wins):
                stored[x, r] = void
            elif others:
                stored[x, r] = 0


@kernel
def count_symmetric(first, last, board, orbits, patterns, stored, distinct):  # type: ignore[no-untyped-def]
    """Count, by stored entry, the distinct positions of the blocks whose set has symmetries.

    A position counts once: where its minor set is the smallest image under the symmetries.

    Args:
        first, last: range of blocks.
        board: :class:`BoardArrays`.
        orbits: :class:`Orbits` of the major sets.
        patterns: minor sets by rank.
        stored: stored entries by (block, rank).
        distinct: counts by entry, added to.
    """
    full = (1 << board.points) - 1
    for x in range(first, last):
        group = orbits.stabiliser[x]
        if group == 1:
            continue
        frame = full & ~orbits.masks[x]
        for r in range(len(patterns)):
            minor = scatter_bits(np.int64(patterns[r]), frame)
            if is_smallest(minor, group, board.automorphisms):
                distinct[stored[x, r]] += 1
