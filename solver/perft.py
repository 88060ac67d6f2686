"""Perft: count the sequences of turns of a length, the usual test of a move generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from solver.errors import UsageError
from solver.laws import capture_sets, steps
from solver.position import Position
from solver.rules import Rules

__all__ = ["MOST_DEPTH", "PerftStopped", "divide", "each_turn", "perft"]

MOST_DEPTH: Final = 100
"""No count ends at a depth like this, and every turn of a sequence is a nested call."""


class PerftStopped(Exception):
    """A count ended early because its caller wanted it to."""


def perft(position: Position, depth: int, stop: Callable[[], bool] | None = None) -> int:
    """The number of sequences of so many whole turns; shorter, finished games are not counted.

    Args:
        position: where they begin.
        depth: turns per sequence, 0 to :data:`MOST_DEPTH`.
        stop: asked every few milliseconds whether to give up.

    Raises:
        UsageError: the depth is negative or too great.
        PerftStopped: `stop` said so.
    """
    if depth < 0:
        raise UsageError(f"the depth of perft cannot be {depth}: it counts turns, 0 or more")
    _refuse_depth(depth)
    return _count(
        position.rules,
        position.mover_mask,
        position.opponent_mask,
        position.mover_hand,
        position.opponent_hand,
        depth,
        stop,
    )


def divide(position: Position, depth: int) -> dict[str, int]:
    """Perft by first turn.

    Args:
        position: where the sequences begin.
        depth: turns per sequence, the first one included; 1 to :data:`MOST_DEPTH`.

    Returns:
        Per text of a turn, in their order: the sequences that begin with it.

    Raises:
        UsageError: the depth is less than 1 or too great.
    """
    return dict(each_turn(position, depth))


def each_turn(
    position: Position, depth: int, stop: Callable[[], bool] | None = None
) -> Iterator[tuple[str, int]]:
    """Like :func:`divide`, but each turn's count is given as soon as it is known.

    Raises:
        UsageError: the depth is less than 1 or too great.
        PerftStopped: while the counts are taken, if `stop` said so; see :func:`perft`.
    """
    if depth < 1:
        raise UsageError(f"perft by turns needs a depth of 1 or more, not {depth}")
    _refuse_depth(depth)
    board = position.rules.board
    return (
        (turn.text(board), perft(position.apply(turn), depth - 1, stop))
        for turn in position.turns()
    )


def _refuse_depth(depth: int) -> None:
    if depth > MOST_DEPTH:
        raise UsageError(f"the depth of perft is at most {MOST_DEPTH}, not {depth}")


def _count(
    rules: Rules,
    own: int,
    other: int,
    own_hand: int,
    other_hand: int,
    depth: int,
    stop: Callable[[], bool] | None,
) -> int:
    """Perft on bare masks: the mover's and the opponent's stones, then their hands."""
    if depth == 0:
        return 1
    if depth > 1 and stop is not None and stop():
        raise PerftStopped
    # What a mill takes does not depend on where it is closed.
    captures: dict[int, list[int]] = {0: [0]}
    nodes = 0
    for origin, target, mills in steps(rules, own, other, own_hand):
        taken = captures.get(mills)
        if taken is None:
            taken = captures[mills] = capture_sets(rules, other, other_hand, mills)
        if depth == 1:
            nodes += len(taken)
            continue
        if origin is None:
            moved, hand = own | 1 << target, own_hand - 1
        else:
            moved, hand = own & ~(1 << origin) | 1 << target, own_hand
        for mask in taken:
            nodes += _count(rules, other & ~mask, moved, other_hand, hand, depth - 1, stop)
    return nodes
