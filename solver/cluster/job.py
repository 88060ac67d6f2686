"""What the workers of a run have to know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solver import __version__
from solver.errors import MorrisError, ResourceError
from solver.rules import Rules
from solver.sectors import Sector, Unit

__all__ = ["AbandonedError", "FileState", "Job", "file_state"]

FileState = tuple[int, int, int]
"""What tells a file from the one that takes its place: its number, size, and time of change."""


class AbandonedError(MorrisError):
    """Nobody waits any more for the unit that is being solved."""


@dataclass(frozen=True)
class Job:
    """What workers have to know once, so that names of sectors are enough from then on.

    Attributes:
        name: different for every run.
        rules: the game.
        database: the folder of the tables, under the same path on every machine.
        holder: what the database's lock says while the run lasts.
        memory: most memory for a worker to use, in bytes; None for what it has.
        largest: slots of the largest moving sector of the run.
        examples: a unit of each kind there is in the run.
        stale: how the files were that are to be made anew although they are sound.
    """

    name: str
    rules: Rules
    database: Path
    holder: bytes
    memory: int | None = None
    largest: int = 0
    examples: tuple[Unit, ...] = ()
    stale: Mapping[Sector, FileState] = field(default_factory=dict)
    version: str = __version__

    def check_worker(self) -> None:
        """Refuse to work where this program is another one, or the folder is not the shared one.

        Raises:
            ResourceError: says what is wrong, as the end of a sentence on the worker.
        """
        if self.version != __version__:
            raise ResourceError(
                f"has morris-solver {__version__}, and this is {self.version}; install the same"
            )
        try:
            same = (self.database / "lock").read_bytes() == self.holder
        except OSError:
            same = False
        if not same:
            raise ResourceError(
                f"does not find this database at {self.database}; every worker must see the same"
                " folder under the same path"
            )
        if not os.access(self.database, os.W_OK | os.X_OK):
            raise ResourceError(f"may not write to {self.database}")


def file_state(path: Path) -> FileState | None:
    """Return what a file is known by on all machines that share it; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
