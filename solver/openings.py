"""What the first turns of a game are worth, and how soon one can lose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from solver.before import lost_stones, positions_before
from solver.index import layout
from solver.position import Position
from solver.results import Value
from solver.rules import Rules
from solver.sectors import Sector, exits, quiet, start_sector
from solver.survey import open_table
from solver.tablebase import Tablebase

__all__ = ["LosingTurn", "OpeningPly", "OpeningResult", "earliest_losing_turn", "opening_plies"]

DeadEnd = tuple[Sector, int, int]
"""A sector, a slot, and a number of plies in which no turns lead there from the start."""

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
        losing: the turns of the game up to one of this ply that loses what was not lost before;
            None if there is none.
    """

    ply: int
    results: list[OpeningResult]
    losing: list[str] | None = None

    def count(self, value: Value) -> int:
        """Return how many positions, up to symmetry, a turn of this value leads to."""
        return sum(result.positions for result in self.results if result.value == value)

    def distances(self, value: Value) -> tuple[int, int] | None:
        """Return the least and the greatest distance of turns of this value, if there are any."""
        found = [r.dtw for r in self.results if r.value == value and r.dtw is not None]
        return (min(found), max(found)) if found else None


class LosingTurn(NamedTuple):
    """The turn by which a game that was not lost before is lost as early as can be.

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
        losing = _losing_line(tablebase, lines)
        lines = _one_ply_on(lines)
        if not lines:
            break
        groups: dict[tuple[Value, int | None], list[list[str]]] = {}
        for position, line in lines.items():
            groups.setdefault(_worth(tablebase, position), []).append(line)
        results = [OpeningResult(*key, len(each), each[0]) for key, each in groups.items()]
        found.append(OpeningPly(ply, sorted(results, key=_best_first), losing))
    return found


def _worth(tablebase: Tablebase, position: Position) -> tuple[Value, int | None]:
    """Return what the turn before a position is worth to who made it."""
    value, dtw = tablebase.probe(position)
    return _opposite(value), None if dtw is None else dtw + 1


def _losing_line(tablebase: Tablebase, lines: dict[Position, list[str]]) -> list[str] | None:
    """Return a line a turn longer whose last turn loses what was not lost; as late as can be."""
    open_lines = {p: line for p, line in lines.items() if tablebase.probe(p).value != "loss"}
    lost: dict[int, list[str]] = {}
    for position, line in _one_ply_on(open_lines).items():
        value, dtw = _worth(tablebase, position)
        if value == "loss" and dtw is not None:
            lost.setdefault(dtw, line)
    return lost[max(lost)] if lost else None


def earliest_losing_turn(
    rules: Rules,
    database: str | os.PathLike[str],
    known: Iterable[OpeningPly] = (),
    plies: int = SEARCHED_PLIES,
) -> LosingTurn | None:
    """Return a turn that loses what was not lost before it, as early in the game as can be.

    Args:
        rules: the game.
        database: the folder of the tables.
        known: what :func:`opening_plies` found, if at hand.
        plies: how far to look; never further than the stones in hand would last if every turn
            placed one.

    Returns:
        The turn; None if there is none in these plies.

    Raises:
        FileNotFoundError: a table is missing.
    """
    with Tablebase(database) as tablebase:
        first = 1
        for opening in known:
            if opening.losing is not None:
                return _losing_turn(tablebase, rules, opening.losing)
            first = opening.ply + 1
        sectors = {start_sector(rules)}
        dead_ends: set[DeadEnd] = set()
        for ply in range(1, min(plies, sum(rules.hands)) + 1):
            sectors = {after for sector in sectors for after in _one_turn_on(rules, sector)}
            for sector in sorted(sectors if ply >= first else ()):
                for position in _won_positions(rules, sector, database, white=ply % 2 == 0):
                    line = _line_to(position, ply, tablebase, dead_ends)
                    if line is not None:
                        return _losing_turn(tablebase, rules, line)
    return None


def _one_turn_on(rules: Rules, sector: Sector) -> list[Sector]:
    """Return the sectors that any turn of a sector leads to."""
    twin = quiet(rules, sector)
    return [*exits(rules, sector), *([twin] if twin else [])]


def _losing_turn(tablebase: Tablebase, rules: Rules, line: list[str]) -> LosingTurn:
    """Return the last turn of a line."""
    from solver.notation import replay

    before = replay(Position.start(rules), line[:-1])
    _, dtw = _worth(tablebase, replay(before, line[-1:]))
    assert dtw is not None, "the table is one of distances"
    return LosingTurn(len(line), dtw, line, before)


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
) -> Iterator[Position]:
    """Yield every position of a table that the side to move wins."""
    with open_table(rules, sector, database) as reader:
        if not reader.header.distinct.wins:
            return
        stored, width = reader.entries(), reader.header.width
    assert width is not None, "the table is one of distances"
    numbering = layout(rules, sector)
    for slot in np.flatnonzero((stored % 2 == 1) & (stored < width.void)).tolist():
        mover, opponent = numbering.masks(slot)
        sides = (mover, opponent) if white else (opponent, mover)
        hands = (sector.mover_hand, sector.opponent_hand)
        yield Position(rules, *sides, white, *(hands if white else hands[::-1]))


def _line_to(
    position: Position, plies: int, tablebase: Tablebase, dead_ends: set[DeadEnd]
) -> list[str] | None:
    """Return turns from the start to a won position, if any lead there and the last one lost it.

    Args:
        position: after so many plies.
        plies: how many.
        tablebase: the tables.
        dead_ends: positions to which no turns lead; added to.
    """
    if _unreachable(position, plies):
        return None
    for before in positions_before(position):
        path = _path_to(before, plies - 1, dead_ends)
        if path is not None and tablebase.probe(before).value != "loss":
            return [_turn_between(*pair) for pair in pairwise([*path, position])]
    return None


def _path_to(target: Position, plies: int, dead_ends: set[DeadEnd]) -> list[Position] | None:
    """Return the positions of a game of so many plies, from the start to a position, if any."""
    if plies == 0:
        return [target] if target == Position.start(target.rules) else None
    if _unreachable(target, plies):
        return None
    sector = target.sector
    slot = layout(target.rules, sector).index(target.mover_mask, target.opponent_mask)
    if (sector, slot, plies) in dead_ends:
        return None
    for before in positions_before(target):
        path = _path_to(before, plies - 1, dead_ends)
        if path is not None:
            return [*path, target]
    dead_ends.add((sector, slot, plies))
    return None


def _turn_between(before: Position, after: Position) -> str:
    """Return the text of the turn from a position to the next one."""
    turn = next(turn for turn in before.turns() if before.apply(turn) == after)
    return turn.text(before.rules.board)


def _unreachable(position: Position, plies: int) -> bool:
    """Return whether it can be seen at once that no so many plies lead from the start."""
    hands = position.white_hand + position.black_hand
    return sum(position.rules.hands) - hands > plies or _too_many_taken(position)


def _too_many_taken(position: Position) -> bool:
    """Return whether a side that has lost nothing has too few mills for what it took."""
    rules = position.rules
    if rules.place_or_slide:  # a mill may have been opened again
        return False
    white_lost, black_lost = lost_stones(position)
    for own, own_lost, taken in (
        (position.white, white_lost, black_lost),
        (position.black, black_lost, white_lost),
    ):
        if own_lost == 0 and taken > 0:
            mills = sum(own & line == line for line in rules.board.line_masks)
            if taken > mills * rules.double_mill:
                return True
    return False


def _opposite(value: Value) -> Value:
    return "loss" if value == "win" else "win" if value == "loss" else "draw"


def _best_first(result: OpeningResult) -> tuple[int, int]:
    depth = result.dtw or 0
    return ("win", "draw", "loss").index(result.value), -depth if result.value == "loss" else depth
