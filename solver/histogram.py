"""How long games last: the positions of a sector by distance, as a picture.

Wins stand above the axis and losses hang below it, so that no colour is needed to tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from solver.describe import plies
from solver.errors import UsageError
from solver.results import Value
from solver.svgtext import (
    COLOURS,
    INK,
    PALE_INK,
    document,
    element,
    fitting_size,
    number,
    sheet,
    words,
)
from solver.tableheader import TableHeader

__all__ = ["render_histogram"]

_WIDTH: Final = 720.0
_LEFT: Final = 104.0
_RIGHT: Final = 24.0
_TOP: Final = 84.0
_HALF: Final = 170.0
"""The height of either half."""
_AXIS: Final = 34.0
"""Between the halves: there the distances stand."""
_BOTTOM: Final = 30.0
_HEIGHT: Final = _TOP + 2 * _HALF + _AXIS + _BOTTOM

_GROUND: Final = "#fdfbf5"
_GRID: Final = "#e0d8c6"
_FONT: Final = 12.0

_FEWEST_PLIES: Final = 10
"""The axis reaches as far at least, or bars would be as broad as high."""
_DECADES: Final = 100
"""Counts of which the largest is so many times the smallest are drawn on a logarithmic scale."""


class _Scale(NamedTuple):
    """What counts stand for what heights.

    Attributes:
        logarithmic: whether each decade is as high as any other.
        most: the count that fills a half.
        ticks: counts to draw a line for, ascending.
    """

    logarithmic: bool
    most: float
    ticks: tuple[int, ...]

    def height(self, count: int) -> float:
        """Return how far from the axis a bar of a count above 0 reaches."""
        if not self.logarithmic:
            return _HALF * count / self.most
        # One position must be seen, so the axis is at half a one.
        return float(_HALF * math.log(2 * count) / math.log(2 * self.most))


def render_histogram(game: str, header: TableHeader) -> str:
    """Draw the distinct positions of a sector by distance.

    Args:
        game: the name of the variant, for the title.
        header: of the sector's table.

    Returns:
        An SVG document like those of `solver.svg`.

    Raises:
        UsageError: the table knows no distances.
    """
    if header.metric != "dtw":
        raise UsageError(
            f"the table of sector {header.sector} tells only win, draw or loss, so there are no"
            f" distances to plot; make the one that does with: morris solve {game} {header.sector}"
        )
    counts = {depth: count for depth, count in header.distinct_histogram.items() if count}
    title = f"{game}, sector {header.sector}"
    distinct = header.distinct
    summary = (
        f"{_counted(distinct.wins, 'win')}, {_counted(distinct.losses, 'loss', 'es')},"
        f" {_counted(distinct.draws, 'draw')}"
    )
    parts = [
        sheet(_WIDTH, _HEIGHT, _GROUND),
        words(_WIDTH / 2, 25, title, 18, INK, font_weight="bold"),
        words(_WIDTH / 2, 48, summary, fitting_size(summary, _WIDTH - 40, 14), INK),
    ]
    if counts:
        parts += _plot(counts, _scale_of(counts.values()))
    else:
        middle = _TOP + _HALF + _AXIS / 2
        parts.append(words(_WIDTH / 2, middle, "No position is won or lost.", 16, PALE_INK))
    return document(
        "\n".join(parts),
        title=title,
        description=_describe(title, summary, counts),
        box=(_WIDTH, _HEIGHT),
        width=round(_WIDTH),
    )


def _counted(count: int, noun: str, plural: str = "s") -> str:
    return f"{count:,} {noun}{'' if count == 1 else plural}"


def _describe(title: str, summary: str, counts: Mapping[int, int]) -> str:
    """Return in words what is in the picture."""
    sentences = [f"{title}: {summary}, counted up to symmetry, by plies to the end of the game."]
    for name, depths in zip(("win", "loss"), _by_value(counts), strict=True):
        if depths:
            deepest = depths[-1]
            there = _counted(counts[deepest], "position")
            sentences.append(f"The longest {name} takes {plies(deepest)} ({there}).")
    return " ".join(sentences)


def _by_value(counts: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """Return the distances of wins, which are odd, and those of losses, ascending."""
    ordered = sorted(counts)
    return [d for d in ordered if d % 2], [d for d in ordered if not d % 2]


def _scale_of(counts: Iterable[int]) -> _Scale:
    """Return the scale that suits some counts, all above 0."""
    counts = list(counts)
    most = max(counts)
    if most >= _DECADES * min(counts):
        top = math.ceil(math.log10(most))
        step = math.ceil(top / 8)
        return _Scale(True, most * 1.15, tuple(10**power for power in range(0, top + 1, step)))
    step = max(1, round(_round_step(most / 4)))
    return _Scale(False, most * 1.05, tuple(range(step, most + 1, step)))


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, 50 ... that is not below a number above 0."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _plot(counts: Mapping[int, int], scale: _Scale) -> list[str]:
    """Return bars, lines and names."""
    last = max(_FEWEST_PLIES, *counts)
    step = (_WIDTH - _LEFT - _RIGHT) / (last + 2)
    wins, losses = _by_value(counts)
    middle, below = _TOP + _HALF + _AXIS / 2, _TOP + 2 * _HALF + _AXIS + 13
    kind = "logarithmic" if scale.logarithmic else "linear"
    start: dict[str, str | float] = {"text_anchor": "start", "font_weight": "bold"}
    return [
        _grid(scale),
        _bars(counts, wins, scale, step, "win"),
        _bars(counts, losses, scale, step, "loss"),
        _distances(last, step),
        words(_LEFT, _TOP - 13, "wins" if wins else "no wins", 14, COLOURS["win"], **start),
        words(_LEFT, below, "losses" if losses else "no losses", 14, COLOURS["loss"], **start),
        words(
            17,
            middle,
            f"positions up to symmetry ({kind} scale)",
            _FONT,
            PALE_INK,
            transform=f"rotate(-90 17 {number(middle)})",
        ),
        words(
            _WIDTH - _RIGHT,
            below,
            "plies to the end of the game",
            _FONT,
            PALE_INK,
            text_anchor="end",
        ),
    ]


def _grid(scale: _Scale) -> str:
    """Return a line and a number for each tick, in both halves, and the axes."""
    lines, names = [], []
    above, below = _TOP + _HALF, _TOP + _HALF + _AXIS
    right = _WIDTH - _RIGHT
    for tick in scale.ticks:
        height = scale.height(tick)
        if height > _HALF:
            continue
        for y in (above - height, below + height):
            lines.append(f"M{number(_LEFT)} {number(y)}H{number(right)}")
            names.append(words(_LEFT - 7, y, f"{tick:,}", 11, PALE_INK, text_anchor="end"))
    axes = "".join(f"M{number(_LEFT)} {number(y)}H{number(right)}" for y in (above, below))
    return "".join(
        (
            element("path", d="".join(lines), stroke=_GRID, data_part="grid"),
            element("path", d=axes, stroke=INK, data_part="axes"),
            *names,
        )
    )


def _bars(
    counts: Mapping[int, int], depths: Iterable[int], scale: _Scale, step: float, value: Value
) -> str:
    """Return the bars of one half; each says what it counts where the pointer rests on it."""
    bars = []
    for depth in depths:
        height = scale.height(counts[depth])
        y = _TOP + _HALF - height if value == "win" else _TOP + _HALF + _AXIS
        bars.append(
            element(
                "rect",
                element("title", f"{value} in {depth}: {_counted(counts[depth], 'position')}"),
                x=_x(depth, step) - 0.8 * step,
                y=y,
                width=1.6 * step,
                height=height,
                data_depth=str(depth),
            )
        )
    return element("g", *bars, fill=COLOURS[value], data_part=value) if bars else ""


def _x(depth: int, step: float) -> float:
    """Return where a distance stands."""
    return _LEFT + step * (depth + 1)


def _distances(last: int, step: float) -> str:
    """Return the numbers between the halves."""
    every = max(1, round(_round_step(last / 14)))
    middle = _TOP + _HALF + _AXIS / 2
    ticks = []
    names = []
    for depth in range(0, last + 1, every):
        x = _x(depth, step)
        for y, end in ((middle - _AXIS / 2, 4), (middle + _AXIS / 2, -4)):
            ticks.append(f"M{number(x)} {number(y)}v{end}")
        names.append(words(x, middle, str(depth), _FONT, INK))
    return element("path", d="".join(ticks), stroke=INK) + "".join(names)
