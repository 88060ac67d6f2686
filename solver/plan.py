"""What solving some sectors takes: order, slots, disk, memory and time. Counts alone.

Slots are exact. The rest are estimates from measurements, see the constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Final

from solver import measured
from solver.rules import Rules
from solver.sectors import (
    Sector,
    Unit,
    after_turn,
    closure,
    dependencies,
    exits,
    major_is_mover,
    moves_on_board,
    orbit_count,
    slots,
    solving_order,
    unit_of,
    wanted_sectors,
)

__all__ = [
    "Plan",
    "PlanRow",
    "file_bytes",
    "make_plan",
    "read_seconds",
    "unit_memory",
    "unit_seconds",
    "unit_slots",
    "write_seconds",
]

_HEADER_BYTES: Final = 1500


@dataclass(frozen=True)
class PlanRow:
    """One sector of a plan.

    Attributes:
        sector: which one.
        unit: what it is solved in.
        slots: entries of its table, exactly.
        bytes: estimated size of its file.
        memory: estimated peak, in bytes, while its unit is solved.
        seconds: its share, by slots, of the estimated time for its unit.
        present: whether its table is there.
    """

    sector: Sector
    unit: Unit
    slots: int
    bytes: int
    memory: int
    seconds: float
    present: bool


@dataclass(frozen=True)
class Plan:
    """Sectors in solving order and what they take.

    Attributes:
        variant: the name of the rules.
        rows: one per sector.
    """

    variant: str
    rows: tuple[PlanRow, ...]

    @property
    def slots(self) -> int:
        """Slots of all of them."""
        return sum(row.slots for row in self.rows)

    @property
    def bytes(self) -> int:
        """Estimated size of all files."""
        return sum(row.bytes for row in self.rows)

    @property
    def memory(self) -> int:
        """Estimated peak of the unit that needs most, in bytes."""
        return max((row.memory for row in self.rows), default=0)

    @property
    def seconds(self) -> float:
        """Estimated time to solve them all."""
        return sum(row.seconds for row in self.rows)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of these sectors, in order."""
        return tuple(dict.fromkeys(row.unit for row in self.rows))

    def missing(self) -> Plan:
        """Return the part of the plan whose tables are not there."""
        return Plan(self.variant, tuple(row for row in self.rows if not row.present))


def make_plan(
    rules: Rules,
    sectors: Iterable[Sector] | None = None,
    *,
    present: Collection[Sector] = (),
    threads: int = measured.THREADS,
) -> Plan:
    """Plan to solve some sectors and all they depend on.

    Args:
        rules: the game.
        sectors: which; None for all of a whole game.
        present: sectors whose tables are there.
        threads: to solve with.

    Raises:
        UsageError: one of the sectors has no table under these rules.
    """
    wanted = wanted_sectors(rules) if sectors is None else closure(rules, sectors)
    rows = (
        row
        for unit in solving_order(rules, wanted)
        for row in _unit_rows(rules, unit, present, threads)
    )
    return Plan(rules.name, tuple(rows))


def _unit_rows(
    rules: Rules, unit: Unit, present: Collection[Sector], threads: int
) -> Iterator[PlanRow]:
    memory = unit_memory(rules, unit)
    per_slot = unit_seconds(rules, unit, threads) / unit_slots(rules, unit)
    for sector in unit.sectors:
        number = slots(rules, sector)
        yield PlanRow(
            sector=sector,
            unit=unit,
            slots=number,
            bytes=file_bytes(rules, sector),
            memory=memory,
            seconds=number * per_slot,
            present=sector in present,
        )


def unit_slots(rules: Rules, unit: Unit) -> int:
    """Return the slots of all tables of a unit."""
    return sum(slots(rules, sector) for sector in unit.sectors)


def file_bytes(rules: Rules, sector: Sector) -> int:
    """Return the estimated size of a sector's table file."""
    kind = measured.kind_of(rules)
    bits = kind.bits_placing
    if _moves(rules, unit_of(rules, sector)):
        bits = kind.moving_bits(sector.mover_total, sector.opponent_total)
    return _HEADER_BYTES + int(slots(rules, sector) * bits / 8)


