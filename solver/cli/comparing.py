"""``morris verify --manifest``: whether tables are those that a list of SHA-256 names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import choose_sectors
from solver.cli.formats import counted, emit_json, format_bytes
from solver.cli.problems import raise_worst
from solver.cli.signals import terminated_like_interrupted
from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.rules import Rules
from solver.sectors import Sector, known_sectors

if TYPE_CHECKING:
    from solver.filecheck import Problem
    from solver.filedigest import FileDigest

__all__ = ["compare_with_manifest"]

_MOST_NAMES: Final = 8
"""Tables that are named one by one where they are only noted."""


def compare_with_manifest(
    path: str,
    rules: Rules | None,
    sectors: Sequence[Sector],
    database: Path,
    threads: int | None,
    as_json: bool,
    *,
    ignore_missing: bool = False,
) -> None:
    """Compare the files of a database with those of a manifest; say what was found.

    Tables must hold by their own checksums too.

    Args:
        path: of the manifest.
        rules: the game whose tables are compared; None for all files of the manifest.
        sectors: of this game; none for all of them.
        database: the folder.
        threads: files to read at the same time; None for one per processor.
        as_json: what to print.
        ignore_missing: leave out files that are listed and not there; not all of them.

    Raises:
        UsageError: the manifest is none, or lists nothing of what is to be compared.
        DamagedTableError, ResourceError, MissingTableError: a file is another one, cannot be read
            or is not there: the worst. The others have been named on stderr.
    """
    from solver.cli.progress import byte_progress
    from solver.filedigest import digest_files, file_bytes
    from solver.manifest import all_tables, read_manifest
    from solver.parallel import default_threads

    listed = read_manifest(path)
    there = all_tables(database)
    if rules is not None:
        wanted = _wanted(rules, sectors, path, listed)
        listed = {name: digest for name, digest in listed.items() if name in wanted}
        there = [name for name in there if name in wanted]
    if ignore_missing:
        listed = _present(listed, database, path)
    with (
        terminated_like_interrupted(),
        byte_progress(file_bytes(database, list(listed))) as progress,
    ):
        found = digest_files(
            database, list(listed), threads=threads or default_threads(), progress=progress
        )
    # Not an error: who makes tables of his own beside those of others has such.
    unlisted = [name for name in there if name not in listed]
    _note(unlisted, path)
    raise_worst(
        problem
        for each in found
        if (problem := _problem(each, listed[each.name], database)) is not None
    )
    size = sum(each.size for each in found)
    if as_json:
        emit_json({"files": len(found), "bytes": size, "unlisted": unlisted})
    else:
        click.echo(f"{counted(len(found), 'file')}, {format_bytes(size)}: all as in {path}")


def _wanted(
    rules: Rules, sectors: Sequence[Sector], path: str, listed: Iterable[str]
) -> frozenset[str]:
    """Return the names of the tables to compare.

    Raises:
        UsageError: nothing is listed of the game, or of a sector that is named.
    """
    from solver.manifest import table_names

    chosen = choose_sectors(rules, sectors)
    for sector in chosen or ():
        if not set(table_names(rules, [sector])) & set(listed):
            raise UsageError(f"the manifest {path} lists no table of sector {sector}")
    wanted = frozenset(table_names(rules, known_sectors(rules) if chosen is None else chosen))
    if not wanted & set(listed):
        raise UsageError(f"the manifest {path} lists no table of {rules.name}")
    return wanted


def _present(listed: dict[str, str], database: Path, path: str) -> dict[str, str]:
    """Return what is listed and there.

    Raises:
        MissingTableError: nothing is.
    """
    present = {name: listed[name] for name in listed if os.path.lexists(database / name)}
    if not present:
        raise MissingTableError(f"none of the files that {path} lists is in {database}")
    return present


def _note(unlisted: Sequence[str], path: str) -> None:
    """Say which tables are there that the manifest knows nothing of."""
    if not unlisted:
        return
    from solver.cli.progress import say

    names = ", ".join(unlisted[:_MOST_NAMES])
    more = len(unlisted) - _MOST_NAMES
    rest = f" and {more} more" if more > 0 else ""
    are = "is" if len(unlisted) == 1 else "are"
    say(f"{counted(len(unlisted), 'table')} {are} not in {path}, and not compared: {names}{rest}")


def _problem(found: FileDigest, expected: str, database: Path) -> Problem | None:
    """Return why a file is not that of the manifest; None if it is."""
    from solver.manifest import TableName

    problem = found.problem
    if isinstance(problem, MissingTableError):
        return MissingTableError(f"{problem}, which the manifest lists")
    if problem is not None or found.sha256 == expected:
        return problem
    where = database / found.name
    if TableName.parse(found.name) is None:
        return DamagedTableError(f"{where}: not the file of the manifest")
    return DamagedTableError(
        f"{where}: sound by its own checksums, but not the table of the manifest: another version"
        " of the program or of zstd has made it, or somebody has changed it"
    )
