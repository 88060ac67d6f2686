"""What is called how on a cluster."""

from __future__ import annotations

from typing import Final

from solver.sectors import Unit

__all__ = ["MEMORY", "UNIT", "kind_of_task", "topic_of"]

MEMORY: Final = "memory"
"""Name of the resource that says how many bytes a worker may use for solving."""
UNIT: Final = "unit"
"""Name of the resource of which a worker has one, so that it solves one unit at a time."""


def topic_of(run: str) -> str:
    """Return the topic of Dask's events that news of a run come under."""
    return f"morris-solver {run}"


def kind_of_task(unit: Unit) -> str:
    """Return the first part of the key of a unit's task, by which Dask knows how long it takes."""
    return "unit_" + str(unit).replace("-", "_")
