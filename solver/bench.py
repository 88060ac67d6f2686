"""How fast this machine solves: every unit timed, and a signature of what came out."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from solver.boards import BOARDS
from solver.memory import PeakMeter
from solver.parallel import Workers
from solver.plan import unit_slots
from solver.rules import Rules
from solver.sectors import (
    Sector,
    Unit,
    closure,
    dependencies,
    sectors_up_to,
    slots,
    solving_order,
)
from solver.solve import solve_unit
from solver.solved import SolvedSector
from solver.source import Rekeyed
from solver.storedcache import StoredCache
from solver.survey import check_memory, refuse_unsolvable
from solver.tablefile import TableReader, write_table
from solver.unitbuilder import table_header
from solver.widths import Stored, payload_of
from solver.working import WorkingMemory

__all__ = ["BenchReport", "UnitTiming", "bench"]

_FEWEST_SLOTS = 10_000_000
"""Of smaller units the memory that solving took cannot be told from that of the program."""


@dataclass(frozen=True)
class UnitTiming:
    """What one unit took.

    Attributes:
        unit: which one.
        slots: of all its tables.
        seconds: to solve it, without compiling, reading and writing.
        steps: processor time in seconds by the step of solving it was spent on.
        peak_memory: the most memory that was resident while it was solved, in bytes, without what
            was resident before and is no part of it: the program, index tables made before, and
            solved sectors kept for other units. The sectors that it reads are part of it, and lie
            in memory all the time. None for a small unit, and where the system does not tell.
        write_seconds: to compress and write its tables; None if that was not asked for.
        read_seconds: to read them back and check them; None likewise.
        bytes: the size of their files; None likewise.
    """

    unit: Unit
    slots: int
    seconds: float
    steps: Mapping[str, float]
    peak_memory: int | None = None
    write_seconds: float | None = None
    read_seconds: float | None = None
    bytes: int | None = None

    @property
    def ns_per_slot(self) -> float:
        """Nanoseconds of wall time to solve a slot."""
        return self.seconds / self.slots * 1e9

    @property
    def bytes_per_slot(self) -> float | None:
        """Bytes of memory at the peak by slot; None as for `peak_memory`."""
        return None if self.peak_memory is None else self.peak_memory / self.slots


@dataclass(frozen=True)
class BenchReport:
    """What a bench found.

    Attributes:
        units: in the order they were solved.
        peak_memory: the most memory the process has had, in bytes.
        signature: SHA-256 over the names and stored bytes of all sectors in order: it depends on
            the sectors alone, not on threads, machine or compression.
    """

    units: list[UnitTiming]
    peak_memory: int
    signature: str


def bench(
    rules: Rules,
    sectors: Iterable[Sector],
    *,
    threads: int,
    write: bool = False,
    on_unit: Callable[[UnitTiming], None] | None = None,
    on_sector: Callable[[SolvedSector], None] | None = None,
) -> BenchReport:
    """Solve some sectors and all they depend on in memory, and time it.

    Args:
        rules: the game.
        sectors: which.
        threads: threads to use.
        write: also write the tables into a temporary folder, by themselves, and time that.
        on_unit: called for each unit.
        on_sector: called for each solved sector, before its unit.

    Raises:
        UsageError: a sector has no table under these rules, or cannot be solved yet.
        ResourceError: there is not enough memory.
    """
    asked = list(sectors)
    refuse_unsolvable(rules, asked)
    units = solving_order(rules, closure(rules, asked))
    check_memory(rules, units, None)
    cache = StoredCache(rules, units)
    working = WorkingMemory(slots(rules, s) for unit in units for s in unit.sectors if s.moving)
    digest = hashlib.sha256()
    timings = []
    rekeyed = Rekeyed()
    meter = PeakMeter()
    with Workers(threads) as workers, tempfile.TemporaryDirectory() as folder:
        _compile(rules, workers)
        for unit in units:
            workers.spent.clear()
            read = dependencies(rules, unit)
            if rekeyed.sector not in read:
                rekeyed = Rekeyed()
            number = unit_slots(rules, unit)
            telling = number >= _FEWEST_SLOTS
            if telling:
                working.clear()  # what is kept of units before may be more than this one takes
                own = sum(cache[sector].nbytes for sector in read)
                telling = meter.begin(own + rekeyed.stored.nbytes)
            started = time.perf_counter()
            solved = solve_unit(
                rules, unit, cache.__getitem__, workers, rekeyed=rekeyed, memory=working
            )
            seconds = time.perf_counter() - started
            peak = meter.end() if telling else None
            for each in solved:
                digest.update(f"{each.sector}\n".encode())
                digest.update(each.stored.data)
                cache.put(each.sector, each.stored)
                if on_sector is not None:
                    on_sector(each)
            timing = UnitTiming(unit, number, seconds, dict(workers.spent), peak)
            if write:
                timing = _write(rules, timing, solved, Path(folder), threads)
            timings.append(timing)
            if on_unit is not None:
                on_unit(timing)
            del solved
            cache.advance()
    return BenchReport(timings, meter.overall, digest.hexdigest())


def _write(
    rules: Rules, timing: UnitTiming, solved: list[SolvedSector], folder: Path, threads: int
) -> UnitTiming:
    """Write the tables of a unit, read them back, and remove them."""
    write_seconds = read_seconds = 0.0
    size = 0
    for each in solved:
        path = folder / f"{each.sector}.dtw.zst"
        started = time.perf_counter()
        size += write_table(
            path, table_header(rules, each), payload_of(each.stored), threads=threads
        )
        written = time.perf_counter()
        with TableReader(path) as reader:
            reader.check(threads=threads)
        write_seconds += written - started
        read_seconds += time.perf_counter() - written
        path.unlink()
    return replace(timing, write_seconds=write_seconds, read_seconds=read_seconds, bytes=size)


def _compile(rules: Rules, workers: Workers) -> None:
    """Have all kernels compiled, or loaded, for both widths of frames, by solving small sectors."""
    for board in (BOARDS["merels16"], rules.board):
        small = Rules("warm-up", board, 4)
        tables: dict[Sector, Stored] = {}
        sectors = closure(small, [*sectors_up_to(small, 7), Sector(2, 2, 2, 2)])
        for unit in solving_order(small, sectors):
            for each in solve_unit(small, unit, tables.__getitem__, workers):
                tables[each.sector] = each.stored
