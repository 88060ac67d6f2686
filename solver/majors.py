"""The arrays the kernels read: everything about the major sets of one size, made once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from solver.boards import Board
from solver.index import IntArray, orbits, subsets
from solver.kernels import capture, sets
from solver.kernels.ranks import Ranks, Runs, make_ranks, make_runs
from solver.rules import Rules

Int32Table = np.ndarray[tuple[int, int], np.dtype[np.int32]]


@lru_cache(maxsize=8)
def board_arrays(board: Board) -> sets.BoardArrays:
    """Return a board as the kernels see it."""
    automorphisms = np.array(board.automorphisms, dtype=np.int64)
    return sets.BoardArrays(
        points=board.size,
        neighbours=np.array(board.neighbours, dtype=np.int64),
        lines=np.array(board.line_masks, dtype=np.int64),
        automorphisms=automorphisms,
        inverse=_inverses(automorphisms),
    )


def _inverses(automorphisms: IntArray) -> IntArray:
    numbers = {tuple(row): number for number, row in enumerate(automorphisms.tolist())}
    inverse = [numbers[tuple(np.argsort(row).tolist())] for row in automorphisms]
    return np.array(inverse, dtype=np.int64)


@lru_cache(maxsize=128)
def rank_tables(points: int, size: int) -> Ranks:
    """Return (cached) rank tables, see :func:`solver.kernels.ranks.make_ranks`."""
    return make_ranks(points, size)


@lru_cache(maxsize=128)
def run_tables(points: int, size: int) -> Runs:
    """Return (cached) runs, see :func:`solver.kernels.ranks.make_runs`."""
    return make_runs(points, size)


@lru_cache(maxsize=32)
def orbit_tables(board: Board, size: int) -> sets.Orbits:
    """Return the orbits of the sets of `size` points with the way from any set to its orbit."""
    masks = orbits(board, size)
    ranks = make_ranks(board.size, size, (board.size + 1) // 2)
    way = np.zeros(ranks.total, dtype=np.int32)
    stabiliser = np.zeros(len(masks), dtype=np.int64)
    sets.fill_orbits(
        masks, board_arrays(board), ranks.low, ranks.high, ranks.low_bits,
        way, stabiliser,
    )  # fmt: skip
    return sets.Orbits(masks, way, stabiliser, ranks.low, ranks.high, ranks.low_bits)


@dataclass(frozen=True)
class Majors:
    """Moves and frames of the major sets of one size, each list made when first asked for."""

    rules: Rules
    size: int

    @property
    def board(self) -> sets.BoardArrays:
        """The board's arrays."""
        return board_arrays(self.rules.board)

    @property
    def orbits(self) -> sets.Orbits:
        """The orbits of the major sets."""
        return orbit_tables(self.rules.board, self.size)

    @property
    def free(self) -> int:
        """Points of a frame."""
        return self.rules.board.size - self.size

    @property
    def flying(self) -> bool:
        """Whether a side of this size flies (with no stone in hand)."""
        return self.size == self.rules.flying_at

    @cached_property
    def quiet(self) -> sets.Moves:
        """Moves that close no mill, permutations inward."""
        return self._moves(closing=False, inward=True)

    @cached_property
    def closing(self) -> sets.Moves:
        """Moves that close a mill, permutations outward."""
        return self._moves(closing=True, inward=False)

    @cached_property
    def removals(self) -> sets.Moves:
        """Removals of one of the major side's stones, permutations outward."""
        masks, board = self.orbits.masks, self.board
        any_when_all = self.rules.all_in_mills == "any"
        if self.size == 0:
            return sets.Moves(
                np.zeros(len(masks) + 1, dtype=np.int64),
                np.zeros(0, dtype=np.int32),
                np.zeros((0, self.free), dtype=np.uint8),
            )
        start = np.zeros(len(masks) + 1, dtype=np.int64)
        entries = sets.count_removals(masks, board, any_when_all, start)
        target = np.zeros(entries, dtype=np.int32)
        permutation = np.zeros((entries, self.free), dtype=np.uint8)
        smaller = orbit_tables(self.rules.board, self.size - 1)
        sets.fill_removals(masks, board, any_when_all, smaller, target, permutation)
        return sets.Moves(start, target, permutation)

    @cached_property
    def plain_placements(self) -> sets.Moves:
        """Stones added without closing a mill, permutations outward."""
        return self._placements(quiet=True, closing=False)

    @cached_property
    def closing_placements(self) -> sets.Moves:
        """Stones added that close a mill, permutations outward."""
        return self._placements(quiet=False, closing=True)

    @cached_property
    def all_placements(self) -> sets.Moves:
        """All stones added, permutations outward."""
        return self._placements(quiet=True, closing=True)

    @cached_property
    def arrivals(self) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
        """Number of quiet moves to each point of the frame, shape (blocks, points)."""
        masks = self.orbits.masks
        out = np.zeros((len(masks), self.free), dtype=np.uint8)
        sets.count_arrivals(masks, self.board, self.flying, out)
        return out

    @cached_property
    def frames(self) -> sets.FrameEdges:
        """Edges and lines inside each frame."""
        masks, board = self.orbits.masks, self.board
        edge_start = np.zeros(len(masks) + 1, dtype=np.int64)
        line_start = np.zeros(len(masks) + 1, dtype=np.int64)
        none = np.zeros(0, dtype=np.int32)
        none64 = np.zeros(0, dtype=np.int64)
        bit_edges = np.zeros((len(masks), self.free), dtype=np.int64)
        bit_lines = np.zeros((len(masks), self.free), dtype=np.int32)
        sets.fill_frames(
            masks, board, False, edge_start, none, bit_edges, line_start, none, none64, bit_lines
        )
        edge = np.zeros(edge_start[-1], dtype=np.int32)
        line = np.zeros(line_start[-1], dtype=np.int32)
        line_edges = np.zeros(line_start[-1], dtype=np.int64)
        sets.fill_frames(
            masks, board, True, edge_start, edge, bit_edges, line_start, line, line_edges, bit_lines
        )
        return sets.FrameEdges(edge_start, edge, bit_edges, line_start, line, line_edges, bit_lines)

    @cached_property
    def mill_holders(self) -> IntArray:
        """Numbers of the major sets that hold a mill."""
        masks = self.orbits.masks
        holds = np.zeros(len(masks), dtype=bool)
        for line in self.rules.board.line_masks:
            holds |= (masks & line) == line
        return np.flatnonzero(holds).astype(np.int64)

    def patterns(self, minor_size: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """Minor sets of a size by rank, as patterns of a frame."""
        return subsets(self.free, minor_size).astype(np.int32)

    def ranks(self, minor_size: int) -> Ranks:
        """Rank tables of the minor sets of a size."""
        return rank_tables(self.free, minor_size)

    def runs(self, minor_size: int) -> Runs:
        """The minor sets of a size in the order of their ranks."""
        return run_tables(self.free, minor_size)

    def larger_ranks(self, minor_size: int) -> Int32Table:
        """By (rank, number), the rank of a minor set with its `number`-th free point added."""
        patterns = self.patterns(minor_size)
        out = np.zeros((len(patterns), self.free - minor_size), dtype=np.int32)
        capture.list_larger(self.free, patterns, self.ranks(minor_size + 1), out)
        return out

    def smaller_ranks(self, minor_size: int) -> Int32Table:
        """By (rank, number), the rank of a minor set with its `number`-th point taken away."""
        patterns = self.patterns(minor_size)
        out = np.zeros((len(patterns), minor_size), dtype=np.int32)
        capture.list_smaller(patterns, self.ranks(minor_size - 1), out)
        return out

    def _placements(self, *, quiet: bool, closing: bool) -> sets.Moves:
        masks, board = self.orbits.masks, self.board
        start = np.zeros(len(masks) + 1, dtype=np.int64)
        entries = sets.count_placements(masks, board, quiet, closing, start)
        target = np.zeros(entries, dtype=np.int32)
        permutation = np.zeros((entries, self.free), dtype=np.uint8)
        larger = orbit_tables(self.rules.board, self.size + 1)
        sets.fill_placements(masks, board, quiet, closing, larger, target, permutation)
        return sets.Moves(start, target, permutation)

    def _moves(self, *, closing: bool, inward: bool) -> sets.Moves:
        orbit_table = self.orbits
        masks, board = orbit_table.masks, self.board
        start = np.zeros(len(masks) + 1, dtype=np.int64)
        entries = sets.count_moves(masks, board, self.flying, closing, start)
        target = np.zeros(entries, dtype=np.int32)
        permutation = np.zeros((entries, self.free), dtype=np.uint8)
        sets.fill_moves(
            masks, board, self.flying, closing, inward, orbit_table, target, permutation
        )
        return sets.Moves(start, target, permutation)


# All sizes of the usual games: neighbouring units in solving order need other ones, and making them
# anew each time took a tenth of the time of small units.  Together they hold some 200 MB.
_KEPT = 12
_recent: OrderedDict[tuple[Rules, int], Majors] = OrderedDict()


def majors(rules: Rules, size: int) -> Majors:
    """Return (cached) the arrays for major sets of `size` stones under `rules`."""
    key = (rules, size)
    if key not in _recent:
        _recent[key] = Majors(rules, size)
        while len(_recent) > _KEPT:
            _recent.popitem(last=False)
    _recent.move_to_end(key)
    return _recent[key]
