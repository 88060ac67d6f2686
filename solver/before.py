"""Positions from which a turn leads to a given one, in any game of the family."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from solver.errors import UsageError
from solver.laws import capture_sets, steps
from solver.position import Position

__all__ = ["lost_stones", "positions_before"]


class _Side(NamedTuple):
    """A side's stones, as a mask, and its hand."""

    stones: int
    hand: int


def positions_before(position: Position) -> Iterator[Position]:
    """Yield every possible position from which one turn leads to this one."""
    white, black = (
        _Side(position.white, position.white_hand),
        _Side(position.black, position.black_hand),
    )
    # The side that has just moved, and the one that may have lost stones by it.
    own, other = (black, white) if position.white_to_move else (white, black)
    lost = lost_stones(position)[not position.white_to_move]
    for origin, target, before in _steps_back(position, own, other.stones):
        for taken in _taken(position, before, other, origin, target, lost):
            sides = (before, _Side(other.stones | taken, other.hand))
            earlier = _with_sides(position, *sides)
            if earlier.outcome() is None and _is_possible(earlier):
                yield earlier


def lost_stones(position: Position) -> tuple[int, int]:
    """The stones that White and Black have lost, if the game began with an empty board."""
    white, black = position.rules.hands  # White is the first player
    return (
        white - position.white_hand - position.white.bit_count(),
        black - position.black_hand - position.black.bit_count(),
    )


def _steps_back(
    position: Position, own: _Side, other: int
) -> Iterator[tuple[int | None, int, _Side]]:
    """Yield every placement and move that can have led here: origin, target, and who moved."""
    rules, board = position.rules, position.rules.board
    free = board.full_mask & ~(own.stones | other)
    slides = rules.stones_move and (own.hand == 0 or rules.place_or_slide)
    flies = rules.flies(own.stones.bit_count(), own.hand)
    for target in range(board.size):
        if not own.stones >> target & 1:
            continue
        rest = own.stones & ~(1 << target)
        yield None, target, _Side(rest, own.hand + 1)
        if not slides:
            continue
        origins = free if flies else free & board.neighbours[target]
        for origin in range(board.size):
            if origins >> origin & 1:
                yield origin, target, _Side(rest | 1 << origin, own.hand)


def _taken(
    position: Position, before: _Side, other: _Side, origin: int | None, target: int, lost: int
) -> Iterator[int]:
    """Yield what a step may have taken, as masks of one or two points; 0 for nothing.

    Args:
        position: after the turn.
        before: the side that moved, before it.
        other: the other side, after it.
        origin, target: the step; `origin` None if it placed a stone.
        lost: the stones the other side has lost in the whole game.
    """
    rules = position.rules
    legal = steps(rules, before.stones, other.stones, before.hand)
    mills = next((mills for *step, mills in legal if step == [origin, target]), None)
    if mills is None:
        return
    free = rules.board.full_mask & ~(before.stones | other.stones | 1 << target)
    most = min(lost, rules.double_mill, mills)
    for taken in _sets(free, 0 if rules.mill_wins else most):
        if taken in capture_sets(rules, other.stones | taken, other.hand, mills):
            yield taken


def _sets(points: int, most: int) -> Iterator[int]:
    """Yield all sets of at most so many (0, 1 or 2) of some points, as masks."""
    single = [1 << point for point in range(points.bit_length()) if points >> point & 1]
    yield 0
    if most >= 1:
        yield from single
    if most >= 2:
        yield from (a | b for i, a in enumerate(single) for b in single[:i])


def _with_sides(position: Position, own: _Side, other: _Side) -> Position:
    """Return the position with other stones and hands, the side `own` to move."""
    white_to_move = not position.white_to_move
    white, black = (own, other) if white_to_move else (other, own)
    return Position(
        position.rules, white.stones, black.stones, white_to_move, white.hand, black.hand
    )


def _is_possible(position: Position) -> bool:
    try:
        position.validate()
    except UsageError:
        return False
    return True
