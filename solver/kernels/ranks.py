"""Ranks of sets by two table look-ups, and permutations of points by two more.

A colexicographic rank is a sum over the set's points, so it splits into a part for the low bits
and a part for the high bits: ``rank = low[p & low_mask] + high[p >> low_bits]``.  The number of
points below the high part is known, because the size of the set is.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import step

# Bits of the low part in a frame: known to the compiler, which saves a quarter of the time that a
# list of patterns takes.
FRAME_BITS = 9

# A pattern with a bit above its points is no set: its rank exceeds every block's size.
NO_RANK = 1 << 24


class Ranks(NamedTuple):
    """Rank tables for the sets of `size` points out of `points`."""

    low: npt.NDArray[np.int32]  # by the low bits; length 1 << low_bits
    high: npt.NDArray[np.int32]  # by the rest and one bit more, see NO_RANK
    low_bits: int
    points: int
    size: int
    total: int  # C(points, size), so the first number that is no rank


def make_ranks(points: int, size: int, low_bits: int = FRAME_BITS) -> Ranks:
    """Return the rank tables for sets of `size` out of `points` points.

    In a frame the low part has :data:`FRAME_BITS`; half the points make smaller tables.
    """
    high_bits = max(0, points - low_bits)
    below = np.arange(1 << low_bits)
    low = _part_ranks(below, 0, np.zeros_like(below))
    low[below >> points != 0] = NO_RANK
    above = np.arange(1 << high_bits)
    start = size - np.bitwise_count(above).astype(np.int64)
    high = np.full(1 << (high_bits + 1), NO_RANK, dtype=np.int32)
    high[: len(above)] = np.where(start >= 0, _part_ranks(above, low_bits, start), NO_RANK)
    return Ranks(low, high, low_bits, points, size, comb(points, size))


def _part_ranks(
    values: npt.NDArray[np.int64], first_point: int, start: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return what sets of points add to a rank.

    Args:
        values: the sets, bit 0 standing for `first_point`.
        first_point: number of that point.
        start: by set, how many points of the whole set come before; where fewer than none, the
            result says nothing.
    """
    result = np.zeros(len(values), dtype=np.int32)
    number = start.copy()
    for place in range(int(values[-1]).bit_length()):
        stands = values >> place & 1
        number += stands
        point = first_point + place
        ways = np.array([comb(point, count) for count in range(point + 2)], dtype=np.int64)
        result += (stands * ways[number.clip(0, point + 1)]).astype(np.int32)
    return result


class Runs(NamedTuple):
    """The patterns of a frame in the order of their ranks, run by run.

    Patterns with the same high part (all above the lowest FRAME_BITS) follow each other, and their
    low parts are then all those of one size: a run.
    """

    low_part: npt.NDArray[np.int32]  # low parts by size, ascending within a size
    start: npt.NDArray[np.int64]  # by size: first entry of `low_part`
    high_part: npt.NDArray[np.int32]  # high parts, ascending
    low_size: npt.NDArray[np.int64]  # by high part: points of the low parts that go with it
    size: int  # points of a pattern
    total: int  # number of patterns


def make_runs(points: int, size: int) -> Runs:
    """Return the runs of the patterns of `size` out of `points` points."""
    values = range(1 << min(points, FRAME_BITS))
    low_part = sorted(values, key=lambda value: (value.bit_count(), value))
    sizes = np.array([value.bit_count() for value in low_part])
    high_part = np.arange(1 << max(0, points - FRAME_BITS), dtype=np.int32)
    low_size = size - np.bitwise_count(high_part).astype(np.int64)
    used = (low_size >= 0) & (low_size <= min(points, FRAME_BITS))
    return Runs(
        low_part=np.array(low_part, dtype=np.int32),
        start=np.searchsorted(sizes, np.arange(FRAME_BITS + 2)).astype(np.int64),
        high_part=high_part[used],
        low_size=low_size[used],
        size=size,
        total=comb(points, size),
    )


@step
def rank_of(pattern, low, high, low_bits):  # type: ignore[no-untyped-def]
    """Return the rank of `pattern` (see :class:`Ranks`)."""
    # An unsigned index skips the test for a negative one.
    below = low[np.uint64(pattern & ((1 << low_bits) - 1))]
    return np.int64(below) + np.int64(high[np.uint64(pattern >> low_bits)])


@step
def rank_in_frame(pattern, low, high):  # type: ignore[no-untyped-def]
    """Return the rank of a frame's `pattern`, whose low part has ``FRAME_BITS``."""
    return rank_of(pattern, low, high, FRAME_BITS)


# The most points of a frame for `fill_short_tables`.
SHORT_POINTS = 18


@step
def permutation_room(points):  # type: ignore[no-untyped-def]
    """Return the length of the tables of :func:`fill_permutation`."""
    if points <= SHORT_POINTS:
        return 3 << 6
    return (2 << FRAME_BITS) + (1 << (points - 2 * FRAME_BITS))


@step
def permutation_width(points):  # type: ignore[no-untyped-def]
    """Return the bits that each of those tables is for; the last one may be for more."""
    return 6 if points <= SHORT_POINTS else FRAME_BITS


