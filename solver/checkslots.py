"""The certificate check of single slots, under any rules: what follows from those one turn on.

Everything else about the check says :mod:`solver.certificate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.checkarrays import (
    WORD_SCORES,
    board_table,
    major_table,
    minor_table,
)
from solver.kernels.check_slots import (
    DRAWN,
    IMPOSSIBLE,
    MOVED,
    PLACED,
    WIN,
    Laws,
    Numbering,
    Turns,
    find_targets,
    improve,
    list_positions,
    list_turns,
)
from solver.rules import Rules
from solver.sectors import Sector, after_turn, major_first, major_is_mover, moves_on_board
from solver.widths import WORD, Stored, widened

__all__ = ["SlotCheck", "numbering", "positions"]

Bytes = npt.NDArray[np.uint8]
Shorts = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint16]

_EMPTY: Final = np.zeros(0, dtype=np.int64)


_TURNS: Final = 1 << 16
"""Turns that are looked up at a time, if no position has more."""


def _end_scores() -> Words:
    """Return scores of slots by what is said of the game there, 0 if it goes on."""
    scores = np.zeros(4, dtype=np.uint16)
    scores[IMPOSSIBLE] = np.flatnonzero(WORD_SCORES.value == WORD.void)[0]
    scores[DRAWN] = WORD_SCORES.of_value[WORD.draw]
    return scores


_END_SCORES: Final = _end_scores()


class Way(NamedTuple):
    """A kind of turn: whether it places a stone, and how many it takes."""

    placed: bool
    captured: int

    @property
    def kind(self) -> int:
        """The kind it is in :mod:`solver.kernels.check_slots`."""
        return (PLACED if self.placed else MOVED) + self.captured


_WAYS: Final = [Way(placed, captured) for placed in (True, False) for captured in range(3)]


class SlotCheck:
    """What the check of a sector's slots needs to know.

    Attributes:
        rules: the game.
        sector: which.
        after: the sectors that turns can lead to, by the way of the turn; not those in which the
            side to move has lost for want of stones.
        room: the most turns of a slot.
    """

    def __init__(self, rules: Rules, sector: Sector) -> None:
        self.rules = rules
        self.sector = sector
        self.after: dict[Way, Sector] = {}
        for way in _WAYS:
            target = after_turn(sector, way.captured, placed=way.placed)
            if self._possible(way) and target.mover_total >= rules.fewest_stones:
                self.after[way] = target
        self._laws = _laws(rules, sector)
        self._board = board_table(rules.board)
        self._numberings = {way: numbering(rules, target) for way, target in self.after.items()}
        self.room = self._most_turns()

    def _possible(self, way: Way) -> bool:
        """Return whether turns can be of some way, as far as counts and the kind of game say."""
        rules, sector = self.rules, self.sector
        if way.placed:
            able = sector.mover_hand > 0 and sector.stones < rules.board.size
        else:
            able = moves_on_board(rules, sector)
        if not able or way.captured > sector.opponent:
            return False
        takes = not rules.mill_wins and not (way.placed and rules.long_lines_forbidden)
        return way.captured == 0 or (
            takes and (way.captured == 1 or rules.double_capture_possible(sector))
        )

    def _most_turns(self) -> int:
        """Return a number of turns that no slot exceeds."""
        rules, sector = self.rules, self.sector
        free = rules.board.size - sector.stones
        reach = free if self._laws.fly else max(m.bit_count() for m in rules.board.neighbours)
        steps = free * self._laws.places + sector.mover * reach * self._laws.moves
        choices = sector.opponent
        if rules.double_mill > 1:
            choices += sector.opponent * (sector.opponent - 1) // 2
        return max(1, steps * max(1, choices))

    def scores(self, values: Callable[[Sector, Ints], Stored], slots: Ints) -> Words:
        """Return the scores of some slots, by those one turn on; see :data:`WORD_SCORES`.

        Args:
            values: returns the stored entries of some slots of a sector of `after`.
            slots: which.
        """
        best = np.zeros(len(slots), dtype=np.uint16)
        ends = np.zeros(len(slots), dtype=np.uint8)
        for way, owners, targets in self.turns(slots, ends):
            if way is None:
                best[owners] = WORD_SCORES.of_value[0]
            else:
                entries = widened(values(self.after[way], targets))
                improve(owners, entries, WORD_SCORES.of_value, best)
        np.maximum(best, _END_SCORES[ends], out=best)
        return best

    def turns(self, slots: Ints, ends: Bytes) -> Iterator[tuple[Way | None, Shorts, Ints]]:
        """Yield what can be played in some slots, a few of them at a time.

        Args:
            slots: which.
            ends: out, uint8[slots]: whether there is something to play, or why not; valid in the
                end.

        Yields:
            A way of turns, None if they win at once; by turn the slot it is played in, as an index
            of `slots`; and the slot it leads to, if it does not win. Both are overwritten
            afterwards.
        """
        places = positions(self.rules, self.sector, slots)
        size = max(_TURNS, self.room)
        masks = np.empty((3, size), dtype=np.int32)
        turns = Turns(masks[0], np.empty(size, dtype=np.uint8), masks[1], masks[2])
        owners, targets = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int64)
        first = 0
        while first < len(slots):
            first, found = list_turns(
                first, places, self.room, self._laws, self._board, ends, turns
            )
            left = found - np.count_nonzero(turns.kind[:found] == WIN)
            if left < found:
                yield None, turns.owner[:found][turns.kind[:found] == WIN], targets[:0]
            for way, after in self._numberings.items():
                count = find_targets(way.kind, found, turns, self._board, after, owners, targets)
                left -= count
                if count:
                    yield way, owners[:count], targets[:count]
            if left != 0:  # no assert: nothing goes unchecked where Python leaves those out
                raise AssertionError("a turn leads to a sector that is not foreseen")


def numbering(rules: Rules, sector: Sector) -> Numbering:
    """Return how a sector numbers its positions."""
    major, minor = major_first(rules, sector)
    return Numbering(
        major_table(rules.board, major),
        minor_table(rules.board.size - major, minor),
        major_is_mover(rules, sector),
    )


def positions(rules: Rules, sector: Sector, slots: Ints) -> Ints:
    """Return the masks of the positions of some slots, int64[slots, 2], the mover's first."""
    out = np.empty((len(slots), 2), dtype=np.int64)
    list_positions(slots, board_table(rules.board), numbering(rules, sector), out)
    return out


def _laws(rules: Rules, sector: Sector) -> Laws:
    """Return the rules as far as they say something in a sector."""
    board = board_table(rules.board)
    void = unplaceable = unmovable = _EMPTY
    if rules.long_lines_forbidden:
        unplaceable, unmovable = board.lines, board.long_rows
        void = unmovable if sector.moving else unplaceable
    return Laws(
        places=sector.mover_hand > 0,
        moves=moves_on_board(rules, sector),
        fly=rules.flies(sector.mover, sector.mover_hand),
        takes=rules.double_mill,
        protect=rules.mills_protect,
        any_may_go=rules.all_in_mills == "any",
        one_wins=sector.opponent_total - 1 < rules.fewest_stones,
        two_win=sector.opponent_total - 2 < rules.fewest_stones,
        full_board_draws=rules.full_board_draws and sector.moving,
        winning=board.lines if rules.mill_wins else _EMPTY,
        void=void,
        unplaceable=unplaceable,
        unmovable=unmovable,
    )
