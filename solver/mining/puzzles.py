"""Puzzles: won positions found in tables of distances by a filter.

    with open_tablebase() as tablebase:
        wish = Wish(only_move=True, kind="quiet")
        for puzzle in find_puzzles(tablebase, get_variant("nine"), [Sector(4, 4)], 9, 9, wish):
            print(puzzle.position, puzzle.move.text)

Positions are distinct up to the symmetries of the board and have White to move. Each one is
worked out anew with :meth:`Tablebase.analyse` before it is returned, so a table that contradicts
itself or another raises DamagedTableError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from solver.errors import UsageError
from solver.index import layout
from solver.mining.found import (
    Progress,
    analyse_again,
    canonical_masks,
    check_tables,
    found_position,
)
from solver.mining.keymoves import Wish, may_fulfil, turns_about
from solver.mining.scanning import Depths, Sample, sector_key
from solver.position import Position
from solver.results import MoveResult
from solver.rules import Rules
from solver.sectors import Sector
from solver.tablebase import Tablebase
from solver.tablefile import TableReader

__all__ = ["Puzzle", "find_puzzles"]

Ints = npt.NDArray[np.int64]

_FIRST_SAMPLE: Final = 1 << 16
_NEXT_SAMPLE: Final = 1 << 21
"""Slots taken from a table in one pass: the first one, and all others (some 100 MB)."""
_SINGLY: Final = 256
"""So many positions are looked at one by one before compiled code is put to the search."""
_TURNS: Final = 1 << 21
"""Turns looked up together in the search (some 150 MB)."""
_TOGETHER: Final = 64
"""Positions turned into their canonical images together."""


@dataclass(frozen=True)
class Puzzle:
    """A won position with its moves.

    Attributes:
        position: White to move; the smallest of its images under the board's symmetries.
        moves: every turn, best first.
    """

    position: Position
    moves: list[MoveResult]

    @property
    def dtw(self) -> int:
        """In how many plies White wins."""
        depth = self.moves[0].dtw
        assert depth is not None
        return depth

    @property
    def move(self) -> MoveResult:
        """The move that wins soonest, the first by its text if there are several."""
        return self.moves[0]

    @property
    def winning_moves(self) -> int:
        """How many turns win, however long it takes."""
        return sum(move.value == "win" for move in self.moves)

    @property
    def quiet(self) -> bool:
        """Whether every key move takes nothing."""
        return Wish(kind="quiet").fulfilled(self.position, self.moves)

    @property
    def sacrifice(self) -> bool:
        """Whether every key move gives up a mill."""
        return Wish(kind="sacrifice").fulfilled(self.position, self.moves)


def find_puzzles(
    tablebase: Tablebase,
    rules: Rules,
    sectors: Sequence[Sector],
    least: int,
    most: int,
    wish: Wish = Wish(),  # noqa: B008 - immutable
    *,
    count: int = 1,
    seed: int = 0,
    limit: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Iterator[Puzzle]:
    """Yield won positions that are as wished, no two of them the same up to symmetry.

    They are a random choice from those there are, which the seed and the tables alone determine:
    from all sectors in equal numbers, as far as each has so many, and spread over each sector.
    Where there are more sectors than positions wanted, chance picks the sectors.

    Memory: some 60 MB where positions as wished are common, and half a gigabyte where they are so
    rare that millions are looked at, however large a sector is.

    Args:
        tablebase: with tables of distances of the sectors and of those that turns there lead to.
        rules: the game.
        sectors: where to look, each once.
        least, most: plies to the end of the game; odd ones between them are wanted.
        wish: what the moves must be like.
        count: the most positions wanted.
        seed: decides which, 0 or more.
        limit: look at no more than so many won positions of each sector; None for all.
        threads: threads to use.
        progress: called now and then in this thread.

    Raises:
        UsageError: no distance of a win lies between `least` and `most`, or the rules never allow
            what is wished.
        MissingTableError, DamagedTableError, ResourceError: a table is missing, damaged, or may
            not be read.
    """
    least, most = least | 1, most - 1 | 1
    if not 0 < least <= most:
        raise UsageError("a win takes an odd number of plies, and no such number was asked for")
    wish.check(rules)
    check_tables(tablebase, rules, sectors)
    searches = []
    for sector in sorted(dict.fromkeys(sectors), key=lambda each: sector_key(seed, each)):
        header = tablebase.reader(rules, sector, "dtw").header
        depths = _within(header.distinct_histogram, least, most)
        if depths is not None and wish.possible(rules, sector):
            key = sector_key(seed, sector)
            searches.append(
                _Search(tablebase, rules, sector, depths, wish, key, limit, threads, progress)
            )
    while count and searches:
        for number, search in enumerate(searches):
            if not count:
                break
            quota = -(-count // (len(searches) - number))
            for puzzle in search.take(quota):
                count -= 1
                yield puzzle
        searches = [search for search in searches if not search.exhausted]


def _within(histogram: Iterable[int], least: int, most: int) -> Depths | None:
    """Return the wins there are from one distance to another; None if there are none."""
    found = [depth for depth in histogram if depth % 2 and least <= depth <= most]
    return Depths(min(found), max(found)) if found else None


class _Search:
    """The search through one sector, which can be broken off and taken up again.

    Attributes:
        exhausted: whether there is nothing left to find.
    """

    def __init__(
        self,
        tablebase: Tablebase,
        rules: Rules,
        sector: Sector,
        depths: Depths,
        wish: Wish,
        key: int,
        limit: int | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.exhausted = False
        self._tablebase = tablebase
        self._rules = rules
        self._sector = sector
        self._depths = depths
        self._wish = wish
        self._key = key
        self._limit = limit
        self._threads = threads
        self._progress = progress
        self._start = 0  # the least priority not looked at
        self._looked = 0
        self._seen: set[tuple[int, int]] = set()

    def take(self, number: int) -> Iterator[Puzzle]:
        """Yield the next so many positions that are as wished; fewer if there are no more."""
        for keys, slots in self._batches():
            chosen = np.arange(len(slots))
            if len(slots) > _SINGLY and self._wish != Wish():
                chosen = np.flatnonzero(self._may_fulfil(slots))
            for i, puzzle in self._judge(slots, chosen):
                number -= 1
                if number == 0:
                    self._advance(int(keys[i]), i + 1)
                yield puzzle
                if number == 0:
                    return
            self._advance(int(keys[-1]), len(slots))
        self.exhausted = True

    def _advance(self, priority: int, looked: int) -> None:
        """Note that all slots up to some priority have been looked at."""
        self._start = priority + 1
        self._looked += looked
        if self._progress is not None:
            histogram = self._reader().header.distinct_histogram
            total = sum(number for depth, number in histogram.items() if depth in self._depths)
            if self._limit is not None:
                total = min(total, self._limit)
            # Some positions have several slots, so there can be more than are counted.
            self._progress(self._sector, min(self._looked, total), total)

    def _batches(self) -> Iterator[tuple[npt.NDArray[np.uint64], Ints]]:
        """Yield slots and their priorities in the order of these, the first few by themselves."""
        sample = Sample(self._reader(), self._depths, self._key, self._threads)
        room = max(_SINGLY + 1, _TURNS // turns_about(self._rules, self._sector))
        size = _FIRST_SAMPLE
        batch = _SINGLY
        while True:
            keys, slots = sample.slots(self._start, size)
            first = 0
            while first < len(slots):
                stop = min(first + batch, len(slots))
                if self._limit is not None:
                    stop = min(stop, first + self._limit - self._looked)
                    if stop <= first:
                        return
                yield keys[first:stop], slots[first:stop]
                first = stop
                batch = min(room, 16 * batch)
            if len(slots) < size:
                return
            size = _NEXT_SAMPLE

    def _judge(self, slots: Ints, chosen: Ints) -> Iterator[tuple[int, Puzzle]]:
        """Yield the positions that are as wished, with the number of the slot of each.

        Args:
            slots: some slots.
            chosen: the numbers of those to look at, ascending.
        """
        numbering = layout(self._rules, self._sector)
        reader = self._reader()
        for first in range(0, len(chosen), _TOGETHER):
            some = chosen[first : first + _TOGETHER]
            pairs = np.array([numbering.masks(slot) for slot in slots[some].tolist()], np.int64)
            turned = canonical_masks(self._rules.board, pairs[:, 0], pairs[:, 1])
            for i, mover, opponent in zip(
                some.tolist(), turned[0].tolist(), turned[1].tolist(), strict=True
            ):
                if (mover, opponent) in self._seen:
                    continue
                position = found_position(self._rules, self._sector, mover, opponent)
                depths = self._depths
                _, moves = analyse_again(self._tablebase, reader, position, int(slots[i]), depths)
                if self._wish.fulfilled(position, moves):
                    self._seen.add((mover, opponent))
                    yield i, Puzzle(position, moves)

    def _may_fulfil(self, slots: Ints) -> npt.NDArray[np.bool_]:
        return may_fulfil(
            self._tablebase, self._rules, self._sector, slots, self._wish, self._threads
        )

    def _reader(self) -> TableReader:
        return self._tablebase.reader(self._rules, self._sector, "dtw")
