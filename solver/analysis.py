"""What the turns of a game were worth, and which of them threw something away.

>>> from solver import Position, get_variant, open_tablebase
>>> from solver.record import parse_record
>>> from solver.results import words
>>> start = Position.parse(get_variant("nine"), "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
>>> record = parse_record("c3-c4 a7-d7", start=start)
>>> with open_tablebase() as tablebase:
...     first, second = analyse_game(tablebase, record)
>>> words(first.before), words(first.after), first.threw_away
('win in 9', 'draw', 'win')
>>> [move.text for move in first.better]
['c3-d3']
>>> second.threw_away is None
True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from solver.errors import MissingTableError
from solver.game import Draw, Game
from solver.position import Position, Turn
from solver.record import Record
from solver.results import WDL, MoveResult, Result, before_turn, equally_best
from solver.tablebase import Tablebase

__all__ = ["TurnReport", "analyse_game"]


class TurnReport(NamedTuple):
    """What a turn of a game was worth to the side that made it.

    Attributes:
        ply: its number in the game, from 1.
        position: where it was made.
        turn: what was played.
        before: what the position was worth; None if there is no table of it.
        after: what the turn has left of that, counted from before the turn, so that a perfect turn
            leaves all of it; None if there is no table. A turn that makes the game a draw by its
            history has left a draw.
        moves: every turn there was, best first; None if there is not a table for each.
        draw_due: why the game's history made it a draw after the turn; None if it did not.
        warning: that the win or loss takes longer than the limit of plies without a capture leaves,
            in a sentence; None if it does not.
    """

    ply: int
    position: Position
    turn: Turn
    before: Result | None
    after: Result | None
    moves: list[MoveResult] | None
    draw_due: Draw | None
    warning: str | None

    @property
    def text(self) -> str:
        """The turn in the notation of the project."""
        return self.turn.text(self.position.rules.board)

    @property
    def threw_away(self) -> Literal["win", "draw"] | None:
        """What the turn has cost: a ``win``, or a ``draw`` that is now lost; None if neither."""
        if self.before is None or self.after is None or self.before.value == "loss":
            return None
        return self.before.value if WDL[self.after.value] < WDL[self.before.value] else None

    @property
    def better(self) -> list[MoveResult]:
        """The best turns, if something was thrown away; none if it was not."""
        if self.threw_away is None or not self.moves:
            return []
        return equally_best(self.moves)


def analyse_game(
    tablebase: Tablebase,
    record: Record,
    repetition: int | None = None,
    quiet_limit: int | None = None,
) -> list[TurnReport]:
    """Judge every turn of a game by the tables.

    Where a draw is due by the game's history and yet the game goes on, the rest is judged as if
    there had been none.

    Args:
        tablebase: where the tables are; positions that have none stay without a judgement.
        record: the game.
        repetition, quiet_limit: as for :class:`solver.game.Game`.

    Returns:
        A report for each turn, in order.

    Raises:
        DamagedTableError: a table is unsound.
        UsageError: a limit makes no sense.
    """
    game = Game(record.start, repetition, quiet_limit)
    reports: list[TurnReport] = []
    drawn = False
    for ply, (turn, *_) in enumerate(record.turns, 1):
        position = game.position
        before, moves = _ask(tablebase, position)
        warned = None if drawn or before is None else game.warning(before)
        game.play(turn, past_draws=True)
        after = None
        if game.draw_due and not drawn:
            drawn, after = True, Result("draw", None)
        elif moves is not None:
            after = next(move.result for move in moves if move.turn == turn)
        elif (left := tablebase.get(game.position)) is not None:
            after = before_turn(left)
        reports.append(TurnReport(ply, position, turn, before, after, moves, game.draw_due, warned))
    return reports


def _ask(tablebase: Tablebase, position: Position) -> tuple[Result | None, list[MoveResult] | None]:
    """What a position is worth, and each turn in it, as far as there are tables."""
    try:
        return tablebase.analyse(position)
    except MissingTableError:
        return tablebase.get(position), None
