"""One sector's table as a query sees it: a file, the numbering of its slots, what entries mean."""

from __future__ import annotations

from typing import Final, Literal

from solver.index import Layout
from solver.lru import LruCache
from solver.packing import VALUE_DRAW, VALUE_LOSS, VALUE_WIN
from solver.results import Result, Value
from solver.tablefile import TableReader
from solver.tableheader import DRAW, TableHeader

__all__ = ["METRICS", "Metric", "SectorTable", "meanings"]

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
        entry = frame[offset]
        if power:
            entry = entry // power % 3
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
    if header.metric == "dtw":
        draws = [(DRAW, Result("draw", None))] if header.distinct.draws else []
        depths = header.distinct_histogram
        return [*draws, *((d, Result("win" if d % 2 else "loss", d)) for d in depths)]
    counted: list[tuple[int, Value, int]] = [
        (VALUE_WIN, "win", header.distinct.wins),
        (VALUE_LOSS, "loss", header.distinct.losses),
        (VALUE_DRAW, "draw", header.distinct.draws),
    ]
    return [(entry, Result(value, None)) for entry, value, count in counted if count]
