"""Several files with something wrong: all are named, and the worst gives the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from solver.errors import DamagedTableError, ResourceError

if TYPE_CHECKING:
    from solver.filecheck import Problem

__all__ = ["raise_worst"]


def raise_worst(problems: Iterable[Problem]) -> None:
    """Raise the worst of some problems, if there are any, after naming the others on stderr.

    Raises:
        DamagedTableError, ResourceError, MissingTableError: the worst, in this order.
    """
    from solver.cli.progress import say

    ordered = sorted(problems, key=_badness)
    for problem in ordered[:-1]:
        say(f"Error: {problem}")
    if ordered:
        raise ordered[-1]


def _badness(problem: Problem) -> int:
    if isinstance(problem, DamagedTableError):
        return 2
    return 1 if isinstance(problem, ResourceError) else 0
