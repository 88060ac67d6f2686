"""The wins and losses of a sector that take longest."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.index import layout
from solver.mining.found import (
    Progress,
    analyse_again,
    canonical_masks,
    check_tables,
    found_position,
)
from solver.mining.scanning import Depths, scan
from solver.position import Position
from solver.results import Result
from solver.rules import Rules
from solver.sectors import Sector
from solver.tablebase import Tablebase
from solver.tablefile import TableReader

__all__ = ["Extreme", "find_longest"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Extreme:
    """One of the longest wins or losses of a sector.

    Attributes:
        position: White to move; the smallest of its images under the board's symmetries.
        result: its value and distance.
        distinct: how many positions of the sector have that distance, up to symmetry.
    """

    position: Position
    result: Result
    distinct: int


class _Kept(NamedTuple):
    """Slots with one distance.

    Attributes:
        slots: the first ones found, in arrays.
        number: how many.
    """

    slots: list[Ints]
    number: int


def find_longest(
    tablebase: Tablebase,
    rules: Rules,
    sector: Sector,
    *,
    losses: bool = False,
    count: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Extreme]:
    """Return the wins of a sector that take longest, the longest first; or the losses.

    Those of one distance are in the order of their slots, and no two are the same up to symmetry.
    The tables alone determine them.

    Args:
        tablebase: with tables of distances of the sector and of those that turns there lead to.
        rules: the game.
        sector: where to look.
        losses: look for the longest losses.
        count: the most positions wanted.
        threads: threads to use.
        progress: called now and then in this thread.

    Raises:
        MissingTableError, DamagedTableError, ResourceError: a table is missing, damaged, or may
            not be read.
    """
    check_tables(tablebase, rules, [sector])
    reader = tablebase.reader(rules, sector, "dtw")
    histogram = reader.header.distinct_histogram
    wanted = _deepest(histogram, losses, count)
    if not wanted:
        return []
    depths = Depths(wanted[-1], wanted[0])
    # A position has at most as many slots as the board has automorphisms.
    enough = len(rules.board.automorphisms) * count
    held = dict.fromkeys(wanted, _Kept([], 0))

    def keep(slots: Ints, entries: npt.NDArray[Any]) -> tuple[Ints, npt.NDArray[Any]]:
        return slots, entries

    with closing(scan(reader, depths, keep, threads)) as runs:
        for done, (slots, entries) in runs:
            for depth in np.unique(entries).tolist():
                kept = held.get(depth)
                if kept is None:
                    raise _miscounted(reader, depth, 0, "some")
                found = slots[entries == depth][: enough - kept.number]
                held[depth] = _Kept([*kept.slots, found], kept.number + len(found))
            if progress is not None:
                progress(sector, done, reader.header.slots)
            if all(kept.number == enough for kept in held.values()):
                break
    extremes: list[Extreme] = []
    for depth in wanted:
        number = min(histogram[depth], count - len(extremes))
        slots = np.concatenate([np.zeros(0, dtype=np.int64), *held[depth].slots])
        complete = held[depth].number < enough
        for position, slot in _distinct(rules, sector, reader, depth, slots, number, complete):
            result, _ = analyse_again(tablebase, reader, position, slot, Depths(depth, depth))
            extremes.append(Extreme(position, result, histogram[depth]))
    return extremes


def _deepest(histogram: dict[int, int] | Any, losses: bool, count: int) -> list[int]:
    """Return the greatest distances, descending, that so many distinct positions have."""
    found = []
    for depth in sorted(histogram, reverse=True):
        if depth % 2 == losses or count <= 0:
            continue
        found.append(depth)
        count -= histogram[depth]
    return found


def _distinct(
    rules: Rules,
    sector: Sector,
    reader: TableReader,
    depth: int,
    slots: Ints,
    number: int,
    complete: bool,
) -> list[tuple[Position, int]]:
    """Return distinct positions of some slots that have one distance, each with a slot.

    Args:
        rules: the game.
        sector: of the slots.
        reader: of the sector's table.
        depth: the distance.
        slots: ascending.
        number: how many are wanted.
        complete: whether these are all slots with that distance.

    Raises:
        DamagedTableError: there are not as many distinct ones as the header counts.
    """
    numbering = layout(rules, sector)
    pairs = np.array([numbering.masks(slot) for slot in slots.tolist()], np.int64).reshape(-1, 2)
    movers, opponents = canonical_masks(rules.board, pairs[:, 0], pairs[:, 1])
    first: dict[tuple[int, int], int] = {}
    for slot, *masks in zip(slots.tolist(), movers.tolist(), opponents.tolist(), strict=True):
        first.setdefault((masks[0], masks[1]), slot)
    said = reader.header.distinct_histogram[depth]
    if len(first) < number or (complete and len(first) != said):
        raise _miscounted(reader, depth, said, str(len(first)))
    chosen = list(first.items())[:number]
    return [(found_position(rules, sector, *masks), slot) for masks, slot in chosen]


def _miscounted(reader: TableReader, depth: int, said: int, found: str) -> Exception:
    """Return the error to raise where a header counts other positions than there are."""
    return reader.damaged(
        "header", f"counts {said} distinct positions of depth {depth}, but there are {found}"
    )
