"""Many positions of one sector at once: sorted, so that every frame is unpacked once."""

from __future__ import annotations

import threading
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.distinct import fill_any
from solver.errors import UsageError
from solver.index import Layout
from solver.laws import void_rows
from solver.packing import entries_in
from solver.parallel import default_threads
from solver.position import Position
from solver.results import WDL
from solver.rules import Rules
from solver.sectors import Sector
from solver.sectortable import SectorTable, meanings
from solver.seekable import do_all
from solver.tablefile import TableReader
from solver.tableheader import TableHeader

__all__ = ["NO_DISTANCE", "ManyResults", "find_slots", "probe_positions", "probe_slots"]

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

NO_DISTANCE: Final = -1
"""The distance of a draw, and where the table does not tell distances."""

_RUN_BYTES: Final = 1 << 20
"""Payload bytes unpacked together."""
_CHUNK: Final = 1 << 15
"""Positions numbered together: few enough to stay in a processor's cache."""


class ManyResults(NamedTuple):
    """The values of many positions, each for its side to move.

    Attributes:
        wdl: 1 for a win, 0 for a draw, -1 for a loss.
        dtw: plies to the end of the game, as in :class:`solver.results.Result`;
            :data:`NO_DISTANCE` for a draw and where the table does not tell.
    """

    wdl: npt.NDArray[np.int8]
    dtw: npt.NDArray[np.int32]


def probe_positions(
    table: SectorTable,
    rules: Rules,
    sector: Sector,
    mover_masks: npt.ArrayLike,
    opponent_masks: npt.ArrayLike,
    threads: int | None = None,
) -> ManyResults:
    """Return the values of many positions; see :meth:`solver.tablebase.Tablebase.probe_many`."""
    try:
        movers, opponents = np.asarray(mover_masks), np.asarray(opponent_masks)
    except ValueError as error:
        raise UsageError(f"masks must be arrays of integers: {error}") from None
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise UsageError(f"threads must be a whole number above 0, not {threads!r}")
    if movers.shape != opponents.shape:
        raise UsageError(
            f"mover_masks have shape {movers.shape} and opponent_masks {opponents.shape}; both must"
            " have the same"
        )
    for masks in (movers, opponents):
        if masks.size and masks.dtype.kind not in "iu":
            raise UsageError(f"masks must be integers, not {masks.dtype}")
    threads = threads or default_threads()
    flat_movers, flat_opponents = (masks.ravel().astype(np.int64) for masks in (movers, opponents))
    slots = find_slots(table.layout, flat_movers, flat_opponents, threads)
    refuse_void(rules, sector, flat_movers, flat_opponents)
    wdl, dtw = probe_slots(table.reader, slots, threads)
    return ManyResults(wdl.reshape(movers.shape), dtw.reshape(movers.shape))


class _Room(threading.local):
    """Memory that each thread unpacks into, again and again: fresh memory costs as much as zstd."""

    def __init__(self) -> None:
        self._array = np.empty(0, dtype=np.uint8)

    def array(self, length: int) -> Bytes:
        """Return `length` bytes."""
        if len(self._array) < length:
            self._array = np.empty(max(length, _RUN_BYTES), dtype=np.uint8)
        return self._array[:length]


def find_slots(layout: Layout, movers: Ints, opponents: Ints, threads: int) -> Ints:
    """Return the slots of many positions; see :meth:`solver.index.Layout.indices`.

    Args:
        layout: the sector's numbering.
        movers, opponents: masks, both of shape (n,).
        threads: threads to use.
    """
    slots = np.empty(len(movers), dtype=np.int64)

    def number_chunk(first: int) -> None:
        chunk = slice(first, first + _CHUNK)
        slots[chunk] = layout.indices(movers[chunk], opponents[chunk])

    starts = range(0, len(slots), _CHUNK)
    do_all(number_chunk, starts, threads)
    return slots


