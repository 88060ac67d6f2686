"""Threads over ranges of blocks.

The kernels are serial and release the GIL, so a plain pool of threads runs them side by side.
Ranges are cut so that each holds about the same work; which thread takes which never matters.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Result = TypeVar("Result")
Range = tuple[int, int]

# Ranges per thread: enough that none waits long for the last, few enough to cost nothing.  One
# thread has as many, so that an interruption need not wait for a whole pass.
_RANGES_PER_THREAD = 16
# Work (in slots looked at, some nanoseconds each) that is worth a range of its own: handing one to
# a thread costs some 50 microseconds.
_RANGE_WORK = 30_000


def default_threads() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """A pool of `threads` threads; with one, work is done in the calling thread.

    Attributes:
        threads: their number.
        spent: processor time in seconds by the name of the step it was spent on.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def even(self, blocks: int, work_per_block: float = 1) -> list[Range]:
        """Cut blocks 0 to `blocks` into ranges of equal length."""
        parts = self._parts(blocks, blocks * work_per_block)
        return [(blocks * i // parts, blocks * (i + 1) // parts) for i in range(parts)]

    def balanced(self, totals: npt.NDArray[np.int64]) -> list[Range]:
        """Cut blocks into ranges of about equal work, given the running totals of their work."""
        blocks = len(totals) - 1
        work = int(totals[-1])
        parts = self._parts(blocks, work)
        targets = np.arange(1, parts, dtype=np.float64) * (work / parts)
        inner = np.searchsorted(totals, targets).tolist()
        return list(pairwise(sorted({0, blocks, *inner})))

    def _parts(self, blocks: int, work: float) -> int:
        """Return into how many ranges to cut.

        A number divides all greater ones there are, so that a range of little work begins where
        one of much work does: what ranges write lies at places that are given by where they begin,
        and the system gives memory for every place written to, by as much as 2 MB at a time.
        """
        wanted = max(1, min(blocks, int(work) // _RANGE_WORK))
        parts = self.threads * _RANGES_PER_THREAD
        while parts > wanted:
            parts = parts // 2 if parts % 2 == 0 else 1
        return parts

    def run(
        self, step: str, call: Callable[[int, int], Result], ranges: Iterable[Range]
    ) -> list[Result]:
        """Return ``call(first, last)`` for every range, in their order.

        Args:
            step: what the time is spent on.
            call: the work.
            ranges: may be worked on side by side.
        """

        def timed(item: Range) -> tuple[Result, float]:
            started = time.thread_time()
            result = call(*item)
            return result, time.thread_time() - started

        ranges = list(ranges)
        pool = self._pool if len(ranges) > 1 else None
        results = []
        for result, seconds in map(timed, ranges) if pool is None else pool.map(timed, ranges):
            results.append(result)
            self.spent[step] += seconds
        return results
