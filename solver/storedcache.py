"""Solved sectors kept in memory for the units that read them next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.rules import Rules
from solver.sectors import Sector, Unit, dependencies

if TYPE_CHECKING:
    from solver.widths import Stored

__all__ = ["RecentCache", "StoredCache"]


class StoredCache:
    """The stored entries of sectors, as long as a unit still to be solved reads them.

    The order of the units is known, so when room is short what is needed last goes first.

    Args:
        rules: the game.
        units: what will be solved, in order.
    """

    def __init__(self, rules: Rules, units: Sequence[Unit]) -> None:
        self._arrays: dict[Sector, Stored] = {}
        self._uses: dict[Sector, list[int]] = {}  # numbers of the reading units, last one first
        self._done = 0
        for number in reversed(range(len(units))):
            for sector in dependencies(rules, units[number]):
                self._uses.setdefault(sector, []).append(number)

    def __contains__(self, sector: object) -> bool:
        return sector in self._arrays

    @property
    def bytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._arrays.values())

    def __getitem__(self, sector: Sector) -> Stored:
        """Return what is held of a sector; KeyError if nothing is."""
        return self._arrays[sector]

    def get(self, sector: Sector) -> Stored | None:
        """Return what is held of a sector, or None."""
        return self._arrays.get(sector)

    def put(self, sector: Sector, stored: Stored) -> None:
        """Hold a sector if a unit still to be solved reads it."""
        if self._uses.get(sector):
            self._arrays[sector] = stored

    def advance(self) -> None:
        """Note that the next unit in order is solved, and drop what nobody else reads."""
        self._done += 1
        for sector, uses in self._uses.items():
            while uses and uses[-1] < self._done:
                uses.pop()
            if not uses:
                self._arrays.pop(sector, None)

    def shrink(self, capacity: int) -> None:
        """Drop arrays until at most `capacity` bytes are held, what is read last first."""
        excess = self.bytes - capacity
        by_next_use = sorted(self._arrays, key=lambda sector: (self._uses[sector][-1], sector))
        while excess > 0 and by_next_use:
            excess -= self._arrays.pop(by_next_use.pop()).nbytes


class RecentCache:
    """The stored entries of sectors solved or read last, for who does not know what comes next.

    What was used longest ago goes first when room is short.
    """

    def __init__(self) -> None:
        self._arrays: dict[Sector, Stored] = {}  # in order of use

    def __contains__(self, sector: object) -> bool:
        return sector in self._arrays

    @property
    def bytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._arrays.values())

    def get(self, sector: Sector) -> Stored | None:
        """Return what is held of a sector, or None."""
        stored = self._arrays.pop(sector, None)
        if stored is not None:
            self._arrays[sector] = stored
        return stored

    def put(self, sector: Sector, stored: Stored) -> None:
        """Hold a sector."""
        self._arrays.pop(sector, None)
        self._arrays[sector] = stored

    def shrink(self, capacity: int) -> None:
        """Drop arrays until at most `capacity` bytes are held."""
        excess = self.bytes - capacity
        for sector in list(self._arrays):
            if excess <= 0:
                break
            excess -= self._arrays.pop(sector).nbytes
