"""Solving one placing sector: a single pass over sectors solved before.

The first player's colour is major throughout the placing phase.  It moves when both hands are
equal, and its placements lead to other blocks; the second player's stay inside a block.
"""

from __future__ import annotations

import numpy as np

from solver.errors import ResourceError, UsageError
from solver.kernels import capture, finish, place, rekey
from solver.kernels.sets import Moves
from solver.kernels.values import DEEPEST, DRAW, WIN_AT_ONCE, make_score_table
from solver.majors import Majors, board_arrays, majors, orbit_tables, rank_tables
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, major_is_mover
from solver.solved import ByteArray, Counts, Progress, Read, SolvedSector


class Rekeyed:
    """The last moving sector that was re-keyed.

    The next unit in solving order often reads it again, and re-keying costs as much as solving.
    """

    def __init__(self) -> None:
        self.sector: Sector | None = None
        self.stored: ByteArray = np.zeros(0, dtype=np.uint8)

    def keep(self, sector: Sector, stored: ByteArray) -> None:
        """Hold a re-keyed table in place of the one before."""
        self.sector, self.stored = sector, stored


class PlacingSolver:
    """The state of solving one placing sector.

    Args:
        rules: the game.
        sector: a sector in which the side to move has stones in hand.
        read: gives the stored bytes of a sector solved before, in slot order.
        workers: the threads to use; their number does not change the outcome.
        progress: called with the number of slots finished since the last call.
        rekeyed: what an earlier unit of the same batch re-keyed; a new one if there was none.

    Raises:
        UsageError: rules that are not solved yet.
    """

    def __init__(
        self,
        rules: Rules,
        sector: Sector,
        read: Read,
        workers: Workers,
        progress: Progress | None = None,
        rekeyed: Rekeyed | None = None,
    ) -> None:
        if rules.all_in_mills != "any" or rules.double_mill != 1:
            raise UsageError("placing is solved yet for one stone per capture and any removal only")
        self.rules = rules
        self.sector = sector
        self.read = read
        self.workers = workers
        self.report = progress or (lambda slots: None)
        self.rekeyed = rekeyed or Rekeyed()
        self.major_moves = major_is_mover(rules, sector)
        sizes = (sector.mover, sector.opponent)
        self.major_size, self.minor_size = sizes if self.major_moves else sizes[::-1]
        self.majors: Majors = majors(rules, self.major_size)
        self.blocks = len(self.majors.orbits.masks)
        self.ranks = self.majors.ranks(self.minor_size)
        self.block = self.ranks.total
        self.patterns = self.majors.patterns(self.minor_size)
        self.scores = make_score_table()

    def run(self) -> SolvedSector:
        """Solve the sector."""
        stored = np.empty((self.blocks, self.block), dtype=np.uint8)
        if self.major_moves:
            self.place_major(stored)
        else:
            self.place_minor(stored)
        counts = self.count(stored)
        if counts.positions[DEEPEST + 1 : DRAW].any():
            raise ResourceError(f"sector {self.sector} has distances over {DEEPEST} plies")
        return SolvedSector(self.sector, stored.reshape(-1), counts)

    def following(self, captured: int) -> Sector:
        """Return the sector a placement leads to, with so many stones taken."""
        mover, opponent, mover_hand, opponent_hand = self.sector
        return Sector(opponent - captured, mover + 1, opponent_hand, mover_hand - 1)

    def read_by_first_player(self, sector: Sector) -> ByteArray:
        """Return the stored bytes of a sector with the first player's colour as major."""
        # The placing phase ends with the second player's last stone: then the first one moves.
        if not sector.moving or sector.mover >= sector.opponent:
            return self.read(sector)
        if self.rekeyed.sector == sector:
            return self.rekeyed.stored
        stored = self.read(sector)
        board = self.rules.board
        small = orbit_tables(board, sector.mover)
        large = orbit_tables(board, sector.opponent)
        patterns = majors(self.rules, sector.mover).patterns(sector.opponent)
        ranks = rank_tables(board.size - sector.opponent, sector.mover)
        out = np.empty((len(small.masks), len(patterns)), dtype=np.uint8)
        self.workers.run(
            "re-keying",
            lambda first, last: rekey.rekey(
                first, last, board_arrays(board), small, large, patterns, ranks, stored, out
            ),
            self.workers.even(len(small.masks), len(patterns)),
        )
        self.rekeyed.keep(sector, out.reshape(-1))
        return self.rekeyed.stored

    def place_major(self, stored: ByteArray) -> None:
        """Value the slots in which the major side places."""
        m = self.majors
        after = majors(self.rules, self.major_size + 1)
        after_patterns = after.patterns(self.minor_size)
        runs = after.runs(self.minor_size)
        row = np.zeros(len(after.orbits.masks), dtype=np.int32)
        # With no enemy stone on the board a mill takes nothing, and the turn ends.
        placements = m.plain_placements if self.minor_size else m.all_placements
        closing = m.closing_placements if self.minor_size else _no_moves(self.blocks, m.free)
        captures = np.full((1, len(after_patterns)), WIN_AT_ONCE, dtype=np.uint8)
        taken = self.following(1)
        if self.minor_size and taken.mover_total >= self.rules.fewest_stones:
            holders = after.mill_holders
            row[holders] = np.arange(len(holders), dtype=np.int32)
            captures = np.empty((len(holders), len(after_patterns)), dtype=np.uint8)
            solved = self.read(taken)
            after_ranks, smaller = after.ranks(self.minor_size), after.ranks(self.minor_size - 1)
            smaller_ranks = after.smaller_ranks(self.minor_size)
            frames = after.frames
            self.workers.run(
                "captures",
                lambda first, last: capture.major_captures(
                    first, last, holders, after.free, frames, after_patterns, after_ranks, smaller,
                    smaller_ranks, solved, captures,
                ),
                self.workers.even(len(holders), len(after_patterns)),
            )  # fmt: skip
        following = self.read(self.following(0))

        def value(first: int, last: int) -> None:
            place.place_major(
                first, last, m.free, self.ranks, runs, placements, following, closing,
                row, captures, stored,
            )  # fmt: skip
            self.report((last - first) * self.block)

        self.workers.run("placements", value, self.workers.even(self.blocks, self.block))

    def place_minor(self, stored: ByteArray) -> None:
        """Value the slots in which the minor side places."""
        m = self.majors
        after_patterns = m.patterns(self.minor_size + 1)
        after = m.ranks(self.minor_size + 1)
        larger = rank_tables(m.free + 1, self.minor_size + 1)
        taken = self.following(1)
        wins = taken.mover_total < self.rules.fewest_stones
        readable = self.major_size > 0 and not wins
        # In this order: the sector with a stone taken is the one the unit before placed into.
        solved = self.read_by_first_player(taken) if readable else np.zeros(0, dtype=np.uint8)
        following = self.read_by_first_player(self.following(0))
        frames, removals = m.frames, m.removals
        larger_ranks = m.larger_ranks(self.minor_size)

        def value(first: int, last: int) -> None:
            place.place_minor(
                first, last, m.free, self.ranks, larger_ranks, after_patterns, after, frames,
                following, removals, larger, solved, wins, self.scores, stored,
            )  # fmt: skip
            self.report((last - first) * self.block)

        self.workers.run("placements", value, self.workers.even(self.blocks, self.block))

    def count(self, stored: ByteArray) -> Counts:
        """Count the positions by stored byte."""
        orbits = self.majors.orbits
        symmetries = np.bitwise_count(orbits.stabiliser).astype(np.int64)
        weights = len(self.rules.board.automorphisms) // symmetries

        def count(first: int, last: int) -> Counts:
            counts = Counts.zero()
            place.count_values(
                first, last, symmetries, weights, stored, counts.positions, counts.distinct
            )
            finish.count_symmetric(
                first, last, self.majors.board, orbits, self.patterns, stored, counts.distinct
            )
            return counts

        total = Counts.zero()
        for part in self.workers.run("counting", count, self.workers.even(self.blocks, self.block)):
            total.positions += part.positions
            total.distinct += part.distinct
        return total


def _no_moves(blocks: int, points: int) -> Moves:
    """Return lists of nothing."""
    return Moves(
        np.zeros(blocks + 1, dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros((0, points), dtype=np.uint8),
    )
