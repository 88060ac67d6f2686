"""The SHA-256 of files, and in the same reading whether they are sound tables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solver.errors import DamagedTableError, MissingTableError, ResourceError
from solver.filecheck import Problem
from solver.manifest import TableName
from solver.seekable import ByteSource, ContainerError, FileSource, do_all
from solver.tablefile import TableReader

__all__ = ["FileDigest", "digest_file", "digest_files", "file_bytes"]

Progress = Callable[[int], None]
"""Called in any thread with how many more bytes have been read."""

_CHUNK_BYTES: Final = 4 << 20


@dataclass(frozen=True)
class FileDigest:
    """What was read of a file.

    Attributes:
        name: relative to the database.
        size: bytes.
        sha256: of all of them, in hexadecimal digits; None if there is a problem.
        problem: why the file cannot be read, or what is wrong with the table; None if all is well.
        identity: equal as long as the file is the same and nothing has written to it.
    """

    name: str
    size: int = 0
    sha256: str | None = None
    problem: Problem | None = None
    identity: object = None

    def is_current(self, database: str | os.PathLike[str]) -> bool:
        """Return whether it is still this file that has the name."""
        try:
            source = FileSource(Path(database, self.name))
        except (OSError, ContainerError):
            return False
        source.close()
        return source.identity == self.identity


def digest_file(
    database: str | os.PathLike[str], name: str, progress: Progress | None = None
) -> FileDigest:
    """Read a file once, for its SHA-256 and, if it has the name of a table, its own checksums.

    A table must also be the one that its name says: for this sector, these rules, this metric.
    """
    path = Path(database, name)
    try:
        source = FileSource(path)
    except (FileNotFoundError, NotADirectoryError):
        return FileDigest(name, problem=MissingTableError(f"{path} is missing"))
    except ContainerError as error:
        return FileDigest(name, problem=DamagedTableError(f"{path}: {error}"))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        return FileDigest(name, problem=ResourceError(f"{path} cannot be read: {reason}"))
    hashed = _HashedSource(source, progress)
    table = TableName.parse(name)
    try:
        problem = None if table is None else _wrong(hashed, path, table)
        # What is damaged has no use for a digest, and may be of any size.
        digest = hashed.digest() if problem is None else None
    except OSError as error:
        problem = DamagedTableError(f"{path}: cannot be read: {error.strerror or error}")
        return FileDigest(name, source.size, None, problem, source.identity)
    finally:
        source.close()
    return FileDigest(name, source.size, digest, problem, source.identity)


def digest_files(
    database: str | os.PathLike[str],
    names: Sequence[str],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[FileDigest]:
    """Read some files side by side; return what was found, in the order of the names.

    Args:
        database: the folder they are in.
        names: relative to it.
        threads: files to read at the same time.
        progress: told how far it is.
    """
    found: dict[str, FileDigest] = {}
    # The largest first, or one would be read alone at the end.
    order = sorted(names, key=lambda name: file_bytes(database, [name]), reverse=True)

    def read(number: int) -> None:
        found[order[number]] = digest_file(database, order[number], progress)

    do_all(read, range(len(order)), threads)
    return [found[name] for name in names]


def file_bytes(database: str | os.PathLike[str], names: Sequence[str]) -> int:
    """Return the bytes of those files that are there."""
    total = 0
    for name in names:
        try:
            total += os.stat(os.path.join(database, name)).st_size
        except (OSError, ValueError):  # which is said when it is read
            continue
    return total


def _wrong(source: ByteSource, path: Path, table: TableName) -> DamagedTableError | None:
    """Return what is wrong with a table; None if it is sound and what its name says."""
    try:
        reader = TableReader(source, name=str(path), sector=table.sector, metric=table.metric)
        board, fingerprint = reader.header.rules.get("board"), reader.header.fingerprint
        if (board, fingerprint[:8]) != (table.board, table.fingerprint):
            made_for = f"made for other rules, those of {board}-{fingerprint[:8]}"
            return reader.damaged("header", made_for)
        reader.check_stored()
    except DamagedTableError as error:
        return error
    return None


class _HashedSource:
    """A file whose bytes are hashed as they are read for the first time, from its beginning on.

    A table is read in order but for its end, so that nearly all of it is read only once.
    """

    def __init__(self, source: ByteSource, progress: Progress | None) -> None:
        self.size = source.size
        self.identity = source.identity
        self._source = source
        self._progress = progress
        self._hash = hashlib.sha256()
        self._hashed = 0

    def read(self, offset: int, count: int) -> bytes:
        """See :class:`solver.seekable.ByteSource`."""
        data = self._source.read(offset, count)
        known = self._hashed - offset
        if 0 <= known < len(data):
            self._hash.update(memoryview(data)[known:])
            self._hashed = offset + len(data)
            if self._progress is not None:
                self._progress(len(data) - known)
        return data

    def close(self) -> None:
        """Leave the file open: it is read to its end even if a part of it is damaged."""

    def digest(self) -> str:
        """Read what has not been read yet; return the digest of the whole file.

        Raises:
            OSError: it cannot be read, or ends before it did when it was opened.
        """
        while self._hashed < self.size:
            if not self.read(self._hashed, min(_CHUNK_BYTES, self.size - self._hashed)):
                raise OSError("it was cut while it was read")
        return self._hash.hexdigest()
