"""The game that a question is about: a position, and the turns played from there on."""

from __future__ import annotations

from solver.errors import UsageError
from solver.game import Game
from solver.notation import parse_position
from solver.record import parse_record
from solver.rules import Rules

__all__ = ["read_game"]


def read_game(
    rules: Rules,
    text: str,
    moves: str = "",
    repetition: int | None = None,
    quiet_limit: int | None = None,
    *,
    past_draws: bool = False,
    name: str = "moves",
) -> Game:
    """Read a position and play the turns that are given with it.

    Args:
        rules: what is played.
        text: the position.
        moves: the turns, in any form of a record.
        repetition, quiet_limit: as :class:`solver.game.Game` takes them.
        past_draws: whether turns may follow after the history has made the game a draw.
        name: what the user knows `moves` by.

    Raises:
        UsageError: the position cannot be, a turn is not legal, or a number makes no sense.
    """
    game = Game(parse_position(rules, text), repetition, quiet_limit)
    if not moves:
        return game
    try:
        played = parse_record(moves, rules, game.position).turns
    except UsageError as error:
        raise UsageError(f"{name}, {error}") from None
    for number, (turn, *_) in enumerate(played, 1):
        try:
            game.play(turn, past_draws=past_draws, checked=True)
        except UsageError as error:
            spelled = turn.text(rules.board)
            raise UsageError(f"{name}, turn {number}, {spelled!r}: {error}") from None
    return game
