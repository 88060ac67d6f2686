"""Solving one unit: block-local retrograde analysis, as numbered steps.

A unit is the pair of sectors that quiet moves lead between.  One colour is *major* in both: the
one with more stones.  Two working tables are held, both by (major set's orbit, minor set's rank):
one with the major side to move, one with the minor side.  A move of the minor side stays inside a
block of slots; a move of the major side leads to another block, for every minor set through the
same permutation of the free points.  So nothing is looked up at random in memory.

With equal sides the second table is the colour mirror of the first and is not held at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from solver.errors import ResourceError, UsageError
from solver.kernels import capture, finish, frontier, mirror, spread
from solver.kernels.values import DEEPEST, DRAW, WIN_AT_ONCE, make_score_table
from solver.majors import Majors, majors
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, Unit

ByteArray = npt.NDArray[np.uint8]
IntArray = npt.NDArray[np.int64]
Read = Callable[[Sector], ByteArray]
Progress = Callable[[int], None]

_WORD_ROW = 64  # rows are padded to a multiple of this, so that kernels can compare in chunks


@dataclass
class Counts:
    """How many positions of a sector have which stored byte.

    Attributes:
        positions: by stored byte, all positions (256 entries).
        distinct: the same up to symmetry.
    """

    positions: IntArray
    distinct: IntArray


@dataclass
class SolvedSector:
    """One solved sector: its stored bytes in slot order and their counts."""

    sector: Sector
    stored: ByteArray
    counts: Counts


@dataclass
class _Table:
    """A working table: one side to move."""

    blocks: int
    block: int
    depth: ByteArray = field(init=False)
    open_moves: ByteArray = field(init=False)
    counts: npt.NDArray[np.uint16] = field(init=False)

    def __post_init__(self) -> None:
        # One spare slot per row takes whatever has no rank.
        row = -(-(self.block + 1) // _WORD_ROW) * _WORD_ROW
        self.depth = np.empty((self.blocks, row), dtype=np.uint8)
        self.open_moves = np.empty((self.blocks, row), dtype=np.uint8)
        self.counts = np.zeros((256, self.blocks), dtype=np.uint16)


@dataclass
class _Frontier:
    """Lists of patterns by block."""

    starts: IntArray
    patterns: npt.NDArray[np.int32]


def solve_unit(
    rules: Rules,
    unit: Unit,
    read: Read,
    workers: Workers,
    progress: Progress | None = None,
) -> list[SolvedSector]:
    """Solve the sectors of one moving unit.

    Args:
        rules: the game.
        unit: one or two moving sectors, the one whose mover has more stones first.
        read: gives the stored bytes of a sector solved before, in slot order.
        workers: the threads to use; their number does not change the outcome.
        progress: called with the number of slots finished since the last call.

    Returns:
        The solved sectors, in the unit's order.

    Raises:
        UsageError: the unit belongs to no game this solver knows.
        ResourceError: a distance does not fit into a byte.
    """
    return UnitSolver(rules, unit, read, workers, progress).run()


class UnitSolver:
    """The state of one run of :func:`solve_unit`."""

    def __init__(
        self,
        rules: Rules,
        unit: Unit,
        read: Read,
        workers: Workers,
        progress: Progress | None = None,
    ) -> None:
        sector = unit.sectors[0]
        if not sector.moving:
            raise UsageError(f"sector {sector} has stones in hand; only moving sectors are solved")
        if rules.all_in_mills != "any":
            raise UsageError(f"all-in-mills={rules.all_in_mills} is not solved yet, only any")
        self.rules = rules
        self.unit = unit
        self.read = read
        self.workers = workers
        self.report = progress or (lambda slots: None)
        self.major_size, self.minor_size = sector.mover, sector.opponent
        self.equal = self.major_size == self.minor_size
        self.majors: Majors = majors(rules, self.major_size)
        self.blocks = len(self.majors.orbits.masks)
        self.ranks = self.majors.ranks(self.minor_size)
        self.block = self.ranks.count
        if self.block > np.iinfo(np.uint16).max:
            raise UsageError(f"unit {unit} has blocks of {self.block} slots; the most is 65535")
        self.patterns = self.majors.patterns(self.minor_size)
        self.scores = make_score_table()
        self.minor_flying = self.minor_size == rules.flying_at

    def run(self) -> list[SolvedSector]:
        """Solve the unit, step by step."""
        # 1. What captures give, and how many quiet moves there are.
        major = _Table(self.blocks, self.block)
        self.start_major(major)
        minor = None
        if not self.equal:
            minor = _Table(self.blocks, self.block)
            self.start_minor(minor)
        # 2. Layer by layer: each depth's final slots tell their predecessors.
        for layer in range(DEEPEST + 1):
            self.spread_layer(layer, major, minor)
        tables = [major] if minor is None else [major, minor]
        if any(table.counts[DEEPEST + 1 :].any() for table in tables):
            raise ResourceError(f"unit {self.unit} has distances over {DEEPEST} plies")
        # 3. What no layer reached is drawn.
        return [self.finish(*pair) for pair in zip(self.unit.sectors, tables, strict=True)]

    def start_major(self, table: _Table) -> None:
        """Set the slots with the major side to move."""
        m = self.majors
        row = np.zeros(self.blocks, dtype=np.int32)
        if self.minor_size - 1 < self.rules.fewest_stones:
            captures = np.full((1, self.block + 1), WIN_AT_ONCE, dtype=np.uint8)
        else:
            holders = m.mill_holders
            row[holders] = np.arange(len(holders), dtype=np.int32)
            captures = np.empty((len(holders), self.block + 1), dtype=np.uint8)
            solved = self.read(Sector(self.minor_size - 1, self.major_size))
            smaller = m.ranks(self.minor_size - 1)
            frames = m.frames
            self.workers.run(
                lambda first, last: capture.major_captures(
                    first, last, holders, frames, self.patterns, smaller, solved,
                    self.scores, captures,
                ),
                self.workers.even(len(holders), self.block),
            )  # fmt: skip
        captures[:, self.block] = 0
        arrivals, closing = m.arrivals, m.closing
        self.workers.run(
            lambda first, last: capture.start_major(
                first, last, m.free, self.patterns, self.ranks, arrivals, closing, row,
                captures, table.depth, table.open_moves, table.counts,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def start_minor(self, table: _Table) -> None:
        """Set the slots with the minor side to move."""
        m = self.majors
        solved = self.read(Sector(self.major_size - 1, self.minor_size))
        larger = majors(self.rules, self.major_size - 1).ranks(self.minor_size)
        frames, removals = m.frames, m.removals
        self.workers.run(
            lambda first, last: capture.start_minor(
                first, last, m.free, self.minor_flying, self.patterns, self.ranks, frames,
                removals, larger, solved, self.scores, table.depth, table.open_moves,
                table.counts,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def spread_layer(self, layer: int, major: _Table, minor: _Table | None) -> None:
        """Let all slots final at depth `layer` tell their quiet predecessors."""
        found = self.collect(layer, major)
        if minor is None:
            if found is not None:
                self.report(len(found.patterns))
                self.spread_across(layer, self.mirror(found), major)
            return
        if found is not None:
            self.report(len(found.patterns))
            self.spread_inside(layer, found, minor)
        # Depths written so far exceed `layer`, so collecting the other table now is no later.
        found = self.collect(layer, minor)
        if found is not None:
            self.report(len(found.patterns))
            self.spread_across(layer, found, major)

    def collect(self, layer: int, table: _Table) -> _Frontier | None:
        """List the slots of a table that are final at depth `layer`; None if there are none."""
        counts = table.counts[layer]
        starts = np.empty(self.blocks + 1, dtype=np.int64)
        total = frontier.running_totals(counts, starts)
        if total == 0:
            return None
        out = np.empty(total, dtype=np.int32)
        depth = table.depth.view(np.uint64)
        open_moves = table.open_moves.view(np.uint64)
        self.workers.run(
            lambda first, last: frontier.collect(
                first, last, layer, depth, open_moves, self.patterns, counts, starts, out
            ),
            self.workers.even(self.blocks, self.block),
        )
        return _Frontier(starts, out)

    def spread_inside(self, layer: int, found: _Frontier, minor: _Table) -> None:
        """Tell the minor side's positions before a frontier with the major side to move."""
        m = self.majors
        frames = m.frames
        self.workers.run(
            lambda first, last: spread.spread_inside(
                first, last, layer, m.free, self.minor_flying, self.ranks, frames,
                found.starts, found.patterns, minor.depth, minor.open_moves, minor.counts,
            ),
            self.workers.balanced(found.starts),
        )  # fmt: skip

    def spread_across(self, layer: int, found: _Frontier, major: _Table) -> None:
        """Tell the major side's positions before a frontier with the minor side to move."""
        m = self.majors
        quiet = m.quiet
        self.workers.run(
            lambda first, last: spread.spread_across(
                first, last, layer, m.free, self.ranks, quiet, found.starts, found.patterns,
                major.depth, major.open_moves, major.counts,
            ),
            self.workers.even(self.blocks, 4 * len(found.patterns) // self.blocks + 1),
        )  # fmt: skip

    def mirror(self, found: _Frontier) -> _Frontier:
        """Return the colour mirror of a frontier of an equal sector."""
        board, orbits = self.majors.board, self.majors.orbits
        ranges = self.workers.balanced(found.starts)
        counts = np.zeros((len(ranges), self.blocks), dtype=np.int32)
        rows = {first: number for number, (first, _) in enumerate(ranges)}

        def reflect(first: int, last: int) -> tuple[IntArray, IntArray]:
            entries = int(found.starts[last] - found.starts[first])
            room = entries + entries // 8 + 1024
            own_counts = counts[rows[first]]
            while True:
                blocks = np.empty(room, dtype=np.int32)
                patterns = np.empty(room, dtype=np.int32)
                total = mirror.mirror_frontier(
                    first, last, board, orbits, found.starts, found.patterns,
                    blocks, patterns, own_counts,
                )  # fmt: skip
                if total <= room:
                    return blocks[:total], patterns[:total]
                own_counts[:] = 0
                room = total

        images = self.workers.run(reflect, ranges)
        starts = np.zeros(self.blocks + 1, dtype=np.int64)
        np.cumsum(counts.sum(axis=0), out=starts[1:])
        # Each range writes to places of its own inside every block's list.
        places = starts[:-1] + np.cumsum(counts, axis=0) - counts
        out = np.empty(starts[-1], dtype=np.int32)
        self.workers.run(
            lambda number, _: mirror.sort_by_block(*images[number], places[number], out),
            [(number, number + 1) for number in range(len(ranges))],
        )
        return _Frontier(starts, out)

    def finish(self, sector: Sector, table: _Table) -> SolvedSector:
        """Turn a working table into stored bytes and counts."""
        stored = np.empty((self.blocks, self.block), dtype=np.uint8)
        self.workers.run(
            lambda first, last: finish.store(
                first, last, self.block, table.depth, table.open_moves, stored
            ),
            self.workers.even(self.blocks, self.block),
        )
        counts = self.count(table, stored)
        drawn = self.blocks * self.block - int(table.counts[: DEEPEST + 1].sum(dtype=np.int64))
        self.report(drawn)
        return SolvedSector(sector, stored.reshape(-1), counts)

    def count(self, table: _Table, stored: ByteArray) -> Counts:
        """Count positions by stored byte; blocks know their depths from solving."""
        orbits = self.majors.orbits
        by_block = table.counts.astype(np.int64)
        by_block[DRAW] = self.block - by_block.sum(axis=0)
        symmetries = np.bitwise_count(orbits.stabiliser).astype(np.int64)
        weights = len(self.majors.board.automorphisms) // symmetries
        distinct = by_block[:, symmetries == 1].sum(axis=1)
        finish.count_symmetric(
            0, self.blocks, self.majors.board, orbits, self.patterns, stored, distinct
        )
        return Counts(positions=by_block @ weights, distinct=distinct)
