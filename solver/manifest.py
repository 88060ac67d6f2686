"""Manifests: lists of the SHA-256 of a database's tables, as the program ``sha256sum`` has them.

Who gives tables to others gives the list with them, and whoever has both can see that the tables
are the same to the last byte, with this program or with ``sha256sum -c``. A list has tables alone:
records of checks (``*.verified.json``) are claims of whoever made them, which say nothing of what
the tables are and are made anew by ``morris verify --full``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from solver.boards import BOARDS
from solver.errors import UsageError
from solver.reading import quoted
from solver.rules import Rules
from solver.sectors import Sector
from solver.sectortable import METRICS
from solver.tablefile import table_path

__all__ = [
    "MANIFEST_NAME",
    "TableName",
    "all_tables",
    "family_folders",
    "manifest_text",
    "read_manifest",
    "table_names",
]

MANIFEST_NAME: Final = "SHA256SUMS"
"""What the list is called in the folder of a database."""

MAX_BYTES: Final = 16 << 20
"""A list that is longer is none: the largest game here has tables for half a megabyte."""

_FAMILY: Final = re.compile(rf"({'|'.join(map(re.escape, BOARDS))})-([0-9a-f]{{8}})")
_TABLE: Final = re.compile(rf"([0-9]+-[0-9]+(?:\+[0-9]+-[0-9]+)?)\.({'|'.join(METRICS)})\.zst")

_STANDARD: Final = re.compile(r"[ \t]*(\\?)([0-9a-fA-F]{64})[ \t][ *](.+)", re.DOTALL)
"""``HEX  name``, with an asterisk for what was read as binary, which means nothing here."""
_REVERSED: Final = re.compile(r"[ \t]*(\\?)([0-9a-fA-F]{64})[ \t]([^ *].*)", re.DOTALL)
"""As above with one space, as BSD's ``sha256 -r`` writes it."""
_TAGGED: Final = re.compile(r"[ \t]*(\\?)SHA256 ?\((.+)\) *= *([0-9a-fA-F]{64})[ \t]*", re.DOTALL)
"""``SHA256 (name) = HEX``, as BSD and ``sha256sum --tag`` write it."""
_ESCAPED: Final = re.compile(r"\\(.?)", re.DOTALL)
_MEANT: Final = {"n": "\n", "r": "\r", "\\": "\\"}


class TableName(NamedTuple):
    """What the name of a table says, relative to the database.

    Attributes:
        board: name of the board.
        fingerprint: the first eight digits of the rules' fingerprint.
        sector: as text.
        metric: ``dtw`` or ``wdl``.
    """

    board: str
    fingerprint: str
    sector: str
    metric: str

    @classmethod
    def parse(cls, name: str) -> TableName | None:
        """Return what a path such as ``merels24-e95907ef/6-5.dtw.zst`` says; None if no table's."""
        folder, _, file = name.rpartition("/")
        family, table = _FAMILY.fullmatch(folder), _TABLE.fullmatch(file)
        return cls(*family.groups(), *table.groups()) if family and table else None


def family_folders(database: str | os.PathLike[str]) -> list[Path]:
    """Return the folders of tables in a database, by name; none if it is not there."""
    try:
        entries = sorted(Path(database).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [path for path in entries if _FAMILY.fullmatch(path.name) and path.is_dir()]


def all_tables(database: str | os.PathLike[str]) -> list[str]:
    """Return the names of all tables of a database, of whatever game, sorted.

    Whatever has the name of a table is among them; whether it is one is for its reader to say.
    """
    return sorted(
        f"{folder.name}/{path.name}"
        for folder in family_folders(database)
        for path in folder.iterdir()
        if _TABLE.fullmatch(path.name)
    )


def table_names(rules: Rules, sectors: Iterable[Sector]) -> list[str]:
    """Return the names that the tables of some sectors have, if they are there, sorted."""
    return sorted(
        table_path("", rules, sector, metric).as_posix() for sector in sectors for metric in METRICS
    )


def manifest_text(digests: Mapping[str, str]) -> str:
    """Return a list as ``sha256sum`` writes it.

    Args:
        digests: SHA-256 in hexadecimal digits by name, as :func:`all_tables` names tables. (Such
            names have nothing that would have to be escaped.)
    """
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def read_manifest(path: str) -> dict[str, str]:
    """Read a list, in any of the forms that ``sha256sum -c`` takes.

    Args:
        path: of the file.

    Returns:
        SHA-256 in small hexadecimal digits by name, in the order of the file.

    Raises:
        UsageError: it cannot be read, is none, lists nothing, or lists what is outside the
            database; says in which line.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"the manifest {path} cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is no manifest: it has more than {MAX_BYTES >> 20} MiB")
    found: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for number, line in enumerate(os.fsdecode(data).split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or line.startswith("#"):
            continue
        try:
            name, digest = _entry(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
        if found.setdefault(name, digest) != digest:
            raise UsageError(
                f"{path}, line {number}: says something else of {quoted(name, 80)} than line"
                f" {numbers[name]}"
            )
        numbers.setdefault(name, number)
    if not found:
        raise UsageError(f"{path} is no manifest: it lists no file")
    return found


def _entry(line: str) -> tuple[str, str]:
    """Return the name and the digest that a line tells; ValueError if it tells none."""
    match = _STANDARD.fullmatch(line) or _REVERSED.fullmatch(line)
    if match is not None:
        escaped, digest, name = match.groups()
    else:
        match = _TAGGED.fullmatch(line)
        if match is None:
            raise ValueError(
                f"{quoted(line)} is no line of a manifest; one has 64 hexadecimal digits, two"
                " spaces and the name of a file"
            )
        escaped, name, digest = match.groups()
    if escaped:
        name = _ESCAPED.sub(_unescaped, name)
    path = PurePosixPath(name)
    if "\0" in name or not path.parts:
        raise ValueError(f"{quoted(name)} is no name of a file")
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{quoted(name)} is not below the folder of the database")
    return path.as_posix(), digest.lower()  # which takes a leading ./ away


def _unescaped(match: re.Match[str]) -> str:
    """Return what a backslash and the letter after it stand for."""
    try:
        return _MEANT[match[1]]
    except KeyError:
        raise ValueError(f"nothing is written as {quoted(match[0])}") from None
