"""Where a cluster's scheduler is: at an address, or started here with workers of its own."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from types import ModuleType
from typing import Any, Final, Protocol

from solver import memory
from solver.cluster.names import MEMORY
from solver.errors import ResourceError, UsageError
from solver.extras import import_extra
from solver.reading import quoted
from solver.rules import Rules
from solver.sectors import Unit
from solver.survey import FEWER_WORKERS, too_large

__all__ = ["AtAddress", "Connect", "Place", "StartedHere", "import_dask"]


def import_dask(module: str = "distributed") -> ModuleType:
    """Import a part of Dask.

    Raises:
        MissingPackageError: it is not installed; says how to install it.
    """
    found: ModuleType = import_extra(module, "cluster", "solving with several workers")
    return found


_ANSWER_SECONDS: Final = 5
"""How long a scheduler that was reached may take to answer."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Connect = Callable[[float], Any]
"""Returns a new client of a scheduler, which the caller closes; takes the seconds to wait for it.

Raises ResourceError if nobody answers.
"""


class Place(Protocol):
    """Where a scheduler is."""

    @property
    def beginning(self) -> str:
        """What is done first, if that takes a while; else nothing."""

    def check(self, rules: Rules, units: Iterable[Unit]) -> None:
        """Refuse what is known not to fit into the memory of its workers.

        Raises:
            ResourceError: says which unit needs how much, and what there is.
        """

    def opened(self) -> AbstractContextManager[Connect]:
        """Return a context in which the scheduler can be connected to."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging what the user is told in other words, or need not know."""
    loggers = [
        logging.getLogger(name)
        for name in list(logging.root.manager.loggerDict)
        if name.split(".")[0] in ("distributed", "tornado", "asyncio")
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _problem_of(address: str, distributed: ModuleType) -> str | None:
    """Return what is wrong with an address; None if nothing is."""
    kind, given, _ = address.partition("://")
    if given and kind not in ("tcp", "tls"):
        return "it begins with tcp:// or tls://"
    try:
        distributed.comm.resolve_address(address)
    except (ValueError, OSError) as error:
        return str(error)
    if given and kind == "tls":
        settings = distributed.Security().get_connection_args("client")
        if settings.get("ssl_context") is None:
            return "tls:// takes keys, which distributed.comm.tls in Dask's configuration names"
    return None


def _within(seconds: float, connect: Callable[[], Any], problem: str) -> Any:
    """Return what a call returns that should not take longer than so many seconds.

    Dask waits for ever for what talks something else.

    Raises:
        ResourceError: it took longer, or raised something; says what the problem is, and why.
    """
    outcome: Future[Any] = Future()

    def run() -> None:
        try:
            outcome.set_result(connect())
        except BaseException as error:
            outcome.set_exception(error)

    # No pool of threads, which would be waited for at the end of the program.
    threading.Thread(target=run, name="connecting", daemon=True).start()
    try:
        return outcome.result(seconds)
    except Exception as error:
        waited = not outcome.done()
        reason = f"nothing that makes sense within {seconds:.0f} seconds" if waited else str(error)
        raise ResourceError(f"{problem}: {reason or type(error).__name__}") from None


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Put signals off to the end of the block, and keep them for good from what it starts.

    Ctrl-C is sent to every process in the foreground. What workers are to do then is for the one
    that started them to say; by themselves they would only fill the terminal with tracebacks.
    """
    # Threads and processes begin with what is blocked in the thread that starts them. (A process
    # that this one starts unblocks what it finds blocked, so it is there before.)
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True)
class AtAddress:
    """A scheduler that runs somewhere.

    Attributes:
        address: such as ``tcp://10.0.0.1:8786``.
    """

    address: str

    @property
    def beginning(self) -> str:
        """See Place."""
        return ""

    def check(self, rules: Rules, units: Iterable[Unit]) -> None:
        """See Place; nothing is known."""

    @contextmanager
    def opened(self) -> Iterator[Connect]:
        """See Place; nothing is started and nothing ended.

        Raises:
            UsageError: the address is none.
        """
        distributed = import_dask()

        def connect(seconds: float) -> Any:
            return _within(
                seconds + _ANSWER_SECONDS,
                lambda: distributed.Client(self.address, timeout=seconds, set_as_default=False),
                f"no scheduler answers at {self.address}",
            )

        problem = _problem_of(self.address, distributed)
        if problem:
            raise UsageError(
                f"{quoted(self.address)} is not the address of a scheduler, such as"
                f" tcp://10.0.0.1:8786: {problem}"
            )
        with _quiet():
            yield connect


@dataclass(frozen=True)
class StartedHere:
    """A scheduler and workers that are started on this machine, and end with the run.

    Attributes:
        workers: how many processes.
        threads: of each.
        memory: most memory for each to use, in bytes.
    """

    workers: int
    threads: int
    memory: int

    @property
    def beginning(self) -> str:
        """See Place."""
        return f"starting {self.workers} worker{'' if self.workers == 1 else 's'}"

    def check(self, rules: Rules, units: Iterable[Unit]) -> None:
        """See Place."""
        why = too_large(rules, units, self.memory, each_worker=True, remedy=FEWER_WORKERS)
        if why:
            raise ResourceError(f"not solvable so: {why}")
        together, available = self.workers * self.memory, memory.available_memory()
        if together > available:
            raise ResourceError(
                f"{self.workers} workers with {memory.gigabytes(self.memory)} of memory each need"
                f" {memory.gigabytes(together)}, but only {memory.gigabytes(available)} are"
                " available; start fewer, or allow each less with --memory"
            )

    @contextmanager
    def opened(self) -> Iterator[Connect]:
        """See Place; they are ended when the context is left."""
        distributed, dask = import_dask(), import_dask("dask")
        settings = {
            "distributed.worker.profile.enabled": False,
            # Its page would be open to all on this machine.
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
            # What a user has set for clusters that live on.
            "distributed.scheduler.idle-timeout": None,
            "distributed.worker.lifetime.duration": None,
        }
        import_dask("cryptography")
        cluster = None
        with _quiet():
            try:
                with dask.config.set(settings), _not_interrupted():
                    cluster = distributed.LocalCluster(
                        n_workers=self.workers,
                        threads_per_worker=self.threads,
                        processes=True,
                        memory_limit=0,  # what they may use is decided unit by unit
                        resources={MEMORY: self.memory},
                        dashboard_address="127.0.0.1:0",
                        security=True,  # or anybody here could have them run anything
                        silence_logs=logging.CRITICAL,
                    )
            except Exception as error:  # there is no end of what settings can do to it
                reason = str(error) or type(error).__name__
                raise ResourceError(f"workers cannot be started here: {reason}") from None
            try:
                yield lambda seconds: distributed.Client(cluster, set_as_default=False)
            finally:
                if cluster is not None:
                    cluster.close()
