"""``morris play``: a game against the tables, in the terminal."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Literal

import click

from solver.cli.common import WholeNumber, databases_option, variant_option
from solver.cli.gamemoves import limit_options
from solver.cli.output import write_text
from solver.errors import MorrisError, UsageError
from solver.rules import Rules

__all__ = ["play"]


@click.command()
@variant_option
@click.option(
    "--side",
    type=click.Choice(["white", "black", "random"]),
    default="white",
    help="Your colour; White begins. Default: white.",
)
@click.option(
    "--level",
    type=click.Choice(["perfect", "hard", "normal", "easy"]),
    default="normal",
    help="How well the program plays: a perfect player never errs, hard plays something else than"
    " the best in 1 of 20 turns, normal in 1 of 5, easy in 1 of 2. Default: normal.",
)
@click.option(
    "--position", metavar="POSITION", help="Begin with this position, and not with the empty board."
)
@click.option("--seed", type=WholeNumber(0), metavar="N", help="Play the same way again.")
@click.option(
    "--save", metavar="FILE", help="Write the record of the game to a file when it has ended."
)
@limit_options
@databases_option
def play(
    rules: Rules,
    side: str,
    level: str,
    position: str | None,
    seed: int | None,
    save: str | None,
    repetition: int | None,
    quiet_limit: int | None,
    databases: tuple[Path, ...],
) -> None:
    """Play a game against the tables.

    Type turns as they are written everywhere: d6 places a stone, a1-a4 moves one, a1-a4xb2 takes
    one as well. 'help' lists what else you can type. The game is drawn by repetition, or after
    many plies without a capture, as the rules of the variant say.

    The program needs the tables of the position that you begin with, and of all that follows it. A
    whole game of the small variants is solved in seconds: 'morris solve three --all', then 'morris
    play --variant three'.
    """
    from solver.cli.session import Session
    from solver.game import Game
    from solver.levels import LEVELS
    from solver.notation import parse_position
    from solver.position import Position
    from solver.tablebase import open_tablebase

    chance = Random(seed)
    start = Position.start(rules) if position is None else parse_position(rules, position)
    yours: Literal["White", "Black"] = "White" if side == "white" else "Black"
    if side == "random":
        yours = chance.choice(("White", "Black"))
    if save is not None and os.path.lexists(save):
        raise UsageError(f"--save: {save} is there already; choose another name")
    with open_tablebase(databases) as tablebase:
        tablebase.probe(start)  # better now than after the first turn
        session = Session(tablebase, Game(start, repetition, quiet_limit), yours, LEVELS[level])
        try:
            session.run(chance)
        finally:  # also where the user interrupts it
            if save is not None:
                _save(save, str(session.record()))


def _save(path: str, record: str) -> None:
    """Write the record of a game; show it if that fails, so that it is not lost."""
    try:
        write_text(path, record, "--save")
    except MorrisError:
        click.echo(record, nl=False)
        raise
