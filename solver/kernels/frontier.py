"""The frontier of a depth: the slots whose final value is that depth, as lists of patterns."""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel
from solver.kernels.bits import trailing_zeros

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_LOWS = np.uint64(0x7F7F7F7F7F7F7F7F)


@kernel
def running_totals(counts, totals):  # type: ignore[no-untyped-def]
    """Fill ``totals[i]`` with the sum of ``counts[:i]``; return the sum of all."""
    total = 0
    for number in range(len(counts)):
        totals[number] = total
        total += np.int64(counts[number])
    totals[len(counts)] = total
    return total


@kernel
def collect(first, last, layer, depth, open_moves, patterns, counts, starts, out):  # type: ignore[no-untyped-def]
    """Write the patterns of all slots final at depth `layer`, block after block.

    Eight slots are compared at a time, and 64 before any branch, so that the compiler can use
    vector instructions: a byte of ``word ^ wanted`` is 0 where the depth is the wanted one.

    Args:
        first, last: range of blocks.
        layer: the depth looked for.
        depth, open_moves: working tables seen as 64-bit words, one row per block; a row is a
            multiple of eight words.
        patterns: minor sets by rank.
        counts: how many slots each block has at this depth.
        starts: where each block's list begins.
        out: the lists.
    """
    wanted = _ONES * np.uint64(layer)
    lost = layer % 2 == 0
    for x in range(first, last):
        left = np.int64(counts[x])
        place = starts[x]
        word = 0
        while left > 0:
            found = np.uint64(0)
            for number in range(word, word + 8):
                v = depth[x, number] ^ wanted
                found |= (v - _ONES) & ~v & _HIGHS
            if found != 0:
                for number in range(word, word + 8):
                    v = depth[x, number] ^ wanted
                    matches = ~(((v & _LOWS) + _LOWS) | v | _LOWS)
                    if lost:
                        v = open_moves[x, number]
                        matches &= ~(((v & _LOWS) + _LOWS) | v | _LOWS)
                    bits = np.int64(matches)
                    while bits != 0:
                        r = number * 8 + (trailing_zeros(bits) >> 3)
                        bits &= bits - 1
                        # The spare slot of a row lies beyond the last rank.
                        if r < len(patterns):
                            out[place] = patterns[r]
                            place += 1
                            left -= 1
            word += 8
