"""``morris manifest``: the SHA-256 of every table, for those who get the tables from you."""

from __future__ import annotations

from pathlib import Path

import click

from solver.cli.common import (
    database_option,
    json_option,
    optional_variant_argument,
    threads_option,
)
from solver.cli.formats import counted, emit_json, format_bytes
from solver.cli.output import write_text
from solver.cli.problems import raise_worst
from solver.cli.signals import terminated_like_interrupted
from solver.errors import MissingTableError, ResourceError, UsageError
from solver.escape import shell_word
from solver.rules import Rules
from solver.sectors import known_sectors

__all__ = ["manifest"]


@click.command()
@optional_variant_argument
@database_option
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="Write to this file, and nothing to stdout; - for stdout alone.",
)
@threads_option
@json_option
def manifest(
    rules: Rules | None, database: Path, output: str | None, threads: int | None, as_json: bool
) -> None:
    """List the SHA-256 of every table: those of VARIANT, or all there are.

    The list is written as SHA256SUMS into the folder of the tables, and to stdout. Give it to
    those who get the tables: 'morris verify --manifest FILE' compares them, and so does
    'sha256sum -c' in that folder. Tables have the same bytes wherever they are made by this version
    of the program with the same version of zstd.

    Each table is checked by its own checksums while it is read, and no list is made of damaged
    ones. Where the folder may not be written, the list is only printed. Records of checks are not
    listed: who gets the tables can check them.

    Exit codes: 0 the list is made; 3 there is no table; 4 a table is damaged; 5 a table may not be
    read or changed meanwhile, or the list cannot be written.
    """
    if output == "-" and as_json:
        raise UsageError("--output - and --json exclude each other; choose one")
    with terminated_like_interrupted():
        text, files, size = _make(rules, database, threads)
    path: str | None = None
    if output is None:
        path = _keep(database, text, as_json)
    elif output != "-":
        write_text(output, text, "--output")
        path = output
    if as_json:
        emit_json({"files": files, "bytes": size, "manifest": path})
        return
    if output in (None, "-"):
        click.echo(text, nl=False)
    if path is not None:
        click.echo(f"{counted(files, 'table')}, {format_bytes(size)}: listed in {path}", err=True)


def _make(rules: Rules | None, database: Path, threads: int | None) -> tuple[str, int, int]:
    """Return the list, and how many tables and bytes it is of."""
    from solver.cli.progress import byte_progress
    from solver.filedigest import digest_files, file_bytes
    from solver.manifest import manifest_text
    from solver.parallel import default_threads

    names = _names(rules, database)
    if not names:
        which = "" if rules is None else f" of {rules.name}"
        variant = "nine" if rules is None else rules.name
        raise MissingTableError(
            f"there are no tables{which} in {database}; make some with: morris solve {variant}"
            f" --stones 8 --db {shell_word(str(database))}"
        )
    with byte_progress(file_bytes(database, names)) as progress:
        found = digest_files(
            database, names, threads=threads or default_threads(), progress=progress
        )
    raise_worst(each.problem for each in found if each.problem is not None)
    changed = [each.name for each in found if not each.is_current(database)]
    changed += sorted(set(_names(rules, database)) ^ set(names))
    if changed:
        raise ResourceError(
            f"{database / changed[0]} was written while the tables were read; wait until whoever"
            " writes to them is done"
        )
    digests = {each.name: each.sha256 for each in found if each.sha256 is not None}
    return manifest_text(digests), len(found), sum(each.size for each in found)


def _names(rules: Rules | None, database: Path) -> list[str]:
    """Return the names of the tables that are there."""
    from solver.manifest import all_tables, table_names

    there = all_tables(database)
    if rules is None:
        return there
    return sorted(set(there) & set(table_names(rules, known_sectors(rules))))


def _keep(database: Path, text: str, needed: bool) -> str | None:
    """Write the list into the folder of the tables; return its path, None if that may not be.

    Raises:
        ResourceError: it cannot be written, and there is nowhere else where it is `needed`.
    """
    from solver.atomicfile import replacing
    from solver.manifest import MANIFEST_NAME

    path = database / MANIFEST_NAME
    try:
        # A link of that name is replaced, not followed: tables may come from strangers.
        with replacing(path) as file:
            file.write(text.encode())
    except (OSError, ResourceError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        message = f"{path} cannot be written: {reason}"
        if needed:
            raise ResourceError(message) from None
        click.echo(f"{message}; the list is not kept there", err=True)
        return None
    return str(path)
