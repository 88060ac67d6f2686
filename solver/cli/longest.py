"""``morris longest``: the wins or losses of a sector that take longest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    WholeNumber,
    choose_sectors,
    databases_option,
    json_option,
    sectors_argument,
    threads_option,
    variant_option,
)
from solver.cli.formats import emit_json, format_count
from solver.cli.found import (
    late_progress,
    show,
    write_pictures,
)
from solver.cli.output import pictures_option
from solver.cli.signals import terminated_like_interrupted
from solver.describe import plies
from solver.errors import UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.mining.longest import Extreme
    from solver.tablebase import Line

__all__ = ["longest"]


@click.command()
@sectors_argument
@variant_option
@click.option(
    "--count",
    type=WholeNumber(1),
    default=1,
    metavar="K",
    help="The most positions of each sector to find. Default: 1.",
)
@click.option("--losses", is_flag=True, help="Find the losses that take longest, not the wins.")
@click.option("--line", "with_line", is_flag=True, help="Show best play to the end of the game.")
@pictures_option(
    "Draw each position into this folder, as longest-001.svg and so on; it is made if need be."
)
@databases_option
@threads_option
@json_option
def longest(
    rules: Rules,
    sectors: tuple[Sector, ...],
    count: int,
    losses: bool,
    with_line: bool,
    pictures: Path | None,
    databases: tuple[Path, ...],
    threads: int | None,
    as_json: bool,
) -> None:
    """Find the wins of each SECTOR that take longest, or the losses.

    The longest come first. White is always to move, and no two positions are the same up to the
    symmetries of the board.

    With --json there is one object per line: variant, sector, position, value, dtw, distinct (how
    many positions of the sector take as long, up to symmetry) and line: the turns of best play
    with --line, else null.
    """
    from solver.mining.found import check_tables
    from solver.mining.longest import find_longest
    from solver.parallel import default_threads
    from solver.tablebase import open_tablebase

    chosen = choose_sectors(rules, sectors)
    if chosen is None:
        raise UsageError("say in which sectors to look, such as 6-5; 'morris stats' lists them")
    with terminated_like_interrupted(), open_tablebase(databases) as tablebase:
        check_tables(tablebase, rules, chosen)
        with late_progress(len(chosen)) as progress:
            found = {
                sector: find_longest(
                    tablebase, rules, sector, losses=losses, count=count,
                    threads=threads or default_threads(), progress=progress,
                )
                for sector in chosen
            }  # fmt: skip
        every = [extreme for extremes in found.values() for extreme in extremes]
        lines = [tablebase.line(each.position) for each in every] if with_line else None
    if pictures is not None:
        verb = "loses" if losses else "wins"
        titles = [f"White to move {verb} in {plies(extreme.result.dtw or 0)}" for extreme in every]
        named = zip((extreme.position for extreme in every), titles, strict=True)
        write_pictures(pictures, "longest", list(named))
    if as_json:
        for number, extreme in enumerate(every):
            emit_json(_record(extreme, lines[number] if lines else None))
    else:
        for part in _report(found, losses, lines):
            click.echo(part)
    for sector in chosen:
        if not found[sector]:
            what = "lost" if losses else "won"
            click.echo(f"no position of sector {sector} is {what}", err=True)


def _record(extreme: Extreme, line: Line | None) -> dict[str, object]:
    """Return a position as JSON has it."""
    return {
        "variant": extreme.position.rules.name,
        "sector": str(extreme.position.sector),
        "position": str(extreme.position),
        "value": extreme.result.value,
        "dtw": extreme.result.dtw,
        "distinct": extreme.distinct,
        "line": None if line is None else [move.text for move in line.moves],
    }


def _report(
    found: Mapping[Sector, list[Extreme]], losses: bool, lines: list[Line] | None
) -> Iterator[str]:
    """Yield for people what was found, sector by sector."""
    number = 0
    for sector, extremes in found.items():
        if not extremes:
            continue
        what = "loss" if losses else "win"
        gap = "\n" if number else ""
        yield f"{gap}sector {sector}: the longest {what} takes {plies(extremes[0].result.dtw or 0)}"
        for extreme in extremes:
            line = lines[number] if lines else None
            number += 1
            note = f" {_how_many(extreme.distinct)}"
            shown = show(
                f"{number}.", extreme.position, extreme.result, note, board=True, line=line
            )
            yield f"\n{shown}"


def _how_many(distinct: int) -> str:
    """Return how many positions take as long, as a sentence."""
    if distinct == 1:
        return "No other position takes as long."
    return f"{format_count(distinct)} positions take as long."
