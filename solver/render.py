"""Boards as text."""

from __future__ import annotations

from typing import Final, NamedTuple

from solver.boards import Board
from solver.position import Position

__all__ = ["NOT_ASCII", "places", "render_text"]

_COLUMNS: Final = 4
"""Characters from one file to the next; with two lines from rank to rank a board looks square."""
_LINES: Final = 2


class _Glyphs(NamedTuple):
    """The characters a board is drawn with."""

    free: str
    across: str
    down: str
    rising: str
    falling: str


_ASCII: Final = _Glyphs(".", "-", "|", "/", "\\")
_UNICODE: Final = _Glyphs("\u00b7", "\u2500", "\u2502", "\u2571", "\u2572")

NOT_ASCII: Final = "".join(_UNICODE)
"""What a terminal must be able to show unless a board is drawn with ASCII characters alone."""


def render_text(position: Position, *, ascii_only: bool = False) -> str:
    """Draw a position: W and B are stones, dots are free points, ranks and files are at the edge.

    Args:
        position: what to draw; hands and the side to move are not shown.
        ascii_only: draw with ASCII characters alone.

    Returns:
        Lines without trailing spaces, joined by newlines.
    """
    board = position.rules.board
    glyphs = _ASCII if ascii_only else _UNICODE
    at = [(_COLUMNS * file, _LINES * rank) for file, rank in places(board)]
    width = max(x for x, _ in at) + 1
    height = max(y for _, y in at) + 1
    canvas = [[" "] * width for _ in range(height)]
    for i, j in board.edges:
        _draw_edge(canvas, at[i], at[j], glyphs)
    for point, (x, y) in enumerate(at):
        bit = 1 << point
        canvas[y][x] = "W" if position.white & bit else "B" if position.black & bit else glyphs.free
    names = {y: board.points[point][1:] for point, (_, y) in enumerate(at)}
    margin = max(map(len, names.values())) + 2
    lines = [names.get(y, "").ljust(margin) + "".join(row) for y, row in enumerate(canvas)]
    files = {x: board.points[point][0] for point, (x, _) in enumerate(at)}
    lines.append(" " * margin + "".join(files.get(x, " ") for x in range(width)))
    return "\n".join(line.rstrip() for line in lines)


def places(board: Board) -> list[tuple[int, int]]:
    """Return of each point how many files it is from the left, and how many ranks from the top."""
    files = [ord(name[0]) for name in board.points]
    ranks = [int(name[1:]) for name in board.points]
    left, top = min(files), max(ranks)
    return [(file - left, top - rank) for file, rank in zip(files, ranks, strict=True)]


def _draw_edge(
    canvas: list[list[str]], start: tuple[int, int], end: tuple[int, int], glyphs: _Glyphs
) -> None:
    """Draw what lies between the two points of an edge."""
    (x, y), (end_x, end_y) = start, end
    dx, dy = end_x - x, end_y - y
    if dy == 0:
        glyph = glyphs.across
    elif dx == 0:
        glyph = glyphs.down
    else:
        glyph = glyphs.falling if (dx > 0) == (dy > 0) else glyphs.rising
    steps = abs(dy) or abs(dx)
    for step in range(1, steps):
        canvas[y + dy * step // steps][x + dx * step // steps] = glyph
