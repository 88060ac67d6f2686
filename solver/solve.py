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

from solver.errors import ResourceError, UsageError
from solver.kernels import capture, finish, mirror, spread
from solver.kernels.values import (
    DEEPEST,
    DRAW,
    WAITS,
    WIN_AT_ONCE,
    Lists,
    make_score_table,
)
from solver.majors import Majors, majors
from solver.parallel import Workers
from solver.placing import PlacingSolver, Rekeyed
from solver.rules import Rules
from solver.sectors import Sector, Unit
from solver.solved import ByteArray, Counts, IntArray, Progress, Read, SolvedSector
from solver.working import WorkingMemory, WorkingTable


def solve_unit(
    rules: Rules,
    unit: Unit,
    read: Read,
    workers: Workers,
    progress: Progress | None = None,
    rekeyed: Rekeyed | None = None,
    memory: WorkingMemory | None = None,
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
        memory: the same object for all units of a batch, so that memory is used again.

    Returns:
        The solved sectors, in the unit's order.

    Raises:
        UsageError: the unit belongs to no game this solver knows.
        ResourceError: a distance does not fit into a byte.
    """
    if not unit.sectors[0].moving:
        sector = unit.sectors[0]
        return [PlacingSolver(rules, sector, read, workers, progress, rekeyed).run()]
    return UnitSolver(rules, unit, read, workers, progress, memory).run()


class UnitSolver:
    """The state of solving one moving unit; see :func:`solve_unit`."""

    def __init__(
        self,
        rules: Rules,
        unit: Unit,
        read: Read,
        workers: Workers,
        progress: Progress | None = None,
        memory: WorkingMemory | None = None,
    ) -> None:
        sector = unit.sectors[0]
        if rules.all_in_mills != "any":
            raise UsageError(f"all-in-mills={rules.all_in_mills} is not solved yet, only any")
        self.rules = rules
        self.unit = unit
        self.read = read
        self.workers = workers
        self.report = progress or (lambda slots: None)
        self.memory = memory or WorkingMemory()
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
        self.check_moves(sector)
        self.minor_flying = self.minor_size == rules.flying_at
        symmetries = np.bitwise_count(self.majors.orbits.stabiliser).astype(np.int64)
        # All positions one slot of a block stands for, and whether it stands for them alone.
        self.weights = len(rules.board.automorphisms) // symmetries
        self.simple = (symmetries == 1).astype(np.int64)

    def check_moves(self, sector: Sector) -> None:
        """Refuse a unit in which a side can have more quiet moves than a counter holds."""
        slides = max(mask.bit_count() for mask in self.rules.board.neighbours)
        free = self.rules.board.size - sector.stones
        for size in sector[:2]:
            most = size * (free if size == self.rules.flying_at else slides)
            if most >= WAITS:
                raise UsageError(
                    f"unit {self.unit} has positions with up to {most} moves, over {WAITS - 1}"
                )

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
        self.report(sum(self.blocks * self.block - table.settled for table in tables))
        settled = [table.settle() for table in tables]
        tables.clear()
        solved = []
        for sector, count in zip(self.unit.sectors, counts, strict=True):
            # Each table is given up once its bytes are stored.
            solved.append(self.finish(sector, *settled.pop(0), count))
        return solved

    def start(self) -> list[WorkingTable]:
        """Make the working tables and set what captures give."""
        tables = [
            WorkingTable(self.blocks, self.block, self.memory, name)
            for name in (("major",) if self.equal else ("major", "minor"))
        ]
        self.start_major(tables[0])
        if not self.equal:
            self.start_minor(tables[1])
        return tables

    def start_major(self, table: WorkingTable) -> None:
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
            smaller, smaller_ranks = m.ranks(self.minor_size - 1), m.smaller_ranks(self.minor_size)
            frames = m.frames
            self.workers.run(
                "captures",
                lambda first, last: capture.major_captures(
                    first, last, holders, m.free, frames, self.patterns, self.ranks, smaller,
                    smaller_ranks, solved, captures,
                ),
                self.workers.even(len(holders), self.block),
            )  # fmt: skip
        captures[:, self.block] = 0
        arrivals, closing, runs = m.arrivals, m.closing, m.runs(self.minor_size)
        self.workers.run(
            "initial values",
            lambda first, last: capture.start_major(
                first, last, first * (self.block + 1), m.free, self.patterns, self.ranks,
                runs, arrivals, closing, row, captures, table.working,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def start_minor(self, table: WorkingTable) -> None:
        """Set the slots with the minor side to move."""
        m = self.majors
        solved = self.read(Sector(self.major_size - 1, self.minor_size))
        larger = majors(self.rules, self.major_size - 1).ranks(self.minor_size)
        frames, removals = m.frames, m.removals
        self.workers.run(
            "initial values",
            lambda first, last: capture.start_minor(
                first, last, first * (self.block + 1), m.free, self.minor_flying, self.patterns,
                self.ranks, frames, removals, larger, solved, self.scores, table.working,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def release_first(self, tables: list[WorkingTable]) -> None:
        """Make the frontier of depth 0."""
        for table in tables:
            ranges = self.workers.even(self.blocks)
            self.workers.run("first frontier", partial(self.release_range, table), ranges)

    def release_range(self, table: WorkingTable, first: int, last: int) -> None:
        """Make the frontier of depth 0 in a range of blocks."""
        spread.release_first(
            first, last, first * (self.block + 1), table.working, self.patterns, table.lists,
        )  # fmt: skip

    def count_layer(self, layer: int, table: WorkingTable, count: Counts) -> None:
        """Count the positions of the present frontier."""
        found = table.lists.length
        slots = int(found.sum(dtype=np.int64))
        self.report(slots)
        table.settled += slots
        count.positions[layer] = found @ self.weights
        # Blocks whose set has symmetries hold a position more than once; they are counted later.
        count.distinct[layer] = found @ self.simple

    def spread_layer(self, layer: int, tables: list[WorkingTable]) -> None:
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

    def spread_inside(self, layer: int, found: Lists, minor: WorkingTable) -> None:
        """Tell the minor side's positions before a frontier with the major side to move."""
        m = self.majors
        frames = m.frames
        smaller = m.ranks(self.minor_size - 1)
        # Entries have about eight predecessors each; a block costs something even without any.
        work = 8 * int(found.length.sum(dtype=np.int64)) / self.blocks + 1
        self.workers.run(
            "moves inside blocks",
            lambda first, last: spread.spread_inside(
                first, last, first * (self.block + 1), layer, m.free, self.minor_flying,
                self.patterns, self.ranks, smaller, frames, found, minor.working, minor.next_lists,
            ),
            self.workers.even(self.blocks, work),
        )  # fmt: skip

    def spread_across(self, layer: int, found: Lists, major: WorkingTable) -> None:
        """Tell the major side's positions before a frontier with the minor side to move."""
        m = self.majors
        quiet = m.quiet
        # Entries have about twelve predecessors each; every block looks at as many lists.
        work = 12 * int(found.length.sum(dtype=np.int64)) / self.blocks + 6
        self.workers.run(
            "moves across blocks",
            lambda first, last: spread.spread_across(
                first, last, first * (self.block + 1), layer, m.free, self.patterns, self.ranks,
                quiet, found, major.working, major.next_lists,
            ),
            self.workers.even(self.blocks, work),
        )  # fmt: skip

    def mirror(self, found: Lists) -> Lists:
        """Return the colour mirror of a frontier of an equal sector; the next call reuses it."""
        board, orbits = self.majors.board, self.majors.orbits
        starts = np.zeros(self.blocks + 1, dtype=np.int64)
        np.cumsum(found.length, out=starts[1:])
        ranges = self.workers.balanced(10 * starts)
        groups = (self.blocks - 1 >> mirror.GROUP_BITS) + 1
        # Images outnumber entries a little, where sets have symmetries; where that is not enough
        # the range is done again with room of its own.
        entries = [int(starts[last] - starts[first]) for first, last in ranges]
        offsets = np.cumsum([0] + [number + number // 8 + 1024 for number in entries]).tolist()
        room = self.memory.take("images", offsets[-1], np.int64)

        def reflect(first: int, last: int) -> tuple[IntArray, IntArray]:
            number = numbers[first]
            images = room[offsets[number] : offsets[number + 1]]
            while True:
                counts = np.zeros(groups, dtype=np.int64)
                total = mirror.mirror_frontier(first, last, board, orbits, found, images, counts)
                if total <= len(images):
                    return images[:total], counts
                images = np.empty(total, dtype=np.int64)

        numbers = {first: number for number, (first, _) in enumerate(ranges)}
        parts = self.workers.run("mirror", reflect, ranges)
        counts = np.array([count for _, count in parts])
        group_start = np.zeros(groups + 1, dtype=np.int64)
        np.cumsum(counts.sum(axis=0), out=group_start[1:])
        total = int(group_start[-1])
        # Each range writes to places of its own inside every group's part.
        places = group_start[:-1] + np.cumsum(counts, axis=0) - counts
        dealt = self.memory.take("dealt", total, np.int64)
        self.workers.run(
            "mirror",
            lambda number, _: mirror.deal_to_groups(parts[number][0], places[number], dealt),
            [(number, number + 1) for number in range(len(parts))],
        )
        # The images are not needed any more; their room is enough for patterns half as long.
        pattern = self.memory.take("images", total, np.int64).view(np.uint32)
        lists = Lists(
            np.zeros(self.blocks, dtype=np.int64), np.zeros(self.blocks, dtype=np.int32), pattern
        )
        self.workers.run(
            "mirror",
            lambda first, last: mirror.sort_groups(
                first, last, board, orbits, dealt, group_start, lists
            ),
            self.workers.balanced(10 * group_start),
        )
        return lists

    def finish(
        self, sector: Sector, depth: ByteArray, open_moves: ByteArray, counts: Counts
    ) -> SolvedSector:
        """Turn a working table into stored bytes, and complete its counts."""
        m = self.majors
        stored = np.empty((self.blocks, self.block), dtype=np.uint8)
        words, open_words = depth.view(np.uint64), open_moves.view(np.uint64)

        def store(first: int, last: int) -> None:
            finish.mark_draws(first, last, words, open_words)
            stored[first:last] = depth[first:last, : self.block]

        self.workers.run("finish", store, self.workers.even(self.blocks, self.block))

        def count(first: int, last: int) -> IntArray:
            part = np.zeros(256, dtype=np.int64)
            finish.count_symmetric(first, last, m.board, m.orbits, self.patterns, stored, part)
            return part

        ranges = self.workers.even(self.blocks, self.block)
        symmetric = sum(self.workers.run("counting", count, ranges))
        counts.positions[DRAW] = self.weights.sum() * self.block - counts.positions.sum()
        counts.distinct[DRAW] = self.simple.sum() * self.block - counts.distinct.sum()
        counts.distinct += symmetric
        return SolvedSector(sector, stored.reshape(-1), counts)
