"""What the turns that leave a unit are worth: captures after a mill, and placements.

The solver compares them as scores, see :mod:`solver.kernels.values`.  A mill of the major side is
scored once for each set that holds one, for all minor sets at once; what a mill of the minor side
takes is listed per block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.kernels import capture, place
from solver.kernels.capture import Removal, Taking
from solver.kernels.sets import FrameEdges, Moves
from solver.kernels.turnlists import LONE_STONE, ONE_STONE, TWO_STONES
from solver.kernels.values import make_score_table
from solver.majors import Majors, majors, rank_tables
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, after_turn, major_first, major_is_mover, moves_on_board
from solver.solved import IntArray, Progress
from solver.source import Source
from solver.widths import Stored, Width

__all__ = ["MajorCaptures", "MinorCaptures", "Placements", "major_captures", "minor_captures"]


class MajorCaptures(NamedTuple):
    """What the major side gets by closing a mill.

    Attributes:
        scores: by (row, minor set's rank); the last column is a spare and holds 0.
        row: the row of each move that closes a mill.
        unpaid: whether a mill may take nothing, where the score is 0.
    """

    scores: Stored
    row: npt.NDArray[np.int32]
    unpaid: bool


class MinorCaptures(NamedTuple):
    """What the minor side gets by closing a mill.

    Attributes:
        frames: edges and lines of the frames, without lines where a mill takes nothing.
        one: the removal of a stone.
        two, lone: those of two stones, and of one where no second may go, for two mills at once.
        double: whether these two count.
        wins: whether a mill wins at once.
    """

    frames: FrameEdges
    one: Removal
    two: Removal
    lone: Removal
    double: bool
    wins: bool


def wins_by_taking(rules: Rules, sector: Sector, stones: int) -> bool:
    """Return whether taking so many stones leaves the opponent too few."""
    return sector.opponent_total - stones < rules.fewest_stones


def major_captures(
    rules: Rules,
    sector: Sector,
    closing: Moves,
    source: Source,
    workers: Workers,
    width: Width,
    *,
    placed: bool,
) -> MajorCaptures:
    """Score what the major side, which is to move, gets by each turn that closes a mill.

    Args:
        rules: the game.
        sector: the turns' own.
        closing: those turns.
        source: gives the sectors solved before.
        workers: the threads to use.
        width: of the scores.
        placed: whether they place a stone, and do not move one.
    """
    after = majors(rules, sector.mover + placed)
    minor_size = sector.opponent
    slots = after.ranks(minor_size).total
    unpaid = after.mills_may_take_nothing
    row = np.zeros(len(closing.target), dtype=np.int32)
    at_once = rules.mill_wins or wins_by_taking(rules, sector, 1)
    if not len(row) or (at_once and not unpaid):
        scores = np.full((1, slots + 1), width.draw, dtype=width.native)
        scores[:, slots] = 0
        return MajorCaptures(scores, row, unpaid)
    double = rules.double_capture_possible(sector)
    twice = (closing.mills > 1) & double
    first = np.unique(closing.target[~twice]).astype(np.int64)
    second = np.unique(closing.target[twice]).astype(np.int64)
    scores = np.zeros((len(first) + len(second), slots + 1), dtype=width.native)
    row[~twice] = np.searchsorted(first, closing.target[~twice])
    row[twice] = len(first) + np.searchsorted(second, closing.target[twice])

    def taking(number: int) -> Taking:
        """Return how the `number`-th stone is taken."""
        size = minor_size - number + 1
        solved = np.zeros(0, dtype=width.native)
        if not wins_by_taking(rules, sector, number):
            solved = source(after_turn(sector, number, placed=placed), mover_is_major=False)
        return Taking(
            after.patterns(size), after.ranks(size), after.ranks(size - 1),
            after.smaller_ranks(size), solved,
        )  # fmt: skip

    def score(holders: IntArray, one: Taking, another: Taking, double: bool, out: Stored) -> None:
        workers.run(
            "captures",
            lambda begin, end: capture.major_captures(
                begin, end, holders, after.protection, after.free, after.frames, one, another,
                double, out,
            ),
            workers.even(len(holders), slots),
        )  # fmt: skip

    one = taking(1)
    score(first, one, one, False, scores)
    if len(second):
        score(second, one, taking(2), True, scores[len(first) :])
    return MajorCaptures(scores, row, unpaid)


def minor_captures(
    rules: Rules, sector: Sector, source: Source, width: Width, *, placed: bool
) -> MinorCaptures:
    """Return what the minor side, which is to move, gets by turns that close a mill.

    Args:
        rules: the game.
        sector: the turns' own.
        source: gives the sectors solved before.
        width: of their entries.
        placed: whether they place a stone, and do not move one.
    """
    m = majors(rules, sector.opponent)
    minor_size = sector.mover + placed
    nothing = np.zeros(0, dtype=width.native)
    none = Removal(m.no_moves, m.ranks(minor_size), nothing)
    if not placed and not moves_on_board(rules, sector):
        return MinorCaptures(m.frames, none, none, none, False, False)
    if rules.mill_wins or (placed and rules.long_lines_forbidden):
        # In the second case such a turn is none: it is left without a score.
        return MinorCaptures(m.frames, none, none, none, False, rules.mill_wins)

    def removal(kind: int, stones: int) -> Removal:
        left = sector.opponent - stones
        moves = m.removals(kind)
        if not len(moves.target):
            return none
        solved = nothing
        if not wins_by_taking(rules, sector, stones):
            solved = source(after_turn(sector, stones, placed=placed), mover_is_major=True)
        return Removal(moves, rank_tables(rules.board.size - left, minor_size), solved)

    one = removal(ONE_STONE, 1)
    if not rules.double_capture_possible(sector):
        return MinorCaptures(m.paying_frames, one, none, none, False, False)
    two, lone = removal(TWO_STONES, 2), removal(LONE_STONE, 1)
    return MinorCaptures(m.paying_frames, one, two, lone, True, False)


class Placements:
    """What the side to move gets by placing a stone.

    Args:
        rules: the game.
        sector: one in which that side has stones in hand and points to place them on.
        source: gives the sectors solved before.
        workers: the threads to use.
        width: of the entries.
        progress: called with the number of slots done since the last call.
    """

    def __init__(
        self,
        rules: Rules,
        sector: Sector,
        source: Source,
        workers: Workers,
        width: Width,
        progress: Progress,
    ) -> None:
        self.rules = rules
        self.sector = sector
        self.source = source
        self.workers = workers
        self.width = width
        self.report = progress
        self.major_moves = major_is_mover(rules, sector)
        self.major_size, self.minor_size = major_first(rules, sector)
        self.majors: Majors = majors(rules, self.major_size)
        self.blocks = len(self.majors.orbits.masks)
        self.block = self.majors.ranks(self.minor_size).total

    def fill(self, out: Stored, *, settled: bool) -> None:
        """Fill a table, shape (blocks, slots of a block).

        Args:
            out: in the sector's own layout.
            settled: whether to write stored entries, as there are no other turns, or scores.
        """
        if self.major_moves:
            self._place_major(out, settled)
        else:
            self._place_minor(out, settled)

    def _place_major(self, out: Stored, settled: bool) -> None:
        m = self.majors
        after = majors(self.rules, self.major_size + 1)
        # With no enemy stone on the board a mill takes nothing, and the turn ends.
        nothing_to_take = not self.minor_size and not self.rules.mill_wins
        placements = m.placements(quiet=True, closing=nothing_to_take)
        closing = m.no_moves if nothing_to_take else m.placements(quiet=False, closing=True)
        captures = major_captures(
            self.rules, self.sector, closing, self.source, self.workers, self.width, placed=True
        )
        following = self.source(after_turn(self.sector, placed=True), mover_is_major=False)
        ranks, runs = m.ranks(self.minor_size), after.runs(self.minor_size)

        def value(first: int, last: int) -> None:
            place.place_major(
                first, last, m.free, ranks, runs, placements, following, closing, captures.row,
                captures.scores, captures.unpaid, settled, out,
            )  # fmt: skip
            self.report((last - first) * self.block)

        self.workers.run("placements", value, self.workers.even(self.blocks, self.block))

    def _place_minor(self, out: Stored, settled: bool) -> None:
        m = self.majors
        # In this order: the sector with a stone taken is the one the unit before placed into.
        captures = minor_captures(self.rules, self.sector, self.source, self.width, placed=True)
        following = self.source(after_turn(self.sector, placed=True), mover_is_major=True)
        after, after_patterns = m.ranks(self.minor_size + 1), m.patterns(self.minor_size + 1)
        ranks, larger_ranks = m.ranks(self.minor_size), m.larger_ranks(self.minor_size)
        scores = make_score_table(self.width.draw)

        def value(first: int, last: int) -> None:
            place.place_minor(
                first, last, m.free, ranks, larger_ranks, after_patterns, after, captures.frames,
                following, captures.one, captures.two, captures.lone, captures.double,
                captures.wins, scores, settled, out,
            )  # fmt: skip
            self.report((last - first) * self.block)

        self.workers.run("placements", value, self.workers.even(self.blocks, self.block))
