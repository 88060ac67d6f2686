"""What the rules allow, for stones given as masks: steps, rows, captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from solver.rules import Rules

__all__ = [
    "can_step",
    "capture_order",
    "capture_sets",
    "forbidden_rows",
    "holds_any",
    "removable",
    "steps",
    "void_rows",
]


def steps(rules: Rules, own: int, other: int, hand: int) -> list[tuple[int | None, int, int]]:
    """What the side to move can do with one stone, captures aside.

    Args:
        rules: the game.
        own: mask of the mover's stones.
        other: mask of the opponent's stones.
        hand: stones in the mover's hand.

    Returns:
        Triples of origin (a point index, None when placing), target (a point index), and the
        number of mills the stone closes there; empty if the game is over.
    """
    count = own.bit_count()
    if count + hand < rules.fewest_stones:
        return []
    board = rules.board
    if rules.mill_wins and holds_any(other, board.line_masks):
        return []
    through = board.lines_through
    free = board.full_mask & ~(own | other)
    found: list[tuple[int | None, int, int]] = []
    if hand:
        for target in _bits(free):
            mills = 0
            for line in through[target]:
                if own & line == line:
                    mills += 1
            if not (mills and rules.long_lines_forbidden):
                found.append((None, target, mills))
        if not rules.place_or_slide:
            return found
    flying = rules.flies(count, hand)
    for origin in _bits(own):
        rest = own & ~(1 << origin)
        for target in _bits(free if flying else free & board.neighbours[origin]):
            mills = 0
            for line in through[target]:
                if rest & line == line:
                    mills += 1
            if mills and rules.long_lines_forbidden:
                moved = rest | 1 << target
                if holds_any(moved, board.long_line_masks):
                    continue
            found.append((origin, target, mills))
    return found


def can_step(rules: Rules, own: int, other: int, hand: int) -> bool:
    """Whether `steps` finds anything in a game that is not over for another reason."""
    if rules.long_lines_forbidden:
        return bool(steps(rules, own, other, hand))
    free = rules.board.full_mask & ~(own | other)
    if hand or rules.flies(own.bit_count(), hand):
        return free != 0
    neighbours = rules.board.neighbours
    return any(neighbours[point] & free for point in _bits(own))


def holds_any(stones: int, rows: Iterable[int]) -> bool:
    """Whether a set of stones fills one of some rows, given as masks."""
    return any(stones & row == row for row in rows)


def forbidden_rows(rules: Rules, *, placing: bool) -> tuple[int, ...]:
    """The rows, as masks, that no side may fill: while stones are placed, and while they move."""
    if not rules.long_lines_forbidden:
        return ()
    return rules.board.line_masks if placing else rules.board.long_line_masks


def void_rows(rules: Rules, *, placing: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows, as masks, that no side to move may fill in a position, and that no opponent may."""
    forbidden = forbidden_rows(rules, placing=placing)
    # A mill of the side to move has won before.
    return (*(rules.board.line_masks if rules.mill_wins else ()), *forbidden), forbidden


def removable(rules: Rules, stones: int) -> int:
    """Which of a side's stones may be taken now.

    Args:
        rules: the game.
        stones: mask of the stones of the side that loses one.

    Returns:
        The mask of those in no mill; if all are in mills, of all or of none, as the rules say. Of
        all where mills do not protect.
    """
    if not rules.mills_protect:
        return stones
    protected = 0
    for line in rules.board.line_masks:
        if stones & line == line:
            protected |= line
    loose = stones & ~protected
    if loose:
        return loose
    return stones if rules.all_in_mills == "any" else 0


def capture_sets(rules: Rules, other: int, other_hand: int, mills: int) -> list[int]:
    """What a stone that closes some mills takes: one mask for each different choice.

    Args:
        rules: the game.
        other: mask of the stones of the side that loses some.
        other_hand: stones in that side's hand.
        mills: the number of mills closed.

    Returns:
        Masks of one stone, or of two where the rules grant them; a single empty mask if no mill
        is closed or nothing may be taken.
    """
    if not mills or rules.mill_wins:
        return [0]
    first = removable(rules, other)
    singles = [1 << point for point in _bits(first)]
    # A first capture that wins ends the turn.
    wins = other.bit_count() + other_hand - 1 < rules.fewest_stones
    if mills < 2 or rules.double_mill < 2 or wins:
        return singles or [0]
    found: set[int] = set()
    for single in singles:
        second = removable(rules, other & ~single)
        found.update(single | 1 << point for point in _bits(second))
        if not second:
            found.add(single)
    return sorted(found) or [0]


def capture_order(rules: Rules, other: int, taken: int) -> tuple[int, ...]:
    """The points of a capture, in a legal order, alphabetical where both orders are."""
    points = sorted(_bits(taken), key=rules.board.points.__getitem__)
    if len(points) == 2:
        first, second = points
        allowed = removable(rules, other) >> first & 1
        if not (allowed and removable(rules, other & ~(1 << first)) >> second & 1):
            return second, first
    return tuple(points)


def _bits(mask: int) -> Iterator[int]:
    """The indices of the bits that are set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
