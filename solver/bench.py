"""How fast this machine solves: every unit timed, and a signature of what came out."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from solver.boards import BOARDS
from solver.build import table_header
from solver.memory import peak_memory
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, Unit, closure, sectors_up_to, solving_order
from solver.solve import solve_unit
from solver.solved import ByteArray, SolvedSector
from solver.storedcache import StoredCache
from solver.survey import check_memory, refuse_unsolvable
from solver.tablefile import write_table

__all__ = ["BenchReport", "UnitTiming", "bench"]


@dataclass(frozen=True)
class UnitTiming:
    """What one unit took.

    Attributes:
        unit: which one.
        slots: of all its tables.
        seconds: to solve it, without compiling, reading and writing.
        write_seconds: to compress and write its tables; None if that was not asked for.
        bytes: the size of their files; None likewise.
    """

    unit: Unit
    slots: int
    seconds: float
    write_seconds: float | None = None
    bytes: int | None = None

    @property
    def ns_per_slot(self) -> float:
        """Nanoseconds of wall time to solve a slot."""
        return self.seconds / self.slots * 1e9


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
    digest = hashlib.sha256()
    timings = []
    with Workers(threads) as workers, tempfile.TemporaryDirectory() as folder:
        _compile(rules, workers)
        for unit in units:
            started = time.perf_counter()
            solved = solve_unit(rules, unit, cache.__getitem__, workers)
            seconds = time.perf_counter() - started
            for each in solved:
                digest.update(f"{each.sector}\n".encode())
                digest.update(each.stored.data)
                cache.put(each.sector, each.stored)
                if on_sector is not None:
                    on_sector(each)
            slots = sum(len(each.stored) for each in solved)
            timing = UnitTiming(unit, slots, seconds)
            if write:
                timing = _write(rules, timing, solved, Path(folder), threads)
            timings.append(timing)
            if on_unit is not None:
                on_unit(timing)
            del solved
            cache.advance()
    return BenchReport(timings, peak_memory(), digest.hexdigest())


def _write(
    rules: Rules, timing: UnitTiming, solved: list[SolvedSector], folder: Path, threads: int
) -> UnitTiming:
    """Write and remove the tables of a unit."""
    started = time.perf_counter()
    size = 0
    for each in solved:
        path = folder / f"{each.sector}.dtw.zst"
        size += write_table(path, table_header(rules, each), each.stored, threads=threads)
        path.unlink()
    seconds = time.perf_counter() - started
    return UnitTiming(timing.unit, timing.slots, timing.seconds, seconds, size)


def _compile(rules: Rules, workers: Workers) -> None:
    """Have all kernels compiled, or loaded, for both widths of frames, by solving small sectors."""
    for small in (Rules("warm-up", BOARDS["merels16"], 4), Rules("warm-up", rules.board, 4)):
        tables: dict[Sector, ByteArray] = {}
        for unit in solving_order(small, sectors_up_to(small, 7)):
            for each in solve_unit(small, unit, tables.__getitem__, workers):
                tables[each.sector] = each.stored
