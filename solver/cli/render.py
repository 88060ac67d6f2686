"""``morris render``: a position as a picture, or as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import (
    WholeNumber,
    databases_option,
    json_option,
    position_argument,
    variant_option,
)
from solver.cli.formats import emit_json
from solver.cli.gamemoves import read_game
from solver.cli.output import text_board, write_text
from solver.errors import UsageError
from solver.position import Position, Turn
from solver.render import render_text
from solver.rules import Rules
from solver.svg import SMALLEST, render_svg

if TYPE_CHECKING:
    from solver.tablebase import MoveResult

__all__ = ["render"]


_OTHER_PICTURES: Final = (".bmp", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".webp")
"""What the names of files end in that hold other pictures than ours."""


@click.command()
@position_argument
@variant_option
@click.option(
    "--moves",
    default="",
    metavar="TURNS",
    help="Turns played from POSITION on, such as 'c3-d3 a7-d7': the position after them is drawn,"
    " and the last of them marked.",
)
@click.option(
    "--arrow",
    "arrows",
    multiple=True,
    metavar="TURN",
    help="A turn to point at, such as a1-d1, d2 or d2xa4; it need not be legal. Can be given"
    " several times.",
)
@click.option("--values", is_flag=True, help="Show what the best move to each point is worth.")
@click.option(
    "--from", "origin", metavar="POINT", help="With --values: only the moves of the stone there."
)
@databases_option
@click.option(
    "--size",
    type=WholeNumber(SMALLEST),
    metavar="PIXELS",
    help="The width of the picture. Default: 400.",
)
@click.option("--title", metavar="TEXT", help="A title above the picture.")
@click.option("--text", "as_text", is_flag=True, help="Draw with characters, not as a picture.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file, and not to stdout.")
@json_option
def render(
    rules: Rules,
    position: str,
    moves: str,
    arrows: tuple[str, ...],
    values: bool,
    origin: str | None,
    databases: tuple[Path, ...],
    size: int | None,
    title: str | None,
    as_text: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Draw POSITION as a picture in SVG, which browsers show and documents take in.

    It shows whose turn it is, the stones in hand, the last of the --moves, arrows, and with
    --values what tables know of the moves: W9 is a win in 9 plies, = a draw, L8 a loss in 8, always
    for the side to move.

    A position is written as for 'morris query': w:Wa4,d5,d6:Ba7,b4,c4,g4 or w:W:B:H9,9.
    """
    if output is not None and not as_text and Path(output).suffix.lower() in _OTHER_PICTURES:
        raise UsageError(
            f"--output {output}: pictures are written as SVG; let the name of the file end in .svg"
        )
    if as_json and output is not None:
        raise UsageError("--json writes to stdout, so it cannot go with --output")
    # Draws by repetition or by the quiet limit are no matter here.
    game = read_game(rules, position, moves, repetition=0, quiet_limit=0)
    asked = game.position
    last_turn = game.turns_played[-1] if game.turns_played else None
    if as_text:
        if arrows or values or origin is not None or size is not None or title is not None:
            raise UsageError(
                "--text shows the board alone; leave out --arrow, --values, --from, --size and"
                " --title"
            )
        _write_text(asked, last_turn, output, as_json)
        return
    if origin is not None and not values:
        raise UsageError("--from chooses among the values of moves: it needs --values")
    marked = [_read_arrow(rules, text) for text in arrows]
    chosen = None if origin is None else _read_origin(asked, origin)
    picture = render_svg(
        asked,
        last_turn=last_turn,
        arrows=marked,
        values=_look_up(asked, databases) if values else None,
        origin=chosen,
        size=400 if size is None else size,
        title=title,
    )
    if as_json:
        emit_json({"variant": rules.name, "position": str(asked), "svg": picture})
    elif output is not None:
        write_text(output, picture, "--output")
    else:
        click.echo(picture, nl=False)


def _write_text(
    position: Position, last_turn: Turn | None, output: str | None, as_json: bool
) -> None:
    """Write the text board; with colours only where it is for a terminal."""
    if as_json:
        text = render_text(position)
        emit_json({"variant": position.rules.name, "position": str(position), "text": text})
    elif output is not None:
        write_text(output, f"{render_text(position)}\n", "--output")
    else:
        click.echo(text_board(position, last_turn))


def _read_arrow(rules: Rules, text: str) -> Turn:
    """Read a turn to point at, legal or not.

    Raises:
        UsageError: it is no turn; says which one and why.
    """
    from solver.notation import spelled_turn

    try:
        return spelled_turn(rules, text)
    except UsageError as error:
        raise UsageError(f"--arrow {text!r}: {error}") from None


def _read_origin(position: Position, text: str) -> int:
    """Read the point whose stone's moves are asked for.

    Raises:
        UsageError: it is no point, or no stone that can be moved now stands there.
    """
    from solver.notation import parse_point

    try:
        point = parse_point(position.rules.board, text.strip())
    except UsageError as error:
        raise UsageError(f"--from: {error}") from None
    mover, name = position.mover_colour, position.rules.board.points[point]
    if not position.mover_mask >> point & 1:
        raise UsageError(f"--from {name}: {mover} is to move and has no stone there")
    if position.mover_hand and not position.rules.place_or_slide:
        raise UsageError(f"--from {name}: {mover} has stones in hand and must place one")
    return point


def _look_up(position: Position, databases: tuple[Path, ...]) -> Sequence[MoveResult]:
    """Ask the tables what each move is worth."""
    from solver.tablebase import open_tablebase

    with open_tablebase(databases) as tablebase:
        return tablebase.analyse(position)[1]
