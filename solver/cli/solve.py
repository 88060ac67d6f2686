"""``morris solve``: make tables, and all that they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import (
    DecimalNumber,
    choose_sectors,
    database_option,
    json_option,
    sector_choice,
    threads_option,
    variant_argument,
)
from solver.cli.formats import emit_json, format_duration
from solver.cli.signals import terminated_like_interrupted
from solver.errors import UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.build import BuildReport

__all__ = ["solve"]

_MOST_NAMES: Final = 16
"""Tables that are named one by one when they are solved."""


@click.command()
@variant_argument
@sector_choice(whole_game=True)
@database_option
@threads_option
@click.option(
    "--memory",
    type=DecimalNumber(),
    metavar="GB",
    help="Most memory to use, in gigabytes; else three quarters of what is available.",
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
    memory: float | None,
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
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    chosen = choose_sectors(rules, sectors, stones=stones, moving=moving, everything=everything)
    if chosen is None:
        raise UsageError(
            "solve needs a choice: sectors such as 6-5, or --stones N (every moving sector with at"
            " most N stones on the board), or --moving (every moving sector), or --all (the whole"
            " game)"
        )
    with terminated_like_interrupted():
        report = _solve(rules, chosen, database, threads, memory, force)
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


def _solve(
    rules: Rules,
    sectors: Sequence[Sector],
    database: Path,
    threads: int | None,
    memory: float | None,
    force: bool,
) -> BuildReport:
    """Make the tables and show how that goes."""
    # The solver takes a moment to load, which help and wrong usage need not wait for.
    from solver.build import build
    from solver.cli.progress import build_progress
    from solver.parallel import default_threads

    threads = threads or default_threads()
    with build_progress(rules, threads) as progress:
        try:
            return build(
                rules,
                sectors,
                database,
                threads=threads,
                # No more than any machine has: a number of gigabytes may be too big for bytes.
                memory_bytes=None if memory is None else int(min(memory, 1e9) * 1e9),
                force=force,
                progress=progress,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_how_to_go_on(progress.tables, force)) from None


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


def _how_to_go_on(tables: int, force: bool) -> str:
    finished = f"{_tables(tables)} finished" if tables else "no table finished"
    if force:
        return f"interrupted; {finished}; the others are as they were"
    return f"interrupted; {finished}; to go on from there, give the same command again"


def _tables(number: int) -> str:
    return f"{number} table{'' if number == 1 else 's'}"
