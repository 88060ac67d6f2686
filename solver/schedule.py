"""When each unit is solved if several workers share the work. Counts and estimates alone.

Each worker is a process of its own that solves one unit at a time: it reads the tables the unit
depends on from a folder that all share, solves, and writes the unit's tables there; units that wait
for them can start then. That a worker may still have a table in memory which it reads is left out:
every table is read anew. So are the network and the processors' time for handing units out.

The order is that of list scheduling: a worker that is free takes, of the units whose tables are all
there, the one that begins the longest chain of units (see :func:`seconds_to_end`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from heapq import heapify, heappop, heappush

from solver import measured
from solver.plan import file_bytes, read_seconds, unit_memory, unit_seconds, write_seconds
from solver.rules import Rules
from solver.sectors import Sector, Unit, dependencies, unit_of

__all__ = [
    "Job",
    "Schedule",
    "ScheduledUnit",
    "job_seconds",
    "jobs_of",
    "needed_units",
    "schedule",
    "seconds_to_end",
]


@dataclass(frozen=True)
class Job:
    """A unit as something to be done by one worker.

    Attributes:
        unit: which one.
        seconds: to read what it depends on, to solve it, and to write its tables.
        memory: the peak meanwhile, in bytes.
        disk: bytes of the tables it writes.
        waits_for: units that must be finished before it begins.
    """

    unit: Unit
    seconds: float
    memory: int
    disk: int
    waits_for: frozenset[Unit]


@dataclass(frozen=True)
class ScheduledUnit:
    """When a unit is solved, and by whom.

    Attributes:
        unit: which one.
        worker: which of the workers, counted from 0.
        start: seconds after the beginning of the run at which it is begun.
        end: likewise, at which its tables are written.
    """

    unit: Unit
    worker: int
    start: float
    end: float


@dataclass(frozen=True)
class Schedule:
    """What becomes of some units if several workers share the work.

    Attributes:
        workers: their number.
        units: in the order they are begun.
        critical_path: the longest chain of units each of which waits for the one before.
        critical_seconds: the time these take: no number of workers takes less.
        work_seconds: the time that one worker would take for all.
        peak_memory: the most memory that all workers have at one time, in bytes; one that waits
            has what the program itself takes.
        new_disk: bytes of all tables written. None is deleted on the way, and each appears under
            its name when it is whole, so that is also the most there is at one time.
    """

    workers: int
    units: tuple[ScheduledUnit, ...]
    critical_path: tuple[Unit, ...]
    critical_seconds: float
    work_seconds: float
    peak_memory: int
    new_disk: int

    @property
    def seconds(self) -> float:
        """The time from the beginning to the end of the last unit."""
        return max((each.end for each in self.units), default=0.0)

    @property
    def idle_seconds(self) -> float:
        """The time that workers wait, all of them together."""
        return max(0.0, self.workers * self.seconds - self.work_seconds)

    @property
    def idle_share(self) -> float:
        """The part of all workers' time that they wait, from 0 to 1."""
        whole = self.workers * self.seconds
        return self.idle_seconds / whole if whole else 0.0

    @property
    def speed_up(self) -> float:
        """How many times as long one worker would take."""
        return self.work_seconds / self.seconds if self.units else 1.0


def jobs_of(
    rules: Rules, units: Iterable[Unit], threads: int, *, wanted: Iterable[Sector] | None = None
) -> list[Job]:
    """Return units as jobs.

    Args:
        rules: the game.
        units: which there are to solve, in any order; the tables of all others are there.
        threads: threads of each worker.
        wanted: the sectors whose tables are written; None for all of these units.
    """
    chosen = None if wanted is None else frozenset(wanted)
    return [
        Job(
            unit=unit,
            seconds=job_seconds(rules, unit, threads),
            memory=unit_memory(rules, unit),
            disk=sum(
                file_bytes(rules, sector)
                for sector in unit.sectors
                if chosen is None or sector in chosen
            ),
            waits_for=needed,
        )
        for unit, needed in needed_units(rules, units).items()
    ]


def job_seconds(rules: Rules, unit: Unit, threads: int) -> float:
    """Return the estimated time a worker takes for a unit, in seconds: read, solve, write."""
    return (
        measured.SECONDS_OF_UNIT
        + read_seconds(rules, unit, threads)
        + unit_seconds(rules, unit, threads, alone=True)
        + write_seconds(rules, unit, threads)
    )


def seconds_to_end(rules: Rules, units: Iterable[Unit], threads: int) -> dict[Unit, float]:
    """Return for each unit how long the longest chain of units is that begins with it.

    A chain is units each of which waits for the one before; how long it takes is the sum of
    :func:`job_seconds`. List scheduling calls that the unit's *bottom level*, and lets those with
    the greatest go first.

    Args:
        rules: the game.
        units: which there are to solve, in any order; the tables of all others are there.
        threads: threads of each worker.
    """
    waits_for = needed_units(rules, units)
    seconds = {unit: job_seconds(rules, unit, threads) for unit in waits_for}
    return _bottom_levels(seconds, waits_for)


