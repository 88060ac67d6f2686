"""What the kernels of the certificate check share. Nothing here is used by the solver.

A *block* is one canonical major set with all minor sets. A minor set is a mask over the block's
*frame*, the points free of the major set in ascending order; in tables it is its rank among all
sets of its size. Scores order turns by what they are worth, see :mod:`solver.checkarrays`.

Moves of the major side lead to one other block for every minor set at once, along a *route*: a
permutation of frame points, laid out as a look-up table for each third of the frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel, step
from solver.widths import WORD, Stored

Bytes = npt.NDArray[np.uint8]
Shorts = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

ROUTE_SHAPE = (3, 1024)
"""Room for frames of up to 30 points."""
VOID_WORD = WORD.void
"""The entry of a void slot in a table of words; see :mod:`solver.widths`."""


class BoardTable(NamedTuple):
    """A board.

    Attributes:
        neighbours: masks by point.
        lines: masks.
        automorphisms: ``automorphisms[a, point]`` is the image of a point.
        images: ``images[a, 0, lower half] | images[a, 1, upper half]`` is the image of a set.
        packed: ``packed[onto, mask]``, of eight points each: the bits of `mask` at the set bits of
            `onto`, packed together in ascending order.
        through: by point, the masks of the lines through it, then -1 up to the greatest number.
        long_rows: masks of the rows longer than a line.
    """

    neighbours: Ints
    lines: Ints
    automorphisms: Ints
    images: Shorts
    packed: Bytes
    through: Ints
    long_rows: Ints


class MajorTable(NamedTuple):
    """All sets of one size on the board.

    Attributes:
        canonical: masks of the canonical sets, ascending.
        orbit: by number of a set, the number of its canonical image.
        automorphism: by number of a set, an automorphism that leads to that image.
        low, high, low_bits: the number of a set is ``low[lower bits] + high[upper bits]``.
    """

    canonical: Ints
    orbit: Shorts
    automorphism: Bytes
    low: Shorts
    high: Shorts
    low_bits: int


class MinorTable(NamedTuple):
    """All sets of one size in a frame.

    Attributes:
        sets: masks by rank.
        members: their points, ascending, int8[sets, size].
        points: the points of the frame.
        low, high, low_bits: the rank of a set is ``low[lower bits] + high[upper bits]``.
    """

    sets: Shorts
    members: npt.NDArray[np.int8]
    points: int
    low: Shorts
    high: Shorts
    low_bits: int


class Tables(NamedTuple):
    """Stored entries: of the sector, after quiet moves and after captures, majors the same.

    `capture` is empty where a capture leaves too few stones and so wins at once.
    """

    own: Stored
    quiet: Stored
    capture: Stored


class Scores(NamedTuple):
    """What turns are worth; scores are uint8 or uint16.

    The score of a turn that leaves the opponent lost at once is ``of_value[0]``, the highest.

    Attributes:
        of_value: scores by the entry stored for the position after a turn.
        value: by the score of the best turn, the entry of the position before it, as a word.
    """

    of_value: Stored
    value: npt.NDArray[np.uint16]


@step
def count_bits(mask):
    """Return the number of points in a mask of at most 32: sums of 2, 4, 8 and then all bits."""
    mask -= mask >> 1 & 0x55555555
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F
    return (mask * 0x01010101 & 0xFFFFFFFF) >> 24


@step
def image_of(mask, automorphism, images):
    """Return the image of a set of points on the board."""
    half = images.shape[2]
    low, high = images[automorphism, 0, mask & (half - 1)], images[automorphism, 1, mask // half]
    return np.int64(low) | np.int64(high)


@step
def number_of(mask, low, high, low_bits):
    """Return the number of a set among all sets of its size."""
    # Unsigned, as an index that could be negative would be tested for that.
    below = np.int64(low[np.uint64(mask & ((1 << low_bits) - 1))])
    return below + np.int64(high[np.uint64(mask >> low_bits)])


@step
def mills_in(stones, lines):
    """Return those of the stones that stand in a full line."""
    result = np.int64(0)
    for i in range(len(lines)):
        if stones & lines[i] == lines[i]:
            result |= lines[i]
    return result


@step
def holds_any(stones, rows):
    """Return whether the stones fill one of some rows."""
    found = False
    for i in range(len(rows)):
        found |= stones & rows[i] == rows[i]
    return found


@step
def removable(stones, lines, any_may_go):
    """Return which of the stones a mill of the enemy may take."""
    loose = stones & ~mills_in(stones, lines)
    if loose == 0 and any_may_go:
        return stones
    return loose


@step
def slot_of(major, minor, board, majors, minors):
    """Return the slot of two masks on the board."""
    place = number_of(major, majors.low, majors.high, majors.low_bits)
    orbit = np.int64(majors.orbit[place])
    image = image_of(minor, np.int64(majors.automorphism[place]), board.images)
    return slot_in(orbit, image, board, majors, minors)


@step
def slot_in(orbit, image, board, majors, minors):
    """Return the slot of a minor set, as a mask on the board, in the block of some orbit."""
    free = (1 << len(board.neighbours)) - 1 - majors.canonical[np.uint64(orbit)]
    inside, filled = np.int64(0), np.int64(0)
    while free:
        onto = np.uint64(free & 255)
        inside |= np.int64(board.packed[onto, np.uint64(image & 255)]) << filled
        filled += count_bits(np.int64(onto))
        free >>= 8
        image >>= 8
    return orbit * len(minors.sets) + number_of(inside, minors.low, minors.high, minors.low_bits)


@step
def fill_frame(free, frame):
    """Fill `frame` with the points of a mask, ascending."""
    filled = 0
    for point in range(32):
        if free >> point & 1:
            frame[filled] = point
            filled += 1


@step
def mask_in_frame(mask, frame):
    """Return the part of a board mask that lies in a frame, as a mask over the frame."""
    inside = np.int64(0)
    for i in range(len(frame)):
        inside |= (mask >> frame[i] & 1) << i
    return inside


@kernel
def lines_in_frame(lines, frame):
    """Return the lines that lie wholly in a frame, as masks over it."""
    result = np.empty(len(lines), dtype=np.int64)
    filled = 0
    for i in range(len(lines)):
        inside = mask_in_frame(lines[i], frame)
        if count_bits(inside) == count_bits(lines[i]):
            result[filled] = inside
            filled += 1
    return result[:filled]


@step
def lay_route(frame, vacated, occupied, permutation, target_free, bit_to, route):
    """Lay the route from a block's frame to that of another block.

    Args:
        frame: points of this block's frame.
        vacated: the point a major stone moves from, which takes the place of
        occupied: the point it moves to; the same point of the frame if none moves.
        permutation: the automorphism that makes the new major set canonical.
        target_free: mask of the points free of that canonical set.
        bit_to: out, int64[points of the frame]: the bit each point becomes.
        route: out, int64[ROUTE_SHAPE]: what each third of a minor set becomes.
    """
    for i in range(len(frame)):
        point = frame[i]
        if point == occupied:
            point = vacated
        bit_to[i] = 1 << count_bits(target_free & ((1 << permutation[point]) - 1))
    fill_route(bit_to, route)


@step
def fill_route(bit_to, route):
    """Fill `route`, int64[ROUTE_SHAPE], given the bit that each point of a frame becomes."""
    width = (len(bit_to) + 2) // 3
    for third in range(3):
        route[third, 0] = 0
        size = 1
        for i in range(third * width, min((third + 1) * width, len(bit_to))):
            for mask in range(size):
                route[third, size + mask] = route[third, mask] | bit_to[i]
            size *= 2


@step
def follow(minor, route, width):
    """Return what a minor set becomes along a route; a third of the frame has `width` points."""
    full = (1 << width) - 1
    low, middle = np.uint64(minor & full), np.uint64(minor >> width & full)
    return route[0, low] | route[1, middle] | route[2, np.uint64(minor >> (2 * width))]
