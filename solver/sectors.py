"""Sectors, the units that are solved together, and the order to solve them in. Counts alone.

A sector is what a position's stone counts say, the mover first: ``u-t`` while moving and
``u-t+hu-ht`` with hands. Quiet moves join the two moving sectors ``u-t`` and ``t-u`` into a unit;
captures and placements leave a unit, always for one with fewer stones (board and hand together)
or fewer in hand, so the sectors form a directed graph without cycles. Where a turn may place *or*
move a stone, ``u-t+hu-ht`` and ``t-u+ht-hu`` are such a unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from math import comb
from typing import Final, NamedTuple

from solver.boards import Board
from solver.errors import UsageError
from solver.reading import quoted
from solver.rules import Rules

__all__ = [
    "MOST_SLOTS_OF_BLOCK",
    "Sector",
    "Unit",
    "after_turn",
    "block_slots",
    "check_sector",
    "closure",
    "dependencies",
    "exits",
    "hands_fit",
    "known_sectors",
    "major_first",
    "major_is_mover",
    "most_stones",
    "moves_on_board",
    "moving_sectors",
    "orbit_count",
    "parse_sector",
    "position_count",
    "quiet",
    "sectors_up_to",
    "slots",
    "solving_order",
    "start_sector",
    "unit_of",
    "wanted_sectors",
]


MOST_SLOTS_OF_BLOCK: Final = 65535
"""The most slots that share a major set in a sector the solver takes: ranks have 16 bits."""


class Sector(NamedTuple):
    """Stone counts of a position, the side to move first.

    Attributes:
        mover: stones on the board of the side to move.
        opponent: stones on the board of the other side.
        mover_hand: stones the side to move has yet to place.
        opponent_hand: stones the other side has yet to place.
    """

    mover: int
    opponent: int
    mover_hand: int = 0
    opponent_hand: int = 0

    def __str__(self) -> str:
        text = f"{self.mover}-{self.opponent}"
        return text if self.moving else f"{text}+{self.mover_hand}-{self.opponent_hand}"

    @property
    def moving(self) -> bool:
        """Whether both hands are empty."""
        return not (self.mover_hand or self.opponent_hand)

    @property
    def stones(self) -> int:
        """The stones on the board, of both sides."""
        return self.mover + self.opponent

    @property
    def mover_total(self) -> int:
        """The mover's stones, on the board and in hand."""
        return self.mover + self.mover_hand

    @property
    def opponent_total(self) -> int:
        """The opponent's stones, on the board and in hand."""
        return self.opponent + self.opponent_hand


class Unit(NamedTuple):
    """Sectors that must be solved together: ``u-t`` with ``t-u``, or a single one.

    Attributes:
        sectors: one or two sectors; the first is the one whose mover has more stones.
    """

    sectors: tuple[Sector, ...]

    def __str__(self) -> str:
        return str(self.sectors[0])


_SECTOR_TEXT = re.compile(r"(\d{1,3})-(\d{1,3})(?:\+(\d{1,3})-(\d{1,3}))?", re.ASCII)


def parse_sector(text: str) -> Sector:
    """Read ``u-t`` or ``u-t+hu-ht``.

    Raises:
        UsageError: the text has neither form.
    """
    match = _SECTOR_TEXT.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{quoted(text)} is not a sector: write the stones of the side to move and of the other"
            " side as 6-5, or with the stones in hand as 2-3+7-6"
        )
    return Sector(*(int(number or 0) for number in match.groups()))


def check_sector(rules: Rules, sector: Sector) -> None:
    """Refuse a sector that has no table under these rules.

    Raises:
        UsageError: says why: hands that cannot be, too many or too few stones.
    """
    if not hands_fit(rules, sector.mover_hand, sector.opponent_hand):
        raise UsageError(
            f"sector {sector} cannot be: the hand of the side to move holds as many stones as the"
            " other one or one more"
        )
    most = most_stones(rules, sector.mover_hand, sector.opponent_hand)
    if sector.mover_total > most[0] or sector.opponent_total > most[1]:
        each = f"each side has at most {most[0]} stones"
        if most[0] != most[1]:
            each = f"the side to move has at most {most[0]} stones and the other one {most[1]}"
        raise UsageError(f"sector {sector} cannot be: {each} in all")
    if sector.stones > rules.board.size:
        raise UsageError(f"sector {sector} cannot be: the board has {rules.board.size} points")
    if sector.opponent_total < rules.fewest_stones:
        raise UsageError(
            f"sector {sector} cannot be: the side not to move has lost already, with fewer than"
            f" {rules.fewest_stones} stones"
        )
    if sector.mover_total < rules.fewest_stones:
        raise UsageError(
            f"sector {sector} has no table: the side to move has lost already, with fewer than"
            f" {rules.fewest_stones} stones"
        )


