"""What solving some sectors takes: order, slots, disk, memory and time. Counts alone.

Slots are exact. The rest are estimates from measurements, see the constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from solver.rules import Rules
from solver.sectors import (
    Sector,
    Unit,
    closure,
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

MEASURED_THREADS: Final = 2
"""Threads the times below were measured with."""


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
    threads: int = MEASURED_THREADS,
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
    return slots(rules, sector)


def unit_memory(rules: Rules, unit: Unit) -> int:
    """Return the estimated peak while a unit is solved, in bytes."""
    return 150_000_000 + 5 * unit_slots(rules, unit)


def unit_seconds(rules: Rules, unit: Unit, threads: int = MEASURED_THREADS) -> float:
    """Return the estimated time to solve a unit, in seconds, without writing its files."""
    return 30e-9 * unit_slots(rules, unit) * MEASURED_THREADS / threads
