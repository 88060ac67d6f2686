"""``morris line``: best play for both sides to the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    WholeNumber,
    databases_option,
    json_option,
    position_argument,
    variant_option,
)
from solver.cli.formats import emit_json, format_result, format_table
from solver.cli.gamemoves import game_options, read_game
from solver.describe import describe_sides, describe_value, plies
from solver.position import Position
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.tablebase import Line
    from solver.tablebase import Result as Value

__all__ = ["line"]


@click.command()
@position_argument
@variant_option
@click.option(
    "--plies",
    "limit",
    type=WholeNumber(0),
    metavar="N",
    help="Follow the line no further. Without it a line ends after 60 plies if it is drawn or its"
    " distance is not known, any other at the end of the game.",
)
@game_options
@databases_option
@json_option
def line(
    rules: Rules,
    position: str,
    limit: int | None,
    moves: str,
    repetition: int | None,
    quiet_limit: int | None,
    databases: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Play on from POSITION with the best move of each side.

    The winner hurries and the loser delays; of equally good moves the first by its text is
    played. A line stops as soon as a position occurs again: a drawn one, or one through tables
    that know no distances, whose moves keep the value but need not make progress. Draws by the
    rules of play do not cut it short; a warning says when they may come first.
    """
    from solver.tablebase import open_tablebase

    game = read_game(rules, position, moves, repetition, quiet_limit)
    asked = game.position
    with open_tablebase(databases) as tablebase:
        result = tablebase.probe(asked)
        best = tablebase.line(asked, limit)
    warning = game.warning(result)
    if as_json:
        from solver.facts import line_facts, move_facts

        emit_json(line_facts(asked, result, best, list(map(move_facts, best.moves)), warning))
        return
    click.echo(_report(asked, result, best, warning))


def _report(position: Position, result: Value, best: Line, warning: str | None) -> str:
    """Return the line for people."""
    from solver.tablebase import Result

    parts = [f"{position}", describe_sides(position), describe_value(position, result)]
    if warning:
        parts.append(warning)
    if best.moves:
        rows = []
        mover = position
        for number, move in enumerate(best.moves, 1):
            value = format_result(move.result)
            rows.append((str(number), mover.mover_colour, move.text, value))
            mover = move.position
        parts.append("\n" + format_table(("ply", "side", "move", "result"), rows, "rlll"))
        last = best.moves[-1].position
        if last.outcome() is not None:
            parts.append("\n" + describe_value(last, Result("loss", 0)))
        elif best.ended == "repetition":
            parts.append("\nHere a position of this line occurs again.")
    if best.ended == "limit":
        parts.append(f"\nFollowed for {plies(len(best.moves))}.")
    return "\n".join(parts)
