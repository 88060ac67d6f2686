"""The rules of every game of the family, with sets of point names; slow and obvious.

Nothing here comes from the package.  A position is two sets of points and two hands, always seen by
the side to move: ``own, enemy, own_hand, enemy_hand``.  The solver that goes with these rules is
:mod:`naive_family`.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations

# ---------------------------------------------------------------------------------------- boards


@dataclass(frozen=True)
class Board:
    """Points row by row from the top left, and sets of points that are joined or in line."""

    points: tuple[str, ...]
    edges: frozenset[frozenset[str]]
    lines: frozenset[frozenset[str]]


def typed_board(points: str, edges: str, lines: str) -> Board:
    """A board from words: points ``a7``, edges ``a7-d7`` and lines ``a7-d7-g7``."""
    return Board(
        tuple(points.split()),
        frozenset(frozenset(edge.split("-")) for edge in edges.split()),
        frozenset(frozenset(line.split("-")) for line in lines.split()),
    )


def grid(files: str, ranks: str, diagonals: str, *, joined: bool) -> Board:
    """A grid whose lines are three neighbours of a row or column, and the `diagonals`.

    Args:
        files: letters from the left.
        ranks: digits from the bottom.
        diagonals: more lines, as words.
        joined: whether neighbours are joined by edges, across and upright.
    """
    rows = [[file + rank for file in files] for rank in reversed(ranks)]
    ways = rows + [list(column) for column in zip(*rows, strict=True)]
    return Board(
        tuple(point for row in rows for point in row),
        frozenset(frozenset(way[i : i + 2]) for way in ways for i in range(len(way) - 1) if joined),
        frozenset(frozenset(way[i : i + 3]) for way in ways for i in range(len(way) - 2))
        | frozenset(frozenset(line.split("-")) for line in diagonals.split()),
    )


MERELS24 = typed_board(
    """
    a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1
    """,
    """
    a7-d7 d7-g7 g7-g4 g4-g1 g1-d1 d1-a1 a1-a4 a4-a7
    b6-d6 d6-f6 f6-f4 f4-f2 f2-d2 d2-b2 b2-b4 b4-b6
    c5-d5 d5-e5 e5-e4 e4-e3 e3-d3 d3-c3 c3-c4 c4-c5
    d7-d6 d6-d5 d3-d2 d2-d1 a4-b4 b4-c4 e4-f4 f4-g4
    """,
    """
    a7-d7-g7 b6-d6-f6 c5-d5-e5 a4-b4-c4 e4-f4-g4 c3-d3-e3 b2-d2-f2 a1-d1-g1
    a1-a4-a7 b2-b4-b6 c3-c4-c5 d1-d2-d3 d5-d6-d7 e3-e4-e5 f2-f4-f6 g1-g4-g7
    """,
)
CORNERS = typed_board(
    "",
    "a1-b2 b2-c3 a7-b6 b6-c5 g7-f6 f6-e5 g1-f2 f2-e3",
    "a1-b2-c3 a7-b6-c5 g7-f6-e5 g1-f2-e3",
)
SPOKES = typed_board("", "a1-b2 a3-b2 c1-b2 c3-b2", "")
BOARDS = {
    "merels24": MERELS24,
    "merels24d": Board(
        MERELS24.points, MERELS24.edges | CORNERS.edges, MERELS24.lines | CORNERS.lines
    ),
    "merels16": typed_board(
        """
        b6 d6 f6 c5 d5 e5 b4 c4 e4 f4 c3 d3 e3 b2 d2 f2
        """,
        """
        b6-d6 d6-f6 f6-f4 f4-f2 f2-d2 d2-b2 b2-b4 b4-b6
        c5-d5 d5-e5 e5-e4 e4-e3 e3-d3 d3-c3 c3-c4 c4-c5
        d6-d5 d3-d2 b4-c4 e4-f4
        """,
        """
        b6-d6-f6 c5-d5-e5 c3-d3-e3 b2-d2-f2
        b2-b4-b6 c3-c4-c5 e3-e4-e5 f2-f4-f6
        """,
    ),
    "grid3": grid("abc", "123", "a1-b2-c3 a3-b2-c1", joined=False),
    "grid3d": grid("abc", "123", "a1-b2-c3 a3-b2-c1", joined=True),
    "grid6x5": grid("abcdef", "12345", "", joined=True),
}
BOARDS["grid3d"] = replace(BOARDS["grid3d"], edges=BOARDS["grid3d"].edges | SPOKES.edges)


@cache
def automorphisms(board: str) -> list[dict[str, str]]:
    """Every map of the points onto themselves that keeps edges and lines.

    Point after point is given each image that agrees with those given before.
    """
    points, edges, lines = BOARDS[board].points, BOARDS[board].edges, BOARDS[board].lines
    found: list[dict[str, str]] = []

    def agrees(image: dict[str, str]) -> bool:
        last = list(image)[-1]
        return all(
            ({last, other} in edges) == ({image[last], image[other]} in edges) for other in image
        ) and all(
            frozenset(image[point] for point in line) in lines
            for line in lines
            if last in line and line <= image.keys()
        )

    def extend(image: dict[str, str]) -> None:
        if len(image) == len(points):
            found.append(image)
            return
        for target in points:
            if target not in image.values():
                larger = {**image, points[len(image)]: target}
                if agrees(larger):
                    extend(larger)

    extend({})
    return found


# ----------------------------------------------------------------------------------------- games


@dataclass(frozen=True)
class Game:
    """What is played, on which board.

    Attributes:
        board: a name in `BOARDS`.
        hands: stones of the first and of the second player at the start.
        flying: a side with exactly so many stones, and none in hand, moves to any free point (with
            `place_or_slide`: with so many on the board and in hand together); None: never.
        double_mill: stones taken at most when one stone closes two lines.
        all_in_mills: which stones may be taken when all are in mills: "any" or "none".
        protected: whether stones in mills may not be taken while there are others.
        mill_wins: a line wins at once, and nothing is ever taken.
        full_board_draws: nobody has lost who cannot move on a full board, all stones placed.
        place_or_slide: a side with stones in hand may move one on the board instead.
        long_lines_forbidden: three in a row must not arise by placing, nor four by moving.
        fewest: a side with fewer stones, on the board and in hand, has lost.
    """

    board: str
    hands: tuple[int, int]
    flying: int | None = None
    double_mill: int = 1
    all_in_mills: str = "any"
    protected: bool = True
    mill_wins: bool = False
    full_board_draws: bool = False
    place_or_slide: bool = False
    long_lines_forbidden: bool = False
    fewest: int = 3


GAMES = {
    "nine": Game("merels24", (9, 9), flying=3),
    "nine-no-flying": Game("merels24", (9, 9)),
    "nine-tournament": Game("merels24", (9, 9), flying=3, double_mill=2),
    "four": Game("merels16", (4, 4)),
    "five": Game("merels16", (5, 5)),
    "six": Game("merels16", (6, 6)),
    "seven": Game("merels16", (7, 7)),
    "ten": Game("merels24", (10, 10), flying=3),
    "eleven": Game("merels24d", (11, 11), flying=3),
    "twelve": Game("merels24d", (12, 12), flying=3),
    "morabaraba": Game("merels24d", (12, 12), flying=3, full_board_draws=True),
    "lasker": Game("merels24", (10, 10), flying=3, place_or_slide=True),
    "three": Game("grid3d", (3, 3), mill_wins=True),
    "tic-tac-toe": Game("grid3", (5, 4), mill_wins=True, full_board_draws=True),
    "dara": Game("grid6x5", (12, 12), protected=False, long_lines_forbidden=True),
}

Points = AbstractSet[str]
After = tuple[frozenset[str], frozenset[str], int, int]


@cache
def lines_through(board: str, point: str) -> list[frozenset[str]]:
    """The lines of a board that a point is on."""
    return [line for line in BOARDS[board].lines if point in line]


def mills_with(game: Game, point: str, stones: Points) -> int:
    """How many lines through the point are full of `stones`."""
    return sum(line <= stones for line in lines_through(game.board, point))


def has_line(game: Game, stones: Points) -> bool:
    """Whether `stones` fill a line."""
    return any(line <= stones for line in BOARDS[game.board].lines)


def longest_row(point: str, stones: Points) -> int:
    """How many `stones` stand side by side with the one on `point`, across or upright."""
    longest = 0
    for right, up in ((1, 0), (0, 1)):
        length = 1
        for sign in (1, -1):
            file, rank = ord(point[0]), ord(point[1])
            while chr(file + sign * right) + chr(rank + sign * up) in stones:
                file, rank = file + sign * right, rank + sign * up
                length += 1
        longest = max(longest, length)
    return longest


def impossible(
    game: Game, own: Points, enemy: Points, own_hand: int = 0, enemy_hand: int = 0
) -> bool:
    """Whether the game ended before this turn, or a forbidden line stands on the board."""
    if len(enemy) + enemy_hand < game.fewest:
        return True
    if game.mill_wins and has_line(game, own):
        return True
    if game.long_lines_forbidden:
        most = 2 if own_hand or enemy_hand else 3
        return any(longest_row(point, side) > most for side in (own, enemy) for point in side)
    return False


def lost_already(game: Game, own: Points, enemy: Points, own_hand: int) -> bool:
    """Whether the side to move has lost, whatever turns there would be."""
    return len(own) + own_hand < game.fewest or (game.mill_wins and has_line(game, enemy))


def outcome(
    game: Game, own: Points, enemy: Points, own_hand: int = 0, enemy_hand: int = 0
) -> str | None:
    """How a position has ended.

    Returns:
        "impossible": it cannot be: the side not to move has lost already, or there is a forbidden
        line; "loss": the side to move has lost; "draw"; None: the game goes on.
    """
    if impossible(game, own, enemy, own_hand, enemy_hand):
        return "impossible"
    if lost_already(game, own, enemy, own_hand):
        return "loss"
    full = len(own) + len(enemy) == len(BOARDS[game.board].points)
    if game.full_board_draws and full and own_hand == enemy_hand == 0:
        return "draw"
    return None if turns(game, own, enemy, own_hand, enemy_hand) else "loss"


def removable(game: Game, stones: Points) -> set[str]:
    """Which of the enemy's stones may be taken."""
    outside = {point for point in stones if not mills_with(game, point, stones)}
    if game.protected and outside:
        return outside
    if game.protected and game.all_in_mills == "none":
        return set()
    return set(stones)


