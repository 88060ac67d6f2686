"""The text forms of positions and turns.

Positions: ``<side>:W<points>:B<points>[:H<white hand>,<black hand>]``, for example
``w:Wa4,d5,d6:Ba7,b4,c4,g4`` or the start ``w:W:B:H9,9``. Read leniently (case, spaces, order),
written canonically: points in alphabetical order, ``:H`` left out when both hands are empty. The
FEN of the Sanmill program is read too.

Turns: ``d2`` (placed), ``a1-a4`` (moved), with captures ``d6xf4``, ``f2-f4xd5``, ``d6xf4xa1``. A
capture may also stand by itself behind its turn, as Sanmill writes it: ``d6 xf4``.

Wherever a point is read, so is its number on PlayOK: points are counted from 1, row by row from the
top left, so ``12-13x3`` is ``c4-e4xg7``.
"""

from __future__ import annotations

from collections.abc import Iterable

from solver.boards import Board
from solver.describe import describe_end
from solver.errors import UsageError
from solver.illegal import step_example, why_no_step, why_not_taken
from solver.position import Position, Turn
from solver.reading import parse_number, quoted
from solver.rules import Rules
from solver.sanmill import parse_sanmill

__all__ = [
    "CAPTURE_SIGNS",
    "format_playok",
    "format_position",
    "format_turn",
    "joined_turns",
    "parse_point",
    "parse_position",
    "parse_turn",
    "replay",
    "spelled_turn",
]

_PLAIN = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212\u00d7", "------x")
"""What printed texts have instead of a hyphen and an x."""

CAPTURE_SIGNS = ("x", "X", "\u00d7")
"""What a word begins with that belongs to the turn before it."""


def format_position(position: Position) -> str:
    """The canonical text of a position."""
    board = position.rules.board
    text = f"{position.side}:W{board.text_of(position.white)}:B{board.text_of(position.black)}"
    if not position.moving:
        text += f":H{position.white_hand},{position.black_hand}"
    return text


def parse_position(rules: Rules, text: str) -> Position:
    """Read a position in the project's notation or as a Sanmill FEN.

    Args:
        rules: the game it belongs to.
        text: the position; case, spaces and the order of points do not matter.

    Raises:
        UsageError: the text is wrong, or the position cannot be; says why.
    """
    if not text.strip():
        raise UsageError(f"the position is empty; write one {_position_example(rules)}")
    if "/" in text:
        return parse_sanmill(rules, text)
    side, *sections = "".join(text.split()).split(":")
    bodies: dict[str, str] = {}
    for section in sections:
        key = section[:1].upper()
        if key not in ("W", "B", "H"):
            raise UsageError(
                f"{quoted(section)} is not a part of a position, which begins with W, B or H;"
                f" write one {_position_example(rules)}"
            )
        if key in bodies:
            raise UsageError(f"the position has two parts that begin with {key}")
        bodies[key] = section[1:]
    if "W" not in bodies or "B" not in bodies:
        raise UsageError(f"{quoted(text)} is not a position; write one {_position_example(rules)}")
    if side.lower() not in ("w", "b"):
        raise UsageError(f"the side to move is {quoted(side)}, but it must be w or b")
    white_hand, black_hand = _parse_hands(bodies["H"]) if "H" in bodies else (0, 0)
    position = Position(
        rules,
        _parse_points(rules.board, "White", bodies["W"]),
        _parse_points(rules.board, "Black", bodies["B"]),
        side.lower() == "w",
        white_hand,
        black_hand,
    )
    position.validate()
    return position


def format_turn(position: Position, turn: Turn) -> str:
    """The text of a turn on a position's board."""
    return turn.text(position.rules.board)


def format_playok(position: Position, turn: Turn) -> str:
    """The text of a turn in PlayOK's numbers, such as ``10-11x3``."""
    origin = "" if turn.origin is None else f"{turn.origin + 1}-"
    return "x".join([f"{origin}{turn.target + 1}", *(f"{taken + 1}" for taken in turn.captures)])


def parse_turn(position: Position, text: str) -> Turn:
    """Read a turn and find it among the legal ones.

    Args:
        position: before the turn.
        text: the turn; case and spaces do not matter, nor the order of two captures.

    Raises:
        UsageError: the text is wrong, or the turn is not legal; says why.
    """
    origin, target, taken = spelled_turn(position.rules, text)
    outcome = position.outcome()
    if outcome is not None:
        raise UsageError(f"the game is over, {describe_end(position, outcome)}")
    choices = [turn for turn in position.turns() if turn[:2] == (origin, target)]
    if not choices:
        raise UsageError(why_no_step(position, origin, target))
    for turn in choices:
        if sorted(turn.captures) == sorted(taken):
            return turn
    raise UsageError(why_not_taken(position, choices, list(taken)))


