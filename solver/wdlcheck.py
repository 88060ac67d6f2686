"""Checks of tables of win, draw and loss: against those of distances, or by the rule of values.

Such a table is no proof of itself, as one of distances is: values that follow from one another may
go round in circles. So either it says the same as the table of distances, which is checked by
:mod:`solver.certificate`; or, where that is missing, all that can be said of a slot is that its
value is the best that the moves there lead to.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from solver.errors import UsageError
from solver.index import layout
from solver.pack import value_of_stored
from solver.packing import VALUE_DRAW, VALUE_LOSS, VALUE_WIN
from solver.position import Position
from solver.results import Value
from solver.rules import Rules
from solver.sectors import Sector
from solver.tablebase import Tablebase
from solver.tablefile import TableReader
from solver.widths import BYTE, WORD, Stored

__all__ = ["check_rule", "compare", "compare_all"]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

_CHUNK: Final = 1 << 20
_ENTRIES: Final[dict[Value, int]] = {
    "win": VALUE_WIN,
    "loss": VALUE_LOSS,
    "draw": VALUE_DRAW,
}
_VOID: Final = "void"
_WORDS: Final = {VALUE_DRAW: "a draw", VALUE_WIN: "a win", VALUE_LOSS: "a loss"}


def compare_all(reader: TableReader, stored: Stored, threads: int = 1) -> tuple[int, str | None]:
    """Compare every slot with the table of distances.

    Args:
        reader: the table of win, draw and loss.
        stored: entries of the table of distances, shape (slots,).
        threads: threads to unpack with.

    Returns:
        How many slots differ, and a line on the first one.

    Raises:
        DamagedTableError: the file is not what its checksums say.
    """
    bands = reader.header.bands
    assert bands is not None
    payload = np.empty(reader.header.payload_bytes, dtype=np.uint8)
    reader.read_into(payload, threads=threads)
    wrong, text = 0, None
    for start in range(0, len(stored), _CHUNK):
        slots = np.arange(start, min(start + _CHUNK, len(stored)), dtype=np.int64)
        found, line = _compare(slots, bands.entries(payload, slots), stored[slots])
        wrong, text = wrong + found, text or line
    return wrong, text


def compare(reader: TableReader, slots: Ints, stored: Stored) -> tuple[int, str | None]:
    """Compare some slots with the table of distances.

    Args:
        reader: the table of win, draw and loss.
        slots: in ascending order.
        stored: their entries in the table of distances.

    Returns:
        How many of them differ, and a line on the first one.

    Raises:
        DamagedTableError: the file is not what its checksums say.
    """
    return _compare(slots, _entries(reader, slots), stored)


def _compare(slots: Ints, entries: Bytes, stored: Stored) -> tuple[int, str | None]:
    values = value_of_stored(BYTE if stored.dtype == np.uint8 else WORD)[stored]
    wrong = np.flatnonzero(values != entries)
    if not len(wrong):
        return 0, None
    first = wrong[0]
    said, true = _WORDS[int(entries[first])], _WORDS[int(values[first])]
    return len(wrong), (
        f"slot {slots[first]} is {said} in the table of win, draw and loss, and {true} in that of"
        " distances"
    )


def _entries(reader: TableReader, slots: Ints) -> Bytes:
    """Return the entries of some slots, reading each frame they lie in once."""
    places = [reader.place(slot) for slot in slots.tolist()]
    frames = {number: reader.frame(number) for number in {place[0] for place in places}}
    return np.array(
        [frames[number][offset] // power % 3 for number, offset, power in places], dtype=np.uint8
    )


def check_rule(
    rules: Rules, sector: Sector, tablebase: Tablebase, slots: Ints
) -> tuple[int, list[str]]:
    """Compare the values of some slots with those one turn on.

    Args:
        rules: the game.
        sector: which one.
        tablebase: the database; a table of any kind will do.
        slots: to check.

    Returns:
        How many of the slots are wrong, and a line on each.

    Raises:
        MissingTableError: a table one turn on is not there.
        DamagedTableError: a file is not what its checksums say.
    """
    numbering = layout(rules, sector)
    hands = (sector.mover_hand, sector.opponent_hand)
    reader = tablebase.reader(rules, sector)
    wrong = []
    for slot in slots.tolist():
        mover, opponent = numbering.masks(slot)
        position = Position(rules, mover, opponent, True, *hands)
        said, true = _said(reader, slot), _true(position, tablebase)
        # A table of values has no entry of its own for slots that hold no possible position.
        if said != true and not (true == _VOID and reader.header.width is None):
            wrong.append(f"slot {slot}, {position}, is {said}, but its moves make it {true}")
    return len(wrong), wrong


def _said(reader: TableReader, slot: int) -> str:
    """Return what a table of any kind says of a slot, in words."""
    entry, width = reader.value(slot), reader.header.width
    if width is None:
        return _WORDS[entry]
    return _VOID if entry == width.void else _WORDS[int(value_of_stored(width)[entry])]


def _true(position: Position, tablebase: Tablebase) -> str:
    """Return what the positions one turn on, or the rules, say of a position, in words."""
    try:
        position.validate()
    except UsageError:
        return _VOID
    outcome = position.outcome()
    if outcome is not None:
        return _WORDS[VALUE_DRAW if outcome.drawn else VALUE_LOSS]
    return _WORDS[_ENTRIES[tablebase.moves(position)[0].value]]
