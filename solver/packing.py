"""Packing ``base3``: win, draw or loss, five slots to a byte, neighbouring blocks side by side.

Slots that differ in their block alone are more alike than those that differ in their rank alone.
So the blocks are taken in *bands*, and within a band the payload goes rank by rank: for each rank
a *row* with one entry for every block, five entries to a byte. ``databases/README.md`` has what
this saves, and what did not help.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "ENTRIES_PER_BYTE",
    "POWERS",
    "VALUE_DRAW",
    "VALUE_LOSS",
    "VALUE_WIN",
    "Bands",
    "choose_band",
    "entries_in",
]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

VALUE_DRAW: Final = 0
"""Entry of a drawn slot, and of a void one."""
VALUE_WIN: Final = 1
"""Entry of a slot whose mover wins."""
VALUE_LOSS: Final = 2
"""Entry of a slot whose mover loses."""

ENTRIES_PER_BYTE: Final = 5
"""3 to the power of five is 243: the most entries a byte can hold."""
POWERS: Final = (1, 3, 9, 27, 81)
"""What an entry of each column of a byte counts."""
BAND_BYTES: Final = 32 << 10
"""Payload bytes that a band has at most, if that is possible, and at most those of a frame.

Twice as many save 1 to 2 % of a file, half as many cost 3 to 8 %.
"""


@dataclass(frozen=True)
class Bands:
    """Where the entries of a table lie in its payload.

    Attributes:
        blocks: blocks of the table.
        block: slots of a block.
        band: blocks of a band, a multiple of :data:`ENTRIES_PER_BYTE`; the last may have fewer.
    """

    blocks: int
    block: int
    band: int

    @property
    def payload_bytes(self) -> int:
        """Bytes of the whole payload."""
        return -(-self.blocks // ENTRIES_PER_BYTE) * self.block

    @property
    def band_bytes(self) -> int:
        """Payload bytes of a whole band."""
        return self.band // ENTRIES_PER_BYTE * self.block

    def locate(self, slot: int) -> tuple[int, int]:
        """Return the payload byte of a slot, and its column in the byte."""
        number, rank = divmod(slot, self.block)
        inside = number % self.band
        first = number - inside
        width = -(-min(self.band, self.blocks - first) // ENTRIES_PER_BYTE)
        byte, column = divmod(inside, ENTRIES_PER_BYTE)
        return first // ENTRIES_PER_BYTE * self.block + rank * width + byte, column

    def locate_many(self, slots: Ints) -> tuple[Ints, Ints]:
        """Return what :meth:`locate` does for many slots, as two arrays of their shape."""
        numbers, ranks = np.divmod(slots, self.block)
        inside = numbers % self.band
        first = numbers - inside
        widths = -(-np.minimum(self.band, self.blocks - first) // ENTRIES_PER_BYTE)
        at, columns = np.divmod(inside, ENTRIES_PER_BYTE)
        at += first // ENTRIES_PER_BYTE * self.block + ranks * widths
        return at, columns

    def entries(self, payload: Bytes, slots: Ints) -> Bytes:
        """Return the entries of some slots.

        Args:
            payload: the whole payload, shape (payload_bytes,).
            slots: in any order, shape (n,).
        """
        at, columns = self.locate_many(slots)
        return entries_in(payload[at], columns)

    def pack(self, first: int, entries: Bytes, out: Bytes) -> None:
        """Pack some whole bands.

        Args:
            first: their first block, a multiple of the band.
            entries: 0 to 2, shape (blocks, block).
            out: the whole payload.
        """
        for start in range(0, len(entries), self.band):
            band_entries = entries[start : start + self.band]
            rows = -(-len(band_entries) // ENTRIES_PER_BYTE)
            packed = np.zeros((rows, self.block), dtype=np.uint8)
            for column, power in enumerate(POWERS):
                part = band_entries[column::ENTRIES_PER_BYTE]
                packed[: len(part)] += part * np.uint8(power)
            begin = (first + start) // ENTRIES_PER_BYTE * self.block
            band = out[begin : begin + packed.size].reshape(self.block, rows)
            band[:] = packed.T


def entries_in(data: Bytes, columns: Ints) -> Bytes:
    """Return the entry in a column of each of some bytes, both of shape (n,)."""
    result: Bytes = data // np.array(POWERS, dtype=np.uint8)[columns] % np.uint8(3)
    return result


def choose_band(blocks: int, block: int) -> Bands:
    """Return bands of :data:`BAND_BYTES` or a little less; narrow ones where blocks are large."""
    rows = max(1, min(BAND_BYTES // block, -(-blocks // ENTRIES_PER_BYTE)))
    return Bands(blocks, block, rows * ENTRIES_PER_BYTE)
