"""Stored bytes and scores.

A stored byte is a distance to win, ``VOID`` or ``DRAW``.  While captures are compared they are
held as *scores* from the capturing side's view, so that the best is the greatest: 0 no capture,
1..127 a loss (the longer the better), 128 a draw, 129..255 a win (the shorter the better).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import kernel, step

VOID = 254
DRAW = 255
DEEPEST = 252  # deepest value a byte can hold, so that a turn more still fits

NO_CAPTURE = 0
DRAW_SCORE = 128
WIN_AT_ONCE = 255

# A slot that a capture wins or draws can never become lost: its counter of open quiet moves
# starts with this much more than it can lose.
NEVER_LOST = 128


def make_score_table() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Return the score of a capture by the stored byte of the position it leads to."""
    table = np.zeros(256, dtype=np.uint8)
    for value in range(253):
        table[value] = (value + 1) // 2 if value % 2 else 255 - value // 2
    table[DRAW] = DRAW_SCORE
    return table


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
    return quiet + NEVER_LOST * np.int64(score >= DRAW_SCORE)


@kernel
def plant(x, place, block, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """List the seeds of block `x` in order of depth.

    Args:
        x: the block.
        place: next free entry.
        block: slots of a block.
        depth, open_moves: the block's rows.
        seeds: :class:`Seeds`, out.

    Returns:
        The next free entry.
    """
    ends = np.zeros(256, dtype=np.int64)
    seeds.next[x] = place
    return sort_seeds(x, place, block, depth, open_moves, seeds, ends)


@step
def sort_seeds(x, place, block, depth, open_moves, seeds, ends):  # type: ignore[no-untyped-def]
    """Sort a block's seeds by depth, by counting; see :func:`plant`."""
    for r in range(block):
        seed = (depth[np.uint64(r)] != 0) | (open_moves[np.uint64(r)] == 0)
        ends[depth[np.uint64(r)]] += np.int64(seed)
    for value in range(256):
        count = ends[value]
        seeds.waiting[value, x] = count
        ends[value] = place
        place += count
    for r in range(block):
        # What is no seed is written to the next free entry and then forgotten.
        value = np.int64(depth[np.uint64(r)])
        seed = np.int64((value != 0) | (open_moves[np.uint64(r)] == 0))
        value |= 255 * (1 - seed)
        seeds.rank[np.uint64(ends[np.uint64(value)])] = r
        ends[np.uint64(value)] += seed
    return place
