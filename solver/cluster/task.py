"""The task that Dask's workers are given. Light, for the scheduler imports it too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dask
from distributed import get_worker

from solver import __version__

__all__ = ["prepare_scheduler", "solve_named"]


def solve_named(run: str, key: str, unit: str, wanted: list[str]) -> None:
    """Solve a unit and write its tables; see :class:`solver.cluster.plugin.SolvingPlugin`.

    Args:
        run: the name of the run.
        key: of this task.
        unit: its name.
        wanted: sectors of the unit whose tables are to be written.
    """
    plugin: Any = get_worker().plugins[run]
    plugin.solve(key, unit, wanted)


def prepare_scheduler(seconds: Mapping[str, float]) -> str:
    """Tell the scheduler how long tasks take. Runs there; returns this program's version.

    Dask knows tasks by the first part of their keys, and gives work to the worker that is free
    soonest; one it has not heard of it takes for half a second's work.

    Args:
        seconds: by that part of the key.
    """
    known = "distributed.scheduler.default-task-durations"
    dask.config.set({f"{known}.{kind}": time for kind, time in seconds.items()})
    return __version__
