"""Databases that the test processes of a session share."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from solver.rules import Rules
from solver.sectors import Sector

try:
    import fcntl
except ImportError:  # without it test processes do not share
    fcntl = None  # type: ignore[assignment]


def shared_database(
    factory: pytest.TempPathFactory, name: str, wanted: Iterable[tuple[Rules, list[Sector]]]
) -> Path:
    """A database with some games' sectors, made by the first process to need it.

    Args:
        factory: says where the session's files are.
        name: of the database's folder.
        wanted: games, each with its sectors.
    """
    from solver.build import build

    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the same for all test processes
    database = folder / name
    with open(folder / f"{name}.lock", "w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        for rules, sectors in wanted:
            build(rules, sectors, database, threads=1)
    return database


def files(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a database but the lock, by its name below the folder."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
