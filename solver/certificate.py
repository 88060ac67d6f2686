"""The certificate check of solved sectors: every slot, or some, against the slots one turn on.

A table of distances is its own certificate. If the value of every slot follows from those one
turn on (a win in d has a successor lost in d - 1 and none lost sooner; a loss in d has only won
ones, the longest in d - 1; a draw has a drawn successor and no lost one, or a board that is full
where that draws), then all of them are right, because distances cannot fall for ever. Slots that
hold no possible position must be void. Moves, indexing and symmetry are worked out here by code
that the solver does not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.boards import Board
from solver.checkarrays import WORD_SCORES
from solver.checkranges import check_ranges
from solver.checkslots import SlotCheck, numbering, positions
from solver.rules import Rules
from solver.sectors import Sector, exits, quiet
from solver.widths import WORD, Stored, widened

__all__ = [
    "LISTED",
    "Mismatch",
    "Progress",
    "SectorCheck",
    "check_sample",
    "check_sector",
    "needed",
]

Ints = npt.NDArray[np.int64]

Progress = Callable[[Sector, int, int], None]
"""Called with a sector, its slots checked so far and all of them; what it raises ends the work."""

LISTED: Final = 10
"""Mismatches of a sector that are listed; the others are only counted."""
_SAMPLE_BATCH: Final = 1 << 9


class Mismatch(NamedTuple):
    """A slot whose stored entry cannot be right. Stored are told as words.

    Attributes:
        sector: of the table.
        slot: in the table.
        mover, opponent: the position, as masks.
        stored: the entry in the table; 65534 for void and 65535 for a draw, in tables of bytes too.
        expected: the entry that follows from other slots.
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
        counts: int64[2, 256], or int64[2, 65536] if tables of words were read: all positions and
            distinct ones by stored entry, counted anew, void slots left out; zeros if not every
            slot was checked.
    """

    sector: Sector
    checked: int
    mismatches: int
    listed: tuple[Mismatch, ...]
    counts: Ints


def needed(rules: Rules, sector: Sector) -> list[Sector]:
    """Return the sectors whose tables the check reads: itself and those one turn on."""
    twin = quiet(rules, sector)
    return list(dict.fromkeys([sector, *([twin] if twin else []), *exits(rules, sector)]))


def check_sector(
    rules: Rules,
    sector: Sector,
    tables: Mapping[Sector, Stored],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> SectorCheck:
    """Check every slot of a sector.

    Args:
        rules: the game.
        sector: which.
        tables: stored entries of the `needed` sectors, bytes or words.
        threads: threads to use.
        progress: called now and then in this thread.

    Raises:
        ValueError: a table has the wrong number of slots.
    """
    read = {other: tables[other] for other in needed(rules, sector)}
    for other, stored in read.items():
        if stored.shape != (_slots(rules, other),):
            raise ValueError(f"the table of {other} must have {_slots(rules, other)} slots")
    if any(stored.dtype == np.uint16 for stored in read.values()):
        read = {other: widened(stored) for other, stored in read.items()}
    numbers = np.iinfo(read[sector].dtype).max + 1
    counts: Ints = np.zeros((2, numbers), dtype=np.int64)
    listed: list[Mismatch] = []
    mismatches = done = 0
    slots = len(read[sector])
    with closing(check_ranges(rules, sector, read, threads, LISTED)) as results:
        for part in results:
            done += part.slots
            mismatches += part.mismatches
            counts += part.counts
            if len(listed) < LISTED:
                listed += (_mismatch(rules, sector, *wrong) for wrong in part.wrong.tolist())
            if progress is not None:
                progress(sector, done, slots)
    return SectorCheck(sector, done, mismatches, tuple(listed[:LISTED]), counts)


def check_sample(
    rules: Rules,
    sector: Sector,
    values: Callable[[Sector, Ints], Stored],
    slots: Ints,
    *,
    progress: Progress | None = None,
) -> SectorCheck:
    """Check some slots of a sector, one by one.

    Args:
        rules: the game.
        sector: which.
        values: returns the stored entries of some slots of one of the `needed` sectors; bytes or
            words.
        slots: the slots to check.
        progress: called now and then in this thread.
    """
    check = SlotCheck(rules, sector)
    listed: list[Mismatch] = []
    mismatches = 0
    for first in range(0, len(slots), _SAMPLE_BATCH):
        batch = slots[first : first + _SAMPLE_BATCH]
        stored = widened(values(sector, batch))
        expected = WORD_SCORES.value[check.scores(values, batch)]
        wrong = np.flatnonzero(stored != expected)
        mismatches += len(wrong)
        for i in wrong[: LISTED - len(listed)]:
            entries = int(stored[i]), int(expected[i])
            listed.append(_mismatch(rules, sector, int(batch[i]), *entries))
        if progress is not None:
            progress(sector, min(first + _SAMPLE_BATCH, len(slots)), len(slots))
    none = np.zeros((2, 256), dtype=np.int64)
    return SectorCheck(sector, len(slots), mismatches, tuple(listed), none)


def _mismatch(
    rules: Rules, sector: Sector, slot: int, stored: int, expected: int, symmetry: int = 0
) -> Mismatch:
    mover, opponent = positions(rules, sector, np.array([slot], dtype=np.int64))[0].tolist()
    reason: Literal["successors", "symmetry"] = "symmetry" if symmetry else "successors"
    return Mismatch(sector, slot, mover, opponent, stored, expected, reason)


def _slots(rules: Rules, sector: Sector) -> int:
    """Return the slots of a sector's table."""
    numbered = numbering(rules, sector)
    return len(numbered.majors.canonical) * len(numbered.minors.sets)


def _words(value: int) -> str:
    """Return a stored entry in words."""
    if value == WORD.draw:
        return "draw"
    if value == WORD.void:
        return "void"
    return f"{'win' if value % 2 else 'loss'} in {value}"
