"""Lists of the major side's turns, and of the removals of its stones, for every block."""

from __future__ import annotations

from typing import Final

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.bits import popcount, trailing_zeros
from solver.kernels.ranks import rank_of
from solver.kernels.sets import (
    automorphism_of,
    holds_any,
    mills_at,
    orbit_of,
    position_in,
    removable,
)

# What `list_smaller_sets` removes: one stone; two, one after the other; one where no second may go.
ONE_STONE: Final = 1
TWO_STONES: Final = 2
LONE_STONE: Final = 0


@step
def is_listed(mask, point, board, rows, quiet, closing):  # type: ignore[no-untyped-def]
    """Tell whether a list has the turn that leads to a set by a stone's coming to `point`.

    Args:
        mask: the set afterwards.
        point: in the set.
        board: the board.
        rows: masks of the rows that no turn may fill.
        quiet, closing: whether the list has turns that close no mill, and those that do.
    """
    if mills_at(mask, point, board.lines) == 0:
        return quiet
    # Rows that may not be filled hold lines, so only turns that close a mill can fill one.
    return closing and not holds_any(mask, rows)


@kernel
def list_moves(masks, board, rows, flying, quiet, closing, inward, orbits, fill, moves):  # type: ignore[no-untyped-def]
    """List the major side's moves.

    Args:
        masks: canonical major sets.
        board: the board.
        rows: masks of the rows that no move may fill.
        flying: whether stones may go anywhere.
        quiet, closing: whether to list the moves that close no mill, and those that do.
        inward: whether the permutation takes patterns of the moved set's frame to the frame of
            `x` (the point just left has no place there), or the other way (the point moved to has
            none).
        orbits: orbits of the major sets.
        fill: whether to fill all of `moves`, or ``start`` alone.
        moves: :class:`Moves`, out.

    Returns:
        The number of moves.
    """
    full = (1 << board.points) - 1
    entry = 0
    for number in range(len(masks)):
        moves.start[number] = entry
        mask = masks[number]
        stones = mask
        while stones != 0:
            origin = trailing_zeros(stones)
            stones &= stones - 1
            targets = (full if flying else board.neighbours[origin]) & ~mask
            while targets != 0:
                target = trailing_zeros(targets)
                targets &= targets - 1
                moved = mask ^ (1 << origin) ^ (1 << target)
                if not is_listed(moved, target, board, rows, quiet, closing):
                    continue
                if fill:
                    write_move(entry, mask, origin, target, board, inward, orbits, moves)
                entry += 1
    moves.start[len(masks)] = entry
    return entry


@step
def write_move(entry, mask, origin, target, board, inward, orbits, moves):  # type: ignore[no-untyped-def]
    """Write a move of the major side; arguments as in :func:`list_moves`."""
    full = (1 << board.points) - 1
    moved = mask ^ (1 << origin) ^ (1 << target)
    way = orbits.way[rank_of(moved, orbits.low, orbits.high, orbits.low_bits)]
    image = orbits.masks[orbit_of(way)]
    automorphism = automorphism_of(way)
    moves.target[entry] = orbit_of(way)
    moves.mills[entry] = mills_at(moved, target, board.lines)
    nowhere = popcount(full & ~mask)
    for point in range(board.points):
        if (mask >> point) & 1 and point != origin:
            continue
        here = position_in(full & ~mask, point)
        there = position_in(full & ~image, board.automorphisms[automorphism, point])
        if point == origin:
            if inward:
                moves.permutation[entry, there] = nowhere
        elif point == target:
            if not inward:
                moves.permutation[entry, here] = nowhere
        elif inward:
            moves.permutation[entry, there] = here
        else:
            moves.permutation[entry, here] = there


