"""Ranks of sets by two table look-ups, and permutations of points by three.

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
    count: int  # C(points, size), so the first number that is no rank


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
    """Turn a permutation of bits into three chunk tables.

    Args:
        permutation: the new number of each of `points` bits; `points` or more marks a bit that
            has no place (the result then has no rank).
        points: number of bits.
        width: bits per chunk; ``3 * width >= points``.
        table: out, int32, length at least ``3 << width``; the image of a pattern is the OR of
            one entry per chunk.
    """
    for chunk in range(3):
        start = chunk << width
        table[start] = 0
        filled = 1
        for bit in range(width):
            number = chunk * width + bit
            value = 0
            if number < points:
                value = 1 << np.int64(permutation[number])
            # The entries with this bit as their highest are the ones before, each with it added.
            for entry in range(filled):
                table[start + filled + entry] = table[start + entry] | value
            filled *= 2


@step
def permuted(pattern, width, table):  # type: ignore[no-untyped-def]
    """Return the image of `pattern` under a permutation made by :func:`fill_permutation`."""
    chunk = (1 << width) - 1
    return (
        np.int64(table[np.uint64(pattern & chunk)])
        | np.int64(table[np.uint64((1 << width) + ((pattern >> width) & chunk))])
        | np.int64(table[np.uint64((2 << width) + (pattern >> (2 * width)))])
    )
