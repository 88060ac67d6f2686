"""What the first turns of a game are worth, and how soon one can lose. While placing only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from solver.index import layout
from solver.position import Position, capture_sets
from solver.results import Value
from solver.rules import Rules
from solver.sectors import Sector, exits, start_sector
from solver.survey import open_table
from solver.tablebase import Tablebase
from solver.tableheader import MAX_DEPTH

__all__ = ["LosingTurn", "OpeningPly", "OpeningResult", "earliest_losing_turn", "opening_plies"]

SHOWN_PLIES: Final = 3
"""Plies whose every turn is valued."""
SEARCHED_PLIES: Final = 10
"""Plies in which a losing turn is looked for."""


class OpeningResult(NamedTuple):
    """Turns of one ply that are worth the same to who makes them.

    Attributes:
        value: ``win``, ``draw`` or ``loss``.
        dtw: plies to the end counted from before the turn; None for a draw.
        positions: how many different ones there are after such turns, up to symmetry.
        example: the turns of the game up to one of them.
    """

    value: Value
    dtw: int | None
    positions: int
    example: list[str]


@dataclass(frozen=True)
class OpeningPly:
    """All turns of one ply.

    Attributes:
        ply: its number, 1 for the first turn of the game.
        results: by value and distance, best first.
    """

    ply: int
    results: list[OpeningResult]

    def count(self, value: Value) -> int:
        """Return how many positions, up to symmetry, a turn of this value leads to."""
        return sum(result.positions for result in self.results if result.value == value)

    def distances(self, value: Value) -> tuple[int, int] | None:
        """Return the least and the greatest distance of turns of this value, if there are any."""
        found = [r.dtw for r in self.results if r.value == value and r.dtw is not None]
        return (min(found), max(found)) if found else None


class LosingTurn(NamedTuple):
    """The turn by which a game is lost as early as can be.

    Attributes:
        ply: its number.
        dtw: plies from before it until the game is lost.
        line: the turns of the game up to it, itself the last.
        position: before it.
    """

    ply: int
    dtw: int
    line: list[str]
    position: Position


def opening_plies(rules: Rules, tablebase: Tablebase, plies: int = SHOWN_PLIES) -> list[OpeningPly]:
    """Return what every turn of the first plies is worth, as long as a game can last.

    Raises:
        MissingTableError: a table is missing.
    """
    lines: dict[Position, list[str]] = {Position.start(rules): []}
    found = []
    for ply in range(1, plies + 1):
        lines = _one_ply_on(lines)
        if not lines:
            break
        groups: dict[tuple[Value, int | None], list[list[str]]] = {}
        for position, line in lines.items():
            value, dtw = tablebase.probe(position)
            result = _opposite(value), None if dtw is None else dtw + 1
            groups.setdefault(result, []).append(line)
        results = [OpeningResult(*key, len(each), each[0]) for key, each in groups.items()]
        found.append(OpeningPly(ply, sorted(results, key=_best_first)))
    return found


def earliest_losing_turn(
    rules: Rules,
    database: str | os.PathLike[str],
    known: Iterable[OpeningPly] = (),
    plies: int = SEARCHED_PLIES,
) -> LosingTurn | None:
    """Return a turn that loses, as early in the game as can be.

    Args:
        rules: the game.
        database: the folder of the tables.
        known: what :func:`opening_plies` found, if at hand.
        plies: how far to look; never further than to the last stone placed.

    Returns:
        The turn; None if there is none in these plies.

    Raises:
        FileNotFoundError: a table is missing.
    """
    first = 1
    for opening in known:
        for result in opening.results:
            if result.value == "loss" and result.dtw is not None:
                return _losing_turn(rules, result.dtw, result.example)
        first = opening.ply + 1
    sectors = {start_sector(rules)}
    dead_ends: set[tuple[Sector, int]] = set()
    for ply in range(1, min(plies, 2 * rules.stones) + 1):
        sectors = {after for sector in sectors for after in exits(rules, sector)}
        if ply < first:
            continue
        for sector in sorted(sectors):
            for position, dtw in _won_positions(rules, sector, database, white=ply % 2 == 0):
                line = _line_to(position, ply, dead_ends)
                if line is not None:
                    return _losing_turn(rules, dtw + 1, line)
    return None


def _losing_turn(rules: Rules, dtw: int, line: list[str]) -> LosingTurn:
    from solver.notation import replay

    return LosingTurn(len(line), dtw, line, replay(Position.start(rules), line[:-1]))


def _one_ply_on(lines: dict[Position, list[str]]) -> dict[Position, list[str]]:
    """Return one of every set of symmetric positions a turn later, with turns that lead there."""
    found: dict[Position, list[str]] = {}
    for position, line in lines.items():
        for turn in position.turns():
            after = position.apply(turn)
            found.setdefault(_canonical(after), [*line, turn.text(position.rules.board)])
    # The canonical image need not be the one that the line leads to; their values are the same.
    return {_replayed(key.rules, line): line for key, line in found.items()}


def _replayed(rules: Rules, line: list[str]) -> Position:
    from solver.notation import replay

    return replay(Position.start(rules), line)


def _canonical(position: Position) -> Position:
    """Return the image of a position that comes first."""
    return min(
        (position.transform(p) for p in position.rules.board.automorphisms),
        key=lambda image: (image.white, image.black),
    )


def _won_positions(
    rules: Rules, sector: Sector, database: str | os.PathLike[str], *, white: bool
) -> Iterator[tuple[Position, int]]:
    """Yield every position of a table that the side to move wins, and the distance."""
    with open_table(rules, sector, database) as reader:
        if not reader.header.distinct.wins:
            return
        stored = np.empty(reader.header.payload_bytes, dtype=np.uint8)
        reader.read_into(stored)
    numbering = layout(rules, sector)
    for slot in np.flatnonzero((stored % 2 == 1) & (stored <= MAX_DEPTH)).tolist():
        mover, opponent = numbering.masks(slot)
        sides = (mover, opponent) if white else (opponent, mover)
        hands = (sector.mover_hand, sector.opponent_hand)
        position = Position(rules, *sides, white, *(hands if white else hands[::-1]))
        yield position, int(stored[slot])


def _line_to(
    position: Position, plies: int, dead_ends: set[tuple[Sector, int]]
) -> list[str] | None:
    """Return turns that lead from the start to a placing position, if any do.

    Args:
        position: after so many plies.
        plies: how many.
        dead_ends: sectors and slots of positions to which no turns lead; added to.
    """

    def search(target: Position, left: int) -> list[Position] | None:
        if left == 0:
            return [target] if target == Position.start(target.rules) else None
        if _too_many_taken(target):
            return None
        sector = target.sector
        slot = layout(target.rules, sector).index(target.mover_mask, target.opponent_mask)
        if (sector, slot) in dead_ends:
            return None
        for before in _placed_before(target):
            path = search(before, left - 1)
            if path is not None:
                return [*path, target]
        dead_ends.add((sector, slot))
        return None

    path = search(position, plies)
    if path is None:
        return None
    line = []
    for before, after in pairwise(path):
        turn = next(turn for turn in before.turns() if before.apply(turn) == after)
        line.append(turn.text(position.rules.board))
    return line


def _too_many_taken(position: Position) -> bool:
    """Return whether a side that has lost nothing has too few mills for what it took."""
    rules = position.rules
    white_lost = rules.stones - position.white_hand - position.white.bit_count()
    black_lost = rules.stones - position.black_hand - position.black.bit_count()
    for own, own_lost, taken in (
        (position.white, white_lost, black_lost),
        (position.black, black_lost, white_lost),
    ):
        if own_lost == 0 and taken > 0:
            mills = sum(own & line == line for line in rules.board.line_masks)
            if taken > mills * rules.double_mill:
                return True
    return False


def _placed_before(position: Position) -> Iterator[Position]:
    """Yield every position from which placing a stone, maybe with captures, leads to this one."""
    rules, board = position.rules, position.rules.board
    own, other = position.opponent_mask, position.mover_mask
    own_hand, other_hand = position.opponent_hand + 1, position.mover_hand
    if own_hand > rules.stones:
        return
    lost = rules.stones - other_hand - other.bit_count()
    free = board.full_mask & ~(own | other)
    for point in range(board.size):
        if not own >> point & 1:
            continue
        rest = own & ~(1 << point)
        mills = sum(rest & line == line for line in board.lines_through[point])
        for taken in _taken(free, min(lost, rules.double_mill) if mills else 0):
            if taken not in capture_sets(rules, other | taken, other_hand, mills):
                continue
            white = not position.white_to_move
            sides = (rest, other | taken) if white else (other | taken, rest)
            hands = (own_hand, other_hand) if white else (other_hand, own_hand)
            before = Position(rules, *sides, white, *hands)
            if before.outcome() is None:
                yield before


def _taken(free: int, most: int) -> Iterator[int]:
    """Yield all sets of at most so many (0, 1 or 2) free points, as masks."""
    points = [1 << point for point in range(free.bit_length()) if free >> point & 1]
    yield 0
    if most >= 1:
        yield from points
    if most >= 2:
        yield from (a | b for i, a in enumerate(points) for b in points[:i])


def _opposite(value: Value) -> Value:
    return "loss" if value == "win" else "win" if value == "loss" else "draw"


def _best_first(result: OpeningResult) -> tuple[int, int]:
    depth = result.dtw or 0
    return ("win", "draw", "loss").index(result.value), -depth if result.value == "loss" else depth
