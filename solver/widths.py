"""How wide the entries of a table of distances are: a byte, or two where a distance needs them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["BYTE", "WIDTHS", "WORD", "Stored", "Width", "payload_of", "widened", "width_of"]

Stored = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""Entries of a table of distances by slot, native numbers of the width the table has."""


class Width(NamedTuple):
    """What entries of one width say besides distances.

    Attributes:
        packing: its name in the header.
        bytes: of an entry.
        deepest: the longest distance that an entry can say.
        void: entry of a slot that holds no possible position.
        draw: entry of a drawn slot.
    """

    packing: str
    bytes: int
    deepest: int
    void: int
    draw: int

    @property
    def numbers(self) -> int:
        """How many different numbers an entry can be."""
        return self.draw + 1

    @property
    def native(self) -> np.dtype[Any]:
        """Of the entries as numbers of this machine."""
        return np.dtype(f"u{self.bytes}")

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the entries as the payload has them: little-endian."""
        return np.dtype(f"<u{self.bytes}")


BYTE: Final = Width("byte", 1, 252, 254, 255)
WORD: Final = Width("word", 2, 65532, 65534, 65535)
WIDTHS: Final = {width.packing: width for width in (BYTE, WORD)}
"""By the name of the packing."""


def width_of(numbers: int) -> Width:
    """Return the width whose entries can be so many different numbers.

    Raises:
        ValueError: there is none.
    """
    for width in WIDTHS.values():
        if width.numbers == numbers:
            return width
    raise ValueError(f"no entries can be {numbers} different numbers")


def payload_of(stored: Stored) -> npt.NDArray[np.uint8]:
    """Return the bytes that entries are written as; a view of them, but for swapped bytes."""
    little = stored.astype(stored.dtype.newbyteorder("<"), copy=False)
    return little.view(np.uint8)


def widened(stored: Stored) -> npt.NDArray[np.uint16]:
    """Return entries as words: bytes for void and drawn slots become those of words."""
    if stored.dtype == np.uint16:
        return stored.astype(np.uint16, copy=False)
    words = stored.astype(np.uint16)
    np.add(words, WORD.void - BYTE.void, out=words, where=stored >= BYTE.void)
    return words
