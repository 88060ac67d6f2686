"""Why a turn is not legal, in a sentence for who tried it."""

from __future__ import annotations

from solver.boards import Board
from solver.laws import removable
from solver.position import Position, Turn

__all__ = ["step_example", "why_no_step", "why_not_taken"]


def why_no_step(position: Position, origin: int | None, target: int) -> str:
    """Why no legal turn brings a stone from one point, or from the hand, to another."""
    board = position.rules.board
    points = board.points
    mover, hand = position.mover_colour, position.mover_hand
    if origin is None and not hand:
        return (
            f"{mover} has no stones in hand to place on {points[target]}; write where the stone"
            f" comes from and goes to, such as {step_example(board)}"
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


def why_not_taken(position: Position, choices: list[Turn], taken: list[int]) -> str:
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


def step_example(board: Board) -> str:
    """How the move of a stone on the board is written."""
    origin, target = board.edges[0] if board.edges else (0, 1)
    return f"{board.points[origin]}-{board.points[target]}"
