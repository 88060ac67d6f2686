"""Writing tables in the background, while the next unit is being solved."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import ResourceError
from solver.sectors import Sector, parse_sector
from solver.tablefile import write_table
from solver.tableheader import TableHeader

__all__ = ["NewTable", "TableWriter"]

Wrote = Callable[[Sector, int, float], None]
"""Called with the sector, the bytes of its file and the seconds it took to write."""


class NewTable(NamedTuple):
    """A table to write.

    Attributes:
        path: where.
        header: what it says about itself.
        payload: its entries.
        file_bytes: about what the file will take.
    """

    path: Path
    header: TableHeader
    payload: npt.NDArray[np.uint8]
    file_bytes: int


class TableWriter:
    """A thread that writes the tables of one unit at a time. Use it as a context manager.

    Leaving the context waits until all is written, also after an error or an interruption, for
    what is solved is worth keeping; another KeyboardInterrupt while waiting gives it up.

    Args:
        threads: threads to compress with.
        wrote: called in the writer's thread for every finished table.
    """

    def __init__(self, threads: int, wrote: Wrote) -> None:
        self._threads = threads
        self._wrote = wrote
        self._given_up = Event()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="table-writer")
        # The thread is started before it has work: one that an interruption keeps the pool from
        # knowing of would not be waited for, and would write on when the lock is gone.
        self._pool.submit(int).result()
        self._pending: Future[None] | None = None
        self._bytes = 0

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.wait()
        except Exception:
            if error is None:  # otherwise the first error is the one to report
                raise
        except KeyboardInterrupt:
            self._given_up.set()
            raise
        finally:
            self._pool.shutdown(wait=True)

    @property
    def bytes(self) -> int:
        """Bytes of the payloads that are being written now."""
        return 0 if self._pending is None or self._pending.done() else self._bytes

    def write(self, tables: list[NewTable]) -> None:
        """Begin to write some tables, one after the other, when those before are written.

        Raises:
            ResourceError: those before could not be written.
        """
        self.wait()
        self._bytes = sum(table.payload.nbytes for table in tables)
        self._pending = self._pool.submit(self._write_all, tables)

    def wait(self) -> None:
        """Wait until everything is written.

        Raises:
            ResourceError: a table could not be written.
        """
        if self._pending is not None:
            self._pending.result()
            self._pending = None

    def _write_all(self, tables: list[NewTable]) -> None:
        for path, header, payload, file_bytes in tables:
            started = time.perf_counter()
            try:
                size = write_table(
                    path,
                    header,
                    payload,
                    threads=self._threads,
                    progress=self._go_on,
                    file_bytes=file_bytes,
                )
            except OSError as error:
                raise ResourceError(f"{path} cannot be written: {error.strerror}") from None
            self._wrote(parse_sector(header.sector), size, time.perf_counter() - started)

    def _go_on(self, done: int) -> None:
        if self._given_up.is_set():
            raise KeyboardInterrupt
