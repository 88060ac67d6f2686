"""Slots of a table of distances by their entry: the table is streamed, never held.

A sector can have hundreds of millions of slots. Here they are unpacked a run of frames at a time,
on several threads, and only the slots asked for are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from solver.sectors import Sector
from solver.seekable import in_order
from solver.tablefile import TableReader

__all__ = ["Depths", "Sample", "scan", "sector_key"]

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Kept = TypeVar("Kept")

_RUN_BYTES: Final = 1 << 20
"""Payload bytes unpacked together; a scan holds some three times as many for each thread."""
_LAST_PRIORITY: Final = (1 << 64) - 1


class Depths(NamedTuple):
    """Distances of one parity: wins if they are odd, losses if they are even.

    Attributes:
        least: the smallest of them.
        most: the greatest of them.
    """

    least: int
    most: int

    def __contains__(self, depth: object) -> bool:
        if not isinstance(depth, int):
            return False
        return self.least <= depth <= self.most and (depth - self.least) % 2 == 0

    def find(self, entries: npt.NDArray[Any]) -> Ints:
        """Return the indices of the entries that are one of these distances, ascending."""
        if self.least == self.most:
            return np.flatnonzero(entries == self.least)
        inside = (entries >= self.least) & (entries <= self.most)
        inside &= (entries & 1) == (self.least & 1)
        return np.flatnonzero(inside)


def scan(
    reader: TableReader,
    depths: Depths,
    keep: Callable[[Ints, npt.NDArray[Any]], Kept],
    threads: int,
) -> Generator[tuple[int, Kept], None, None]:
    """Look through a table of distances in the order of its slots.

    Args:
        reader: the open table. `depths` must lie within those that its entries can say.
        depths: what to look for.
        keep: called with the slots that have such a distance, ascending, and their entries; on
            several threads at once, so it must not change anything.
        threads: threads to use.

    Yields:
        How many slots have been looked through so far, and what `keep` returned for those that
        are new.

    Raises:
        DamagedTableError: a frame is damaged.
    """
    header = reader.header
    width = header.width
    if width is None:
        raise ValueError(f"{reader.name}: this is no table of distances")
    per_run = max(1, _RUN_BYTES // header.frame_size)

    def look(first: int) -> tuple[int, Kept]:
        stop = min(first + per_run, reader.frames)
        begin = first * header.frame_size
        end = min(stop * header.frame_size, header.payload_bytes)
        payload = np.empty(end - begin, dtype=np.uint8)
        reader.read_frames(first, stop, payload.data)
        entries = payload.view(width.dtype)
        found = depths.find(entries)
        return end // width.bytes, keep(found + begin // width.bytes, entries[found])

    with closing(in_order(look, range(0, reader.frames, per_run), threads)) as runs:
        yield from runs


def sector_key(seed: int, sector: Sector) -> int:
    """Return a number of 64 bits that a seed and a sector determine, on any machine."""
    state = np.random.SeedSequence([seed, *sector]).generate_state(1, np.uint64)
    return int(state[0])


class Sample:
    """The slots of a sector that have one of some distances, in a random order.

    Each slot has a *priority*, a number of 64 bits that the seed scatters, no two the same; the
    order is that of the priorities. So it depends neither on threads nor on how many are asked
    for at a time, and the first slots are spread evenly over the sector.

    Args:
        reader: the open table.
        depths: the distances, within those that the table's entries can say.
        key: what scatters the priorities; see :func:`sector_key`.
        threads: threads to use.
    """

    def __init__(self, reader: TableReader, depths: Depths, key: int, threads: int) -> None:
        self._reader = reader
        self._depths = depths
        self._key = np.uint64(key)
        self._threads = threads

    def slots(self, start: int, size: int) -> tuple[Keys, Ints]:
        """Return the next slots in this order; this looks through the whole table.

        Needs memory for about three times as many slots as are asked for, at 16 bytes each.

        Args:
            start: the least priority wanted.
            size: the most slots wanted.

        Returns:
            Priorities, ascending, and the slots they belong to. Fewer than `size` if there are
            no more.
        """
        if start > _LAST_PRIORITY:
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        first, bound = np.uint64(start), np.uint64(_LAST_PRIORITY)

        def keep(slots: Ints, entries: npt.NDArray[Any]) -> tuple[Keys, Ints]:
            keys = self._priorities(slots)
            # The bound may have fallen since; what it was will do.
            wanted = (keys >= first) & (keys <= bound)
            return keys[wanted], slots[wanted]

        held: list[tuple[Keys, Ints]] = []
        count = 0
        with closing(scan(self._reader, self._depths, keep, self._threads)) as runs:
            for _, found in runs:
                held.append(found)
                count += len(found[0])
                if count > 2 * size:
                    held = [_least(held, size)]
                    count = size
                    bound = held[0][0].max()
        keys, slots = _least(held, size)
        order = np.argsort(keys)
        return keys[order], slots[order]

    def _priorities(self, slots: Ints) -> Keys:
        """Return the priority of each slot: a mixing of 64 bits that can be undone (SplitMix64)."""
        keys = slots.astype(np.uint64)
        keys += self._key
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys ^= keys >> np.uint64(shift)
            keys *= np.uint64(factor)
        keys ^= keys >> np.uint64(31)
        return keys


def _least(held: list[tuple[Keys, Ints]], size: int) -> tuple[Keys, Ints]:
    """Return the slots with the least priorities, at most so many, in any order."""
    if not held:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    keys = np.concatenate([each[0] for each in held])
    slots = np.concatenate([each[1] for each in held])
    if len(keys) <= size:
        return keys, slots
    chosen = np.argpartition(keys, size - 1)[:size]
    return keys[chosen], slots[chosen]
