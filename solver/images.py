"""Images of sets of points under a board's automorphisms, one by one and for many sets at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from solver.boards import Board

__all__ = ["CHUNK_BITS", "canonical", "canonical_many", "image", "images", "images_by"]

IntArray = npt.NDArray[np.int64]

CHUNK_BITS: Final = 12
"""Points that tables take together: half of the largest usual board."""
_NUMBER_BITS: Final = 6
"""Bits for the number of an automorphism."""


def images(board: Board, number: int, masks: IntArray) -> IntArray:
    """Return the images of `masks` under the board's automorphism `number`."""
    keys: IntArray = _keys(board, number, _chunks(board, masks)) >> _NUMBER_BITS
    return keys


def _keys(board: Board, number: int, chunks: list[IntArray]) -> npt.NDArray[Any]:
    """Return images with the automorphism's number in the low bits, given the masks' chunks."""
    tables = _tables(board)
    result: npt.NDArray[Any] = tables[0][number].take(chunks[0])
    for table, chunk in zip(tables[1:], chunks[1:], strict=True):
        result |= table[number].take(chunk)
    return result


def _chunks(board: Board, masks: IntArray) -> list[IntArray]:
    """Cut masks into the chunks that :func:`_tables` are for."""
    return [
        masks >> (CHUNK_BITS * position) & (table.shape[1] - 1)
        for position, table in enumerate(_tables(board))
    ]


def images_by(board: Board, numbers: IntArray, masks: IntArray) -> IntArray:
    """Return the image of each mask under the automorphism of its own number."""
    result = np.zeros(len(masks), dtype=np.int64)
    for table, chunk in zip(_tables(board), _chunks(board, masks), strict=True):
        result |= table.reshape(-1).take(numbers * table.shape[1] + chunk)
    return result >> _NUMBER_BITS


def canonical(board: Board, mask: int) -> tuple[int, int]:
    """Return the smallest image of a set and the number of the first automorphism giving it."""
    first, *others = _rows(board)
    keys = first[mask & (len(first) - 1)]
    for table in others:
        mask >>= CHUNK_BITS
        keys = keys | table[mask & (len(table) - 1)]
    least, number = divmod(min(keys.tolist()), 1 << _NUMBER_BITS)
    return least, number


def image(board: Board, number: int, mask: int) -> int:
    """Return the image of one mask under the automorphism `number`."""
    result = 0
    for table in _rows(board):
        result |= table.item(mask & (len(table) - 1), number)
        mask >>= CHUNK_BITS
    return result >> _NUMBER_BITS


@lru_cache(maxsize=16)
def _tables(board: Board) -> tuple[npt.NDArray[Any], ...]:
    """Return, for each chunk of a board's points, the images of all sets of them.

    Each array has shape (automorphisms, sets) and as narrow numbers as will do. An image stands
    above ``_NUMBER_BITS`` bits, which in the first chunk hold the automorphism's number: so the
    least of the images, put together from their chunks, is the canonical one and tells the first
    automorphism that gives it.
    """
    automorphisms = np.array(board.automorphisms, dtype=np.int64)
    tables = []
    for start in range(0, board.size, CHUNK_BITS):
        table = np.zeros((len(automorphisms), 1), dtype=np.int64)
        if start == 0:
            table[:, 0] = np.arange(len(automorphisms))
        for point in range(start, min(start + CHUNK_BITS, board.size)):
            bit = np.int64(1) << (automorphisms[:, point : point + 1] + _NUMBER_BITS)
            table = np.concatenate([table, table | bit], axis=1)
        tables.append(table)
    narrow = board.size + _NUMBER_BITS < np.iinfo(np.int32).bits
    return tuple(table.astype(np.int32) if narrow else table for table in tables)


@lru_cache(maxsize=16)
def _rows(board: Board) -> tuple[npt.NDArray[Any], ...]:
    """Return the same as :func:`_tables`, by (set, automorphism): for one set at a time."""
    return tuple(np.ascontiguousarray(table.T) for table in _tables(board))


def canonical_many(board: Board, masks: IntArray) -> tuple[IntArray, IntArray]:
    """Return what :func:`canonical` does for many sets: two arrays of their shape (n,)."""
    chunks = _chunks(board, masks)
    keys = _keys(board, 0, chunks)
    for number in range(1, len(board.automorphisms)):
        np.minimum(keys, _keys(board, number, chunks), out=keys)
    numbers = keys & ((1 << _NUMBER_BITS) - 1)
    return (keys >> _NUMBER_BITS).astype(np.int64), numbers.astype(np.int64)
