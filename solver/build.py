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
from pathlib import Path

from solver.buildprogress import BuildProgress, BuildReport
from solver.errors import DamagedTableError, ResourceError
from solver.lock import locked
from solver.parallel import Workers, default_threads
from solver.rules import Rules
from solver.sectors import Sector, Unit, slots, unit_of
from solver.storedcache import StoredCache
from solver.survey import (
    Survey,
    UnreadableTableError,
    check_disk,
    check_folders,
    check_memory,
    clean,
    refuse_unsolvable,
    sound_table,
    survey,
)
from solver.tablewriter import TableWriter
from solver.unitbuilder import UnitBuilder
from solver.working import WorkingMemory

__all__ = ["BuildProgress", "BuildReport", "build"]


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
            clean(database)
        return BuildReport([], todo.skipped, time.perf_counter() - started)
    with locked(database):
        clean(database)
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
            builder = UnitBuilder(
                rules, database, limit, workers, writer, cache, progress, working
            )  # fmt: skip
            written = _build_all(builder, cache, todo)
    skipped = [sector for sector in todo.skipped if sector not in written]
    return BuildReport(written, skipped, time.perf_counter() - started)


def _build_all(builder: UnitBuilder, cache: StoredCache, todo: Survey) -> list[Sector]:
    """Solve all units; return the sectors whose tables were handed to the writer, in order."""
    written: list[Sector] = []
    try:
        for unit in todo.units:
            written += _build_unit(builder, unit, [s for s in unit.sectors if s in todo.wanted])
            cache.advance()
    except KeyboardInterrupt:
        if builder.writer.bytes:
            builder.progress.note("finishing a table; interrupt again to give it up")
        raise
    return written


def _build_unit(builder: UnitBuilder, unit: Unit, wanted: list[Sector]) -> list[Sector]:
    """Solve a unit; a table it reads that turns out to be damaged is made anew first.

    Returns:
        The sectors whose tables were handed to the writer, in order.
    """
    made: list[Sector] = []
    while True:
        try:
            builder.build(unit, wanted)
        except UnreadableTableError as error:
            unreadable = error.sector  # not the error, which would keep arrays alive
            builder.progress.note(f"{error}; it will be made anew")
        else:
            return made + wanted
        again = unit_of(builder.rules, unreadable)
        lost = [s for s in again.sectors if s == unreadable or _lost(builder, s)]
        made += _build_unit(builder, again, lost)
        builder.writer.wait()


def _lost(builder: UnitBuilder, sector: Sector) -> bool:
    """Return whether the table of a sector is not there or damaged."""
    threads = builder.workers.threads
    try:
        return sound_table(builder.rules, sector, builder.database, threads=threads) is None
    except DamagedTableError as error:
        builder.progress.note(f"{error}; it will be made anew")
        return True
