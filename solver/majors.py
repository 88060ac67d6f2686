"""The arrays the kernels read: everything about the major sets of one size, made once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np

from solver.boards import Board
from solver.index import IntArray, orbits, subsets
from solver.kernels import capture, sets, turnlists
from solver.kernels.ranks import Ranks, Runs, make_ranks, make_runs
from solver.rules import Rules

Made = TypeVar("Made")
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
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

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

    @cached_property
    def symmetries(self) -> IntArray:
        """Number of symmetries of each set, itself unchanged included."""
        return np.bitwise_count(self.orbits.stabiliser).astype(np.int64)

    @property
    def weights(self) -> IntArray:
        """All positions that one slot of each block stands for."""
        return len(self.rules.board.automorphisms) // self.symmetries

    @property
    def mills_may_take_nothing(self) -> bool:
        """Whether a mill takes nothing where all of a side's stones are protected."""
        return self.protection == sets.PROTECT_ALWAYS and not self.rules.mill_wins

    @property
    def protection(self) -> int:
        """Which stones mills protect, as the kernels have it."""
        if not self.rules.mills_protect:
            return sets.PROTECT_NONE
        return (
            sets.PROTECT_ALWAYS if self.rules.all_in_mills == "none" else sets.PROTECT_WHILE_OTHERS
        )

    def quiet(self, flying: bool, *, nothing_to_take: bool) -> sets.Moves:
        """Moves that take nothing whatever the minor side's stones, permutations inward.

        Args:
            flying: whether the major side's stones go anywhere.
            nothing_to_take: whether that holds for moves that close a mill too.
        """
        return self._moves(flying, quiet=True, closing=nothing_to_take, inward=True)

    def closing(self, flying: bool) -> sets.Moves:
        """Moves that close a mill, permutations outward."""
        return self._moves(flying, quiet=False, closing=True, inward=False)

    def closing_inward(self, flying: bool) -> sets.Moves:
        """Moves that close a mill, permutations inward."""
        return self._moves(flying, quiet=False, closing=True, inward=True)

    def removals(self, stones: int = turnlists.ONE_STONE) -> sets.Moves:
        """Removals of the major side's stones, permutations outward.

        Args:
            stones: what is taken, see :func:`solver.kernels.turnlists.list_smaller_sets`.
        """
        left = self.size - (2 if stones == turnlists.TWO_STONES else 1)
        if left < 0:
            return self.no_moves

        def make() -> sets.Moves:
            return self._listed(
                turnlists.list_removals, self.protection, stones,
                orbit_tables(self.rules.board, left),
            )  # fmt: skip

        return self._once(("removals", stones), make)

    def placements(self, *, quiet: bool, closing: bool) -> sets.Moves:
        """Stones added, permutations outward.

        Args:
            quiet, closing: whether those that close no mill are wanted, and those that do.
        """

        def make() -> sets.Moves:
            rows = self._rows(self.rules.board.line_masks)
            larger = orbit_tables(self.rules.board, self.size + 1)
            return self._listed(turnlists.list_placements, rows, quiet, closing, larger)

        return self._once(("placements", quiet, closing), make)

    @property
    def no_moves(self) -> sets.Moves:
        """Lists of nothing."""
        return self._once("nothing", self._room)

    def arrivals(
        self, flying: bool, *, nothing_to_take: bool
    ) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
        """Number of the moves of :meth:`quiet` to each point of the frame, (blocks, points)."""
        masks = self.orbits.masks
        rows = self._rows(self.rules.board.long_line_masks)
        out = np.zeros((len(masks), self.free), dtype=np.uint8)
        turnlists.count_arrivals(masks, self.board, rows, flying, nothing_to_take, out)
        return out

    @property
    def frames(self) -> sets.FrameEdges:
        """Edges and lines inside each frame."""
        return self._once("frames", lambda: self._frames(np.zeros(len(self.orbits.masks), bool)))

    @property
    def paying_frames(self) -> sets.FrameEdges:
        """The same with the lines left out where a mill of the minor side takes nothing."""
        untouchable = np.zeros(len(self.orbits.masks), dtype=bool)
        if not self.rules.mill_wins:
            sets.find_untouchable(self.orbits.masks, self.board, self.protection, untouchable)
        if not untouchable.any():
            return self.frames
        return self._once("paying frames", lambda: self._frames(untouchable))

    def _frames(self, left_out: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> sets.FrameEdges:
        masks, board = self.orbits.masks, self.board
        edge_start = np.zeros(len(masks) + 1, dtype=np.int64)
        line_start = np.zeros(len(masks) + 1, dtype=np.int64)
        none = np.zeros(0, dtype=np.int32)
        none64 = np.zeros(0, dtype=np.int64)
        bit_edges = np.zeros((len(masks), self.free), dtype=np.int64)
        narrow = len(board.lines) < 32
        bit_lines = np.zeros((len(masks), self.free), dtype=np.int32 if narrow else np.int64)
        sets.fill_frames(
            masks, board, left_out, False, edge_start, none, bit_edges, line_start, none, none64,
            bit_lines,
        )  # fmt: skip
        edge = np.zeros(edge_start[-1], dtype=np.int32)
        line = np.zeros(line_start[-1], dtype=np.int32)
        line_edges = np.zeros(line_start[-1], dtype=np.int64)
        sets.fill_frames(
            masks, board, left_out, True, edge_start, edge, bit_edges, line_start, line,
            line_edges, bit_lines,
        )  # fmt: skip
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

    def _moves(self, flying: bool, *, quiet: bool, closing: bool, inward: bool) -> sets.Moves:
        def make() -> sets.Moves:
            rows = self._rows(self.rules.board.long_line_masks)
            return self._listed(
                turnlists.list_moves, rows, flying, quiet, closing, inward, self.orbits
            )

        return self._once(("moves", flying, quiet, closing, inward), make)

    def _rows(self, forbidden: tuple[int, ...]) -> IntArray:
        """Return the masks of some rows if the rules forbid them."""
        rows = forbidden if self.rules.long_lines_forbidden else ()
        return np.array(rows, dtype=np.int64)

    def _listed(self, kernel: Callable[..., int], *arguments: Any) -> sets.Moves:
        """Return the lists that a kernel makes, which counts in one pass and fills in another."""
        common = (self.orbits.masks, self.board, *arguments)
        moves = self._room(kernel(*common, False, self._room()))
        kernel(*common, True, moves)
        return moves

    def _room(self, entries: int = 0) -> sets.Moves:
        """Return lists of turns with room for so many."""
        return sets.Moves(
            start=np.zeros(len(self.orbits.masks) + 1, dtype=np.int64),
            target=np.zeros(entries, dtype=np.int32),
            permutation=np.zeros((entries, self.free), dtype=np.uint8),
            mills=np.zeros(entries, dtype=np.uint8),
        )

    def _once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is kept under a key, made if it is not there."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made


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
