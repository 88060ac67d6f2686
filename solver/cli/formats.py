"""How commands show numbers, tables and records, and what the terminal can show."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from solver.results import Result

__all__ = [
    "counted",
    "emit_json",
    "format_bytes",
    "format_count",
    "format_duration",
    "format_result",
    "format_table",
    "how_to_go_on",
    "stdout_can_show",
    "stdout_colour",
]


def emit_json(record: object) -> None:
    """Write a record to stdout as one line of JSON.

    What stdout's encoding does not have is escaped, and so are names of files that are not UTF-8.
    """
    text = json.dumps(record, ensure_ascii=False)
    click.echo(text if stdout_can_show(text) else json.dumps(record))


def format_count(number: int) -> str:
    """Return a number with its thousands set apart: ``12,144``."""
    return f"{number:,}"


def how_to_go_on(finished: str) -> str:
    """Return what to say where a command was interrupted that keeps what it has finished."""
    return f"interrupted; {finished} finished; to go on from there, give the same command again"


def counted(number: int, noun: str) -> str:
    """Return a number of things: ``1 sector``, ``1,200 sectors``."""
    return f"{format_count(number)} {noun}{'' if number == 1 else 's'}"


def format_bytes(number: float) -> str:
    """Return a size in decimal units: ``905 bytes``, ``1.4 MB``, ``10.2 GB``."""
    if number < 1000:
        return f"{number:.0f} byte{'' if number == 1 else 's'}"
    number /= 1000
    for unit in ("kB", "MB"):
        if number < 999.95:
            return f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} GB"


def format_duration(seconds: float) -> str:
    """Return a time in two units at most: ``0.4 s``, ``12 s``, ``3 min 05 s``, ``2 h 10 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def format_result(result: Result) -> str:
    """Return a value with its distance: ``win in 15``, ``loss in 0``, ``draw``."""
    return result.value if result.dtw is None else f"{result.value} in {result.dtw}"


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """Return a plain text table.

    Args:
        head: the titles.
        rows: the cells, as many in each row as there are titles.
        align: per column ``l`` for left or ``r`` for right.
    """
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(line, widths, align, strict=True)
        ).rstrip()
        for line in lines
    )


def stdout_can_show(text: str) -> bool:
    """Return whether stdout's encoding has some characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def stdout_colour() -> bool:
    """Return whether to colour what goes to stdout.

    NO_COLOR, if it is set to anything, forbids it (https://no-color.org). FORCE_COLOR and
    CLICOLOR_FORCE ask for it, unless they are 0. Otherwise a terminal gets colours, if it is not a
    dumb one.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return os.environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()
