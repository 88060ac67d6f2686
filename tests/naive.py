"""Slow, obvious twins of the solver and of the rules; nothing here comes from the package.

The boards are typed in again, positions are pairs of plain masks, nothing is reduced by symmetry,
and a unit is solved by looking at positions again until none changes any more.

Masks and tables
    Bit i of a mask stands for ``POINTS[board][i]`` (row by row from the top left).  Sets of one
    size are numbered in ascending order of their masks: ``number_of(board, mask)``.  The table of a
    sector is a two-dimensional uint8 array ``table[number of mover's set, number of opponent's]``.
    It holds the distance to win in plies (even = the mover loses, odd = the mover wins),
    ``DRAW`` for a draw and ``VOID`` where the two sets overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations

import numba
import numpy as np

DRAW = 255
VOID = 254
NEVER = 255  # a round that does not come

Tables = dict[tuple[int, ...], np.ndarray]

# ---------------------------------------------------------------------------------------- boards

POINTS = {
    "merels24": [
        "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4",
        "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
    ],
    "merels16": [
        "b6", "d6", "f6", "c5", "d5", "e5", "b4", "c4",
        "e4", "f4", "c3", "d3", "e3", "b2", "d2", "f2",
    ],
}  # fmt: skip

LINES = {
    "merels24": [
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2",
        "a1 d1 g1", "a1 a4 a7", "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5",
        "f2 f4 f6", "g1 g4 g7",
    ],
    "merels16": [
        "b6 d6 f6", "c5 d5 e5", "c3 d3 e3", "b2 d2 f2",
        "b2 b4 b6", "c3 c4 c5", "e3 e4 e5", "f2 f4 f6",
    ],
}  # fmt: skip

EDGES = {
    "merels24": [
        "a7-d7", "d7-g7", "g7-g4", "g4-g1", "g1-d1", "d1-a1", "a1-a4", "a4-a7",
        "b6-d6", "d6-f6", "f6-f4", "f4-f2", "f2-d2", "d2-b2", "b2-b4", "b4-b6",
        "c5-d5", "d5-e5", "e5-e4", "e4-e3", "e3-d3", "d3-c3", "c3-c4", "c4-c5",
        "d7-d6", "d6-d5", "d3-d2", "d2-d1", "a4-b4", "b4-c4", "e4-f4", "f4-g4",
    ],
    "merels16": [
        "b6-d6", "d6-f6", "f6-f4", "f4-f2", "f2-d2", "d2-b2", "b2-b4", "b4-b6",
        "c5-d5", "d5-e5", "e5-e4", "e4-e3", "e3-d3", "d3-c3", "c3-c4", "c4-c5",
        "d6-d5", "d3-d2", "b4-c4", "e4-f4",
    ],
}  # fmt: skip


def mask_of(board: str, points: Iterable[str]) -> int:
    """The mask of some points given by name."""
    return sum(1 << POINTS[board].index(point) for point in points)


def points_of(board: str, mask: int) -> list[str]:
    """The names of the points in a mask, in the board's order."""
    return [point for i, point in enumerate(POINTS[board]) if mask >> i & 1]


def symmetries(board: str) -> list[dict[str, str]]:
    """All symmetries of a merels board, each as a map from point to point.

    Made from a quarter turn, a mirror image and the exchange of the outermost with the innermost
    ring, as a person sees them on the drawing.
    """

    def name(column: int, row: int) -> str:
        return "abcdefg"[column + 3] + "1234567"[row + 3]

    places = {name(c, r): (c, r) for c in range(-3, 4) for r in range(-3, 4)}
    rings = sorted({max(map(abs, places[point])) for point in POINTS[board]})
    result = []
    for turns in range(4):
        for mirrored in (False, True):
            for swapped in (False, True):
                image = {}
                for point in POINTS[board]:
                    column, row = places[point]
                    if mirrored:
                        column = -column
                    for _ in range(turns):
                        column, row = row, -column
                    if swapped:
                        ring = max(abs(column), abs(row))
                        new = rings[0] + rings[-1] - ring
                        column, row = column * new // ring, row * new // ring
                    image[point] = name(column, row)
                result.append(image)
    return result


@cache
def sets(board: str, size: int) -> np.ndarray:
    """The masks of `size` points in ascending order; int64."""
    masks = [sum(1 << i for i in c) for c in combinations(range(len(POINTS[board])), size)]
    return np.array(sorted(masks), dtype=np.int64)


