"""``morris verify``: prove that tables are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import (
    choose_sectors,
    database_option,
    emit_json,
    format_count,
    json_option,
    present_sectors,
    sectors_argument,
    threads_option,
    variant_argument,
)
from solver.errors import DamagedTableError, ResourceError, UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.proof import Checker
    from solver.sectortable import Metric
    from solver.tablebase import Tablebase
    from solver.verify import Mode, SectorReport

__all__ = ["check_sectors", "verify"]

_SAMPLE: Final = 1000
"""Slots of each sector that are checked when the user has not said how to check."""
_WAYS: Final[dict[Mode, str]] = {
    "checksums": "checksums of {} slots",
    "sample": "a sample of {} slots",
    "full": "all {} slots",
}


@click.command()
@variant_argument
@sectors_argument
@click.option("--checksums", is_flag=True, help="Compare the checksums of every byte of the files.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Check N slots of each sector against the positions one turn on.",
)
@click.option("--full", is_flag=True, help="Check every slot, and the counts in the header.")
@database_option
@threads_option
@json_option
def verify(
    rules: Rules,
    sectors: tuple[Sector, ...],
    checksums: bool,
    sample: int | None,
    full: bool,
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

    Exit codes: 0 all holds; 1 a value is wrong; 3 a table is missing that is to be checked or
    that a check needs, or there is none at all; 4 a file is damaged.
    """
    if checksums + full + (sample is not None) > 1:
        raise UsageError("--checksums, --sample and --full exclude each other; choose one")
    modes: list[Mode] = ["checksums", "sample"]
    if checksums or full or sample is not None:
        modes = ["full" if full else "checksums" if checksums else "sample"]
    chosen = choose_sectors(rules, sectors)
    from solver.parallel import default_threads
    from solver.proof import Checker
    from solver.tablebase import Tablebase

    with Tablebase(database) as tablebase:
        if chosen is None:
            chosen = present_sectors(rules, tablebase)
        _refuse_missing(rules, chosen, tablebase, modes)
    checker = Checker(rules, database, threads or default_threads())
    found = {mode: check_sectors(checker, chosen, mode, sample or _SAMPLE) for mode in modes}
    checked = {mode: sum(report.checked for report in reports) for mode, reports in found.items()}
    wrong = sum(report.mismatches for reports in found.values() for report in reports)
    if as_json:
        names = [str(sector) for sector in chosen]
        emit_json({"checked": checked[modes[0]], "mismatches": wrong, "sectors": names})
    else:
        how = " and ".join(_WAYS[mode].format(format_count(n)) for mode, n in checked.items())
        result = f"{format_count(wrong)} MISMATCHES" if wrong else "all of it holds"
        count = f"{len(chosen)} sector{'' if len(chosen) == 1 else 's'}"
        click.echo(f"{count}, {how}: {result}")
    return 1 if wrong else 0


def _refuse_missing(
    rules: Rules, sectors: Iterable[Sector], tablebase: Tablebase, modes: Sequence[Mode]
) -> None:
    """Raise MissingTableError for a table that a check needs: better at once than after an hour."""
    from solver.certificate import needed

    for sector in sectors:
        for other in [sector] if list(modes) == ["checksums"] else needed(rules, sector):
            metric: Metric | None = "dtw" if "full" in modes else None
            if not tablebase.present(rules, [other], metric):
                tablebase.reader(rules, other, metric)


def check_sectors(
    checker: Checker, sectors: Sequence[Sector], mode: Mode, sample: int = _SAMPLE
) -> list[SectorReport]:
    """Check sectors in one way, going on after a damaged file to find all of them.

    Each is reported on stderr. What is checked in full and right is recorded for ``morris prove``.

    Raises:
        DamagedTableError: the last damaged file; those before have been named on stderr.
    """
    from solver.cli.progress import check_progress

    reports: list[SectorReport] = []
    damaged: dict[str, None] = {}
    unrecorded: dict[str, None] = {}
    with check_progress(len(sectors)) as progress:
        for sector in sectors:
            try:
                report = checker.check(sector, mode, sample, progress)
                if mode == "full":
                    checker.record(report)
            except DamagedTableError as error:
                damaged[str(error)] = None
                continue
            except ResourceError as error:  # what is right is so without a record
                unrecorded[str(error)] = None
            reports.append(report)
            for line in _lines(checker.rules, mode, report):
                click.echo(line, err=True)
    for message in list(unrecorded)[:1]:
        click.echo(f"what was checked is not recorded: {message}", err=True)
    messages = list(damaged)
    for message in messages[:-1]:
        click.echo(f"Error: {message}", err=True)
    if messages:
        raise DamagedTableError(messages[-1])
    return reports


def _lines(rules: Rules, mode: Mode, report: SectorReport) -> Iterator[str]:
    """Yield a line on a sector, and one for each of the first errors in it."""
    result = f"{format_count(report.mismatches)} WRONG" if report.mismatches else "right"
    what = " (values only: there is no table of distances)" if report.values_only else ""
    yield f"{report.sector}: {_WAYS[mode].format(format_count(report.checked))}: {result}{what}"
    yield from report.header
    for mismatch in report.listed:
        yield mismatch.describe(rules.board)