@step
def fill_permutation(permutation, points, table):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into three tables, each by some of the bits.

    Args:
        permutation: the new number of each of `points` bits; `points` or more marks a bit that
            has no place (the result then has no rank).
        points: number of bits.
        table: out, int32, length :func:`permutation_room`; the image of a pattern is the OR of one
            entry of each part.
    """
    if points <= SHORT_POINTS:
        fill_short_tables(permutation, points, table)
        return
    fill_images(permutation, 0, FRAME_BITS, table)
    fill_images(permutation, FRAME_BITS, 2 * FRAME_BITS, table[1 << FRAME_BITS :])
    fill_images(permutation, 2 * FRAME_BITS, points, table[2 << FRAME_BITS :])


@step
def fill_images(permutation, first, last, table):  # type: ignore[no-untyped-def]
    """Set the image of every set of the bits from `first` to `last`, shifted to begin at 0."""
    table[0] = 0
    filled = 1
    for bit in range(first, last):
        value = np.int32(1 << np.int64(permutation[bit]))
        # The entries with this bit as their highest are the ones before, each with it added.
        # As slices of their own, the two halves go through vector instructions.
        before = table[:filled]
        after = table[filled : 2 * filled]
        for entry in range(filled):
            after[entry] = before[entry] | value
        filled *= 2


@step
def permuted(pattern, width, table):  # type: ignore[no-untyped-def]
    """Return the image of `pattern` under a permutation made by :func:`fill_permutation`.

    `width` is that of :func:`permutation_width`.
    """
    mask = (1 << width) - 1
    first = table[np.uint64(pattern & mask)]
    second = table[np.uint64((1 << width) + ((pattern >> width) & mask))]
    third = table[np.uint64((2 << width) + (pattern >> (2 * width)))]
    return np.int64(first | second | third)


@step
def run_room(points):  # type: ignore[no-untyped-def]
    """Return the length of the room of :func:`fill_run_tables`."""
    return (1 << FRAME_BITS) + (1 << max(0, points - 2 * FRAME_BITS))


@step
def fill_run_tables(permutation, points, runs, table, low_image, high_image):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into tables for all patterns of a frame in the order of ranks.

    Args:
        permutation, points: as for :func:`fill_permutation`.
        runs: :class:`Runs` of the patterns.
        table: room, int32, length :func:`run_room`.
        low_image: out, int32, by number of the low part.
        high_image: out, int32, by number of the high part.
    """
    fill_images(permutation, 0, min(points, FRAME_BITS), table)
    for number in range(len(runs.low_part)):
        low_image[np.uint64(number)] = table[np.uint64(runs.low_part[np.uint64(number)])]
    last = table[1 << FRAME_BITS :]
    fill_images(permutation, FRAME_BITS, min(points, 2 * FRAME_BITS), table)
    fill_images(permutation, 2 * FRAME_BITS, points, last)
    mask = (1 << FRAME_BITS) - 1
    for number in range(len(runs.high_part)):
        part = np.int64(runs.high_part[np.uint64(number)])
        high_image[np.uint64(number)] = (
            table[np.uint64(part & mask)] | last[np.uint64(part >> FRAME_BITS)]
        )


@step
def fill_short_tables(permutation, points, table):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into three tables by six bits, for lists of a few patterns.

    Args:
        permutation: as for :func:`fill_permutation`.
        points: number of bits, at most ``SHORT_POINTS``.
        table: out, int32, length 192.
    """
    for chunk in range(3):
        bit = 6 * chunk
        b0 = new_bit(permutation, bit, points)
        b1 = new_bit(permutation, bit + 1, points)
        b2 = new_bit(permutation, bit + 2, points)
        b3 = new_bit(permutation, bit + 3, points)
        b4 = new_bit(permutation, bit + 4, points)
        b5 = new_bit(permutation, bit + 5, points)
        part = table[64 * chunk : 64 * chunk + 64]
        for value in range(64):
            v = np.int32(value)
            # All bits of -(v & 1) are those of v's lowest; the compiler makes vectors of this.
            low = (b0 & -(v & 1)) | (b1 & -((v >> 1) & 1)) | (b2 & -((v >> 2) & 1))
            high = (b3 & -((v >> 3) & 1)) | (b4 & -((v >> 4) & 1)) | (b5 & -((v >> 5) & 1))
            part[value] = low | high


@step
def new_bit(permutation, bit, points):  # type: ignore[no-untyped-def]
    """Return what a bit becomes under a permutation of `points` bits; 0 for one beyond them."""
    if bit >= points:
        return np.int32(0)
    return np.int32(1) << np.int32(permutation[np.uint64(bit)])


@step
def shortly_permuted(pattern, table):  # type: ignore[no-untyped-def]
    """Return the image of a 32-bit `pattern` by the tables of :func:`fill_short_tables`."""
    six = np.uint32(63)
    first = table[np.uint64(pattern & six)]
    second = table[np.uint64(64) + np.uint64((pattern >> np.uint32(6)) & six)]
    third = table[np.uint64(128) + np.uint64(pattern >> np.uint32(12))]
    return np.uint32(first | second | third)


@step
def spare_rank(r, spare):  # type: ignore[no-untyped-def]
    """Return `r`, or the spare slot's number if `r` exceeds it; without a branch."""
    excess = r - spare
    return spare + (excess & (excess >> 63))


@step
def half(points):  # type: ignore[no-untyped-def]
    """Return the width of the chunks that patterns of `points` bits are cut into."""
    return (points + 1) // 2
