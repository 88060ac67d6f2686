"""The certificate check of a solved moving sector, block by block.

Nothing here is shared with the solving kernels. A *block* is one canonical major set with all
minor sets; for each slot of it the best turn is found by looking at every position one turn on.
A minor set is a mask over the block's *frame*, the free points in ascending order, or (in the
tables) its rank. Scores order turns by what they are worth, see :mod:`solver.checkarrays`.

Moves of the major side lead to one other block for every minor set at once, along a *route*: a
permutation of frame points, as three look-up tables for a third of the frame each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]


class BoardTable(NamedTuple):
    """A board: neighbour masks by point, line masks, automorphisms as rows of point images."""

    neighbours: Ints
    lines: Ints
    automorphisms: Ints


class MajorTable(NamedTuple):
    """All sets of one size on the board.

    Attributes:
        canonical: masks of the canonical sets, ascending.
        orbit: by number of a set, the number of its canonical image; int32.
        automorphism: by number of a set, an automorphism that leads to that image; uint8.
        low, high, low_bits: the number of a set is ``low[lower bits] + high[upper bits]``.
    """

    canonical: Ints
    orbit: npt.NDArray[np.int32]
    automorphism: Bytes
    low: npt.NDArray[np.int32]
    high: npt.NDArray[np.int32]
    low_bits: int


class MinorTable(NamedTuple):
    """All sets of one size in a frame.

    Attributes:
        sets: masks by rank, int32.
        members: their points, ascending, int8[sets, size].
        low, high, low_bits: the rank of a set is ``low[lower bits] + high[upper bits]``.
    """

    sets: npt.NDArray[np.int32]
    members: npt.NDArray[np.int8]
    low: npt.NDArray[np.int32]
    high: npt.NDArray[np.int32]
    low_bits: int


class Tables(NamedTuple):
    """Stored bytes: of the sector, after quiet moves and after captures, majors the same.

    `capture` is empty where a capture leaves too few stones and so wins at once.
    """

    own: Bytes
    quiet: Bytes
    capture: Bytes


class Scores(NamedTuple):
    """`of_value` by the byte of the position after a turn; `value` back, for the one before."""

    of_value: Bytes
    value: Bytes


WIN_NOW = 255  # the score of a turn that leaves the opponent lost at once


@kernel
def count_bits(mask):
    """Return the number of points in a mask."""
    count = np.int64(0)
    while mask:
        mask &= mask - 1
        count += 1
    return count


@kernel
def mills_in(stones, lines):
    """Return those of the stones that stand in a full line."""
    result = np.int64(0)
    for i in range(len(lines)):
        if stones & lines[i] == lines[i]:
            result |= lines[i]
    return result


@kernel
def removable(stones, lines, any_may_go):
    """Return which of the stones a mill of the enemy may take."""
    loose = stones & ~mills_in(stones, lines)
    if loose == 0 and any_may_go:
        return stones
    return loose


@kernel
def number_of(mask, low, high, low_bits):
    """Return the number of a set among all sets of its size."""
    return np.int64(low[mask & ((1 << low_bits) - 1)]) + np.int64(high[mask >> low_bits])


@kernel
def frame_points(free):
    """Return the points of a mask, ascending."""
    points = np.empty(count_bits(free), dtype=np.int64)
    filled = 0
    for point in range(32):
        if free >> point & 1:
            points[filled] = point
            filled += 1
    return points


@kernel
def masks_in_frame(masks, frame, all_of_it):
    """Return board masks as masks over the frame.

    Those not wholly inside are left out if `all_of_it`, and cut down otherwise.
    """
    result = np.empty(len(masks), dtype=np.int64)
    filled = 0
    for i in range(len(masks)):
        mask, inside = masks[i], np.int64(0)
        for j in range(len(frame)):
            if mask >> frame[j] & 1:
                inside |= 1 << j
                mask ^= 1 << frame[j]
        if mask == 0 or not all_of_it:
            result[filled] = inside
            filled += 1
    return result[:filled]


@kernel
def lay_route(frame, vacated, occupied, permutation, target_free, bit_to, route):
    """Lay the route from a block's frame to that of another block.

    Args:
        frame: points of this block's frame.
        vacated: the point a major stone moves from, which takes the place of
        occupied: the point it moves to; both -1 if a major stone is captured.
        permutation: the automorphism that makes the new major set canonical.
        target_free: mask of the points free of that canonical set.
        bit_to: out, int64[points of the frame]: the bit each point becomes.
        route: out, int64[3, 1024]: what each third of a minor set becomes.
    """
    for i in range(len(frame)):
        point = frame[i]
        if point == occupied:
            point = vacated
        bit_to[i] = 1 << count_bits(target_free & ((1 << permutation[point]) - 1))
    width = (len(frame) + 2) // 3
    for third in range(3):
        route[third, 0] = 0
        size = 1
        for i in range(third * width, min((third + 1) * width, len(frame))):
            for mask in range(size):
                route[third, size + mask] = route[third, mask] | bit_to[i]
            size *= 2


@kernel
def follow(minor, route, width):
    """Return what a minor set becomes along a route."""
    full = (1 << width) - 1
    return (
        route[0, minor & full] | route[1, minor >> width & full] | route[2, minor >> (2 * width)]
    )


@kernel
def look_across(occupied_bit, minors, route, width, block, of_value, best):
    """Improve scores by a quiet move of the major side that leads into `block`.

    Args:
        occupied_bit: frame point the stone moves to; where a minor stone stands, it cannot.
        minors: the minor sets.
        route, width: the way there.
        block: stored bytes of the target block.
        of_value: scores by stored byte.
        best: in and out, the scores so far by rank.
    """
    for slot in range(len(best)):
        minor = np.int64(minors.sets[slot])
        target = number_of(follow(minor, route, width), minors.low, minors.high, minors.low_bits)
        score = of_value[block[target]]
        if minor >> occupied_bit & 1:
            continue
        if score > best[slot]:
            best[slot] = score


@kernel
def take_across(
    occupied_bit, minors, fewer, victims, route, width, bit_to, quiet, block, of_value, best
):
    """Improve scores by a move of the major side that closes a mill; see `look_across`.

    Args:
        fewer: the minor sets with one stone less.
        victims: by rank, which stones may be taken; where there are none the move is quiet.
        bit_to: what each frame point becomes along the route.
        quiet: stored bytes of the target block after a quiet move.
        block: stored bytes of the target block after a capture, empty if that wins.
    """
    for slot in range(len(best)):
        minor = np.int64(minors.sets[slot])
        if minor >> occupied_bit & 1:
            continue
        if victims[slot] and len(block) == 0:
            best[slot] = WIN_NOW
            continue
        moved = follow(minor, route, width)
        if victims[slot] == 0:
            target = number_of(moved, minors.low, minors.high, minors.low_bits)
            best[slot] = max(best[slot], of_value[quiet[target]])
            continue
        for i in range(minors.members.shape[1]):
            member = np.int64(minors.members[slot, i])
            if victims[slot] >> member & 1:
                left = moved ^ bit_to[member]
                target = number_of(left, fewer.low, fewer.high, fewer.low_bits)
                best[slot] = max(best[slot], of_value[block[target]])


@kernel
def compare_block(number, board, majors, minors, own, best, scores, counts, wrong, found):
    """Compare a block with the scores found, and its symmetric slots with each other.

    Args:
        number: of the block.
        board, majors, minors: see the classes.
        own: the sector's stored bytes.
        best: score of the best turn by rank.
        scores: see `Scores`.
        counts: in and out, int64[2, 256]: all positions and distinct ones by stored byte.
        wrong: out, int64[most, 3]: slot, expected byte, whether symmetry is what says so.
        found: mismatches so far.

    Returns:
        Mismatches now; those beyond the length of `wrong` are counted only.
    """
    slots = len(minors.sets)
    first = number * slots
    major = majors.canonical[number]
    free = (1 << len(board.neighbours)) - 1 - major
    frame = frame_points(free)
    width = (len(frame) + 2) // 3
    bit_to = np.empty(len(frame), dtype=np.int64)
    route = np.empty((3, 1024), dtype=np.int64)
    twin = np.arange(slots)  # the smallest of the symmetric slots
    stabiliser = 0
    for automorphism in range(len(board.automorphisms)):
        permutation = board.automorphisms[automorphism]
        image = np.int64(0)
        for point in range(len(permutation)):
            image |= (major >> point & 1) << permutation[point]
        if image != major:
            continue
        stabiliser += 1
        lay_route(frame, -1, -1, permutation, free, bit_to, route)
        for slot in range(slots):
            moved = follow(np.int64(minors.sets[slot]), route, width)
            other = number_of(moved, minors.low, minors.high, minors.low_bits)
            twin[slot] = min(twin[slot], other)
    weight = len(board.automorphisms) // stabiliser
    for slot in range(slots):
        stored = own[first + slot]
        expected = scores.value[best[slot]]
        asymmetric = stored == expected and stored != own[first + twin[slot]]
        if stored != expected or asymmetric:
            if found < len(wrong):
                wrong[found, 0] = first + slot
                wrong[found, 1] = own[first + twin[slot]] if asymmetric else expected
                wrong[found, 2] = asymmetric
            found += 1
        counts[0, stored] += weight
        if twin[slot] == slot:
            counts[1, stored] += 1
    return found
