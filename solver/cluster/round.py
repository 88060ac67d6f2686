"""One round of a run on a cluster: all units that are missing, as tasks, and what comes of them."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from graphlib import TopologicalSorter
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Final

from distributed import CancelledError, KilledWorker, TimeoutError  # 3.10 has another of its own
from distributed.comm.core import CommClosedError

from solver import memory
from solver.buildprogress import BuildProgress
from solver.cluster.job import AbandonedError, Job
from solver.cluster.names import MEMORY, UNIT, kind_of_task, topic_of
from solver.cluster.plugin import SolvingPlugin
from solver.cluster.task import prepare_scheduler, solve_named
from solver.errors import MorrisError, ResourceError
from solver.plan import unit_memory
from solver.schedule import job_seconds, needed_units, seconds_to_end
from solver.sectors import Sector, Unit, parse_sector
from solver.survey import MORE_MEMORY, Survey, UnreadableTableError, too_large

__all__ = ["LostSchedulerError", "Round"]

_LOOK_SECONDS: Final = 5
"""How often to look around."""


class LostSchedulerError(Exception):
    """The scheduler, or a worker it asks, does not answer any more."""


class Round:
    """Hands units to a scheduler and waits for them.

    Args:
        client: Dask's client of the scheduler.
        job: what workers have to know.
        todo: what to do.
        progress: told what happens.
        made: where sectors are added whose tables were made.
    """

    def __init__(
        self, client: Any, job: Job, todo: Survey, progress: BuildProgress, made: list[Sector]
    ) -> None:
        self._client = client
        self._job = job
        self._todo = todo
        self._progress = progress
        self._made = made
        self._news: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self._units = {str(unit): unit for unit in todo.units}
        self._order = TopologicalSorter(needed_units(job.rules, todo.units))
        self._order.prepare()
        self._urgent: dict[Unit, float] = {}
        self._futures: dict[Unit, Any] = {}
        self._running: dict[Unit, tuple[str, float]] = {}  # the worker, and when it began
        self._told: set[str] = set()
        self._lacked: str | None = None
        self._seen: set[str] = set()  # workers that were there when last looked for
        self._asked: set[str] = set()  # those that were asked whether they take part
        self._numbers = count()

    def run(self, patience: float) -> bool:
        """Solve the units.

        Args:
            patience: seconds to wait for a first worker.

        Returns:
            Whether all is done; if not, the notes have said why, and another round may succeed.

        Raises:
            LostSchedulerError: the scheduler does not answer any more.
            ResourceError: no worker has the memory, or there is no disk for a unit.
        """
        topic = topic_of(self._job.name)
        try:
            self._await_a_worker(patience)
            shares = self._client.nthreads()
            threads = min(shares.values(), default=1)
            self._check_memory(self._offer(threads))
            self._progress.share(len(shares), threads)
            self._client.subscribe_topic(topic, lambda event: self._news.put(tuple(event[1])))
            self._progress.begin(self._todo.units)
            return self._wait()
        except (CommClosedError, TimeoutError, CancelledError) as error:
            lost = self._client.status != "running"
            reason = "the scheduler is lost" if lost else f"the cluster does not answer ({error!r})"
            raise LostSchedulerError(reason) from None
        finally:
            self._clear_away(topic)

    def _await_a_worker(self, seconds: float) -> None:
        """Wait for the first worker.

        Raises:
            ResourceError: none has come.
        """
        if self._client.nthreads():
            return
        self._progress.note("waiting for a worker")
        try:
            self._client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise ResourceError(
                f"no worker has joined the scheduler within {seconds:g} seconds; start some"
                f" with: dask worker {self._client.scheduler.address}"
            ) from None

    def _offer(self, threads: int) -> dict[str, int]:
        """Have every worker that comes offer to solve; return the memory of those there are.

        Args:
            threads: that a worker is expected to solve with.

        Raises:
            ResourceError: one of them cannot, or the scheduler has not what it takes.
        """
        rules, here = self._job.rules, self._job.version
        self._urgent = seconds_to_end(rules, self._todo.units, threads)
        seconds = {kind_of_task(u): job_seconds(rules, u, threads) for u in self._todo.units}
        where = "the scheduler"
        try:
            version = self._client.run_on_scheduler(prepare_scheduler, seconds)
            where = "a worker"
            self._client.register_plugin(SolvingPlugin(self._job), name=self._job.name)
        except MorrisError:
            raise
        except Exception as error:  # some versions of Dask wrap what went wrong
            missing = re.search(r"No module named '([\w.]+)'", str(error))
            if missing is None:
                raise
            raise ResourceError(
                f"{where} does not have the Python package {missing[1]}; install there what is"
                " installed here: pip install 'morris-solver[cluster]'"
            ) from None
        if version != here:
            raise ResourceError(
                f"the scheduler has morris-solver {version}, and this is {here}; install the same"
            )
        return self._memory()

    def _memory(self) -> dict[str, int]:
        """Return how much memory each worker has for a unit."""
        found: dict[str, float] = self._client.run(_resource, MEMORY, on_error="ignore")
        most = self._job.memory
        return {
            address: int(amount if most is None else min(amount, most))
            for address, amount in found.items()
        }

    def _check_memory(self, offered: dict[str, int]) -> None:
        """Refuse to begin what no worker has the memory for.

        Raises:
            ResourceError: says which unit needs how much, and what there is.
        """
        rules, most = self._job.rules, max(offered.values(), default=0)
        remedy = MORE_MEMORY
        if most != self._job.memory:
            remedy = (
                "start a worker with more, which may be said by: dask worker"
                f" {self._client.scheduler.address} --resources memory=BYTES"
            )
        why = too_large(rules, self._todo.units, most, each_worker=True, remedy=remedy)
        if why:
            raise ResourceError(f"not solvable so: {why}")

    def _wait(self) -> bool:
        """Hand out units and wait for them until none is left that can be solved.

        Returns:
            Whether all have been.
        """
        self._submit_ready()
        look_at = time.monotonic() + _LOOK_SECONDS
        while self._futures:
            if time.monotonic() >= look_at:
                self._look_around()
                look_at = time.monotonic() + _LOOK_SECONDS
            try:
                kind, *about = self._news.get(timeout=max(0, look_at - time.monotonic()))
            except Empty:
                continue
            if kind != "done":
                getattr(self, f"_hear_{kind}")(*about)
            elif self._futures.get(about[0]) is about[1] and self._done(*about):
                self._order.done(about[0])
                self._submit_ready()
        return not self._order.is_active()

    def _submit_ready(self) -> None:
        """Give the scheduler the units whose dependencies are all solved now.

        It could be given all units at once, but would then look for a worker only among those
        that hold what a unit's dependencies gave, although that is nothing: measured with units
        that only wait, the moving phase of `nine` took four workers 20 % longer so.
        """
        for unit in self._order.get_ready():
            self._submit(unit)

    def _submit(self, unit: Unit) -> None:
        """Give the scheduler a unit."""
        rules, job = self._job.rules, self._job
        key = f"{kind_of_task(unit)}-{job.name}-{next(self._numbers)}"
        future = self._client.submit(
            solve_named,
            job.name,
            key,
            str(unit),
            [str(sector) for sector in unit.sectors if sector in self._todo.wanted],
            key=key,
            priority=self._urgent[unit],
            resources={MEMORY: unit_memory(rules, unit), UNIT: 1},
            pure=False,
        )
        self._watch(unit, future)

    def _watch(self, unit: Unit, future: Any) -> None:
        """Have a unit's task heard of when it has ended."""
        self._futures[unit] = future
        future.add_done_callback(lambda future: self._news.put(("done", unit, future)))

    # -- what workers tell --------------------------------------------------------------------

    def _hear_start(self, worker: str, name: str) -> None:
        unit = self._units[name]
        if unit in self._running:
            self._lost(unit)
        self._running[unit] = worker, time.perf_counter()
        self._progress.start_unit(unit)

    def _hear_slots(self, worker: str, name: str, more: int) -> None:
        unit = self._units[name]
        if self._running.get(unit, ("",))[0] == worker:
            self._progress.advance(unit, more)

    def _hear_solved(
        self, worker: str, name: str, seconds: float, tables: list[tuple[str, int, float]]
    ) -> None:
        unit = self._units[name]
        if self._running.pop(unit, None) is not None:
            self._progress.finish_unit(unit, seconds)
        for sector, size, writing in tables:
            self._progress.wrote(parse_sector(sector), size, writing)

    def _lost(self, unit: Unit) -> None:
        """Note that a unit's worker was lost."""
        worker, _ = self._running.pop(unit)
        self._progress.note(f"the worker {worker} was lost; {unit} is given to another one")
        self._progress.lose_unit(unit)

    def _hear_note(self, worker: str, text: str) -> None:
        self._note_once(f"{worker}: {text}")

    # -- what becomes of a unit ---------------------------------------------------------------

    def _done(self, unit: Unit, future: Any) -> bool:
        """Note that a unit's task has ended; return whether its tables are there.

        Raises:
            LostSchedulerError: it ended because the scheduler did.
            MorrisError: there is no point in going on.
        """
        del self._futures[unit]
        if future.status == "pending":  # it had, but was with a worker that is lost
            self._watch(unit, future)
            return False
        if future.status == "finished":
            begun = self._running.pop(unit, None)
            if begun is not None:  # its worker was lost before it could say so
                self._progress.finish_unit(unit, time.perf_counter() - begun[1])
            self._made += [sector for sector in unit.sectors if sector in self._todo.wanted]
            return True
        if future.status != "error":
            raise LostSchedulerError("the scheduler is lost")
        error = future.exception()
        if self._running.pop(unit, None) is not None:
            self._progress.lose_unit(unit)
        if isinstance(error, AbandonedError):
            self._note_once(f"{error}; another worker will solve it")
        elif isinstance(error, UnreadableTableError):
            self._note_once(f"{error}; it will be made anew")
        elif isinstance(error, KilledWorker):
            self._note_once(
                f"unit {unit} has ended {error.allowed_failures + 1} workers, the last one"
                f" {error.last_worker.address}; their logs may say why"
            )
        elif isinstance(error, MorrisError):
            raise error
        else:
            # Not as it is: it could be taken for one of this process.
            raise RuntimeError(f"unit {unit} failed on its worker: {error!r}") from error
        return False

    def _look_around(self) -> None:
        """Look what there is if nothing is heard.

        Raises:
            LostSchedulerError: the scheduler does not answer any more.
        """
        if self._client.status != "running":
            raise LostSchedulerError("the scheduler is lost")
        workers = set(self._client.nthreads())
        for unit, (worker, _) in list(self._running.items()):
            if worker not in workers:
                self._lost(unit)
        lacking = self._lacking() if workers else "no worker is left; waiting for one"
        if lacking is not None and lacking != self._lacked:
            self._progress.note(lacking)
        self._lacked = lacking
        settled = (workers & self._seen) - self._asked
        if settled:
            for worker in sorted(settled - self._taking_part()):
                self._progress.note(f"the worker {worker} does not take part; its log says why")
            self._asked |= settled
        self._seen = workers

    def _taking_part(self) -> set[str]:
        """Return the workers that offer to solve."""
        found: dict[str, float] = self._client.run(_resource, UNIT, on_error="ignore")
        return {address for address, amount in found.items() if amount}

    def _lacking(self) -> str | None:
        """Return what is waited for if no worker has been found for a unit.

        Dask finds one when a unit is handed out, when another worker joins, and when one is free;
        but not when one that has joined says later what it offers. So such units are handed out
        anew.
        """
        found = {key for keys in self._client.processing().values() for key in keys}
        lost = [unit for unit, future in self._futures.items() if _is_lost(future, found)]
        if not lost:
            return None
        most, lacking = max(self._memory().values(), default=0), None
        for unit in lost:
            need = unit_memory(self._job.rules, unit)
            if need > most:
                lacking = f"waiting for a worker with {memory.gigabytes(need)} of memory for {unit}"
                continue
            future = self._futures.pop(unit)
            self._client.cancel([future], force=True)
            self._submit(unit)
        return lacking

    def _note_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._progress.note(text)

    def _clear_away(self, topic: str) -> None:
        """Take back what was handed to the cluster."""
        if self._client.status != "running":
            return  # of a lost scheduler there is nothing to take back
        with suppress(Exception):  # the run has ended, and its own error is the one to report
            self._client.cancel(list(self._futures.values()), force=True)
            self._client.unsubscribe_topic(topic)
            self._client.unregister_worker_plugin(self._job.name)


def _is_lost(future: Any, found: set[object]) -> bool:
    """Return whether no worker has been found for a task that waits for one."""
    return future.status == "pending" and future.key not in found


def _resource(name: str, dask_worker: Any) -> float:
    """Return how much of a resource a worker has in all."""
    return float(dask_worker.state.total_resources.get(name, 0))
