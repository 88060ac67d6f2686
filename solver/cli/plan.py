"""``morris plan``: what solving takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
from solver.plan import Plan, make_plan
from solver.rules import Rules
from solver.sectors import Sector, closure, wanted_sectors

__all__ = ["plan"]


@click.command()
@variant_argument
@sector_choice(whole_game=True)
@database_option
@threads_option
@json_option
def plan(
    rules: Rules,
    sectors: Sequence[Sector],
    stones: int | None,
    moving: bool,
    everything: bool,
    database: Path,
    threads: int | None,
    as_json: bool,
) -> None:
    """Show what solving takes: the sectors in order, slots, memory, disk and time.

    Sectors that those asked for depend on are shown too. Without a choice it is the whole game.
    Slots are exact, the rest are estimates; the time is for solving, tables that are there
    included. What is too large for this machine is said at the end.
    """
    chosen = choose_sectors(rules, sectors, stones=stones, moving=moving, everything=everything)
    from solver.parallel import default_threads
    from solver.survey import unsolvable
    from solver.tablebase import Tablebase

    needed = wanted_sectors(rules) if chosen is None else closure(rules, chosen)
    with Tablebase(database) as tablebase:
        present = tablebase.present(rules, needed)
    made = make_plan(rules, needed, present=present, threads=threads or default_threads())
    why_not = unsolvable(rules, needed)
    if as_json:
        emit_json(_record(made) | ({"unsolvable": why_not} if why_not else {}))
        return
    click.echo(_text(made))
    if why_not:
        click.echo(f"not solvable here: {why_not}")


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
        "bytes": made.bytes,
        "memory": made.memory,
        "seconds": round(made.seconds, 3),
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
