"""The thread that answers ``go``, so that the engine hears commands meanwhile."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Final, NamedTuple

from solver.engine.answers import NO_MOVE, Answer, Question, answer
from solver.engine.streams import Output
from solver.perft import PerftStopped, each_turn
from solver.tablebase import Tablebase

__all__ = ["Job", "Worker"]

_MOST_DUE: Final = 1000
"""How many answers may be due; whoever asks for more has to wait."""


class Job(NamedTuple):
    """A ``go`` to answer.

    Attributes:
        tablebase: where to look things up; closed when a job with another one comes.
        question: what is asked.
        perft: the depth of a count to take instead; None for none.
        waits: whether the answer is kept back until `stop`.
        ponders: whether ``ponderhit`` ends the wait too.
        complaints: what to say of the way it was asked.
        stop: set when the answer is wanted now.
    """

    tablebase: Tablebase
    question: Question
    perft: int | None
    waits: bool
    ponders: bool
    complaints: list[str]
    stop: Event


def _endless(job: Job) -> bool:
    """Return whether it may take for ever to answer."""
    return job.waits or job.perft is not None


class Worker:
    """Answers one question after the other.

    Args:
        output: where the answers go.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._due: deque[Job] = deque()
        self._lock = Lock()
        self._gone = False
        self._thread = Thread(target=self._work, name="engine answers", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Have a question answered after those asked before.

        If very many are due, some are answered first, and what would not end soon is stopped.
        """
        if len(self._due) >= _MOST_DUE:
            self.stop(_endless)
        while len(self._due) >= _MOST_DUE:
            time.sleep(0.01)
        with self._lock:
            self._due.append(job)
        self._jobs.put(job)

    def stop(self, which: Callable[[Job], bool] = lambda job: True) -> None:
        """Have what is due answered with what is there, or those of it that are meant."""
        with self._lock:
            for job in filter(which, self._due):
                job.stop.set()

    def finish(self, seconds: float | None) -> None:
        """Stop what would not end soon, and wait until all that is due has been answered.

        Args:
            seconds: wait no longer; what is not answered then never is. None: as long as it takes.
        """
        self.stop(_endless)
        self._jobs.put(None)
        self._thread.join(seconds)
        self._gone = True

    def _work(self) -> None:
        tablebase = None
        while (job := self._jobs.get()) is not None and not self._gone:
            if tablebase is not None and tablebase is not job.tablebase:
                tablebase.close()
            tablebase = job.tablebase
            try:
                self._do(job)
            except Exception as error:
                self._output.report(error)
                if job.perft is None:
                    self._output.say(f"bestmove {NO_MOVE}")
            with self._lock:
                self._due.popleft()
        if tablebase is not None:
            tablebase.close()

    def _do(self, job: Job) -> None:
        """Answer one question."""
        for complaint in job.complaints:
            self._output.inform(complaint)
        if job.perft is not None:
            self._count(job, job.perft)
            return
        found: Answer = answer(job.tablebase, job.question, job.stop.is_set)
        self._output.say(*(f"info {info}" for info in found.infos))
        if job.waits:
            job.stop.wait()
        self._output.say(f"bestmove {found.move}")

    def _count(self, job: Job, depth: int) -> None:
        """Count sequences of turns, and say the counts as they become known."""
        position = job.question.game.position
        counted = nodes = 0
        try:
            for turn, number in each_turn(position, depth, job.stop.is_set):
                self._output.say(f"{turn}: {number}")
                counted += 1
                nodes += number
        except PerftStopped:
            self._output.inform(
                f"perft was stopped: {counted} of {len(position.turns())} turns are counted,"
                f" {nodes} nodes"
            )
        else:
            self._output.say("", f"Nodes searched: {nodes}")
