"""What a build tells while it runs, and what it did in the end."""

from __future__ import annotations

from dataclasses import dataclass

from solver.sectors import Sector, Unit

__all__ = ["BuildProgress", "BuildReport"]


class BuildProgress:
    """Told what a build does. Every method does nothing unless a subclass says otherwise."""

    def share(self, workers: int, threads: int) -> None:
        """So many workers solve side by side, each with so many threads. Told before `begin`."""

    def begin(self, units: list[Unit]) -> None:
        """These units will be solved, in this order."""

    def start_unit(self, unit: Unit) -> None:
        """A unit is begun (again, if a table it reads had to be made anew)."""

    def advance(self, unit: Unit, slots: int) -> None:
        """So many more slots of a unit have their value; drawn ones come last, all at once."""

    def lose_unit(self, unit: Unit) -> None:
        """A unit is no longer being solved, as its worker was lost; it will be begun again."""

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        """A unit is solved, in so many seconds; its tables are yet to be written."""

    def wrote(self, sector: Sector, size: int, seconds: float) -> None:
        """A table of `size` bytes is on the disk. Called from another thread."""

    def note(self, text: str) -> None:
        """Something the user should know."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes:
        solved: sectors whose tables were written, in order.
        skipped: sectors whose tables were there already.
        seconds: the time it took.
    """

    solved: list[Sector]
    skipped: list[Sector]
    seconds: float
