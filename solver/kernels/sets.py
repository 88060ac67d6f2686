"""What does not change while the minor side's stones vary: orbits and moves of the major sets.

All of it depends on the board, the rules and the number of major stones alone, so it is made once
and serves every unit with that number.  Names used throughout:

- `x` a canonical major set or its orbit number, `y` a minor set;
- the *frame* of `x`: the points free of `x`, numbered in ascending order from 0;
- a *pattern*: a minor set as bits of a frame.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel, step
from solver.kernels.bits import gather_bits, popcount, trailing_zeros
from solver.kernels.ranks import rank_of

# What mills protect: no stone; those in mills while another is in none; those in mills always.
PROTECT_NONE: Final = 0
PROTECT_WHILE_OTHERS: Final = 1
PROTECT_ALWAYS: Final = 2


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
    mills: npt.NDArray[np.uint8]  # mills that the turn closes


class FrameEdges(NamedTuple):
    """Edges and lines inside each frame, as patterns, as lists per block."""

    edge_start: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int32]  # pattern of the two ends
    bit_edges: npt.NDArray[np.int64]  # by (block, point): bit e, edge e of the block ends there
    line_start: npt.NDArray[np.int64]
    line: npt.NDArray[np.int32]  # pattern of the line's points
    line_edges: npt.NDArray[np.int64]  # bit e: edge e of this block ends on the line
    bit_lines: npt.NDArray[Any]  # by (block, point): bit l, line l of the block holds it


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
def mills_at(mask, point, lines):  # type: ignore[no-untyped-def]
    """Return how many lines through `point` a set fills."""
    found = 0
    for number in range(len(lines)):
        line = lines[number]
        found += (line >> point) & 1 and (mask & line) == line
    return found


@step
def holds_any(mask, rows):  # type: ignore[no-untyped-def]
    """Tell whether a set fills one of some rows."""
    filled = False
    for number in range(len(rows)):
        filled |= (mask & rows[number]) == rows[number]
    return filled


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


@step
def removable(mask, board, protection):  # type: ignore[no-untyped-def]
    """Return the stones of a side that may be taken."""
    if protection == PROTECT_NONE:
        return mask
    protected = 0
    for number in range(len(board.lines)):
        line = board.lines[number]
        if (mask & line) == line:
            protected |= line
    if protected == mask and protection == PROTECT_WHILE_OTHERS:
        return mask
    return mask & ~protected


@kernel
def find_untouchable(masks, board, protection, out):  # type: ignore[no-untyped-def]
    """Tell, by block, whether none of a major set's stones may be taken."""
    for number in range(len(masks)):
        out[number] = removable(masks[number], board, protection) == 0


@kernel
def fill_frames(masks, board, left_out, fill, edge_start, edge, bit_edges, line_start, line, line_edges, bit_lines):  # type: ignore[no-untyped-def]
    """Fill :class:`FrameEdges`; with `fill` false only the two ``start`` arrays.

    The lines of the blocks that `left_out` marks are left out.
    """
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
            if (board.lines[which] & frame) == board.lines[which] and not left_out[number]:
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
