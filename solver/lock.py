"""One writer per database: a lock file that the system frees when its holder dies."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from solver.errors import LockedDatabaseError, ResourceError, UsageError

__all__ = ["locked"]

_BUSY = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


@contextmanager
def locked(database: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of a database folder, which is made if need be.

    The lock is the system's on the open file ``lock``, so it goes with the process that holds it,
    however that ends. What the file says is for messages only.

    Raises:
        LockedDatabaseError: another process holds it; the message says which.
        UsageError: the path is a file.
        ResourceError: the folder cannot be made or written.
    """
    folder = Path(database)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Not truncated on opening: it may name the present holder.
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"the database {folder} is not a folder") from None
    except OSError as error:
        raise ResourceError(f"the database {folder} cannot be written: {error.strerror}") from None
    try:
        _take(descriptor, folder)
        _describe(descriptor)
        try:
            yield
        finally:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            raise LockedDatabaseError(
                f"the database {folder} is being written by {_holder(descriptor)}; wait until it"
                " is done or stop it"
            ) from None
        raise ResourceError(f"the database {folder} cannot be locked: {error.strerror}") from None


def _describe(descriptor: int) -> None:
    """Say in the file who holds it."""
    record = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "start": time.strftime("%Y-%m-%d %H:%M:%S"),
    }
    with suppress(OSError):  # a full disk must not keep anyone from the lock
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, (json.dumps(record) + "\n").encode(), 0)


def _holder(descriptor: int) -> str:
    """Return in words who holds the lock."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        record = json.loads(os.pread(descriptor, 1000, 0))
        return f"process {record['pid']} on {record['host']} since {record['start']}"
    return "another process"
