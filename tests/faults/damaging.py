"""Databases to do harm to: every kind of table, and what is known of each while it is sound."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from solver.build import build
from solver.errors import UsageError
from solver.index import layout
from solver.pack import pack_tables
from solver.position import Position
from solver.results import Result
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, closure, parse_sector, wanted_sectors
from solver.sectortable import Metric
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.widths import BYTE, WORD, payload_of, widened

__all__ = [
    "FIVE",
    "NINE",
    "SUBJECTS",
    "Harmed",
    "Known",
    "Morris",
    "Stamp",
    "Subject",
    "sound_databases",
    "stamps",
]

NINE = with_options(get_variant("nine"), ["stones=3"])
FIVE = with_options(get_variant("five"), ["stones=4"])

Morris = Callable[..., Any]
"""What the fixture of that name is: it runs the command line."""
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Subject:
    """A table to do harm to.

    Attributes:
        name: of the test.
        folder: the database it is in.
        rules, sector, metric: which table it is.
    """

    name: str
    folder: str
    rules: Rules
    sector: Sector
    metric: Metric = "dtw"

    @property
    def game(self) -> list[str]:
        """The game, as commands of the first kind are told it."""
        return self.rules.name.split()

    @property
    def variant(self) -> list[str]:
        """The game, as commands of the other kind are told it."""
        return ["--variant", *self.game]


def _subject(name: str, folder: str, rules: Rules, sector: str, metric: Metric = "dtw") -> Subject:
    return Subject(name, folder, rules, parse_sector(sector), metric)


SUBJECTS = [
    _subject("bytes of a moving sector", "nine", NINE, "3-3"),
    _subject("bytes of a placing sector", "nine", NINE, "2-3+1-0"),
    _subject("bytes of another variant", "five", FIVE, "3-4"),
    _subject("words of another variant", "deep", FIVE, "4-4"),
    _subject("values of a moving sector", "nine", NINE, "3-3", "wdl"),
    _subject("values of a placing sector", "five", FIVE, "3-4+1-0", "wdl"),
]
"""One table of every packing, of both phases, and of two games; all but one have several frames."""


def sound_databases(factory: pytest.TempPathFactory) -> Path:
    """A folder with the sound databases, made once by each process. Not to be written to."""
    return _made_in(factory.getbasetemp())


@lru_cache
def _made_in(parent: Path) -> Path:
    folder = parent / "sound"
    folder.mkdir()
    for name, rules, sectors in (
        ("nine", NINE, wanted_sectors(NINE)),
        ("five", FIVE, closure(FIVE, [parse_sector("3-4+1-0")])),
    ):
        build(rules, sectors, folder / name, threads=1)
        pack_tables(rules, sectors, folder / name)
    _deep(folder / "deep")
    return folder


def _deep(database: Path) -> None:
    """Make a database whose distances need words: 3-3 is made 300 plies deeper than it is."""
    build(FIVE, [Sector(3, 3)], database, threads=1)
    path = table_path(database, FIVE, Sector(3, 3))
    with TableReader(path) as reader:
        header, stored = reader.header, widened(reader.entries())
    stored[stored <= BYTE.deepest] += 300
    deeper = [
        {depth + 300: number for depth, number in histogram.items()}
        for histogram in (header.position_histogram, header.distinct_histogram)
    ]
    header = replace(
        header, packing="word", position_histogram=deeper[0], distinct_histogram=deeper[1]
    )
    write_table(path, header, payload_of(stored))
    build(FIVE, [Sector(4, 4)], database, threads=1)
    with TableReader(table_path(database, FIVE, Sector(4, 4))) as reader:
        assert reader.header.width is WORD
    pack_tables(FIVE, closure(FIVE, [Sector(4, 4)]), database)


@dataclass(frozen=True)
class Known:
    """What a sound table says.

    Attributes:
        size: bytes of the file.
        frames: how many it has.
        positions: one or more for every frame, each with the frame and what the table says of it.
    """

    size: int
    frames: int
    positions: list[tuple[Position, int, Result]]

    def of_frame(self, frame: int) -> Position:
        """A position whose value lies in a frame."""
        return next(position for position, number, _ in self.positions if number == frame)


@lru_cache
def known_of(sound: Path, subject: Subject) -> Known:
    """What a subject says while it is sound."""
    rules, sector = subject.rules, subject.sector
    numbering = layout(rules, sector)
    source = random.Random(3)
    positions: list[tuple[Position, int, Result]] = []
    with Tablebase(sound / subject.folder) as tablebase:
        reader = tablebase.reader(rules, sector, subject.metric)
        wanted = dict.fromkeys(range(reader.frames), 2)
        while wanted:
            slot = source.randrange(numbering.slots)
            frame = reader.place(slot)[0]
            if frame not in wanted:
                continue
            hands = sector.mover_hand, sector.opponent_hand
            position = Position(rules, *numbering.masks(slot), True, *hands)
            try:
                result = tablebase.probe(position)
            except UsageError:
                continue  # the slot is void
            if position.outcome() is not None:
                continue
            if subject.metric == "wdl":
                result = Result(result.value, None)
            positions.append((position, frame, result))
            wanted[frame] -= 1
            if not wanted[frame]:
                del wanted[frame]
        return Known(reader.size, reader.frames, positions)


def stamps(database: Path) -> dict[Path, Stamp]:
    """What changes when a file of a database is touched, by its path."""
    found = {}
    for path in sorted(database.rglob("*")):
        if path.name != "lock" and not path.is_dir():
            status = path.lstat()
            found[path] = (status.st_ino, status.st_mtime_ns, status.st_size)
    return found


@dataclass(frozen=True)
class Harmed:
    """A copy of a database, with a table to do harm to.

    Attributes:
        subject: the table.
        database: the copy.
        known: what the table said.
        bytes: what it was.
    """

    subject: Subject
    database: Path
    known: Known
    bytes: bytes

    @classmethod
    def copy(cls, sound: Path, subject: Subject, folder: Path) -> Harmed:
        """Copy the database of a subject into a folder."""
        database = folder / "database"
        shutil.copytree(sound / subject.folder, database)
        path = table_path(database, subject.rules, subject.sector, subject.metric)
        return cls(subject, database, known_of(sound, subject), path.read_bytes())

    @property
    def path(self) -> Path:
        """The table."""
        return self.table(self.subject.metric)

    def table(self, metric: str = "dtw", sector: Sector | None = None) -> Path:
        """Another table of the database."""
        subject = self.subject
        return table_path(self.database, subject.rules, sector or subject.sector, metric)

    @contextmanager
    def only(self) -> Iterator[None]:
        """Have the sector no other table meanwhile."""
        if self.subject.metric == "dtw":
            yield  # which is asked before the other
            return
        distances = self.table()
        away = self.database / "away"
        distances.rename(away)
        try:
            yield
        finally:
            away.rename(distances)
