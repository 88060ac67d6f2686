"""What commands that share work among several processes let the user choose."""

from __future__ import annotations

from typing import Final, NamedTuple

import click

from solver import memory
from solver.cli.common import DecimalNumber, Decorated, WholeNumber

__all__ = ["WorkerShare", "memory_bytes", "memory_option", "worker_share", "workers_option"]

_MOST_GIGABYTES: Final = 1e9
"""More than any machine has: a number of gigabytes may be too big for bytes."""


class WorkerShare(NamedTuple):
    """What each of several workers has.

    Attributes:
        threads: its threads.
        memory: the most memory it uses, in bytes.
    """

    threads: int
    memory: int


def workers_option(function: Decorated) -> Decorated:
    """Add ``--workers N`` as parameter `workers`: None if it is not given."""
    return click.option(
        "--workers",
        type=WholeNumber(1),
        metavar="N",
        help="Processes that share the work, each solving one unit at a time. --threads and"
        " --memory are then those of each; else they share what this machine has.",
    )(function)


def memory_option(function: Decorated) -> Decorated:
    """Add ``--memory GB`` as parameter `memory_limit`: None if it is not given."""
    return click.option(
        "--memory",
        "memory_limit",
        type=DecimalNumber(),
        metavar="GB",
        help="Most memory to use, in gigabytes; else three quarters of what is available.",
    )(function)


def memory_bytes(gigabytes: float) -> int:
    """Return the bytes that ``--memory`` stands for."""
    return int(min(gigabytes, _MOST_GIGABYTES) * 1e9)


def worker_share(workers: int, threads: int | None, gigabytes: float | None) -> WorkerShare:
    """Return what each worker has: what the user says, else its part of this machine.

    Args:
        workers: their number.
        threads: of each; None for the processors divided among them, one at least.
        gigabytes: the most memory of each; None for three quarters of what is available, divided
            among them.
    """
    from solver.parallel import default_threads  # needs NumPy, which help can do without

    return WorkerShare(
        threads=threads or max(1, default_threads() // workers),
        memory=memory.default_memory() // workers if gigabytes is None else memory_bytes(gigabytes),
    )
