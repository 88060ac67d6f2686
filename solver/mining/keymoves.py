"""Key moves: the turns that win soonest, and what can be asked of them.

A *key move* of a won position is a turn that wins in as few plies as the position can be won in.
It is *quiet* if it takes nothing. It is a *sacrifice of a mill* if it moves a stone out of a
closed mill of its own side, closes no mill where it goes, and the opponent can occupy the point it
has left with the very next turn: by a slide from an adjacent point, by flying, or, where turns may
do either, by placing a stone. The mill is then open and cannot be closed again by going back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import UsageError
from solver.position import Position, Turn
from solver.probing import probe_slots
from solver.results import equally_best
from solver.rules import Rules
from solver.sectors import Sector, moves_on_board

if TYPE_CHECKING:
    from solver.checkslots import SlotCheck, Way
    from solver.results import MoveResult
    from solver.tablebase import Tablebase

__all__ = ["Kind", "Wish", "is_sacrifice", "may_fulfil", "turns_about"]

Ints = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

Kind = Literal["quiet", "capture", "sacrifice"]

_NEVER: Final = np.iinfo(np.int32).max
"""A distance that stands for having no such turn."""


class Wish(NamedTuple):
    """What is asked of the moves of a won position.

    Attributes:
        only_move: whether one turn alone must win, however long it takes, and all others not.
        kind: what every key move must be; None if any will do.
    """

    only_move: bool = False
    kind: Kind | None = None

    def fulfilled(self, position: Position, moves: list[MoveResult]) -> bool:
        """Return whether a won position is as wished.

        Args:
            position: with a known distance.
            moves: its turns, best first.
        """
        if self.only_move and sum(move.value == "win" for move in moves) != 1:
            return False
        keys = [move.turn for move in equally_best(moves)]
        if self.kind == "quiet":
            return not any(turn.captures for turn in keys)
        if self.kind == "capture":
            return all(turn.captures for turn in keys)
        if self.kind == "sacrifice":
            return all(is_sacrifice(position, turn) for turn in keys)
        return True

    def possible(self, rules: Rules, sector: Sector) -> bool:
        """Return whether the stone counts of a sector allow such moves."""
        return self.kind != "sacrifice" or moves_on_board(rules, sector)

    def check(self, rules: Rules) -> None:
        """Refuse to look for what the rules never allow.

        Raises:
            UsageError: says why.
        """
        if not rules.mill_wins or self.kind not in ("capture", "sacrifice"):
            return
        if self.kind == "capture":
            raise UsageError(f"no move of {rules.name} takes a stone: a mill wins at once")
        raise UsageError(f"no mill of {rules.name} can be given up: a mill wins at once")


def is_sacrifice(position: Position, turn: Turn) -> bool:
    """Return whether a turn gives up a mill; see the module.

    Args:
        position: before the turn.
        turn: one of its turns.
    """
    if turn.origin is None:
        return False
    through = position.rules.board.lines_through
    own = position.mover_mask
    if not any(own & line == line for line in through[turn.origin]):
        return False
    rest = own & ~(1 << turn.origin)
    if any(rest & line == line for line in through[turn.target]):
        return False
    return any(reply.target == turn.origin for reply in position.apply(turn).turns())


# -- many positions at once -------------------------------------------------------------------


def turns_about(rules: Rules, sector: Sector) -> int:
    """Return about how many turns the positions of a sector have at most, captures aside."""
    free = rules.board.size - sector.stones
    turns = free if sector.mover_hand else 0
    if moves_on_board(rules, sector):
        flies = rules.flies(sector.mover, sector.mover_hand)
        reach = free if flies else min(free, max(m.bit_count() for m in rules.board.neighbours))
        turns += sector.mover * reach
    return max(1, turns)


class _Found(NamedTuple):
    """Turns of one kind that win.

    Attributes:
        captures: whether they take something.
        sector: the sector they lead to; None if they win at once.
        owners: the number of the position of each.
        targets: the slot it leads to; empty if they win at once.
        depths: in how many plies the opponent has lost after it.
    """

    captures: bool
    sector: Sector | None
    owners: Shorts
    targets: Ints
    depths: Shorts


def may_fulfil(
    tablebase: Tablebase, rules: Rules, sector: Sector, slots: Ints, wish: Wish, threads: int
) -> Bools:
    """Return which of many won positions may be as wished, so that few need a closer look.

    All that are as wished are among them. This works out every turn of every position in compiled
    code and looks up where all of them lead, some hundred times as fast as one by one; but the
    first time the code may have to be compiled.

    Args:
        tablebase: with tables of distances of the sector and of those one turn on.
        rules: the game.
        sector: of all the positions.
        slots: the positions, shape (n,), all won. Memory is needed for all of their turns, at some
            60 bytes each.
        wish: what is asked.
        threads: threads to read with.

    Returns:
        Shape (n,).
    """
    from solver.checkslots import SlotCheck  # brings Numba

    found = _winning_turns(tablebase, SlotCheck(rules, sector), slots, threads)
    wins = np.zeros(len(slots), dtype=np.int64)
    # By whether something is taken: the least distance of a loss that such a turn leads to.
    soonest = np.full((2, len(slots)), _NEVER, dtype=np.int32)
    for turns in found:
        wins += np.bincount(turns.owners, minlength=len(slots))
        np.minimum.at(soonest[int(turns.captures)], turns.owners, turns.depths)
    quiet, capture = soonest
    good = wins == 1 if wish.only_move else wins > 0
    if wish.kind == "capture":
        good &= capture < quiet
    elif wish.kind is not None:
        good &= quiet < capture
    if wish.kind == "sacrifice":
        good &= _mills_given_up(rules, sector, slots, found, quiet)
    return good


def _winning_turns(
    tablebase: Tablebase, check: SlotCheck, slots: Ints, threads: int
) -> list[_Found]:
    """Return all turns of some positions that win."""
    parts: dict[Way | None, list[tuple[Shorts, Ints]]] = {}
    ends = np.zeros(len(slots), dtype=np.uint8)
    for way, owners, targets in check.turns(slots, ends):
        parts.setdefault(way, []).append((owners.copy(), targets.copy()))
    found = []
    if None in parts:  # what wins at once takes the stone that the opponent cannot spare
        owners = np.concatenate([part[0] for part in parts[None]])
        nowhere = np.zeros(0, dtype=np.int64)
        found.append(_Found(True, None, owners, nowhere, np.zeros(len(owners), dtype=np.int32)))
    for way, sector in check.after.items():
        if way not in parts:
            continue
        owners = np.concatenate([part[0] for part in parts[way]])
        targets = np.concatenate([part[1] for part in parts[way]])
        reader = tablebase.reader(check.rules, sector, "dtw")
        wdl, dtw = probe_slots(reader, targets, threads)
        lost = wdl < 0
        found.append(_Found(way.captured > 0, sector, owners[lost], targets[lost], dtw[lost]))
    return found


def _mills_given_up(
    rules: Rules, sector: Sector, slots: Ints, found: list[_Found], soonest: Shorts
) -> Bools:
    """Return in which positions every quiet key move leaves its side with fewer mills."""
    from solver.checkslots import positions

    before = _mills(rules, positions(rules, sector, slots)[:, 0])
    good = np.ones(len(slots), dtype=bool)
    for turns in found:
        if turns.captures or turns.sector is None:
            continue
        key = turns.depths == soonest[turns.owners]
        owners = turns.owners[key]
        # Afterwards the side that has moved is the opponent. Turning a board keeps its mills.
        after = _mills(rules, positions(rules, turns.sector, turns.targets[key])[:, 1])
        good[owners[after >= before[owners]]] = False
    return good


def _mills(rules: Rules, stones: Ints) -> Ints:
    """Return how many mills each set of stones holds."""
    count = np.zeros(len(stones), dtype=np.int64)
    for line in rules.board.line_masks:
        count += stones & line == line
    return count
