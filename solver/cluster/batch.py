"""The batch on a cluster: units as tasks with their dependencies, round after round.

A round looks which tables are missing, hands all their units to the scheduler, and waits. If the
scheduler was lost, or a table turned out to be damaged, another round follows; what is finished is
never done again, for it is on the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from solver.buildprogress import BuildProgress, BuildReport
from solver.cluster.job import FileState, Job, file_state
from solver.cluster.places import Connect, Place
from solver.cluster.round import LostSchedulerError, Round
from solver.errors import ResourceError
from solver.lock import locked
from solver.parallel import default_threads
from solver.rules import Rules
from solver.sectors import Sector, slots
from solver.survey import Survey, check_disk, check_folders, clean, survey
from solver.tablefile import table_path

__all__ = ["build_on_cluster"]


class _Patience(NamedTuple):
    """How many seconds a scheduler and a first worker are waited for."""

    scheduler: float
    worker: float


_PATIENCE: Final = _Patience(10, 60)
_PATIENCE_FOR_WHAT_WAS_THERE: Final = _Patience(600, 600)
_MOST_FRUITLESS: Final = 3
"""After so many rounds in which no table was made there is no other."""


def build_on_cluster(
    rules: Rules,
    sectors: Iterable[Sector],
    database: str | os.PathLike[str],
    place: Place,
    *,
    memory_bytes: int | None = None,
    force: bool = False,
    progress: BuildProgress | None = None,
) -> BuildReport:
    """Solve sectors and all they depend on by the workers of a cluster, and write their tables.

    The tables are the same to the last byte as those of :func:`solver.build.build`. A unit whose
    worker is lost is given to another one; a scheduler that is lost is waited for.

    Args:
        rules: the game.
        sectors: which.
        database: the folder to write to, which every worker sees under the same path.
        place: where the scheduler is.
        memory_bytes: most memory for each worker to use; None for what the worker has.
        force: make the tables asked for anew even if they are there; not what they depend on.
        progress: told what happens.

    Raises:
        UsageError: a sector has no table under these rules, or the scheduler's address is none.
        ResourceError: there is no scheduler or no worker, or not enough disk or memory.
        LockedDatabaseError: another process is writing to the database.
        MissingPackageError: Dask is not installed.
    """
    started = time.perf_counter()
    asked = list(sectors)
    batch = _Batch(rules, asked, Path(database).absolute(), memory_bytes, force, progress)
    first = batch.look()
    if first.units:
        place.check(rules, first.units)
        with locked(batch.database):
            clean(batch.database)
            if progress is not None and place.beginning:
                progress.note(place.beginning)
            with place.opened() as connect:
                try:
                    batch.solve(connect)
                except KeyboardInterrupt:
                    if progress is not None and place.beginning:
                        progress.note("ending the workers")
                    raise
    # A worker that lost its scheduler may have finished a table without being heard.
    solved = list(dict.fromkeys([*batch.made, *batch.wanted]))
    skipped = [sector for sector in first.skipped if sector not in solved]
    return BuildReport(solved, skipped, time.perf_counter() - started)


class _Batch:
    """What is to be done and what is.

    Attributes:
        made: sectors whose tables were made, in order, as far as was heard.
        wanted: sectors whose tables had to be made, in order.
    """

    def __init__(
        self,
        rules: Rules,
        asked: list[Sector],
        database: Path,
        memory_bytes: int | None,
        force: bool,
        progress: BuildProgress | None,
    ) -> None:
        self.database = database
        self.made: list[Sector] = []
        self.wanted: list[Sector] = []
        self._rules = rules
        self._asked = asked
        self._memory = memory_bytes
        self._force = force
        self._progress = progress or BuildProgress()
        self._sound: frozenset[object] = frozenset()

    def look(self) -> Survey:
        """Look what there is still to do."""
        found = survey(
            self._rules, self._asked, self.database, force=self._force, finished=self.made,
            threads=default_threads(), known=self._sound, elsewhere=True,
        )  # fmt: skip
        self._sound = found.sound
        return found

    def solve(self, connect: Connect) -> None:
        """Solve all that there is to do, in as many rounds as it takes."""
        todo = self.look()
        check_folders(self._rules, todo, self.database)
        check_disk(self._rules, todo, self.database)
        stale = self._sound_files(todo)
        patience = _PATIENCE
        fruitless = 0
        while todo.units:
            self.wanted += (s for u in todo.units for s in u.sectors if s in todo.wanted)
            for text in todo.damaged.values():
                self._progress.note(f"{text}; it will be made anew")
            number = len(self.made)
            client = connect(patience.scheduler)
            try:
                job = self._job(todo, stale)
                if Round(client, job, todo, self._progress, self.made).run(patience.worker):
                    return
            except LostSchedulerError as error:
                self._progress.note(f"{error}; waiting for it to come back")
                patience = _PATIENCE_FOR_WHAT_WAS_THERE
            finally:
                _close(client)
            fruitless = 0 if len(self.made) > number else fruitless + 1
            if fruitless == _MOST_FRUITLESS:
                raise ResourceError(
                    f"no table could be made in {fruitless} tries; what stood in the way was said"
                    " above"
                )
            todo = self.look()

    def _job(self, todo: Survey, stale: dict[Sector, FileState]) -> Job:
        """Return what workers have to know for a round."""
        moving = (s for unit in todo.units for s in unit.sectors if s.moving)
        with open(self.database / "lock", "rb") as file:
            holder = file.read()
            os.fsync(file.fileno())  # so that other machines see it
        return Job(
            name=uuid4().hex,
            rules=self._rules,
            database=self.database,
            holder=holder,
            memory=self._memory,
            examples=tuple({unit.sectors[0].moving: unit for unit in todo.units}.values()),
            largest=max((slots(self._rules, sector) for sector in moving), default=0),
            stale=stale,
        )

    def _sound_files(self, todo: Survey) -> dict[Sector, FileState]:
        """Return how the files are now that are to be made anew although they may be sound."""
        if not self._force:
            return {}
        states = {s: file_state(table_path(self.database, self._rules, s)) for s in todo.wanted}
        return {sector: state for sector, state in states.items() if state is not None}


def _close(client: Any) -> None:
    """Close a client, which may have lost its scheduler."""
    with suppress(Exception):
        client.close(timeout=2)
