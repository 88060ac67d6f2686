"""``morris verify``: prove that tables are right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import (
    choose_sectors,
    database_option,
    json_option,
    optional_variant_argument,
    present_sectors,
    sectors_argument,
    threads_option,
)
from solver.cli.comparing import compare_with_manifest
from solver.cli.formats import counted, emit_json, format_count
from solver.cli.problems import raise_worst
from solver.cli.signals import terminated_like_interrupted
from solver.errors import DamagedTableError, MissingTableError, ResourceError, UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.filecheck import Problem
    from solver.proof import Checker
    from solver.verify import Mode, SectorReport

__all__ = ["check_sectors", "verify"]

_SAMPLE: Final = 1000
"""Slots of each sector that are checked when the user has not said how to check."""
_MOST_STRANGE: Final = 5
"""Files of strange names that are named one by one."""
_WAYS: Final[dict[Mode, str]] = {
    "checksums": "checksums of {}",
    "sample": "a sample of {}",
    "full": "all {}",
}


@click.command()
@optional_variant_argument
@sectors_argument
@click.option("--checksums", is_flag=True, help="Compare the checksums of every byte of the files.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Check N slots of each sector against the positions one turn on.",
)
@click.option("--full", is_flag=True, help="Check every slot, and the counts in the header.")
@click.option(
    "--manifest",
    metavar="FILE",
    help="Compare the files with a list of SHA-256, by morris manifest or sha256sum.",
)
@click.option(
    "--ignore-missing", is_flag=True, help="With --manifest: leave out what is not there."
)
@database_option
@threads_option
@json_option
def verify(
    rules: Rules | None,
    sectors: tuple[Sector, ...],
    checksums: bool,
    sample: int | None,
    full: bool,
    manifest: str | None,
    ignore_missing: bool,
    database: Path,
    threads: int | None,
    as_json: bool,
) -> int:
    """Prove that tables are right: those of some SECTORs, or all there are.

    A table of distances is its own proof: if every value follows from those of the positions one
    turn on, all are right. This is checked by code that the solver does not use. Without a choice
    of how to check, it is the checksums of all files and a sample of 1000 slots of each sector.
    What --full finds right is recorded beside the tables, for morris prove.
    Tables of win, draw and loss are compared with those of distances; without these only --full
    refuses, as values alone prove nothing.

    A damaged file does not keep the others from being checked: all of them are named, and the
    sectors that cannot be checked for want of it. With --json, "checked" counts slots: all of them,
    or those of the sample with --sample. "mismatches" counts wrong slots, and with --full one more
    for each group of counts in a header that is wrong.

    With --manifest, VARIANT can be left out: then all files that are listed are compared, or with
    --ignore-missing those of them that are there. Tables that are not listed are noted on stderr,
    and "unlisted" in JSON; they do no harm to the others, but nothing is said of them. A table that
    differs is damaged, or sound but another one; this is told. What a table says is not checked:
    --full does that.

    Exit codes: 0 all holds; 1 a value is wrong; 3 a table is missing that is to be checked or
    that a check needs, or there is none at all; 4 a file is damaged, or not that of the manifest;
    5 a file may not be read.
    """
    if checksums + full + (sample is not None) + (manifest is not None) > 1:
        raise UsageError(
            "--checksums, --sample, --full and --manifest exclude each other; choose one"
        )
    if manifest is not None:
        compare_with_manifest(
            manifest, rules, sectors, database, threads, as_json, ignore_missing=ignore_missing
        )
        return 0
    if ignore_missing:
        raise UsageError("--ignore-missing goes with --manifest only")
    if rules is None:
        raise click.MissingParameter(
            ctx=click.get_current_context(), param_hint="'VARIANT'", param_type="argument"
        )
    modes: list[Mode] = ["checksums", "sample"]
    if checksums or full or sample is not None:
        modes = ["full" if full else "checksums" if checksums else "sample"]
    chosen = choose_sectors(rules, sectors)
    with terminated_like_interrupted():
        from solver.parallel import default_threads
        from solver.proof import Checker
        from solver.tablebase import Tablebase

        with Tablebase(database) as tablebase:
            if chosen is None:
                chosen = present_sectors(rules, tablebase)
                _note_strange_files(database, rules)
        checker = Checker(rules, database, threads or default_threads())
        found = _check(checker, chosen, modes, sample or _SAMPLE)
    checked = {mode: sum(report.checked for report in reports) for mode, reports in found.items()}
    wrong = sum(report.mismatches for reports in found.values() for report in reports)
    if as_json:
        names = [str(sector) for sector in chosen]
        emit_json({"checked": checked[modes[0]], "mismatches": wrong, "sectors": names})
    else:
        how = " and ".join(_WAYS[mode].format(counted(n, "slot")) for mode, n in checked.items())
        result = f"{format_count(wrong)} MISMATCHES" if wrong else "all of it holds"
        count = counted(len(chosen), "sector")
        click.echo(f"{count}, {how}: {result}")
    return 1 if wrong else 0


def _note_strange_files(database: Path, rules: Rules) -> None:
    """Say which files are not looked at because no table has such a name."""
    from solver.cli.progress import say
    from solver.filecheck import strange_files

    found = strange_files(database, rules)
    for path in found[:_MOST_STRANGE]:
        say(f"{path} is not looked at: no table has such a name")
    if found[_MOST_STRANGE:]:
        say(f"nor are {counted(len(found) - _MOST_STRANGE, 'other file')} of such names")


def check_sectors(
    checker: Checker, sectors: Sequence[Sector], mode: Mode, sample: int = _SAMPLE
) -> list[SectorReport]:
    """Check sectors in one way, going on after a damaged file to find all of them.

    Each is reported on stderr. What is checked in full and right is recorded for ``morris prove``.

    Raises:
        DamagedTableError, ResourceError, MissingTableError: a file is damaged, may not be read or
            is not there: the worst of them. The others have been named on stderr.
    """
    return _check(checker, sectors, [mode], sample)[mode]


def _check(
    checker: Checker, sectors: Sequence[Sector], modes: Sequence[Mode], sample: int
) -> dict[Mode, list[SectorReport]]:
    """Check sectors in some ways; see :func:`check_sectors`."""
    from solver.cli.progress import check_progress, say

    problems: dict[str, Problem] = {}
    checkable = _checkable(checker, sectors, modes, problems)
    reports: dict[Mode, list[SectorReport]] = {mode: [] for mode in modes}
    unrecorded: dict[str, None] = {}
    for mode in modes:
        with check_progress(len(checkable[mode])) as progress:
            for sector in checkable[mode]:
                try:
                    report = checker.check(sector, mode, sample, progress)
                except (DamagedTableError, MissingTableError, ResourceError) as error:
                    problems[str(error)] = error
                    continue
                reports[mode].append(report)
                for line in _lines(checker.rules, mode, report):
                    say(line)
                if mode == "full":
                    try:
                        checker.record(report)
                    except (DamagedTableError, ResourceError) as error:
                        unrecorded[str(error)] = None  # what is right is so without a record
    for message in list(unrecorded)[:1]:
        say(f"what was checked is not recorded: {message}")
    raise_worst(problems.values())
    return reports


def _checkable(
    checker: Checker,
    sectors: Sequence[Sector],
    modes: Sequence[Mode],
    problems: dict[str, Problem],
) -> dict[Mode, list[Sector]]:
    """Return the sectors that can be checked in each way, and say which cannot.

    All checksums come first, for what is missing or damaged is better said at once than after an
    hour. What is wrong with files is added to `problems`.
    """
    from solver.cli.progress import say
    from solver.filecheck import FileCheck
    from solver.tablebase import Tablebase

    checkable: dict[Mode, list[Sector]] = {mode: [] for mode in modes}
    with Tablebase(checker.database) as tablebase:
        files = FileCheck(tablebase, checker.rules, checker.threads)
        for mode in modes:
            for sector in sectors:
                wrong = files.problems(sector, mode)
                problems.update((str(each), each) for found in wrong.values() for each in found)
                if not wrong:
                    checkable[mode].append(sector)
                elif mode != "checksums":
                    needs = ["its own table" if s == sector else str(s) for s in wrong]
                    say(f"{sector}: not checked, it needs {' and '.join(needs)}")
    return checkable


def _lines(rules: Rules, mode: Mode, report: SectorReport) -> Iterator[str]:
    """Yield a line on a sector, and one for each of the first errors in it."""
    result = f"{format_count(report.mismatches)} WRONG" if report.mismatches else "right"
    what = " (values only: there is no table of distances)" if report.values_only else ""
    yield f"{report.sector}: {_WAYS[mode].format(counted(report.checked, 'slot'))}: {result}{what}"
    yield from report.header
    for mismatch in report.listed:
        yield mismatch.describe(rules.board)
