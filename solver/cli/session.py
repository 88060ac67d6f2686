"""A game against the tables in a terminal: what is shown, and what the user may type."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from random import Random
from typing import Final, Literal

import click

from solver.cli.formats import format_result
from solver.cli.output import text_board
from solver.describe import capitalised, describe_due, describe_sides, plies
from solver.errors import MissingTableError, UsageError
from solver.escape import one_line
from solver.game import Game
from solver.levels import Level, choose_turn
from solver.notation import joined_turns
from solver.reading import quoted
from solver.record import Record, result_of
from solver.tablebase import Tablebase

__all__ = ["WORDS", "Colour", "Session"]

Colour = Literal["White", "Black"]

WORDS: Final = {
    "hint": "the best turns, and what they are worth",
    "moves": "every legal turn",
    "board": "the board again",
    "undo": "take your last turn back, with the answer to it",
    "record": "the game so far",
    "resign": "give the game up",
    "quit": "stop without a result",
    "help": "this list",
}
"""What can be typed apart from turns."""

_SOON: Final = 10
"""So many plies before the limit of those without a capture it is worth a word."""
_NUMBER: Final = re.compile(r"^\s*\d+\s*\.+")
"""The number of a turn, as records have it."""


class Session:
    """A game between the user and the program."""

    def __init__(self, tablebase: Tablebase, game: Game, yours: Colour, level: Level) -> None:
        self._tablebase = tablebase
        self._game = game
        self._yours = yours
        self._level = level
        self._resigned = False

    def run(self, chance: Random) -> None:
        """Play until the game is over or the user stops."""
        theirs = "Black" if self._yours == "White" else "White"
        click.echo(f"You are {self._yours}; the program plays {theirs}, level {self._level}.")
        click.echo("Type a turn, or help.\n")
        self._show_board()
        shown = self._game.position
        while self._game.outcome() is None:
            if self._game.position.mover_colour == self._yours:
                if not self._ask():
                    return
                continue
            move = choose_turn(self._tablebase, self._game.position, self._level, chance)
            self._game.play(move.turn)
            click.echo(f"{theirs} plays {move.text}\n")
            self._show_board()
            shown = self._game.position
        if self._game.position != shown:
            click.echo()
            self._show_board()
        end = self._game.outcome()
        assert end is not None
        click.echo(f"{capitalised(end.text)}.")
        if end.winner is not None:
            click.echo("You have won." if end.winner == self._yours else "The program has won.")

    def record(self) -> Record:
        """Return the record of the game so far."""
        tags = {
            colour: "You" if colour == self._yours else f"morris-solver, {self._level.name}"
            for colour in ("White", "Black")
        }
        record = Record.of(self._game, tags)
        if self._resigned:
            winner = "Black" if self._yours == "White" else "White"
            record = replace(record, result=result_of(winner))
        return record

    def _ask(self) -> bool:
        """Do what the user types; return whether to go on."""
        typed = _typed(f"{self._yours}> ")
        if typed is None:
            click.echo("\nThe game stops here.")
            return False
        word = typed.lower()
        if word in ("quit", "exit"):
            return False
        if word == "resign":
            self._resigned = True
            click.echo(f"You have resigned. {'Black' if self._yours == 'White' else 'White'} wins.")
            return False
        if word in WORDS:
            getattr(self, f"_{word}")()
        else:
            self._play(typed)
        return True

    def _play(self, typed: str) -> None:
        """Play a turn, or say what is wrong with it and what would be right."""
        turns = joined_turns(_NUMBER.sub("", typed).split())
        try:
            if len(turns) > 1:
                raise UsageError(f"one turn at a time, such as {quoted(turns[0])}")
            self._game.play("".join(turns))
        except UsageError as error:
            near = get_close_matches(typed.lower(), WORDS, n=1)
            if near and typed.isalpha():
                click.echo(f"Did you mean {near[0]}?")
                return
            click.echo(f"Not possible: {one_line(str(error))}.")
            click.echo(f"{describe_due(self._game.position)} help lists what else you can type.")

    # -- what can be typed ----------------------------------------------------------------------

    def _hint(self) -> None:
        try:
            best = self._tablebase.best_moves(self._game.position)
        except MissingTableError as error:
            click.echo(f"There is no hint: {error}")
            return
        result = best[0].result
        click.echo(f"{format_result(result)}: {' '.join(move.text for move in best)}")
        warning = self._game.warning(result)
        if warning:
            click.echo(warning)

    def _moves(self) -> None:
        click.echo(describe_due(self._game.position))
        board = self._game.rules.board
        texts = [turn.text(board) for turn in self._game.position.turns()]
        click.echo(click.wrap_text(" ".join(texts), width=78))

    def _board(self) -> None:
        self._show_board()

    def _undo(self) -> None:
        played = len(self._game.turns_played)
        first = 0 if self._game.positions[0].mover_colour == self._yours else 1
        if played <= first:
            click.echo("You have not played a turn that could be taken back.")
            return
        self._game.undo()
        while self._game.position.mover_colour != self._yours:
            self._game.undo()
        self._show_board()

    def _record(self) -> None:
        click.echo(str(self.record()), nl=False)

    def _help(self) -> None:
        click.echo(describe_due(self._game.position))
        width = max(map(len, WORDS))
        for word, meaning in WORDS.items():
            click.echo(f"  {word.ljust(width)}  {meaning}")

    def _show_board(self) -> None:
        game = self._game
        turns = game.turns_played
        click.echo(text_board(game.position, turns[-1] if turns else None))
        click.echo(f"\n{describe_sides(game.position)}")
        left = game.plies_left()
        if left is not None and left <= _SOON and game.outcome() is None:
            click.echo(f"After {plies(left)} more without a capture the game is a draw.")
        if game.occurrences > 1:
            click.echo(f"This position has occurred {game.occurrences} times.")


def _typed(prompt: str) -> str | None:
    """Return the next line that the user types; None at the end of input."""
    if sys.stdin is None:
        return None
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - lets `input` edit lines and remember them
        try:
            return input(prompt).strip()
        except EOFError:
            return None
    click.echo(prompt, nl=False)
    raw = sys.stdin.buffer.readline()
    if not raw:
        return None
    typed = raw.decode(errors="backslashreplace").strip()
    click.echo(one_line(typed))  # a terminal would have shown it
    return typed
