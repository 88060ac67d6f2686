"""Opponents to play against: perfect ones, and weaker ones that err now and then.

A level errs at a stated rate: so often, on average, it plays a turn that is not one of the best,
any of those at random. Otherwise it plays the best there is. Of drawn turns, which are all the same
to the tables, it plays one that is hard to answer: after which most of the other side's turns lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Final

from solver.errors import MissingTableError
from solver.position import Position
from solver.results import MoveResult, equally_best
from solver.tablebase import Tablebase

__all__ = ["LEVELS", "Level", "choose_turn"]


@dataclass(frozen=True)
class Level:
    """How well an opponent plays.

    Attributes:
        name: what it is called.
        error_rate: how often it does not play one of the best turns where there is another.
    """

    name: str
    error_rate: Fraction

    def __str__(self) -> str:
        if not self.error_rate:
            return f"{self.name} (it never errs)"
        rate = self.error_rate
        return f"{self.name} (it errs in {rate.numerator} of {rate.denominator} turns)"


LEVELS: Final = {
    level.name: level
    for level in (
        Level("perfect", Fraction(0)),
        Level("hard", Fraction(1, 20)),
        Level("normal", Fraction(1, 5)),
        Level("easy", Fraction(1, 2)),
    )
}
"""Every level by its name, the strongest first."""


def choose_turn(
    tablebase: Tablebase, position: Position, level: Level, chance: Random
) -> MoveResult:
    """Choose the turn that an opponent plays.

    Args:
        tablebase: with the tables of the position and of what follows it.
        position: one in which the game is not over.
        level: how well to play.
        chance: where what is left to chance comes from.

    Raises:
        MissingTableError: a table is not there.
        DamagedTableError: a table is unsound.
    """
    _, moves = tablebase.analyse(position)
    best = equally_best(moves)
    worse = moves[len(best) :]
    if worse and chance.random() < level.error_rate:
        return chance.choice(worse)
    if best[0].value == "draw" and len(best) > 1:
        best = _hardest_to_answer(tablebase, best)
    return chance.choice(best)


def _hardest_to_answer(tablebase: Tablebase, moves: Sequence[MoveResult]) -> list[MoveResult]:
    """Return those of some drawn turns after which the largest part of the answers lose.

    Symmetric positions are looked at once: on the empty board that spares most of the work.
    """
    known: dict[tuple[int, int], float] = {}
    shares = []
    for move in moves:
        position = move.position
        key = min(
            (image.mover_mask, image.opponent_mask)
            for image in map(position.transform, position.rules.board.automorphisms)
        )
        if key not in known:
            known[key] = _losing_share(tablebase, position)
        shares.append(known[key])
    most = max(shares)
    return [move for move, share in zip(moves, shares, strict=True) if share == most]


def _losing_share(tablebase: Tablebase, position: Position) -> float:
    """Return the part of a position's turns that lose; 0 if there is no telling."""
    try:
        answers = tablebase.moves(position)
    except MissingTableError:
        return 0
    return sum(answer.value == "loss" for answer in answers) / max(1, len(answers))
