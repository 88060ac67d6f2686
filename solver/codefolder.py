"""The folder for machine code: where it is, that nobody else can write to it, what is cleared away.

Machine code that is loaded is believed as blindly as a table, and it is loaded from a pickle, which
can do anything.  So its folder is this user's alone: in the user's cache folder, else one of its
own in the folder for temporary files, which anybody could have prepared.  A folder or file that
is not this user's (or root's), or that others may write to, is left alone.  Where there is no
folder that will do, nothing is kept.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["SUFFIX", "TEMPORARY", "clear_away", "find_folder", "hold", "is_safe"]

SUFFIX: Final = ".code"
"""How the name of a file with machine code ends."""

TEMPORARY: Final = ".tmp-"
"""What is in the name of one that is being written."""

_IN_USE: Final = "in-use"
_NAME: Final = re.compile(r"[0-9a-f]{16}")
_UNUSED_SECONDS: Final = 30 * 24 * 3600
_ABANDONED_SECONDS: Final = 3600  # one is written in milliseconds


def find_folder(name: str) -> Path | None:
    """Return the folder of a name for machine code, made if need be; None if there can be none.

    The first of these that will do: in NUMBA_CACHE_DIR, in XDG_CACHE_HOME, in ``.cache`` of the
    home folder, in the folder for temporary files.
    """
    for place in _places():
        folder = place / "kernels" / name
        with suppress(OSError, ValueError):  # ValueError: a name with a zero byte
            if all(map(_make_ours, (place, place / "kernels", folder))) and _serves(folder):
                return folder
    return None


def is_safe(status: os.stat_result) -> bool:
    """Return whether a file or folder can only have been written by this user or root."""
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def hold(folder: Path) -> int | None:
    """Say that this process uses a folder, until the process ends or closes what is returned."""
    with suppress(OSError):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(folder / _IN_USE, flags, 0o600)
        with suppress(OSError):
            os.utime(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return descriptor
    return None


def clear_away(folder: Path) -> list[Path]:
    """Remove what killed processes left in a folder for machine code, and folders long unused.

    Those are of other versions of the program, Numba or Python, with other settings; a folder that
    a process uses, or has used in the last thirty days, stays.

    Returns:
        What was removed.
    """
    removed = []
    now = time.time()
    with suppress(OSError):
        for path in folder.glob(f"*{TEMPORARY}*"):
            with suppress(OSError):
                if now - path.lstat().st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
                    removed.append(path)
        for other in folder.parent.iterdir():
            with suppress(OSError):
                if other == folder or not _NAME.fullmatch(other.name) or not _is_ours(other):
                    continue
                if now - _last_use(other) > _UNUSED_SECONDS and _remove(other):
                    removed.append(other)
    return removed


def _places() -> Iterator[Path]:
    """Yield where to look for folders for machine code, the best place first."""
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        named = os.environ.get(variable, "")
        # The XDG specification has relative names ignored; what is meant by one would depend on
        # the current folder.
        if os.path.isabs(named):
            yield Path(named) / "morris-solver"
    home = os.path.expanduser("~")
    if os.path.isabs(home):  # without HOME and an entry in the list of users it stays "~"
        yield Path(home) / ".cache" / "morris-solver"
    with suppress(OSError):  # there may be no folder for temporary files either
        yield Path(tempfile.gettempdir()) / f"morris-solver-{os.geteuid()}"


def _make_ours(folder: Path) -> bool:
    """Make a folder if need be; return whether it is this user's or root's, and theirs alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid == os.geteuid() and not is_safe(status):  # as some umasks make folders
        folder.chmod(stat.S_IMODE(status.st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))
    return _is_ours(folder)


def _is_ours(folder: Path) -> bool:
    """Return whether a folder, or a link to one, is this user's or root's, and theirs alone."""
    status = folder.stat()
    link_owner = folder.lstat().st_uid
    return stat.S_ISDIR(status.st_mode) and is_safe(status) and link_owner in (os.geteuid(), 0)


def _serves(folder: Path) -> bool:
    """Return whether code can be kept in a folder, or some has been, on a read-only disk say."""
    return os.access(folder, os.W_OK | os.X_OK) or any(folder.glob(f"*{SUFFIX}"))


def _last_use(folder: Path) -> float:
    """Return when a folder was used, as far as times of files tell."""
    inside = (entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(folder))
    return max(folder.stat().st_mtime, *inside, 0)


def _remove(folder: Path) -> bool:
    """Remove a folder unless a process uses it; return whether it has gone."""
    descriptor = hold(folder)
    if descriptor is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
    return not folder.exists()
