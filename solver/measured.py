"""What solving Nine Men's Morris took: figures that :mod:`solver.plan` estimates from.

Measured on 30 November 2026 with two threads on two processors of an AMD EPYC of the third
generation: sectors with more than twelve stones on the board and the placing phase in a run of the
whole game, in which tables were written at the same time; the others by ``morris bench``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solver.rules import Rules

__all__ = [
    "BITS_PER_SLOT",
    "MEMORY_EQUAL",
    "MEMORY_FLYING",
    "MEMORY_MORE",
    "MEMORY_OF_PROGRAM",
    "NS_PER_SLOT",
    "NS_READ",
    "NS_REKEYED",
    "NS_WRITTEN",
    "SECONDS_OF_UNIT",
    "THREADS",
    "Kind",
    "kind_of",
]

THREADS: Final = 2
"""Threads that the times were measured with."""

# fmt: off
BITS_PER_SLOT: Final = {
    (3, 3): 2.30, (4, 3): 0.15, (3, 4): 0.46, (5, 3): 0.17, (4, 4): 0.02, (3, 5): 0.05,
    (6, 3): 0.29, (5, 4): 0.05, (4, 5): 0.03, (3, 6): 0.10, (7, 3): 1.13, (6, 4): 1.84,
    (5, 5): 0.05, (4, 6): 0.70, (3, 7): 1.03, (8, 3): 0.80, (7, 4): 2.27, (6, 5): 1.85,
    (5, 6): 0.71, (4, 7): 2.37, (3, 8): 1.28, (9, 3): 0.56, (8, 4): 1.54, (7, 5): 2.40,
    (6, 6): 1.63, (5, 7): 2.24, (4, 8): 2.06, (3, 9): 0.96, (9, 4): 1.10, (8, 5): 1.84,
    (7, 6): 2.67, (6, 7): 2.39, (5, 8): 2.33, (4, 9): 1.59, (9, 5): 1.41, (8, 6): 2.37,
    (7, 7): 3.05, (6, 8): 2.71, (5, 9): 1.93, (9, 6): 1.90, (8, 7): 3.04, (7, 8): 3.23,
    (6, 9): 2.52, (9, 7): 2.62, (8, 8): 3.52, (7, 9): 3.29, (9, 8): 3.50, (8, 9): 3.87,
    (9, 9): 4.16,
}
"""Bits of a moving sector's file per slot, by the stones of the mover and of the other side."""

NS_PER_SLOT: Final = {
    (3, 3): 480, (4, 3): 34, (5, 3): 25, (4, 4): 9, (6, 3): 16, (5, 4): 7, (7, 3): 41, (6, 4): 22,
    (5, 5): 4, (8, 3): 56, (7, 4): 38, (6, 5): 20, (9, 3): 57, (8, 4): 41, (7, 5): 30, (6, 6): 26,
    (9, 4): 49, (8, 5): 42, (7, 6): 36, (9, 5): 44, (8, 6): 39, (7, 7): 51, (9, 6): 46, (8, 7): 36,
    (9, 7): 55, (8, 8): 65, (9, 8): 51, (9, 9): 92,
}
"""Nanoseconds per slot of a moving unit, by the stones of its first sector."""
# fmt: on

NS_REKEYED: Final = 19
"""Nanoseconds per slot of a table that is turned for a placing sector."""

NS_READ: Final = 3.0
"""Nanoseconds of one thread per slot of a table that is read: unpacking it, not the disk."""
NS_WRITTEN: Final = 8.5
"""Nanoseconds of one thread per slot of a table that is written: packing it, not the disk."""
SECONDS_OF_UNIT: Final = 0.02
"""Seconds that a worker takes for a unit however small it is, files included."""


@dataclass(frozen=True)
class Kind:
    """What games of one kind take.

    Attributes:
        ns_moving: nanoseconds per slot of moving units, where the tables above do not say.
        bits_moving: bits of a moving sector's file per slot, where they do not say.
        ns_placing: nanoseconds per slot of a placing sector.
        bits_placing: bits per slot of a placing sector's file.
        like_nine: whether the tables above say what moving sectors take.
    """

    ns_moving: float
    bits_moving: float
    ns_placing: float
    bits_placing: float
    like_nine: bool = False

    def moving_ns(self, mover: int, opponent: int) -> float:
        """Nanoseconds per slot of a moving unit, by the stones of its first sector."""
        if not self.like_nine:
            return self.ns_moving
        return NS_PER_SLOT.get((mover, opponent), self.ns_moving)

    def moving_bits(self, mover: int, opponent: int) -> float:
        """Bits per slot of a moving sector's file."""
        if not self.like_nine:
            return self.bits_moving
        return BITS_PER_SLOT.get((mover, opponent), self.bits_moving)


# Units of up to ten stones of the other kinds take between once and three times as long as those of
# `nine` (30 November 2026, on a busy machine); how that goes on with more stones is a guess, as are
# the bits of their files.
_LIKE_NINE: Final = Kind(60, 3.5, 21, 3.0, like_nine=True)
_NO_FLYING: Final = Kind(90, 4.0, 25, 3.0)
_DIAGONALS: Final = Kind(70, 3.5, 25, 3.0)
_PLACE_OR_SLIDE: Final = Kind(80, 3.5, 25, 3.0, like_nine=True)
_SMALL: Final = Kind(100, 3.0, 50, 3.0)
_LARGE: Final = Kind(80, 3.0, 40, 3.0)


def kind_of(rules: Rules) -> Kind:
    """Return the measured kind that some rules are most like."""
    if rules.board.size != 24:
        return _SMALL if rules.board.size < 24 else _LARGE
    if rules.place_or_slide:
        return _PLACE_OR_SLIDE
    if len(rules.board.lines) > 16:
        return _DIAGONALS
    return _LIKE_NINE if rules.flying_at == 3 else _NO_FLYING


MEMORY_OF_PROGRAM: Final = 200_000_000
"""Bytes of code, libraries, and tables of the index."""
MEMORY_FLYING: Final = {3: 11.5, 4: 6.8}
"""Bytes per slot of a moving unit with so few stones on its smaller side.

Four are for the working tables and one is the outcome; the rest are lists of slots whose value is
known but not handed on yet, which are longest where most positions are won by the next capture.
"""
MEMORY_MORE: Final = 6.7
"""Bytes per slot of a moving unit with more stones."""
MEMORY_EQUAL: Final = 6.6
"""Bytes per slot of a moving unit with equal sides, frontiers being mirrored included."""
