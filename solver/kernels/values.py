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
    count: npt.NDArray[np.int32]  # by block: number of entries
    pattern: npt.NDArray[np.unsignedinteger]  # the entries


class Seeds(NamedTuple):
    """Slots with a value set by a capture, or without any turn, sorted by depth in each block."""

    next: npt.NDArray[np.int64]  # by block: first entry that still waits
    waiting: npt.NDArray[np.uint16]  # number of entries by (depth, block)
    rank: npt.NDArray[np.uint16]  # the entries


@step
def settle(score, quiet):  # type: ignore[no-untyped-def]
    """Return (depth, counter) of a slot from its best capture and its number of quiet moves.

    The depth of a win is final unless a sooner one is found; that of a loss is final once the
    counter is 0.
    """
    if score > DRAW_SCORE:
        return 1 + 2 * (255 - score), quiet + NEVER_LOST
    if score == DRAW_SCORE:
        return 0, quiet + NEVER_LOST
    return 2 * score, quiet


@kernel
def plant(x, place, block, depth, open_moves, seeds):  # type: ignore[no-untyped-def]
    """List the seeds of block `x` in order of depth, and set its spare slot.

    Args:
        x: the block.
        place: next free entry.
        block: slots of a block; the spare slot comes after them.
        depth, open_moves: working tables.
        seeds: :class:`Seeds`, out.

    Returns:
        The next free entry.
    """
    depth[x, block] = 1
    open_moves[x, block] = 255
    begin = place
    ends = np.zeros(256, dtype=np.int64)
    for r in range(block):
        if depth[x, r] != 0 or open_moves[x, r] == 0:
            ends[depth[x, r]] += 1
    for value in range(256):
        seeds.waiting[value, x] = ends[value]
        place += ends[value]
        ends[value] = place - ends[value]
    for r in range(block):
        if depth[x, r] != 0 or open_moves[x, r] == 0:
            value = depth[x, r]
            seeds.rank[ends[value]] = r
            ends[value] += 1
    seeds.next[x] = begin
    return place
