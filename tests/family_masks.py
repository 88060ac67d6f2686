"""The rules of the family on masks, for kernels; a second, independent form of :mod:`family_rules`.

Bit i of a mask stands for ``BOARDS[board].points[i]``.  Sets of one size are numbered in ascending
order of their masks.  There is one generator of turns for every game.

Kernels of other modules are compiled together with those here, and Numba's cache of them notices
only changes to their own file: clear it after a change to this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numba
import numpy as np
from family_rules import BOARDS, After, Game, Points

MOST_TURNS = 8192  # more than there can be

# ------------------------------------------------------------------------------- masks and numbers


def mask_of(board: str, points: Iterable[str]) -> int:
    """The mask of some points given by name."""
    return sum(1 << BOARDS[board].points.index(point) for point in points)


def points_of(board: str, mask: int) -> frozenset[str]:
    """The names of the points in a mask."""
    return frozenset(point for i, point in enumerate(BOARDS[board].points) if mask >> i & 1)


@cache
def sets(board: str, size: int) -> np.ndarray:
    """The masks of `size` points in ascending order; int64."""
    points = range(len(BOARDS[board].points))
    return np.array(sorted(sum(1 << i for i in c) for c in combinations(points, size)), np.int64)


@cache
def numbers_of(board: str) -> np.ndarray:
    """What numbers a set among those of its size: sums over halves of its mask.

    The number is the sum, over its points from the lowest, of C(i, k) for the k-th point i.

    Returns:
        int32[any, masks of a half]: row 0 is the sum over a lower half and row 1 the number of its
        points; row 2 + n is the sum over an upper half when n points come before.
    """
    points = len(BOARDS[board].points)
    half = points // 2

    def sums(first: int, before: int) -> list[int]:
        result = [0]
        for mask in range(1, 1 << (points - half)):
            last = mask.bit_length() - 1
            rank = before + bin(mask).count("1")
            result.append(result[mask ^ 1 << last] + comb(first + last, rank))
        return result

    ones = [bin(mask).count("1") for mask in range(1 << (points - half))]
    return np.array(
        [sums(0, 0), ones, *(sums(half, before) for before in range(half + 1))], np.int32
    )


@numba.njit(inline="always")
def number(rules, numbers, mask):
    """The number of a set among the sets of its size."""
    half = rules.points // 2
    lower = mask & ((1 << half) - 1)
    return numbers[0, lower] + numbers[2 + numbers[1, lower], mask >> half]


# ------------------------------------------------------------------------------- the rules on masks


class Rules(NamedTuple):
    """A game for kernels, all but the board; see `Game`.

    `flying` is -1 for never, `any_goes` is `all_in_mills` == "any", and `first_long` is the column
    of the map where lines of four begin.
    """

    points: int
    first_long: int
    flying: int
    double_mill: int
    any_goes: bool
    protected: bool
    mill_wins: bool
    full_board_draws: bool
    place_or_slide: bool
    long_lines_forbidden: bool
    fewest: int


@cache
def rules_of(game: Game) -> tuple[Rules, np.ndarray]:
    """A game for kernels.

    Returns:
        The rules, and the map of the board as int64[points, any], all masks: for every point first
        its neighbours, then the lines through it, and from column `first_long` on what four in a
        row are through it, where that is forbidden.  Rows are filled up with all points and more.
    """
    board = BOARDS[game.board]
    lines = sorted(mask_of(game.board, line) for line in board.lines)
    fours = []
    if game.long_lines_forbidden:  # two lines that share two points
        fours = [a | b for a, b in combinations(lines, 2) if bin(a & b).count("1") == 2]
    most = [
        max(sum(x >> i & 1 for x in some) for i in range(len(board.points)))
        for some in (lines, fours)
    ]
    rows = []
    for i, point in enumerate(board.points):
        row = [mask_of(game.board, (p for p in board.points if {p, point} in board.edges))]
        for some, width in zip((lines, fours), most, strict=True):
            through = [x for x in some if x >> i & 1]
            row += through + [-1] * (width - len(through))
        rows.append(row)
    rules = Rules(
        len(board.points),
        1 + most[0],
        -1 if game.flying is None else game.flying,
        game.double_mill,
        game.all_in_mills == "any",
        game.protected,
        game.mill_wins,
        game.full_board_draws,
        game.place_or_slide,
        game.long_lines_forbidden,
        game.fewest,
    )
    return rules, np.array(rows, np.int64)


@numba.njit(cache=True)
def count_bits(mask):
    """How many bits of a mask are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@numba.njit(cache=True)
def lowest(mask):
    """The lowest point of a mask that is not empty."""
    return count_bits((mask & -mask) - 1)


@numba.njit(inline="always")
def lines_with(rules, board, stones, i):
    """How many lines through point i are full of stones."""
    count = 0
    for column in range(1, rules.first_long):
        line = board[i, column]
        if stones & line == line:
            count += 1
    return count


@numba.njit(inline="always")
def four_with(rules, board, stones, i):
    """Whether a forbidden four in a row through point i are stones."""
    for column in range(rules.first_long, board.shape[1]):
        four = board[i, column]
        if stones & four == four:
            return True
    return False


@numba.njit(cache=True)
def has_full_line(rules, board, stones):
    """Whether stones fill a line."""
    found = False
    for i in range(rules.points):
        found = found or lines_with(rules, board, stones, i) > 0
    return found


