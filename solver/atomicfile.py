"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from solver.errors import ResourceError

__all__ = ["remove_temporary_files", "replacing"]


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
    """Remove what interrupted writers left in a folder and its sub-folders; return the paths.

    Only for the holder of the folder's lock: another writer's file would be removed as well.
    """
    found = sorted(Path(folder).rglob("*.tmp-*"))
    for path in found:
        path.unlink(missing_ok=True)
    return found


def _sync_folder(folder: Path) -> None:
    """Put a folder's entries on the disk, or a power cut could undo a renaming."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
