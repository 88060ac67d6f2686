"""The last steps of every sector: what ended before it began, and how many positions hold what."""

from __future__ import annotations

import numpy as np

from solver.kernels import finish, place
from solver.laws import forbidden_rows
from solver.majors import majors
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, major_first, major_is_mover
from solver.solved import Counts, SolvedSector
from solver.source import TooDeepError, narrowed
from solver.widths import BYTE, WORD, Stored, Width

__all__ = ["count_entries", "may_have_ended", "solved_sector"]


def may_have_ended(rules: Rules) -> bool:
    """Return whether sectors hold positions that cannot be, or have ended by a mill.

    Until the end the solver treats them as any others: no turn from a position that goes on leads
    to one, but for turns that win at once, so what it makes of them touches nothing else.
    """
    return rules.mill_wins or rules.long_lines_forbidden


def count_entries(
    rules: Rules, sector: Sector, stored: Stored, workers: Workers, width: Width
) -> SolvedSector:
    """Complete a sector whose positions have not been counted yet.

    Args:
        rules: the game.
        sector: which.
        stored: its entries in slot order; those of positions that have ended are set here.
        workers: the threads to use.
        width: of the entries.

    Raises:
        TooDeepError: a distance does not fit into the width.
    """
    major, minor = major_first(rules, sector)
    m = majors(rules, major)
    orbits, patterns = m.orbits, m.patterns(minor)
    table = stored.reshape(len(orbits.masks), len(patterns))
    ranges = workers.even(*table.shape)
    if may_have_ended(rules):
        rows = forbidden_rows(rules, placing=not sector.moving) or rules.board.line_masks
        masks = np.array(rows, dtype=np.int64)
        workers.run(
            "finish",
            lambda first, last: finish.mark_ended(
                first, last, masks, rules.mill_wins, major_is_mover(rules, sector), m.board,
                orbits, patterns, table,
            ),
            ranges,
        )  # fmt: skip

    def count(first: int, last: int) -> Counts:
        counts = Counts.zero(width)
        place.count_values(
            first, last, m.symmetries, m.weights, table, counts.positions, counts.distinct
        )
        finish.count_symmetric(first, last, m.board, orbits, patterns, table, counts.distinct)
        return counts

    total = Counts.zero(width)
    for part in workers.run("counting", count, ranges):
        total.positions += part.positions
        total.distinct += part.distinct
    if total.positions[width.deepest + 1 : width.void].any():
        raise TooDeepError(f"sector {sector} has distances over {width.deepest} plies")
    total.positions[width.void] = total.distinct[width.void] = 0
    return solved_sector(sector, stored, total, width)


def solved_sector(sector: Sector, stored: Stored, counts: Counts, width: Width) -> SolvedSector:
    """Return a solved sector, with entries no wider than it needs."""
    if width is WORD and not counts.positions[BYTE.deepest + 1 : WORD.void].any():
        kept = [*range(BYTE.void), WORD.void, WORD.draw]
        counts = Counts(counts.positions[kept], counts.distinct[kept])
        stored = narrowed(stored)
    return SolvedSector(sector, stored, counts)