@kernel
def list_placements(masks, board, rows, quiet, closing, orbits, fill, moves):  # type: ignore[no-untyped-def]
    """List the stones that can be added to a major set.

    Args:
        masks: canonical major sets.
        board: the board.
        rows: masks of the rows that no placement may fill.
        quiet, closing: whether to list the placements that close no mill, and those that do.
        orbits: orbits of the sets with one stone more.
        fill: whether to fill all of `moves`, or ``start`` alone.
        moves: :class:`Moves`, out. The permutation goes from the frame of `x` to that of the
            larger set; the point placed on has no place there.

    Returns:
        The number of placements.
    """
    full = (1 << board.points) - 1
    entry = 0
    for number in range(len(masks)):
        moves.start[number] = entry
        mask = masks[number]
        targets = full & ~mask
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            added = mask | (1 << target)
            if not is_listed(added, target, board, rows, quiet, closing):
                continue
            if fill:
                moves.mills[entry] = mills_at(added, target, board.lines)
                write_change(entry, mask, added, target, board, orbits, moves)
            entry += 1
    moves.start[len(masks)] = entry
    return entry


@step
def write_change(entry, mask, changed, target, board, orbits, moves):  # type: ignore[no-untyped-def]
    """Write what a set becomes by a stone's coming to `target`, or (-1) by losing some.

    The permutation goes from the frame of the set to that of the changed one.
    """
    full = (1 << board.points) - 1
    frame = full & ~mask
    way = orbits.way[rank_of(changed, orbits.low, orbits.high, orbits.low_bits)]
    image = orbits.masks[orbit_of(way)]
    automorphism = automorphism_of(way)
    moves.target[entry] = orbit_of(way)
    # A larger set's frame has one point fewer: its bits end before this one.
    nowhere = popcount(frame) - 1
    here = 0
    for point in range(board.points):
        if (frame >> point) & 1:
            there = position_in(full & ~image, board.automorphisms[automorphism, point])
            moves.permutation[entry, here] = nowhere if point == target else there
            here += 1


@kernel
def count_arrivals(masks, board, rows, flying, closing, out):  # type: ignore[no-untyped-def]
    """Count the quiet moves of the major side to each point of its frame, by block.

    With `closing` those that close a mill too.
    """
    full = (1 << board.points) - 1
    for number in range(len(masks)):
        mask = masks[number]
        targets = full & ~mask
        here = 0
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            stones = mask if flying else board.neighbours[target] & mask
            while stones != 0:
                moved = (mask & ~(stones & -stones)) | (1 << target)
                stones &= stones - 1
                out[number, here] += is_listed(moved, target, board, rows, True, closing)
            here += 1


@kernel
def list_removals(masks, board, protection, stones, orbits, fill, moves):  # type: ignore[no-untyped-def]
    """List the removals of major stones.

    Args:
        masks: canonical major sets.
        board: the board.
        protection: which stones may be taken, see :func:`removable`.
        stones: what is removed, see :func:`list_smaller_sets`.
        orbits: orbits of the sets that are left.
        fill: whether to fill all of `moves`, or ``start`` alone.
        moves: :class:`Moves`, out. The permutation goes from the frame of `x` to that of the
            smaller set.

    Returns:
        The number of removals.
    """
    smaller = np.zeros(board.points * board.points, dtype=np.int64)
    entry = 0
    for number in range(len(masks)):
        moves.start[number] = entry
        mask = masks[number]
        for which in range(list_smaller_sets(mask, board, protection, stones, smaller)):
            if fill:
                write_change(entry, mask, smaller[which], -1, board, orbits, moves)
            entry += 1
    moves.start[len(masks)] = entry
    return entry


@step
def list_smaller_sets(mask, board, protection, stones, out):  # type: ignore[no-untyped-def]
    """List the different sets that captures leave of a set; return their number."""
    found = 0
    first = removable(mask, board, protection)
    rest = first
    while rest != 0:
        left = mask & ~(rest & -rest)
        one = rest & -rest
        rest &= rest - 1
        if stones == ONE_STONE:
            out[found] = left
            found += 1
            continue
        second = removable(left, board, protection)
        if stones == LONE_STONE:
            if second == 0:
                out[found] = left
                found += 1
            continue
        while second != 0:
            other = second & -second
            second &= second - 1
            # Both orders leave the same: the one that begins with the lower point is listed.
            either_way = first & other and removable(mask & ~other, board, protection) & one
            if other < one and either_way:
                continue
            out[found] = left & ~other
            found += 1
    return found
