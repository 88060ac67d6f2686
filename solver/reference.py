"""Counts that solved sectors are compared with, and files of them (``databases/reference``)."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TextIO

from solver.errors import UsageError
from solver.sectors import Sector, parse_sector
from solver.tableheader import Counts, TableHeader

if TYPE_CHECKING:
    from solver.tablefile import TableReader

__all__ = ["COLUMNS", "ReferenceRow", "differences", "read_reference", "write_reference"]

COLUMNS: Final = (
    "sector", "slots", "positions", "distinct", "distinct_wins", "distinct_losses",
    "distinct_draws", "deepest_win", "deepest_loss", "dtw_bytes", "wdl_bytes",
)  # fmt: skip
"""What :func:`write_reference` writes."""


@dataclass(frozen=True)
class ReferenceRow:
    """What is known of one sector.

    Attributes:
        distinct: positions up to symmetry, by value.
        positions: all positions; None if not known.
        deepest_win, deepest_loss: the longest distances in plies; None where there is no win or
            loss.
        depths_known: whether these are known at all.
    """

    distinct: Counts
    positions: int | None
    deepest_win: int | None
    deepest_loss: int | None
    depths_known: bool = True


def read_reference(path: str | os.PathLike[str]) -> dict[Sector, ReferenceRow]:
    """Read a file of reference counts.

    Args:
        path: a CSV file with the columns ``sector`` (or ``mover`` and ``opponent``), ``distinct``,
            ``wins``, ``losses``, ``draws``, ``deepest_win``, ``deepest_loss`` and perhaps
            ``all_positions``; or one that :func:`write_reference` wrote. A deepest distance is 0
            also where there is none, and empty where it is not known.

    Raises:
        UsageError: the file is not there or not of this kind.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return dict(_rows(csv.DictReader(file)))
    except FileNotFoundError:
        raise UsageError(f"there is no file {os.fspath(path)} to compare with") from None
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{os.fspath(path)} does not hold reference counts: {error}") from None


def _rows(reader: csv.DictReader[str]) -> Iterator[tuple[Sector, ReferenceRow]]:
    for row in reader:
        prefix = "distinct_" if "distinct_wins" in row else ""
        counts = Counts(*(int(row[prefix + name]) for name in ("wins", "losses", "draws")))
        name = row.get("sector") or f"{row['mover']}-{row['opponent']}"
        if counts.total != int(row["distinct"]):
            raise ValueError(f"the counts of {name} do not add up")
        yield (
            parse_sector(name),
            ReferenceRow(
                distinct=counts,
                positions=_number(row, "all_positions") or _number(row, "positions"),
                deepest_win=_number(row, "deepest_win") if counts.wins else None,
                deepest_loss=_number(row, "deepest_loss") if counts.losses else None,
                depths_known=row["deepest_win"] != "",
            ),
        )


def _number(row: Mapping[str, str], column: str) -> int | None:
    return int(row[column]) if row.get(column) else None


def write_reference(
    file: TextIO, readers: Mapping[Sector, TableReader], wdl_bytes: Mapping[Sector, int]
) -> None:
    """Write the counts in the headers of some tables as CSV, a row for each.

    Args:
        file: where to.
        readers: the tables, of distances or of win, draw and loss.
        wdl_bytes: sizes of those tables of win, draw and loss that are there.
    """
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for sector, reader in readers.items():
        header = reader.header
        distances = header.metric == "dtw"
        rows.writerow(
            (
                sector,
                header.slots,
                header.positions.total,
                header.distinct.total,
                *header.distinct,
                *((header.deepest_win or 0, header.deepest_loss or 0) if distances else ("", "")),
                reader.size if distances else "",
                wdl_bytes.get(sector, ""),
            )
        )


def differences(row: ReferenceRow, header: TableHeader) -> list[str]:
    """Return in words where a table's header departs from the reference; nothing if nowhere."""
    compared: list[tuple[str, object, object]] = [
        ("distinct wins", header.distinct.wins, row.distinct.wins),
        ("distinct losses", header.distinct.losses, row.distinct.losses),
        ("distinct draws", header.distinct.draws, row.distinct.draws),
    ]
    if row.depths_known:
        compared += [
            ("deepest win", header.deepest_win, row.deepest_win),
            ("deepest loss", header.deepest_loss, row.deepest_loss),
        ]
    if row.positions is not None:
        compared.append(("positions", header.positions.total, row.positions))
    return [
        f"sector {header.sector}: {name} {found}, the reference says {expected}"
        for name, found, expected in compared
        if found != expected
    ]
