"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from solver.errors import ResourceError
from solver.memory import free_disk, gigabytes

__all__ = ["is_sector_file", "remove_temporary_files", "replacing"]

_SECTOR_FILE: Final = r"[0-9]+-[0-9]+(\+[0-9]+-[0-9]+)?\.(dtw\.zst|wdl\.zst|verified\.json)"
_TEMPORARY: Final = re.compile(rf"{_SECTOR_FILE}\.tmp-[0-9]+")
"""What :func:`replacing` calls the files of a sector while they are written."""
_HELD: Final = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: Path, need: int | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path` that takes its place when the block ends without error.

    By then its bytes are on the disk. After an error nothing is left of it. The folder is made if
    need be. Its writer holds a lock on the temporary file: one that nobody holds was left by a
    writer that was killed, and the next to write to `path` removes it.

    Args:
        path: of the file.
        need: about how many bytes it will have, for messages.

    Raises:
        ResourceError: the disk is full; says what is needed and what is free. Or another process
            is writing the same file.
        OSError: the file cannot be written for another reason; names the file.
    """
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    written = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path.parent, re.compile(rf"{re.escape(path.name)}\.tmp-[0-9]+"))
        with _open_held(temporary, path) as file:
            try:
                yield file
            except OSError as error:
                if error.errno in _NO_ROOM:
                    written = os.fstat(file.fileno()).st_size
                raise
            with _naming(path):
                written = file.tell()
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, path)  # still held, so that nobody takes it for abandoned
        with _naming(path):
            _sync_folder(path.parent)
    except BaseException as error:
        if not isinstance(error, _WrittenByAnotherError):
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise ResourceError(_no_room(path, error.errno, written, need)) from None
        raise


def is_sector_file(name: str) -> bool:
    """Return whether a table or a record of its check has such a name, or has it while written."""
    return bool(re.fullmatch(_SECTOR_FILE, name) or _TEMPORARY.fullmatch(name))


def remove_temporary_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Remove what interrupted writers left in a family's folder; return the paths.

    Only regular files with just the name that a table or a record of its check has while it is
    written, and that nobody is writing; whatever else lies there is not ours, nor are sub-folders.
    """
    return _remove_abandoned(Path(folder), _TEMPORARY)


class _WrittenByAnotherError(ResourceError):
    """Another process has the temporary file of the same name."""


def _remove_abandoned(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """Remove the files of some names that a writer who died has left; return the paths."""
    try:
        found = sorted(path for path in folder.iterdir() if names.fullmatch(path.name))
    except OSError:  # no folder, or none that may be read
        return []
    removed = []
    for path in found:
        with suppress(OSError):  # it is in nobody's way
            if not stat.S_ISREG(path.lstat().st_mode):
                continue
            flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(path, flags)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused if it is held
                path.unlink()
            finally:
                os.close(descriptor)
            removed.append(path)
    return removed


def _open_held(temporary: Path, path: Path) -> BinaryIO:
    """Make a temporary file and hold the lock on it as long as it is open.

    Raises:
        _WrittenByAnotherError: a file of that name is held by another, who has the same number in
            another container or is another thread.
    """
    while True:
        try:
            file = open(temporary, "xb")  # noqa: SIM115 - for the caller to close
        except FileExistsError:
            # Not removed as abandoned: held, or where the file system knows no locks.
            if temporary.is_file() and not _hold_for_a_moment(temporary):
                raise _WrittenByAnotherError(
                    f"{path} is being written by another process; wait until it is done"
                ) from None
            temporary.unlink(missing_ok=True)
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _HELD:
                return file  # the file system knows no locks
        except BaseException:
            file.close()
            raise
        else:
            if os.fstat(file.fileno()).st_nlink:
                return file
        file.close()  # somebody took it for abandoned before it was held


def _hold_for_a_moment(path: Path) -> bool:
    """Return whether nobody holds a file, or nobody can."""
    try:
        with open(path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD
    return True


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name a file in errors of the system that do not, such as those of ``fsync``."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _no_room(path: Path, number: int, written: int, need: int | None) -> str:
    """Return what to say where a file has no room: how much it needs, and how much there is.

    Args:
        path: of the file.
        number: of the system's error.
        written: bytes that did find room, or just failed to.
        need: about how many bytes it would have had; None if that is not known.
    """
    if need is None or need < written:
        amount = f"more than {gigabytes(written)}" if written else "some"
    else:
        amount = f"about {gigabytes(need)}"
    if number == errno.EDQUOT:
        return f"{path} needs {amount} of disk, but your quota leaves less"
    if number == errno.EFBIG:
        limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        most = "the file system takes no file so large"
        if limit != resource.RLIM_INFINITY:
            most = f"a file may have only {gigabytes(limit)} here (ulimit -f)"
        return f"{path} needs {amount}, but {most}"
    free = free_disk(path.parent)
    if free > max(written, need or 0):  # or of those who make files there is no room for more
        return f"{path}: no space left on the disk to write it: it needs {amount}"
    return f"{path} needs {amount} of disk, but only {gigabytes(free)} are free there"


def _sync_folder(folder: Path) -> None:
    """Put a folder's entries on the disk, or a power cut could undo a renaming."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # one that may be written and not read
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that does this by itself, or never
            raise
    finally:
        os.close(descriptor)
