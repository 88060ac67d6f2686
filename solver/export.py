"""A sector's positions with their values as one file, for those who train or compute on them.

    with open_tablebase() as tablebase:
        export_sector(tablebase, get_variant("nine"), parse_sector("6-5"), "6-5.npy")
    rows = numpy.load("6-5.npy", mmap_mode="r")
    rows["mover"], rows["dtw"]    # arrays of masks and of distances

There is a row for each *distinct* position of the sector: of every set of positions that the
board's symmetries map to one another, one. The number of rows is what ``morris stats`` calls the
distinct positions. Of the slots of a table those are left out that are void, and those that repeat
a position of the same block (see :mod:`solver.distinct`). Rows are in the order of slots: those
with the same stones of one side follow each other.

============  =====  ==========================================================================
column        type   meaning
============  =====  ==========================================================================
``mover``     int32  the stones of the side to move: bit i stands for the board's i-th point, row
                     by row from the top left (a7, d7, g7, b6, ... on the board of ``nine``)
``opponent``  int32  the stones of the other side, the same way
``dtw``       int16  plies to the end of the game under best play: odd for a win, even for a
                     loss, 0 if the mover has lost already; -1 for a draw, and throughout if only
                     a table of win, draw and loss is there. int32 if a game is longer than 32,767
``wdl``       int8   1 if the mover wins, 0 for a draw, -1 if the mover loses
``weight``    int8   positions of the sector that the row stands for, symmetric ones included: so
                     counts weighted with it are counts of all positions
============  =====  ==========================================================================

The stones in hand are those of the sector. A Parquet file has them as two more columns,
``mover_hand`` and ``opponent_hand`` (int8), and under the key ``morris-solver`` of its metadata the
record that :attr:`ExportReport.record` returns; in an npy file there is room for neither.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import __version__, memory
from solver.atomicfile import replacing
from solver.distinct import CHUNK_SLOTS, Distinct, Positions
from solver.errors import ResourceError, UsageError
from solver.exportfiles import Rows, check_format, file_bytes, open_writer
from solver.pack import read_slots, value_of_stored
from solver.packing import VALUE_LOSS, VALUE_WIN
from solver.probing import NO_DISTANCE, probe_slots
from solver.rules import Rules
from solver.sectors import Sector, check_sector
from solver.seekable import in_order
from solver.tablebase import Tablebase
from solver.tablefile import TableReader
from solver.tableheader import TableHeader
from solver.widths import Width

__all__ = [
    "COLUMNS",
    "ExportPlan",
    "ExportReport",
    "Progress",
    "distinct_rows",
    "export_sector",
    "plan_export",
    "refuse_path",
    "row_type",
]

Progress = Callable[[Sector, int, int], None]
"""Called with the sector, its rows done so far and all of them; what it raises ends the work."""
Ints = npt.NDArray[np.int64]

COLUMNS: Final = {
    "mover": "stones of the side to move; bit i is the board's i-th point",
    "opponent": "stones of the other side, the same way",
    "dtw": "plies to the end under best play; -1 for a draw, or if the table does not tell",
    "wdl": "1 the mover wins, 0 draw, -1 the mover loses",
    "weight": "positions that the row stands for, symmetric ones included",
    "mover_hand": "stones in the hand of the side to move",
    "opponent_hand": "stones in the other side's hand",
}
"""What each column says; the last two are in Parquet files alone."""

_LONGEST: Final = int(np.iinfo(np.int16).max)
_SPARSE: Final = 4
"""Slots for each wanted one from which on only the frames that hold wanted ones are unpacked."""


class ExportPlan(NamedTuple):
    """What an export will be.

    Attributes:
        rows: how many there will be.
        bytes: what the file will take: exactly for npy, about so many for Parquet.
    """

    rows: int
    bytes: int


@dataclass(frozen=True)
class ExportReport:
    """What :func:`export_sector` wrote.

    Attributes:
        path: of the file.
        bytes: its size.
        record: what it holds, as JSON can hold it: ``variant``, ``sector``, ``format``, ``rows``,
            ``columns`` (their types by name), ``metric`` (``dtw``, or ``wdl`` if distances are not
            told), ``points`` (their names, in the order of bits), ``mover_hand`` and
            ``opponent_hand``, ``rules`` (as the table has them), ``sample`` and ``seed`` (null
            if every distinct position is there) and ``program``.
    """

    path: Path
    bytes: int
    record: dict[str, object]


def row_type(header: TableHeader) -> np.dtype[Any]:
    """Return the type of the rows of a table: 12 bytes, each field where it is aligned."""
    deepest = max(header.distinct_histogram, default=0)
    distance = "<i2" if deepest <= _LONGEST else "<i4"
    return np.dtype(
        [("mover", "<i4"), ("opponent", "<i4"), ("dtw", distance), ("wdl", "i1"), ("weight", "i1")]
    )


def plan_export(
    header: TableHeader, file_format: str = "npy", sample: int | None = None
) -> ExportPlan:
    """Return what exporting a table takes.

    Args:
        header: of the table.
        file_format: ``npy`` or ``parquet``.
        sample: see :func:`export_sector`.

    Raises:
        UsageError: the format cannot be written, or there are not so many positions.
    """
    check_format(file_format)
    rows = header.distinct.total
    if sample is not None:
        if not 0 < sample <= rows:
            raise UsageError(
                f"a sample of {sample:,} positions cannot be had: sector {header.sector} has"
                f" {rows:,} distinct ones"
            )
        rows = sample
    size = file_bytes(file_format, row_type(header), rows, sparse=sample is not None)
    return ExportPlan(rows, size)


def export_sector(
    tablebase: Tablebase,
    rules: Rules,
    sector: Sector,
    path: str | os.PathLike[str],
    file_format: str = "npy",
    *,
    sample: int | None = None,
    seed: int = 0,
    force: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
) -> ExportReport:
    """Write the distinct positions of a sector and their values to a file, whole or not at all.

    Takes some 30 MB of memory for each thread besides the orbits of the sector (8 bytes each for
    its blocks), with Parquet some 50 MB more; a sample is held in memory, some 50 bytes a row.

    Args:
        tablebase: the database; the table of distances is taken, else that of win, draw and loss.
        rules: the game.
        sector: which.
        path: of the file; its folder is made if need be.
        file_format: ``npy`` or ``parquet``.
        sample: write only so many positions, drawn at random, each as likely as any other distinct
            one, none twice; in the order of slots too.
        seed: for the sample: the same one draws the same positions.
        force: replace a file that is there.
        threads: threads to use; the file does not depend on it.
        progress: called now and then in this thread.

    Raises:
        UsageError: a file is there, the format cannot be written, or there is no such sector or
            sample.
        MissingTableError: there is no table of the sector.
        DamagedTableError: the table is damaged, or its counts are not those of its entries.
        ResourceError: there is not enough disk for the file.
        OSError: the file cannot be written for another reason.
    """
    path = Path(path)
    check_sector(rules, sector)
    refuse_path(path, force=force)
    header = tablebase.reader(rules, sector).header
    plan = plan_export(header, file_format, sample)
    free = memory.free_disk(path.parent)
    if plan.bytes > free:
        raise ResourceError(
            f"{path} needs {memory.gigabytes(plan.bytes)} of disk, but only"
            f" {memory.gigabytes(free)} are free there"
        )
    dtype = row_type(header)
    hands = {"mover_hand": sector.mover_hand, "opponent_hand": sector.opponent_hand}
    constants = hands if file_format == "parquet" else {}
    columns = {name: dtype[name].name for name in dtype.names or ()}
    record: dict[str, object] = {
        "variant": rules.name,
        "sector": str(sector),
        "format": file_format,
        "rows": plan.rows,
        "columns": columns | dict.fromkeys(constants, "int8"),
        "metric": header.metric,
        "points": list(rules.board.points),
        **hands,
        "rules": dict(header.rules),
        "sample": sample,
        "seed": None if sample is None else seed,
        "program": f"morris-solver {__version__}",
    }
    parts = distinct_rows(tablebase, rules, sector, sample=sample, seed=seed, threads=threads)
    with replacing(path, plan.bytes) as file, closing(parts):
        writer = open_writer(file_format, file, dtype, plan.rows, constants, record, COLUMNS)
        with writer:
            done = 0
            for rows in parts:
                writer.write(rows)
                done += len(rows)
                if progress is not None:
                    progress(sector, done, plan.rows)
        size = file.tell()
    return ExportReport(path, size, record)


def refuse_path(path: Path, *, force: bool) -> None:
    """Refuse to write where something is that may not be replaced.

    Raises:
        UsageError: says what is there.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no ordinary file, and so cannot be replaced by one")
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; name another file, or replace it with --force")


