"""Solving one unit: block-local retrograde analysis, as numbered steps.

A unit is the pair of sectors that quiet moves lead between.  One colour is *major* in both: the
one with more stones on the board.  Two working tables are held, both by (major set's orbit, minor
set's rank): one with the major side to move, one with the minor side.  A move of the minor side
stays inside a block of slots; a move of the major side leads to another block, for every minor set
through the same permutation of the free points.  So nothing is looked up at random in memory.

With equal sides the second table is the colour mirror of the first and is not held at all.

All other turns leave the unit: captures, and placements where a turn may place or move a stone.
Their values come from sectors solved before, so they are the initial values.  Where no stone moves
they are all there is.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from solver.counting import count_entries, may_have_ended, solved_sector
from solver.errors import ResourceError, UsageError
from solver.kernels import begin, finish, mirror, spread
from solver.kernels.values import Lists, make_score_table, most_moves
from solver.majors import Majors, majors
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import MOST_SLOTS_OF_BLOCK, Sector, Unit, moves_on_board, slots
from solver.solved import Counts, IntArray, Progress, Read, SolvedSector
from solver.source import Rekeyed, Source, TooDeepError
from solver.turns import Placements, major_captures, minor_captures
from solver.widths import BYTE, WORD, Stored, Width
from solver.working import Words, WorkingMemory, WorkingTable


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

    Entries are bytes unless a distance does not fit; then the unit is solved again with 16 bits,
    and those sectors have such entries that need them.

    Args:
        rules: the game.
        unit: as :func:`solver.sectors.unit_of` makes them.
        read: gives the stored entries of a sector solved before, in slot order.
        workers: the threads to use; their number does not change the outcome.
        progress: called with the number of slots finished since the last call.
        rekeyed: the same object for all units of a batch, so that no sector is re-keyed twice.
        memory: the same object for all units of a batch, so that memory is used again.

    Returns:
        The solved sectors, in the unit's order.

    Raises:
        UsageError: the unit is too large for this solver.
        ResourceError: a distance does not fit into 16 bits.
    """
    rekeyed = rekeyed or Rekeyed()
    memory = memory or WorkingMemory()
    done = 0

    def report(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress(number)

    first = unit.sectors[0]
    moving = any(moves_on_board(rules, sector) for sector in unit.sectors)
    if first.stones == rules.board.size or not (moving or first.mover_hand):
        return [solve_stuck(rules, sector, workers) for sector in unit.sectors]
    for width in (BYTE, WORD):
        source = Source(rules, read, workers, rekeyed, width)
        try:
            if moving:
                return UnitSolver(rules, unit, source, workers, width, report, memory).run()
            return [solve_placing(rules, first, source, workers, width, report)]
        except TooDeepError:
            report(-done)
    raise ResourceError(f"unit {unit} has distances over {WORD.deepest} plies")


def solve_stuck(rules: Rules, sector: Sector, workers: Workers) -> SolvedSector:
    """Solve a sector in which nobody has a turn: no point is free, or there is nothing to move."""
    drawn = rules.full_board_draws and sector.moving and sector.stones == rules.board.size
    stored = np.full(slots(rules, sector), BYTE.draw if drawn else 0, dtype=np.uint8)
    return count_entries(rules, sector, stored, workers, BYTE)


def solve_placing(
    rules: Rules,
    sector: Sector,
    source: Source,
    workers: Workers,
    width: Width,
    progress: Progress,
) -> SolvedSector:
    """Solve a sector whose every turn places a stone: a single pass over sectors solved before.

    Raises:
        TooDeepError: a distance does not fit into the width.
    """
    placements = Placements(rules, sector, source, workers, width, progress)
    stored = np.empty((placements.blocks, placements.block), dtype=width.native)
    placements.fill(stored, settled=True)
    return count_entries(rules, sector, stored.reshape(-1), workers, width)


class UnitSolver:
    """The state of solving one unit in which stones move; see :func:`solve_unit`.

    Args:
        rules, unit, workers: as there.
        source: gives the sectors solved before.
        width: of the entries.
        progress: called with the number of slots finished since the last call.
        memory: to use again.
    """

    def __init__(
        self,
        rules: Rules,
        unit: Unit,
        source: Source,
        workers: Workers,
        width: Width,
        progress: Progress,
        memory: WorkingMemory,
    ) -> None:
        self.rules = rules
        self.unit = unit
        self.source = source
        self.workers = workers
        self.width = width
        self.report = progress
        self.memory = memory
        sector = unit.sectors[0]
        self.major_size, self.minor_size = sector.mover, sector.opponent
        self.major_flying = rules.flies(sector.mover, sector.mover_hand)
        self.minor_flying = rules.flies(sector.opponent, sector.opponent_hand)
        self.equal = len(unit.sectors) == 1
        self.nothing_to_take = not self.minor_size and not rules.mill_wins
        self.majors: Majors = majors(rules, self.major_size)
        self.blocks = len(self.majors.orbits.masks)
        self.ranks = self.majors.ranks(self.minor_size)
        self.block = self.ranks.total
        if self.block > MOST_SLOTS_OF_BLOCK:
            raise UsageError(
                f"unit {unit} has blocks of {self.block} slots; the most is {MOST_SLOTS_OF_BLOCK}"
            )
        self.patterns = self.majors.patterns(self.minor_size)
        self.check_moves()
        self.unpaid = (
            self.majors.closing_inward(self.major_flying)
            if self.majors.mills_may_take_nothing and not self.nothing_to_take
            else self.majors.no_moves
        )
        # Whether a slot of a block stands alone for all its images.
        self.simple = (self.majors.symmetries == 1).astype(np.int64)

    def check_moves(self) -> None:
        """Refuse a unit in which a side can have more quiet moves than a counter holds."""
        slides = max(mask.bit_count() for mask in self.rules.board.neighbours)
        free = self.rules.board.size - self.major_size - self.minor_size
        for size, flying in (
            (self.major_size, self.major_flying),
            (self.minor_size, self.minor_flying),
        ):
            if size * (free if flying else min(slides, free)) > most_moves(self.width.draw):
                raise TooDeepError(f"unit {self.unit} has too many moves for a counter")

    def run(self) -> list[SolvedSector]:
        """Solve the unit, step by step."""
        # 1. What exits give, and how many quiet moves there are.
        tables = self.start()
        # 2. Layer by layer: each depth's final slots tell their predecessors.
        counts = [Counts.zero(self.width) for _ in tables]
        deepest_seed = max(table.deepest_seed for table in tables)
        self.release_first(tables)
        for layer in range(self.width.deepest + 2):
            for table, count in zip(tables, counts, strict=True):
                self.count_layer(layer, table, count)
            if layer >= deepest_seed and not any(table.lists.length.any() for table in tables):
                break
            if layer > self.width.deepest:
                raise TooDeepError(f"unit {self.unit} has distances over {layer - 1} plies")
            self.spread_layer(layer, tables)
        # 3. What no layer reached is drawn.
        self.report(sum(self.blocks * self.block - table.settled for table in tables))
        settled = [table.settle() for table in tables]
        self.memory.drop("images", "dealt")
        tables.clear()
        solved = []
        for sector, count in zip(self.unit.sectors, counts, strict=True):
            solved.append(self.finish(sector, *settled.pop(0), count))
        return solved

    def start(self) -> list[WorkingTable]:
        """Make the working tables and set what turns that leave the unit give."""
        depths = self.width.numbers if self.width is BYTE else self.source.deepest_of(self.unit) + 2
        tables = [
            WorkingTable(
                self.blocks,
                self.block,
                self.majors.free,
                self.memory,
                name,
                self.width,
                depths,
                overwrites=name == "major",
            )
            for name in ("major", "minor")[: len(self.unit.sectors)]
        ]
        self.start_major(tables[0])
        if not self.equal:
            self.start_minor(tables[1])
        return tables

    def exits(self, sector: Sector) -> Stored:
        """Return the scores of a sector's placements, by (block, rank); nothing if it has none."""
        if not sector.mover_hand:
            return np.zeros((0, 0), dtype=self.width.native)
        placements = Placements(
            self.rules, sector, self.source, self.workers, self.width, lambda slots: None
        )
        scores = np.empty((self.blocks, self.block), dtype=self.width.native)
        placements.fill(scores, settled=False)
        return scores

    def start_major(self, table: WorkingTable) -> None:
        """Set the slots with the major side to move."""
        m, sector = self.majors, self.unit.sectors[0]
        exits = self.exits(sector)
        closing = m.no_moves if self.nothing_to_take else m.closing(self.major_flying)
        captures = major_captures(
            self.rules, sector, closing, self.source, self.workers, self.width, placed=False
        )
        arrivals = m.arrivals(self.major_flying, nothing_to_take=self.nothing_to_take)
        runs = m.runs(self.minor_size)
        self.workers.run(
            "initial values",
            lambda first, last: begin.start_major(
                first, last, first * (self.block + 1), m.free, self.patterns, self.ranks,
                runs, arrivals, closing, captures.row, captures.scores, captures.unpaid, exits,
                table.working,
            ),
            self.workers.even(self.blocks, self.block),
        )  # fmt: skip

    def start_minor(self, table: WorkingTable) -> None:
        """Set the slots with the minor side to move."""
        m, sector = self.majors, self.unit.sectors[1]
        exits = self.exits(sector)
        captures = minor_captures(self.rules, sector, self.source, self.width, placed=False)
        scores = make_score_table(self.width.draw)
        self.workers.run(
            "initial values",
            lambda first, last: begin.start_minor(
                first, last, first * (self.block + 1), m.free, self.minor_flying, self.patterns,
                self.ranks, captures.frames, captures.one, captures.two, captures.lone,
                captures.double, scores, exits, table.working,
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
        count.positions[layer] = found @ self.majors.weights
        # Blocks whose set has symmetries hold a position more than once; they are counted later.
        count.distinct[layer] = found @ self.simple

    def spread_layer(self, layer: int, tables: list[WorkingTable]) -> None:
        """Let all slots final at depth `layer` tell their quiet predecessors."""
        # The major side's frontier is handed on first: then the next one takes its place.
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
        # A mill that takes nothing can be closed by a quiet move.
        frames = m.paying_frames
        smaller = m.ranks(max(0, self.minor_size - 1))
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
        quiet = m.quiet(self.major_flying, nothing_to_take=self.nothing_to_take)
        # Entries have about twelve predecessors each; every block looks at as many lists.
        work = 12 * int(found.length.sum(dtype=np.int64)) / self.blocks + 6
        self.workers.run(
            "moves across blocks",
            lambda first, last: spread.spread_across(
                first, last, first * (self.block + 1), layer, m.free, self.patterns, self.ranks,
                quiet, self.unpaid, m.frames, found, major.working, major.next_lists,
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
        # The images are not needed any more; their room is enough for patterns, which are shorter.
        pattern = self.memory.take("images", total, np.int64).view(found.pattern.dtype)
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
        self, sector: Sector, depth: Words, open_moves: Words, counts: Counts
    ) -> SolvedSector:
        """Turn depths into stored entries, in their own place, and complete the counts."""
        m = self.majors
        bits = 8 * self.width.bytes
        self.workers.run(
            "finish",
            lambda first, last: finish.mark_draws(first, last, bits, depth, open_moves),
            self.workers.even(len(depth)),
        )
        entries = depth.view(self.width.native)[: self.blocks * self.block]
        stored: Stored = entries.reshape(self.blocks, self.block)
        if may_have_ended(self.rules):
            return count_entries(self.rules, sector, stored.reshape(-1), self.workers, self.width)

        def count(first: int, last: int) -> IntArray:
            part = np.zeros(self.width.numbers, dtype=np.int64)
            finish.count_symmetric(first, last, m.board, m.orbits, self.patterns, stored, part)
            return part

        ranges = self.workers.even(self.blocks, self.block)
        symmetric = sum(self.workers.run("counting", count, ranges))
        draw = self.width.draw
        counts.positions[draw] = self.majors.weights.sum() * self.block - counts.positions.sum()
        counts.distinct[draw] = self.simple.sum() * self.block - counts.distinct.sum()
        counts.distinct += symmetric
        return solved_sector(sector, stored.reshape(-1), counts, self.width)
