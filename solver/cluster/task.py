"""The task that Dask's workers are given. Light, for the scheduler imports it too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from distributed import get_worker

__all__ = ["MEMORY", "UNIT", "solve_named", "topic_of"]

MEMORY: Final = "memory"
"""Name of the resource that says how many bytes a worker may use for solving."""
UNIT: Final = "unit"
"""Name of the resource of which a worker has one, so that it solves one unit at a time."""


def topic_of(run: str) -> str:
    """Return the topic of Dask's events that news of a run come under."""
    return f"morris-solver {run}"


def solve_named(run: str, key: str, unit: str, wanted: list[str], before: Sequence[None]) -> None:
    """Solve a unit and write its tables; see :class:`solver.cluster.plugin.SolvingPlugin`.

    Args:
        run: the name of the run.
        key: of this task.
        unit: its name.
        wanted: sectors of the unit whose tables are to be written.
        before: what the tasks gave that had to come before.
    """
    plugin: Any = get_worker().plugins[run]
    plugin.solve(key, unit, wanted)
