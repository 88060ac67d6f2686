"""``morris plan``: what solving takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from solver.cli.common import (
    choose_sectors,
    database_option,
    json_option,
    sector_choice,
    threads_option,
    variant_argument,
)
from solver.cli.formats import (
    counted,
    emit_json,
    format_bytes,
    format_count,
    format_duration,
    format_table,
)
from solver.cli.workers import (
    WorkerShare,
    memory_bytes,
    memory_option,
    worker_share,
    workers_option,
)
from solver.facts import plan_facts
from solver.plan import Plan, make_plan
from solver.rules import Rules
from solver.schedule import Schedule, jobs_of, schedule
from solver.sectors import Sector, Unit, closure, wanted_sectors

__all__ = ["plan"]

_MOST_OF_PATH: Final = 6
"""Units of the critical path that are named; of more only the first and the last ones."""


@click.command()
@variant_argument
@sector_choice(whole_game=True)
@database_option
@threads_option
@workers_option
@memory_option
@json_option
def plan(
    rules: Rules,
    sectors: Sequence[Sector],
    stones: int | None,
    moving: bool,
    everything: bool,
    database: Path,
    threads: int | None,
    workers: int | None,
    memory_limit: float | None,
    as_json: bool,
) -> None:
    """Show what solving takes: the sectors in order, slots, memory, disk and time.

    Sectors that those asked for depend on are shown too. Without a choice it is the whole game.
    Slots are exact, the rest are estimates; the time is for solving, tables that are there
    included. What is too large for this machine, or for --memory, is said at the end.

    With --workers the work still to do is shared among processes that read and write tables in one
    folder, as 'morris solve --workers' does, and the plan says how long that takes together. The
    critical path is the longest chain of units each of which waits for the one before: however
    many workers there are, it takes no less. Workers are idle while all that is left waits for
    units that others are solving. The network is not counted.
    """
    chosen = choose_sectors(rules, sectors, stones=stones, moving=moving, everything=everything)
    from solver.parallel import default_threads
    from solver.tablebase import Tablebase

    needed = wanted_sectors(rules) if chosen is None else closure(rules, chosen)
    with Tablebase(database) as tablebase:
        present = tablebase.present(rules, needed)
    share = None if workers is None else worker_share(workers, threads, memory_limit)
    threads = share.threads if share else threads or default_threads()
    made = make_plan(rules, needed, present=present, threads=threads)
    shared = None
    if workers is not None:
        missing = [row.sector for row in made.missing().rows]
        shared = schedule(jobs_of(rules, made.missing().units, threads, wanted=missing), workers)
    why_not = _why_not(rules, made, share, memory_limit)
    if as_json:
        record = _record(made)
        if share and shared:
            record["schedule"] = _schedule_record(made, shared, share)
        emit_json(record | ({"unsolvable": why_not} if why_not else {}))
        return
    click.echo(_text(made))
    if share and shared:
        click.echo(_schedule_text(made, shared, share))
    if why_not:
        limited = share is not None or memory_limit is not None
        click.echo(f"not solvable {'so' if limited else 'here'}: {why_not}")


def _why_not(
    rules: Rules, made: Plan, share: WorkerShare | None, memory_limit: float | None
) -> str | None:
    """Return why the sectors cannot be solved here, or within the limit; None if they can."""
    from solver.survey import FEWER_WORKERS, too_large, too_wide, unsolvable

    if share is None and memory_limit is None:
        return unsolvable(rules, [row.sector for row in made.rows])
    limit = memory_bytes(memory_limit or 0) if share is None else share.memory
    units = made.missing().units
    if share is None:
        too_much = too_large(rules, units, limit)
    else:
        too_much = too_large(rules, units, limit, each_worker=True, remedy=FEWER_WORKERS)
    return too_much or too_wide(rules, units)


def _record(made: Plan) -> dict[str, object]:
    return {
        "variant": made.variant,
        "sectors": [
            {
                "sector": str(row.sector),
                "unit": str(row.unit),
                "slots": row.slots,
                "bytes": row.bytes,
                "memory": row.memory,
                "seconds": round(row.seconds, 3),
                "present": row.present,
            }
            for row in made.rows
        ],
        **plan_facts(made),
    }


def _text(made: Plan) -> str:
    head = ("sector", "unit", "slots", "disk", "memory", "time", "present")
    rows = [
        (
            str(row.sector),
            str(row.unit),
            format_count(row.slots),
            format_bytes(row.bytes),
            format_bytes(row.memory),
            format_duration(row.seconds),
            "yes" if row.present else "no",
        )
        for row in made.rows
    ]
    missing = made.missing()
    lines = [format_table(head, rows, "llrrrrl"), "", f"all {_totals(made)}"]
    if len(missing.rows) < len(made.rows):
        lines.append(f"to do: {_totals(missing)}" if missing.rows else "to do: nothing")
    return "\n".join(lines)


def _totals(made: Plan) -> str:
    return (
        f"{counted(len(made.rows), 'sector')}: {counted(made.slots, 'slot')},"
        f" {format_bytes(made.bytes)} of"
        f" disk, {format_bytes(made.memory)} of memory, about {format_duration(made.seconds)}"
    )


def _schedule_record(made: Plan, shared: Schedule, share: WorkerShare) -> dict[str, object]:
    return {
        "workers": shared.workers,
        "threads": share.threads,
        "memory": share.memory,
        "seconds": round(shared.seconds, 3),
        "critical_path": {
            "seconds": round(shared.critical_seconds, 3),
            "units": [str(unit) for unit in shared.critical_path],
        },
        "idle_seconds": round(shared.idle_seconds, 3),
        "idle_share": round(shared.idle_share, 4),
        "peak_disk": _present_bytes(made) + shared.new_disk,
        "peak_memory": shared.peak_memory,
        "work_seconds": round(shared.work_seconds, 3),
        "units": [
            {
                "unit": str(each.unit),
                "worker": each.worker,
                "start": round(each.start, 3),
                "end": round(each.end, 3),
            }
            for each in shared.units
        ],
    }


def _schedule_text(made: Plan, shared: Schedule, share: WorkerShare) -> str:
    head = (
        f"with {counted(shared.workers, 'worker')} of {counted(share.threads, 'thread')} and"
        f" {format_bytes(share.memory)} each:"
    )
    if not shared.units:
        return f"{head} nothing to do"
    there = _present_bytes(made)
    disk = f"{format_bytes(there + shared.new_disk)} at the end: no table is deleted on the way"
    if there:
        disk += f"; {format_bytes(there)} of it is there already"
    return "\n".join(
        [
            f"{head} about {format_duration(shared.seconds)}"
            f" (one worker {format_duration(shared.work_seconds)}), reading and writing included",
            f"  critical path {format_duration(shared.critical_seconds)}: more workers cannot be"
            f" faster; {_path(shared.critical_path)}",
            f"  idle          {100 * shared.idle_share:.0f} % of the workers' time",
            f"  peak disk     {disk}",
            f"  peak memory   {format_bytes(shared.peak_memory)} of all workers together",
            "  estimated from two processors: twice the threads are taken to be twice as fast;"
            " disks and network are not counted",
        ]
    )


def _present_bytes(made: Plan) -> int:
    """Return the estimated size of the files that are there."""
    return sum(row.bytes for row in made.rows if row.present)


def _path(units: Sequence[Unit]) -> str:
    """Return a chain of units in words."""
    names = [str(unit) for unit in units]
    if len(names) > _MOST_OF_PATH:
        names[_MOST_OF_PATH // 2 : -_MOST_OF_PATH // 2] = ["..."]
    return f"{counted(len(units), 'unit')}: {' -> '.join(names)}"
