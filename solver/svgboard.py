"""The board of a picture: where everything stands, lines, stones, and the players' strips.

Units are those of the picture, which is 400 of them wide whatever the board. What is told by a
colour is told by a shape, a letter or a place as well, so that a print in black and white will do.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from solver.boards import Board
from solver.describe import capitalised, describe_end
from solver.position import Position
from solver.render import places
from solver.svgtext import INK, PALE_INK, element, fitting_size, number, sheet, width_of, words

__all__ = [
    "WIDTH",
    "Layout",
    "draw_board",
    "draw_heading",
    "draw_labels",
    "draw_stone",
    "draw_stones",
    "draw_strips",
    "group",
    "lay_out",
    "polyline",
]

WIDTH: Final = 400.0

_PAGE: Final = "#f6ecd6"
_PANEL: Final = "#fbf5e6"
_LINE: Final = "#7b6240"
_TO_MOVE: Final = "#e6d3a6"
_MILL: Final = "#d8a739"
_WHITE: Final = ("#ffffff", "#2b2620", "#c9c2b4")
_BLACK: Final = ("#24211d", "#0c0b0a", "#6e675d")
"""The face of a stone, its rim, and the groove in its face."""

_STONE: Final = 0.37
"""The radius of a stone, as a part of the way to the next file."""
_LARGEST_STONE: Final = 34.0
_EDGE: Final = 27.0
"""From the rim of a stone on the first file to the picture's edge: the ranks stand there."""
_HEADING: Final = 30.0
_SMALLEST_HEADING: Final = 9.0
"""The size of its font from which on it is rather cut."""
_STRIP: Final = 30.0
"""The height of a player's strip."""
_PAD: Final = 8.0
_SMALL_STONE: Final = 7.0
_FONT: Final = 13.0


class Layout(NamedTuple):
    """Where the parts of a picture are.

    Attributes:
        board: what is drawn.
        at: the middle of each point.
        pitch: from one file, and one rank, to the next.
        radius: of a stone.
        heading: whether there is one above everything else.
        panel: top and bottom of the board's own ground.
        height: of the whole picture.
    """

    board: Board
    at: tuple[tuple[float, float], ...]
    pitch: float
    radius: float
    heading: bool
    panel: tuple[float, float]
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the board."""
        return WIDTH / 2, (self.at[0][1] + self.at[-1][1]) / 2


def lay_out(board: Board, *, heading: bool) -> Layout:
    """Place the points of a board, and what stands around them."""
    grid = places(board)
    across = max(1, max(file for file, _ in grid))
    radius = min(_LARGEST_STONE, _STONE * (WIDTH - 2 * _EDGE) / (across + 2 * _STONE))
    pitch = (WIDTH - 2 * (_EDGE + radius)) / across
    top = (_HEADING if heading else 0) + _PAD + _STRIP
    left, first = _EDGE + radius, top + radius + 14
    at = tuple((left + pitch * file, first + pitch * rank) for file, rank in grid)
    bottom = at[-1][1] + radius + 27
    return Layout(board, at, pitch, radius, heading, (top, bottom), bottom + _STRIP + _PAD)


def group(part: str, *content: str, **attributes: str | float) -> str:
    """Return elements that belong together, named by what they show; nothing if there are none."""
    present = [item for item in content if item]
    if not present:
        return ""
    return element("g", *present, data_part=part, **attributes)


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Return the path through some points, as an element's attribute has it."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def draw_board(layout: Layout, position: Position) -> str:
    """Return the ground, the lines, the mills of both sides, and the points."""
    top, bottom = layout.panel
    paper = sheet(WIDTH, layout.height, _PAGE)
    panel = element(
        "rect", x=_PAD, y=top, width=WIDTH - 2 * _PAD, height=bottom - top, rx=6, fill=_PANEL
    )
    return "\n".join(
        part for part in (paper, panel, _lines(layout), _mills(layout, position)) if part
    )


def _lines(layout: Layout) -> str:
    """Return the edges and a dot on each point; of a board without edges, lines between cells."""
    board, at = layout.board, layout.at
    if not board.edges:
        return group("lines", _cells(layout), stroke=_LINE, stroke_width=2.5)
    path = "".join(polyline((at[i], at[j])) for i, j in board.edges)
    dots = [element("circle", cx=x, cy=y, r=4.5) for x, y in at]
    return group(
        "lines",
        element("path", d=path, stroke=_LINE, stroke_width=2.2, stroke_linecap="round"),
        *dots,
        fill=_LINE,
    )


def _cells(layout: Layout) -> str:
    """Return what parts the files and the ranks of a board whose stones stand in cells."""
    files = sorted({x for x, _ in layout.at})
    ranks = sorted({y for _, y in layout.at})
    half = layout.pitch / 2
    reach = min(half, layout.radius + 8)
    lines = [
        ((middle, ranks[0] - reach), (middle, ranks[-1] + reach))
        for middle in (left + half for left, _ in pairwise(files))
    ]
    lines += [
        ((files[0] - reach, middle), (files[-1] + reach, middle))
        for middle in (upper + half for upper, _ in pairwise(ranks))
    ]
    return element("path", d="".join(map(polyline, lines)), stroke_linecap="round")


def _mills(layout: Layout, position: Position) -> str:
    """Return a band along every line that one side's stones fill."""
    bands = [
        element("path", d=polyline((layout.at[line[0]], layout.at[line[-1]])))
        for _, line in position.mills()
    ]
    return group(
        "mills", *bands, stroke=_MILL, stroke_width=9, stroke_linecap="round", opacity=0.75
    )


