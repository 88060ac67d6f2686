"""``morris stats``: counts and deepest distances of tables, from their headers alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    choose_sectors,
    databases_option,
    json_option,
    present_sectors,
    sectors_argument,
    variant_argument,
)
from solver.cli.formats import emit_json, format_bytes, format_count, format_table
from solver.cli.output import write_text
from solver.errors import UsageError
from solver.reference import write_reference
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.tablefile import TableReader

__all__ = ["stats"]


@click.command()
@variant_argument
@sectors_argument
@databases_option
@click.option(
    "--csv", "as_csv", is_flag=True, help="Write CSV to stdout, as in databases/reference."
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Also draw the distances of a single SECTOR, as a picture in SVG.",
)
@json_option
def stats(
    rules: Rules,
    sectors: tuple[Sector, ...],
    databases: tuple[Path, ...],
    as_csv: bool,
    plot: str | None,
    as_json: bool,
) -> None:
    """Count what the tables of VARIANT hold: all of them, or those of some SECTORs in detail.

    Positions are all positions of a sector; distinct ones are those left when one is kept of
    every set of symmetric ones. Values are those of the side to move.
    """
    from solver.tablebase import open_tablebase

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other; choose one")
    chosen = choose_sectors(rules, sectors)
    if plot is not None and (chosen is None or len(chosen) > 1):
        named = "none is" if chosen is None else f"{len(chosen)} are"
        raise UsageError(f"--plot draws one sector, but {named} named; name one, such as 3-3")
    with open_tablebase(databases) as tablebase:
        readers = {
            sector: tablebase.reader(rules, sector)
            for sector in (present_sectors(rules, tablebase) if chosen is None else chosen)
        }
        small = tablebase.present(rules, readers, "wdl") if as_csv else []
        wdl_bytes = {sector: tablebase.reader(rules, sector, "wdl").size for sector in small}
    # The headers are in memory now; nothing more is read.
    if plot is not None:
        _plot(rules, readers, plot)
    if as_csv:
        write_reference(sys.stdout, readers, wdl_bytes)
        return
    if as_json:
        from solver.facts import sector_facts

        emit_json([sector_facts(rules, sector, reader) for sector, reader in readers.items()])
        return
    click.echo(_summary(readers))
    if chosen is not None:
        for sector, reader in readers.items():
            click.echo("\n" + _histogram(sector, reader))


def _plot(rules: Rules, readers: Mapping[Sector, TableReader], path: str) -> None:
    """Write the picture of the only sector."""
    from solver.histogram import render_histogram

    (reader,) = readers.values()
    write_text(path, render_histogram(rules.name, reader.header), "--plot")


def _summary(readers: Mapping[Sector, TableReader]) -> str:
    """Return a table with a row for each sector."""
    head = ("sector", "distinct", "wins", "losses", "draws", "win", "loss", "size")
    rows = []
    for sector, reader in readers.items():
        header = reader.header
        distinct = header.distinct
        rows.append(
            (
                str(sector),
                *(
                    format_count(number)
                    for number in (distinct.total, distinct.wins, distinct.losses, distinct.draws)
                ),
                _depth(header.deepest_win),
                _depth(header.deepest_loss),
                format_bytes(reader.size),
            )
        )
    return (
        format_table(head, rows, "lrrrrrrr")
        + "\n\nPositions are counted up to symmetry; win and loss are the deepest, in plies."
    )


def _histogram(sector: Sector, reader: TableReader) -> str:
    """Return a sector's positions by value and distance."""
    header = reader.header
    distinct, positions = header.distinct, header.positions
    rows = [
        (
            f"{'win' if depth % 2 else 'loss'} in {depth}",
            format_count(header.distinct_histogram[depth]),
            format_count(header.position_histogram[depth]),
        )
        for depth in sorted(header.distinct_histogram, key=lambda depth: (depth % 2 == 0, depth))
    ]
    if header.metric == "wdl":  # which tells no distances
        rows = [
            ("win", format_count(distinct.wins), format_count(positions.wins)),
            ("loss", format_count(distinct.losses), format_count(positions.losses)),
        ]
    rows.append(("draw", format_count(distinct.draws), format_count(positions.draws)))
    rows.append(("total", format_count(distinct.total), format_count(positions.total)))
    return format_table((f"sector {sector}", "distinct", "positions"), rows, "lrr")


def _depth(depth: int | None) -> str:
    return "-" if depth is None else str(depth)
