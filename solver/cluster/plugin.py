"""How Dask's workers come to solve units: a plugin that each of them gets when a run begins.

The plugin gives each worker two resources of Dask's: ``memory``, in bytes, unless the worker was
started with one of that name, and ``unit``, of which there is one, so that a worker solves one unit
at a time however many threads it has.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin

from solver import memory
from solver.cluster.job import Job
from solver.cluster.names import MEMORY, UNIT, topic_of
from solver.errors import ResourceError

if TYPE_CHECKING:
    from solver.cluster.solving import UnitWorker

__all__ = ["SolvingPlugin"]

_SHARE_OF_LIMIT: Final = 0.75
"""Part of a worker's own memory limit that units may need: at 0.8 Dask pauses a worker."""
_AT_WORK: Final = (Status.init, Status.running, Status.paused, Status.closing_gracefully)
"""What a worker can be while somebody waits for what it does."""

_last: UnitWorker | None = None
"""Who in this process has solved a unit last, and keeps memory for the next one."""


class SolvingPlugin(WorkerPlugin):
    """What a worker keeps for one run.

    Args:
        job: the run.

    Attributes:
        name: of the plugin; the run's.
    """

    def __init__(self, job: Job) -> None:
        self.name = job.name
        self._job = job
        self._worker: Any = None
        self._solver: Future[UnitWorker] | None = None

    async def setup(self, worker: Any) -> None:
        """Offer to solve units.

        Raises:
            ResourceError: this worker cannot; says why.
        """
        try:
            self._job.check_worker()
        except ResourceError as error:
            raise ResourceError(f"the worker {worker.address} {error}") from None
        self._worker = worker
        declared = worker.state.total_resources.get(MEMORY)
        offered = _memory_of(worker) if declared is None else int(declared)
        limit = offered if self._job.memory is None else min(offered, self._job.memory)
        # All workers load at the same time what they need; the first unit waits for that.
        pool = ThreadPoolExecutor(1, thread_name_prefix="loading")
        self._solver = pool.submit(self._load, worker.state.nthreads, limit)
        pool.shutdown(wait=False)
        await worker.set_resources(**{MEMORY: offered, UNIT: 1})

    def _load(self, threads: int, limit: int) -> UnitWorker:
        """Return who solves the units."""
        from solver.cluster.solving import UnitWorker  # brings Numba, which a client can do without

        solver = UnitWorker(self._job, threads, limit)
        solver.load(lambda text: self._send("note", text))
        return solver

    async def teardown(self, worker: Any) -> None:
        """Give everything back."""
        global _last
        loading, self._solver = self._solver, None
        if loading is None:
            return
        solver = await asyncio.wrap_future(loading)
        if _last is solver:
            _last = None
        await asyncio.to_thread(solver.close)

    def solve(self, key: str, unit: str, wanted: list[str]) -> None:
        """Solve a unit as the task of some key; see :meth:`UnitWorker.solve`."""
        global _last
        worker = self._worker

        def abandoned() -> bool:
            task = worker.state.tasks.get(key)
            return task is None or task.state == "cancelled" or worker.status not in _AT_WORK

        if self._solver is None:
            raise RuntimeError("this worker does not solve")
        solver = self._solver.result()
        if _last is not None and _last is not solver:
            _last.clear()  # of another run, which has its memory no more
        _last = solver
        solver.solve(unit, wanted, self._send, abandoned)

    def _send(self, kind: str, *about: object) -> None:
        """Tell the client something."""
        self._worker.log_event(topic_of(self.name), [kind, self._worker.address, *about])


def _memory_of(worker: Any) -> int:
    """Return how much memory a worker may use for solving that was not told."""
    limit = getattr(worker.memory_manager, "memory_limit", None)
    free = memory.default_memory()
    return free if not limit else min(free, int(_SHARE_OF_LIMIT * limit))
