"""``morris query``: who wins a position, in how many plies, and by which moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from solver.cli.common import databases_option, json_option, position_argument, variant_option
from solver.cli.formats import emit_json, format_result, format_table
from solver.cli.gamemoves import game_options, read_game
from solver.cli.output import text_board
from solver.describe import describe_sides, describe_value
from solver.errors import MorrisError, UsageError
from solver.escape import one_line
from solver.results import equally_best
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.game import Game
    from solver.tablebase import MoveResult, Result, Tablebase

__all__ = ["query"]


@click.command()
@position_argument
@variant_option
@game_options
@databases_option
@json_option
def query(
    rules: Rules,
    position: str,
    moves: str,
    repetition: int | None,
    quiet_limit: int | None,
    databases: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Say who wins POSITION, in how many plies, and what every move leads to.

    Moves are listed best first: the quickest wins, draws, then the losses that take longest.
    Plies are counted to the end of the game if the winner hurries and the loser delays. Where
    there is only a table of win, draw and loss ('morris pack'), there are no plies.

    A position lists the side to move, the white and the black stones, and stones in hand:
    w:Wa4,d5,d6:Ba7,b4,c4,g4 or w:W:B:H9,9. A Sanmill FEN will do as well.

    If POSITION is - (a hyphen), positions are read from standard input, one a line, and each is
    answered by one line: the position, its value, the best moves and a warning if there is one,
    set apart by tabs; or, with --json, an object. A line that cannot be answered says why, and the
    exit code is then the highest of all lines.
    """
    from solver.tablebase import open_tablebase

    with open_tablebase(databases) as tablebase:
        if position == "-":
            if moves:
                raise UsageError("--moves goes with one position, not with those of standard input")
            return _answer_lines(tablebase, rules, (repetition, quiet_limit), as_json)
        answer = _ask(tablebase, read_game(rules, position, moves, repetition, quiet_limit))
    if as_json:
        emit_json(answer.record())
    else:
        click.echo(_report(answer))
    return 0


class _Answer(NamedTuple):
    """What the tables say of the position that a game has come to."""

    game: Game
    result: Result
    moves: list[MoveResult]
    warning: str | None

    def record(self) -> dict[str, object]:
        """Return it as JSON has it."""
        from solver.facts import move_facts, result_facts

        return {
            "variant": self.game.rules.name,
            "position": str(self.game.position),
            **result_facts(self.result),
            "moves": [move_facts(move) for move in self.moves],
            "plies_without_capture": self.game.plies_without_capture,
            "warning": self.warning,
        }

    def line(self) -> str:
        """Return it on one line, in columns that are set apart by tabs; the warning comes last."""
        best = " ".join(move.text for move in equally_best(self.moves))
        columns = [str(self.game.position), format_result(self.result), best]
        return "\t".join([*columns, self.warning] if self.warning else columns)


def _ask(tablebase: Tablebase, game: Game) -> _Answer:
    result, moves = tablebase.analyse(game.position)
    return _Answer(game, result, moves, game.advice(result))


def _answer_lines(
    tablebase: Tablebase, rules: Rules, limits: tuple[int | None, int | None], as_json: bool
) -> int:
    """Answer every line of standard input by one of standard output, at once.

    Returns:
        The highest of the lines' exit codes.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed; give it positions, one a line")
    code = 0
    for raw in sys.stdin.buffer:
        text = raw.decode(errors="backslashreplace").rstrip("\r\n")
        try:
            answer = _ask(tablebase, read_game(rules, text, "", *limits))
        except MorrisError as error:
            code = max(code, error.exit_code)
            if as_json:
                emit_json({"input": text, "error": str(error)})
            else:
                click.echo(f"{one_line(text)}\terror: {one_line(str(error))}")
        else:
            if as_json:
                emit_json(answer.record())
            else:
                click.echo(answer.line())
    return code


def _report(answer: _Answer) -> str:
    """Return the whole answer for people."""
    position, result, moves, warning = answer.game.position, *answer[1:]
    turns = answer.game.turns_played
    board = text_board(position, turns[-1] if turns else None)
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
