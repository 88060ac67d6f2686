"""The certificate check of single slots: every turn and the slot it leads to, one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    MajorTable,
    MinorTable,
    count_bits,
    mills_in,
    removable,
    slot_of,
)

QUIET, CAPTURE, WIN = 1, 2, 3
"""What a turn does: leads into the quiet or the capture sector, or wins at once."""


class Numbering(NamedTuple):
    """How a sector numbers its positions.

    Attributes:
        majors: the major side's sets.
        minors: the minor side's sets.
        mover_is_major: whether the side to move is the major one.
    """

    majors: MajorTable
    minors: MinorTable
    mover_is_major: bool


@step
def locate(mover, opponent, board, numbering):
    """Return the slot of a position given as two masks."""
    if numbering.mover_is_major:
        return slot_of(mover, opponent, board, numbering.majors, numbering.minors)
    return slot_of(opponent, mover, board, numbering.majors, numbering.minors)


@step
def masks_of(slot, board, numbering):
    """Return the position of a slot as mover's and opponent's mask."""
    slots = len(numbering.minors.sets)
    major = numbering.majors.canonical[slot // slots]
    minor, place = np.int64(0), 0
    compressed = np.int64(numbering.minors.sets[slot % slots])
    for point in range(len(board.neighbours)):
        if not major >> point & 1:
            if compressed >> place & 1:
                minor |= 1 << point
            place += 1
    if numbering.mover_is_major:
        return major, minor
    return minor, major


@kernel
def list_positions(slots, board, numbering, out):
    """Fill `out`, int64[slots, 2], with the masks of the positions of some slots."""
    for i in range(len(slots)):
        out[i, 0], out[i, 1] = masks_of(slots[i], board, numbering)


@step
def add_turn(
    moved, opponent, end, victims, last_stones, board, quiet, capture, found, kinds, targets
):  # fmt: skip
    """Add a turn to a list, or one for each stone that it may take.

    Args:
        moved: the mover's stones afterwards.
        opponent: the opponent's stones before.
        end: the point that the stone has come to.
        victims: those of the opponent's stones that may be taken.
        last_stones, board, quiet, capture: see `list_turns`.
        found: turns in the list so far.
        kinds, targets: in and out: a row of those of `list_turns`.

    Returns:
        The number of turns in the list now; -1 if they do not fit.
    """
    if found + max(count_bits(victims), 1) > len(kinds):
        return -1
    if victims == 0 or not mills_in(moved, board.lines) >> end & 1:
        kinds[found] = QUIET
        targets[found] = locate(opponent, moved, board, quiet)
        return found + 1
    for victim in range(len(board.neighbours)):
        if not victims >> victim & 1:
            continue
        if last_stones:
            kinds[found] = WIN
        else:
            kinds[found] = CAPTURE
            left = opponent ^ (1 << victim)
            targets[found] = locate(left, moved, board, capture)
        found += 1
    return found


@kernel
def list_turns(
    positions, places, fly, any_may_go, last_stones, board, quiet, capture, kinds, targets
):  # fmt: skip
    """List every turn of some positions.

    Args:
        positions: int64[n, 2], mover's and opponent's masks.
        places: whether the mover places a stone; else moves one.
        fly: whether the mover moves to any free point.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        last_stones: whether taking a stone wins at once.
        board: see :class:`solver.kernels.check.BoardTable`.
        quiet, capture: `Numbering` of the sectors the turns lead to.
        kinds: out, uint8[n, most], zeros before: what each turn does.
        targets: out, int64[n, most]: the slot it leads to.

    Returns:
        False if there are more turns than fit.
    """
    for i in range(len(positions)):
        mover, opponent = positions[i]
        victims = removable(opponent, board.lines, any_may_go)
        found = 0
        for end in range(len(board.neighbours)):
            if (mover | opponent) >> end & 1:
                continue
            placed = mover | 1 << end
            if places:
                found = add_turn(
                    placed, opponent, end, victims, last_stones, board, quiet, capture, found,
                    kinds[i], targets[i],
                )  # fmt: skip
                if found < 0:
                    return False
                continue
            for start in range(len(board.neighbours)):
                if not mover >> start & 1 or not (fly or board.neighbours[start] >> end & 1):
                    continue
                found = add_turn(
                    placed ^ (1 << start), opponent, end, victims, last_stones, board, quiet,
                    capture, found, kinds[i], targets[i],
                )  # fmt: skip
                if found < 0:
                    return False
    return True