def number_of(board: str, mask: int) -> int:
    """The number of a set among the sets of its size, the row or column of a table."""
    return int(np.searchsorted(sets(board, bin(mask).count("1")), mask))


@cache
def line_masks(board: str) -> tuple[int, ...]:
    """All lines as masks."""
    return tuple(mask_of(board, line.split()) for line in LINES[board])


def mills_of(board: str, mask: int) -> int:
    """Those points of a mask that stand in a mill."""
    result = 0
    for line in line_masks(board):
        if mask & line == line:
            result |= line
    return result


# --------------------------------------------------------------------------------- the twin solver


@cache
def moves_of(board: str, size: int, fly: bool) -> np.ndarray:
    """All moves of each set of stones, on a board without enemies; int32[sets, moves, 3].

    A move is (the end point as a mask, the number of the set afterwards, whether it closes a
    mill).  Rows are filled up with moves onto all points at once, which are always obstructed.
    """
    neighbours = {i: set() for i in range(len(POINTS[board]))}
    for edge in EDGES[board]:
        a, b = (POINTS[board].index(point) for point in edge.split("-"))
        neighbours[a].add(b)
        neighbours[b].add(a)
    rows = []
    number = {int(mask): i for i, mask in enumerate(sets(board, size))}
    for mask in number:
        row = []
        for start, near in neighbours.items():
            for end in neighbours if fly else near:
                if mask >> start & 1 and not mask >> end & 1:
                    after = mask ^ (1 << start) ^ (1 << end)
                    row.append((1 << end, number[after], mills_of(board, after) >> end & 1))
        rows.append(row)
    longest = max(map(len, rows))
    everywhere = (1 << len(POINTS[board])) - 1
    return np.array(
        [row + [(everywhere, 0, 0)] * (longest - len(row)) for row in rows], dtype=np.int32
    )


@cache
def captures_of(board: str, size: int, all_in_mills_any: bool) -> np.ndarray:
    """What is left of each set of stones after a capture: numbers of sets; int32[sets, size].

    Rows are filled up with -1.
    """
    number = {int(mask): i for i, mask in enumerate(sets(board, size - 1))} if size else {}
    result = np.full((len(sets(board, size)), size), -1, dtype=np.int32)
    for i, mask in enumerate(sets(board, size).tolist()):
        removable = mask & ~mills_of(board, mask)
        if removable == 0 and all_in_mills_any:
            removable = mask
        left = [number[mask ^ (1 << j)] for j in range(len(POINTS[board])) if removable >> j & 1]
        result[i, : len(left)] = left
    return result


@numba.njit(cache=True)
def look(i, j, opponent, moves, captures, quiet, capture):
    """One ply of search: the value of position (i, j), judged by those after each turn.

    `quiet` is the table of the positions after a quiet move and `capture` of those after a
    capture, empty if a capture wins at once.
    """
    soonest_win = np.int64(DRAW)  # plies, as the mover counts them
    latest_loss = np.int64(0)  # stays 0 if there is no turn at all
    draw = False
    for move in range(moves.shape[1]):
        if moves[i, move, 0] & opponent:
            continue
        moved = moves[i, move, 1]
        victims = 0
        if moves[i, move, 2]:
            while victims < captures.shape[1] and captures[j, victims] >= 0:
                victims += 1
        if victims and len(capture) == 0:
            return np.int64(1)
        for victim in range(max(victims, 1)):
            if victims:
                after = np.int64(capture[captures[j, victim], moved])
            else:
                after = np.int64(quiet[j, moved])
            if after == DRAW:
                draw = True
            elif after & 1:
                latest_loss = max(latest_loss, after + 1)
            else:
                soonest_win = min(soonest_win, after + 1)
    if soonest_win < DRAW:
        return soonest_win
    if draw:
        return np.int64(DRAW)
    return latest_loss


