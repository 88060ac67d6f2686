"""The certificate check of single slots, under any rules: every turn and the slot it leads to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernels import kernel, step
from solver.kernels.check import (
    Bytes,
    Ints,
    MajorTable,
    MinorTable,
    Shorts,
    holds_any,
    removable,
    slot_of,
)

WIN, PLACED, MOVED = 0, 1, 4
"""What a turn does: wins at once; places or moves a stone, and one more for each that it takes."""
KINDS = 7
"""So many kinds there are: one wins, three place a stone and three move one."""
PLAYING, IMPOSSIBLE, LOST, DRAWN = 0, 1, 2, 3
"""Whether a game goes on; else that the slot is void, or what the side to move has come to."""


class Numbering(NamedTuple):
    """How a sector numbers its positions.

    Attributes:
        majors: the major side's sets.
        minors: the minor side's sets.
        mover_is_major: whether the side to move is the major one.
    """

    majors: MajorTable
    minors: MinorTable
    mover_is_major: bool


class Laws(NamedTuple):
    """The rules, as far as they say something in one sector.

    Attributes:
        places: whether a turn may place a stone.
        moves: whether it may move one on the board.
        fly: whether that may go to any free point.
        takes: how many stones two mills closed at once take, 1 or 2.
        protect: whether stones in mills are protected while another is in none.
        any_may_go: whether any stone may be taken when all stand in mills; else none.
        one_wins, two_win: whether taking one stone wins at once, and taking two.
        full_board_draws: whether a full board is drawn.
        winning: the rows that win, as masks.
        void: the rows that no side can hold.
        unplaceable, unmovable: the rows that no side may fill by placing and by moving a stone.
    """

    places: bool
    moves: bool
    fly: bool
    takes: int
    protect: bool
    any_may_go: bool
    one_wins: bool
    two_win: bool
    full_board_draws: bool
    winning: Ints
    void: Ints
    unplaceable: Ints
    unmovable: Ints


class Turns(NamedTuple):
    """Turns of some positions, one after the other.

    Attributes:
        owner: the number of the position.
        kind: what the turn does.
        mover, opponent: the stones of both sides afterwards, who has just moved first.
    """

    owner: Shorts
    kind: Bytes
    mover: Shorts
    opponent: Shorts


@step
def locate(mover, opponent, board, numbering):
    """Return the slot of a position given as two masks."""
    if numbering.mover_is_major:
        return slot_of(mover, opponent, board, numbering.majors, numbering.minors)
    return slot_of(opponent, mover, board, numbering.majors, numbering.minors)


@step
def masks_of(slot, board, numbering):
    """Return the position of a slot as mover's and opponent's mask."""
    slots = len(numbering.minors.sets)
    major = numbering.majors.canonical[slot // slots]
    minor, place = np.int64(0), 0
    compressed = np.int64(numbering.minors.sets[slot % slots])
    for point in range(len(board.neighbours)):
        if not major >> point & 1:
            if compressed >> place & 1:
                minor |= 1 << point
            place += 1
    if numbering.mover_is_major:
        return major, minor
    return minor, major


@kernel
def list_positions(slots, board, numbering, out):
    """Fill `out`, int64[slots, 2], with the masks of the positions of some slots."""
    for i in range(len(slots)):
        out[i, 0], out[i, 1] = masks_of(slots[i], board, numbering)


@step
def end_of(mover, opponent, laws, board):
    """Return whether the game goes on, blocked sides aside; else how it stands."""
    if holds_any(mover, laws.winning) or holds_any(mover, laws.void):
        return IMPOSSIBLE
    if holds_any(opponent, laws.void):
        return IMPOSSIBLE
    if holds_any(opponent, laws.winning):
        return LOST
    if laws.full_board_draws and mover | opponent == (1 << len(board.neighbours)) - 1:
        return DRAWN
    return PLAYING


@step
def victims_of(stones, laws, board):
    """Return which stones a mill may take."""
    if laws.protect:
        return removable(stones, board.lines, laws.any_may_go)
    return stones


@step
def mills_at(point, stones, board):
    """Return how many lines through a point are full of stones."""
    mills = 0
    for i in range(board.through.shape[1]):
        line = board.through[point, i]
        mills += stones & line == line
    return mills


@step
def add_turn(owner, kind, mover, opponent, turns, found):
    """Add a turn to a list; return the number of turns in it."""
    turns.owner[found] = owner
    turns.kind[found] = kind
    turns.mover[found] = mover
    turns.opponent[found] = opponent
    return found + 1


@step
def add_pairs(owner, kind, mover, opponent, first, victims, laws, board, turns, found):
    """Add every turn that takes a certain stone first and then another one, or none if it cannot.

    Args:
        owner, mover, opponent, victims, laws, board: see `add_turns`.
        kind: of a turn that takes none.
        first: the stone.
        turns, found: the list, and the number of turns in it.

    Returns:
        The number of turns in it now.
    """
    left = opponent ^ (1 << first)
    seconds = victims_of(left, laws, board)
    if seconds == 0:
        return add_turn(owner, kind + 1, mover, left, turns, found)
    for second in range(len(board.neighbours)):
        if not seconds >> second & 1:
            continue
        # The same two the other way round may be in the list already.
        others = victims_of(opponent ^ (1 << second), laws, board)
        if second < first and victims >> second & 1 and others >> first & 1:
            continue
        kind_now = WIN if laws.two_win else kind + 2
        found = add_turn(owner, kind_now, mover, left ^ (1 << second), turns, found)
    return found


@step
def add_turns(owner, kind, mover, opponent, end, victims, laws, board, turns, found):
    """Add a turn, or one for each choice of stones that it may take.

    Args:
        owner: the number of the position before it.
        kind: `PLACED` or `MOVED`.
        mover: the mover's stones afterwards.
        opponent: the opponent's stones before.
        end: the point that a stone has come to.
        victims: those of the opponent's stones that may be taken.
        laws, board: see the classes.
        turns, found: the list, and the number of turns in it.

    Returns:
        The number of turns in it now.
    """
    mills = mills_at(end, mover, board)
    if mills == 0 or victims == 0 or len(laws.winning) > 0:
        return add_turn(owner, kind, mover, opponent, turns, found)
    for victim in range(len(board.neighbours)):
        if not victims >> victim & 1:
            continue
        if laws.one_wins:
            found = add_turn(owner, WIN, mover, opponent ^ (1 << victim), turns, found)
        elif mills > 1 and laws.takes > 1:
            found = add_pairs(
                owner, kind, mover, opponent, victim, victims, laws, board, turns, found
            )
        else:
            found = add_turn(owner, kind + 1, mover, opponent ^ (1 << victim), turns, found)
    return found


@step
def add_all(owner, mover, opponent, laws, board, turns, found):
    """Add all turns of a position in a game that goes on; see `add_turns`."""
    points = len(board.neighbours)
    victims = victims_of(opponent, laws, board)
    free = (1 << points) - 1 - (mover | opponent)
    for end in range(points):
        if not free >> end & 1:
            continue
        more = mover | 1 << end
        # Most ends are in no row that the stones there are could fill.
        fills = mills_at(end, more, board) > 0
        if laws.places and not fills:
            found = add_turn(owner, PLACED, more, opponent, turns, found)
        elif laws.places and not holds_any(more, laws.unplaceable):
            found = add_turns(
                owner, PLACED, more, opponent, end, victims, laws, board, turns, found
            )
        if not laws.moves:
            continue
        starts = mover if laws.fly else mover & board.neighbours[end]
        while starts:
            moved = more ^ (starts & -starts)
            starts &= starts - 1
            if not fills:
                found = add_turn(owner, MOVED, moved, opponent, turns, found)
            elif not holds_any(moved, laws.unmovable):
                found = add_turns(
                    owner, MOVED, moved, opponent, end, victims, laws, board, turns, found
                )
    return found


@kernel
def list_turns(first, positions, room, laws, board, ends, turns):
    """List the turns of as many positions as fit.

    Args:
        first: the position to begin with.
        positions: int64[n, 2], mover's and opponent's masks.
        room: the most turns that a position can have.
        laws, board: see the classes.
        ends: out, uint8[n]: `PLAYING`, or why there are no turns.
        turns: out.

    Returns:
        The first position that is left, and the number of turns.
    """
    found = 0
    for i in range(first, len(positions)):
        if found + room > len(turns.kind):
            return i, found
        mover, opponent = positions[i]
        ends[i] = end_of(mover, opponent, laws, board)
        if ends[i] == PLAYING:
            found = add_all(i, mover, opponent, laws, board, turns, found)
    return len(positions), found


@kernel
def find_targets(kind, found, turns, board, numbering, owners, targets):
    """Find the slots to which the turns of a kind lead.

    Args:
        kind: which.
        found: the number of turns in the list.
        turns: the list.
        board: see the class.
        numbering: of the sector that such turns lead to.
        owners: out, int32: the position of each turn of the kind.
        targets: out, int64: the slot it leads to.

    Returns:
        How many there are.
    """
    chosen = 0
    for i in range(found):
        if turns.kind[i] == kind:
            mover, opponent = np.int64(turns.opponent[i]), np.int64(turns.mover[i])
            owners[chosen] = turns.owner[i]
            targets[chosen] = locate(mover, opponent, board, numbering)
            chosen += 1
    return chosen


@kernel
def improve(owners, entries, of_value, best):
    """Improve the scores of positions by what turns lead to.

    Args:
        owners: int32: the position of each turn.
        entries: the entry that is stored where it leads.
        of_value: scores by entry.
        best: in and out: scores by position.
    """
    for i in range(len(owners)):
        owner = np.uint64(owners[i])
        best[owner] = max(best[owner], of_value[entries[i]])
