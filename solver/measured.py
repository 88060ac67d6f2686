"""What solving took: figures that :mod:`solver.plan` and :mod:`solver.schedule` estimate from.

All were measured on 30 November 2026 on two processors of an AMD EPYC of the third generation.

`nine`: with two threads; sectors with more than twelve stones on the board and the placing phase in
a run of the whole game, in which tables were written at the same time; the others by ``morris
bench``.

The others on one thread, while more went on on the machine: so only the processors' time was taken,
and turned into time with two threads by the factor 1.06 / 2, which is what the same measurement of
`nine` needs to meet the figures above.

- `ten`: all moving units that `nine` has not, reading its tables. Placing is as in `nine`.
- With diagonals (`eleven`, `twelve`, `morabaraba`): moving units of up to twelve stones on the
  board, 8-5 and 7-6, and all with three or four stones on the smaller side; placing from whole
  games of five and six stones each, where it takes 1.1 times as long as in `nine`.
- Without flying: moving units of up to twelve stones; placing from a game of five stones each.
- `lasker`: units with one stone in hand and up to seven stones each in all. There moves take as
  long, and files are as large, as in the moving unit with as many stones in all: `nine` has 7-6 at
  36 ns and 2.5 bits, `lasker` has 6-6+1-0 at 35 ns, without the placements, and 2.6 bits. Games of
  four and five stones say the same of more in hand; with more stones that is extrapolated.

All else is extrapolated too. Units with more than ten stones on a side are taken to be as those
with ten, and other moving units with diagonals or without flying as those of `nine`, or as slow as
others of their kind where `nine` is sooner done because the next capture decides most positions.
Bits of placing sectors are those of `nine` with nine stones; games with few stones have smaller
files. For boards of other sizes all figures are rough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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

_Stones = tuple[int, int]
_FEWEST: Final = 3
_MOST: Final = 10
"""The fewest and the most stones of one side in the tables for `nine` and `ten`."""

# fmt: off
BITS_PER_SLOT: Final[Mapping[_Stones, float]] = {
    (3, 3): 2.30, (4, 3): 0.15, (3, 4): 0.46, (5, 3): 0.17, (4, 4): 0.02, (3, 5): 0.05,
    (6, 3): 0.29, (5, 4): 0.05, (4, 5): 0.03, (3, 6): 0.10, (7, 3): 1.13, (6, 4): 1.84,
    (5, 5): 0.05, (4, 6): 0.70, (3, 7): 1.03, (8, 3): 0.80, (7, 4): 2.27, (6, 5): 1.85,
    (5, 6): 0.71, (4, 7): 2.37, (3, 8): 1.28, (9, 3): 0.56, (8, 4): 1.54, (7, 5): 2.40,
    (6, 6): 1.63, (5, 7): 2.24, (4, 8): 2.06, (3, 9): 0.96, (9, 4): 1.10, (8, 5): 1.84,
    (7, 6): 2.67, (6, 7): 2.39, (5, 8): 2.33, (4, 9): 1.59, (9, 5): 1.41, (8, 6): 2.37,
    (7, 7): 3.05, (6, 8): 2.71, (5, 9): 1.93, (9, 6): 1.90, (8, 7): 3.04, (7, 8): 3.23,
    (6, 9): 2.52, (9, 7): 2.62, (8, 8): 3.52, (7, 9): 3.29, (9, 8): 3.50, (8, 9): 3.87,
    (9, 9): 4.16,
    (10, 3): 0.60, (3, 10): 0.60, (10, 4): 1.07, (4, 10): 1.07, (10, 5): 1.39, (5, 10): 1.39,
    (10, 6): 1.86, (6, 10): 1.86, (10, 7): 2.58, (7, 10): 2.58, (10, 8): 3.48, (8, 10): 3.48,
    (10, 9): 4.29, (9, 10): 4.29, (10, 10): 4.81,
}
"""Bits per slot of a moving sector's file of `nine` and `ten`, by the mover's stones and the
other side's. (Those with ten stones on one side are means of both sectors of the unit.)"""

NS_PER_SLOT: Final[Mapping[_Stones, float]] = {
    (3, 3): 480, (4, 3): 34, (5, 3): 25, (4, 4): 9, (6, 3): 16, (5, 4): 7, (7, 3): 41, (6, 4): 22,
    (5, 5): 4, (8, 3): 56, (7, 4): 38, (6, 5): 20, (9, 3): 57, (8, 4): 41, (7, 5): 30, (6, 6): 26,
    (9, 4): 49, (8, 5): 42, (7, 6): 36, (9, 5): 44, (8, 6): 39, (7, 7): 51, (9, 6): 46, (8, 7): 36,
    (9, 7): 55, (8, 8): 65, (9, 8): 51, (9, 9): 92,
    (10, 3): 55, (10, 4): 46, (10, 5): 49, (10, 6): 49, (10, 7): 49, (10, 8): 58, (10, 9): 67,
    (10, 10): 152,
}
"""Nanoseconds per slot of a moving unit of `nine` and `ten`, by the stones of its first sector."""

