"""The text forms of positions and turns.

Positions: ``<side>:W<points>:B<points>[:H<white hand>,<black hand>]``, for example
``w:Wa4,d5,d6:Ba7,b4,c4,g4`` or the start ``w:W:B:H9,9``. Read leniently (case, spaces, order),
written canonically: points in alphabetical order, ``:H`` left out when both hands are empty. The
FEN of the Sanmill program is read too.

Turns: ``d2`` (placed), ``a1-a4`` (moved), with captures ``d6xf4``, ``f2-f4xd5``, ``d6xf4xa1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from solver.boards import Board
from solver.describe import describe_end
from solver.errors import UsageError
from solver.position import Position, Turn, removable
from solver.rules import Rules

__all__ = [
    "format_position",
    "format_sanmill",
    "format_turn",
    "parse_position",
    "parse_sanmill",
    "parse_turn",
    "replay",
]

_NUMBER = re.compile(r"[+-]?\d{1,4}", re.ASCII)


def format_position(position: Position) -> str:
    """The canonical text of a position."""
    board = position.rules.board
    white = ",".join(board.names_of(position.white))
    black = ",".join(board.names_of(position.black))
    text = f"{position.side}:W{white}:B{black}"
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
                f"{_quoted(section)} is not a part of a position, which begins with W, B or H;"
                f" write one {_position_example(rules)}"
            )
        if key in bodies:
            raise UsageError(f"the position has two parts that begin with {key}")
        bodies[key] = section[1:]
    if "W" not in bodies or "B" not in bodies:
        raise UsageError(f"{_quoted(text)} is not a position; write one {_position_example(rules)}")
    if side.lower() not in ("w", "b"):
        raise UsageError(f"the side to move is {_quoted(side)}, but it must be w or b")
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


def parse_turn(position: Position, text: str) -> Turn:
    """Read a turn and find it among the legal ones.

    Args:
        position: before the turn.
        text: the turn; case and spaces do not matter, nor the order of two captures.

    Raises:
        UsageError: the text is wrong, or the turn is not legal; says why.
    """
    board = position.rules.board
    move, *captured = "".join(text.split()).lower().split("x")
    if not move:
        raise UsageError(f"the turn is empty; write one {_turn_example(position.rules)}")
    outcome = position.outcome()
    if outcome is not None:
        raise UsageError(f"the game is over, {describe_end(position, outcome)}")
    names = move.split("-")
    if len(names) > 2:
        raise UsageError(
            f"{_quoted(text)} is not a turn; write one {_turn_example(position.rules)}"
        )
    target = _parse_point(board, names[-1])
    origin = _parse_point(board, names[0]) if len(names) == 2 else None
    taken = [_parse_point(board, name) for name in captured]
    choices = [turn for turn in position.turns() if turn[:2] == (origin, target)]
    if not choices:
        raise UsageError(_why_no_step(position, origin, target))
    for turn in choices:
        if sorted(turn.captures) == sorted(taken):
            return turn
    raise UsageError(_why_not_taken(position, choices, taken))


def replay(position: Position, turns: Iterable[str]) -> Position:
    """The position after some turns, given as texts.

    Raises:
        UsageError: one of them is not legal; says which and why.
    """
    for number, text in enumerate(turns, 1):
        try:
            position = position.apply(parse_turn(position, text))
        except UsageError as error:
            raise UsageError(f"turn {number}, {_quoted(text)}: {error}") from None
    return position


def parse_sanmill(rules: Rules, text: str) -> Position:
    """Read a FEN of the Sanmill program.

    Its first eight fields count: board, side, phase, action, then White's stones on the board and
    in hand and Black's. Later ones differ between its versions.

    Args:
        rules: a game on the 24-point board.
        text: the FEN.

    Raises:
        UsageError: the text is wrong, a removal is pending, or the position cannot be.
    """
    order = _sanmill_order(rules.board)
    fields = text.split()
    if len(fields) < 8:
        has = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        raise UsageError(f"{_quoted(text)} is not a Sanmill FEN: it has {has}, 8 are needed")
    cells, side, phase, action = fields[:4]
    if re.fullmatch(r"[O@*]{8}/[O@*]{8}/[O@*]{8}", cells) is None:
        raise UsageError(
            f"the board {_quoted(cells)} of the FEN is not three rings of eight cells O, @ or *"
        )
    if side not in ("w", "b"):
        raise UsageError(f"the side to move of the FEN is {_quoted(side)}, but it must be w or b")
    if action == "r":
        raise UsageError("a removal is pending in this FEN; give the position before or after it")
    if phase not in ("r", "p", "m", "o") or action not in ("p", "s", "?"):
        raise UsageError(f"the FEN has an unknown phase or action: {_quoted(phase + ' ' + action)}")
    masks = {"O": 0, "@": 0, "*": 0}
    for cell, point in zip(cells.replace("/", ""), order, strict=True):
        masks[cell] |= 1 << point
    white_on, white_hand, black_on, black_hand = (_parse_number(field) for field in fields[4:8])
    mover_hand = white_hand if side == "w" else black_hand
    if phase == "m" and mover_hand > 0:
        mover = "White" if side == "w" else "Black"
        raise UsageError(
            f"the FEN says that stones are moved (m), but {mover} has {mover_hand} in hand to place"
        )
    if phase == "p" and white_hand == black_hand == 0:
        raise UsageError("the FEN says that stones are placed (p), but none is in hand")
    for colour, said, mask in (("White", white_on, masks["O"]), ("Black", black_on, masks["@"])):
        shown = mask.bit_count()
        if said != shown:
            raise UsageError(
                f"the FEN counts {said} of {colour}'s stones on the board, but shows {shown}"
            )
    position = Position(rules, masks["O"], masks["@"], side == "w", white_hand, black_hand)
    position.validate()
    return position


def format_sanmill(position: Position) -> str:
    """The position as a FEN of the Sanmill program, with 17 fields.

    Raises:
        UsageError: it is not on the 24-point board.
    """
    order = _sanmill_order(position.rules.board)
    cells = "".join(
        "O" if position.white >> point & 1 else "@" if position.black >> point & 1 else "*"
        for point in order
    )
    return (
        f"{cells[:8]}/{cells[8:16]}/{cells[16:]} {position.side}"
        f" {'p p' if position.mover_hand else 'm s'}"
        f" {position.white.bit_count()} {position.white_hand}"
        f" {position.black.bit_count()} {position.black_hand} 0 0 -1 -1 -1 -1 0 0 1"
    )


# Inner, middle and outer ring, each from 12 o'clock clockwise.
_SANMILL_RINGS = (
    "d5 e5 e4 e3 d3 c3 c4 c5",
    "d6 f6 f4 f2 d2 b2 b4 b6",
    "d7 g7 g4 g1 d1 a1 a4 a7",
)


def _sanmill_order(board: Board) -> list[int]:
    """The point index of each cell of a Sanmill FEN."""
    names = " ".join(_SANMILL_RINGS).split()
    if set(names) != set(board.points):
        raise UsageError(f"a Sanmill FEN describes the 24-point board, not {board.name}")
    return [board.point_index[name] for name in names]


def _why_no_step(position: Position, origin: int | None, target: int) -> str:
    """Why no legal turn brings a stone from one point, or from the hand, to another."""
    board = position.rules.board
    points = board.points
    mover, hand = position.mover_colour, position.mover_hand
    if origin is None and not hand:
        return (
            f"{mover} has no stones in hand to place on {points[target]}; write where the stone"
            f" comes from and goes to, such as {_step_example(board)}"
        )
    if origin is not None and hand and not position.rules.place_or_slide:
        return (
            f"{mover} has {hand} in hand and must place one; write only where, such as"
            f" {points[target]}"
        )
    if origin is not None and not position.mover_mask >> origin & 1:
        if position.opponent_mask >> origin & 1:
            return f"the stone on {points[origin]} is {position.opponent_colour}'s, not {mover}'s"
        return f"there is no stone on {points[origin]}"
    if (position.white | position.black) >> target & 1:
        return f"{points[target]} is occupied"
    if origin is None or position.flying or board.neighbours[origin] >> target & 1:
        return _why_forbidden(position, origin, target)
    return f"{points[origin]} and {points[target]} are not adjacent, and {mover} {_flies(position)}"


def _why_forbidden(position: Position, origin: int | None, target: int) -> str:
    """Why a step that a stone could make is not allowed: it would make too long a row."""
    points = position.rules.board.points
    if origin is None:
        return (
            f"{points[target]} would make three or more in a row, which is forbidden while stones"
            " are placed"
        )
    return (
        f"{points[origin]}-{points[target]} would make more than three in a row, which is forbidden"
    )


def _flies(position: Position) -> str:
    """When the side to move flies, to go on after its name."""
    at = position.rules.flying_at
    if at is None:
        return "never flies"
    where = "on the board and in hand" if position.rules.place_or_slide else "left"
    return f"flies only with exactly {at} stones {where}"


def _why_not_taken(position: Position, choices: list[Turn], taken: list[int]) -> str:
    """Why a step may not take these points, given the legal turns that make the step."""
    rules = position.rules
    board = rules.board
    move = choices[0]._replace(captures=()).text(board)
    need = max(len(turn.captures) for turn in choices)
    if not need:
        own = position.apply(choices[0]).opponent_mask
        target = 1 << choices[0].target
        if not any(line & target and own & line == line for line in board.line_masks):
            return f"{move} closes no mill, so it takes nothing"
        if rules.mill_wins:
            return f"{move} closes a mill, which wins at once and takes nothing"
        return f"{move} closes a mill, but there is nothing it may take"
    for point in taken:
        if not position.opponent_mask >> point & 1:
            return f"there is no stone of {position.opponent_colour}'s on {board.points[point]}"
    if len(taken) != need or len(set(taken)) != need:
        stones = "a stone" if need == 1 else "two stones"
        texts = ", ".join(turn.text(board) for turn in choices)
        return f"{move} closes a mill and must take {stones}; choose one of {texts}"
    shielded = board.mask_of(taken) & ~removable(rules, position.opponent_mask)
    names = " and ".join(board.names_of(shielded)) or board.points[taken[-1]]
    return f"{names} may not be taken: a stone in a mill is protected while another is in none"


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
        texts.append(_step_example(rules.board))
    if not rules.mill_wins:
        texts.append(f"{points[0]}x{points[-1]}")
    return f"such as {', '.join(texts[:-1])} or {texts[-1]}" if texts[1:] else f"such as {texts[0]}"


def _step_example(board: Board) -> str:
    """How the move of a stone on the board is written."""
    origin, target = board.edges[0] if board.edges else (0, 1)
    return f"{board.points[origin]}-{board.points[target]}"


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
        bit = 1 << _parse_point(board, name)
        if mask & bit:
            raise UsageError(f"{name.lower()} is given twice among {colour}'s stones")
        mask |= bit
    return mask


def _parse_point(board: Board, name: str) -> int:
    """The index of a point, by its name in any case."""
    index = board.point_index.get(name.lower())
    if index is None:
        raise UsageError(
            f"{_quoted(name)} is not a point of the board, which has"
            f" {', '.join(sorted(board.points))}"
        )
    return index


def _parse_hands(body: str) -> tuple[int, int]:
    """White's and Black's hand from ``9,9``."""
    numbers = body.split(",")
    if len(numbers) != 2:
        raise UsageError(
            f"the hands {_quoted(body)} must be two numbers, White's and Black's, such as H9,9"
        )
    white, black = (_parse_number(number) for number in numbers)
    return white, black


def _parse_number(text: str) -> int:
    """A number of stones; negative ones are refused where the position is judged."""
    if _NUMBER.fullmatch(text) is None:
        raise UsageError(f"{_quoted(text)} is not a number of stones")
    return int(text)


def _quoted(text: str, limit: int = 40) -> str:
    """A piece of what the user wrote, on one line and not too long."""
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")
