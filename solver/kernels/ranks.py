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
    low = np.zeros(1 << low_bits, dtype=np.int32)
    for value in range(1 << low_bits):
        positions = [i for i in range(low_bits) if value >> i & 1]
        low[value] = sum(comb(p, i + 1) for i, p in enumerate(positions))
        if value >> points:
            low[value] = NO_RANK
    high = np.full(1 << (high_bits + 1), NO_RANK, dtype=np.int32)
    for value in range(1 << high_bits):
        positions = [i + low_bits for i in range(high_bits) if value >> i & 1]
        below = size - len(positions)
        if below >= 0:
            high[value] = sum(comb(p, below + i + 1) for i, p in enumerate(positions))
    return Ranks(low, high, low_bits, points, size, comb(points, size))


class Runs(NamedTuple):
    """The patterns of a frame in the order of their ranks, run by run.

    Patterns with the same high part (all above the lowest FRAME_BITS) follow each other, and their
    low parts are then all those of one size: a run.
    """

    low_part: npt.NDArray[np.int32]  # low parts by size, ascending within a size
    start: npt.NDArray[np.int64]  # by size: first entry of `low_part`
    high_parts: int  # number of high parts
    size: int  # points of a pattern
    total: int  # number of patterns


def make_runs(points: int, size: int) -> Runs:
    """Return the runs of the patterns of `size` out of `points` points."""
    values = range(1 << min(points, FRAME_BITS))
    low_part = sorted(values, key=lambda value: (value.bit_count(), value))
    sizes = np.array([value.bit_count() for value in low_part])
    return Runs(
        low_part=np.array(low_part, dtype=np.int32),
        start=np.searchsorted(sizes, np.arange(FRAME_BITS + 2)).astype(np.int64),
        high_parts=1 << max(0, points - FRAME_BITS),
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


@step
def permutation_room(points):  # type: ignore[no-untyped-def]
    """Return the length of the tables of :func:`fill_permutation`."""
    return (1 << FRAME_BITS) + (1 << max(0, points - FRAME_BITS))


@step
def fill_permutation(permutation, points, table):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into two tables: by the lowest FRAME_BITS bits and by the others.

    Args:
        permutation: the new number of each of `points` bits; `points` or more marks a bit that
            has no place (the result then has no rank).
        points: number of bits.
        table: out, int32, length :func:`permutation_room`; the image of a pattern is the OR of one
            entry of each part.
    """
    fill_images(permutation, 0, min(points, FRAME_BITS), table)
    fill_images(permutation, FRAME_BITS, points, table[1 << FRAME_BITS :])


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
def permuted(pattern, table):  # type: ignore[no-untyped-def]
    """Return the image of `pattern` under a permutation made by :func:`fill_permutation`."""
    below = table[np.uint64(pattern & ((1 << FRAME_BITS) - 1))]
    return np.int64(below) | np.int64(table[np.uint64((1 << FRAME_BITS) + (pattern >> FRAME_BITS))])


@step
def fill_run_tables(permutation, points, runs, table, low_image, high_image):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into tables for all patterns of a frame in the order of ranks.

    Args:
        permutation, points: as for :func:`fill_permutation`.
        runs: :class:`Runs` of the patterns.
        table: room, int32, as many entries as there are low parts.
        low_image: out, int32, by number of the low part.
        high_image: out, int32, by high part.
    """
    fill_images(permutation, 0, min(points, FRAME_BITS), table)
    for number in range(len(runs.low_part)):
        low_image[np.uint64(number)] = table[np.uint64(runs.low_part[np.uint64(number)])]
    fill_images(permutation, FRAME_BITS, points, high_image)


# The most points of a frame for `fill_short_tables`.
SHORT_POINTS = 18


@step
def fill_short_tables(permutation, points, table):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into three tables by six bits, for lists of a few patterns.

    They are filled in a quarter of the time that :func:`fill_permutation` takes, but each pattern
    takes a look-up more.

    Args:
        permutation: as there.
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