_NS_DIAGONALS: Final[Mapping[_Stones, float]] = {
    (3, 3): 252, (4, 3): 21, (5, 3): 18, (4, 4): 12, (6, 3): 37, (5, 4): 14, (7, 3): 51, (6, 4): 36,
    (5, 5): 15, (8, 3): 51, (7, 4): 47, (6, 5): 32, (9, 3): 51, (8, 4): 47, (7, 5): 42, (6, 6): 48,
    (10, 3): 51, (9, 4): 49, (8, 5): 48, (7, 6): 41, (11, 3): 49, (10, 4): 47, (12, 3): 55,
    (11, 4): 44, (12, 4): 48,
}
_BITS_DIAGONALS: Final[Mapping[_Stones, float]] = {
    (3, 3): 1.56, (4, 3): 0.47, (5, 3): 0.38, (4, 4): 0.38, (6, 3): 1.02, (5, 4): 0.49,
    (7, 3): 1.02, (6, 4): 2.27, (5, 5): 0.67, (8, 3): 0.69, (7, 4): 1.80, (6, 5): 2.31,
    (9, 3): 0.47, (8, 4): 1.28, (7, 5): 2.19, (6, 6): 2.95, (10, 3): 0.34, (9, 4): 0.97,
    (8, 5): 1.68, (7, 6): 2.79, (11, 3): 0.25, (10, 4): 0.73, (12, 3): 0.18, (11, 4): 0.56,
    (12, 4): 0.45,
}
_NS_NO_FLYING: Final[Mapping[_Stones, float]] = {
    (3, 3): 57, (4, 3): 41, (5, 3): 43, (4, 4): 54, (6, 3): 39, (5, 4): 45, (7, 3): 42, (6, 4): 42,
    (5, 5): 57, (8, 3): 36, (7, 4): 39, (6, 5): 40, (9, 3): 41, (8, 4): 40, (7, 5): 37, (6, 6): 41,
}
_BITS_NO_FLYING: Final[Mapping[_Stones, float]] = {
    (3, 3): 2.62, (4, 3): 2.16, (5, 3): 1.30, (4, 4): 2.51, (6, 3): 0.88, (5, 4): 1.99,
    (7, 3): 0.63, (6, 4): 1.45, (5, 5): 2.48, (8, 3): 0.50, (7, 4): 1.11, (6, 5): 2.40,
    (9, 3): 0.43, (8, 4): 0.92, (7, 5): 1.88, (6, 6): 3.12,
}
# fmt: on

NS_REKEYED: Final = 19
"""Nanoseconds per slot of a table that is turned for a placing sector."""

NS_READ: Final = 3.0
"""Nanoseconds of one thread per slot of a table that is read: unpacking it, not the disk.

This and the next from nine tables of `nine`, of 1 to 600 million slots, with one and two threads.
"""
NS_WRITTEN: Final = 8.5
"""Nanoseconds of one thread per slot of a table that is written: packing it, not the disk."""
SECONDS_OF_UNIT: Final = 0.02
"""Seconds that a worker takes for a unit however small it is, files included.

Of 200 units with less than 2,000 slots the mean is 0.017.
"""


@dataclass(frozen=True)
class Kind:
    """What games of one kind take.

    Attributes:
        ns_placing: nanoseconds per slot of a placing sector.
        bits_placing: bits per slot of a placing sector's file.
        ns: nanoseconds per slot of the moving units that were measured.
        bits: bits per slot of their files, both sectors together.
        ns_least: of other moving units: as many as those of `nine` take, but no fewer than these.
        bits_moving: bits per slot of the files of other moving sectors; None for as many as in
            `nine`.
        like_nine: whether they have to do with `nine` at all; else `ns_least` is what they take.
    """

    ns_placing: float
    bits_placing: float
    ns: Mapping[_Stones, float] = field(default_factory=dict)
    bits: Mapping[_Stones, float] = field(default_factory=dict)
    ns_least: float = 0.0
    bits_moving: float | None = None
    like_nine: bool = True

    def moving_ns(self, mover: int, opponent: int) -> float:
        """Nanoseconds per slot of a moving unit, by the stones of one of its sectors."""
        stones = max(mover, opponent), min(mover, opponent)
        if stones in self.ns:
            return self.ns[stones]
        return max(self.ns_least, NS_PER_SLOT[_most_like(*stones)] if self.like_nine else 0.0)

    def moving_bits(self, mover: int, opponent: int) -> float:
        """Bits per slot of a moving sector's file."""
        stones = max(mover, opponent), min(mover, opponent)
        if stones in self.bits:
            return self.bits[stones]
        if self.bits_moving is not None:
            return self.bits_moving
        return BITS_PER_SLOT[_most_like(mover, opponent)]


def _most_like(mover: int, opponent: int) -> _Stones:
    """Return the stones of the measured sector that one is most like.

    Sides with more than ten stones are as ten, but equal only if they are.
    """
    if mover < opponent:
        return _most_like(opponent, mover)[::-1]
    larger = min(max(mover, _FEWEST), _MOST)
    if mover == opponent:
        return larger, larger
    return max(larger, _FEWEST + 1), min(max(opponent, _FEWEST), _MOST - 1)


_LIKE_NINE: Final = Kind(21, 3.0)
_NO_FLYING: Final = Kind(24, 3.0, _NS_NO_FLYING, _BITS_NO_FLYING, ns_least=40)
_DIAGONALS: Final = Kind(23, 3.0, _NS_DIAGONALS, _BITS_DIAGONALS, ns_least=43)
_PLACE_OR_SLIDE: Final = Kind(22, 3.0)
_SMALL: Final = Kind(50, 3.0, ns_least=100, bits_moving=3.0, like_nine=False)
_LARGE: Final = Kind(40, 3.0, ns_least=80, bits_moving=3.0, like_nine=False)


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
MEMORY_FLYING: Final = {3: 7.0, 4: 5.2}
"""Bytes per slot of a moving unit with so few stones on its smaller side.

Two are for the working tables, and up to one for the sectors it reads, which may lie in memory all
the time; the rest are lists of slots whose value is known but not handed on yet, which are longest
where most positions are won by the next capture.
"""
MEMORY_MORE: Final = 4.6
"""Bytes per slot of a moving unit with more stones."""
MEMORY_EQUAL: Final = 6.6
"""Bytes per slot of a moving unit with equal sides, frontiers being mirrored included."""
