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
    closure,
    exits,
    major_is_mover,
    orbit_count,
    slots,
    solving_order,
    wanted_sectors,
)

__all__ = [
    "Plan",
    "PlanRow",
    "file_bytes",
    "make_plan",
    "unit_memory",
    "unit_seconds",
    "unit_slots",
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
    bits = measured.BITS_ELSEWHERE if sector.moving else measured.BITS_PLACING
    if sector.moving and _like_measured(rules):
        bits = measured.BITS_PER_SLOT.get((sector.mover, sector.opponent), bits)
    return _HEADER_BYTES + int(slots(rules, sector) * bits / 8)


def unit_memory(rules: Rules, unit: Unit) -> int:
    """Return the estimated peak while a unit is solved, in bytes."""
    sector = unit.sectors[0]
    number = unit_slots(rules, unit)
    if not sector.moving:
        # The table, those read, those re-keyed, and the values of captures. (Of these four the
        # last two never come together.)
        read = sum(slots(rules, target) for target in exits(rules, sector))
        return (
            measured.MEMORY_OF_PROGRAM
            + number
            + read
            + _rekeyed(rules, sector)
            + _captures(rules, sector)
        )
    per_slot = measured.MEMORY_FLYING.get(sector.opponent, measured.MEMORY_MORE)
    if sector.mover == sector.opponent:
        per_slot = measured.MEMORY_EQUAL
    return measured.MEMORY_OF_PROGRAM + int(per_slot * number)


def unit_seconds(rules: Rules, unit: Unit, threads: int = measured.THREADS) -> float:
    """Return the estimated time to solve a unit, in seconds, without writing its files."""
    sector = unit.sectors[0]
    number = unit_slots(rules, unit)
    if sector.moving:
        per_slot = measured.NS_ELSEWHERE
        if _like_measured(rules):
            per_slot = measured.NS_PER_SLOT.get((sector.mover, sector.opponent), per_slot)
        work = per_slot * number
    else:
        # Of the tables re-keyed the one with a stone taken is there from the unit before.
        placed = exits(rules, sector)[-1]
        rekeyed = _rekeyed_slots(rules, placed) if placed.moving else 0
        work = measured.NS_PLACING * number + measured.NS_REKEYED * rekeyed
    return 1e-9 * work * measured.THREADS / threads


def _like_measured(rules: Rules) -> bool:
    """Whether the game is that which was measured, as far as it matters for estimates."""
    return (rules.board.size, rules.flying_at) == (24, 3)


def _rekeyed(rules: Rules, sector: Sector) -> int:
    """Return the bytes of the moving tables that a placing sector needs with the other major."""
    return sum(_rekeyed_slots(rules, target) for target in exits(rules, sector) if target.moving)


def _rekeyed_slots(rules: Rules, sector: Sector) -> int:
    """Return the slots of a moving table with the mover's stones as major; 0 if they are."""
    if major_is_mover(rules, sector):
        return 0
    board = rules.board
    return orbit_count(board, sector.mover) * comb(board.size - sector.mover, sector.opponent)


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
