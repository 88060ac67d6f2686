"""Solving units one after the other, each within the memory there is, and writing their tables."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Protocol

from solver import __version__, memory
from solver.buildprogress import BuildProgress
from solver.errors import DamagedTableError, ResourceError
from solver.parallel import Workers
from solver.plan import file_bytes, unit_memory, unit_slots
from solver.rules import Rules
from solver.sectors import Sector, Unit, dependencies, major_is_mover
from solver.solve import solve_unit
from solver.solved import SolvedSector
from solver.source import Rekeyed
from solver.survey import UnreadableTableError, open_table
from solver.tablefile import table_path
from solver.tableheader import TableHeader
from solver.tablewriter import NewTable, TableWriter
from solver.widths import Stored, payload_of
from solver.working import WorkingMemory, WorkingTable

__all__ = ["SectorCache", "UnitBuilder", "table_header"]


class SectorCache(Protocol):
    """Solved sectors in memory; see :mod:`solver.storedcache`."""

    @property
    def bytes(self) -> int:
        """Bytes held."""

    def __contains__(self, sector: object) -> bool: ...

    def get(self, sector: Sector) -> Stored | None:
        """Return what is held of a sector, or None."""

    def put(self, sector: Sector, stored: Stored) -> None:
        """Hold a sector if it is worth it."""

    def shrink(self, capacity: int) -> None:
        """Drop arrays until at most `capacity` bytes are held."""


class UnitBuilder:
    """Solves units and hands their tables to a writer.

    Args:
        rules: the game.
        database: the folder to write to and to read from.
        limit: most memory to use, in bytes.
        workers: the threads to solve with.
        writer: writes the tables.
        cache: solved sectors in memory.
        progress: told what happens.
        working: memory of the units solved before.
    """

    def __init__(
        self,
        rules: Rules,
        database: Path,
        limit: int,
        workers: Workers,
        writer: TableWriter,
        cache: SectorCache,
        progress: BuildProgress,
        working: WorkingMemory,
    ) -> None:
        self.rules = rules
        self.database = database
        self.limit = limit
        self.workers = workers
        self.writer = writer
        self.cache = cache
        self.progress = progress
        self.working = working
        # Bytes of each table that was handed to the writer last.
        self.writing: dict[Sector, int] = {}
        # The table that a placing unit re-keyed and the next one may read again.
        self.rekeyed = Rekeyed()
        self.placing = False  # whether the present unit has stones in hand

    def build(self, unit: Unit, wanted: list[Sector]) -> None:
        """Solve a unit and hand those of its tables that are wanted to the writer.

        Raises:
            UnreadableTableError: a table that the unit reads cannot be read.
            ResourceError: there is not enough disk or memory.
        """
        solved = self.solve(unit)
        for each in solved:
            self.cache.put(each.sector, each.stored)
        self.writer.write(
            [
                NewTable(
                    table_path(self.database, self.rules, each.sector),
                    table_header(self.rules, each),
                    payload_of(each.stored),
                    file_bytes(self.rules, each.sector),
                )
                for each in solved
                if each.sector in wanted
            ]
        )
        self.writing = {s.sector: s.stored.nbytes for s in solved if s.sector in wanted}

    def solve(self, unit: Unit) -> list[SolvedSector]:
        """Solve a unit."""
        self.check_disk(unit)
        self.make_room(unit)
        self.progress.start_unit(unit)
        started = time.perf_counter()
        try:
            solved = solve_unit(
                self.rules, unit, self.read, self.workers, partial(self.progress.advance, unit),
                self.rekeyed, self.working,
            )  # fmt: skip
        except MemoryError:
            raise ResourceError(
                f"unit {unit} needs about {memory.gigabytes(unit_memory(self.rules, unit))}"
                " of memory, more than the system gives"
            ) from None
        self.progress.finish_unit(unit, time.perf_counter() - started)
        return solved

    def read(self, sector: Sector) -> Stored:
        """Return the stored entries of a sector solved before."""
        stored = self.cache.get(sector)
        if stored is not None:
            return stored
        self.writer.wait()
        try:
            with open_table(self.rules, sector, self.database) as reader:
                stored = reader.entries(threads=self.workers.threads)
        except (DamagedTableError, FileNotFoundError, NotADirectoryError) as error:
            raise UnreadableTableError(sector, str(error)) from None
        if self.placing:
            # The next placing unit often reads it again. (Moving units count on being alone with
            # what they read.)
            self.cache.put(sector, stored)
        return stored

    def make_room(self, unit: Unit) -> None:
        """Leave a unit the memory it needs."""
        read = dependencies(self.rules, unit)
        self.placing = not unit.sectors[0].moving
        if self.rekeyed.sector not in read:
            self.rekeyed = Rekeyed()
        need = unit_memory(self.rules, unit)
        # Part of that is memory kept from the units before; the rest of what is kept comes on top.
        kept = self.working.bytes - WorkingTable.bytes_per_slot * unit_slots(self.rules, unit)
        if self.placing or need + kept > self.limit:
            self.working.clear()
            kept = 0
        need += max(0, kept)
        # What the unit reads, and what was re-keyed for it, is part of its need.
        own = (self.cache.get(sector) for sector in read)
        spare = self.limit - need
        capacity = spare + sum(array.nbytes for array in own if array is not None)
        self.cache.shrink(capacity - self.only_written())
        if self.cache.bytes + self.only_written() > capacity:
            self.writer.wait()

    def only_written(self) -> int:
        """Return the bytes of tables that only the writer keeps."""
        if not self.writer.bytes:
            return 0
        return sum(size for sector, size in self.writing.items() if sector not in self.cache)

    def check_disk(self, unit: Unit) -> None:
        """Refuse to solve a unit whose tables would not fit on the disk.

        The whole was checked before the start, but others may have filled the disk since.
        """
        pending = list(self.writing) if self.writer.bytes else []
        need = sum(file_bytes(self.rules, sector) for sector in [*unit.sectors, *pending])
        free = memory.free_disk(self.database)
        if need > free:
            raise ResourceError(
                f"the tables of unit {unit} need about {memory.gigabytes(need)} of disk, but only"
                f" {memory.gigabytes(free)} are left at {self.database}; those finished are kept"
            )


def table_header(rules: Rules, solved: SolvedSector) -> TableHeader:
    """Return the header of a solved sector's table."""
    return TableHeader.of_counts(
        solved.counts.positions.tolist(),
        solved.counts.distinct.tolist(),
        sector=str(solved.sector),
        slots=len(solved.stored),
        major="mover" if major_is_mover(rules, solved.sector) else "opponent",
        rules=rules.reduced(solved.sector),
        program=f"morris-solver {__version__}",
    )
