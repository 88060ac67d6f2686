"""Stored entries and scores.

A stored entry is a distance to win, void or a draw; the two last are the greatest numbers an entry
can hold.  While turns that leave a unit are compared they are held as *scores* from the view of the
side that makes them, so that the best is the greatest.  In a byte: 0 no such turn, 1..127 a loss
(the longer the better), 128 a draw, 129..255 a win (the shorter the better).

Entries are bytes unless distances do not fit; then everything here is done with 16 bits, in the
same way.  `top` is the greatest number of as many bits throughout, 255 or 65535.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from solver.kernels import step
from solver.widths import Stored

Patterns = npt.NDArray[np.unsignedinteger[Any]]

NO_TURN: Final = 0
"""Score where there is no turn to compare."""


def largest(array: Any) -> int:
    """Return the greatest number that an entry of an array can hold, as a constant."""
    return int(np.iinfo(array.dtype).max)


@overload(largest, strict=False)  # type: ignore[untyped-decorator]
def _compile_largest(array: Any) -> Any:
    top = 2**array.dtype.bitwidth - 1
    return lambda array: top


@step
def void_entry(top):  # type: ignore[no-untyped-def]
    """Return the stored entry of a slot whose position cannot be."""
    return top - 1


def most_moves(top: int) -> int:
    """Return the greatest number of quiet moves that a counter holds, see :func:`settle_moves`."""
    return top >> 2


def make_score_table(top: int) -> Stored:
    """Return the score of a turn by the stored entry of the position it leads to."""
    value = np.arange(top + 1)
    table = np.where(value % 2 == 1, (value + 1) // 2, top - value // 2)
    table[void_entry(top)] = NO_TURN
    table[top] = draw_score(top)
    return table.astype(np.uint8 if top == 255 else np.uint16)


@step
def draw_score(top):  # type: ignore[no-untyped-def]
    """Return the score of a turn that leads to a draw; those of wins are above it."""
    return (top >> 1) + 1


@step
def score_block(stored, top, out):  # type: ignore[no-untyped-def]
    """Turn stored entries into scores: what ``make_score_table`` says, in vector instructions.

    But for void ones, which no turn that may be made leads to.
    """
    for r in range(len(stored)):
        value = np.int64(stored[r])
        # Half the distance, from one end for wins and from the other for losses; a draw is odd.
        odd = -(value & 1)
        out[r] = ((~(value >> 1) ^ odd) - odd) & top


def pattern_type(points: int) -> type[np.uint16] | type[np.uint32]:
    """Return what entries of :class:`Lists` are in frames of so many points."""
    return np.uint16 if points <= 16 else np.uint32


class Lists(NamedTuple):
    """A frontier: the patterns of the slots of one depth, as lists per block."""

    start: npt.NDArray[np.int64]  # by block: first entry
    length: npt.NDArray[np.int32]  # by block: number of entries
    pattern: Patterns  # the entries, see `pattern_type`


class Seeds(NamedTuple):
    """Slots with a value set by a capture, or without any turn, sorted by depth in each block.

    Those of depth 1 are no entries but only counted: nothing changes them before their turn comes,
    which is at once, so the depths tell which they are. Often they are most of the seeds.
    """

    next: npt.NDArray[np.int64]  # by block: first entry that still waits
    waiting: npt.NDArray[np.uint16]  # number of seeds by (depth, block); none is deeper
    rank: npt.NDArray[np.uint16]  # the entries


class Working(NamedTuple):
    """A working table: the slots with one side to move, a row for each block."""

    depth: Stored  # the value, see `settle_depth`
    open_moves: Stored  # quiet moves not yet known to lose, see `settle_moves`
    seeds: Seeds


@step
def settle_depth(score, top):  # type: ignore[no-untyped-def]
    """Return the depth a slot's best exit gives; 0 if there is none or it draws.

    The depth of a win is final unless a sooner one is found; that of a loss is final once no move
    is open.  Written without branches: ``2 * score`` for losses, ``511 - 2 * score`` for wins (in a
    byte).
    """
    return ((2 * score) ^ -np.int64(score > draw_score(top))) & top


@step
def waits(top):  # type: ignore[no-untyped-def]
    """Return what a counter of open moves holds besides them while a losing exit is not due."""
    return (top >> 2) + 1


@step
def settle_moves(score, quiet, top):  # type: ignore[no-untyped-def]
    """Return the counter of open moves, given the best exit and the number of quiet moves.

    A slot that an exit wins or draws can never become lost, and one with an exit that loses can
    only when the depth of that has come; so the counter starts with half of its range besides the
    moves, or with a quarter (see :func:`waits`). There are fewer moves than that.
    """
    lost = np.int64(score != NO_TURN) & np.int64(score < draw_score(top))
    return quiet + draw_score(top) * np.int64(score >= draw_score(top)) + waits(top) * lost


@step
def plant(x, place, depth, open_moves, seeds, ends, found):  # type: ignore[no-untyped-def]
    """List the seeds of block `x` in order of depth, by counting.

    Args:
        x: the block.
        place: next free entry.
        depth, open_moves: the values of the block's slots.
        seeds: :class:`Seeds`, out.
        ends: room for as many numbers as seeds have depths.
        found: room for one rank more than the block has slots.

    Returns:
        The next free entry.
    """
    seeds.next[x] = place
    count = 0
    at_once = 0
    for r in range(len(depth)):
        # Written always and kept only if it counts: cheaper than a branch nobody can foresee.
        found[np.uint64(count)] = r
        value = depth[np.uint64(r)]
        count += np.int64((value > 1) | (value | open_moves[np.uint64(r)] == 0))
        at_once += np.int64(value == 1)
    ends[:] = 0
    for number in range(count):
        ends[depth[np.uint64(found[np.uint64(number)])]] += 1
    for value in range(len(ends)):
        length = ends[value]
        seeds.waiting[value, x] = length
        ends[value] = place
        place += length
    for number in range(count):
        r = np.uint64(found[np.uint64(number)])
        value = depth[r]
        seeds.rank[np.uint64(ends[value])] = r
        ends[value] += 1
    seeds.waiting[1, x] = at_once
    return place
