"""Which files of a database are whole, found before anything is made of what is in them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from solver.atomicfile import is_sector_file
from solver.certificate import needed
from solver.errors import DamagedTableError, MissingTableError, ResourceError
from solver.rules import Rules
from solver.sectors import Sector, known_sectors
from solver.sectortable import METRICS, Metric
from solver.tablebase import Tablebase
from solver.tablefile import table_path

if TYPE_CHECKING:
    from solver.verify import Mode

__all__ = ["FileCheck", "Problem", "strange_files"]

Problem = DamagedTableError | ResourceError | MissingTableError
"""What may be wrong with a file: it is damaged, may not be read, or is not there."""


def strange_files(database: Path, rules: Rules) -> list[Path]:
    """Return what lies among a game's tables under a name that none of them has.

    It may be one whose copying was not finished, or that a browser has called something else.
    """
    found = []
    for folder in sorted({database / rules.folder(sector) for sector in known_sectors(rules)}):
        with suppress(FileNotFoundError, NotADirectoryError):
            found += [path for path in folder.iterdir() if not is_sector_file(path.name)]
    return sorted(found)


class FileCheck:
    """Compares the checksums of files as they are stored, of each once.

    Args:
        tablebase: the database.
        rules: the game.
        threads: threads to read with.
    """

    def __init__(self, tablebase: Tablebase, rules: Rules, threads: int) -> None:
        self._tablebase = tablebase
        self._rules = rules
        self._threads = threads
        self._found: dict[tuple[Sector, Metric | None], Problem | None] = {}

    def problems(self, sector: Sector, mode: Mode) -> dict[Sector, list[Problem]]:
        """Return what is wrong with the files that the check of a sector reads.

        Args:
            sector: to be checked.
            mode: how; see :func:`solver.verify.verify_sectors`.

        Returns:
            The problems by sector, those of `sector` first; empty if there are none.

        Raises:
            UsageError: the sector cannot be checked in this mode.
        """
        files: dict[tuple[Sector, Metric | None], None] = {}
        there = self._there(sector)
        for each in there:
            files[sector, each] = None
        if not there:
            files[sector, None] = None
        if mode == "full":
            files[sector, "dtw"] = None
        for other in [] if mode == "checksums" else needed(self._rules, sector):
            best: Metric | None = next(iter(self._there(other)), None)
            files[other, "dtw" if mode == "full" else best] = None
        wrong: dict[Sector, list[Problem]] = {}
        for other, metric in files:
            problem = self._problem(other, metric)
            if problem is not None:
                wrong.setdefault(other, []).append(problem)
        return wrong

    def _there(self, sector: Sector) -> list[Metric]:
        """Return the metrics of the tables there are, whatever they are worth."""
        return [
            metric
            for metric in METRICS
            if os.path.lexists(table_path(self._tablebase.paths[0], self._rules, sector, metric))
        ]

    def _problem(self, sector: Sector, metric: Metric | None) -> Problem | None:
        key = sector, metric
        if key not in self._found:
            self._found[key] = None
            try:
                reader = self._tablebase.reader(self._rules, sector, metric)
                reader.check_stored(threads=self._threads)
            except (DamagedTableError, ResourceError, MissingTableError) as error:
                self._found[key] = error
        return self._found[key]
