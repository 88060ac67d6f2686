"""The arrays the checking kernels read.

Written apart from everything the solver uses (:mod:`solver.index`, :mod:`solver.majors`), from
the definition of a slot alone: the number of the orbit of the major set times the number of minor
sets, plus the colexicographic rank of the minor set, carried along by an automorphism that makes
the major set the smallest of its images, and compressed onto the points this leaves free.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from solver.boards import Board
from solver.kernels.check import (
    BoardTable,
    MajorTable,
    MinorTable,
    Scores,
)
from solver.widths import BYTE, WORD, Width

__all__ = [
    "BYTE_SCORES",
    "WORD_SCORES",
    "board_table",
    "gap_table",
    "major_table",
    "minor_table",
    "removal_table",
]


def _scores(width: Width) -> Scores:
    """Return the scores for tables whose entries have some width."""
    score = np.zeros(width.numbers, dtype=width.native)
    value = np.zeros(width.numbers, dtype=np.uint16)
    for theirs in range(width.void):
        # Even distances are the opponent's losses: the sooner the better. Odd ones are wins of
        # the opponent: the later the better, and all below a draw, but above having no turn.
        score[theirs] = width.draw - theirs // 2 if theirs % 2 == 0 else theirs // 2 + 1
        value[score[theirs]] = theirs + 1
    score[width.draw] = width.numbers // 2
    value[score[width.draw]] = WORD.draw
    return Scores(score, value)


BYTE_SCORES: Final = _scores(BYTE)
"""What a turn is worth to the mover, by the byte stored for the position after it, and back.

The best turn has the highest score; a position with best score s has the entry ``value[s]``.
Score 0 stands for having no turn, and for void slots, which no turn leads to.
"""
WORD_SCORES: Final = _scores(WORD)
"""The same for tables of words. No game is so long that the best turn leads to a win of the
opponent in 65533: its score stands for a void slot."""


@lru_cache(maxsize=64)
def _sets(points: int, size: int) -> npt.NDArray[np.int64]:
    """Return all sets of `size` out of `points` points in ascending order."""
    if size == 0:
        return np.zeros(1, dtype=np.int64)
    if size > points:
        return np.zeros(0, dtype=np.int64)
    top = np.int64(1 << (points - 1))
    return np.concatenate([_sets(points - 1, size), _sets(points - 1, size - 1) | top])


@lru_cache(maxsize=64)
def _halves(points: int, size: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Return tables whose sum is the number of a set among all of its size, and the low bits.

    Sets are in ascending order, so first come all with a smaller upper half, then those with the
    same upper half and a smaller lower one.
    """
    low_bits = (points + 1) // 2
    low = np.zeros(1 << low_bits, dtype=np.int32)
    for count in range(low_bits + 1):
        members = _sets(low_bits, count)
        low[members] = np.arange(len(members))
    high = np.zeros(1 << (points - low_bits), dtype=np.int32)
    total = 0
    for mask in range(len(high)):
        high[mask] = total
        rest = size - mask.bit_count()
        total += comb(low_bits, rest) if rest >= 0 else 0
    return low, high, low_bits


@lru_cache(maxsize=8)
def board_table(board: Board) -> BoardTable:
    """Return a board as arrays.

    Raises:
        ValueError: one of the board's automorphisms does not keep its edges and lines.
    """
    edges = {frozenset(edge) for edge in board.edges}
    lines = {frozenset(line) for line in board.lines}
    for permutation in board.automorphisms:
        for shapes in (edges, lines):
            if {frozenset(permutation[i] for i in shape) for shape in shapes} != shapes:
                raise ValueError(f"{permutation} is no automorphism of {board.name}")
    neighbours = np.zeros(len(board.points), dtype=np.int64)
    for i, j in board.edges:
        neighbours[i] |= 1 << j
        neighbours[j] |= 1 << i
    line_masks = [sum(1 << point for point in line) for line in board.lines]
    half = (len(board.points) + 1) // 2
    images = np.zeros((len(board.automorphisms), 2, 1 << half), dtype=np.int32)
    for number, permutation in enumerate(board.automorphisms):
        low, high = _images(permutation[:half]), _images(permutation[half:])
        images[number, 0] = low
        images[number, 1, : len(high)] = high
    return BoardTable(
        neighbours,
        np.array(line_masks, dtype=np.int64),
        np.array(board.automorphisms, dtype=np.int64),
        images,
        _packed(),
        _through(line_masks, len(board.points)),
        np.array(_long_rows(line_masks), dtype=np.int64),
    )


