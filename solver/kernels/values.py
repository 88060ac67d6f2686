"""Stored bytes and scores.

A stored byte is a distance to win, ``VOID`` or ``DRAW``.  While captures are compared they are
held as *scores* from the capturing side's view, so that the best is the greatest: 0 no capture,
1..127 a loss (the longer the better), 128 a draw, 129..255 a win (the shorter the better).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import step

VOID = 254
DRAW = 255
DEEPEST = 252  # deepest value a byte can hold, so that a turn more still fits

NO_CAPTURE = 0
DRAW_SCORE = 128
WIN_AT_ONCE = 255

# What a slot's counter of open quiet moves starts with besides the moves, of which there are fewer:
# a slot that a capture wins or draws can never become lost, and one that has a capture which
# loses can only when that capture's depth has come.
NEVER_LOST = 128
WAITS = 64


def make_score_table() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Return the score of a capture by the stored byte of the position it leads to."""
    table = np.zeros(256, dtype=np.uint8)
    for value in range(253):
        table[value] = (value + 1) // 2 if value % 2 else 255 - value // 2
    table[DRAW] = DRAW_SCORE
    return table


@step
def score_block(stored, out):  # type: ignore[no-untyped-def]
    """Turn stored bytes into scores: what ``make_score_table`` says, in vector instructions."""
    for r in range(len(stored)):
        value = np.int64(stored[r])
        # Half the distance, from one end for wins and from the other for losses; a draw is odd.
        odd = -(value & 1)
        out[r] = ((~(value >> 1) ^ odd) - odd) & 255


class Lists(NamedTuple):
    """A frontier: the patterns of the slots of one depth, as lists per block."""

    start: npt.NDArray[np.int64]  # by block: first entry
    length: npt.NDArray[np.int32]  # by block: number of entries
    pattern: npt.NDArray[np.uint32]  # the entries


class Seeds(NamedTuple):
    """Slots with a value set by a capture, or without any turn, sorted by depth in each block."""

    next: npt.NDArray[np.int64]  # by block: first entry that still waits
    waiting: npt.NDArray[np.uint16]  # number of entries by (depth, block)
    rank: npt.NDArray[np.uint16]  # the entries


class Working(NamedTuple):
    """A working table: the slots with one side to move, a row for each block."""

    depth: npt.NDArray[np.uint8]  # the value, see `settle_depth`; the end of a row is not used
    open_moves: npt.NDArray[np.uint8]  # quiet moves not yet known to lose, see `settle_moves`
    seeds: Seeds


@step
def settle_depth(score):  # type: ignore[no-untyped-def]
    """Return the depth a slot's best capture gives; 0 if there is none or it draws.

    The depth of a win is final unless a sooner one is found; that of a loss is final once no move
    is open.  Written without branches: ``2 * score`` for losses, ``511 - 2 * score`` for wins.
    """
    return ((2 * score) ^ -np.int64(score > DRAW_SCORE)) & 255


@step
def settle_moves(score, quiet):  # type: ignore[no-untyped-def]
    """Return the counter of open moves, given the best capture and the number of quiet moves."""
    lost = np.int64(score != NO_CAPTURE) & np.int64(score < DRAW_SCORE)
    return quiet + NEVER_LOST * np.int64(score >= DRAW_SCORE) + WAITS * lost


@step
def plant(x, place, depth, open_moves, seeds, ends, found):  # type: ignore[no-untyped-def]
    """List the seeds of block `x` in order of depth, by counting.

    Args:
        x: the block.
        place: next free entry.
        depth, open_moves: the values of the block's slots.
        seeds: :class:`Seeds`, out.
        ends: room for 256 numbers.
        found: room for one rank more than the block has slots.

    Returns:
        The next free entry.
    """
    seeds.next[x] = place
    count = 0
    for r in range(len(depth)):
        # Written always and kept only if it counts: cheaper than a branch nobody can foresee.
        found[np.uint64(count)] = r
        count += np.int64((depth[np.uint64(r)] != 0) | (open_moves[np.uint64(r)] == 0))
    ends[:] = 0
    for number in range(count):
        ends[depth[np.uint64(found[np.uint64(number)])]] += 1
    for value in range(256):
        length = ends[value]
        seeds.waiting[value, x] = length
        ends[value] = place
        place += length
    for number in range(count):
        r = np.uint64(found[np.uint64(number)])
        value = depth[r]
        seeds.rank[np.uint64(ends[value])] = r
        ends[value] += 1
    return place