@numba.njit(cache=True)
def has_four(rules, board, stones):
    """Whether stones fill a forbidden four in a row."""
    found = False
    for i in range(rules.points):
        found = found or four_with(rules, board, stones, i)
    return found


@numba.njit(cache=True)
def removable_mask(rules, board, stones):
    """Which of the enemy's stones may be taken."""
    if not rules.protected:
        return stones
    outside = stones
    for i in range(rules.points):
        if stones >> i & 1 and lines_with(rules, board, stones, i) > 0:
            outside ^= 1 << i
    if outside == 0 and rules.any_goes:
        return stones
    return outside


GOES_ON, LOST, DRAWN, IMPOSSIBLE = range(4)


@numba.njit(cache=True)
def status(rules, board, own, enemy, own_hand, enemy_hand):
    """How a position has ended, as far as that can be seen without looking for turns."""
    if count_bits(enemy) + enemy_hand < rules.fewest:
        return IMPOSSIBLE
    if rules.mill_wins and has_full_line(rules, board, own):
        return IMPOSSIBLE
    if rules.long_lines_forbidden:
        if has_four(rules, board, own) or has_four(rules, board, enemy):
            return IMPOSSIBLE
        three = has_full_line(rules, board, own) or has_full_line(rules, board, enemy)
        if three and own_hand + enemy_hand > 0:
            return IMPOSSIBLE
    if count_bits(own) + own_hand < rules.fewest:
        return LOST
    if rules.mill_wins and has_full_line(rules, board, enemy):
        return LOST
    full = own | enemy == (1 << rules.points) - 1
    if rules.full_board_draws and full and own_hand + enemy_hand == 0:
        return DRAWN
    return GOES_ON


@numba.njit(inline="always")
def add_turns(rules, board, stones, end, placed, enemy, enemy_hand, out, count):
    """Add the turns that start with one step to a list, one for every choice of captures.

    The step has left `stones`, one of them moved to point `end` or placed there.
    """
    captures = min(lines_with(rules, board, stones, end), rules.double_mill)
    if rules.long_lines_forbidden:
        if placed and captures > 0:
            return count
        if four_with(rules, board, stones, end):
            return count
    if rules.mill_wins:
        captures = 0
    first_choice = removable_mask(rules, board, enemy) if captures > 0 else 0
    if first_choice == 0:
        out[count, 0] = stones
        out[count, 1] = enemy
        out[count, 2] = placed
        out[count, 3] = 0
        return count + 1
    over = count_bits(enemy) - 1 + enemy_hand < rules.fewest
    for i in range(rules.points):
        first = 1 << i
        if not first_choice & first:
            continue
        second_choice = 0
        if captures > 1 and not over:
            second_choice = removable_mask(rules, board, enemy ^ first)
        if second_choice == 0:
            out[count, 0] = stones
            out[count, 1] = enemy ^ first
            out[count, 2] = placed
            out[count, 3] = 1
            count += 1
            continue
        for j in range(rules.points):
            second = 1 << j
            if not second_choice & second:
                continue
            # The same two the other way round are the same turn.
            both_ways = (
                first_choice & second and removable_mask(rules, board, enemy ^ second) & first
            )
            if i < j or not both_ways:
                out[count, 0] = stones
                out[count, 1] = enemy ^ first ^ second
                out[count, 2] = placed
                out[count, 3] = 2
                count += 1
    return count


@numba.njit(cache=True)
def mask_turns(rules, board, own, enemy, own_hand, enemy_hand, out):
    """All legal turns of a possible position.

    Args:
        rules: of the game.
        board: its map.
        own: the mover's stones, a mask.
        enemy: the opponent's stones, a mask.
        own_hand: stones the mover has yet to place.
        enemy_hand: stones the opponent has yet to place.
        out: int64[many, 4], filled from the top with the mover's stones afterwards, the
            opponent's, 1 for a placement or 0 for a move, and how many stones were taken.

    Returns:
        The number of turns; no two lead to the same position.
    """
    count = 0
    if status(rules, board, own, enemy, own_hand, enemy_hand) == LOST:
        return count
    free = ((1 << rules.points) - 1) & ~(own | enemy)
    if own_hand > 0:
        ends = free
        while ends:
            end = lowest(ends)
            ends ^= 1 << end
            stones = own | 1 << end
            count = add_turns(rules, board, stones, end, 1, enemy, enemy_hand, out, count)
    if own_hand == 0 or rules.place_or_slide:
        flying = count_bits(own) == rules.flying
        if rules.place_or_slide:
            flying = count_bits(own) + own_hand == rules.flying
        starts = own
        while starts:
            start = lowest(starts)
            starts ^= 1 << start
            ends = free if flying else free & board[start, 0]
            while ends:
                end = lowest(ends)
                ends ^= 1 << end
                stones = own ^ 1 << start ^ 1 << end
                count = add_turns(rules, board, stones, end, 0, enemy, enemy_hand, out, count)
    return count


def masks_after(
    game: Game, own: Points, enemy: Points, own_hand: int = 0, enemy_hand: int = 0
) -> list[After]:
    """What `mask_turns` finds, in the form of the values of `turns`."""
    out = np.zeros((MOST_TURNS, 4), np.int64)
    masks = mask_of(game.board, own), mask_of(game.board, enemy)
    count = mask_turns(*rules_of(game), *masks, own_hand, enemy_hand, out)
    return [
        (points_of(game.board, ours), points_of(game.board, theirs), own_hand - placed, enemy_hand)
        for ours, theirs, placed, _ in out[:count].tolist()
    ]