def _through(lines: Sequence[int], points: int) -> npt.NDArray[np.int64]:
    """Return ``through`` of :class:`BoardTable`."""
    found = [[line for line in lines if line >> point & 1] for point in range(points)]
    through = np.full((points, max(map(len, found))), -1, dtype=np.int64)
    for point, through_point in enumerate(found):
        through[point, : len(through_point)] = through_point
    return through


def _long_rows(lines: Sequence[int]) -> list[int]:
    """Return the masks of lines that go on for a point: of two that share all points but one."""
    return [
        one | other
        for one, other in combinations(lines, 2)
        if (one & other).bit_count() == one.bit_count() - 1 > 1
    ]


def _packed() -> npt.NDArray[np.uint8]:
    """Return ``packed`` of :class:`BoardTable`."""
    onto, mask = np.arange(256)[:, None], np.arange(256)[None, :]
    packed = np.zeros((256, 256), dtype=np.int64)
    for point in range(8):
        below = np.bitwise_count(onto & ((1 << point) - 1))
        packed |= ((onto & mask) >> point & 1) << below
    return packed.astype(np.uint8)


@lru_cache(maxsize=32)
def major_table(board: Board, size: int) -> MajorTable:
    """Return the orbits of the sets of `size` points, and every set's way to its orbit."""
    points = len(board.points)
    sets = _sets(points, size)
    half = (points + 1) // 2
    images = board_table(board).images
    smallest = np.full(len(sets), 1 << points, dtype=np.int64)
    automorphism = np.zeros(len(sets), dtype=np.uint8)
    for number in range(len(images)):
        image = images[number, 0][sets & ((1 << half) - 1)] | images[number, 1][sets >> half]
        better = image < smallest
        smallest[better] = image[better]
        automorphism[better] = number
    canonical = np.unique(smallest)
    orbit = np.searchsorted(canonical, smallest).astype(np.int32)
    return MajorTable(canonical, orbit, automorphism, *_halves(points, size))


def _images(targets: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the images of all sets of a few points that go to `targets`."""
    result = np.zeros(1 << len(targets), dtype=np.int64)
    for i, target in enumerate(targets):
        result[1 << i : 2 << i] = result[: 1 << i] | 1 << target
    return result


@lru_cache(maxsize=64)
def minor_table(points: int, size: int) -> MinorTable:
    """Return the sets of `size` out of `points` free points, in order of rank."""
    sets = _sets(points, size)
    members = np.zeros((len(sets), size), dtype=np.int8)
    filled = np.zeros(len(sets), dtype=np.int64)
    for point in range(points):
        rows = np.flatnonzero(sets >> point & 1)
        members[rows, filled[rows]] = point
        filled[rows] += 1
    return MinorTable(sets.astype(np.int32), members, points, *_halves(points, size))


@lru_cache(maxsize=8)
def removal_table(points: int, size: int) -> npt.NDArray[np.int32]:
    """Return the rank of what is left of each set of points without each of its members.

    By the set's rank and the member's place in it, int32[sets, size]; ranks among all sets of
    `size` and of one less out of `points` points.
    """
    minors = minor_table(points, size)
    result = np.zeros(minors.members.shape, dtype=np.int32)
    if size:
        fewer = minor_table(points, size - 1)
        left = minors.sets[:, None] ^ np.left_shift(1, minors.members, dtype=np.int32)
        result[:] = fewer.low[left & ((1 << fewer.low_bits) - 1)]
        result += fewer.high[left >> fewer.low_bits]
    return result


@lru_cache(maxsize=8)
def gap_table(points: int, size: int) -> npt.NDArray[np.int32]:
    """Return, by point, the ranks of the sets without it, ascending: int32[points, sets]."""
    sets = minor_table(points, size).sets
    return np.array(
        [np.flatnonzero(sets >> point & 1 == 0) for point in range(points)], dtype=np.int32
    )