def refuse_void(rules: Rules, sector: Sector, movers: Ints, opponents: Ints) -> None:
    """Refuse positions of a sector that cannot be for the rows that stones stand in.

    Args:
        rules: the game.
        sector: the stones of all positions.
        movers, opponents: masks, both of shape (n,).

    Raises:
        UsageError: says what is wrong with the first of them.
    """
    rows_of_sides = void_rows(rules, placing=not sector.moving)
    for masks, rows in zip((movers, opponents), rows_of_sides, strict=True):
        void = fill_any(masks, rows)
        if void.any():
            first = int(np.argmax(void))
            sides = int(movers[first]), int(opponents[first])
            Position(rules, *sides, True, sector.mover_hand, sector.opponent_hand).validate()


def probe_slots(reader: TableReader, slots: Ints, threads: int) -> ManyResults:
    """Return what a table says of many slots.

    Args:
        reader: the open table.
        slots: in any order, none of them void.
        threads: threads to use.

    Raises:
        DamagedTableError: a frame is damaged, or holds an entry the header does not know of.
    """
    bands = reader.header.bands
    if bands is None:
        entries = _read_items(reader, slots, threads)
    else:
        at, columns = bands.locate_many(slots)
        entries = entries_in(_read_items(reader, at, threads), columns)
    wdl, dtw, known = _meanings(reader.header)
    if not known[entries].all():
        number = int(np.argmin(known[entries]))
        frame, _, _ = reader.place(int(slots[number]))
        raise reader.damaged(
            f"frame {frame} of {reader.frames}",
            f"slot {slots[number]} holds {entries[number]}, which cannot be",
        )
    return ManyResults(wdl[entries], dtw[entries])


def _read_items(reader: TableReader, places: Ints, threads: int) -> npt.NDArray[Any]:
    """Return some items of a table's payload, unpacking no frame twice.

    An item is an entry of a table of distances, and a byte of another.
    """
    header = reader.header
    dtype = np.dtype(np.uint8) if header.width is None else header.width.dtype
    per_frame = header.frame_size // dtype.itemsize
    # Sorted as numbers with their origin in the low bits, which is faster than sorting indices.
    origin_bits = max(1, len(places) - 1).bit_length()
    keys = places << origin_bits | np.arange(len(places))
    keys.sort()
    origins = keys & ((1 << origin_bits) - 1)
    keys >>= origin_bits
    found = np.empty(len(places), dtype=dtype)
    frames = keys // per_frame
    used = _starts(frames)
    # Frames that lie next to each other are read in one go, but not too many.
    batches = frames[used] // max(1, _RUN_BYTES // header.frame_size)
    runs = frames[used] - np.arange(len(used))
    bounds = [*used[_starts(batches + runs)].tolist(), len(keys)]

    room = _Room()

    def read(run: int) -> None:
        first, last = bounds[run], bounds[run + 1]
        begin, end = int(frames[first]), int(frames[last - 1]) + 1
        payload_end = min(end * header.frame_size, header.payload_bytes)
        payload = room.array(payload_end - begin * header.frame_size)
        reader.read_frames(begin, end, payload.data)
        found[first:last] = payload.view(dtype)[keys[first:last] - begin * per_frame]

    do_all(read, range(len(bounds) - 1), threads)
    result = np.empty(len(places), dtype=dtype)
    result[origins] = found
    return result


def _starts(values: Ints) -> Ints:
    """Return the indices at which a value differs from the one before; the first one's included."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])


def _meanings(header: TableHeader) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], Bytes]:
    """Return by entry: the value, the distance, and whether there can be such an entry."""
    numbers = 256 if header.width is None else header.width.numbers
    wdl = np.zeros(numbers, dtype=np.int8)
    dtw = np.full(numbers, NO_DISTANCE, dtype=np.int32)
    known = np.zeros(numbers, dtype=np.uint8)
    for entry, result in meanings(header):
        wdl[entry] = WDL[result.value]
        dtw[entry] = NO_DISTANCE if result.dtw is None else result.dtw
        known[entry] = 1
    return wdl, dtw, known
