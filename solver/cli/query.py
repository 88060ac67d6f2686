"""``morris query``: who wins a position, in how many plies, and by which moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import (
    database_option,
    emit_json,
    format_table,
    json_option,
    plies,
    position_argument,
    stdout_can_show,
    variant_option,
)
from solver.cli.gamemoves import game_options, read_game
from solver.describe import describe_end
from solver.position import Position
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.tablebase import MoveResult, Result

__all__ = ["describe_sides", "describe_value", "query"]


@click.command()
@position_argument
@variant_option
@game_options
@database_option
@json_option
def query(
    rules: Rules,
    position: str,
    moves: str,
    repetition: int | None,
    quiet_limit: int | None,
    database: Path,
    as_json: bool,
) -> None:
    """Say who wins POSITION, in how many plies, and what every move leads to.

    Moves are listed best first: the quickest wins, draws, then the losses that take longest.
    Plies are counted to the end of the game if the winner hurries and the loser delays. Where
    there is only a table of win, draw and loss ('morris pack'), there are no plies.

    A position lists the side to move, the white and the black stones, and stones in hand:
    w:Wa4,d5,d6:Ba7,b4,c4,g4 or w:W:B:H9,9. A Sanmill FEN will do as well.
    """
    from solver.tablebase import open_tablebase

    game = read_game(rules, position, moves, repetition, quiet_limit)
    asked = game.position
    with open_tablebase(database) as tablebase:
        result, choices = tablebase.analyse(asked)
    warning = game.warning(result)
    if as_json:
        emit_json(
            {
                "variant": rules.name,
                "position": str(asked),
                "value": result.value,
                "dtw": result.dtw,
                "moves": [
                    {
                        "move": move.text,
                        "value": move.value,
                        "dtw": move.dtw,
                        "position": str(move.position),
                    }
                    for move in choices
                ],
                "plies_without_capture": game.plies_without_capture,
                "warning": warning,
            }
        )
        return
    click.echo(_report(asked, result, choices, warning))


def _report(
    position: Position, result: Result, moves: list[MoveResult], warning: str | None
) -> str:
    """Return the whole answer for people."""
    from solver.render import NOT_ASCII, render_text

    board = render_text(position, ascii_only=not stdout_can_show(NOT_ASCII))
    parts = [
        f"{position}\n",
        f"{board}\n",
        describe_sides(position),
        describe_value(position, result),
        *([warning] if warning else []),
    ]
    if moves:
        rows = [(m.text, m.value, "" if m.dtw is None else str(m.dtw)) for m in moves]
        parts.append("\n" + format_table(("move", "result", "plies"), rows, "llr"))
    return "\n".join(parts)


def describe_sides(position: Position) -> str:
    """Return whose turn it is, and the stones, such as ``White to move, 3 stones against 4``."""
    sector = position.sector
    stones = f"{sector.mover} stone{'' if sector.mover == 1 else 's'}"
    flying = " (flying)" if position.flying else ""
    text = f"{position.mover_colour} to move, {stones}{flying} against {sector.opponent}"
    if not sector.moving:
        text += f"; in hand {sector.mover_hand} against {sector.opponent_hand}"
    return f"{text}."


def describe_value(position: Position, result: Result) -> str:
    """Return the value from the mover's side in a sentence, such as ``White wins in 15 plies``."""
    mover = position.mover_colour
    outcome = position.outcome()
    if outcome is not None:
        text = describe_end(position, outcome)
        return f"{text[0].upper()}{text[1:]}."
    if result.value == "draw":
        return "The game is a draw with best play."
    verb = "wins" if result.value == "win" else "loses"
    if result.dtw is None:
        return f"{mover} {verb}; in how many plies, only a table of distances would tell."
    return f"{mover} {verb} in {plies(result.dtw)}."
