"""``morris pack``: derive tables of win, draw and loss from those of distances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    choose_sectors,
    database_option,
    json_option,
    present_sectors,
    sectors_argument,
    threads_option,
    variant_argument,
)
from solver.cli.formats import emit_json, format_bytes, format_duration, how_to_go_on
from solver.cli.signals import say_when_interrupted, terminated_like_interrupted
from solver.errors import UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.pack import PackReport
    from solver.tableheader import TableHeader

__all__ = ["pack"]


@click.command()
@variant_argument
@sectors_argument
@click.option("--wdl", is_flag=True, help="Derive tables of win, draw and loss.")
@database_option
@threads_option
@json_option
def pack(
    rules: Rules,
    sectors: tuple[Sector, ...],
    wdl: bool,
    database: Path,
    threads: int | None,
    as_json: bool,
) -> None:
    """Derive the smaller tables of win, draw and loss: of some SECTORs, or of all there are.

    Every question but that for distances can be answered from them alone, so the tables they are
    derived from may be moved away. Tables that are there and sound are kept: a run that was
    interrupted goes on where it stopped when the same command is given again.
    """
    if not wdl:
        raise UsageError("pack needs --wdl, which says what to make: tables of win, draw and loss")
    chosen = choose_sectors(rules, sectors)
    from solver.cli.progress import check_progress, say
    from solver.pack import pack_tables
    from solver.parallel import default_threads
    from solver.tablebase import Tablebase

    if chosen is None:
        with Tablebase(database) as tablebase:
            chosen = tablebase.present(rules, present_sectors(rules, tablebase), "dtw")
    finished: list[str] = []

    def wrote(header: TableHeader, size: int) -> None:
        finished.append(header.sector)
        # A small file is mostly header.
        bits = f" ({8 * size / header.slots:.3f} bits per slot)" if header.slots >= 100_000 else ""
        say(f"{header.sector}: {format_bytes(size)}{bits}")

    say_when_interrupted(lambda: how_to_go_on(_tables(len(finished))))
    with terminated_like_interrupted(), check_progress(len(chosen)) as progress:
        report = pack_tables(
            rules,
            chosen,
            database,
            threads=threads or default_threads(),
            progress=progress,
            wrote=wrote,
        )
    if as_json:
        emit_json(
            {
                "packed": [str(sector) for sector in report.packed],
                "skipped": [str(sector) for sector in report.skipped],
                "bytes": sum(report.packed.values()) + sum(report.skipped.values()),
                "seconds": round(report.seconds, 3),
            }
        )
    else:
        click.echo(_summary(report))


def _summary(report: PackReport) -> str:
    """Return what was done, in words."""
    size = format_bytes(sum(report.packed.values()) + sum(report.skipped.values()))
    kept = f", {_tables(len(report.skipped))} kept" if report.skipped else ""
    done = f"{_tables(len(report.packed))} packed{kept}; together {size}"
    return f"{done} ({format_duration(report.seconds)})"


def _tables(number: int) -> str:
    return f"{number} table{'' if number == 1 else 's'}"
