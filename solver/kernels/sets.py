"""What does not change while the minor side's stones vary: orbits and moves of the major sets.

All of it depends on the board, the rules and the number of major stones alone, so it is made once
and serves every unit with that number.  Names used throughout:

- `x` a canonical major set or its orbit number, `y` a minor set;
- the *frame* of `x`: the points free of `x`, numbered in ascending order from 0;
- a *pattern*: a minor set as bits of a frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel, step
from solver.kernels.bits import gather_bits, popcount, trailing_zeros
from solver.kernels.ranks import rank_of


class BoardArrays(NamedTuple):
    """A board as arrays: what the kernels know of it."""

    points: int
    neighbours: npt.NDArray[np.int64]  # mask of the adjacent points, per point
    lines: npt.NDArray[np.int64]  # masks
    automorphisms: npt.NDArray[np.int64]  # image of each point, shape (automorphisms, points)
    inverse: npt.NDArray[np.int64]  # number of the inverse automorphism


class Orbits(NamedTuple):
    """The orbits of the sets of one size, with the way from any set to its canonical one."""

    masks: npt.NDArray[np.int64]  # canonical sets, ascending
    way: npt.NDArray[np.int32]  # by rank of any set of this size, see `orbit_of`
    stabiliser: npt.NDArray[np.int64]  # bit g: automorphism g keeps the canonical set
    low: npt.NDArray[np.int32]  # rank tables of the whole board, see ranks.Ranks
    high: npt.NDArray[np.int32]
    low_bits: int


# An orbit's number and an automorphism share an entry of `way`: what is looked up together should
# lie together.
_AUTOMORPHISM_BITS = 6


@step
def orbit_of(way):  # type: ignore[no-untyped-def]
    """Return the orbit number of a set, given its entry in ``Orbits.way``."""
    return np.int64(way) >> _AUTOMORPHISM_BITS


@step
def automorphism_of(way):  # type: ignore[no-untyped-def]
    """Return an automorphism that takes a set to its canonical image, given its entry."""
    return np.int64(way) & ((1 << _AUTOMORPHISM_BITS) - 1)


class Moves(NamedTuple):
    """Turns of the major side, or removals of its stones, as lists per block.

    The entries of `x` are ``start[x]`` to ``start[x + 1]``.
    """

    start: npt.NDArray[np.int64]
    target: npt.NDArray[np.int32]  # orbit of the changed major set
    permutation: npt.NDArray[np.uint8]  # shape (entries, bits of the source frame)


class FrameEdges(NamedTuple):
    """Edges and lines inside each frame, as patterns, as lists per block."""

    edge_start: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int32]  # pattern of the two ends
    bit_edges: npt.NDArray[np.int64]  # by (block, point): bit e, edge e of the block ends there
    line_start: npt.NDArray[np.int64]
    line: npt.NDArray[np.int32]  # pattern of the line's points
    line_edges: npt.NDArray[np.int64]  # bit e: edge e of this block ends on the line
    bit_lines: npt.NDArray[np.int32]  # by (block, point): bit l, line l of the block holds it


@step
def image_of(mask, automorphism):  # type: ignore[no-untyped-def]
    """Return the image of a set under an automorphism given as an array of points."""
    result = 0
    while mask != 0:
        result |= 1 << automorphism[trailing_zeros(mask)]
        mask &= mask - 1
    return result


@step
def position_in(mask, point):  # type: ignore[no-untyped-def]
    """Return how many points of `mask` come before `point`: its number in that frame."""
    return popcount(mask & ((1 << point) - 1))


@step
def is_smallest(mask, group, automorphisms):  # type: ignore[no-untyped-def]
    """Tell whether no automorphism of a group (as bits) has a smaller image of a set."""
    others = group & ~1
    while others != 0:
        if image_of(mask, automorphisms[trailing_zeros(others)]) < mask:
            return False
        others &= others - 1
    return True


@step
def in_line(mask, point, lines):  # type: ignore[no-untyped-def]
    """Tell whether `point` stands in a line that `mask` fills."""
    for number in range(len(lines)):
        line = lines[number]
        if (line >> point) & 1 and (mask & line) == line:
            return True
    return False


@kernel
def fill_orbits(masks, board, low, high, low_bits, way, stabiliser):  # type: ignore[no-untyped-def]
    """Fill `way` and `stabiliser` of :class:`Orbits` from the canonical sets."""
    for number in range(len(masks)):
        mask = masks[number]
        keep = 0
        for g in range(len(board.automorphisms) - 1, -1, -1):
            image = image_of(mask, board.automorphisms[g])
            if image == mask:
                keep |= 1 << g
            place = rank_of(image, low, high, low_bits)
            way[place] = (number << _AUTOMORPHISM_BITS) | board.inverse[g]
        stabiliser[number] = keep


@kernel
def count_moves(masks, board, flying, closing, start):  # type: ignore[no-untyped-def]
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
                if in_line(moved, target, board.lines) == closing:
                    total += 1
    start[len(masks)] = total
    return total


@kernel
def fill_moves(masks, board, flying, closing, inward, orbits, target_orbit, permutation):  # type: ignore[no-untyped-def]
    """Fill ``target`` and ``permutation`` of :class:`Moves` for the major side's moves.

    Args:
        masks: canonical major sets.
        board: the board.
        flying: whether stones may go anywhere.
        closing: whether to list the moves that close a mill, or the quiet ones.
        inward: whether the permutation takes patterns of the moved set's frame to the frame of
            `x` (the point just left has no place there), or the other way (the point moved to has
            none).
        orbits: orbits of the major sets.
        target_orbit: out.
        permutation: out.
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
                if in_line(moved, target, board.lines) != closing:
                    continue
                way = orbits.way[rank_of(moved, orbits.low, orbits.high, orbits.low_bits)]
                image = orbits.masks[orbit_of(way)]
                automorphism = board.automorphisms[automorphism_of(way)]
                target_orbit[entry] = orbit_of(way)
                for point in range(board.points):
                    if (mask >> point) & 1 and point != origin:
                        continue
                    here = position_in(full & ~mask, point)
                    there = position_in(full & ~image, automorphism[point])
                    nowhere = popcount(full & ~mask)
                    if point == origin:
                        if inward:
                            permutation[entry, there] = nowhere
                    elif point == target:
                        if not inward:
                            permutation[entry, here] = nowhere
                    elif inward:
                        permutation[entry, there] = here
                    else:
                        permutation[entry, here] = there
                entry += 1