@numba.njit(cache=True)
def sweep(
    depth, rows, movers, opponents, moves, opponent_moves, captures, table, quiet, capture, due,
    quiet_due,
):  # fmt: skip
    """Look once at every position that is due in round `depth` or before.

    A result of at most `depth` plies is final and stored; whoever may have moved there is due at
    once.  A longer one is due again when its time comes.  `due` is indexed the other way round
    than tables, by the opponent's set first, and `rows` are those of its rows worth a look.
    """
    for j in rows:
        opponent = opponents[j]
        for i in range(len(movers)):
            if due[j, i] > depth:
                continue
            due[j, i] = NEVER
            if table[i, j] != DRAW:
                continue
            result = look(i, j, opponent, moves, captures, quiet, capture)
            if result == DRAW:
                continue
            if result > depth:
                due[j, i] = result
                continue
            table[i, j] = result
            for move in range(opponent_moves.shape[1]):  # all can be taken back the same way
                if not opponent_moves[j, move, 0] & (movers[i] | opponent):
                    quiet_due[i, opponent_moves[j, move, 1]] = 0


def solve_unit(
    board: str, flying: bool, all_in_mills_any: bool, u: int, t: int, solved: Tables
) -> Tables:
    """Solve the sectors (u, t) and (t, u) of the moving phase.

    Everything starts as a draw.  Round d finds the positions decided in d plies: those of fewer
    plies are known by then, and one ply of search tells the rest.

    Args:
        board: a name in `POINTS`.
        flying: a side with exactly three stones may jump to any free point.
        all_in_mills_any: when all enemy stones stand in mills any may go, otherwise none.
        u: stones of one side, at least 3.
        t: stones of the other side, at least 3.
        solved: tables of sectors solved before; needed are (t - 1, u) and (u - 1, t) as far as
            they have 3 stones or more on each side.

    Returns:
        The tables of (u, t) and (t, u), a single one for u = t.
    """
    sectors = sorted({(u, t), (t, u)}, reverse=True)
    tables, due = {}, {}
    for mover, opponent in sectors:
        apart = (sets(board, mover)[:, None] & sets(board, opponent)[None, :]) == 0
        tables[mover, opponent] = np.where(apart, DRAW, VOID).astype(np.uint8)
        due[mover, opponent] = np.where(apart.T, 0, NEVER).astype(np.uint8)
    nothing = np.zeros((0, 0), dtype=np.uint8)
    depth = 0
    while any(np.any(rounds != NEVER) for rounds in due.values()):
        for mover, opponent in sectors:
            sweep(
                depth,
                np.flatnonzero(due[mover, opponent].min(axis=1) <= depth),
                sets(board, mover),
                sets(board, opponent),
                moves_of(board, mover, flying and mover == 3),
                moves_of(board, opponent, flying and opponent == 3),
                captures_of(board, opponent, all_in_mills_any),
                tables[mover, opponent],
                tables[opponent, mover],
                nothing if opponent == 3 else solved[opponent - 1, mover],
                due[mover, opponent],
                due[opponent, mover],
            )
        depth += 1
    assert depth < VOID, "a distance does not fit into a byte"
    return tables


def solve_units(
    board: str, flying: bool, all_in_mills_any: bool, units: Iterable[tuple[int, int]]
) -> Tables:
    """Solve some units in the order given; the tables of all their sectors."""
    solved: Tables = {}
    for u, t in units:
        solved.update(solve_unit(board, flying, all_in_mills_any, u, t, solved))
    return solved


@cache
def nine_tables() -> Tables:
    """The tables of Nine Men's Morris with up to seven stones; computed once, in 20 seconds."""
    return solve_units("merels24", True, True, [(3, 3), (4, 3)])


def value(tables: Tables, board: str, mover: int, opponent: int) -> int:
    """The stored byte of the position given by two masks, from the tables of `solve_unit`.

    A mover with fewer than three stones has lost: 0.
    """
    sizes = bin(mover).count("1"), bin(opponent).count("1")
    if sizes[0] < 3:
        return 0
    return int(tables[sizes][number_of(board, mover), number_of(board, opponent)])


