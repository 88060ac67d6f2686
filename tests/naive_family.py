"""A slow, obvious solver for small games of the whole family; nothing comes from the package.

Positions are looked at again until none changes any more; there is no symmetry.  The rules are
those of :mod:`family_rules`, which has them on sets of names, and :mod:`family_masks`, which has
them again on masks; what tests need of both can be had from here too.

Tables
    The key of a sector is the mover's and the opponent's stones on the board, then in hand.  Its
    table is a uint16 array ``table[number of the mover's set, number of the opponent's]`` of the
    distance to the end in plies (even: the mover loses, 0: has lost; odd: the mover wins),
    ``DRAW``, or ``VOID`` where the sets overlap or the position is impossible.  Sets of one size
    are numbered in ascending order of their masks: ``sets(board, size)``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numba
import numpy as np
from family_masks import (
    DRAWN,
    IMPOSSIBLE,
    MOST_TURNS,
    count_bits,
    lowest,
    mask_of,
    mask_turns,
    masks_after,
    number,
    numbers_of,
    points_of,
    rules_of,
    sets,
    status,
)
from family_rules import (
    BOARDS,
    GAMES,
    After,
    Board,
    Game,
    Points,
    automorphisms,
    impossible,
    outcome,
    perft,
    turns,
)

__all__ = [
    "BOARDS",
    "DRAW",
    "GAMES",
    "VOID",
    "After",
    "Board",
    "Game",
    "Key",
    "Points",
    "Tables",
    "all_sectors",
    "automorphisms",
    "distinct_counts",
    "impossible",
    "mask_of",
    "mask_turns",
    "masks_after",
    "outcome",
    "perft",
    "points_of",
    "rules_of",
    "sets",
    "solve_group",
    "solve_sectors",
    "status",
    "turns",
    "unsettled",
    "value",
]

DRAW = 65535
VOID = 65534
NEVER = 65535  # a round that does not come

Key = tuple[int, int, int, int]
Tables = dict[Key, np.ndarray]

# -------------------------------------------------------------------------------------- the solver


def twin_of(key: Key) -> Key:
    """The sector a move without a capture leads to."""
    return (key[1], key[0], key[3], key[2])


def moves_on_board(game: Game, key: Key) -> bool:
    """Whether a turn of the sector can move a stone that is on the board."""
    free_to = key[2] == 0 or game.place_or_slide
    return free_to and key[0] > 0 and bool(BOARDS[game.board].edges)


def after_turn(key: Key, placed: int, taken: int) -> Key:
    """The sector after a turn."""
    return (key[1] - taken, key[0] + placed, key[3], key[2] - placed)


def all_sectors(game: Game) -> list[Key]:
    """Every sector reachable from the start by counts alone, each after those it leads to.

    Any turn may take a stone, or two where the rules allow it.  Left out are sectors whose mover
    has lost already for want of stones.
    """
    found = set()
    pending = [(0, 0, *game.hands)]
    while pending:
        key = pending.pop()
        if key in found:
            continue
        found.add(key)
        for placed in (0, 1):
            if placed and (key[2] == 0 or key[0] + key[1] == len(BOARDS[game.board].points)):
                continue
            if not placed and not moves_on_board(game, key):
                continue
            no_mills = game.mill_wins or (placed and game.long_lines_forbidden)
            for taken in range(1 if no_mills else game.double_mill + 1):
                after = after_turn(key, placed, taken)
                if after[0] >= 0 and after[0] + after[2] >= game.fewest:
                    pending.append(after)
    # A capture lowers the number of stones, a placement that of stones in hand.
    return sorted(found, key=lambda key: (sum(key), key[2] + key[3], max(key, twin_of(key)), key))


NO_TABLE, IN_TABLE, MOVER_LOST = range(3)


@numba.njit(cache=True)
def look(rules, board, numbers, own, enemy, own_hand, enemy_hand, kinds, tables, out):
    """One ply of search: the value of a position, judged by those after each turn.

    A turn is of kind ``3 * placed + taken``; ``kinds`` says where the values after it are, and
    ``tables`` has the tables.
    """
    ended = status(rules, board, own, enemy, own_hand, enemy_hand)
    if ended == DRAWN:
        return DRAW
    count = mask_turns(rules, board, own, enemy, own_hand, enemy_hand, out)
    soonest_win = DRAW  # plies, as the mover counts them
    latest_loss = 0  # stays 0 if there is no turn at all
    draw = False
    for turn in range(count):
        kind = 3 * out[turn, 2] + out[turn, 3]
        if kinds[kind] == NO_TABLE:
            raise KeyError("a turn leads to a sector that is not solved")
        after = 0
        if kinds[kind] == IN_TABLE:
            after = np.int64(
                tables[kind][
                    number(rules, numbers, out[turn, 1]), number(rules, numbers, out[turn, 0])
                ]
            )
        if after == VOID:
            raise ValueError("a turn leads to an impossible position")
        if after == DRAW:
            draw = True
        elif after % 2 == 1:
            latest_loss = max(latest_loss, after + 1)
        else:
            soonest_win = min(soonest_win, after + 1)
    if soonest_win < DRAW:
        return soonest_win
    if draw:
        return DRAW
    return latest_loss


@numba.njit(cache=True)
def prepare(rules, board, movers, opponents, own_hand, enemy_hand, table):
    """Make a table that knows only which positions there are.

    Returns:
        Those positions, ``(number of the opponent's set, number of the mover's)``; int32[any, 2].
    """
    count = 0
    for i in range(len(movers)):
        for j in range(len(opponents)):
            table[i, j] = VOID
            if movers[i] & opponents[j] == 0:
                ended = status(rules, board, movers[i], opponents[j], own_hand, enemy_hand)
                if ended != IMPOSSIBLE:
                    table[i, j] = DRAW
                    count += 1
    positions = np.zeros((count, 2), np.int32)
    count = 0
    for j in range(len(opponents)):
        for i in range(len(movers)):
            if table[i, j] == DRAW:
                positions[count, 0] = j
                positions[count, 1] = i
                count += 1
    return positions


@numba.njit(cache=True)
def call_for(depth, rules, board, numbers, enemy, free, enemy_hand, due):
    """Have positions looked at in round `depth`: those a move without a capture came from.

    They are all from which the opponent could have moved, and some more, in a row of `due`.
    """
    stones = count_bits(enemy)
    if rules.place_or_slide:
        stones += enemy_hand
    ends = enemy
    while ends:
        end = lowest(ends)
        ends ^= 1 << end
        starts = free if stones == rules.flying else free & board[end, 0]
        while starts:
            start = lowest(starts)
            starts ^= 1 << start
            before = number(rules, numbers, enemy ^ 1 << end ^ 1 << start)
            due[before] = min(due[before], depth)


@numba.njit(cache=True)
def sweep(
    depth, rules, board, numbers, movers, opponents, own_hand, enemy_hand, table, kinds, tables,
    open_, due, twin_due,
):  # fmt: skip
    """Find the positions decided in `depth` plies among those that are still open.

    Args:
        depth: the round.
        rules: of the game.
        board: its map.
        numbers: of the sets of points.
        movers: the masks of the mover's sets.
        opponents: the masks of the opponent's sets.
        own_hand: stones the mover has yet to place.
        enemy_hand: stones the opponent has yet to place.
        table: of the sector.
        kinds: see `look`.
        tables: see `look`.
        open_: the open positions as in `prepare`; those that stay open are moved to the top.
        due: the round in which to look at a position, by the opponent's set first.
        twin_due: the same of the sector whose moves without a capture lead here, or nothing.

    Returns:
        How many positions were decided, how many are still open, and whether some of these are due
        later.
    """
    out = np.zeros((MOST_TURNS, 4), np.int64)
    everywhere = (1 << rules.points) - 1
    kept = 0
    later = False
    for k in range(len(open_)):
        j, i = open_[k, 0], open_[k, 1]
        if due[j, i] <= depth:
            own, enemy = movers[i], opponents[j]
            result = look(
                rules, board, numbers, own, enemy, own_hand, enemy_hand, kinds, tables, out
            )
            if result <= depth:
                table[i, j] = result
                if len(twin_due) > 0:
                    free = everywhere & ~(own | enemy)
                    call_for(depth + 1, rules, board, numbers, enemy, free, enemy_hand, twin_due[i])
                continue
            due[j, i] = result  # NEVER if that is a draw
        later = later or due[j, i] != NEVER
        open_[kept, 0] = j
        open_[kept, 1] = i
        kept += 1
    return len(open_) - kept, kept, later


def arguments_of(game: Game, key: Key, tables: Tables) -> tuple[object, ...]:
    """What kernels want to know of a sector, from `rules` to `tables` as `sweep` has them."""
    after = [after_turn(key, placed, taken) for placed in (0, 1) for taken in (0, 1, 2)]
    kinds = [
        MOVER_LOST if a[0] + a[2] < game.fewest else IN_TABLE if a in tables else NO_TABLE
        for a in after
    ]
    return (
        *rules_of(game),
        numbers_of(game.board),
        sets(game.board, key[0]),
        sets(game.board, key[1]),
        *key[2:],
        tables[key],
        np.array(kinds),
        tuple(tables.get(a, np.zeros((0, 0), np.uint16)) for a in after),
    )


def solve_group(game: Game, group: list[Key], solved: Tables) -> Tables:
    """Solve a sector, or two that moves without a capture join, when all others are solved.

    Everything starts as a draw.  Round d finds the positions decided in d plies: those of fewer
    plies are known by then, and one ply of search tells the rest.  A position is looked at again
    when a move may lead from it to one that was decided in the round before, or when the number of
    plies has come that it takes by a turn to another sector.
    """
    rules, board = rules_of(game)
    tables: Tables = {}
    open_, due = {}, {}
    for key in group:
        movers, opponents = sets(game.board, key[0]), sets(game.board, key[1])
        tables[key] = np.zeros((len(movers), len(opponents)), np.uint16)
        due[key] = np.zeros((len(opponents), len(movers)), np.uint16)
        open_[key] = prepare(rules, board, movers, opponents, *key[2:], tables[key])
    arguments = {key: arguments_of(game, key, solved | tables) for key in group}
    nothing = np.zeros((0, 0), np.uint16)
    depth = 0
    again = True
    while again:
        again = False
        for key in group:
            decided, kept, later = sweep(
                depth, *arguments[key], open_[key], due[key], due.get(twin_of(key), nothing)
            )
            open_[key] = open_[key][:kept]
            again = again or decided > 0 or later
        depth += 1
    assert depth < VOID, "a distance does not fit"
    return tables


def solve_sectors(game: Game, sectors: Iterable[Key], solved: Tables | None = None) -> Tables:
    """Solve some sectors in the order given, each with its twin if moves lead there and back.

    Args:
        game: what is played.
        sectors: each after those that captures and placements lead to, as from `all_sectors`.
        solved: tables of sectors solved before.

    Returns:
        The tables of all of them, also those solved before.

    Raises:
        KeyError: a turn leads to a sector that has not been solved before.
    """
    tables = dict(solved or {})
    for key in sectors:
        if key not in tables:
            joined = moves_on_board(game, key) and twin_of(key) != key
            group = [key, twin_of(key)] if joined else [key]
            tables.update(solve_group(game, group, tables))
    return tables


def value(
    game: Game,
    tables: Tables,
    own: Points,
    enemy: Points,
    own_hand: int = 0,
    enemy_hand: int = 0,
) -> int:
    """The value of a position from the tables of its game; 0 for a mover with too few stones."""
    if len(own) + own_hand < game.fewest:
        return 0
    table = tables[len(own), len(enemy), own_hand, enemy_hand]
    numbers = numbers_of(game.board)
    row, column = (
        number(rules_of(game)[0], numbers, mask_of(game.board, side)) for side in (own, enemy)
    )
    return int(table[row, column])


@numba.njit(cache=True)
def count_unsettled(
    rules, board, numbers, movers, opponents, own_hand, enemy_hand, table, kinds, tables
):
    """How many values are not what one ply of search finds; the arguments are those of `sweep`."""
    out = np.zeros((MOST_TURNS, 4), np.int64)
    count = 0
    for j in range(len(opponents)):
        for i in range(len(movers)):
            if table[i, j] == VOID:
                continue
            own, enemy = movers[i], opponents[j]
            result = look(
                rules, board, numbers, own, enemy, own_hand, enemy_hand, kinds, tables, out
            )
            if table[i, j] != result:
                count += 1
    return count


def unsettled(game: Game, tables: Tables, key: Key) -> int:
    """How many values of a sector contradict the values after their turns; none are to."""
    return count_unsettled(*arguments_of(game, key, tables))


# -------------------------------------------------------------------------------------- symmetries


@numba.njit(cache=True)
def count_distinct(table, mover_images, opponent_images, counts):
    """Count the values of those positions none of whose images is smaller.

    ``images[g, i]`` is the image of set i under symmetry g as a mask; symmetry 0 is the identity.
    """
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            smallest = True
            for g in range(len(mover_images)):
                if mover_images[g, i] < mover_images[0, i] or (
                    mover_images[g, i] == mover_images[0, i]
                    and opponent_images[g, j] < opponent_images[0, j]
                ):
                    smallest = False
                    break
            if smallest:
                counts[table[i, j]] += 1


def distinct_counts(game: Game, key: Key, table: np.ndarray) -> dict[int, int]:
    """Number of positions of a sector by value, counted once if alike under symmetry; no void."""
    points = BOARDS[game.board].points
    images = []
    for size in key[:2]:
        rows = []
        for image in automorphisms(game.board):
            row = np.zeros(len(sets(game.board, size)), np.int64)
            for i, point in enumerate(points):
                row |= (sets(game.board, size) >> i & 1) << points.index(image[point])
            rows.append(row)
        images.append(np.array(rows))
    counts = np.zeros(1 << 16, np.int64)
    count_distinct(table, *images, counts)
    counts[VOID] = 0
    return {depth: count for depth, count in enumerate(counts.tolist()) if count}
