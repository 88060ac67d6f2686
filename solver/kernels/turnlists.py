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
def count_moves(masks, board, rows, flying, quiet, closing, start):  # type: ignore[no-untyped-def]
    """Fill ``start`` of :class:`Moves` for the major side's moves (see :func:`fill_moves`)."""
    full = (1 << board.points) - 1
    total = 0
    for number in range(len(masks)):
        start[number] = total
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
                total += is_listed(moved, target, board, rows, quiet, closing)
    start[len(masks)] = total
    return total


@kernel
def fill_moves(masks, board, rows, flying, quiet, closing, inward, orbits, moves):  # type: ignore[no-untyped-def]
    """Fill :class:`Moves` for the major side's moves.

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
        moves: out, but for ``start``.
    """
    full = (1 << board.points) - 1
    entry = 0
    for number in range(len(masks)):
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
                way = orbits.way[rank_of(moved, orbits.low, orbits.high, orbits.low_bits)]
                image = orbits.masks[orbit_of(way)]
                automorphism = board.automorphisms[automorphism_of(way)]
                moves.target[entry] = orbit_of(way)
                moves.mills[entry] = mills_at(moved, target, board.lines)
                for point in range(board.points):
                    if (mask >> point) & 1 and point != origin:
                        continue
                    here = position_in(full & ~mask, point)
                    there = position_in(full & ~image, automorphism[point])
                    nowhere = popcount(full & ~mask)
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
                entry += 1


@kernel
def count_placements(masks, board, rows, quiet, closing, start):  # type: ignore[no-untyped-def]
    """Fill ``start`` of :class:`Moves` for stones added (see :func:`fill_placements`)."""
    full = (1 << board.points) - 1
    total = 0
    for number in range(len(masks)):
        start[number] = total
        targets = full & ~masks[number]
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            added = masks[number] | (1 << target)
            total += is_listed(added, target, board, rows, quiet, closing)
    start[len(masks)] = total
    return total


@kernel
def fill_placements(masks, board, rows, quiet, closing, orbits, moves):  # type: ignore[no-untyped-def]
    """Fill :class:`Moves` for stones added to a major set.

    Args:
        masks: canonical major sets.
        board: the board.
        rows: masks of the rows that no placement may fill.
        quiet, closing: whether to list the placements that close no mill, and those that do.
        orbits: orbits of the sets with one stone more.
        moves: out, but for ``start``. The permutation goes from the frame of `x` to that of the
            larger set; the point placed on has no place there.
    """
    full = (1 << board.points) - 1
    entry = 0
    for number in range(len(masks)):
        mask = masks[number]
        frame = full & ~mask
        targets = frame
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            added = mask | (1 << target)
            if not is_listed(added, target, board, rows, quiet, closing):
                continue
            way = orbits.way[rank_of(added, orbits.low, orbits.high, orbits.low_bits)]
            image = orbits.masks[orbit_of(way)]
            automorphism = board.automorphisms[automorphism_of(way)]
            moves.target[entry] = orbit_of(way)
            moves.mills[entry] = mills_at(added, target, board.lines)
            here = 0
            for point in range(board.points):
                if (frame >> point) & 1:
                    there = position_in(full & ~image, automorphism[point])
                    # The larger set's frame has one point fewer: its bits end before this one.
                    nowhere = popcount(frame) - 1
                    moves.permutation[entry, here] = nowhere if point == target else there
                    here += 1
            entry += 1


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
def count_removals(masks, board, protection, stones, start):  # type: ignore[no-untyped-def]
    """Fill ``start`` of :class:`Moves` for removals (see :func:`fill_removals`)."""
    smaller = np.zeros(board.points * board.points, dtype=np.int64)
    total = 0
    for number in range(len(masks)):
        start[number] = total
        total += list_smaller_sets(masks[number], board, protection, stones, smaller)
    start[len(masks)] = total
    return total


@kernel
def fill_removals(masks, board, protection, stones, orbits, moves):  # type: ignore[no-untyped-def]
    """Fill :class:`Moves` for the removals of major stones.

    Args:
        masks: canonical major sets.
        board: the board.
        protection: which stones may be taken, see :func:`removable`.
        stones: what is removed, see :func:`list_smaller_sets`.
        orbits: orbits of the sets that are left.
        moves: out, but for ``start``. The permutation goes from the frame of `x` to that of the
            smaller set.
    """
    full = (1 << board.points) - 1
    smaller = np.zeros(board.points * board.points, dtype=np.int64)
    entry = 0
    for number in range(len(masks)):
        mask = masks[number]
        for which in range(list_smaller_sets(mask, board, protection, stones, smaller)):
            left = smaller[which]
            way = orbits.way[rank_of(left, orbits.low, orbits.high, orbits.low_bits)]
            image = orbits.masks[orbit_of(way)]
            automorphism = board.automorphisms[automorphism_of(way)]
            moves.target[entry] = orbit_of(way)
            here = 0
            for point in range(board.points):
                if not (mask >> point) & 1:
                    moves.permutation[entry, here] = position_in(full & ~image, automorphism[point])
                    here += 1
            entry += 1


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
