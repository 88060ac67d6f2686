"""Proofs that the tables of a database are right: checksums, a sample of slots, or every slot.

What is checked of a slot, and why that proves a table, says :mod:`solver.certificate`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from solver import memory
from solver.certificate import (
    Mismatch,
    Progress,
    SectorCheck,
    check_sample,
    check_sector,
    needed,
)
from solver.errors import ResourceError, UsageError
from solver.rules import Rules
from solver.sectors import Sector, solving_order
from solver.sectortable import METRICS
from solver.tablebase import Tablebase
from solver.tablefile import TableReader
from solver.tableheader import Counts, TableHeader
from solver.wdlcheck import check_rule, compare, compare_all
from solver.widths import Stored, width_of

__all__ = ["Mismatch", "Mode", "Progress", "Report", "SectorReport", "verify_sectors"]

Mode = Literal["checksums", "sample", "full"]
Ints = npt.NDArray[np.int64]

_SAMPLE_SEED: Final = 2


@dataclass(frozen=True)
class SectorReport:
    """What the check of one sector found.

    Attributes:
        sector: which one.
        checked: slots checked.
        mismatches: slots that are wrong, and groups of counts in the header that are: values and
            depths, each of all positions and of distinct ones.
        listed: the first wrong slots, in order; there may be more.
        header: in words, what the header says wrongly about the slots, and what the table of win,
            draw and loss does.
        values_only: whether only values were checked, for want of a table of distances.
    """

    sector: Sector
    checked: int
    mismatches: int
    listed: tuple[Mismatch, ...] = ()
    header: tuple[str, ...] = ()
    values_only: bool = False


@dataclass(frozen=True)
class Report:
    """What :func:`verify_sectors` found.

    Attributes:
        mode: how it looked.
        sectors: one report each, in solving order.
    """

    mode: Mode
    sectors: list[SectorReport]

    @property
    def checked(self) -> int:
        """Slots checked."""
        return sum(report.checked for report in self.sectors)

    @property
    def mismatches(self) -> int:
        """What is wrong in all sectors together; 0 if all holds."""
        return sum(report.mismatches for report in self.sectors)


def verify_sectors(
    rules: Rules,
    sectors: Iterable[Sector],
    database_folder: str | os.PathLike[str],
    mode: Mode = "full",
    sample: int = 1000,
    threads: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Check the tables of some sectors.

    ===============  ========================================================================
    ``mode``         what is checked
    ===============  ========================================================================
    ``'checksums'``  every byte of the files against its checksum
    ``'sample'``     some slots, always the same ones, against the slots one turn on
    ``'full'``       every slot against those one turn on, and the counts in the header
    ===============  ========================================================================

    The last two also need the tables one turn on: after a turn without a capture and after one
    with it. They compare the checksums of all they read, and with the table of distances that of
    win, draw and loss if there is one. Where a table of distances is missing, ``'sample'`` checks
    whether values follow from those one turn on, and ``'full'`` refuses: values prove nothing.

    Args:
        rules: the game.
        sectors: which ones, in any order; each is checked once.
        database_folder: the database.
        mode: see above.
        sample: slots of each sector to check in mode ``sample``; all if it has no more.
        threads: threads to use.
        progress: called now and then in this thread.

    Raises:
        UsageError: no such mode, or a sector that cannot be checked in this mode.
        MissingTableError: a table is not there; the message names the command that makes it.
        DamagedTableError: a file is not what its checksums say.
        ResourceError: there is too little memory for the tables that a full check reads.
    """
    if mode not in get_args(Mode):
        raise UsageError(f"tables are verified by {', '.join(get_args(Mode))}, not {mode!r}")
    if sample < 1 or threads < 1:
        raise UsageError("a sample takes at least one slot, and work at least one thread")
    wanted = set(sectors)
    ordered = [s for unit in solving_order(rules, wanted) for s in unit.sectors if s in wanted]
    with Tablebase(database_folder) as tablebase:
        tables = _Tables(tablebase, rules, threads)
        # What is missing is better said at once than after an hour.
        for sector in ordered:
            for other in [sector] if mode == "checksums" else needed(rules, sector):
                tablebase.reader(rules, other, "dtw" if mode == "full" else None)
        if mode == "checksums":
            reports = [
                _check_files(s, _readers(tablebase, rules, s), threads, progress) for s in ordered
            ]
        elif mode == "sample":
            reports = [_check_sample(rules, s, tables, sample, progress) for s in ordered]
        else:
            reports = [_check_all(rules, s, tables, threads, progress) for s in ordered]
    return Report(mode, reports)


