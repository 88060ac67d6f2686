"""``morris export``: a sector's positions and their values as one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    WholeNumber,
    databases_option,
    json_option,
    threads_option,
    variant_option,
)
from solver.cli.formats import counted, emit_json, format_bytes, format_duration
from solver.cli.signals import terminated_like_interrupted
from solver.errors import UsageError
from solver.escape import one_line
from solver.rules import Rules
from solver.sectors import Sector, check_sector, parse_sector

if TYPE_CHECKING:
    from solver.export import ExportReport

__all__ = ["export"]


@click.command()
@click.argument("sector", metavar="SECTOR", callback=lambda _, __, text: parse_sector(text))
@click.option(
    "--format",
    "file_format",
    metavar="npy|parquet",
    help="The kind of file; parquet needs the package pyarrow. Default: as the name of the file"
    " ends, else npy.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write; else named after variant and sector, such as nine-6-5.npy.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option(
    "--sample",
    type=WholeNumber(1),
    metavar="N",
    help="Only N positions, drawn at random, none twice.",
)
@click.option(
    "--seed",
    type=WholeNumber(0),
    metavar="S",
    help="For --sample: another number draws others. Default: 0.",
)
@variant_option
@databases_option
@threads_option
@json_option
def export(
    rules: Rules,
    sector: Sector,
    file_format: str | None,
    output: str | None,
    force: bool,
    sample: int | None,
    seed: int | None,
    databases: tuple[Path, ...],
    threads: int | None,
    as_json: bool,
) -> None:
    """Write all positions of SECTOR and their values to a file, one of each set of symmetric ones.

    \b
    column    type   meaning
    mover     int32  stones of the side to move: bit i stands for the board's
                     i-th point, row by row from the top left
    opponent  int32  stones of the other side, the same way
    dtw       int16  plies to the end under best play: odd for a win, even for
                     a loss; -1 for a draw, or if the table does not tell
    wdl       int8   1 the mover wins, 0 draw, -1 the mover loses
    weight    int8   positions that the row stands for, symmetric ones included

    An npy file is one structured array: numpy.load(FILE, mmap_mode="r")["dtw"].
    A Parquet file also has mover_hand and opponent_hand, the same in all rows.
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    check_sector(rules, sector)
    if seed is not None and sample is None:
        raise UsageError("--seed is for --sample, which is not there")
    with terminated_like_interrupted():
        report, seconds = _export(
            rules, sector, file_format, output, force, sample, seed or 0, databases, threads
        )
    if as_json:
        emit_json({"file": str(report.path), "bytes": report.bytes, **report.record})
    else:
        rows, size = int(str(report.record["rows"])), format_bytes(report.bytes)
        text = f"{report.path}: {counted(rows, 'position')}, {size} ({format_duration(seconds)})"
        click.echo(one_line(text))


def _export(
    rules: Rules,
    sector: Sector,
    file_format: str | None,
    output: str | None,
    force: bool,
    sample: int | None,
    seed: int,
    databases: tuple[Path, ...],
    threads: int | None,
) -> tuple[ExportReport, float]:
    """Write the file and show how that goes; return how long it took as well."""
    import time

    from solver.cli.progress import check_progress, say
    from solver.export import export_sector, plan_export, refuse_path
    from solver.exportfiles import FORMATS, check_format
    from solver.parallel import default_threads
    from solver.tablebase import open_tablebase

    if output is not None and output in ("", "-"):
        raise UsageError("--output needs the name of a file")
    ending = Path(output or "").suffix.lower().removeprefix(".")
    file_format = file_format or (ending if ending in FORMATS else "npy")
    check_format(file_format)
    if ending in FORMATS and ending != file_format:
        raise UsageError(f"--output {output} has the name of another format than {file_format}")
    path = Path(output or f"{rules.name.replace(' -r ', '-')}-{sector}.{file_format}")
    refuse_path(path, force=force)
    started = time.perf_counter()
    with open_tablebase(databases) as tablebase:
        plan = plan_export(tablebase.header(rules, sector), file_format, sample)
        about = "" if file_format == "npy" else "about "
        say(f"writing {counted(plan.rows, 'position')}, {about}{format_bytes(plan.bytes)}")
        with check_progress(1) as progress:
            report = export_sector(
                tablebase,
                rules,
                sector,
                path,
                file_format,
                sample=sample,
                seed=seed,
                force=force,
                threads=threads or default_threads(),
                progress=progress,
            )
    return report, time.perf_counter() - started
