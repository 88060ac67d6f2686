"""What is known of games, moves and tables as records that JSON can hold.

Commands with ``--json`` and the HTTP interface answer with these. Colours are ``white`` and
``black``, points and sectors their names, positions and turns their texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from solver.boards import Board
from solver.describe import describe_rules
from solver.game import Game
from solver.laws import removable, steps
from solver.notation import format_position
from solver.position import Position, Turn
from solver.render import places
from solver.results import Line, MoveResult, Result
from solver.rules import Rules, options_of
from solver.sectors import Sector
from solver.symmetries import Symmetry, symmetries

if TYPE_CHECKING:
    from solver.plan import Plan
    from solver.tablefile import TableReader
    from solver.tableheader import Counts

__all__ = [
    "Facts",
    "board_facts",
    "game_facts",
    "line_facts",
    "move_facts",
    "plan_facts",
    "result_facts",
    "rule_fields",
    "rules_facts",
    "sector_facts",
    "symmetry_facts",
    "turn_facts",
]

Facts = dict[str, Any]
"""A record that JSON can hold."""


# -- games and moves ----------------------------------------------------------------------------


def game_facts(game: Game) -> Facts:
    """What the rules say of the position that a game has come to.

    Returns:
        Whose turn it is and what is due (``place``, ``move``, ``fly``; nothing once the position
        is over), the stones, the mills, the last turn, the turns played, how often the position has
        occurred, plies without a capture and how many are left, and how the game has ended.
    """
    position, board = game.position, game.rules.board
    turns = game.turns_played
    end = game.outcome()
    return {
        "variant": game.rules.name,
        "position": str(position),
        "side": position.mover_colour.lower(),
        "white": board.names_of(position.white),
        "black": board.names_of(position.black),
        "white_hand": position.white_hand,
        "black_hand": position.black_hand,
        "sector": str(position.sector),
        "due": _due(position),
        "mills": [
            {"side": side, "points": [board.points[point] for point in line]}
            for side, line in position.mills()
        ],
        "last_turn": _parts(board, turns[-1]) if turns else None,
        "played": [turn.text(board) for turn in turns],
        "occurrences": game.occurrences,
        "plies_without_capture": game.plies_without_capture,
        "plies_left": game.plies_left(),
        "end": end
        and {
            "winner": end.winner and end.winner.lower(),
            "reason": end.reason.value,
            "text": end.text,
        },
    }


def _due(position: Position) -> list[str]:
    """What the side to move can do with a stone."""
    due = []
    found = steps(position.rules, position.mover_mask, position.opponent_mask, position.mover_hand)
    placed = {origin is None for origin, _, _ in found}
    if True in placed:
        due.append("place")
    if False in placed:
        due.append("fly" if position.flying else "move")
    return due


def turn_facts(position: Position, turn: Turn, after: Position | None = None) -> Facts:
    """A legal turn of a position in parts, so that it can be made point by point.

    Args:
        position: before the turn.
        turn: the turn.
        after: the position after it, if it is known.
    """
    board = position.rules.board
    return {
        **_parts(board, turn),
        "any_order": len(turn.captures) > 1 and _any_order(position, turn),
        "position": format_position(after or position.apply(turn)),
    }


def move_facts(move: MoveResult) -> Facts:
    """A turn with what it is worth to who makes it."""
    return {"move": move.text, **result_facts(move.result), "position": str(move.position)}


def result_facts(result: Result) -> Facts:
    """A value and its distance."""
    return {"value": result.value, "dtw": result.dtw}


def _parts(board: Board, turn: Turn) -> Facts:
    return {
        "move": turn.text(board),
        "from": None if turn.origin is None else board.points[turn.origin],
        "to": board.points[turn.target],
        "captures": [board.points[point] for point in turn.captures],
    }


def _any_order(position: Position, turn: Turn) -> bool:
    """Whether of the two stones that a turn takes either may go first."""
    rules, others = position.rules, position.opponent_mask
    first, second = (1 << point for point in turn.captures)
    # They are in an order that is legal; the other one is if the second may go first.
    return bool(removable(rules, others) & second and removable(rules, others & ~second) & first)


def line_facts(
    position: Position, result: Result, line: Line, steps: list[Facts], warning: str | None
) -> Facts:
    """Best play from a position whose result is known; `steps` has the records of its moves."""
    return {
        "variant": position.rules.name,
        "position": str(position),
        **result_facts(result),
        "line": steps,
        "ended": line.ended,
        "warning": warning,
    }


# -- rules and boards ---------------------------------------------------------------------------


def rules_facts(rules: Rules) -> Facts:
    """A variant: its rules in words and as numbers, and the options that mean something."""
    return {
        "name": rules.name,
        "variant": rules.name.partition(" ")[0],
        "board": rules.board.name,
        "start": str(Position.start(rules)),
        "text": describe_rules(rules),
        "fields": {"stones_move": rules.stones_move, **rule_fields(rules)},
        "options": {name: list(option.values) for name, option in options_of(rules).items()},
        "chosen": {
            name: next(
                text
                for text, value in option.values.items()
                if value == getattr(rules, option.field)
            )
            for name, option in options_of(rules).items()
        },
    }


def rule_fields(rules: Rules) -> Facts:
    """The fields of :class:`solver.rules.Rules`, but for the name and the board."""
    return {
        "stones": rules.stones,
        "second_stones": rules.hands[1],
        "flying_at": rules.flying_at,
        "mill_wins": rules.mill_wins,
        "double_mill": rules.double_mill,
        "mills_protect": rules.mills_protect,
        "all_in_mills": rules.all_in_mills,
        "fewest_stones": rules.fewest_stones,
        "full_board_draws": rules.full_board_draws,
        "place_or_slide": rules.place_or_slide,
        "long_lines_forbidden": rules.long_lines_forbidden,
        "repetition": rules.repetition,
        "quiet_limit": rules.quiet_limit,
    }


def board_facts(board: Board) -> Facts:
    """A board: its points with their places, edges to move along, lines that are mills, symmetries.

    Of each symmetry, `points` has the points that those of the board go to, in their order.
    """
    points = board.points
    return {
        "points": [
            {"name": name, "x": x, "y": y}
            for name, (x, y) in zip(points, places(board), strict=True)
        ],
        "edges": [[points[end] for end in edge] for edge in board.edges],
        "lines": [[points[point] for point in line] for line in board.lines],
        "symmetries": [
            {
                "points": [points[point] for point in symmetry.permutation],
                **symmetry_facts(symmetry),
            }
            for symmetry in symmetries(board)
        ],
    }


def symmetry_facts(symmetry: Symmetry) -> Facts:
    """What a symmetry does to the picture of a board."""
    return {
        "quarter_turns": symmetry.quarter_turns,
        "mirrored": symmetry.mirrored,
        "swapped": symmetry.swapped,
    }


# -- tables -------------------------------------------------------------------------------------


def sector_facts(rules: Rules, sector: Sector, reader: TableReader) -> Facts:
    """What a sector's table counts: values, deepest distances, and how often each distance is.

    Odd distances are those of wins, even ones those of losses.
    """
    header = reader.header
    return {
        "variant": rules.name,
        "sector": str(sector),
        "slots": header.slots,
        "positions": _counts(header.positions),
        "distinct": _counts(header.distinct),
        "deepest_win": header.deepest_win,
        "deepest_loss": header.deepest_loss,
        "histogram": {
            "positions": _by_depth(header.position_histogram),
            "distinct": _by_depth(header.distinct_histogram),
        },
        "bytes": reader.size,
    }


def plan_facts(plan: Plan) -> Facts:
    """What making some tables takes, about: bytes on disk, bytes of memory, seconds."""
    return {"bytes": plan.bytes, "memory": plan.memory, "seconds": round(plan.seconds, 3)}


def _counts(counts: Counts) -> dict[str, int]:
    return {"total": counts.total, **counts._asdict()}


def _by_depth(histogram: Mapping[int, int]) -> dict[str, int]:
    return {str(depth): histogram[depth] for depth in sorted(histogram)}
