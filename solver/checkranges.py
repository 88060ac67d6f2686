"""The certificate check of every slot of a sector, a range of blocks at a time.

What is checked says :mod:`solver.certificate`. Where turns place or move a stone, not either, and
take one at most, it is done block by block, which is several times faster than slot by slot.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from solver.checkarrays import (
    BYTE_SCORES,
    WORD_SCORES,
    board_table,
    gap_table,
    major_table,
    minor_table,
    removal_table,
)
from solver.checkslots import SlotCheck
from solver.kernels.check import MajorTable, MinorTable, Tables
from solver.kernels.check_blocks import compare, turn_round
from solver.kernels.check_major import score_major_turns
from solver.kernels.check_minor import score_minor_turns
from solver.kernels.check_place import score_major_placements, score_minor_placements
from solver.rules import Rules
from solver.sectors import Sector, after_turn, major_is_mover
from solver.seekable import in_order
from solver.widths import BYTE, WORD, Stored

__all__ = ["Part", "by_blocks", "check_ranges"]

Ints = npt.NDArray[np.int64]
Result = TypeVar("Result")
Score = Callable[[int, int, Stored], None]
"""Fills an array with the scores of the best turns in a range of blocks."""

_RANGE_SLOTS: Final = 1 << 19


class Part(NamedTuple):
    """What the check of a range of blocks found.

    Attributes:
        slots: how many were checked.
        mismatches: how many of them are wrong.
        counts: int64[2, 256 or 65536]: all positions and distinct ones by stored entry.
        wrong: the first wrong ones: slot, stored and expected entry as words, whether symmetry is
            what says so.
    """

    slots: int
    mismatches: int
    counts: Ints
    wrong: Ints


def by_blocks(rules: Rules, sector: Sector) -> bool:
    """Return whether a sector can be checked block by block."""
    if rules.mill_wins or not rules.mills_protect or rules.long_lines_forbidden:
        return False
    if rules.place_or_slide and not sector.moving:
        return False
    return sector.stones < rules.board.size and not rules.double_capture_possible(sector)


def check_ranges(
    rules: Rules, sector: Sector, tables: Mapping[Sector, Stored], threads: int, most: int
) -> Generator[Part, None, None]:
    """Check a sector's blocks in ranges, in order.

    Args:
        rules: the game.
        sector: which.
        tables: stored entries of the sector and of those one turn on, all bytes or all words.
        threads: threads to use.
        most: wrong slots to list of each range.
    """
    board = board_table(rules.board)
    majors, minors = _numbered(rules, *_major_first(rules, sector))
    own = tables[sector]
    width = BYTE if own.dtype == np.uint8 else WORD
    scores = BYTE_SCORES if width is BYTE else WORD_SCORES
    value, kind = scores.value, scores.of_value.dtype
    if not by_blocks(rules, sector):
        score = _score_slots(rules, sector, tables, len(minors.sets))
        value, kind = WORD_SCORES.value, np.dtype(np.uint16)
    elif sector.moving:
        score = _score_moves(rules, sector, tables, scores.of_value, threads)
    else:
        score = _score_placements(rules, sector, tables, scores.of_value, threads)

    def run(first: int, last: int) -> Part:
        best = np.empty((last - first) * len(minors.sets), dtype=kind)
        score(first, last, best)
        counts = np.zeros((2, width.numbers), dtype=np.int64)
        wrong = np.zeros((most, 4), dtype=np.int64)
        found = compare(
            first, last, board, majors, minors, own, value, width.void, best, counts, wrong,
        )  # fmt: skip
        return Part(len(best), found, counts, wrong[:found])

    yield from _by_ranges(run, majors, minors, threads)


def _score_slots(
    rules: Rules, sector: Sector, tables: Mapping[Sector, Stored], block: int
) -> Score:
    """Return what scores the best turns of any sector, slot by slot, in words.

    Args:
        rules, sector, tables: see :func:`check_ranges`.
        block: slots of a block.
    """
    check = SlotCheck(rules, sector)

    def score(first: int, last: int, best: Stored) -> None:
        slots = np.arange(first * block, last * block)
        best[:] = check.scores(lambda other, targets: tables[other].take(targets), slots)

    return score


def _turned_to(sector: Sector, captured: int = 0) -> Sector:
    """Return the sector after a turn that takes some stones; see `after_turn`."""
    return after_turn(sector, captured, placed=not sector.moving)


def _wins_by_capture(rules: Rules, sector: Sector) -> bool:
    """Return whether taking a single stone wins."""
    return sector.opponent_total - 1 < rules.fewest_stones


def _major_first(rules: Rules, sector: Sector) -> tuple[int, int]:
    """Return the stones on the board of the major side and of the minor one."""
    sides = (sector.mover, sector.opponent)
    return sides if major_is_mover(rules, sector) else sides[::-1]


def _score_moves(
    rules: Rules,
    sector: Sector,
    tables: Mapping[Sector, Stored],
    of_value: Stored,
    threads: int,
) -> Score:
    """Return what scores the best turns of a moving sector."""
    larger, smaller = _major_first(rules, sector)
    points = rules.board.size
    any_may_go = rules.all_in_mills == "any"
    board = board_table(rules.board)
    majors, minors = _numbered(rules, larger, smaller)
    quiet = tables[_turned_to(sector)]
    if larger == smaller:
        # What the major side moves into, the minor side has to move in.
        quiet = _turned(rules, larger, smaller, quiet, threads)
    stored = Tables(tables[sector], quiet, _after_capture(rules, sector, tables))
    fly = rules.flies(sector.mover, 0)

    def score(first: int, last: int, best: Stored) -> None:
        if major_is_mover(rules, sector):
            score_major_turns(
                first, last, fly, any_may_go, board, majors, minors,
                minor_table(points - larger, smaller - 1), stored, of_value, best,
            )  # fmt: skip
        else:
            score_minor_turns(
                first, last, fly, any_may_go, board, majors, major_table(rules.board, larger - 1),
                minors, minor_table(points - larger + 1, smaller), stored, of_value, best,
            )  # fmt: skip

    return score


def _score_placements(
    rules: Rules,
    sector: Sector,
    tables: Mapping[Sector, Stored],
    of_value: Stored,
    threads: int,
) -> Score:
    """Return what scores the best turns of a placing sector.

    The first player's side is the major one as long as stones are placed. The second player
    places the last stone, so only then it may have to be made the major one of the tables read.
    """
    major, minor = _major_first(rules, sector)
    free = rules.board.size - major
    any_may_go = rules.all_in_mills == "any"
    board = board_table(rules.board)
    majors, minors = _numbered(rules, major, minor)
    after = _turned_to(sector)
    quiet, capture = tables[after], _after_capture(rules, sector, tables)
    if major_is_mover(rules, sector):
        fewer = max(minor - 1, 0)  # where there is none to take, any table will do
        arrays = (
            board, majors, major_table(rules.board, major + 1), minors, minor_table(free, fewer),
            minor_table(free - 1, minor), minor_table(free - 1, fewer), gap_table(free, minor),
            gap_table(free, fewer), removal_table(free, minor),
        )  # fmt: skip

        def score_major(first: int, last: int, best: Stored) -> None:
            score_major_placements(first, last, any_may_go, *arrays, quiet, capture, of_value, best)

        return score_major

    placed = minor_table(free, minor + 1)
    if len(capture) and not major_is_mover(rules, _turned_to(sector, captured=1)):
        capture = _turned(rules, major - 1, minor + 1, capture, threads)
    turned = not major_is_mover(rules, after)
    before = _numbered(rules, minor + 1, major)
    smaller, wider = major_table(rules.board, max(major - 1, 0)), minor_table(free + 1, minor + 1)
    removals = removal_table(free, minor + 1)

    def score_minor(first: int, last: int, best: Stored) -> None:
        size = len(placed.sets)
        found = quiet[first * size : last * size]
        if turned:
            found = np.empty((last - first) * size, dtype=quiet.dtype)
            turn_round(first, last, board, majors, placed, *before, quiet, found)
        score_minor_placements(
            first, last, any_may_go, board, majors, smaller, len(minors.sets), placed, wider,
            removals, found, capture, of_value, best,
        )  # fmt: skip

    return score_minor


def _after_capture(rules: Rules, sector: Sector, tables: Mapping[Sector, Stored]) -> Stored:
    """Return the stored entries after a capture; none if it wins or there is nothing to take."""
    if _wins_by_capture(rules, sector) or not sector.opponent:
        return np.zeros(0, dtype=tables[sector].dtype)
    return tables[_turned_to(sector, captured=1)]


def _numbered(rules: Rules, major: int, minor: int) -> tuple[MajorTable, MinorTable]:
    """Return what numbers the slots of a table, given the stones of its sides."""
    return major_table(rules.board, major), minor_table(rules.board.size - major, minor)


def _turned(rules: Rules, major: int, minor: int, stored: Stored, threads: int) -> Stored:
    """Return a table with the side of `major` stones as the major one, which was the minor one."""
    board = board_table(rules.board)
    majors, minors = _numbered(rules, major, minor)
    before = _numbered(rules, minor, major)
    slots = len(minors.sets)
    out = np.empty(len(majors.canonical) * slots, dtype=stored.dtype)

    def run(first: int, last: int) -> None:
        part = out[first * slots : last * slots]
        turn_round(first, last, board, majors, minors, *before, stored, part)

    for _ in _by_ranges(run, majors, minors, threads):
        pass
    return out


def _by_ranges(
    run: Callable[[int, int], Result], majors: MajorTable, minors: MinorTable, threads: int
) -> Generator[Result, None, None]:
    """Yield ``run(first, last)`` in order for ranges of blocks long enough for a thread."""
    blocks, step = len(majors.canonical), max(1, _RANGE_SLOTS // len(minors.sets))
    yield from in_order(
        lambda first: run(first, min(first + step, blocks)), range(0, blocks, step), threads
    )
