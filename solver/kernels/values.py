"""Stored bytes and scores.

A stored byte is a distance to win, ``VOID`` or ``DRAW``.  While captures are compared they are
held as *scores* from the capturing side's view, so that the best is the greatest: 0 no capture,
1..127 a loss (the longer the better), 128 a draw, 129..255 a win (the shorter the better).
"""

from __future__ import annotations

import numpy as np

from solver.kernels import kernel

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


@kernel
def settle(score, quiet, block, counts):  # type: ignore[no-untyped-def]
    """Return (depth, counter) of a slot from its best capture and its number of quiet moves.

    The depth of a win is final unless a sooner one is found; that of a loss is final once the
    counter is 0, and then counted in ``counts[depth, block]``, as are wins.
    """
    if score > DRAW_SCORE:
        depth = 1 + 2 * (255 - score)
        counts[depth, block] += 1
        return depth, quiet + NEVER_LOST
    if score == DRAW_SCORE:
        return 0, quiet + NEVER_LOST
    depth = 2 * score
    if quiet == 0:
        counts[depth, block] += 1
    return depth, quiet
