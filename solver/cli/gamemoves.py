"""What commands about games share: turns played from a position on, and draws in play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver.cli.common import Decorated, WholeNumber
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.game import Game

__all__ = ["game_options", "limit_options", "read_game"]


def limit_options(function: Decorated) -> Decorated:
    """Add ``--repetition`` and ``--quiet-limit`` as `repetition` and `quiet_limit`: int or None."""
    function = click.option(
        "--quiet-limit",
        type=WholeNumber(0),
        metavar="N",
        help="Plies without a capture that make a draw, counted once all stones are placed; 0:"
        " never. Default: as the variant has it.",
    )(function)
    return click.option(
        "--repetition",
        type=WholeNumber(0),
        metavar="N",
        help="Occurrences of a position that make a draw; 0: never. Default: as the variant has"
        " it. Tables leave both draws out; you are warned.",
    )(function)


def game_options(function: Decorated) -> Decorated:
    """Add ``--moves``, ``--repetition`` and ``--quiet-limit``, for :func:`read_game`.

    Parameters of the command: `moves` (text), `repetition` and `quiet_limit` (int or None).
    """
    return click.option(
        "--moves",
        default="",
        metavar="TURNS",
        help="Turns played from POSITION on, such as 'c3-d3 a7-d7': the question is about the"
        " position after them.",
    )(limit_options(function))


def read_game(
    rules: Rules, text: str, moves: str, repetition: int | None, quiet_limit: int | None
) -> Game:
    """Read a POSITION argument and play the turns that are given with it.

    Raises:
        UsageError: the position cannot be, a turn is not legal, or a number makes no sense.
    """
    from solver.asked import read_game as read

    return read(rules, text, moves, repetition, quiet_limit, name="--moves")