def schedule(jobs: Sequence[Job], workers: int) -> Schedule:
    """Simulate that several workers do some jobs.

    Args:
        jobs: in any order; each unit once, and all they wait for among them.
        workers: their number, 1 or more.
    """
    seconds = {job.unit: job.seconds for job in jobs}
    waits_for = {job.unit: job.waits_for for job in jobs}
    levels = _bottom_levels(seconds, waits_for)
    units = _simulate(seconds, waits_for, levels, workers)
    path = _critical_path(waits_for, levels)
    return Schedule(
        workers=workers,
        units=tuple(units),
        critical_path=path,
        critical_seconds=levels[path[0]] if path else 0.0,
        work_seconds=sum(seconds.values()),
        peak_memory=_peak_memory(units, {job.unit: job.memory for job in jobs}, workers),
        new_disk=sum(job.disk for job in jobs),
    )


def _simulate(
    seconds: Mapping[Unit, float],
    waits_for: Mapping[Unit, frozenset[Unit]],
    levels: Mapping[Unit, float],
    workers: int,
) -> list[ScheduledUnit]:
    """Return when each unit is solved, in the order they are begun."""
    waiting = _waiting(waits_for)
    missing = {unit: len(needed) for unit, needed in waits_for.items()}
    ready = [(-levels[unit], unit) for unit, number in missing.items() if not number]
    heapify(ready)
    free = list(range(workers))
    running: list[tuple[float, Unit, int]] = []
    now = 0.0
    begun = []
    while ready or running:
        while ready and free:
            _, unit = heappop(ready)
            worker = heappop(free)
            end = now + seconds[unit]
            begun.append(ScheduledUnit(unit, worker, now, end))
            heappush(running, (end, unit, worker))
        now = running[0][0]
        # All that end now are taken together, so that what they set free is chosen from as one.
        while running and running[0][0] == now:
            _, finished, worker = heappop(running)
            heappush(free, worker)
            for unit in waiting[finished]:
                missing[unit] -= 1
                if not missing[unit]:
                    heappush(ready, (-levels[unit], unit))
    return begun


def _critical_path(
    waits_for: Mapping[Unit, frozenset[Unit]], levels: Mapping[Unit, float]
) -> tuple[Unit, ...]:
    """Return the longest chain of units each of which waits for the one before."""
    waiting = _waiting(waits_for)
    path: list[Unit] = []
    choice: Iterable[Unit] = levels
    while choice:
        path.append(max(choice, key=lambda unit: (levels[unit], unit)))
        choice = waiting[path[-1]]
    return tuple(path)


def _peak_memory(units: Sequence[ScheduledUnit], memory: Mapping[Unit, int], workers: int) -> int:
    """Return the most memory that all workers have at one time, in bytes."""
    idle = measured.MEMORY_OF_PROGRAM
    changes = [(each.start, memory[each.unit] - idle) for each in units]
    changes += [(each.end, idle - memory[each.unit]) for each in units]
    now = peak = workers * idle if units else 0
    for _, change in sorted(changes):  # at one time what ends comes before what begins
        now += change
        peak = max(peak, now)
    return peak


def needed_units(rules: Rules, units: Iterable[Unit]) -> dict[Unit, frozenset[Unit]]:
    """Return for each unit those of the others that it reads tables of."""
    wanted = dict.fromkeys(units)
    return {
        unit: frozenset(unit_of(rules, sector) for sector in dependencies(rules, unit))
        & wanted.keys()
        for unit in wanted
    }


def _waiting(waits_for: Mapping[Unit, frozenset[Unit]]) -> dict[Unit, list[Unit]]:
    """Return for each unit those that wait for it."""
    waiting: dict[Unit, list[Unit]] = {unit: [] for unit in waits_for}
    for unit, needed in waits_for.items():
        for each in needed:
            waiting[each].append(unit)
    return waiting


def _bottom_levels(
    seconds: Mapping[Unit, float], waits_for: Mapping[Unit, frozenset[Unit]]
) -> dict[Unit, float]:
    """Return for each unit its seconds and those of the longest chain that waits for it."""
    order = tuple(TopologicalSorter(waits_for).static_order())
    after = dict.fromkeys(order, 0.0)
    levels = {}
    for unit in reversed(order):
        levels[unit] = seconds[unit] + after[unit]
        for needed in waits_for[unit]:
            after[needed] = max(after[needed], levels[unit])
    return levels