def distinct_rows(
    tablebase: Tablebase,
    rules: Rules,
    sector: Sector,
    *,
    sample: int | None = None,
    seed: int = 0,
    threads: int = 1,
) -> Generator[Rows, None, None]:
    """Yield the rows that :func:`export_sector` writes, some at a time.

    Args:
        tablebase, rules, sector, sample, seed, threads: as there.

    Yields:
        Structured arrays of :func:`row_type`.

    Raises:
        MissingTableError: there is no table of the sector.
        DamagedTableError: the table is damaged, or its counts are not those of its entries.
    """
    reader = tablebase.reader(rules, sector)
    distinct = Distinct(rules, sector)
    if sample is not None:
        plan_export(reader.header, "npy", sample)  # refuses what cannot be had
        yield from _sampled(reader, distinct, sample, seed, threads)
        return
    header = reader.header
    counted = np.zeros_like(_header_counts(header))
    step, blocks = distinct.blocks_at_once, len(distinct.layout.major_sets)

    def work(first: int) -> tuple[Rows, Ints]:
        rows = _rows(reader, distinct.of_blocks(first, min(first + step, blocks)))
        return rows, _counts(rows, header)

    with closing(in_order(work, range(0, blocks, step), threads)) as parts:
        for rows, counts in parts:
            counted += counts
            if len(rows):
                yield rows
    if (counted != _header_counts(header)).any():
        raise reader.damaged("header", "it counts other positions than the payload holds")


