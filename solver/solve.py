"""Solving one unit: block-local retrograde analysis, as numbered steps.

A unit is the pair of sectors that quiet moves lead between.  One colour is *major* in both: the
one with more stones.  Two working tables are held, both by (major set's orbit, minor set's rank):
one with the major side to move, one with the minor side.  A move of the minor side stays inside a
block of slots; a move of the major side leads to another block, for every minor set through the
same permutation of the free points.  So nothing is looked up at random in memory.

With equal sides the second table is the colour mirror of the first and is not held at all.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from solver.errors import ResourceError, UsageError
from solver.kernels import capture, finish, mirror, spread
from solver.kernels.values import DEEPEST, DRAW, WIN_AT_ONCE, Lists, Seeds, make_score_table
from solver.majors import Majors, majors
from solver.parallel import Workers
from solver.placing import PlacingSolver, Rekeyed
from solver.rules import Rules
from solver.sectors import Sector, Unit
from solver.solved import Counts, IntArray, Progress, Read, SolvedSector

Int32Array = npt.NDArray[np.int32]
PatternArray = npt.NDArray[np.uint32]

_ROW_MULTIPLE = 64  # rows are padded to a multiple of this, for words and vectors


class _Table:
    """A working table: one side to move.

    Attributes:
        depth: by (block, rank), see :mod:`solver.kernels.spread`; the row's end is not used.
        open_moves: quiet moves not yet known to lose, the same way.
        seeds: slots whose value captures set.
        lists: the frontier of the present layer.
        settled: slots whose value is known, so far.
    """

    def __init__(self, blocks: int, block: int) -> None:
        row = -(-block // _ROW_MULTIPLE) * _ROW_MULTIPLE
        self.settled = 0
        self.depth = np.empty((blocks, row), dtype=np.uint8)
        self.open_moves = np.empty((blocks, row), dtype=np.uint8)
        # The lists below have room for everything, so that each range of blocks has a place of
        # its own (and one entry more per block, as kernels write ahead); the system gives memory
        # only for what is written.
        room = blocks * (block + 1)
        self.seeds = Seeds(
            next=np.zeros(blocks, dtype=np.int64),
            waiting=np.zeros((256, blocks), dtype=np.uint16),
            rank=np.empty(room, dtype=np.uint16),
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

    def drop_lists(self) -> None:
        """Free what only spreading needs."""
        del self.seeds, self.lists, self._spare_lists

    @property
    def deepest_seed(self) -> int:
        """The greatest depth captures have set; -1 if there is none."""
        return int(np.flatnonzero(self.seeds.waiting.any(axis=1)).max(initial=-1))


def solve_unit(
    rules: Rules,
    unit: Unit,
    read: Read,
    workers: Workers,
    progress: Progress | None = None,
    rekeyed: Rekeyed | None = None,
) -> list[SolvedSector]:
    """Solve the sectors of one unit.

    Args:
        rules: the game.
        unit: one or two moving sectors, the one whose mover has more stones first; or one placing
            sector.
        read: gives the stored bytes of a sector solved before, in slot order.
        workers: the threads to use; their number does not change the outcome.
        progress: called with the number of slots finished since the last call.
        rekeyed: the same object for all units of a batch, so that no sector is re-keyed twice.

    Returns:
        The solved sectors, in the unit's order.

    Raises:
        UsageError: the unit belongs to no game this solver knows.
        ResourceError: a distance does not fit into a byte.
    """
    if not unit.sectors[0].moving:
        sector = unit.sectors[0]
        return [PlacingSolver(rules, sector, read, workers, progress, rekeyed).run()]
    return UnitSolver(rules, unit, read, workers, progress).run()


class UnitSolver:
    """The state of solving one moving unit; see :func:`solve_unit`."""

    def __init__(
        self,
        rules: Rules,
        unit: Unit,
        read: Read,
        workers: Workers,
        progress: Progress | None = None,
    ) -> None:
        sector = unit.sectors[0]
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
        self.block = self.ranks.total
        if self.block > np.iinfo(np.uint16).max:
            raise UsageError(f"unit {unit} has blocks of {self.block} slots; the most is 65535")
        self.patterns = self.majors.patterns(self.minor_size)
        self.scores = make_score_table()
        self.minor_flying = self.minor_size == rules.flying_at
        symmetries = np.bitwise_count(self.majors.orbits.stabiliser).astype(np.int64)
        # All positions one slot of a block stands for, and whether it stands for them alone.
        self.weights = len(rules.board.automorphisms) // symmetries
        self.simple = (symmetries == 1).astype(np.int64)

    def run(self) -> list[SolvedSector]:
        """Solve the unit, step by step."""
        # 1. What captures give, and how many quiet moves there are.
        tables = self.start()
        # 2. Layer by layer: each depth's final slots tell their predecessors.
        counts = [Counts.zero() for _ in tables]
        deepest_seed = max(table.deepest_seed for table in tables)
        self.release_first(tables)
        for layer in range(DEEPEST + 2):
            for table, count in zip(tables, counts, strict=True):
                self.count_layer(layer, table, count)
            if layer >= deepest_seed and not any(table.lists.length.any() for table in tables):
                break
            if layer > DEEPEST:
                raise ResourceError(f"unit {self.unit} has distances over {DEEPEST} plies")
            self.spread_layer(layer, tables)
        # 3. What no layer reached is drawn.
        for table in tables:
            table.drop_lists()
        solved = []
        for sector, count in zip(self.unit.sectors, counts, strict=True):
            # Each table is given up once its bytes are stored.
            solved.append(self.finish(sector, tables.pop(0), count))
        return solved

    def start(self) -> list[_Table]:
        """Make the working tables and set what captures give."""
        tables = [_Table(self.blocks, self.block) for _ in range(1 if self.equal else 2)]
        self.start_major(tables[0])
        if not self.equal:
            self.start_minor(tables[1])
        return tables

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
                first, last, first * (self.block + 1), m.free, self.patterns, self.ranks,
                arrivals, closing, row, captures, table.depth, table.open_moves, table.seeds,
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
                first, last, first * (self.block + 1), m.free, self.minor_flying, self.patterns,
                self.ranks, frames, removals, larger, solved, self.scores, table.depth,
                table.open_moves, table.seeds,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def release_first(self, tables: list[_Table]) -> None:
        """Make the frontier of depth 0."""
        for table in tables:
            ranges = self.workers.even(self.blocks)
            self.workers.run(partial(self.release_range, table), ranges)

    def release_range(self, table: _Table, first: int, last: int) -> None:
        """Make the frontier of depth 0 in a range of blocks."""
        spread.release_first(
            first, last, first * (self.block + 1), table.depth, table.open_moves, self.patterns,
            table.seeds, table.lists,
        )  # fmt: skip

    def count_layer(self, layer: int, table: _Table, count: Counts) -> None:
        """Count the positions of the present frontier."""
        found = table.lists.length
        slots = int(found.sum(dtype=np.int64))
        self.report(slots)
        table.settled += slots
        count.positions[layer] = found @ self.weights
        # Blocks whose set has symmetries hold a position more than once; they are counted later.
        count.distinct[layer] = found @ self.simple

    def spread_layer(self, layer: int, tables: list[_Table]) -> None:
        """Let all slots final at depth `layer` tell their quiet predecessors."""
        major = tables[0]
        if self.equal:
            self.spread_across(layer, self.mirror(major.lists), major)
        else:
            minor = tables[1]
            self.spread_inside(layer, major.lists, minor)
            self.spread_across(layer, minor.lists, major)
        for table in tables:
            table.advance()

    def spread_inside(self, layer: int, found: Lists, minor: _Table) -> None:
        """Tell the minor side's positions before a frontier with the major side to move."""
        m = self.majors
        frames = m.frames
        smaller = m.ranks(self.minor_size - 1)
        work = np.zeros(self.blocks + 1, dtype=np.int64)
        # Entries have about eight predecessors each; a block costs something even without any.
        np.cumsum(8 * found.length.astype(np.int64) + 1, out=work[1:])
        self.workers.run(
            lambda first, last: spread.spread_inside(
                first, last, first * (self.block + 1), layer, m.free, self.minor_flying,
                self.patterns, self.ranks, smaller, frames, found, minor.depth, minor.open_moves,
                minor.seeds, minor.next_lists,
            ),
            self.workers.balanced(work),
        )  # fmt: skip

    def spread_across(self, layer: int, found: Lists, major: _Table) -> None:
        """Tell the major side's positions before a frontier with the minor side to move."""
        m = self.majors
        quiet = m.quiet
        # Entries have about twelve predecessors each; every block looks at as many lists.
        work = 12 * int(found.length.sum(dtype=np.int64)) / self.blocks + 6
        self.workers.run(
            lambda first, last: spread.spread_across(
                first, last, first * (self.block + 1), layer, m.free, self.patterns, self.ranks,
                quiet, found, major.depth, major.open_moves, major.seeds, major.next_lists,
            ),
            self.workers.even(self.blocks, work),
        )  # fmt: skip

    def mirror(self, found: Lists) -> Lists:
        """Return the colour mirror of a frontier of an equal sector."""
        board, orbits = self.majors.board, self.majors.orbits
        starts = np.zeros(self.blocks + 1, dtype=np.int64)
        np.cumsum(found.length, out=starts[1:])
        ranges = self.workers.balanced(10 * starts)
        counts = np.zeros((len(ranges), self.blocks), dtype=np.int32)
        rows = {first: number for number, (first, _) in enumerate(ranges)}

        def reflect(first: int, last: int) -> tuple[Int32Array, PatternArray]:
            entries = int(starts[last] - starts[first])
            room = entries + entries // 8 + 1024
            own_counts = counts[rows[first]]
            while True:
                blocks = np.empty(room, dtype=np.int32)
                patterns = np.empty(room, dtype=np.uint32)
                total = mirror.mirror_frontier(
                    first, last, board, orbits, found, blocks, patterns, own_counts
                )
                if total <= room:
                    return blocks[:total], patterns[:total]
                own_counts[:] = 0
                room = total

        images = self.workers.run(reflect, ranges)
        count = counts.sum(axis=0, dtype=np.int32)
        start = np.zeros(self.blocks, dtype=np.int64)
        np.cumsum(count[:-1], out=start[1:])
        # Each range writes to places of its own inside every block's list.
        places = start + np.cumsum(counts, axis=0) - counts
        pattern = np.empty(int(count.sum(dtype=np.int64)), dtype=np.uint32)
        self.workers.run(
            lambda number, _: mirror.sort_by_block(*images[number], places[number], pattern),
            [(number, number + 1) for number in range(len(ranges))],
        )
        return Lists(start, count, pattern)

    def finish(self, sector: Sector, table: _Table, counts: Counts) -> SolvedSector:
        """Turn a working table into stored bytes, and complete its counts."""
        m = self.majors
        stored = np.empty((self.blocks, self.block), dtype=np.uint8)
        depth, open_moves = table.depth.view(np.uint64), table.open_moves.view(np.uint64)

        def store(first: int, last: int) -> None:
            finish.mark_draws(first, last, depth, open_moves)
            stored[first:last] = table.depth[first:last, : self.block]

        self.workers.run(store, self.workers.even(self.blocks, self.block))
        self.report(self.blocks * self.block - table.settled)

        def count(first: int, last: int) -> IntArray:
            part = np.zeros(256, dtype=np.int64)
            finish.count_symmetric(first, last, m.board, m.orbits, self.patterns, stored, part)
            return part

        symmetric = sum(self.workers.run(count, self.workers.even(self.blocks, self.block)))
        counts.positions[DRAW] = self.weights.sum() * self.block - counts.positions.sum()
        counts.distinct[DRAW] = self.simple.sum() * self.block - counts.distinct.sum()
        counts.distinct += symmetric
        return SolvedSector(sector, stored.reshape(-1), counts)
