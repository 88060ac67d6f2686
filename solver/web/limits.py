"""What a request may take: length, time, and how many are worked on at once."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Final, TypeVar

__all__ = ["LONGEST_ADDRESS", "Workers", "WorkersBusyError", "share_descriptors"]

Given = TypeVar("Given")

LONGEST_ADDRESS: Final = 16_384
"""Bytes of a path and its query; a game of a thousand plies takes half of it."""

_MOST_WAITING: Final = 128
"""Questions that may wait for a thread: a second's worth of them."""

_MOST_SECONDS: Final = 10.0
"""How long a question may take, waiting included."""

_MOST_CONNECTIONS: Final = 512
_MOST_TABLES: Final = 512
"""All of the standard game: each that must be opened anew costs a millisecond."""
_OTHER_FILES: Final = 128
"""Files of other kinds, and connections that have not been refused yet."""


def share_descriptors() -> tuple[int, int]:
    """Let this process open as many files as it needs, if it may.

    Returns:
        How many connections and how many tables can be open.
    """
    wanted = _MOST_CONNECTIONS + _MOST_TABLES + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _MOST_CONNECTIONS, _MOST_TABLES
    each = max(8, (soft - _OTHER_FILES) // 2)
    return each, each


class WorkersBusyError(Exception):
    """So many questions wait already that another one would wait too long."""


class Workers:
    """Threads that answer questions, a bounded number of them and of questions that wait.

    Args:
        threads: two do: Python runs one of them at a time, while another waits for the disk or has
            something unpacked; more only wait for each other.
        most_waiting: how many questions may wait for a thread.
        most_seconds: how long each may take.
    """

    def __init__(
        self,
        threads: int = 2,
        *,
        most_waiting: int = _MOST_WAITING,
        most_seconds: float = _MOST_SECONDS,
    ) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="morris-serve")
        self._most = threads + most_waiting
        self._most_seconds = most_seconds
        self._unfinished = 0
        self._lock = Lock()

    async def answer(self, question: Callable[[], Given]) -> Given:
        """Return what a question gives, worked out in one of the threads.

        Raises:
            WorkersBusyError: too many wait already.
            asyncio.TimeoutError: it took too long. What has begun goes on to its end, and its
                thread takes nothing else until then, so that no more than there are can be busy.
        """
        with self._lock:
            if self._unfinished >= self._most:
                raise WorkersBusyError
            self._unfinished += 1
        running = self._threads.submit(question)
        running.add_done_callback(lambda _: self._finished())
        return await asyncio.wait_for(asyncio.wrap_future(running), self._most_seconds)

    def close(self) -> None:
        """Take no more questions, and forget those that have not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _finished(self) -> None:
        with self._lock:
            self._unfinished -= 1
