"""The task that Dask's workers are given. Light, for the scheduler imports it too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distributed import get_worker

__all__ = ["solve_named"]


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