def _sampled(
    reader: TableReader, distinct: Distinct, size: int, seed: int, threads: int
) -> Generator[Rows, None, None]:
    """Yield the rows of a sample."""
    slots = draw_slots(distinct, reader.header.distinct.total, size, seed)

    def work(first: int) -> Rows:
        return _rows(reader, distinct.of_slots(slots[first : first + CHUNK_SLOTS]))

    with closing(in_order(work, range(0, size, CHUNK_SLOTS), threads)) as parts:
        yield from parts


def draw_slots(distinct: Distinct, total: int, size: int, seed: int) -> Ints:
    """Return the slots of so many different distinct positions in ascending order, at random.

    Args:
        distinct: those to draw from.
        total: how many there are.
        size: how many to draw, no more than there are.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    slots = distinct.layout.slots
    if 4 * size > total:  # drawing would yield most of them again and again
        step, blocks = distinct.blocks_at_once, len(distinct.layout.major_sets)
        parts = [
            distinct.of_blocks(first, min(first + step, blocks)).slots
            for first in range(0, blocks, step)
        ]
        found = np.concatenate(parts)
    else:
        found = np.zeros(0, dtype=np.int64)
        while len(found) < size:
            wanted = (size - len(found)) * slots // total + 100
            drawn = np.unique(random.integers(0, slots, min(wanted, CHUNK_SLOTS)))
            found = np.union1d(found, distinct.of_slots(drawn).slots)
    return np.sort(random.choice(found, size, replace=False))


# -- from slots to rows ---------------------------------------------------------------------------


def _rows(reader: TableReader, positions: Positions) -> Rows:
    """Return the rows of some positions."""
    rows: Rows = np.empty(len(positions.slots), dtype=row_type(reader.header))
    rows["mover"] = positions.movers
    rows["opponent"] = positions.opponents
    rows["wdl"], rows["dtw"] = _values(reader, positions.slots)
    rows["weight"] = positions.weights
    return rows


def _values(reader: TableReader, slots: Ints) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return win, draw or loss and the distance of some slots, none void, in ascending order."""
    width = reader.header.width
    if width is None or len(slots) == 0 or slots[-1] - slots[0] > _SPARSE * len(slots):
        return probe_slots(reader, slots, 1)
    first = int(slots[0])
    entries = read_slots(reader, first, int(slots[-1]) + 1)
    if len(entries) > len(slots):
        entries = entries[slots - first]
    wdl, dtw = _meanings(width)
    distances = dtw.take(entries)
    if distances.max() > max(reader.header.distinct_histogram, default=NO_DISTANCE):
        slot = slots[int(distances.argmax())]
        raise reader.damaged("payload", f"slot {slot} holds an entry that its header knows not of")
    return wdl.take(entries), distances


def _meanings(width: Width) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return win, draw or loss, and the distance, by entry; beyond any other if it is void."""
    values = value_of_stored(width)
    wdl = (values == VALUE_WIN).astype(np.int8) - (values == VALUE_LOSS)
    dtw = np.arange(width.numbers, dtype=np.int32)
    dtw[width.draw] = NO_DISTANCE
    return wdl, dtw


def _counts(rows: Rows, header: TableHeader) -> Ints:
    """Return how many rows, and how many positions, have each distance or value.

    Returns:
        Shape (2, n): in both rows draws and then those of each distance up to the longest; where
        distances are not told, losses, draws and wins.
    """
    expected = _header_counts(header)
    column = rows["dtw" if header.metric == "dtw" else "wdl"]
    keys = column.astype(np.int64) + 1
    counts = np.bincount(keys, minlength=expected.shape[1])
    # Floating point adds whole numbers exactly as long as they are below 2 to the power of 53.
    positions = np.bincount(keys, weights=rows["weight"], minlength=expected.shape[1])
    return np.stack([counts, positions.astype(np.int64)])


def _header_counts(header: TableHeader) -> Ints:
    """Return what a table's header says in the place of :func:`_counts`."""
    both = (
        (header.distinct, header.distinct_histogram),
        (header.positions, header.position_histogram),
    )
    if header.metric == "wdl":
        return np.array([[c.losses, c.draws, c.wins] for c, _ in both])
    longest = max(header.distinct_histogram, default=NO_DISTANCE)
    return np.array(
        [[c.draws, *(by_depth.get(d, 0) for d in range(longest + 1))] for c, by_depth in both]
    )