def spelled_turn(rules: Rules, text: str) -> Turn:
    """Read a turn as it is written, whether or not it is legal anywhere.

    Args:
        rules: the game; its board has the points.
        text: the turn; case and spaces do not matter.

    Raises:
        UsageError: the text is no turn, or names a point that is not there.
    """
    board = rules.board
    move, *captured = "".join(text.split()).translate(_PLAIN).lower().split("x")
    if captured and not move:
        raise UsageError(
            f"{quoted(text)} is only what a turn takes; write it behind a move, such as"
            f" {board.points[0]}{text.strip().lower()}"
        )
    if not move:
        raise UsageError(f"the turn is empty; write one {_turn_example(rules)}")
    names = move.split("-")
    if len(names) > 2:
        raise UsageError(f"{quoted(text)} is not a turn; write one {_turn_example(rules)}")
    target = parse_point(board, names[-1])
    origin = parse_point(board, names[0]) if len(names) == 2 else None
    return Turn(origin, target, tuple(parse_point(board, name) for name in captured))


def joined_turns(words: Iterable[str]) -> list[str]:
    """The turns that some words make: a word such as ``xb4`` belongs to the turn before it."""
    turns: list[str] = []
    for word in words:
        if turns and word.startswith(CAPTURE_SIGNS):
            turns[-1] += word
        else:
            turns.append(word)
    return turns


def replay(position: Position, turns: Iterable[str]) -> Position:
    """The position after some turns, given as texts; see :func:`joined_turns`.

    Raises:
        UsageError: one of them is not legal; says which and why.
    """
    for number, text in enumerate(joined_turns(turns), 1):
        try:
            position = position.apply(parse_turn(position, text))
        except UsageError as error:
            raise UsageError(f"turn {number}, {quoted(text)}: {error}") from None
    return position


def _position_example(rules: Rules) -> str:
    """How a position of a game is written, to follow a request for one."""
    start = format_position(Position.start(rules))
    if not rules.stones_move:
        return f"such as {start}"
    # Six points in turn: no side has three in a row, on any board.
    some = Position(rules, 0b010101, 0b101010)
    return f"such as {format_position(some)} or, with stones in hand, {start}"


def _turn_example(rules: Rules) -> str:
    """How a turn of a game is written, to follow a request for one."""
    points = rules.board.points
    texts = [points[0]]
    if rules.stones_move:
        texts.append(step_example(rules.board))
    if not rules.mill_wins:
        texts.append(f"{points[0]}x{points[-1]}")
    return f"such as {', '.join(texts[:-1])} or {texts[-1]}" if texts[1:] else f"such as {texts[0]}"


def _parse_points(board: Board, colour: str, body: str) -> int:
    """The mask of a comma-separated list of points, which may be empty."""
    mask = 0
    names = body.split(",") if body else []
    for place, name in enumerate(names):
        if not name:
            where = (
                "before the first comma"
                if place == 0
                else "after the last comma"
                if place == len(names) - 1
                else "between two commas"
            )
            raise UsageError(f"the name of a point is missing {where} of {colour}'s stones")
        bit = 1 << parse_point(board, name)
        if mask & bit:
            raise UsageError(f"{name.lower()} is given twice among {colour}'s stones")
        mask |= bit
    return mask


def parse_point(board: Board, name: str) -> int:
    """The index of a point, by its name in any case or by its number on PlayOK."""
    index = board.point_index.get(name.lower())
    if index is not None:
        return index
    if not name:
        raise UsageError("the name of a point is missing")
    if name.isascii() and name.isdecimal():
        if len(name) <= 3 and 1 <= int(name) <= board.size:
            return int(name) - 1
        raise UsageError(f"{quoted(name)} is not the number of a point, which is 1 to {board.size}")
    raise UsageError(
        f"{quoted(name)} is not a point of the board, which has {', '.join(sorted(board.points))}"
    )


def _parse_hands(body: str) -> tuple[int, int]:
    """White's and Black's hand from ``9,9``."""
    numbers = body.split(",")
    if len(numbers) != 2:
        raise UsageError(
            f"the hands {quoted(body)} must be two numbers, White's and Black's, such as H9,9"
        )
    white, black = (parse_number(number) for number in numbers)
    return white, black
