"""Values of positions and of moves, their order from best to worst, and what follows from them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from solver.position import Position, Turn

__all__ = [
    "OTHER",
    "WDL",
    "Line",
    "MoveResult",
    "Result",
    "Value",
    "before_turn",
    "best_first",
    "choose",
    "contradict",
    "equally_best",
    "other_side",
    "words",
]

Value = Literal["win", "loss", "draw"]

WDL: Final[dict[str, int]] = {"win": 1, "draw": 0, "loss": -1}
"""A value as a number."""
OTHER: Final[dict[Value, Value]] = {"win": "loss", "draw": "draw", "loss": "win"}
"""A value from the other side."""
_BEST_FIRST: Final[dict[str, int]] = {"win": 0, "draw": 1, "loss": 2}


class Result(NamedTuple):
    """The value of a position for the side to move.

    Attributes:
        value: ``win``, ``loss`` or ``draw``.
        dtw: plies to the end of the game if the winner hurries and the loser delays: odd for a
            win, even for a loss, 0 if the mover has lost already; None for a draw, and where the
            table does not tell distances.
    """

    value: Value
    dtw: int | None


class MoveResult(NamedTuple):
    """A turn and what it leads to, for the side that makes it.

    Attributes:
        turn: the turn.
        text: its notation, such as ``f2-f4xd5``.
        position: the position after it, the other side to move.
        value: what the mover gets: ``win``, ``loss`` or ``draw``.
        dtw: plies to the end of the game counted from before the turn; None for a draw, and
            where only a table of win, draw and loss is there. So the best move has the distance
            of the position it is made in.
    """

    turn: Turn
    text: str
    position: Position
    value: Value
    dtw: int | None

    @property
    def result(self) -> Result:
        """What the turn makes the position worth that it is made in."""
        return Result(self.value, self.dtw)


class Line(NamedTuple):
    """Best play by both sides.

    Attributes:
        moves: the turns in order, each from the side of who makes it.
        ended: ``loss`` if the side to move has lost at the end, ``draw`` if the board is full and
            that draws, ``repetition`` if the last position has occurred before in the line,
            ``limit`` if the line was not followed further.
    """

    moves: list[MoveResult]
    ended: Literal["loss", "draw", "repetition", "limit"]


def best_first(move: MoveResult) -> tuple[int, bool, int, str]:
    """Return what sorts moves: value, those with a distance first, distance, text."""
    depth = move.dtw or 0
    order = -depth if move.value == "loss" else depth
    return _BEST_FIRST[move.value], move.dtw is None, order, move.text


def equally_best(moves: list[MoveResult]) -> list[MoveResult]:
    """Return those of some moves that none is better than.

    Args:
        moves: best first.
    """
    return [move for move in moves if move.result == moves[0].result]


def choose(moves: list[MoveResult], result: Result) -> MoveResult | None:
    """Return the move to play in a position whose result is known; None if there are no moves.

    It is the best one; but where that is worse than the result, and the distance of another of the
    same value is not known, that one must be the better.

    Args:
        moves: best first.
        result: of the position.
    """
    best = next(iter(moves), None)
    if best is None or best.value != result.value or best.dtw is None or result.dtw is None:
        return best
    worse = best.dtw > result.dtw if result.value == "win" else best.dtw < result.dtw
    others = (move for move in moves if move.value == result.value and move.dtw is None)
    return next(others, best) if worse else best


def contradict(best: Result, result: Result) -> bool:
    """Return whether two results for one position exclude each other."""
    if best.value != result.value:
        return True
    return best.dtw is not None and result.dtw is not None and best.dtw != result.dtw


def before_turn(after: Result) -> Result:
    """Return what a turn is worth to who makes it, given what it leaves the other side with."""
    return Result(OTHER[after.value], None if after.dtw is None else after.dtw + 1)


def other_side(move: MoveResult) -> Result:
    """Return what a move leaves the other side with."""
    value = OTHER[move.value]
    return Result(value, None if move.dtw is None else move.dtw - 1)


def words(result: Result) -> str:
    """Return a result in words: ``win in 15``, ``draw``, or ``win`` if the distance is unknown."""
    return result.value if result.dtw is None else f"{result.value} in {result.dtw}"