def draw_labels(layout: Layout) -> str:
    """Return the names of the ranks at the left and of the files below."""
    points, at = layout.board.points, layout.at
    ranks = {y: name[1:] for name, (_, y) in zip(points, at, strict=True)}
    files = {x: name[0] for name, (x, _) in zip(points, at, strict=True)}
    below = layout.panel[1] - 11
    names = [words(_PAD + 9, y, name, _FONT, PALE_INK) for y, name in ranks.items()]
    names += [words(x, below, name, _FONT, PALE_INK) for x, name in sorted(files.items())]
    return group("coordinates", *names)


def draw_stone(
    colour: Literal["white", "black"], x: float, y: float, radius: float, **attributes: str | float
) -> str:
    """Return a stone: a shadow, a face with a rim, and a groove in it."""
    face, rim, groove = _WHITE if colour == "white" else _BLACK
    return element(
        "g",
        element("circle", cx=x, cy=y + radius * 0.09, r=radius * 1.05, fill=INK, opacity=0.25),
        element("circle", cx=x, cy=y, r=radius - 0.8, fill=face, stroke=rim, stroke_width=1.6),
        element(
            "circle",
            cx=x,
            cy=y,
            r=radius * 0.62,
            fill="none",
            stroke=groove,
            stroke_width=max(1.0, radius * 0.08),
        ),
        **attributes,
    )


def draw_stones(layout: Layout, position: Position) -> str:
    """Return the stones on the board."""
    stones = []
    for point, (x, y) in enumerate(layout.at):
        name = layout.board.points[point]
        if position.white >> point & 1:
            stones.append(draw_stone("white", x, y, layout.radius, data_white=name))
        if position.black >> point & 1:
            stones.append(draw_stone("black", x, y, layout.radius, data_black=name))
    return group("stones", *stones)


def draw_heading(layout: Layout, title: str) -> str:
    """Return a title above the picture, cut if it is too long to be read."""
    room = WIDTH - 4 * _PAD
    longest = int(room / width_of("x", _SMALLEST_HEADING))
    shown = title if len(title) <= longest else f"{title[: longest - 3]}..."
    size = fitting_size(shown, room, 16)
    y = _PAD + _HEADING / 2
    return words(WIDTH / 2, y, shown, size, INK, font_weight="bold", data_part="heading")


def draw_strips(layout: Layout, position: Position) -> str:
    """Return the players' strips: Black's above the board, White's below."""
    top, bottom = layout.panel
    return "\n".join(
        (
            _strip(position, "black", top - _STRIP / 2 - 1),
            _strip(position, "white", bottom + _STRIP / 2 + 1),
        )
    )


def _strip(position: Position, colour: Literal["white", "black"], y: float) -> str:
    """Return a player's name, whether it is that side's turn, and its stones in hand."""
    to_move = position.white_to_move == (colour == "white")
    text, x = colour.capitalize(), _PAD + 27
    outcome = position.outcome() if to_move else None
    if outcome is not None:
        end = describe_end(position, outcome)
        text = capitalised(end)
    elif to_move:
        text += " to move"
    count = position.white_hand if colour == "white" else position.black_hand
    right = WIDTH - _PAD - 35
    room = right - x - (min(count, 4) + 1) * 2 * _SMALL_STONE
    size = fitting_size(text, room, _FONT)
    parts = [draw_stone(colour, _PAD + 13, y, 8)]
    if to_move:
        ground = element(
            "rect", x=_PAD, y=y - 12, width=WIDTH - 2 * _PAD, height=24, rx=12, fill=_TO_MOVE
        )
        parts.insert(0, ground)
    weight = "bold" if to_move else "normal"
    parts.append(words(x, y, text, size, INK, text_anchor="start", font_weight=weight))
    left = x + width_of(text, size) + 2 * _SMALL_STONE
    return group(f"{colour}-strip", *parts, _hand(colour, count, (left, right), y))


def _hand(
    colour: Literal["white", "black"], count: int, room: tuple[float, float], y: float
) -> str:
    """Return the stones in a hand, closer together where there is little room, and their number."""
    if not count:
        return ""
    left, right = room
    step = min(_SMALL_STONE * 2 + 2.5, (right - left) / max(1, count - 1))
    stones = [
        draw_stone(colour, right - step * place, y, _SMALL_STONE, data_hand=colour)
        for place in range(count - 1, -1, -1)
    ]
    return "".join(stones) + words(
        right + _SMALL_STONE + 14, y, str(count), _FONT, PALE_INK, font_weight="bold"
    )
