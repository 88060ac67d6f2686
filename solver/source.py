"""The solved tables that a unit reads: as wide as it needs them, with the major side it needs."""

from __future__ import annotations

import numpy as np

from solver.errors import MorrisError
from solver.kernels import rekey
from solver.majors import board_arrays, majors, orbit_tables, rank_tables
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, Unit, dependencies, major_first, major_is_mover
from solver.solved import Read
from solver.widths import BYTE, Stored, Width, widened

__all__ = ["Rekeyed", "Source", "TooDeepError", "narrowed"]


class TooDeepError(MorrisError):
    """A distance does not fit into the entries that a unit is being solved with."""


class Rekeyed:
    """The last sector that was re-keyed.

    The next unit in solving order often reads it again, and re-keying costs as much as solving.
    """

    def __init__(self) -> None:
        self.sector: Sector | None = None
        self.stored: Stored = np.zeros(0, dtype=np.uint8)

    def keep(self, sector: Sector, stored: Stored) -> None:
        """Hold a re-keyed table in place of the one before."""
        self.sector, self.stored = sector, stored


class Source:
    """What a unit reads.

    Args:
        rules: the game.
        read: gives the stored entries of a sector solved before.
        workers: the threads to use.
        rekeyed: what an earlier unit of the same batch re-keyed.
        width: of the entries to return.
    """

    def __init__(
        self, rules: Rules, read: Read, workers: Workers, rekeyed: Rekeyed, width: Width
    ) -> None:
        self._rules = rules
        self._read = read
        self._workers = workers
        self._rekeyed = rekeyed
        self._width = width

    def __call__(self, sector: Sector, *, mover_is_major: bool) -> Stored:
        """Return the entries of a sector, by (major set's orbit, minor set's rank).

        Raises:
            TooDeepError: they do not fit into the width.
        """
        keep = major_is_mover(self._rules, sector) == mover_is_major
        stored = self._read(sector) if keep else self._turned(sector)
        if stored.dtype.itemsize == self._width.bytes:
            return stored
        if self._width is BYTE:
            raise TooDeepError(f"sector {sector} has distances over {BYTE.deepest} plies")
        return widened(stored)

    def deepest_of(self, unit: Unit) -> int:
        """Return the greatest distance in the sectors that a unit reads."""
        depths = [0]
        for sector in dependencies(self._rules, unit):
            stored = self(sector, mover_is_major=major_is_mover(self._rules, sector))
            depths.append(int(stored[stored <= self._width.deepest].max(initial=0)))
        return max(depths)

    def _turned(self, sector: Sector) -> Stored:
        """Return the stored entries of a sector with the other side as major."""
        if self._rekeyed.sector == sector:
            return self._rekeyed.stored
        stored = self._read(sector)
        board = self._rules.board
        minor, major = major_first(self._rules, sector)
        small, large = orbit_tables(board, major), orbit_tables(board, minor)
        patterns = majors(self._rules, major).patterns(minor)
        ranks = rank_tables(board.size - minor, major)
        out = np.empty((len(small.masks), len(patterns)), dtype=stored.dtype)
        self._workers.run(
            "re-keying",
            lambda first, last: rekey.rekey(
                first, last, board_arrays(board), small, large, patterns, ranks, stored, out
            ),
            self._workers.even(len(small.masks), len(patterns)),
        )
        self._rekeyed.keep(sector, out.reshape(-1))
        return self._rekeyed.stored


def narrowed(stored: Stored) -> Stored:
    """Return 16-bit entries as bytes, which their distances must fit into."""
    # The low bytes of the two greatest numbers are those of the narrow ones.
    return stored.astype(np.uint8)