def unit_memory(rules: Rules, unit: Unit) -> int:
    """Return the estimated peak while a unit is solved, in bytes."""
    number = unit_slots(rules, unit)
    need = measured.MEMORY_OF_PROGRAM
    if _moves(rules, unit):
        first = unit.sectors[0]
        per_slot = measured.MEMORY_FLYING.get(first.opponent_total, measured.MEMORY_MORE)
        if len(unit.sectors) == 1:
            per_slot = measured.MEMORY_EQUAL
        need += int(per_slot * number)
    placing = [sector for sector in unit.sectors if sector.mover_hand]
    if placing:
        # The values, the tables read, those re-keyed, and the values of captures. (Of these four
        # the last two never come together.)
        need += sum(slots(rules, sector) for sector in placing)
        need += max(_placing_memory(rules, sector) for sector in placing)
    return need


def unit_seconds(
    rules: Rules, unit: Unit, threads: int = measured.THREADS, *, alone: bool = False
) -> float:
    """Return the estimated time to solve a unit, in seconds, without reading and writing files.

    Args:
        rules: the game.
        unit: which one.
        threads: to solve with.
        alone: whether nothing is there that was re-keyed for the unit before it.
    """
    kind = measured.kind_of(rules)
    work = 0.0
    if _moves(rules, unit):
        # With stones in hand as where they are placed: as much is decided by the next capture.
        work += kind.moving_ns(*_stones_in_all(unit)) * unit_slots(rules, unit)
    for sector in unit.sectors:
        if sector.mover_hand:
            work += kind.ns_placing * slots(rules, sector)
            # Of the tables re-keyed the one with a stone taken is there from the unit before.
            targets = [after_turn(sector, placed=True)]
            if alone:
                targets = _placed(rules, sector)
            rekeyed = sum(_rekeyed_slots(rules, sector, target) for target in targets)
            work += measured.NS_REKEYED * rekeyed
    return 1e-9 * work * measured.THREADS / threads


def read_seconds(rules: Rules, unit: Unit, threads: int) -> float:
    """Return the estimated time to read all tables that a unit depends on, in seconds."""
    number = sum(slots(rules, sector) for sector in dependencies(rules, unit))
    return 1e-9 * measured.NS_READ * number / threads


def write_seconds(rules: Rules, unit: Unit, threads: int) -> float:
    """Return the estimated time to write all tables of a unit, in seconds."""
    return 1e-9 * measured.NS_WRITTEN * unit_slots(rules, unit) / threads


def _moves(rules: Rules, unit: Unit) -> bool:
    """Whether a unit has moves of stones on the board, so that it takes more than one pass."""
    return any(moves_on_board(rules, sector) for sector in unit.sectors)


def _stones_in_all(unit: Unit) -> tuple[int, int]:
    """Return the stones of both sides, on the board and in hand.

    One less for the second of two equal sides if the unit has two sectors: a unit with equal sides
    that is solved by its mirror image takes longer than others.
    """
    first = unit.sectors[0]
    equal = first.mover_total == first.opponent_total and len(unit.sectors) == 2
    return first.mover_total, first.opponent_total - equal


def _placing_memory(rules: Rules, sector: Sector) -> int:
    """Return the bytes that valuing a sector's placements takes beside the values."""
    read = _placed(rules, sector)
    return (
        sum(slots(rules, target) for target in read)
        + sum(_rekeyed_slots(rules, sector, target) for target in read)
        + _captures(rules, sector)
    )


def _placed(rules: Rules, sector: Sector) -> list[Sector]:
    """Return the sectors that a sector's placements lead to, with captures and without."""
    hands = sector.mover_hand + sector.opponent_hand
    return [
        target
        for target in exits(rules, sector)
        if target.mover_hand + target.opponent_hand < hands
    ]


def _rekeyed_slots(rules: Rules, sector: Sector, target: Sector) -> int:
    """Return the slots of a table that a placement leads to if it has to be re-keyed, else 0.

    It has to be if its major side is not that of the placement's own sector.
    """
    if target.stones > rules.board.size:
        return 0
    if major_is_mover(rules, target) != major_is_mover(rules, sector):
        return 0
    major, minor = target.mover, target.opponent
    if major_is_mover(rules, target):
        major, minor = minor, major
    return orbit_count(rules.board, major) * comb(rules.board.size - major, minor)


def _captures(rules: Rules, sector: Sector) -> int:
    """Return the most bytes that the values of captures by a placed stone of the major side take.

    A row for each larger major set that holds a mill: that all do is not far from the truth where
    it matters.
    """
    if not major_is_mover(rules, sector):
        return 0
    board = rules.board
    larger = sector.mover + 1
    return orbit_count(board, larger) * (comb(board.size - larger, sector.opponent) + 1)