def hands_fit(rules: Rules, mover_hand: int, opponent_hand: int) -> bool:
    """Whether a side can be to move with these hands: in turn, or any if turns need not place."""
    if min(mover_hand, opponent_hand) < 0:
        return False
    return rules.place_or_slide or mover_hand - opponent_hand in (0, 1)


def most_stones(rules: Rules, mover_hand: int, opponent_hand: int) -> tuple[int, int]:
    """The most stones, on the board and in hand, of the side to move and of the other side.

    Where the first player has one more than the second, the hands tell who is to move.
    """
    first, second = rules.hands
    return (first, second) if mover_hand > opponent_hand else (second, first)


def moves_on_board(rules: Rules, sector: Sector) -> bool:
    """Whether a turn of a sector can be the move of a stone that is on the board."""
    free_to = sector.mover_hand == 0 or rules.place_or_slide
    return free_to and sector.mover > 0 and rules.stones_move


def unit_of(rules: Rules, sector: Sector) -> Unit:
    """The unit a sector is solved in."""
    twin = Sector(sector.opponent, sector.mover, sector.opponent_hand, sector.mover_hand)
    joined = (moves_on_board(rules, sector) or moves_on_board(rules, twin)) and hands_fit(
        rules, *twin[2:]
    )
    if not joined or twin == sector:
        return Unit((sector,))
    return Unit((max(sector, twin), min(sector, twin)))


def quiet(rules: Rules, sector: Sector) -> Sector | None:
    """The sector that moves without a capture lead to.

    Returns:
        The twin sector; None if no stone on the board moves: then every turn leaves the sector for
        another unit.
    """
    if not moves_on_board(rules, sector):
        return None
    return after_turn(sector, placed=False)


def after_turn(sector: Sector, captured: int = 0, *, placed: bool) -> Sector:
    """The sector after a turn.

    Its mover may have too few stones to play on, or fewer than none if there are none to take.

    Args:
        sector: before it.
        captured: stones taken.
        placed: whether the turn places a stone, and does not move one.
    """
    return Sector(
        sector.opponent - captured,
        sector.mover + placed,
        sector.opponent_hand,
        sector.mover_hand - placed,
    )


@cache
def exits(rules: Rules, sector: Sector) -> tuple[Sector, ...]:
    """The sectors that captures and placements lead to directly, in ascending order.

    Judged by counts alone: any turn may close a mill, and may not. Left out are those in which
    the side to move has lost already, for want of stones: they need no table.
    """
    most = 2 if rules.double_capture_possible(sector) else 1
    found = []
    if sector.mover_hand and sector.stones < rules.board.size:
        takes = most if not (rules.mill_wins or rules.long_lines_forbidden) else 0
        found += [after_turn(sector, captured, placed=True) for captured in range(takes + 1)]
    if moves_on_board(rules, sector) and not rules.mill_wins:
        found += [after_turn(sector, captured, placed=False) for captured in range(1, most + 1)]
    return tuple(
        sorted(
            target
            for target in set(found)
            if target.mover >= 0 and target.mover_total >= rules.fewest_stones
        )
    )


def dependencies(rules: Rules, unit: Unit) -> tuple[Sector, ...]:
    """The sectors outside a unit that must be solved before it, in ascending order."""
    found = {target for sector in unit.sectors for target in exits(rules, sector)}
    return tuple(sorted(found.difference(unit.sectors)))


def closure(rules: Rules, sectors: Iterable[Sector]) -> frozenset[Sector]:
    """Some sectors and all they need, whole units throughout.

    Raises:
        UsageError: one of the given sectors has no table under these rules.
    """
    pending = list(sectors)
    for sector in pending:
        check_sector(rules, sector)
    found: set[Sector] = set()
    while pending:
        sector = pending.pop()
        if sector not in found:
            unit = unit_of(rules, sector)
            found.update(unit.sectors)
            pending.extend(dependencies(rules, unit))
    return frozenset(found)