def capture_orders(
    game: Game, enemy: Points, enemy_hand: int, captures: int
) -> Iterator[tuple[str, ...]]:
    """Every legal order of `captures` captures, fewer if no more can be taken or it is won."""
    choices = removable(game, enemy)
    if captures == 0 or not choices or len(enemy) + enemy_hand < game.fewest:
        yield ()
        return
    for victim in choices:
        for rest in capture_orders(game, enemy - {victim}, enemy_hand, captures - 1):
            yield (victim, *rest)


def steps(
    game: Game, own: Points, enemy: Points, own_hand: int
) -> Iterator[tuple[str, frozenset[str], str, int]]:
    """Placements and moves, allowed or not: text, own stones, the point reached, hand."""
    board = BOARDS[game.board]
    free = [point for point in board.points if point not in own and point not in enemy]
    if own_hand:
        for end in free:
            yield end, frozenset(own | {end}), end, own_hand - 1
    if not own_hand or game.place_or_slide:
        stones = len(own) + own_hand if game.place_or_slide else len(own)
        for start in own:
            for end in free:
                if stones == game.flying or {start, end} in board.edges:
                    yield f"{start}-{end}", frozenset(own - {start} | {end}), end, own_hand


def turns(
    game: Game, own: Points, enemy: Points, own_hand: int = 0, enemy_hand: int = 0
) -> dict[str, After]:
    """Every legal turn of a possible position, by its text, and the position after it.

    A text is the point placed on or ``start-end``, then ``x`` and a point for every capture.
    Positions are ``(own, enemy, own_hand, enemy_hand)``: who has just moved comes first.
    """
    result: dict[str, After] = {}
    if lost_already(game, own, enemy, own_hand):
        return result
    for text, stones, end, hand in steps(game, own, enemy, own_hand):
        if game.long_lines_forbidden:
            placing = hand < own_hand
            if longest_row(end, stones) > (2 if placing else 3):
                continue
        captures = min(mills_with(game, end, stones), game.double_mill)
        if game.mill_wins:
            captures = 0
        orders = list(capture_orders(game, enemy, enemy_hand, captures))
        for order in orders:
            # One turn for both orders of the same two captures: the alphabetical one, if legal.
            if order == min(same for same in permutations(order) if same in orders):
                after = (stones, frozenset(enemy - set(order)), hand, enemy_hand)
                result["x".join((text, *order))] = after
    return result


def perft(game: Game, depth: int) -> int:
    """Number of sequences of `depth` whole turns from the start."""
    nothing: frozenset[str] = frozenset()
    sequences = {(nothing, nothing, *game.hands): 1}
    for _ in range(depth - 1):
        longer: dict[After, int] = {}
        for position, count in sequences.items():
            for own, enemy, own_hand, enemy_hand in turns(game, *position).values():
                after = (enemy, own, enemy_hand, own_hand)
                longer[after] = longer.get(after, 0) + count
        sequences = longer
    if depth == 0:
        return 1
    return sum(count * len(turns(game, *position)) for position, count in sequences.items())
