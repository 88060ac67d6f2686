"""The working tables of moving units, and memory that is used again from unit to unit."""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from solver.kernels.values import Lists, Seeds, Working, pattern_type
from solver.widths import Stored, Width

__all__ = ["Words", "WorkingMemory", "WorkingTable"]

Words = npt.NDArray[np.uint64]
"""Entries of a working table, eight or four to a word."""


class WorkingMemory:
    """Arrays that a unit fills and the next one fills anew.

    Memory fresh from the system costs time: every page is cleared first.

    Args:
        sectors: slots of the sectors it will be used for, as far as they are known. Arrays are
            made large enough for all of them; the system gives memory only for what is written.
    """

    def __init__(self, sectors: Iterable[int] = ()) -> None:
        # A little more than the slots, as the tables end with a whole word.
        self._reserve = 8 + max(sectors, default=0)
        self._arrays: dict[str, npt.NDArray[Any]] = {}
        self._used: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """Bytes in use or used before."""
        return sum(used * self._arrays[name].itemsize for name, used in self._used.items())

    def take(self, name: str, entries: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """Return the array of a name, with anything in it.

        Args:
            name: what it is for.
            entries: its length.
            dtype: of its entries, always the same for one name.
        """
        array = self._arrays.get(name)
        if array is None or len(array) < entries:
            # The old one is given up first.
            self._arrays.pop(name, None)
            del array
            self._arrays[name] = array = np.empty(max(entries, self._reserve), dtype=dtype)
            self._used[name] = 0
        self._used[name] = max(self._used[name], entries)
        return array[:entries]

    def drop(self, *names: str) -> None:
        """Give the arrays of some names back to the system."""
        for name in names:
            self._arrays.pop(name, None)
            self._used.pop(name, None)

    def clear(self) -> None:
        """Give all of it back to the system."""
        self._arrays.clear()
        self._used.clear()


def sparse_array(entries: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return an array of zeros, of which the system gives memory only where it is written to.

    It does so in pages of the smallest size. (Large arrays of NumPy take 2 MB at a time, which
    makes a difference where ranges of blocks have places of their own in it.)

    Raises:
        MemoryError: the system does not give so much.
    """
    size = max(1, entries * np.dtype(dtype).itemsize)
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(f"no room for {size} bytes") from None
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with suppress(OSError):  # a system without large pages
            pages.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, dtype=dtype, count=entries)


class WorkingTable:
    """The slots with one side to move, while a unit is being solved.

    Args:
        blocks, block: number of blocks and slots of a block.
        points: points of a frame.
        memory: where to take memory from.
        name: of this table, different for the two of a unit.
        width: of the entries.
        depths: a number greater than that of any seed.
        overwrites: whether the next layer's frontier may be written over the present one.

    Attributes:
        working: what is known of the slots; rows are by block, their entries by rank.
        lists: the frontier of the present layer.
        settled: slots whose value is known, so far.
        bytes_per_slot: what a table takes of the memory that is used again, in bytes per slot, if
            entries are bytes.
    """

    bytes_per_slot: ClassVar = 1  # a counter

    def __init__(
        self,
        blocks: int,
        block: int,
        points: int,
        memory: WorkingMemory,
        name: str,
        width: Width,
        depths: int,
        *,
        overwrites: bool,
    ) -> None:
        # Seeds and lists have room for everything, so that each range of blocks has a place of its
        # own (and one entry more per block, as kernels write ahead). The system gives memory only
        # for what is written, and ranges begin at the same blocks in all layers: with others each
        # layer would touch memory that was left alone before. For the same reason this memory is
        # not used again by the next unit.
        room = blocks * (block + 1)
        native = width.native
        padded = -(-blocks * block // 8) * 8
        depth: Stored = np.empty(padded, dtype=native)
        open_moves: Stored = memory.take(f"{name} moves {width.packing}", padded, native.type)
        self._words = depth.view(np.uint64), open_moves.view(np.uint64)

        def by_block(entries: Stored) -> Stored:
            return entries[: blocks * block].reshape(blocks, block)

        self.settled = 0
        self.working = Working(
            # Depths become the stored entries, so the next unit needs others.
            depth=by_block(depth),
            open_moves=by_block(open_moves),
            seeds=Seeds(
                next=np.zeros(blocks, dtype=np.int64),
                waiting=np.zeros((depths, blocks), dtype=np.uint16),
                rank=sparse_array(room, np.uint16),
            ),
        )

        def empty_lists() -> Lists:
            return Lists(
                start=np.zeros(blocks, dtype=np.int64),
                length=np.zeros(blocks, dtype=np.int32),
                pattern=sparse_array(room, pattern_type(points)),
            )

        self.lists = empty_lists()
        self._spare_lists = self.lists if overwrites else empty_lists()

    @property
    def next_lists(self) -> Lists:
        """Where the next layer's frontier is written."""
        return self._spare_lists

    def advance(self) -> None:
        """Make the next layer the present one."""
        self.lists, self._spare_lists = self._spare_lists, self.lists

    @property
    def deepest_seed(self) -> int:
        """The greatest depth captures have set; -1 if there is none."""
        return int(np.flatnonzero(self.working.seeds.waiting.any(axis=1)).max(initial=-1))

    def settle(self) -> tuple[Words, Words]:
        """Free what only spreading needs; return the depths and the open moves as words.

        What is in the last words behind the last entry means nothing.
        """
        del self.working, self.lists, self._spare_lists
        return self._words
