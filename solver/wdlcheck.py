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

from solver.index import layout
from solver.pack import VALUE_OF_STORED
from solver.packing import VALUE_DRAW, VALUE_LOSS, VALUE_WIN
from solver.position import Position
from solver.results import Value
from solver.rules import Rules
from solver.sectors import Sector
from solver.tablebase import Tablebase
from solver.tablefile import TableReader

__all__ = ["check_rule", "compare", "compare_all"]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

_CHUNK: Final = 1 << 20
_ENTRIES: Final[dict[Value, int]] = {
    "win": VALUE_WIN,
    "loss": VALUE_LOSS,
    "draw": VALUE_DRAW,
}
_WORDS: Final = {VALUE_DRAW: "a draw", VALUE_WIN: "a win", VALUE_LOSS: "a loss"}


def compare_all(reader: TableReader, stored: Bytes, threads: int = 1) -> tuple[int, str | None]:
    """Compare every slot with the table of distances.

    Args:
        reader: the table of win, draw and loss.
        stored: bytes of the table of distances, shape (slots,).
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


def compare(reader: TableReader, slots: Ints, stored: Bytes) -> tuple[int, str | None]:
    """Compare some slots with the table of distances.

    Args:
        reader: the table of win, draw and loss.
        slots: in ascending order.
        stored: their bytes in the table of distances.

    Returns:
        How many of them differ, and a line on the first one.

    Raises:
        DamagedTableError: the file is not what its checksums say.
    """
    return _compare(slots, _entries(reader, slots), stored)


def _compare(slots: Ints, entries: Bytes, stored: Bytes) -> tuple[int, str | None]:
    wrong = np.flatnonzero(VALUE_OF_STORED[stored] != entries)
    if not len(wrong):
        return 0, None
    first = wrong[0]
    said, true = _WORDS[int(entries[first])], _WORDS[int(VALUE_OF_STORED[stored[first]])]
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
        moves = tablebase.moves(position)
        expected = _ENTRIES[moves[0].value if moves else "loss"]
        entry = reader.value(slot)
        if reader.header.metric == "dtw":
            entry = int(VALUE_OF_STORED[entry])
        if entry != expected:
            said, true = _WORDS[entry], _WORDS[expected]
            wrong.append(f"slot {slot}, {position}, is {said}, but its moves make it {true}")
    return len(wrong), wrong
