"""What ``puzzles`` and ``longest`` share: how positions that were found are shown."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import Decorated
from solver.cli.output import text_board, write_text
from solver.describe import describe_value
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.position import Position
    from solver.tablebase import Line, Result

__all__ = ["board_option", "late_progress", "show", "write_pictures"]

_WIDTH: Final = 79
"""Columns of a line of turns."""
_PATIENCE: Final = 1.0
"""Seconds before there is a bar to look at."""


def board_option(function: Decorated) -> Decorated:
    """Add ``--board`` as parameter `board`."""
    return click.option("--board", is_flag=True, help="Show the board of each position.")(function)


def write_pictures(folder: Path, name: str, found: Sequence[tuple[Position, str]]) -> None:
    """Draw positions without their solutions; files of the same names are replaced.

    Args:
        folder: where to; it is made if need be.
        name: what the names of the files begin with.
        found: positions, each with what to write above it.
    """
    from solver.svg import render_svg

    digits = max(3, len(str(len(found))))
    for number, (position, title) in enumerate(found, 1):
        file = folder / f"{name}-{number:0{digits}}.svg"
        write_text(str(file), render_svg(position, title=title), "--svg")


def show(
    label: str,
    position: Position,
    result: Result,
    note: str = "",
    *,
    board: bool,
    line: Line | None,
) -> str:
    """Return a position for people, its text after a label such as ``12.``.

    Args:
        label: comes first.
        position: which.
        result: of the position.
        note: goes on after its value.
        board: whether to draw the board.
        line: best play, if it is to be shown.
    """
    indent = " " * (len(label) + 1)
    parts = [f"{label} {position}", f"{indent}{describe_value(position, result)}{note}"]
    if board:
        parts.append("\n" + textwrap.indent(text_board(position), indent) + "\n")
    if line is not None and line.moves:
        turns = " ".join(move.text for move in line.moves)
        parts.append(
            textwrap.fill(
                turns,
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
        )
    return "\n".join(parts).rstrip()


@contextmanager
def late_progress(sectors: int) -> Iterator[Callable[[Sector, int, int], None]]:
    """Show a bar over so many sectors on a terminal, but only once the work has taken a while.

    Yields:
        What to call with a sector, how much of the work on it is done, and all of it.
    """
    begin = time.monotonic() + _PATIENCE
    terminal = sys.stderr is not None and sys.stderr.isatty()
    shown: list[Callable[[Sector, int, int], None] | None] = []
    with ExitStack() as stack:

        def progress(sector: Sector, done: int, whole: int) -> None:
            if not terminal or time.monotonic() < begin:
                return
            if not shown:
                from solver.cli.progress import check_progress  # brings Numba

                shown.append(stack.enter_context(check_progress(sectors)))
            if shown[0] is not None:
                shown[0](sector, done, whole)

        yield progress
