"""What solving Nine Men's Morris took: figures that :mod:`solver.plan` estimates from.

Measured on 30 November 2026 with two threads on two processors of an AMD EPYC of the third
generation: sectors with more than twelve stones on the board and the placing phase in a run of the
whole game, in which tables were written at the same time; the others by ``morris bench``.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BITS_ELSEWHERE",
    "BITS_PER_SLOT",
    "BITS_PLACING",
    "MEMORY_EQUAL",
    "MEMORY_FLYING",
    "MEMORY_MORE",
    "MEMORY_OF_PROGRAM",
    "NS_ELSEWHERE",
    "NS_PER_SLOT",
    "NS_PLACING",
    "NS_REKEYED",
    "THREADS",
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

BITS_PLACING: Final = 3.0
"""Bits per slot of a placing sector's file."""
BITS_ELSEWHERE: Final = 3.0
"""Bits per slot in other games: a guess."""
NS_PLACING: Final = 21
"""Nanoseconds per slot of a placing sector."""
NS_REKEYED: Final = 19
"""Nanoseconds per slot of a moving sector's table that is turned for a placing sector."""
NS_ELSEWHERE: Final = 50
"""Nanoseconds per slot of moving units in other games: a guess."""

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
