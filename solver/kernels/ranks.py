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


def make_ranks(points: int, size: int) -> Ranks:
    """Return the rank tables for sets of `size` out of `points` points."""
    low_bits = (points + 1) // 2
    high_bits = points - low_bits
    low = np.zeros(1 << low_bits, dtype=np.int32)
    for value in range(1 << low_bits):
        positions = [i for i in range(low_bits) if value >> i & 1]
        low[value] = sum(comb(p, i + 1) for i, p in enumerate(positions))
    high = np.full(1 << (high_bits + 1), NO_RANK, dtype=np.int32)
    for value in range(1 << high_bits):
        positions = [i + low_bits for i in range(high_bits) if value >> i & 1]
        below = size - len(positions)
        if below >= 0:
            high[value] = sum(comb(p, below + i + 1) for i, p in enumerate(positions))
    return Ranks(low, high, low_bits, points, size, comb(points, size))


@step
def rank_of(pattern, low, high, low_bits):  # type: ignore[no-untyped-def]
    """Return the rank of `pattern` (see :class:`Ranks`)."""
    # An unsigned index skips the test for a negative one.
    below = low[np.uint64(pattern & ((1 << low_bits) - 1))]
    return np.int64(below) + np.int64(high[np.uint64(pattern >> low_bits)])


@step
def fill_permutation(permutation, points, width, table):  # type: ignore[no-untyped-def]
    """Turn a permutation of bits into two chunk tables.

    Args:
        permutation: the new number of each of `points` bits; `points` or more marks a bit that
            has no place (the result then has no rank).
        points: number of bits.
        width: bits per chunk; ``2 * width >= points``.
        table: out, int32, length ``2 << width``; the image of a pattern is the OR of one entry
            per chunk.
    """
    for chunk in range(2):
        start = chunk << width
        table[start] = 0
        filled = 1
        for bit in range(chunk * width, (chunk + 1) * width):
            value = np.int32(0)
            if bit < points:
                value = np.int32(1 << np.int64(permutation[bit]))
            # The entries with this bit as their highest are the ones before, each with it added.
            # As slices of their own, the two halves go through vector instructions.
            before = table[start : start + filled]
            after = table[start + filled : start + 2 * filled]
            for entry in range(filled):
                after[entry] = before[entry] | value
            filled *= 2


@step
def permuted(pattern, width, table):  # type: ignore[no-untyped-def]
    """Return the image of `pattern` under a permutation made by :func:`fill_permutation`."""
    below = table[np.uint64(pattern & ((1 << width) - 1))]
    return np.int64(below) | np.int64(table[np.uint64((1 << width) + (pattern >> width))])


@step
def spare_rank(r, spare):  # type: ignore[no-untyped-def]
    """Return `r`, or the spare slot's number if `r` exceeds it; without a branch."""
    excess = r - spare
    return spare + (excess & (excess >> 63))


@step
def half(points):  # type: ignore[no-untyped-def]
    """Return the width of the chunks that patterns of `points` bits are cut into."""
    return (points + 1) // 2
