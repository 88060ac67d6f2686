"""What solving a sector gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.sectors import Sector

ByteArray = npt.NDArray[np.uint8]
IntArray = npt.NDArray[np.int64]
Read = Callable[[Sector], ByteArray]
"""Gives the stored bytes of a sector solved before, in slot order."""
Progress = Callable[[int], None]
"""Called with the number of slots finished since the last call."""


@dataclass
class Counts:
    """How many positions of a sector have which stored byte.

    Attributes:
        positions: by stored byte, all positions (256 entries).
        distinct: the same up to symmetry.
    """

    positions: IntArray
    distinct: IntArray

    @classmethod
    def zero(cls) -> Counts:
        """Return counts of nothing."""
        return cls(np.zeros(256, dtype=np.int64), np.zeros(256, dtype=np.int64))


@dataclass
class SolvedSector:
    """One solved sector: its stored bytes in slot order and their counts."""

    sector: Sector
    stored: ByteArray
    counts: Counts
