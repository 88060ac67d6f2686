"""Counts the positions of a small game that can be reached from the empty board by whole turns.

Colours are not swapped and nothing is reduced by symmetry: a position is the stones of both
players, their hands and who is to move, finished games included.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numba
import numpy as np
from family_rules import Game
from naive_family import (
    DRAW,
    MOST_TURNS,
    VOID,
    Key,
    after_turn,
    mask_turns,
    moves_on_board,
    number,
    numbers_of,
    rules_of,
    sets,
)

UNSEEN, REACHED, EXPANDED = range(3)

Seen = dict[tuple[int, Key], np.ndarray]
"""For each player to move (0 or 1) and sector, what is known of its positions; as tables."""


@numba.njit(cache=True)
def expand(rules, board, numbers, movers, opponents, own_hand, enemy_hand, seen, targets):
    """Follow every turn from the positions reached but not expanded.

    Returns:
        How many positions were expanded.
    """
    out = np.zeros((MOST_TURNS, 4), np.int64)
    count = 0
    for i in range(len(movers)):
        for j in range(len(opponents)):
            if seen[i, j] != REACHED:
                continue
            seen[i, j] = EXPANDED
            count += 1
            turns = mask_turns(rules, board, movers[i], opponents[j], own_hand, enemy_hand, out)
            for turn in range(turns):
                target = targets[3 * out[turn, 2] + out[turn, 3]]
                row = number(rules, numbers, out[turn, 1])
                column = number(rules, numbers, out[turn, 0])
                if target[row, column] == UNSEEN:
                    target[row, column] = REACHED
    return count


def reachable(game: Game) -> Seen:
    """All positions that can be reached: whatever is not ``UNSEEN`` in the arrays returned."""
    rules, board = rules_of(game)
    seen: Seen = {}

    def array(player: int, key: Key) -> np.ndarray:
        if (player, key) not in seen:
            shape = len(sets(game.board, key[0])), len(sets(game.board, key[1]))
            seen[player, key] = np.zeros(shape, np.uint8)
        return seen[player, key]

    def rank(place: tuple[int, Key]) -> tuple[int, int]:
        # Every turn lowers it but a move without a capture, which leads to and fro.
        _, key = place
        return sum(key), key[2] + key[3]

    def visit(player: int, key: Key) -> int:
        targets = []
        for placed, taken in product((0, 1), (0, 1, 2)):
            after = after_turn(key, placed, taken)
            most = 0 if game.mill_wins else game.double_mill
            possible = key[2] > 0 if placed else moves_on_board(game, key)
            possible = possible and taken <= most and after[0] >= 0
            possible = possible and key[0] + key[1] + placed <= rules.points
            targets.append(array(1 - player, after) if possible else np.zeros((0, 0), np.uint8))
        movers, opponents = sets(game.board, key[0]), sets(game.board, key[1])
        arguments = (rules, board, numbers_of(game.board), movers, opponents, *key[2:])
        return expand(*arguments, seen[player, key], tuple(targets))

    array(0, (0, 0, *game.hands))[0, 0] = REACHED
    done: set[tuple[int, Key]] = set()
    while len(done) < len(seen):
        highest = max(map(rank, seen.keys() - done))
        level = [place for place in seen if rank(place) == highest]
        while sum([visit(*place) for place in level]):
            level = [place for place in seen if rank(place) == highest]
        done.update(level)
    return seen


def count_reachable(game: Game, value: Callable[[Key], np.ndarray]) -> dict[str, int]:
    """Count the positions that can be reached from the start, by what they are worth.

    Args:
        game: a small one: each player's view of a sector takes a byte for every pair of sets.
        value: the table of a sector in the form of those of `naive_family.solve_sectors`.  It is
            not asked for where the side to move has lost already for want of stones.

    Returns:
        Numbers of positions that are "won", "lost" and "drawn" for the side to move.
    """
    counts = {"won": 0, "lost": 0, "drawn": 0}
    for (_, key), array in reachable(game).items():
        there = array != UNSEEN
        if key[0] + key[2] < game.fewest:
            counts["lost"] += int(there.sum())
            continue
        if not there.any():  # counts alone led here
            continue
        values = value(key)[there]
        assert not np.any(values == VOID), "a position that cannot be was reached"
        counts["drawn"] += int(np.sum(values == DRAW))
        counts["won"] += int(np.sum((values != DRAW) & (values % 2 == 1)))
        counts["lost"] += int(np.sum((values != DRAW) & (values % 2 == 0)))
    return counts
