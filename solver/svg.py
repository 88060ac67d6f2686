"""Boards as pictures: SVG text that stands alone, the same bytes for the same call.

    >>> from solver import Position, get_variant
    >>> from solver.svg import render_svg
    >>> picture = render_svg(Position.start(get_variant("three")))
    >>> picture.startswith('<svg xmlns="http://www.w3.org/2000/svg" width="400"')
    True

Notebooks show a `Position` and a `Game` as such a picture by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from solver.boards import Board
from solver.errors import UsageError
from solver.notation import spelled_turn
from solver.position import Position, Turn
from solver.results import MoveResult
from solver.svgboard import (
    WIDTH,
    draw_board,
    draw_heading,
    draw_labels,
    draw_stones,
    draw_strips,
    lay_out,
)
from solver.svgmarks import (
    best_by_target,
    draw_arrows,
    draw_captured,
    draw_last_turn,
    draw_selection,
    draw_values,
    value_label,
)
from solver.svgtext import document

__all__ = ["SMALLEST", "Arrow", "render_svg"]

SMALLEST = 16
"""Pixels: a picture may be no narrower."""


Arrow = Turn | tuple[int, int] | str
"""A turn, a pair of origin and target, or the text of a turn."""


def render_svg(
    position: Position,
    *,
    last_turn: Turn | None = None,
    arrows: Sequence[Arrow] = (),
    mistakes: Sequence[Arrow] = (),
    values: Sequence[MoveResult] | None = None,
    origin: int | None = None,
    size: int = 400,
    title: str | None = None,
) -> str:
    """Draw a position, with the side to move and the stones in hand.

    Args:
        position: what to draw.
        last_turn: the turn that led here: its stone is marked, where it came from, and by a cross
            what it took.
        arrows: turns to point at: an arrow for the move of a stone, a ring for a placement, and a
            cross on what is taken. They need not be legal.
        mistakes: turns to point at in red, and with broken lines.
        values: moves of the position with their values, such as ``Tablebase.moves`` returns. Each
            point shows the best of the moves that lead there: ``W9`` for a win in 9 plies,
            ``=`` for a draw, ``L8`` for a loss in 8.
        origin: a point whose stone is marked, and only the moves of that stone count as `values`.
        size: the picture's width in pixels; the height follows from the board.
        title: what it is called, shown above it; None for a title that only viewers and screen
            readers tell.

    Returns:
        An SVG document of ASCII characters, which names nothing outside itself.

    Raises:
        UsageError: a turn or `origin` is on none of the board's points, a text is no turn, or
            `size` is too small.
    """
    board = position.rules.board
    turns, wrong = ([_turn(position, arrow) for arrow in some] for some in (arrows, mistakes))
    best = best_by_target(values or (), origin)
    marked = [origin, *best]
    for turn in (*turns, *wrong, *([] if last_turn is None else [last_turn])):
        marked += [turn.origin, turn.target, *turn.captures]
    _check_points(board, marked)
    if size < SMALLEST:
        raise UsageError(f"a picture cannot be {size} pixels wide; it needs {SMALLEST} or more")
    layout = lay_out(board, heading=bool(title))
    layers = [
        draw_board(layout, position),
        draw_labels(layout),
        draw_strips(layout, position),
        draw_heading(layout, title) if title else "",
        draw_stones(layout, position),
        "" if last_turn is None else draw_last_turn(layout, last_turn),
        "" if origin is None else draw_selection(layout, origin),
        "" if last_turn is None else draw_captured(layout, last_turn, best),
        draw_arrows(layout, position, wrong, best, mistakes=True),
        draw_arrows(layout, position, turns, best),
        draw_values(layout, best),
    ]
    return document(
        "\n".join(layer for layer in layers if layer),
        title=title or f"{position.rules.name}: {position}",
        description=_describe(position, last_turn, turns, wrong, best),
        box=(WIDTH, layout.height),
        width=size,
    )


def _turn(position: Position, arrow: Arrow) -> Turn:
    if isinstance(arrow, str):
        return spelled_turn(position.rules, arrow)
    return arrow if isinstance(arrow, Turn) else Turn(*arrow)


def _check_points(board: Board, points: Iterable[int | None]) -> None:
    """Refuse what is on none of a board's points."""
    for point in points:
        if point is not None and not 0 <= point < board.size:
            raise UsageError(
                f"point {point} is not on {board.name}, whose {board.size} points are numbered from"
                f" 0 to {board.size - 1}"
            )


def _describe(
    position: Position,
    last_turn: Turn | None,
    arrows: Sequence[Turn],
    mistakes: Sequence[Turn],
    best: Mapping[int, MoveResult],
) -> str:
    """Return in words what is in the picture."""
    board = position.rules.board
    sides = [
        f"{colour}: {', '.join(board.names_of(stones)) or 'no stone'} on the board, {hand} in hand."
        for colour, stones, hand in (
            ("White", position.white, position.white_hand),
            ("Black", position.black, position.black_hand),
        )
    ]
    sentences = [f"A board of {position.rules.name}.", *sides]
    sentences.append(f"{position.mover_colour} to move.")
    if last_turn is not None:
        sentences.append(f"The last turn was {last_turn.text(board)}.")
    if arrows:
        sentences.append(f"Arrows: {', '.join(turn.text(board) for turn in arrows)}.")
    if mistakes:
        sentences.append(f"Mistakes: {', '.join(turn.text(board) for turn in mistakes)}.")
    if best:
        labels = (f"{board.points[point]} {value_label(move)}" for point, move in best.items())
        sentences.append(f"Values of the moves to: {', '.join(labels)}.")
    return " ".join(sentences)