def _readers(tablebase: Tablebase, rules: Rules, sector: Sector) -> list[TableReader]:
    """Return the open files of a sector, of distances first."""
    return [
        tablebase.reader(rules, sector, metric)
        for metric in METRICS
        if tablebase.present(rules, [sector], metric)
    ]


def _check_files(
    sector: Sector, readers: list[TableReader], threads: int, progress: Progress | None
) -> SectorReport:
    """Compare all checksums of a sector's files; what is wrong is an error, no mismatch."""
    slots = readers[0].header.slots
    for reader in readers:

        def done(payload_bytes: int, whole: int = reader.header.payload_bytes) -> None:
            if progress is not None:
                progress(sector, slots * payload_bytes // whole, slots)

        reader.check(threads=threads, progress=done)
    return SectorReport(sector, slots, 0, values_only=readers[0].header.metric == "wdl")


def _check_sample(
    rules: Rules, sector: Sector, tables: _Tables, sample: int, progress: Progress | None
) -> SectorReport:
    """Check some slots, chosen by the sector and the number of them alone."""
    slots = tables.tablebase.header(rules, sector).slots
    if sample < slots:
        source = np.random.default_rng([_SAMPLE_SEED, *sector])
        chosen = np.sort(source.choice(slots, sample, replace=False, shuffle=False))
    else:
        chosen = np.arange(slots, dtype=np.int64)
    if not tables.all_distances(needed(rules, sector)):
        wrong, lines = check_rule(rules, sector, tables.tablebase, chosen)
        return SectorReport(sector, len(chosen), wrong, header=tuple(lines), values_only=True)
    check = check_sample(rules, sector, tables.values, chosen, progress=progress)
    report = _report(check, ())
    packed = tables.packed(sector)
    if packed is None:
        return report
    return _with(report, *compare(packed, chosen, tables.values(sector, chosen)))


def _check_all(
    rules: Rules, sector: Sector, tables: _Tables, threads: int, progress: Progress | None
) -> SectorReport:
    """Check every slot, and the header against the slots."""
    whole = tables.whole(needed(rules, sector))
    check = check_sector(rules, sector, whole, threads=threads, progress=progress)
    header = tables.reader(sector).header
    groups = [list(lines) for lines in _header_errors(header, check.counts)]
    report = _report(check, tuple(line for lines in groups for line in lines))
    report = _with(report, sum(map(bool, groups)), None)
    packed = tables.packed(sector)
    if packed is None:
        return report
    report = _with(report, *compare_all(packed, whole[sector], threads))
    if (packed.header.positions, packed.header.distinct) != (header.positions, header.distinct):
        report = _with(report, 1, "the header of the table of win, draw and loss counts otherwise")
    return report


def _with(report: SectorReport, mismatches: int, line: str | None) -> SectorReport:
    """Return a report with more that is wrong."""
    lines = (*report.header, *([line] if line else ()))
    return replace(report, mismatches=report.mismatches + mismatches, header=lines)


def _report(check: SectorCheck, header: tuple[str, ...]) -> SectorReport:
    return SectorReport(check.sector, check.checked, check.mismatches, check.listed, header)


def _header_errors(header: TableHeader, counts: Ints) -> Iterator[Iterator[str]]:
    """Yield, for each group of counts in a header, what it says wrongly.

    Args:
        header: of the table.
        counts: how many there are by stored entry, shape (2, entries there can be): of positions,
            of distinct ones.
    """
    for name, numbers, said, histogram in (
        ("positions", counts[0], header.positions, header.position_histogram),
        ("distinct positions", counts[1], header.distinct, header.distinct_histogram),
    ):
        yield _value_errors(name, numbers, said)
        yield _depth_errors(name, numbers, histogram)


def _value_errors(name: str, numbers: Ints, said: Counts) -> Iterator[str]:
    width = width_of(len(numbers))
    wins, losses = (int(numbers[first : width.void : 2].sum()) for first in (1, 0))
    found = Counts(wins, losses, int(numbers[width.draw]))
    for kind, stated, counted in zip(Counts._fields, said, found, strict=True):
        if stated != counted:
            yield f"the header counts {stated} {kind} among the {name}, there are {counted}"


def _depth_errors(name: str, numbers: Ints, histogram: Mapping[int, int]) -> Iterator[str]:
    void = width_of(len(numbers)).void
    depths = {depth: int(numbers[depth]) for depth in np.flatnonzero(numbers[:void]).tolist()}
    for depth in sorted(depths.keys() | histogram.keys()):
        stated, counted = histogram.get(depth, 0), depths.get(depth, 0)
        if stated != counted:
            yield f"the header counts {stated} {name} of depth {depth}, there are {counted}"


class _Tables:
    """The tables of a database, read whole and kept while they are needed, or frame by frame."""

    def __init__(self, tablebase: Tablebase, rules: Rules, threads: int) -> None:
        self.tablebase = tablebase
        self._rules = rules
        self._threads = threads
        self._whole: dict[Sector, Stored] = {}

    def reader(self, sector: Sector) -> TableReader:
        """Return the open file of a sector's table of distances."""
        return self.tablebase.reader(self._rules, sector, "dtw")

    def packed(self, sector: Sector) -> TableReader | None:
        """Return the open file of a sector's table of win, draw and loss, if there is one."""
        if not self.tablebase.present(self._rules, [sector], "wdl"):
            return None
        return self.tablebase.reader(self._rules, sector, "wdl")

    def all_distances(self, sectors: list[Sector]) -> bool:
        """Return whether all of some sectors have a table of distances."""
        return len(self.tablebase.present(self._rules, sectors, "dtw")) == len(sectors)

    def whole(self, sectors: list[Sector]) -> dict[Sector, Stored]:
        """Return some tables and forget all others, as memory is scarce.

        Raises:
            ResourceError: it is too scarce; says how much is needed, and how much there is.
        """
        self._whole = {s: table for s, table in self._whole.items() if s in sectors}
        more = [self.reader(s).header for s in sectors if s not in self._whole]
        need, left = sum(header.payload_bytes for header in more), memory.available_memory()
        if need > left:
            raise ResourceError(
                f"checking {sectors[0]} takes {memory.gigabytes(need)} of memory for the tables it"
                f" reads, but only {memory.gigabytes(left)} are available"
            )
        for sector in sectors:
            if sector not in self._whole:
                self._whole[sector] = self.reader(sector).entries(threads=self._threads)
        return self._whole

    def values(self, sector: Sector, slots: Ints) -> Stored:
        """Return the stored entries of some slots, reading each frame they lie in once."""
        reader = self.reader(sector)
        width = reader.header.width
        assert width is not None, "a table of distances has entries of one or two bytes"
        out = np.empty(len(slots), dtype=width.native)
        order = np.argsort(slots, kind="stable")
        frames, offsets = np.divmod(slots[order], reader.header.frame_size // width.bytes)
        numbers, starts = np.unique(frames, return_index=True)
        for number, start, stop in zip(
            numbers.tolist(), starts, [*starts[1:], len(slots)], strict=True
        ):
            frame = np.frombuffer(reader.frame(number), dtype=width.dtype)
            out[order[start:stop]] = frame[offsets[start:stop]]
        return out
