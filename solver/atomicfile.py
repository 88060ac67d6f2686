"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from solver.errors import ResourceError

__all__ = ["remove_temporary_files", "replacing"]

_TEMPORARY: Final = re.compile(
    r"[0-9]+-[0-9]+(\+[0-9]+-[0-9]+)?\.(dtw\.zst|wdl\.zst|verified\.json)\.tmp-[0-9]+"
)
"""What :func:`replacing` calls the files of a sector while they are written."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path` that takes its place when the block ends without error.

    By then its bytes are on the disk. After an error nothing is left of it. The folder is made if
    need be.

    Raises:
        ResourceError: the disk is full.
        OSError: the file cannot be written for another reason.
    """
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ResourceError(f"{path}: no space left on the disk to write it") from None
        raise


def remove_temporary_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Remove what interrupted writers left in a family's folder; return the paths.

    Only regular files with just the name that a table or a record of its check has while it is
    written; whatever else lies there is not ours, nor are sub-folders.

    Only for the holder of the database's lock: another writer's file would be removed as well.
    """
    removed = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in sorted(Path(folder).iterdir()):
            if not _TEMPORARY.fullmatch(path.name) or not stat.S_ISREG(path.lstat().st_mode):
                continue
            with suppress(OSError):  # it is in nobody's way
                path.unlink()
                removed.append(path)
    return removed


def _sync_folder(folder: Path) -> None:
    """Put a folder's entries on the disk, or a power cut could undo a renaming."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
