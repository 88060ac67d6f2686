"""What is marked on a picture of a board: the last turn, arrows, and what moves are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from solver.position import Position, Turn
from solver.results import MoveResult, Value, best_first
from solver.svgboard import Layout, group, polyline
from solver.svgtext import COLOURS, element, fitting_size, number, words

__all__ = [
    "best_by_target",
    "draw_arrows",
    "draw_captured",
    "draw_last_turn",
    "draw_selection",
    "draw_values",
    "value_label",
]

_LAST: Final = "#e0932f"
_ARROW: Final = "#1c62b8"
_CROSS: Final = "#c22a1e"
_DASHES: Final = "7 7"
_CASING: Final = "#ffffff"
"""Around marks and labels, which may lie on anything."""
_WIDEST_LABEL: Final = 56.0
_LETTERS: Final[dict[Value, str]] = {"win": "W", "draw": "=", "loss": "L"}


# -- the last turn ------------------------------------------------------------------------------


def draw_last_turn(layout: Layout, turn: Turn) -> str:
    """Return a ring around the stone that moved, and a broken one where it came from."""
    parts = [_halo(layout, turn.target, _LAST)]
    if turn.origin is not None:
        x, y = layout.at[turn.origin]
        parts.append(
            element(
                "circle",
                cx=x,
                cy=y,
                r=layout.radius - 2,
                fill="none",
                stroke=_LAST,
                stroke_width=3,
                stroke_dasharray="5 4",
            )
        )
    return group("last-turn", *parts)


def draw_captured(layout: Layout, turn: Turn, labelled: Iterable[int]) -> str:
    """Return a cross where each stone was taken from, at the corner of those with a label."""
    labelled = set(labelled)
    crosses = []
    for point in turn.captures:
        x, y = layout.at[point]
        if point in labelled:
            off = layout.radius * 0.95
            crosses.append(_cross(x + off, y - off, layout.radius * 0.28))
        else:
            crosses.append(_cross(x, y, layout.radius * 0.55))
    return group("captured", *crosses)


def _cross(x: float, y: float, reach: float) -> str:
    """Return a cross that is seen on white, on black and on the board."""
    path = polyline(((x - reach, y - reach), (x + reach, y + reach)))
    path += polyline(((x - reach, y + reach), (x + reach, y - reach)))
    width = max(2.6, reach * 0.34)
    return element(
        "path", d=path, stroke=_CASING, stroke_width=width + 3, stroke_linecap="round"
    ) + (element("path", d=path, stroke=_CROSS, stroke_width=width, stroke_linecap="round"))


def draw_selection(layout: Layout, point: int) -> str:
    """Return a ring around a stone whose moves are shown."""
    return group("selection", _halo(layout, point, _ARROW))


def _halo(layout: Layout, point: int, colour: str, *, broken: bool = False) -> str:
    """Return a ring around the stone on a point."""
    x, y = layout.at[point]
    dashes: dict[str, str | float] = {"stroke_dasharray": _DASHES} if broken else {}
    reach = layout.radius + 1.8
    return element(
        "circle", cx=x, cy=y, r=reach, fill="none", stroke=colour, stroke_width=4, **dashes
    )


# -- arrows -------------------------------------------------------------------------------------


def draw_arrows(
    layout: Layout,
    position: Position,
    turns: Sequence[Turn],
    labelled: Iterable[int],
    *,
    mistakes: bool = False,
) -> str:
    """Return an arrow for each turn that moves a stone, a ring for a placement, and crosses.

    Args:
        layout: where the points are.
        position: arrows end at the rim of its stones, and go round those between.
        turns: what to draw.
        labelled: points with a label, at whose rim they end as well.
        mistakes: whether the turns are mistakes, which are red and broken.
    """
    labelled = set(labelled)
    colour = _CROSS if mistakes else _ARROW
    stones = {p for p in range(len(layout.at)) if (position.white | position.black) >> p & 1}
    parts = []
    for turn in turns:
        if turn.origin is None or turn.origin == turn.target:
            parts.append(_halo(layout, turn.target, colour, broken=mistakes))
        else:
            near = turn.target in stones | labelled
            arrow = _arrow(layout, turn.origin, turn.target, stones, near, colour, broken=mistakes)
            parts.append(arrow)
    crosses = [
        _cross(*layout.at[point], layout.radius * 0.55)
        for point in dict.fromkeys(point for turn in turns for point in turn.captures)
    ]
    kind = "mistakes" if mistakes else "arrows"
    return group(kind, group("moves", *parts, opacity=0.85), group("taken", *crosses))


def _arrow(
    layout: Layout,
    origin: int,
    target: int,
    stones: set[int],
    near: bool,
    colour: str,
    *,
    broken: bool,
) -> str:
    """Return an arrow, bent where it would run over a stone.

    Args:
        layout: where the points are.
        origin, target: from where to where.
        stones: the points that hold one.
        near: whether something stands on the target, so that the arrow ends at its rim.
        colour: of the arrow.
        broken: whether its shaft is a broken line.
    """
    start, end = layout.at[origin], layout.at[target]
    control = _control(layout, start, end, stones - {origin, target})
    head = min(15.0, layout.radius * 0.75)
    stop = layout.radius + 1 if near else 6.0
    begin = _towards(start, control, layout.radius * 0.55)
    tip = _towards(end, control, stop)
    neck = _towards(tip, control, head * 0.9)
    dx, dy = (tip[0] - neck[0]) / (head * 0.9), (tip[1] - neck[1]) / (head * 0.9)
    half = head * 0.55
    wings = ((neck[0] - dy * half, neck[1] + dx * half), (neck[0] + dy * half, neck[1] - dx * half))
    bx, by, cx, cy, nx, ny = (number(value) for value in (*begin, *control, *neck))
    shaft = f"M{bx} {by}Q{cx} {cy} {nx} {ny}"
    barb = polyline((wings[0], tip, wings[1])) + "Z"
    lines: dict[str, str | float] = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    dashes: dict[str, str | float] = {"stroke_dasharray": _DASHES} if broken else {}
    return element(
        "g",
        element("path", d=shaft, fill="none", stroke=_CASING, stroke_width=8, **lines),
        element("path", d=barb, stroke=_CASING, stroke_width=3, **lines),
        element("path", d=shaft, fill="none", stroke=colour, stroke_width=5, **lines, **dashes),
        element("path", d=barb, fill=colour),
    )


def _towards(
    point: tuple[float, float], other: tuple[float, float], way: float
) -> tuple[float, float]:
    """Return where one comes to, going some way from one point towards another."""
    (x, y), (other_x, other_y) = point, other
    distance = math.hypot(other_x - x, other_y - y)
    return x + (other_x - x) * way / distance, y + (other_y - y) * way / distance


def _control(
    layout: Layout, start: tuple[float, float], end: tuple[float, float], stones: set[int]
) -> tuple[float, float]:
    """Return what bends an arrow: its middle, or a point beside it where stones are in the way."""
    (x, y), (end_x, end_y) = start, end
    middle = ((x + end_x) / 2, (y + end_y) / 2)
    length = math.hypot(end_x - x, end_y - y)
    dx, dy = (end_x - x) / length, (end_y - y) / length
    for stone in stones:
        stone_x, stone_y = layout.at[stone]
        along = (stone_x - x) * dx + (stone_y - y) * dy
        beside = abs((stone_x - x) * dy - (stone_y - y) * dx)
        if 0 < along < length and beside < layout.radius:
            break
    else:
        return middle
    inwards = (layout.middle[0] - middle[0]) * -dy + (layout.middle[1] - middle[1]) * dx
    bend = math.copysign(layout.pitch * 1.05, inwards)
    return middle[0] - dy * bend, middle[1] + dx * bend


# -- values -------------------------------------------------------------------------------------


def best_by_target(values: Iterable[MoveResult], origin: int | None) -> dict[int, MoveResult]:
    """Return the best of the moves that lead to each point, in the order of the points.

    Args:
        values: moves with their values, in any order.
        origin: only the moves of the stone there count; None for all moves.
    """
    found: dict[int, MoveResult] = {}
    for move in sorted(values, key=best_first):
        if origin is None or move.turn.origin == origin:
            found.setdefault(move.turn.target, move)
    return dict(sorted(found.items()))


def value_label(move: MoveResult) -> str:
    """Return a value in as few characters as will do: ``W9``, ``=``, ``L8``."""
    return _LETTERS[move.value] + ("" if move.dtw is None else str(move.dtw))


def draw_values(layout: Layout, best: dict[int, MoveResult]) -> str:
    """Return a label for each point that a move leads to; its shape tells the value too.

    A win is a box, a draw a small disc, a loss is pointed at both sides.
    """
    half = min(0.4 * layout.pitch, layout.radius * 1.08, _WIDEST_LABEL / 2)
    parts = []
    for point, move in best.items():
        x, y = layout.at[point]
        label = value_label(move)
        # Bold letters, a W above all, are wider than others.
        size = fitting_size(label, 0.7 * (2 * half - 6), min(17.0, half * 0.72))
        parts.append(
            element(
                "g",
                _shape(move.value, x, y, half),
                words(x, y, label, size, _CASING, font_weight="bold"),
                data_value=layout.board.points[point],
            )
        )
    return group("values", *parts)


def _shape(value: Value, x: float, y: float, half: float) -> str:
    """Return the ground of a label that is as wide as twice `half`, or as high as wide."""
    style: dict[str, str | float] = {
        "fill": COLOURS[value],
        "stroke": _CASING,
        "stroke_width": 1.5,
    }
    high = half * 0.58
    if value == "draw":
        return element("circle", cx=x, cy=y, r=high, **style)
    if value == "win":
        return element(
            "rect", x=x - half, y=y - high, width=2 * half, height=2 * high, rx=4, **style
        )
    flat = half - high * 0.55
    corners = [(half, 0.0), (flat, high), (-flat, high), (-half, 0.0), (-flat, -high)]
    corners.append((flat, -high))
    return element("path", d=polyline((x + dx, y + dy) for dx, dy in corners) + "Z", **style)
