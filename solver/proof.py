"""Records of which tables have been checked in full, and whether they add up to a proof.

``morris verify --full`` leaves a record beside each table it finds right: the digests of the file
and of those one turn on that it was checked against. A record counts only while all these files
are byte for byte the same. If every sector of a game has one that counts, every table has been
checked against just the tables that are there, and so all are right (see
:mod:`solver.certificate`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from solver import __version__
from solver.atomicfile import replacing
from solver.errors import DamagedTableError, ResourceError
from solver.rules import Rules
from solver.sectors import Sector, exits, quiet, slots, solving_order
from solver.seekable import ContainerError, FileSource, do_all
from solver.tablefile import table_path

if TYPE_CHECKING:
    from solver.verify import Mode, Progress, SectorReport

__all__ = ["CHECK_VERSION", "Checker", "Proof", "read_along", "record_path"]

CHECK_VERSION: Final = 1
"""Raised whenever the full check asks for more than it did: older records do not count then."""
_CHUNK_BYTES: Final = 4 << 20
_MOST_BYTES_OF_RECORD: Final = 1 << 20
"""Far more than any has; what has more is no record."""


def record_path(database: str | os.PathLike[str], rules: Rules, sector: Sector) -> Path:
    """Return where the record of a sector's check lies."""
    return table_path(database, rules, sector).with_name(f"{sector}.verified.json")


def read_along(rules: Rules, sector: Sector) -> list[Sector]:
    """Return the sectors whose tables the full check of a sector reads: it and those one turn on.

    Counts alone say so; the check itself, which does not use this, must have read no fewer.
    """
    twin = quiet(rules, sector)
    return list(dict.fromkeys([sector, *([twin] if twin else []), *exits(rules, sector)]))


@dataclass(frozen=True)
class Proof:
    """How far the tables of some sectors are checked.

    Attributes:
        checked: sectors whose record counts, in solving order.
        unchecked: sectors with a table and no record that counts.
        missing: sectors without a table.
        slots: of the sectors that are checked.
        programs: what wrote the records that count, such as ``morris-solver 0.1.0``; sorted.
    """

    checked: list[Sector]
    unchecked: list[Sector]
    missing: list[Sector]
    slots: int
    programs: list[str]

    @property
    def complete(self) -> bool:
        """Whether every one of the sectors is proved."""
        return not (self.unchecked or self.missing)


@dataclass
class Checker:
    """Checks the tables of one database, and reads and writes the records of that.

    Attributes:
        rules: the game.
        database: the folder.
        threads: threads to read files with.
    """

    rules: Rules
    database: Path
    threads: int = 1
    _digests: dict[Path, tuple[object, str]] = field(default_factory=dict)
    _read_by_check: dict[Sector, str] = field(default_factory=dict)

    def check(
        self, sector: Sector, mode: Mode, sample: int, progress: Progress | None = None
    ) -> SectorReport:
        """Check a sector; see :func:`solver.verify.verify_sectors`."""
        from solver.certificate import needed
        from solver.verify import verify_sectors

        self._read_by_check = {}
        if mode == "full":
            with suppress(FileNotFoundError):  # which is about to be reported in better words
                self._read_by_check = self._digests_of(needed(self.rules, sector))
        found = verify_sectors(
            self.rules, [sector], self.database, mode, sample, self.threads, progress
        )
        return found.sectors[0]

    def record(self, report: SectorReport) -> bool:
        """Record what the last full check found; or remove what was recorded, if it is wrong.

        Returns:
            Whether it is recorded. Not if a file has changed since the check began.

        Raises:
            ResourceError: the folder cannot be written.
        """
        path = record_path(self.database, self.rules, report.sector)
        tables = self._read_by_check
        if report.mismatches:
            with suppress(OSError):
                path.unlink()
            return False
        if report.checked != slots(self.rules, report.sector) or report.sector not in tables:
            return False
        if tables != self._digests_of(tables):
            return False
        record = {
            "check": CHECK_VERSION,
            "program": f"morris-solver {__version__}",
            "sector": str(report.sector),
            "slots": report.checked,
            "tables": {str(other): digest for other, digest in tables.items()},
        }
        try:
            with replacing(path) as file:
                file.write((json.dumps(record, indent=1, sort_keys=True) + "\n").encode())
        except OSError as error:
            raise ResourceError(f"{path} cannot be written: {error.strerror}") from None
        return True

    def _digests_of(self, sectors: Iterable[Sector]) -> dict[Sector, str]:
        return {sector: self.digest(sector) for sector in sectors}

    def digest(self, sector: Sector) -> str:
        """Return a digest of every byte of a sector's table file.

        It is worked out once as long as nothing has written to the file.
        """
        path = table_path(self.database, self.rules, sector)
        try:
            with closing(FileSource(path)) as source:
                known = self._digests.get(path)
                if known is not None and known[0] == source.identity:
                    return known[1]
                digest = xxhash.xxh3_128()
                for offset in range(0, source.size, _CHUNK_BYTES):
                    digest.update(source.read(offset, _CHUNK_BYTES))
        except FileNotFoundError:
            raise
        except ContainerError as error:
            raise DamagedTableError(f"{path}: file: {error}") from None
        except OSError as error:
            raise DamagedTableError(f"{path}: cannot be read: {error.strerror}") from None
        self._digests[path] = (source.identity, digest.hexdigest())
        return digest.hexdigest()

    def program(self, sector: Sector) -> str | None:
        """Return what wrote the record of a sector; None if there is none that counts."""
        record = self._read(sector)
        if record is None:
            return None
        expected = {
            "check": CHECK_VERSION,
            "sector": str(sector),
            "slots": slots(self.rules, sector),
        }
        tables, program = record.get("tables"), record.get("program")
        if any(record.get(name) != value for name, value in expected.items()):
            return None
        if not isinstance(tables, dict) or not isinstance(program, str):
            return None
        if not program.isprintable():  # it is shown
            return None
        try:
            same = all(
                tables.get(str(other)) == self.digest(other)
                for other in read_along(self.rules, sector)
            )
        except FileNotFoundError:
            return None
        return program if same else None

    def proof(self, sectors: Iterable[Sector]) -> Proof:
        """Compare all records with the tables, every byte of which is read.

        Raises:
            DamagedTableError: a table cannot be read.
        """
        wanted = set(sectors)
        ordered = [
            s for unit in solving_order(self.rules, wanted) for s in unit.sectors if s in wanted
        ]
        missing = [s for s in ordered if not table_path(self.database, self.rules, s).is_file()]
        there = [s for s in ordered if s not in set(missing)]
        # Only to have them worked out side by side.
        do_all(
            lambda number: self._digest_if_recorded(there[number]), range(len(there)), self.threads
        )
        programs = {sector: self.program(sector) for sector in there}
        checked = [sector for sector in there if programs[sector] is not None]
        return Proof(
            checked=checked,
            unchecked=[sector for sector in there if programs[sector] is None],
            missing=missing,
            slots=sum(slots(self.rules, sector) for sector in checked),
            programs=sorted({name for name in programs.values() if name is not None}),
        )

    def _digest_if_recorded(self, sector: Sector) -> None:
        if self._read(sector) is not None:
            self.digest(sector)

    def _read(self, sector: Sector) -> dict[str, Any] | None:
        """Return the record of a sector, whatever it says; None if there is none to be read."""
        try:
            with closing(FileSource(record_path(self.database, self.rules, sector))) as source:
                if source.size > _MOST_BYTES_OF_RECORD:
                    return None
                record = json.loads(source.read(0, source.size))
        except (OSError, ValueError, RecursionError):
            return None
        return record if isinstance(record, dict) else None
