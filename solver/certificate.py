"""The certificate check of solved sectors: every slot, or some, against the slots one turn on.

A table of distances is its own certificate. If the value of every slot follows from those one
turn on (a win in d has a successor lost in d - 1 and none lost sooner; a loss in d has only won
ones, the longest in d - 1; a draw has a drawn successor and no lost one), then all of them are
right, because distances cannot fall for ever. Moves, indexing and symmetry are worked out here by
code that the solver does not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.boards import Board
from solver.checkarrays import SCORES, board_table, major_table, minor_table
from solver.checkranges import check_ranges, major_first, turned_to, wins_by_capture
from solver.errors import UsageError
from solver.kernels.check_slots import CAPTURE, QUIET, WIN, Numbering, list_positions, list_turns
from solver.rules import Rules
from solver.sectors import Sector, major_is_mover
from solver.tableheader import DRAW, VOID

__all__ = [
    "LISTED",
    "Mismatch",
    "Progress",
    "SectorCheck",
    "check_sample",
    "check_sector",
    "needed",
]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

Progress = Callable[[Sector, int, int], None]
"""Called with a sector, its slots checked so far and all of them; what it raises ends the work."""

LISTED: Final = 10
"""Mismatches of a sector that are listed; the others are only counted."""
_SAMPLE_BATCH: Final = 1 << 10
_BEST_SCORE: Final = 255


class Mismatch(NamedTuple):
    """A slot whose stored byte cannot be right.

    Attributes:
        sector: of the table.
        slot: in the table.
        mover, opponent: the position, as masks.
        stored: the byte in the table.
        expected: the byte that follows from other slots.
        reason: ``successors`` if it follows from the positions one turn on, ``symmetry`` if from
            a slot of the same table that holds an image of the position.
    """

    sector: Sector
    slot: int
    mover: int
    opponent: int
    stored: int
    expected: int
    reason: Literal["successors", "symmetry"]

    def describe(self, board: Board) -> str:
        """Return one line for people."""
        mover, opponent = (",".join(board.names_of(m)) for m in (self.mover, self.opponent))
        return (
            f"{self.sector} slot {self.slot} ({mover} to move against {opponent}): the table says"
            f" {_words(self.stored)}, its {self.reason} {_words(self.expected)}"
        )


@dataclass(frozen=True)
class SectorCheck:
    """What the check of a sector's slots found.

    Attributes:
        sector: which one.
        checked: slots checked.
        mismatches: those that are wrong.
        listed: the first of them in order.
        counts: int64[2, 256]: all positions and distinct ones by stored byte, counted anew;
            zeros if not every slot was checked.
    """

    sector: Sector
    checked: int
    mismatches: int
    listed: tuple[Mismatch, ...]
    counts: Ints


def needed(rules: Rules, sector: Sector) -> list[Sector]:
    """Return the sectors whose tables the check reads: itself and those one turn on.

    Raises:
        UsageError: slots of such a sector cannot be checked.
    """
    if rules.double_capture_possible(sector):
        raise UsageError(f"sector {sector} cannot be checked yet: a turn there may take two stones")
    found = [sector, turned_to(sector)]
    if sector.opponent and not wins_by_capture(rules, sector):
        found.append(turned_to(sector, captured=1))
    return list(dict.fromkeys(found))


def check_sector(
    rules: Rules,
    sector: Sector,
    tables: Mapping[Sector, Bytes],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> SectorCheck:
    """Check every slot of a sector.

    Args:
        rules: the game.
        sector: which.
        tables: stored bytes of the `needed` sectors.
        threads: threads to use.
        progress: called now and then in this thread.

    Raises:
        UsageError: slots of such a sector cannot be checked.
        ValueError: a table has the wrong number of slots.
    """
    for other in needed(rules, sector):
        if tables[other].shape != (_slots(rules, other),):
            raise ValueError(f"the table of {other} must have {_slots(rules, other)} slots")
    counts = np.zeros((2, 256), dtype=np.int64)
    listed: list[Mismatch] = []
    mismatches = done = 0
    slots = len(tables[sector])
    with closing(check_ranges(rules, sector, tables, threads, LISTED)) as results:
        for part in results:
            done += part.slots
            mismatches += part.mismatches
            counts += part.counts
            if len(listed) < LISTED:
                for slot, expected, symmetry in part.wrong.tolist():
                    byte = int(tables[sector][slot])
                    listed.append(_mismatch(rules, sector, slot, byte, expected, bool(symmetry)))
            if progress is not None:
                progress(sector, done, slots)
    return SectorCheck(sector, done, mismatches, tuple(listed[:LISTED]), counts)


def check_sample(
    rules: Rules,
    sector: Sector,
    values: Callable[[Sector, Ints], Bytes],
    slots: Ints,
    *,
    progress: Progress | None = None,
) -> SectorCheck:
    """Check some slots of a sector, one by one.

    Args:
        rules: the game.
        sector: which.
        values: returns the stored bytes of some slots of one of the `needed` sectors.
        slots: the slots to check.
        progress: called now and then in this thread.

    Raises:
        UsageError: slots of such a sector cannot be checked.
    """
    needed(rules, sector)
    listed: list[Mismatch] = []
    mismatches = 0
    for first in range(0, len(slots), _SAMPLE_BATCH):
        batch = slots[first : first + _SAMPLE_BATCH]
        stored = values(sector, batch)
        expected = _expected(rules, sector, values, batch)
        wrong = np.flatnonzero(stored != expected)
        mismatches += len(wrong)
        for slot, byte, other in zip(batch[wrong], stored[wrong], expected[wrong], strict=True):
            if len(listed) < LISTED:
                listed.append(_mismatch(rules, sector, int(slot), int(byte), int(other)))
        if progress is not None:
            progress(sector, min(first + _SAMPLE_BATCH, len(slots)), len(slots))
    none = np.zeros((2, 256), dtype=np.int64)
    return SectorCheck(sector, len(slots), mismatches, tuple(listed), none)


# -- single slots -----------------------------------------------------------------------------


def _expected(
    rules: Rules, sector: Sector, values: Callable[[Sector, Ints], Bytes], slots: Ints
) -> Bytes:
    """Return what some slots must hold, judged by the slots one turn on."""
    quiet, capture = turned_to(sector), turned_to(sector, captured=1)
    last_stones = wins_by_capture(rules, sector)
    fly = sector.mover == rules.flying_at
    reach = max(rules.board.size if fly else mask.bit_count() for mask in rules.board.neighbours)
    steps = sector.mover * reach if sector.moving else rules.board.size - sector.stones
    most = steps * max(sector.opponent, 1)
    kinds = np.zeros((len(slots), most), dtype=np.uint8)
    targets = np.zeros((len(slots), most), dtype=np.int64)
    follows = quiet if last_stones or not sector.opponent else capture
    complete = list_turns(
        _positions(rules, sector, slots), not sector.moving, fly,
        rules.all_in_mills == "any", last_stones, board_table(rules.board),
        _numbering(rules, quiet), _numbering(rules, follows), kinds, targets,
    )  # fmt: skip
    assert complete, "there is room for every turn"
    scores = np.zeros(kinds.shape, dtype=np.uint8)
    scores[kinds == WIN] = _BEST_SCORE
    for kind, other in ((QUIET, quiet), (CAPTURE, capture)):
        chosen = kinds == kind
        if chosen.any():
            scores[chosen] = SCORES.of_value[values(other, targets[chosen])]
    expected: Bytes = SCORES.value[scores.max(axis=1)]
    return expected


def _positions(rules: Rules, sector: Sector, slots: Ints) -> Ints:
    """Return the masks of the positions of some slots, int64[slots, 2], the mover's first."""
    out = np.empty((len(slots), 2), dtype=np.int64)
    list_positions(slots, board_table(rules.board), _numbering(rules, sector), out)
    return out


def _numbering(rules: Rules, sector: Sector) -> Numbering:
    major, minor = major_first(rules, sector)
    board = rules.board
    majors, minors = major_table(board, major), minor_table(board.size - major, minor)
    return Numbering(majors, minors, major_is_mover(rules, sector))


def _mismatch(
    rules: Rules, sector: Sector, slot: int, stored: int, expected: int, symmetry: bool = False
) -> Mismatch:
    mover, opponent = _positions(rules, sector, np.array([slot], dtype=np.int64))[0].tolist()
    reason: Literal["successors", "symmetry"] = "symmetry" if symmetry else "successors"
    return Mismatch(sector, slot, mover, opponent, stored, expected, reason)


# -- both -------------------------------------------------------------------------------------


def _slots(rules: Rules, sector: Sector) -> int:
    """Return the slots of a sector's table."""
    numbering = _numbering(rules, sector)
    return len(numbering.majors.canonical) * len(numbering.minors.sets)


def _words(value: int) -> str:
    """Return a stored byte in words."""
    if value == DRAW:
        return "draw"
    if value == VOID:
        return "void"
    return f"{'win' if value % 2 else 'loss'} in {value}"
