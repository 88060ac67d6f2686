"""One writer per database: a lock file that the system frees when its holder dies."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from solver.errors import LockedDatabaseError, ResourceError, UsageError

__all__ = ["locked"]

_BUSY: Final = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_TRIES: Final = 10
"""How often a lock file is opened that is removed or replaced every time before it is locked."""

_held: set[int] = set()
"""Descriptors that locks of this process are on, or are about to be."""


@contextmanager
def locked(database: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of a database folder, which is made if need be.

    The lock is the system's on the open file ``lock``, so it goes with the process that holds it,
    however that ends. What the file says is for messages only. The folder itself is locked too,
    where its file system can do that: whoever removes the file while it is held does not let
    another writer in.

    A child that the holder forks does not hold the lock, and cannot give it up.

    Raises:
        LockedDatabaseError: another process holds it; the message says which.
        UsageError: the path is a file.
        ResourceError: the folder cannot be made or written.
    """
    folder = Path(database)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"the database {folder} is not a folder") from None
    except OSError as error:
        raise ResourceError(f"the database {folder} cannot be written: {error.strerror}") from None
    holder = os.getpid()
    file = _lock_file(folder)
    try:
        whole = _lock_folder(folder)
        try:
            _describe(file)
            try:
                yield
            finally:
                if os.getpid() == holder:
                    with suppress(OSError):
                        os.ftruncate(file, 0)
        finally:
            _close(whole, holder)
    finally:
        _close(file, holder)


def _lock_file(folder: Path) -> int:
    """Return the descriptor of the file ``lock``, which is locked now and still has that name."""
    path = folder / "lock"
    for _ in range(_TRIES):
        descriptor = _open_file(path, folder)
        try:
            if not _take(descriptor):
                raise _locked_by(_holder(descriptor), folder)
            if _is_at(descriptor, path):
                return descriptor
        except OSError as error:
            _close(descriptor, os.getpid())
            if isinstance(error, FileNotFoundError):
                continue
            reason = f"{path} cannot be locked: {error.strerror}"
            raise ResourceError(f"the database {folder} cannot be written: {reason}") from None
        except BaseException:
            _close(descriptor, os.getpid())
            raise
        _close(descriptor, os.getpid())
    raise ResourceError(
        f"the database {folder} cannot be written: something removes {path} again and again"
    )


def _open_file(path: Path, folder: Path) -> int:
    """Open the file ``lock``; it is made if need be."""
    # Not truncated: it may name the present holder. Nor is a link followed: it may come from
    # strangers, and what it leads to would be overwritten.
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o666)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"the database {folder} is not a folder") from None
    except OSError as error:
        reason = "this is a link" if error.errno == errno.ELOOP else error.strerror
        raise ResourceError(f"the database {folder} cannot be written: {path}: {reason}") from None
    _held.add(descriptor)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        _close(descriptor, os.getpid())
        raise ResourceError(
            f"the database {folder} cannot be written: {path}: this is not a regular file"
        )
    return descriptor


def _lock_folder(folder: Path) -> int | None:
    """Return the descriptor of the folder, which is locked now; None where that cannot be."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # it may be written but not read
        return None
    _held.add(descriptor)
    try:
        if _take(descriptor):
            return descriptor
    except OSError:  # NFS, for one, locks nothing that is not open for writing
        _close(descriptor, os.getpid())
        return None
    _close(descriptor, os.getpid())
    raise _locked_by("another process (somebody has removed its file lock)", folder)


def _take(descriptor: int) -> bool:
    """Lock what is open; return whether nobody else had.

    Raises:
        OSError: it cannot be locked.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether what is open is what has the name; FileNotFoundError if nothing has."""
    return os.path.samestat(os.fstat(descriptor), os.lstat(path))


def _close(descriptor: int | None, holder: int) -> None:
    """Let go of a lock, but not in a child, where the number may be another file's by now."""
    if descriptor is not None and os.getpid() == holder:
        _held.discard(descriptor)
        os.close(descriptor)


def _let_go() -> None:
    """Close in a child what it has inherited: else it would hold the lock beyond its parent."""
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


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


def _locked_by(holder: str, folder: Path) -> LockedDatabaseError:
    return LockedDatabaseError(
        f"the database {folder} is being written by {holder}; wait until it is done or stop it"
    )
