"""What a request may take: length, time, and how many are worked on at once."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, TypeVar

__all__ = ["LONGEST_ADDRESS", "Workers", "WorkersBusyError", "share_descriptors"]

Given = TypeVar("Given")

LONGEST_ADDRESS: Final = 16_384
"""Bytes of a path and its query; a game of a thousand plies takes half of it."""

_MOST_WAITING: Final = 128
"""Questions that may wait for a thread: a second's worth of them."""

_MOST_SECONDS: Final = 10.0
"""How long a question may take, waiting included."""

_CLOSING_SECONDS: Final = 1.0
"""How long questions that have begun are waited for when all ends."""

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


class _Question:
    """A question and who waits for its answer."""

    __slots__ = ("answered", "ask", "has_begun", "is_dropped", "loop")

    def __init__(self, ask: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.ask = ask
        self.loop = loop
        self.answered: asyncio.Future[Any] = loop.create_future()
        self.has_begun = False
        self.is_dropped = False

    def give_up(self) -> None:
        """Tell who waits that it has taken too long."""
        if not self.answered.done():
            self.answered.set_exception(asyncio.TimeoutError())

    def settle(self, given: object, error: BaseException | None) -> None:
        """Tell who still waits what has come of it."""
        if self.answered.done():
            return
        if error is None:
            self.answered.set_result(given)
        elif isinstance(error, StopIteration):  # which no future can hold
            self.answered.set_exception(RuntimeError(repr(error)))
        else:
            self.answered.set_exception(error)


class Workers:
    """Threads that answer questions, a bounded number of them and of questions that wait.

    Not those of `concurrent.futures`, whose way from a coroutine to a thread and back takes a tenth
    of the processor time of an answer.

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
        self._most = threads + most_waiting
        self._most_seconds = most_seconds
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._lock = Lock()
        # With the lock alone: how many questions wait or are worked on, which of them have begun or
        # are dropped, and whether there may be more.
        self._load = 0
        self._is_closed = False
        names = [f"morris-serve-{number}" for number in range(threads)]
        self._threads = [Thread(target=self._work, name=name, daemon=True) for name in names]
        for thread in self._threads:
            thread.start()

    async def answer(self, ask: Callable[[], Given]) -> Given:
        """Return what a question gives, worked out in one of the threads.

        If the task that waits is cancelled, the question is dropped unless it has begun.

        Raises:
            WorkersBusyError: too many wait already, or no more are taken.
            asyncio.TimeoutError: it took too long. What has begun goes on to its end, and its
                thread takes nothing else until then, so that no more than there are can be busy.
        """
        loop = asyncio.get_running_loop()
        question = _Question(ask, loop)
        with self._lock:
            if self._is_closed or self._load >= self._most:
                raise WorkersBusyError
            self._load += 1
        self._questions.put(question)
        timer = loop.call_later(self._most_seconds, question.give_up)
        try:
            given: Given = await question.answered
            return given
        finally:
            timer.cancel()
            with self._lock:
                if not question.has_begun:
                    question.is_dropped = True
                    self._load -= 1

    def close(self) -> None:
        """Take no more questions, forget those not begun, and wait a moment for the others."""
        with self._lock:
            self._is_closed = True
        with suppress(Empty):
            while True:
                question = self._questions.get_nowait()
                if question is not None:
                    question.answered.cancel()
        for _ in self._threads:
            self._questions.put(None)
        end = time.monotonic() + _CLOSING_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _work(self) -> None:
        """Answer one question after the other."""
        while (question := self._questions.get()) is not None:
            with self._lock:
                if question.is_dropped:
                    continue
                question.has_begun = True
            given, error = None, None
            try:
                given = question.ask()
            except BaseException as caught:  # whatever it is, who waits is told
                error = caught
            with self._lock:
                self._load -= 1
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                question.loop.call_soon_threadsafe(question.settle, given, error)
            del question, given, error  # nothing of it is kept while the next one is waited for
