"""The batch: which units to solve, in what order, within what memory, and onto the disk.

A run keeps every table that is finished and whole to the last checksum, so one that was
interrupted goes on where it stopped. Tables are written while the next unit is being solved;
solved sectors stay in memory for the units that read them, as far as the limit allows, and are
read back from their files otherwise.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from solver import __version__, memory
from solver.atomicfile import remove_temporary_files
from solver.errors import DamagedTableError, ResourceError
from solver.lock import locked
from solver.manifest import family_folders
from solver.parallel import Workers, default_threads
from solver.plan import file_bytes, unit_memory, unit_slots
from solver.rules import Rules
from solver.sectors import Sector, Unit, dependencies, major_is_mover, slots, unit_of
from solver.solve import solve_unit
from solver.solved import SolvedSector
from solver.source import Rekeyed
from solver.storedcache import StoredCache
from solver.survey import (
    Survey,
    check_disk,
    check_folders,
    check_memory,
    open_table,
    refuse_unsolvable,
    sound_table,
    survey,
)
from solver.tablefile import table_path
from solver.tableheader import TableHeader
from solver.tablewriter import NewTable, TableWriter
from solver.widths import Stored, payload_of
from solver.working import WorkingMemory, WorkingTable

__all__ = ["BuildProgress", "BuildReport", "build", "table_header"]


class BuildProgress:
    """Told what a build does. Every method does nothing unless a subclass says otherwise."""

    def begin(self, units: list[Unit]) -> None:
        """These units will be solved, in this order."""

    def start_unit(self, unit: Unit) -> None:
        """A unit is begun (again, if a table it reads had to be made anew)."""

    def advance(self, slots: int) -> None:
        """So many more slots of the unit have their value; drawn ones come last, all at once."""

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        """A unit is solved, in so many seconds; its tables are yet to be written."""

    def wrote(self, sector: Sector, size: int, seconds: float) -> None:
        """A table of `size` bytes is on the disk. Called from another thread."""

    def note(self, text: str) -> None:
        """Something the user should know."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes:
        solved: sectors whose tables were written, in order.
        skipped: sectors whose tables were there already.
        seconds: the time it took.
    """

    solved: list[Sector]
    skipped: list[Sector]
    seconds: float


def build(
    rules: Rules,
    sectors: Iterable[Sector],
    database: str | os.PathLike[str],
    *,
    threads: int | None = None,
    memory_bytes: int | None = None,
    force: bool = False,
    progress: BuildProgress | None = None,
) -> BuildReport:
    """Solve sectors and all they depend on, and write their tables.

    Whatever ends it, tables that are finished stay, no partial file keeps a table's name, and the
    same call goes on from there. On KeyboardInterrupt a table being written is still finished;
    a second one gives it up.

    Args:
        rules: the game.
        sectors: which.
        database: the folder to write to; made if need be.
        threads: threads to use; None for one per processor. The files do not depend on it.
        memory_bytes: most memory to use; None for three quarters of what is available.
        force: make the tables asked for anew even if they are there; not what they depend on.
        progress: told what happens.

    Raises:
        UsageError: a sector has no table under these rules, or something else is in its place.
        ResourceError: not enough disk or memory, or the folder cannot be written.
        LockedDatabaseError: another process is writing to the database.
    """
    started = time.perf_counter()
    progress = progress or BuildProgress()
    database = Path(database)
    asked = list(sectors)
    refuse_unsolvable(rules, asked)
    # Looked at before the lock is taken, so that a database which nobody may write to, or another
    # is writing to, is good enough where there is nothing to do.
    threads = threads or default_threads()
    todo = survey(rules, asked, database, force=force, threads=threads)
    if not todo.units:
        with suppress(ResourceError), locked(database):
            _clean(database)
        return BuildReport([], todo.skipped, time.perf_counter() - started)
    with locked(database):
        _clean(database)
        todo = survey(rules, asked, database, force=force, threads=threads, known=todo.sound)
        for text in todo.damaged.values():
            progress.note(f"{text}; it will be made anew")
        check_folders(rules, todo, database)
        check_disk(rules, todo, database)
        limit = check_memory(rules, todo.units, memory_bytes)
        progress.begin(todo.units)
        cache = StoredCache(rules, todo.units)
        with (
            Workers(threads) as workers,
            TableWriter(workers.threads, progress.wrote) as writer,
        ):
            moving = (s for unit in todo.units for s in unit.sectors if s.moving)
            working = WorkingMemory(slots(rules, sector) for sector in moving)
            run = _Run(rules, database, limit, workers, writer, cache, progress, working)
            run.build_all(todo)
    skipped = [sector for sector in todo.skipped if sector not in run.written]
    return BuildReport(run.written, skipped, time.perf_counter() - started)


@dataclass
class _Run:
    """The state of one build.

    Attributes:
        limit: most memory to use, in bytes.
        cache: solved sectors in memory.
        working: memory of the units solved before.
        written: sectors handed to the writer so far.
        writing: bytes of each table that was handed to the writer last.
        rekeyed: the table that a placing unit re-keyed and the next one may read again.
        placing: whether the present unit has stones in hand.
    """

    rules: Rules
    database: Path
    limit: int
    workers: Workers
    writer: TableWriter
    cache: StoredCache
    progress: BuildProgress
    working: WorkingMemory
    written: list[Sector] = field(default_factory=list)
    writing: dict[Sector, int] = field(default_factory=dict)
    rekeyed: Rekeyed = field(default_factory=Rekeyed)
    placing: bool = False

    def build_all(self, todo: Survey) -> None:
        """Solve all units and hand their tables to the writer."""
        try:
            for unit in todo.units:
                self.build_unit(unit, [s for s in unit.sectors if s in todo.wanted])
                self.cache.advance()
        except KeyboardInterrupt:
            if self.writer.bytes:
                self.progress.note("finishing a table; interrupt again to give it up")
            raise

    def build_unit(self, unit: Unit, wanted: list[Sector]) -> None:
        """Solve a unit and hand those of its tables that are wanted to the writer."""
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
        self.written += wanted
        self.writing = {s.sector: s.stored.nbytes for s in solved if s.sector in wanted}

    def solve(self, unit: Unit) -> list[SolvedSector]:
        """Solve a unit; a table it reads that turns out to be damaged is made anew first."""
        while True:
            self.check_disk(unit)
            self.make_room(unit)
            self.progress.start_unit(unit)
            started = time.perf_counter()
            try:
                solved = solve_unit(
                    self.rules, unit, self.read, self.workers, self.progress.advance, self.rekeyed,
                    self.working,
                )  # fmt: skip
            except _UnreadableError as error:
                unreadable = error.sector  # not the error, which would keep arrays alive
                self.progress.note(f"{error}; it will be made anew")
            except MemoryError:
                raise ResourceError(
                    f"unit {unit} needs about {memory.gigabytes(unit_memory(self.rules, unit))}"
                    " of memory, more than the system gives"
                ) from None
            else:
                self.progress.finish_unit(unit, time.perf_counter() - started)
                return solved
            again = unit_of(self.rules, unreadable)
            self.build_unit(again, [s for s in again.sectors if s == unreadable or self.lost(s)])
            self.writer.wait()

    def lost(self, sector: Sector) -> bool:
        """Return whether the table of a sector is not there or damaged."""
        try:
            found = sound_table(self.rules, sector, self.database, threads=self.workers.threads)
        except DamagedTableError as error:
            self.progress.note(f"{error}; it will be made anew")
            return True
        return found is None

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
            raise _UnreadableError(sector, str(error)) from None
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


def _clean(database: Path) -> None:
    """Remove what writers that died left behind, from the folders of tables only."""
    for folder in family_folders(database):
        remove_temporary_files(folder)


class _UnreadableError(Exception):
    """A table that was thought to be there cannot be read."""

    def __init__(self, sector: Sector, text: str) -> None:
        super().__init__(text)
        self.sector = sector
