"""Boards as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from solver.boards import Board
from solver.position import Position, Turn

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

_WHITE: Final = "1;30;107"
_BLACK: Final = "1;97;40"
"""Both ink and ground, so that stones are seen on light terminals and on dark ones."""
_MOVED: Final = "1;30;43"
_TAKEN: Final = "1;31"
_NAMES: Final = "36"

NOT_ASCII: Final = "".join(_UNICODE)
"""What a terminal must be able to show unless a board is drawn with ASCII characters alone."""


def render_text(
    position: Position,
    *,
    ascii_only: bool = False,
    colour: bool = False,
    last_turn: Turn | None = None,
) -> str:
    """Draw a position: W and B are stones, dots are free points, ranks and files are at the edge.

    Args:
        position: what to draw; hands and the side to move are not shown.
        ascii_only: draw with ASCII characters alone.
        colour: colour stones and names with the escape sequences of terminals (ECMA-48).
        last_turn: the turn that led here; in colour it is marked where its stone stands and came
            from, and an x stands where it took one.

    Returns:
        Lines without trailing spaces, joined by newlines.
    """
    board = position.rules.board
    glyphs = _ASCII if ascii_only else _UNICODE
    grid = places(board)
    margin = max(len(name) - 1 for name in board.points) + 2
    at = [(margin + _COLUMNS * file, _LINES * rank) for file, rank in grid]
    width = max(x for x, _ in at) + 1
    height = max(y for _, y in at) + 2
    canvas = [[" "] * width for _ in range(height)]
    for i, j in board.edges:
        _draw_edge(canvas, at[i], at[j], glyphs)
    inks: dict[tuple[int, int], str] = {}
    for point, (x, y) in enumerate(at):
        bit, name = 1 << point, board.points[point]
        canvas[y][x] = glyphs.free
        for stones, letter, ink in ((position.white, "W", _WHITE), (position.black, "B", _BLACK)):
            if stones & bit:
                canvas[y][x], inks[x, y] = letter, ink
        canvas[y][: len(name) - 1] = name[1:]
        canvas[-1][x] = name[0]
        inks.update({(column, y): _NAMES for column in range(len(name) - 1)})
        inks[x, height - 1] = _NAMES
    if not colour:
        return "\n".join("".join(row).rstrip() for row in canvas)
    if last_turn is not None:
        for taken in last_turn.captures:
            x, y = at[taken]
            canvas[y][x], inks[x, y] = "x", _TAKEN
        for moved in (last_turn.origin, last_turn.target):
            if moved is not None:
                inks[at[moved]] = _MOVED
    return "\n".join(_painted("".join(row).rstrip(), y, inks) for y, row in enumerate(canvas))


def _painted(line: str, y: int, inks: Mapping[tuple[int, int], str]) -> str:
    """Return a line with the colours of those of its characters that have one."""
    return "".join(
        f"\x1b[{inks[x, y]}m{character}\x1b[0m" if (x, y) in inks else character
        for x, character in enumerate(line)
    )


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
