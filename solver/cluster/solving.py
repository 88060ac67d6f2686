"""What one worker of a cluster does: solve a unit from tables in a folder, and write its tables.

Nothing here knows Dask.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Final

from solver.buildprogress import BuildProgress
from solver.cluster.job import AbandonedError, Job, file_state
from solver.compiling import load_first
from solver.errors import DamagedTableError, ResourceError
from solver.parallel import Workers
from solver.sectors import Sector, Unit, dependencies, parse_sector, unit_of
from solver.source import Rekeyed
from solver.storedcache import RecentCache
from solver.survey import sound_table
from solver.tablefile import table_path
from solver.tablewriter import TableWriter
from solver.unitbuilder import UnitBuilder
from solver.working import WorkingMemory

__all__ = ["UnitWorker"]

_APPEARING_SECONDS: Final = 90
"""How long a table is waited for that another machine has written."""
_NEWS_SECONDS: Final = 0.5
"""How often a worker says at most how many more slots are done."""


class _News(BuildProgress):
    """Passes on what a unit's solver tells, but not every word of it.

    Args:
        unit: the unit.
        send: takes the kind of a piece of news and what it is about.
        abandoned: whether nobody waits for the unit any more.
    """

    def __init__(
        self, unit: Unit, send: Callable[..., None], abandoned: Callable[[], bool]
    ) -> None:
        self.seconds = 0.0
        self._unit = unit
        self._send = send
        self._abandoned = abandoned
        self._slots = 0
        self._sent_at = 0.0

    def start_unit(self, unit: Unit) -> None:
        """See BuildProgress."""
        self._slots = 0
        self._sent_at = time.perf_counter()
        self._send("start", str(unit))

    def advance(self, unit: Unit, slots: int) -> None:
        """See BuildProgress.

        Raises:
            AbandonedError: nobody waits for the unit any more.
        """
        self.check()
        self._slots += slots
        now = time.perf_counter()
        if now - self._sent_at >= _NEWS_SECONDS:
            told, self._slots, self._sent_at = self._slots, 0, now
            self._send("slots", str(unit), told)

    def check(self) -> None:
        """Raise AbandonedError if nobody waits for the unit any more."""
        if self._abandoned():
            raise AbandonedError(f"unit {self._unit} was given up")

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        """See BuildProgress."""
        self.seconds = seconds

    def note(self, text: str) -> None:
        """See BuildProgress."""
        self._send("note", text)


class UnitWorker:
    """Solves the units of one run that it is given, one at a time.

    Args:
        job: the run.
        threads: to solve with.
        limit: most memory to use, in bytes.
    """

    def __init__(self, job: Job, threads: int, limit: int) -> None:
        self.job = job
        self._written: list[tuple[str, int, float]] = []
        self._resources = ExitStack()
        self._builder = UnitBuilder(
            job.rules,
            job.database,
            limit,
            self._resources.enter_context(Workers(threads)),
            self._resources.enter_context(TableWriter(threads, self._wrote)),
            RecentCache(),
            BuildProgress(),
            WorkingMemory([job.largest]),
        )

    def close(self) -> None:
        """End its threads."""
        with suppress(ResourceError):  # the unit's own task has told that already
            self._resources.close()

    def load(self, say: Callable[[str], None]) -> None:
        """Load, or compile, the code that the run takes.

        Args:
            say: called with a line for the user if that takes long.
        """
        load_first(self.job.examples, say)

    def clear(self) -> None:
        """Give back the memory that is kept between units."""
        self._builder.cache.shrink(0)
        self._builder.working.clear()
        self._builder.rekeyed = Rekeyed()

    def solve(
        self,
        name: str,
        wanted: list[str],
        send: Callable[..., None],
        abandoned: Callable[[], bool],
    ) -> None:
        """Solve a unit and write its tables, unless another worker has done so meanwhile.

        Args:
            name: of the unit.
            wanted: sectors of the unit whose tables are to be written.
            send: takes news: ``("start", unit)``, ``("slots", unit, more)``, ``("note", text)``, or
                ``("solved", unit, seconds, [(sector, bytes, seconds to write), ...])``.
            abandoned: whether nobody waits for the unit any more.

        Raises:
            UnreadableTableError: a table that the unit reads cannot be read.
            AbandonedError: nobody waits for the unit any more.
            ResourceError: there is not enough disk or memory.
        """
        unit = unit_of(self.job.rules, parse_sector(name))
        missing = [s for s in map(parse_sector, wanted) if not self._is_made(s)]
        if not missing:
            return
        news = _News(unit, send, abandoned)
        self._await_tables(unit, news)
        self._written.clear()
        self._builder.progress = news
        self._builder.build(unit, missing)
        self._builder.writer.wait()
        send("solved", name, news.seconds, self._written)

    def _await_tables(self, unit: Unit, news: _News) -> None:
        """Wait for tables that others have written and that this machine does not see yet.

        Network file systems remember for up to a minute that a file is not there.
        """
        rules, database = self.job.rules, self.job.database
        read = (s for s in dependencies(rules, unit) if s not in self._builder.cache)
        deadline = time.monotonic() + _APPEARING_SECONDS
        for path in [table_path(database, rules, sector) for sector in read]:
            while not path.exists() and time.monotonic() < deadline:
                news.note(f"waiting for {path} to appear")
                news.check()
                time.sleep(_APPEARING_SECONDS / 100)

    def _wrote(self, sector: Sector, size: int, seconds: float) -> None:
        self._written.append((str(sector), size, seconds))

    def _is_made(self, sector: Sector) -> bool:
        """Return whether the table of a sector is there, sound, and of this run."""
        path = table_path(self.job.database, self.job.rules, sector)
        state = file_state(path)
        if state is None or state == self.job.stale.get(sector):
            return False
        try:
            threads = self._builder.workers.threads
            made = sound_table(self.job.rules, sector, self.job.database, threads=threads)
        except DamagedTableError:
            return False
        return made is not None
