"""How several workers share the work: against a slow twin, by hand, and what must always hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from random import Random

import pytest
from strategies import NINE

from solver import measured
from solver.plan import file_bytes, make_plan, unit_memory, unit_seconds, unit_slots
from solver.rules import Rules, get_variant
from solver.schedule import Job, Schedule, job_seconds, jobs_of, schedule, seconds_to_end
from solver.sectors import (
    Sector,
    Unit,
    dependencies,
    sectors_up_to,
    solving_order,
    unit_of,
    wanted_sectors,
)

PROGRAM = measured.MEMORY_OF_PROGRAM
SMALL = ["nine -r stones=4", "six -r stones=4", "lasker -r stones=3"]


def unit(number: int) -> Unit:
    """Some unit; which one means nothing here."""
    return Unit((Sector(number, 0),))


def job(number: int, seconds: float, *waits_for: int, memory: int = 0, disk: int = 0) -> Job:
    return Job(unit(number), seconds, PROGRAM + memory, disk, frozenset(map(unit, waits_for)))


def begun(found: Schedule) -> dict[int, tuple[int, float, float]]:
    """Worker, start and end by the number of the unit."""
    return {each.unit.sectors[0].mover: (each.worker, each.start, each.end) for each in found.units}


# -- by hand ----------------------------------------------------------------------------------


def test_units_that_wait_for_none_are_shared() -> None:
    found = schedule([job(1, 3), job(2, 2), job(3, 1)], 2)
    assert begun(found) == {1: (0, 0, 3), 2: (1, 0, 2), 3: (1, 2, 3)}
    assert (found.seconds, found.work_seconds, found.critical_seconds) == (3, 6, 3)
    assert (found.idle_seconds, found.idle_share, found.speed_up) == (0, 0, 2)
    assert found.critical_path == (unit(1),)


def test_a_chain_leaves_the_second_worker_idle() -> None:
    found = schedule([job(1, 1), job(2, 2, 1), job(3, 3, 2)], 2)
    assert begun(found) == {1: (0, 0, 1), 2: (0, 1, 3), 3: (0, 3, 6)}
    assert found.critical_path == (unit(1), unit(2), unit(3))
    assert (found.seconds, found.critical_seconds) == (6, 6)
    assert (found.idle_seconds, found.idle_share, found.speed_up) == (6, 0.5, 1)


def test_the_longest_chain_goes_first() -> None:
    """Unit 2 alone takes longer than unit 1, but with unit 3 that waits for it 1 takes longest."""
    found = schedule([job(1, 1), job(2, 4), job(3, 5, 1), job(4, 1)], 1)
    assert list(begun(found)) == [1, 3, 2, 4]
    assert found.critical_path == (unit(1), unit(3))


def test_a_unit_waits_for_the_last_of_those_it_needs() -> None:
    found = schedule([job(1, 1), job(2, 3), job(3, 1, 1, 2)], 3)
    assert begun(found)[3][1:] == (3, 4)
    assert found.idle_seconds == 3 * 4 - 5


def test_memory_of_all_workers_together() -> None:
    jobs = [job(1, 2, memory=100), job(2, 1, memory=30), job(3, 2, 2, memory=50)]
    # 100 + 30, then 100 + 50, then 50 alone; a worker that waits has the program in memory.
    assert schedule(jobs, 2).peak_memory == 2 * PROGRAM + 150
    assert schedule(jobs, 5).peak_memory == 5 * PROGRAM + 150
    assert schedule(jobs, 1).peak_memory == PROGRAM + 100
    # What ends as another begins is not there at the same time.
    assert schedule([job(1, 1, memory=70), job(2, 1, 1, memory=60)], 1).peak_memory == PROGRAM + 70


def test_disk_is_all_that_is_written() -> None:
    assert schedule([job(1, 1, disk=5), job(2, 1, 1, disk=7)], 3).new_disk == 12


def test_nothing_to_do() -> None:
    found = schedule([], 3)
    assert (found.units, found.critical_path) == ((), ())
    assert (found.seconds, found.critical_seconds, found.work_seconds) == (0, 0, 0)
    assert (found.idle_seconds, found.idle_share, found.speed_up) == (0, 0, 1)
    assert (found.peak_memory, found.new_disk) == (0, 0)


# -- against a twin ---------------------------------------------------------------------------


def random_jobs(seed: int) -> list[Job]:
    """Units that wait for some of those before them, in no particular order."""
    random = Random(seed)
    jobs = [
        job(
            number,
            random.randint(1, 6),
            *(other for other in range(number) if random.random() < random.choice([0.1, 0.4])),
            memory=random.randint(0, 9),
            disk=random.randint(0, 9),
        )
        for number in range(random.randint(1, 14))
    ]
    random.shuffle(jobs)
    return jobs


def slow_level(jobs: Mapping[Unit, Job], which: Unit) -> float:
    """How long the longest chain from a unit is, by trying all that wait for it."""
    waiting = (other for other in jobs.values() if which in other.waits_for)
    return jobs[which].seconds + max((slow_level(jobs, other.unit) for other in waiting), default=0)


def stepwise(jobs: Iterable[Job], workers: int) -> tuple[dict[Unit, tuple[int, int, int]], int]:
    """Worker, start and end of each unit, and the peak of memory: second after second."""
    by_unit = {each.unit: each for each in jobs}
    order = sorted(by_unit, key=lambda which: (-slow_level(by_unit, which), which))
    found: dict[Unit, tuple[int, int, int]] = {}
    peak = now = 0
    while True:
        finished = {which for which, (_, _, end) in found.items() if end <= now}
        if len(finished) == len(by_unit):
            return found, peak
        busy = {worker for worker, _, end in found.values() if end > now}
        for worker in sorted(set(range(workers)) - busy):
            ready = [
                which
                for which in order
                if which not in found and by_unit[which].waits_for <= finished
            ]
            if ready:
                found[ready[0]] = (worker, now, now + int(by_unit[ready[0]].seconds))
        running = [by_unit[which].memory for which, (_, _, end) in found.items() if end > now]
        peak = max(peak, sum(running) + PROGRAM * (workers - len(running)))
        now += 1


@pytest.mark.parametrize("seed", range(60))
def test_any_units(seed: int) -> None:
    jobs = random_jobs(seed)
    by_unit = {each.unit: each for each in jobs}
    for workers in (1, 2, 3, 20):
        found = schedule(jobs, workers)
        expected, peak = stepwise(jobs, workers)
        assert {each.unit: (each.worker, each.start, each.end) for each in found.units} == expected
        assert len(found.units) == len(jobs)
        assert found.peak_memory == peak
        longest = max(slow_level(by_unit, which) for which in by_unit)
        assert found.critical_seconds == longest
        assert sum(by_unit[which].seconds for which in found.critical_path) == longest
        check_bounds(found, by_unit)
    assert schedule(jobs, 1).seconds == sum(each.seconds for each in jobs)
    assert schedule(jobs, 20).seconds == schedule(jobs, 20).critical_seconds


def check_bounds(found: Schedule, jobs: Mapping[Unit, Job]) -> None:
    """What holds for every list schedule, however long its units take."""
    workers, work, longest = found.workers, found.work_seconds, found.critical_seconds
    slack = 1e-9 * work
    assert found.seconds >= max(longest, work / workers) - slack
    # Graham (1966): whenever a worker is idle, the longest chain still to do becomes shorter.
    assert found.seconds <= work / workers + (1 - 1 / workers) * longest + slack
    assert found.idle_seconds == pytest.approx(workers * found.seconds - work, abs=slack)
    assert 0 <= found.idle_share < 1
    assert 1 - 1e-9 <= found.speed_up <= workers + 1e-9
    for one, next_one in pairwise(found.critical_path):
        assert one in jobs[next_one].waits_for
    ends = {each.unit: each.end for each in found.units}
    assert ends.keys() == jobs.keys()
    for each in found.units:
        assert each.end - each.start == pytest.approx(jobs[each.unit].seconds)
        assert all(ends[needed] <= each.start for needed in jobs[each.unit].waits_for)
    for worker in range(workers):
        own = sorted((e.start, e.end) for e in found.units if e.worker == worker)
        assert all(end <= start for (_, end), (start, _) in pairwise(own))


# -- of games ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("threads", [1, 3])
def test_seconds_to_the_end_of_the_longest_chain(name: str, threads: int) -> None:
    rules = get_variant(name)
    units = solving_order(rules, wanted_sectors(rules))
    for given in (units, units[::-1], units[::2]):
        found = seconds_to_end(rules, iter(given), threads)
        assert found.keys() == set(given)
        jobs = {which: _slow_job(rules, which, given, threads) for which in given}
        assert found == pytest.approx({which: slow_level(jobs, which) for which in given})


def _slow_job(rules: Rules, which: Unit, units: list[Unit], threads: int) -> Job:
    needed = {unit_of(rules, sector) for sector in dependencies(rules, which)}
    seconds = job_seconds(rules, which, threads)
    return Job(which, seconds, PROGRAM, 0, frozenset(needed & set(units)))


def test_what_is_waited_for_has_longer_to_the_end() -> None:
    units = solving_order(NINE, wanted_sectors(NINE))
    found = seconds_to_end(NINE, units, 1)
    for which in units:
        for sector in dependencies(NINE, which):
            assert found[unit_of(NINE, sector)] > found[which]
    assert found[units[-1]] == job_seconds(NINE, units[-1], 1)


def test_the_whole_game_with_more_and_more_workers() -> None:
    units = solving_order(NINE, wanted_sectors(NINE))
    jobs = jobs_of(NINE, units, 1)
    by_unit = {each.unit: each for each in jobs}
    schedules = [schedule(jobs, workers) for workers in (1, 2, 4, 8, 1000)]
    for found in schedules:
        check_bounds(found, by_unit)
    times = [found.seconds for found in schedules]
    assert times == sorted(times, reverse=True)
    assert times[0] == pytest.approx(schedules[0].work_seconds)
    assert times[-1] == pytest.approx(schedules[0].critical_seconds)
    assert {found.new_disk for found in schedules} == {make_plan(NINE).bytes}
    assert schedules[0].peak_memory == make_plan(NINE).memory
    path = schedules[0].critical_path
    assert (str(path[0]), str(path[-1])) == ("3-3", "0-0+9-9")


def test_jobs_of_what_is_missing() -> None:
    """Of 5-3 one table is there: all of it is solved, and the other table is written."""
    units = [unit_of(NINE, Sector(5, 3)), unit_of(NINE, Sector(6, 3))]
    wanted = [Sector(3, 5), Sector(6, 3), Sector(3, 6)]
    first, second = jobs_of(NINE, units, 2, wanted=wanted)
    assert (first.unit, second.unit) == tuple(units)
    assert (first.waits_for, second.waits_for) == (frozenset(), {units[0]})
    assert first.disk == file_bytes(NINE, Sector(3, 5))
    assert second.disk == sum(file_bytes(NINE, sector) for sector in units[1].sectors)
    assert [each.memory for each in (first, second)] == [unit_memory(NINE, u) for u in units]


def test_a_unit_takes_longer_than_to_solve_it() -> None:
    """By what it reads, by what it writes, and by what was re-keyed for it elsewhere."""
    sectors = [*sectors_up_to(NINE, 9), Sector(2, 3, 7, 6), Sector(8, 9, 1, 0)]
    for which in solving_order(NINE, sectors):
        read = make_plan(NINE, [which.sectors[0]]).rows
        own = set(which.sectors)
        needed = set(dependencies(NINE, which))
        slots = sum(row.slots for row in read if row.sector in needed - own)
        files = measured.NS_READ * slots + measured.NS_WRITTEN * unit_slots(NINE, which)
        for threads in (1, 4):
            solving = unit_seconds(NINE, which, threads, alone=True)
            assert solving >= unit_seconds(NINE, which, threads)
            expected = measured.SECONDS_OF_UNIT + solving + 1e-9 * files / threads
            assert job_seconds(NINE, which, threads) == pytest.approx(expected)