@numba.njit(cache=True)
def count_values(table, mover_images, opponent_images):
    """Histograms of a table: int64[2, 256], all positions and those distinct under symmetry.

    ``images[g, i]`` is the image of set i under symmetry g as a mask; symmetry 0 is the identity.
    A position is counted as distinct when none of its images is smaller.
    """
    counts = np.zeros((2, 256), dtype=np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            counts[0, table[i, j]] += 1
            smallest = True
            for g in range(len(mover_images)):
                if mover_images[g, i] < mover_images[0, i] or (
                    mover_images[g, i] == mover_images[0, i]
                    and opponent_images[g, j] < opponent_images[0, j]
                ):
                    smallest = False
                    break
            if smallest:
                counts[1, table[i, j]] += 1
    return counts


def histograms(board: str, tables: Tables, *sector: int) -> np.ndarray:
    """Number of positions per value of one sector: int64[2, 256], all and distinct ones.

    A sector is a key of `tables`: mover's and opponent's stones, and perhaps their hands.
    """
    images = []
    for size in sector[:2]:
        rows = []
        for symmetry in symmetries(board):
            row = np.zeros(len(sets(board, size)), dtype=np.int64)
            for i, point in enumerate(POINTS[board]):
                row |= (sets(board, size) >> i & 1) << POINTS[board].index(symmetry[point])
            rows.append(row)
        images.append(np.array(rows))
    return count_values(tables[sector], *images)


# ----------------------------------------------------------------------------------- the twin rules


def mills_with(board: str, point: str, stones: set[str]) -> int:
    """How many lines through the point are full of `stones`."""
    return sum(point in line.split() and set(line.split()) <= stones for line in LINES[board])


def removable(board: str, stones: set[str], all_in_mills: str) -> set[str]:
    """Which of the enemy's stones may be captured; `all_in_mills` is "any" or "none"."""
    outside = {point for point in stones if not mills_with(board, point, stones)}
    if outside:
        return outside
    return set(stones) if all_in_mills == "any" else set()


def capture_orders(
    board: str, enemy: set[str], captures: int, all_in_mills: str, fewest: int
) -> Iterator[tuple[str, ...]]:
    """Every legal order of up to `captures` captures; `fewest`: with fewer on board it is over."""
    choices = removable(board, enemy, all_in_mills)
    if captures == 0 or not choices:
        yield ()
        return
    for victim in choices:
        left = enemy - {victim}
        over = len(left) < fewest
        for rest in capture_orders(board, left, 0 if over else captures - 1, all_in_mills, fewest):
            yield (victim, *rest)


def pure_turns(
    board: str,
    mover: Iterable[str],
    opponent: Iterable[str],
    mover_hand: int = 0,
    opponent_hand: int = 0,
    *,
    flying_at: int | None = 3,
    all_in_mills: str = "any",
    double_mill: int = 1,
) -> dict[str, tuple[frozenset[str], frozenset[str], int, int]]:
    """Every legal turn by its text, and the position after it, mover's side first as before.

    A side places while it has stones in hand and moves afterwards.  Lines with a result
    ``(mover, opponent, mover_hand, opponent_hand)``: the one who has just moved comes first.
    Nothing is legal for a side with fewer than three stones on board and in hand.
    """
    own, enemy = set(mover), set(opponent)
    free = set(POINTS[board]) - own - enemy
    if len(own) + mover_hand < 3:
        return {}
    steps: list[tuple[str, set[str], str]] = []  # text, own stones afterwards, point reached
    if mover_hand:
        steps += [(end, own | {end}, end) for end in free]
    else:
        for start in own:
            for end in free:
                slides = f"{start}-{end}" in EDGES[board] or f"{end}-{start}" in EDGES[board]
                if slides or len(own) == flying_at:
                    steps.append((f"{start}-{end}", own - {start} | {end}, end))
    turns = {}
    for text, stones, end in steps:
        captures = min(mills_with(board, end, stones), double_mill)
        orders = list(capture_orders(board, enemy, captures, all_in_mills, 3 - opponent_hand))
        for order in orders:
            # One turn for both orders of the same two captures: the alphabetical one, if legal.
            if min(p for p in permutations(order) if p in orders) == order:
                after = (
                    frozenset(stones),
                    frozenset(enemy - set(order)),
                    max(mover_hand - 1, 0),
                    opponent_hand,
                )
                turns["x".join((text, *order))] = after
    return turns


def naive_perft(
    board: str,
    depth: int,
    mover: Iterable[str] = (),
    opponent: Iterable[str] = (),
    mover_hand: int = 9,
    opponent_hand: int = 9,
    **rules: object,
) -> int:
    """Number of sequences of `depth` whole turns."""
    turns = pure_turns(board, mover, opponent, mover_hand, opponent_hand, **rules)
    if depth == 1:
        return len(turns)
    return sum(
        naive_perft(board, depth - 1, enemy, own, enemy_hand, own_hand, **rules)
        for own, enemy, own_hand, enemy_hand in turns.values()
    )
