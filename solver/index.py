"""Slots: the numbering of a sector's positions, up to symmetry.

One side of a sector is *major*.  A slot is ``orbit number of the major set * C(n, k) + rank of the
minor set``, where ``n`` points are free of the major side's stones, ``k`` is the number of minor
stones, and the rank is the colexicographic one of the minor set compressed onto the free points of
the *canonical* major set: the smallest image under the board's automorphisms.  Orbits are numbered
in ascending order of canonical masks.  All slots with one canonical major set form a *block*.

This module is exact and readable; the kernels read arrays made from the same definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from solver.boards import Board
from solver.errors import UsageError
from solver.images import CHUNK_BITS, canonical, canonical_many, image, images, images_by
from solver.sectors import major_first, major_is_mover

if TYPE_CHECKING:
    from solver.rules import Rules
    from solver.sectors import Sector

IntArray = npt.NDArray[np.int64]
Permutation = tuple[int, ...]

_MOST_RANKS: Final = 4_000_000
"""Sets of a size for which a number each is kept."""
_WIDEST_FIELD: Final = 10
"""Points of a field of :func:`_candidates`; 4 to that power pairs are compared."""


@lru_cache(maxsize=64)
def subsets(points: int, size: int) -> IntArray:
    """Return all masks of `points` bits with `size` bits set, ascending: rank `i` is entry `i`."""
    if size < 0 or size > points:
        return np.zeros(0, dtype=np.int64)
    if size == 0:
        return np.zeros(1, dtype=np.int64)
    # Colexicographic order is numeric order: sets without the top point come first.
    tops = (
        subsets(top, size - 1) | np.int64(1 << top) if size > 1 else np.array([1 << top])
        for top in range(size - 1, points)
    )
    result = np.concatenate(list(tops)).astype(np.int64)
    result.setflags(write=False)
    return result


def rank(mask: int, onto: int = -1) -> int:
    """Return the colexicographic rank of a set among all sets of its size.

    With `onto`, only the points of that set are counted: as if it were a frame of its own.
    """
    result = 0
    size = 0
    while mask:
        low = mask & -mask
        size += 1
        result += comb((onto & (low - 1)).bit_count(), size)
        mask ^= low
    return result


def unrank(number: int, size: int) -> int:
    """Return the set of `size` points with colexicographic rank `number`."""
    mask = 0
    for count in range(size, 0, -1):
        point = count - 1
        while comb(point + 1, count) <= number:
            point += 1
        mask |= 1 << point
        number -= comb(point, count)
    return mask


def expand(pattern: int, onto: int) -> int:
    """Spread the low bits of `pattern` over the set bits of `onto`, in ascending order."""
    result = 0
    while onto:
        low = onto & -onto
        if pattern & 1:
            result |= low
        pattern >>= 1
        onto ^= low
    return result


@lru_cache(maxsize=1)
def _binomials() -> IntArray:
    """Return the number of sets by points (below 64) and size."""
    return np.array([[comb(points, size) for size in range(64)] for points in range(64)])


def _ranks_inside(masks: IntArray, onto: IntArray, size: int) -> IntArray:
    """Return the rank of each mask of `size` bits, compressed onto the set bits of `onto`."""
    result = np.zeros(len(masks), dtype=np.int64)
    masks = masks.copy()
    for number in range(1, size + 1):
        low = masks & -masks
        masks ^= low
        place = np.bitwise_count(onto & (low - 1))
        result += _binomials()[:, number].take(place)
    return result


@lru_cache(maxsize=64)
def orbits(board: Board, size: int) -> IntArray:
    """Return the canonical sets of `size` points, ascending; entry `i` is orbit number `i`."""
    masks = _candidates(board, size)
    # Each automorphism thins the candidates out, so the later ones cost little.
    for number in range(1, len(board.automorphisms)):
        masks = masks[images(board, number, masks) >= masks]
    masks.sort()
    masks.setflags(write=False)
    return masks


def _orbit_numbers(board: Board, size: int, masks: IntArray) -> IntArray:
    """Return the orbit number of each canonical set of `size` points."""
    if comb(board.size, size) > _MOST_RANKS:
        return orbits(board, size).searchsorted(masks)
    numbers, low, high = _numbers_by_rank(board, size)
    found: IntArray = numbers.take(_ranks(masks, low, high)).astype(np.int64)
    return found


@lru_cache(maxsize=16)
def _numbers_by_rank(board: Board, size: int) -> tuple[npt.NDArray[np.int32], IntArray, IntArray]:
    """Return orbit numbers by the rank of the canonical set, and tables for :func:`_ranks`.

    A search among sorted sets would take ten times as long.
    """
    low_values, high_values = (
        np.arange(1 << bits) for bits in (CHUNK_BITS, max(0, board.size - CHUNK_BITS))
    )
    low = _part_ranks(low_values, 0, np.zeros(len(low_values), dtype=np.int64))
    high = _part_ranks(
        high_values, CHUNK_BITS, size - np.bitwise_count(high_values).astype(np.int64)
    )
    numbers = np.zeros(comb(board.size, size), dtype=np.int32)
    sets = orbits(board, size)
    numbers[_ranks(sets, low, high)] = np.arange(len(sets))
    return numbers, low, high


def _part_ranks(values: IntArray, first_point: int, below: IntArray) -> IntArray:
    """Return what sets of points add to a rank.

    Args:
        values: the sets, bit 0 standing for `first_point`; the last one is the greatest.
        first_point: number of that point.
        below: by set, how many points of the whole set come before.
    """
    result = np.zeros(len(values), dtype=np.int64)
    number = below.astype(np.int64)
    for place in range(int(values[-1]).bit_length()):
        stands = values >> place & 1
        number += stands
        result += stands * _binomials()[first_point + place].take(number.clip(0))
    return result


def _ranks(masks: IntArray, low: IntArray, high: IntArray) -> IntArray:
    """Return the colexicographic rank of each mask."""
    ranks: IntArray = low.take(masks & (len(low) - 1)) + high.take(masks >> CHUNK_BITS)
    return ranks


def _images_of_values(targets: Sequence[int]) -> tuple[int, ...]:
    """Return the image of every set of a few points, given the image of each point."""
    result = [0]
    for target in targets:
        result += [image | 1 << target for image in result]
    return tuple(result)


def _candidates(board: Board, size: int) -> IntArray:
    """Return sets of `size` points, in any order, with all the canonical ones among them.

    Filtering all sets would make the start of a query slow. So a set is put together from its last
    `width` points (the high bits, compared first), its first `width` points and those between.
    Some automorphisms map the last points to one another, so the high bits of a canonical set are
    the least of their images; some map the first points to the last, so nor may the images of the
    low bits be less than the high bits. On the 24-point board an eighth of all sets are left.
    """
    width, within, across = _fields(board)
    between = board.size - 2 * width
    shift = board.size - width
    values = np.arange(1 << width)
    least = np.ones(len(values), dtype=bool)
    for permutation in within:
        targets = [permutation[shift + point] - shift for point in range(width)]
        least &= np.array(_images_of_values(targets)) >= values
    bound = np.full(len(values), len(values))
    for permutation in across:
        targets = [permutation[point] - shift for point in range(width)]
        bound = np.minimum(bound, _images_of_values(targets))
    sizes = np.bitwise_count(values)
    found = [np.zeros(0, dtype=np.int64)]
    for high_size in range(min(size, width) + 1):
        high = values[least & (sizes == high_size)]
        for low_size in range(min(size - high_size, width) + 1):
            middle = subsets(between, size - high_size - low_size) << width
            low = values[sizes == low_size]
            i, j = np.nonzero(high[:, None] <= bound[low])
            ends = high[i] << shift | low[j]
            found.append((ends[:, None] | middle).ravel())
    return np.concatenate(found)


def _fields(board: Board) -> tuple[int, list[Permutation], list[Permutation]]:
    """Return a number of points, and the automorphisms that act on so many at the board's ends.

    Returns:
        The number; the automorphisms that map the last so many points to one another; those that
        map the first so many to the last. Few points if the board has no suitable symmetry.
    """
    best: tuple[int, list[Permutation], list[Permutation]] = 0, [], []
    for width in range(1, min(board.size // 2, _WIDEST_FIELD) + 1):
        last = range(board.size - width, board.size)
        within = [p for p in board.automorphisms if min(p[-width:]) >= last.start]
        across = [p for p in board.automorphisms if min(p[:width]) >= last.start]
        if len(within) + len(across) >= len(best[1]) + len(best[2]):
            best = width, within, across
    return best


@dataclass(frozen=True)
class Layout:
    """The numbering of one sector's slots.

    Attributes:
        board: the board.
        major_size: stones of the side whose sets number the blocks.
        minor_size: stones of the other side.
        mover_is_major: whether the side to move is the major one.
    """

    board: Board
    major_size: int
    minor_size: int
    mover_is_major: bool

    @cached_property
    def major_sets(self) -> IntArray:
        """Canonical major sets, ascending: one per block."""
        return orbits(self.board, self.major_size)

    @property
    def free(self) -> int:
        """Points free of the major side's stones."""
        return self.board.size - self.major_size

    @property
    def block(self) -> int:
        """Slots of one block."""
        return comb(self.free, self.minor_size)

    @property
    def slots(self) -> int:
        """Slots of the sector."""
        return len(self.major_sets) * self.block

    def index(self, mover: int, opponent: int) -> int:
        """Return the slot of a position given as two masks.

        Raises:
            UsageError: the masks overlap or do not have this sector's numbers of stones.
        """
        major, minor = (mover, opponent) if self.mover_is_major else (opponent, mover)
        sizes = (major.bit_count(), minor.bit_count())
        if major & minor or sizes != (self.major_size, self.minor_size):
            raise UsageError(f"masks {mover:#x} and {opponent:#x} are no position of this sector")
        first, number, free = self._block_of(major)
        return first + rank(image(self.board, number, minor), free)

    @cached_property
    def _block_of(self) -> Callable[[int], tuple[int, int, int]]:
        """From a major set to its block's first slot, the automorphism onto it, the free points.

        Those asked for last are kept: of a position's moves, most leave one side as it is.
        """

        @lru_cache(maxsize=64)
        def block_of(major: int) -> tuple[int, int, int]:
            least, number = canonical(self.board, major)
            orbit = int(self.major_sets.searchsorted(least))
            return orbit * self.block, number, self.board.full_mask & ~least

        return block_of

    def indices(self, movers: IntArray, opponents: IntArray) -> IntArray:
        """Return the slots of many positions, as :meth:`index` does for one.

        Args:
            movers, opponents: masks, both of shape (n,).

        Returns:
            Shape (n,).

        Raises:
            UsageError: names the first of them that is no position of this sector.
        """
        majors, minors = (movers, opponents) if self.mover_is_major else (opponents, movers)
        wrong = (majors & minors) | ((majors | minors) & ~np.int64(self.board.full_mask))
        sizes = np.bitwise_count(majors), np.bitwise_count(minors)
        fits = (wrong == 0) & (sizes[0] == self.major_size) & (sizes[1] == self.minor_size)
        if not fits.all():
            number = int(np.argmin(fits))
            raise UsageError(
                f"masks {int(movers[number]):#x} and {int(opponents[number]):#x} are no position of"
                " this sector"
            )
        least, numbers = canonical_many(self.board, majors)
        turned = images_by(self.board, numbers, minors)
        inside = _ranks_inside(turned, self.board.full_mask & ~least, self.minor_size)
        slots: IntArray = _orbit_numbers(self.board, self.major_size, least) * self.block + inside
        return slots

    def masks(self, slot: int) -> tuple[int, int]:
        """Return the position of a slot as (mover's mask, opponent's mask)."""
        if not 0 <= slot < self.slots:
            raise UsageError(f"slot {slot} is not between 0 and {self.slots - 1}")
        orbit, number = divmod(slot, self.block)
        major = int(self.major_sets[orbit])
        minor = expand(unrank(number, self.minor_size), self.board.full_mask & ~major)
        return (major, minor) if self.mover_is_major else (minor, major)


@lru_cache(maxsize=1024)
def layout(rules: Rules, sector: Sector) -> Layout:
    """Return the numbering of `sector`; which side is major, design and format say."""
    return Layout(rules.board, *major_first(rules, sector), major_is_mover(rules, sector))
