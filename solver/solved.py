"""What solving a sector gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.sectors import Sector
from solver.widths import BYTE, Stored, Width

IntArray = npt.NDArray[np.int64]
Read = Callable[[Sector], Stored]
"""Gives the stored entries of a sector solved before, in slot order."""
Progress = Callable[[int], None]
"""Called with the number of slots finished since the last call."""


@dataclass
class Counts:
    """How many positions of a sector have which stored entry. Void slots are counted nowhere.

    Attributes:
        positions: by stored entry, all positions.
        distinct: the same up to symmetry.
    """

    positions: IntArray
    distinct: IntArray

    @classmethod
    def zero(cls, width: Width = BYTE) -> Counts:
        """Return counts of nothing, for entries of a width."""
        return cls(*np.zeros((2, width.numbers), dtype=np.int64))


@dataclass
class SolvedSector:
    """One solved sector: its stored entries in slot order and their counts."""

    sector: Sector
    stored: Stored
    counts: Counts
