"""Tables of win, draw and loss, derived from those of distances and several times smaller."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from solver.atomicfile import remove_temporary_files
from solver.errors import DamagedTableError, ResourceError, UsageError
from solver.index import layout
from solver.lock import locked
from solver.packing import (
    BAND_BYTES,
    VALUE_DRAW,
    VALUE_LOSS,
    VALUE_WIN,
    Bytes,
    choose_band,
)
from solver.rules import Rules
from solver.sectors import Sector
from solver.seekable import in_order
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.tableheader import TableHeader
from solver.widths import BYTE, Stored, Width

__all__ = [
    "VALUE_OF_STORED",
    "PackReport",
    "Progress",
    "pack_tables",
    "value_of_stored",
    "wdl_header",
]

Progress = Callable[[Sector, int, int], None]
"""Called with a sector, its slots done so far and all of them; what it raises ends the work."""

_CHUNK_SLOTS: Final = 4 << 20
"""Slots that a thread packs at a time, if bands are not larger."""


@cache
def value_of_stored(width: Width) -> Bytes:
    """Return win, draw or loss by entry of a table of distances, one for each; a draw if void."""
    table = np.full(width.numbers, VALUE_LOSS, dtype=np.uint8)
    table[1 : width.void : 2] = VALUE_WIN
    table[[width.void, width.draw]] = VALUE_DRAW
    table.setflags(write=False)
    return table


VALUE_OF_STORED: Final = value_of_stored(BYTE)
"""Win, draw or loss by the stored byte of a table of distances, shape (256,); a draw if void."""


@dataclass(frozen=True)
class PackReport:
    """What :func:`pack_tables` did.

    Attributes:
        packed: sectors whose tables were written, in order, with the bytes of each file.
        skipped: sectors whose tables were there already, with the bytes of each file.
        seconds: the time it took.
    """

    packed: dict[Sector, int]
    skipped: dict[Sector, int]
    seconds: float


def pack_tables(
    rules: Rules,
    sectors: Iterable[Sector],
    database: str | os.PathLike[str],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    wrote: Callable[[TableHeader, int], None] | None = None,
) -> PackReport:
    """Derive the tables of win, draw and loss of some sectors, beside those of distances.

    Those that are there and sound, to the last checksum, are kept. A run that was interrupted goes
    on where it stopped.

    Args:
        rules: the game.
        sectors: which ones, in any order; worked on in this one.
        database: the database.
        threads: threads to use; the files do not depend on it.
        progress: called now and then in this thread.
        wrote: called for each table written, with its header and the bytes of its file.

    Raises:
        MissingTableError: a table of distances is not there.
        DamagedTableError: a table of distances is damaged; nothing is written for that sector.
        ResourceError: the disk is full, or the folder cannot be written.
        LockedDatabaseError: another process is writing to the database.
        UsageError: there are no threads to work with.
    """
    started = time.perf_counter()
    if threads < 1:
        raise UsageError("packing takes at least one thread")
    wanted = dict.fromkeys(sectors)
    packed: dict[Sector, int] = {}
    skipped: dict[Sector, int] = {}
    with Tablebase(database) as tablebase:
        for sector in wanted:  # what is missing is better said at once
            if not table_path(database, rules, sector).is_file():
                tablebase.reader(rules, sector, "dtw")
        if not wanted:
            return PackReport(packed, skipped, time.perf_counter() - started)
        with locked(database):
            for folder in {rules.folder(sector) for sector in wanted}:
                remove_temporary_files(Path(database) / folder)
            for sector in wanted:
                reader = tablebase.reader(rules, sector, "dtw")
                header = wdl_header(rules, sector, reader.header)
                path = table_path(database, rules, sector, "wdl")
                size = _sound(path, header, threads)
                if size is not None:
                    skipped[sector] = size
                    continue
                payload = derive(reader, header, sector, threads, progress)
                try:
                    size = write_table(path, header, payload, threads=threads)
                except OSError as error:
                    if isinstance(error, DamagedTableError):
                        raise
                    raise ResourceError(f"{path} cannot be written: {error.strerror}") from None
                packed[sector] = size
                if wrote is not None:
                    wrote(header, size)
    return PackReport(packed, skipped, time.perf_counter() - started)


def wdl_header(rules: Rules, sector: Sector, header: TableHeader) -> TableHeader:
    """Return the header of the table to derive, given that of the table of distances.

    The program named in it is the one that found the values.
    """
    numbering = layout(rules, sector)
    bands = choose_band(len(numbering.major_sets), numbering.block)
    return replace(
        header,
        metric="wdl",
        packing="base3",
        block=bands.block,
        band=bands.band,
        frame_size=min(BAND_BYTES, bands.band_bytes),
        position_histogram={},
        distinct_histogram={},
    )


def derive(
    reader: TableReader,
    header: TableHeader,
    sector: Sector,
    threads: int = 1,
    progress: Progress | None = None,
) -> Bytes:
    """Return the payload of a table of win, draw and loss.

    Args:
        reader: the table of distances.
        header: of the table to derive.
        sector: for `progress`.
        threads: threads to use.
        progress: called now and then in this thread.
    """
    bands, width = header.bands, reader.header.width
    assert bands is not None and width is not None
    values = value_of_stored(width)
    payload = np.zeros(header.payload_bytes, dtype=np.uint8)
    per_chunk = max(1, _CHUNK_SLOTS // (bands.band * bands.block)) * bands.band

    def work(first: int) -> int:
        stop = min(first + per_chunk, bands.blocks)
        stored = read_slots(reader, first * bands.block, stop * bands.block)
        entries = values[stored].reshape(stop - first, bands.block)
        bands.pack(first, entries, payload)
        return stop * bands.block

    with closing(in_order(work, range(0, bands.blocks, per_chunk), threads)) as chunks:
        for done in chunks:
            if progress is not None:
                progress(sector, done, header.slots)
    return payload


def read_slots(reader: TableReader, start: int, stop: int) -> Stored:
    """Return the entries of the slots from `start` up to before `stop` of a table of distances."""
    header = reader.header
    assert header.width is not None
    per_frame = header.frame_size // header.width.bytes
    first, last = start // per_frame, -(-stop // per_frame)
    end = min(last * per_frame, header.slots)
    data = np.empty(end - first * per_frame, dtype=header.width.dtype)
    reader.read_frames(first, last, data.view(np.uint8).data)
    return data[start - first * per_frame : stop - first * per_frame]


def _sound(path: Path, header: TableHeader, threads: int) -> int | None:
    """Return the bytes of a table that is as it should be; None if there is none."""
    try:
        with TableReader(path, metric="wdl") as reader:
            if reader.header == header:
                reader.check(threads=threads)
                return reader.size
    except (FileNotFoundError, DamagedTableError):
        pass
    return None