def solving_order(rules: Rules, sectors: Iterable[Sector]) -> list[Unit]:
    """The units of some sectors, each after everything it depends on among them.

    Moving units first, fewest stones first, then the least balanced: a capture lowers their
    number. Then placing sectors, fewest in hand first: every placement lowers that number. Among
    those with the same hands the side that waits grows last, so that neighbours in the order read
    the same tables. The order is topological, and it is the same every time.
    """

    def rank(unit: Unit) -> tuple[int, int, int, Sector]:
        first = unit.sectors[0]
        hands = first.mover_hand + first.opponent_hand
        if hands == 0 or rules.place_or_slide:
            return hands, first.stones, -abs(first.mover - first.opponent), first
        return hands, first.mover, first.opponent, first

    return sorted({unit_of(rules, sector) for sector in sectors}, key=rank)


def known_sectors(rules: Rules) -> list[Sector]:
    """Every sector that a table may be asked of, in solving order: all moving and all wanted."""
    known = {*moving_sectors(rules), *wanted_sectors(rules)}
    return [s for unit in solving_order(rules, known) for s in unit.sectors if s in known]


def moving_sectors(rules: Rules) -> list[Sector]:
    """Every sector of the moving phase, in solving order (within a unit as the unit has them)."""
    return sectors_up_to(rules, rules.board.size)


def sectors_up_to(rules: Rules, stones: int) -> list[Sector]:
    """The moving sectors with at most so many stones on the board, in solving order.

    Where nothing is ever taken there is one at most: that with all stones on the board.
    """
    counts = range(rules.fewest_stones, rules.stones + 1)
    most = min(stones, rules.board.size)
    if rules.mill_wins:
        found = [Sector(*rules.hands[::-1])]
    else:
        found = [Sector(u, t) for u in counts for t in counts]
    found = [sector for sector in found if sector.stones <= most]
    return [sector for unit in solving_order(rules, found) for sector in unit.sectors]


def start_sector(rules: Rules) -> Sector:
    """The sector of the starting position."""
    return Sector(0, 0, *rules.hands)


def wanted_sectors(rules: Rules) -> list[Sector]:
    """Every sector of a whole game, in solving order.

    Decided by counts alone: from the start every turn may or may not capture, down to totals of
    three; so positions that people set up are covered too, not only those that can occur.
    """
    found = closure(rules, [start_sector(rules)])
    return [sector for unit in solving_order(rules, found) for sector in unit.sectors]


@cache
def orbit_count(board: Board, size: int) -> int:
    """How many sets of so many points there are that no automorphism maps to one another.

    By Burnside's lemma: the mean, over the automorphisms, of the number of sets each one fixes,
    which are the unions of whole cycles.
    """
    fixed = 0
    for permutation in board.automorphisms:
        ways = [1] + [0] * size
        for length in _cycle_lengths(permutation):
            for total in range(size, length - 1, -1):
                ways[total] += ways[total - length]
        fixed += ways[size]
    return fixed // len(board.automorphisms)


def major_is_mover(rules: Rules, sector: Sector) -> bool:
    """Whether the mover's stones choose the block of a table, and not the opponent's.

    While moving it is the side with more stones on the board, then in hand (the mover's if both
    are equal); while placing in turn one colour throughout, the mover's when the hands are equal:
    that of the first player, if both begin with as many stones.
    """
    if sector.moving or rules.place_or_slide:
        return (sector.mover, sector.mover_hand) >= (sector.opponent, sector.opponent_hand)
    return sector.mover_hand == sector.opponent_hand


def slots(rules: Rules, sector: Sector) -> int:
    """The number of slots of a sector's table: orbits of the major set times the minor sets."""
    major, _ = major_first(rules, sector)
    return orbit_count(rules.board, major) * block_slots(rules, sector)


def major_first(rules: Rules, sector: Sector) -> tuple[int, int]:
    """The stones on the board of the side whose stones choose the block, and of the other one."""
    sides = (sector.mover, sector.opponent)
    return sides if major_is_mover(rules, sector) else sides[::-1]


def block_slots(rules: Rules, sector: Sector) -> int:
    """The number of slots of a sector's table that share a major set."""
    major, minor = major_first(rules, sector)
    return comb(rules.board.size - major, minor)


def position_count(board: Board, sector: Sector) -> int:
    """The number of all positions of a sector, every symmetric image counted."""
    return comb(board.size, sector.mover) * comb(board.size - sector.mover, sector.opponent)


def _cycle_lengths(permutation: tuple[int, ...]) -> list[int]:
    """The lengths of the cycles of a permutation."""
    lengths = []
    seen = [False] * len(permutation)
    for start in range(len(permutation)):
        length = 0
        point = start
        while not seen[point]:
            seen[point] = True
            point = permutation[point]
            length += 1
        if length:
            lengths.append(length)
    return lengths
