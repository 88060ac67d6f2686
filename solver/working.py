"""The working tables of moving units, and memory that is used again from unit to unit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from solver.kernels.values import Lists, Seeds, Working
from solver.widths import Stored, Width

__all__ = ["WorkingMemory", "WorkingTable"]

_ROW_MULTIPLE = 64  # rows are padded to a multiple of this, for words and vectors


class WorkingMemory:
    """Arrays that a unit fills and the next one fills anew.

    Memory fresh from the system costs a tenth of the time of solving: every page is cleared first.

    Args:
        sectors: slots of the sectors it will be used for, as far as they are known. Arrays are
            made large enough for all of them; the system gives memory only for what is written.
    """

    def __init__(self, sectors: Iterable[int] = ()) -> None:
        # Rows are padded, by less than a fiftieth where it matters.
        self._reserve = int(1.02 * max(sectors, default=0))
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

    def clear(self) -> None:
        """Give all of it back to the system."""
        self._arrays.clear()
        self._used.clear()


class WorkingTable:
    """The slots with one side to move, while a unit is being solved.

    Args:
        blocks, block: number of blocks and slots of a block.
        memory: where to take memory from.
        name: of this table, different for the two of a unit.
        width: of the entries.
        depths: a number greater than that of any seed.

    Attributes:
        working: what is known of the slots; rows are by block, their entries by rank.
        lists: the frontier of the present layer.
        settled: slots whose value is known, so far.
        bytes_per_slot: memory that a table takes in any case, in bytes per slot, if entries are
            bytes.
    """

    bytes_per_slot: ClassVar = 4  # a depth, a counter, and room for a seed

    def __init__(
        self,
        blocks: int,
        block: int,
        memory: WorkingMemory,
        name: str,
        width: Width,
        depths: int,
    ) -> None:
        row = -(-block // _ROW_MULTIPLE) * _ROW_MULTIPLE
        # The lists below have room for everything, so that each range of blocks has a place of
        # its own (and one entry more per block, as kernels write ahead). The system gives memory
        # only for what is written, so ranges must be the same in all layers that have much to
        # write: with others each layer would touch memory that was left alone before. For the
        # same reason the frontiers' memory is not used again by the next unit.
        room = blocks * (block + 1)

        def take_entries(name: str) -> Stored:
            taken = memory.take(f"{name} {width.packing}", blocks * row, width.native.type)
            return taken.reshape(blocks, row)

        self.settled = 0
        self.working = Working(
            depth=take_entries(f"{name} depth"),
            open_moves=take_entries(f"{name} moves"),
            seeds=Seeds(
                next=np.zeros(blocks, dtype=np.int64),
                waiting=np.zeros((depths, blocks), dtype=np.uint16),
                rank=memory.take(f"{name} seeds", room, np.uint16),
            ),
        )
        self.lists, self._spare_lists = (
            Lists(
                start=np.zeros(blocks, dtype=np.int64),
                length=np.zeros(blocks, dtype=np.int32),
                pattern=np.empty(room, dtype=np.uint32),
            )
            for _ in range(2)
        )

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

    def settle(self) -> tuple[Stored, Stored]:
        """Free what only spreading needs; return the depths and the open moves."""
        depth, open_moves = self.working.depth, self.working.open_moves
        del self.working, self.lists, self._spare_lists
        return depth, open_moves
