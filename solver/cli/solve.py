"""``morris solve``: make tables, and all that they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from solver.cli.common import (
    choose_sectors,
    database_option,
    json_option,
    sector_choice,
    threads_option,
    variant_argument,
)
from solver.cli.formats import emit_json, format_duration, how_to_go_on
from solver.cli.signals import say_when_interrupted, terminated_like_interrupted
from solver.cli.workers import memory_bytes, memory_option, worker_share, workers_option
from solver.errors import UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.buildprogress import BuildProgress, BuildReport

__all__ = ["solve"]

_MOST_NAMES: Final = 16
"""Tables that are named one by one when they are solved."""


@click.command()
@variant_argument
@sector_choice(whole_game=True)
@database_option
@threads_option
@memory_option
@workers_option
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Have the workers of a Dask cluster solve, which all see the folder of the tables under"
    " the same path; such as tcp://10.0.0.1:8786.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Make the tables asked for anew even if they are there (not what they depend on).",
)
@json_option
def solve(
    rules: Rules,
    sectors: Sequence[Sector],
    stones: int | None,
    moving: bool,
    everything: bool,
    database: Path,
    threads: int | None,
    memory_limit: float | None,
    workers: int | None,
    scheduler: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Make tables, and all that they depend on.

    Tables that are finished are kept and skipped: a run that was interrupted goes on where it
    stopped when the same command is given again.

    \b
    morris solve nine --stones 8     all endgames with at most eight stones
    morris solve nine 6-5            the sector 6-5 and all that it leads to
    morris solve nine --moving       the whole moving phase
    morris solve nine --all          the whole game

    With --workers several processes of this machine solve units side by side; with --scheduler
    the workers of a Dask cluster do, each with its own threads and memory. (Either needs the extra
    'cluster'.) The tables are the same.
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    chosen = choose_sectors(rules, sectors, stones=stones, moving=moving, everything=everything)
    if chosen is None:
        raise UsageError(
            "solve needs a choice: sectors such as 6-5, or --stones N (every moving sector with at"
            " most N stones on the board), or --moving (every moving sector), or --all (the whole"
            " game)"
        )
    task = _Task(rules, chosen, database, force)
    with terminated_like_interrupted():
        if workers is None and scheduler is None:
            report = _solve_here(task, threads, memory_limit)
        else:
            report = _solve_on_cluster(task, threads, memory_limit, workers, scheduler)
    if as_json:
        emit_json(
            {
                "solved": [str(sector) for sector in report.solved],
                "skipped": [str(sector) for sector in report.skipped],
                "seconds": round(report.seconds, 3),
            }
        )
    else:
        click.echo(_summary(report))


class _Task(NamedTuple):
    """What to make, and where."""

    rules: Rules
    sectors: Sequence[Sector]
    database: Path
    force: bool


def _solve_here(task: _Task, threads: int | None, memory_limit: float | None) -> BuildReport:
    """Make the tables in this process and show how that goes."""
    # The solver takes a moment to load, which help and wrong usage need not wait for.
    from solver.build import build
    from solver.parallel import default_threads

    threads = threads or default_threads()
    with _shown(task, threads) as progress:
        return build(
            task.rules,
            task.sectors,
            task.database,
            threads=threads,
            memory_bytes=None if memory_limit is None else memory_bytes(memory_limit),
            force=task.force,
            progress=progress,
        )


def _solve_on_cluster(
    task: _Task,
    threads: int | None,
    memory_limit: float | None,
    workers: int | None,
    scheduler: str | None,
) -> BuildReport:
    """Make the tables by several workers and show how that goes."""
    if workers is not None and scheduler is not None:
        raise UsageError(
            "--workers starts workers on this machine, and --scheduler uses those of a cluster:"
            " give one of them"
        )
    if scheduler is not None and threads is not None:
        raise UsageError(
            "with --scheduler each worker has the threads it was started with: leave out --threads"
        )
    from solver.cluster.places import AtAddress, Place, StartedHere, import_dask

    import_dask()
    from solver.cluster.batch import build_on_cluster

    limit = None if memory_limit is None else memory_bytes(memory_limit)
    place: Place
    if scheduler is not None:
        place = AtAddress(scheduler)
    else:
        share = worker_share(workers or 1, threads, memory_limit)
        place = StartedHere(workers or 1, share.threads, share.memory)
    with _shown(task) as progress:
        return build_on_cluster(
            task.rules,
            task.sectors,
            task.database,
            place,
            memory_bytes=limit,
            force=task.force,
            progress=progress,
        )


@contextmanager
def _shown(task: _Task, threads: int = 1) -> Iterator[BuildProgress]:
    """Show how solving goes, and say how to go on if it is interrupted."""
    from solver.cli.progress import build_progress

    with build_progress(task.rules, threads) as progress:
        say_when_interrupted(lambda: _interrupted(progress.tables, task.force))
        yield progress


def _summary(report: BuildReport) -> str:
    """Return what was done, in words."""
    parts = []
    if report.solved:
        parts.append(f"solved {_tables(len(report.solved))}: {_names(report.solved)}")
    if report.skipped:
        parts.append(f"{_tables(len(report.skipped))} were there already")
    text = "; ".join(parts).replace("1 table were", "1 table was")
    return f"{text} ({format_duration(report.seconds)})"


def _names(sectors: Sequence[Sector]) -> str:
    """Return the names of sectors on one line; of many only the first and the last ones."""
    names = [str(sector) for sector in sectors]
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES // 2 : -_MOST_NAMES // 2] = ["..."]
    return " ".join(names)


def _interrupted(tables: int, force: bool) -> str:
    finished = _tables(tables) if tables else "no table"
    if force:
        return f"interrupted; {finished} finished; the others are as they were"
    return how_to_go_on(finished)


def _tables(number: int) -> str:
    return f"{number} table{'' if number == 1 else 's'}"
