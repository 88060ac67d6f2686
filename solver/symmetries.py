"""The symmetries of a position, each by what it does to the board."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from solver.boards import Board
from solver.position import Position
from solver.render import places

__all__ = ["Symmetry", "images", "symmetries"]

Place = tuple[int, int]
"""Files to the right and ranks below the middle, both doubled, so that they are whole."""


class Symmetry(NamedTuple):
    """A symmetry of a board, done in this order: mirrored, turned, rings swapped.

    Attributes:
        permutation: where each point goes.
        quarter_turns: 0 to 3, clockwise.
        mirrored: whether left and right are exchanged.
        swapped: whether the inner and the outer ring are exchanged.
    """

    permutation: tuple[int, ...]
    quarter_turns: int
    mirrored: bool
    swapped: bool


def images(position: Position) -> Iterator[tuple[Symmetry, Position]]:
    """Every symmetry of a position's board with the image of the position, the identity first.

    Images of a position that is symmetric itself are not all different.
    """
    for symmetry in symmetries(position.rules.board):
        yield symmetry, position.transform(symmetry.permutation)


@cache
def symmetries(board: Board) -> tuple[Symmetry, ...]:
    """Every automorphism of a board, by what it does to the picture of it.

    Raises:
        AssertionError: the board has a symmetry that is none of these.
    """
    at = _centred(board)
    where = {place: point for point, place in enumerate(at)}
    outermost = max(map(_ring, at))
    found: dict[tuple[int, ...], Symmetry] = {}
    for swapped, mirrored, turns in product((False, True), (False, True), range(4)):
        moved = [
            _exchange(_turn((-x if mirrored else x, y), turns), outermost if swapped else None)
            for x, y in at
        ]
        if set(moved) <= where.keys():
            permutation = tuple(where[place] for place in moved)
            # Where there is but one ring, exchanging it is nothing.
            found.setdefault(permutation, Symmetry(permutation, turns, mirrored, swapped))
    legal = set(board.automorphisms)
    if not legal <= found.keys():
        raise AssertionError(board.name)
    return tuple(symmetry for permutation, symmetry in found.items() if permutation in legal)


def _centred(board: Board) -> list[Place]:
    """Where the points are, seen from the middle of the board."""
    grid = places(board)
    across, down = max(x for x, _ in grid), max(y for _, y in grid)
    return [(2 * x - across, 2 * y - down) for x, y in grid]


def _ring(place: Place) -> int:
    """How far out a place is."""
    return max(map(abs, place))


def _turn(place: Place, quarters: int) -> Place:
    """A place after some quarter turns clockwise."""
    for _ in range(quarters):
        place = (-place[1], place[0])
    return place


def _exchange(place: Place, outermost: int | None) -> Place:
    """A place after exchanging inner and outer rings; the same if there is no outermost one."""
    ring = _ring(place)
    if outermost is None or not ring:
        return place
    other = outermost + 2 - ring  # the innermost ring is 2 from the middle
    return place[0] * other // ring, place[1] * other // ring