@kernel
def count_placements(masks, board, quiet, closing, start):  # type: ignore[no-untyped-def]
    """Fill ``start`` of :class:`Moves` for stones added to a major set.

    Args:
        masks: canonical major sets.
        board: the board.
        quiet, closing: whether to list the placements that close no mill, and those that do.
        start: out.
    """
    full = (1 << board.points) - 1
    total = 0
    for number in range(len(masks)):
        start[number] = total
        targets = full & ~masks[number]
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            closes = in_line(masks[number] | (1 << target), target, board.lines)
            if (closes and closing) or (not closes and quiet):
                total += 1
    start[len(masks)] = total
    return total


@kernel
def fill_placements(masks, board, quiet, closing, orbits, target_orbit, permutation):  # type: ignore[no-untyped-def]
    """Fill ``target`` and ``permutation`` of :class:`Moves` for stones added to a major set.

    Args:
        masks: canonical major sets.
        board: the board.
        quiet, closing: as in :func:`count_placements`.
        orbits: orbits of the sets with one stone more.
        target_orbit: out.
        permutation: out, from the frame of `x` to that of the larger set; the point placed on has
            no place there.
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
            closes = in_line(added, target, board.lines)
            if not ((closes and closing) or (not closes and quiet)):
                continue
            way = orbits.way[rank_of(added, orbits.low, orbits.high, orbits.low_bits)]
            image = orbits.masks[orbit_of(way)]
            automorphism = board.automorphisms[automorphism_of(way)]
            target_orbit[entry] = orbit_of(way)
            here = 0
            for point in range(board.points):
                if (frame >> point) & 1:
                    there = position_in(full & ~image, automorphism[point])
                    # The larger set's frame has one point fewer: its bits end before this one.
                    nowhere = popcount(frame) - 1
                    permutation[entry, here] = nowhere if point == target else there
                    here += 1
            entry += 1


@kernel
def count_arrivals(masks, board, flying, out):  # type: ignore[no-untyped-def]
    """Count the quiet moves of the major side to each point of its frame, by block."""
    full = (1 << board.points) - 1
    for number in range(len(masks)):
        mask = masks[number]
        targets = full & ~mask
        here = 0
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            stones = (mask if flying else board.neighbours[target] & mask)
            while stones != 0:
                moved = (mask & ~(stones & -stones)) | (1 << target)
                stones &= stones - 1
                if not in_line(moved, target, board.lines):
                    out[number, here] += 1
            here += 1


@step
def removable(mask, board, any_when_all):  # type: ignore[no-untyped-def]
    """Return the stones of a side that may be taken: those in no mill, or all if all are."""
    protected = 0
    for number in range(len(board.lines)):
        line = board.lines[number]
        if (mask & line) == line:
            protected |= line
    if protected == mask:
        return mask if any_when_all else 0
    return mask & ~protected


@kernel
def count_removals(masks, board, any_when_all, start):  # type: ignore[no-untyped-def]
    """Fill ``start`` of :class:`Moves` for the removals of a major stone."""
    total = 0
    for number in range(len(masks)):
        start[number] = total
        total += popcount(removable(masks[number], board, any_when_all))
    start[len(masks)] = total
    return total


@kernel
def fill_removals(masks, board, any_when_all, orbits, target_orbit, permutation):  # type: ignore[no-untyped-def]
    """Fill ``target`` and ``permutation`` of :class:`Moves` for the removals of a major stone.

    Args:
        masks: canonical major sets.
        board: the board.
        any_when_all: whether any stone may go when all stand in mills.
        orbits: orbits of the sets with one stone fewer.
        target_orbit: out.
        permutation: out, from the frame of `x` to the frame of the smaller set.
    """
    full = (1 << board.points) - 1
    entry = 0
    for number in range(len(masks)):
        mask = masks[number]
        stones = removable(mask, board, any_when_all)
        while stones != 0:
            smaller = mask & ~(stones & -stones)
            stones &= stones - 1
            way = orbits.way[rank_of(smaller, orbits.low, orbits.high, orbits.low_bits)]
            image = orbits.masks[orbit_of(way)]
            automorphism = board.automorphisms[automorphism_of(way)]
            target_orbit[entry] = orbit_of(way)
            here = 0
            for point in range(board.points):
                if not (mask >> point) & 1:
                    permutation[entry, here] = position_in(full & ~image, automorphism[point])
                    here += 1
            entry += 1


@kernel
def fill_frames(masks, board, fill, edge_start, edge, bit_edges, line_start, line, line_edges, bit_lines):  # type: ignore[no-untyped-def]
    """Fill :class:`FrameEdges`; with `fill` false only the two ``start`` arrays."""
    full = (1 << board.points) - 1
    edges = 0
    lines = 0
    for number in range(len(masks)):
        edge_start[number] = edges
        line_start[number] = lines
        frame = full & ~masks[number]
        points = frame
        while points != 0:
            point = trailing_zeros(points)
            points &= points - 1
            others = board.neighbours[point] & points
            while others != 0:
                if fill:
                    ends = (1 << point) | (others & -others)
                    edge[edges] = gather_bits(ends, frame)
                    bit = 1 << (edges - edge_start[number])
                    bit_edges[number, position_in(frame, point)] |= bit
                    bit_edges[number, position_in(frame, trailing_zeros(others))] |= bit
                others &= others - 1
                edges += 1
        for which in range(len(board.lines)):
            if (board.lines[which] & frame) == board.lines[which]:
                if fill:
                    pattern = gather_bits(board.lines[which], frame)
                    line[lines] = pattern
                    incident = 0
                    for e in range(edge_start[number], edges):
                        if np.int64(edge[e]) & pattern:
                            incident |= 1 << (e - edge_start[number])
                    line_edges[lines] = incident
                    rest = pattern
                    while rest != 0:
                        bit_lines[number, trailing_zeros(rest)] |= 1 << (lines - line_start[number])
                        rest &= rest - 1
                lines += 1
    edge_start[len(masks)] = edges
    line_start[len(masks)] = lines
