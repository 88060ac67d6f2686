"""The folders that tables are kept in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from solver.errors import UsageError

__all__ = ["PathOrPaths", "default_database", "read_folders"]

PathOrPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One folder or several."""


def default_database() -> Path:
    """Return the database folder to use when none is named; it need not exist.

    The environment variable MORRIS_DB; otherwise ``databases/`` of a source checkout; otherwise
    ``morris-solver`` in the user's data folder (XDG_DATA_HOME or ``~/.local/share``).

    Raises:
        UsageError: there is no home folder to look in.
    """
    named = os.environ.get("MORRIS_DB")
    if named:
        return Path(named)
    checkout = Path(__file__).resolve().parents[1] / "databases"
    if (checkout / "FORMAT.md").is_file():
        return checkout
    data = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(data):  # the XDG specification has others ignored
        return Path(data) / "morris-solver"
    try:
        return Path.home() / ".local" / "share" / "morris-solver"
    except RuntimeError:
        raise UsageError(
            "there is no home folder: name the database with MORRIS_DB or --db"
        ) from None


def read_folders(paths: PathOrPaths | None) -> tuple[Path, ...]:
    """The folders that a caller names; they need not exist.

    Args:
        paths: one or several; None for :func:`default_database`.

    Raises:
        UsageError: none is named, or one is not a folder.
    """
    if paths is None:
        paths = default_database()
    named = [paths] if isinstance(paths, str | os.PathLike) else paths
    folders = tuple(dict.fromkeys(map(Path, named)))
    if not folders:
        raise UsageError("a tablebase needs the name of a folder at least")
    for folder in folders:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"the database {folder} is not a folder")
    return folders
