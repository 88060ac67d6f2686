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
from solver.errors import MissingTableError, MorrisError, ResourceError, UsageError
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
    ones. A list in the folder that says something else of a table is not replaced; with VARIANT,
    what it says of other games stays. Where the folder may not be written, the list is only
    printed. Records of checks are not listed: who gets the tables can check them.

    Exit codes: 0 the list is made; 1 the list in the folder says otherwise; 3 there is no table; 4
    a table is damaged; 5 a table may not be read or changed meanwhile, or the list cannot be
    written to FILE.
    """
    from solver.manifest import manifest_text

    if output == "-" and as_json:
        raise UsageError("--output - and --json exclude each other; choose one")
    with terminated_like_interrupted():
        digests, size = _make(rules, database, threads)
    text, files = manifest_text(digests), len(digests)
    path: str | None = None
    if output is None:
        path = _keep(database, _with_others(rules, database, digests), as_json)
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


def _make(rules: Rules | None, database: Path, threads: int | None) -> tuple[dict[str, str], int]:
    """Return the SHA-256 of each table by its name, and the bytes of all."""
    from solver.cli.progress import byte_progress
    from solver.filedigest import digest_files, file_bytes
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
    return digests, sum(each.size for each in found)


def _names(rules: Rules | None, database: Path) -> list[str]:
    """Return the names of the tables that are there."""
    from solver.manifest import all_tables, table_names

    there = all_tables(database)
    if rules is None:
        return there
    return sorted(set(there) & set(table_names(rules, known_sectors(rules))))


def _with_others(rules: Rules | None, database: Path, digests: dict[str, str]) -> str:
    """Return the list to keep in the folder: with what the one there says of other games.

    Raises:
        MorrisError: the list that is there says something else of a table.
        UsageError: it is none.
    """
    from solver.manifest import MANIFEST_NAME, manifest_text, read_manifest, table_names

    path = database / MANIFEST_NAME
    if path.is_symlink() or not path.is_file():
        return manifest_text(digests)
    old = read_manifest(str(path))
    differing = sorted(name for name in old.keys() & digests if old[name] != digests[name])
    if differing:
        which = f"{counted(len(differing), 'table')}, such as {differing[0]}"
        raise MorrisError(
            f"{path} is not replaced, as it says something else of {which}: compare them with"
            " morris verify --manifest, or remove the list if the tables are right"
        )
    others: dict[str, str] = {}
    if rules is not None:
        own = set(table_names(rules, known_sectors(rules)))
        others = {name: digest for name, digest in old.items() if name not in own}
    gone = old.keys() - digests.keys() - others.keys()
    if gone:
        click.echo(
            f"no longer listed, as they are not there: {counted(len(gone), 'table')}, such as"
            f" {min(gone)}",
            err=True,
        )
    return manifest_text(digests | others)


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
        reason = getattr(error, "strerror", None)
        message = f"{path} cannot be written: {reason.lower()}" if reason else str(error)
        if needed:
            raise ResourceError(message) from None
        click.echo(f"{message}; the list is not kept there", err=True)
        return None
    return str(path)
