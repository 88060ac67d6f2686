"""One sector's table as a query sees it: a file, the numbering of its slots, what entries mean."""

from __future__ import annotations

import errno
import os
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Final, Literal

from solver.errors import DamagedTableError, MissingTableError, ResourceError
from solver.escape import shell_word
from solver.index import Layout, layout
from solver.lru import LruCache
from solver.packing import VALUE_DRAW, VALUE_LOSS, VALUE_WIN
from solver.results import Result, Value
from solver.rules import Rules
from solver.sectors import Sector, unit_of
from solver.tablefile import TableReader, table_path
from solver.tableheader import TableHeader

__all__ = [
    "METRICS",
    "Metric",
    "SectorTable",
    "is_there",
    "meanings",
    "names_in",
    "open_sector_table",
    "solving_command",
    "why_unsolvable",
]

Metric = Literal["dtw", "wdl"]

METRICS: Final[tuple[Metric, ...]] = ("dtw", "wdl")
"""The kinds of tables there may be of a sector, the one that tells most first."""


class SectorTable:
    """An open file and the numbering of its slots.

    Attributes:
        reader: the file.
        layout: the numbering.
    """

    def __init__(self, reader: TableReader, numbering: Layout) -> None:
        """Take a file and the numbering it must have.

        Raises:
            DamagedTableError: the file has another one.
        """
        major = "mover" if numbering.mover_is_major else "opponent"
        if reader.header.major != major:
            raise reader.damaged("header", f"the major side is not the {major}")
        if reader.header.block not in (None, numbering.block):
            raise reader.damaged("header", f"blocks are not of {numbering.block}")
        self.reader = reader
        self.layout = numbering
        self._results = {
            entry: result for entry, result in meanings(reader.header) if result.dtw != 0
        }

    def result(self, slot: int, cache: LruCache[tuple[object, int], bytes]) -> Result:
        """Return what a slot of a position that is not lost already says."""
        reader = self.reader
        number, offset, power = reader.place(slot)
        key = (reader.identity, number)
        frame = cache.get(key)
        if frame is None:
            frame = reader.frame(number)
            cache.put(key, frame, len(frame))
        entry = reader.entry(frame, offset, power)
        result = self._results.get(entry)
        if result is None:
            raise reader.damaged(
                f"frame {number} of {reader.frames}", f"slot {slot} holds {entry}, which cannot be"
            )
        return result


def meanings(header: TableHeader) -> list[tuple[int, Result]]:
    """Return the entries a table may hold for a position, each with what it means.

    An entry that the header does not count is not among them.
    """
    if header.width is not None:
        draws = [(header.width.draw, Result("draw", None))] if header.distinct.draws else []
        depths = header.distinct_histogram
        return [*draws, *((d, Result("win" if d % 2 else "loss", d)) for d in depths)]
    counted: list[tuple[int, Value, int]] = [
        (VALUE_WIN, "win", header.distinct.wins),
        (VALUE_LOSS, "loss", header.distinct.losses),
        (VALUE_DRAW, "draw", header.distinct.draws),
    ]
    return [(entry, Result(value, None)) for entry, value, count in counted if count]


class _Anything:
    """Holds whatever it is asked for."""

    def __contains__(self, name: object) -> bool:
        return True


def names_in(folder: Path) -> Container[str]:
    """Return the names of what is in a folder; those of anything where it cannot be listed."""
    try:
        return frozenset(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return frozenset()  # ValueError: a name that no folder can have
    except OSError:
        return _Anything()


def is_there(path: Path) -> bool:
    """Return whether there is anything that a table's path leads to, and be it no file.

    Raises:
        ResourceError: that cannot be found out.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False  # ValueError: a name that no file can have
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise _unreadable(path, error) from None
    return True


def _unreadable(path: Path, error: OSError) -> ResourceError:
    reason = (error.strerror or "unknown error").lower()
    return ResourceError(f"{path} cannot be read: {reason}")


def open_sector_table(
    folders: Sequence[Path], rules: Rules, sector: Sector, metric: Metric | None
) -> SectorTable:
    """Open the table of a sector.

    Args:
        folders: where to look for it, one after the other; at least one.
        rules: the game.
        sector: which one.
        metric: the table to open; None for the first of :data:`METRICS` that is in any folder.

    Raises:
        MissingTableError: it is not there.
        ResourceError: it may not be read.
        DamagedTableError: it is not a sound table of this sector under these rules.
    """
    metrics = METRICS if metric is None else (metric,)
    for each, database in product(metrics, folders):
        path = table_path(database, rules, sector, each)
        try:
            path.lstat()
            # Not before: of sectors that are too large for a table it would fill the memory.
            numbering = layout(rules, sector)
            reader = TableReader(
                path,
                sector=sector,
                rules=rules.reduced(sector),
                slots=numbering.slots,
                metric=each,
                remedy=_remedy(database, rules, sector, each),
            )
        except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
            continue  # the last: a name that no file can have
        except DamagedTableError:
            raise
        except OSError as error:
            raise _unreadable(path, error) from None
        return SectorTable(reader, numbering)
    raise _missing(folders[0], rules, sector, metric)


def _missing(
    database: Path, rules: Rules, sector: Sector, metric: Metric | None
) -> MissingTableError:
    """Return the error to raise where there is no table."""
    kind = "table of distances" if metric == "dtw" else "table"
    why = why_unsolvable(rules, sector)
    if why is not None:
        text = f"no {kind} for sector {sector} of {rules.name}: not solvable here: {why}"
        return MissingTableError(text, str(sector))
    command = solving_command(database, rules, sector)
    text = f"the {kind} of sector {sector} is missing; make it with: {command}"
    if not sector.moving:
        # Innocent as it looks, that can mean hundreds of tables.
        text += f" (what that takes: morris plan {rules.name} {sector})"
    return MissingTableError(text, str(sector), command)


def solving_command(database: Path, rules: Rules, sector: Sector) -> str:
    """Return the command that makes a sector's table, and all that it depends on."""
    return f"morris solve {rules.name} {unit_of(rules, sector)} --db {shell_word(str(database))}"


@lru_cache(maxsize=4096)  # half a second for Lasker's, and a page asks with every click
def why_unsolvable(rules: Rules, sector: Sector) -> str | None:
    """Return why no table of a sector can be made; None if one can."""
    from solver.survey import unsolvable  # takes a moment, and only an error needs it

    return unsolvable(rules, [sector])


def _remedy(database: Path, rules: Rules, sector: Sector, metric: Metric) -> str:
    """Return the command that makes a table anew."""
    command = (
        f"morris solve {rules.name} {sector} --force"
        if metric == "dtw"
        else f"morris pack {rules.name} {sector} --wdl"
    )
    return f"{command} --db {shell_word(str(database))}"
