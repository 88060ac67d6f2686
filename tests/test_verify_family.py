"""The certificate check of every slot under all rules: it accepts what is right and no more."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import family_tables
import indexed
import naive_family
import numpy as np
import pytest
from strategies import SIX, game_of

from solver.build import build
from solver.certificate import SectorCheck, check_sample, check_sector, needed
from solver.checkranges import by_blocks
from solver.index import layout
from solver.pack import pack_tables
from solver.parallel import Workers
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, closure, parse_sector, slots, solving_order, wanted_sectors
from solver.solve import solve_unit
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.verify import verify_sectors
from solver.wdlcheck import check_rule
from solver.widths import BYTE, payload_of, widened

SMALL = 50_000
"""Slots of sectors in which mistakes are planted."""

Tables = dict[Sector, np.ndarray]


class Case(NamedTuple):
    """Some sectors of a game, which are checked with all they need."""

    rules: Rules
    sectors: str

    def __str__(self) -> str:
        return f"{self.rules.name} {self.sectors}"

    @property
    def order(self) -> list[Sector]:
        """All sectors, each unit after what it needs."""
        found = closure(self.rules, map(parse_sector, self.sectors.split()))
        return [s for unit in solving_order(self.rules, found) for s in unit.sectors]


def case(variant: str, options: str, sectors: str) -> Case:
    return Case(with_options(get_variant(variant), options.split()), sectors)


LASKER_16 = replace(SIX, name="place or slide", place_or_slide=True, double_mill=2, stones=5)
NAIVE = [
    case("three", "", "0-0+3-3"),
    case("three", "flying=3", "2-2+1-1"),
    case("three", "stones=4", "0-0+4-4"),
    case("tic-tac-toe", "", "0-0+5-4"),
    case("four", "stones=3", "0-0+3-3"),
]
"""Games small enough for the naive solver."""
SOLVED = [
    case("lasker", "stones=3", "0-0+3-3"),
    case("lasker", "stones=3 flying=never all-in-mills=none", "0-0+3-3"),
    case("five", "double-mill=2", "0-0+5-5"),
    case("five", "double-mill=2 all-in-mills=none flying=3", "4-4+1-1"),
    Case(LASKER_16, "4-4+1-0 4-3+1-1"),
    Case(replace(LASKER_16, name="place or fly", flying_at=4, all_in_mills="none"), "3-4+2-0"),
    case("dara", "", "2-2+1-1"),
]
"""Others, for the package's solver, which others have compared with the naive one."""


@cache
def naive_tables(case: Case) -> tuple[Tables, dict[Sector, np.ndarray]]:
    dense = family_tables.dense_tables(case.rules, tuple(case.order))
    tables, counts = {}, {}
    for sector, table in dense.items():
        tables[sector] = family_tables.as_bytes(family_tables.by_slot(case.rules, sector, table))
        counts[sector] = np.zeros((2, BYTE.numbers), dtype=np.int64)
        for row, numbers in enumerate(
            (
                dict(zip(*np.unique(table, return_counts=True), strict=True)),
                naive_family.distinct_counts(game_of(case.rules), tuple(sector), table),
            )
        ):
            for entry, number in numbers.items():
                if entry != naive_family.VOID:
                    counts[sector][row, family_tables.as_bytes(np.array([entry]))[0]] = number
    return tables, counts


@cache
def solved_tables(case: Case) -> tuple[Tables, dict[Sector, np.ndarray]]:
    tables, counts = {}, {}
    with Workers(1) as workers:
        for unit in solving_order(case.rules, case.order):
            for solved in solve_unit(case.rules, unit, tables.__getitem__, workers):
                tables[solved.sector] = solved.stored
                counts[solved.sector] = np.array([solved.counts.positions, solved.counts.distinct])
    return tables, counts


def tables_of(case: Case) -> tuple[Tables, dict[Sector, np.ndarray]]:
    """Tables by slot, bytes, and the counts of all positions and distinct ones by entry."""
    return naive_tables(case) if case in NAIVE else solved_tables(case)


def check_some(rules: Rules, sector: Sector, tables: Tables, chosen: np.ndarray) -> SectorCheck:
    return check_sample(rules, sector, lambda other, some: tables[other][some], chosen)


@pytest.mark.parametrize("case", NAIVE + SOLVED, ids=str)
def test_accepts_what_is_right(case):
    tables, counts = tables_of(case)
    for sector in case.order:
        check = check_sector(case.rules, sector, tables, threads=2)
        assert (check.checked, check.mismatches) == (slots(case.rules, sector), 0), check.listed
        np.testing.assert_array_equal(check.counts, counts[sector])
        step = max(1, len(tables[sector]) // 500)
        chosen = np.arange(0, len(tables[sector]), step)
        check = check_some(case.rules, sector, tables, chosen)
        assert (check.checked, check.mismatches) == (len(chosen), 0), check.listed


def wrong_bytes(right: int) -> set[int]:
    """Bytes that are wrong in a different way each."""
    if right >= BYTE.void:
        return {0, 1, 2, 31, BYTE.void, BYTE.draw} - {right}
    near = {right - 2, right - 1, right + 1, right + 2, 0, 1}
    return {byte for byte in near if byte >= 0} - {right} | {BYTE.void, BYTE.draw}


@pytest.mark.parametrize("case", NAIVE + SOLVED, ids=str)
def test_finds_planted_bytes(case):
    rules, (right, _) = case.rules, tables_of(case)
    source = random.Random(str(case))
    small = [sector for sector in case.order if slots(rules, sector) <= SMALL]
    for sector in source.sample(small, min(len(small), 10)):
        stored = right[sector]
        values = np.unique(stored).tolist()
        for byte in {*source.sample(values, min(3, len(values))), values[-1]}:
            slot = source.choice(np.flatnonzero(stored == byte).tolist())
            for wrong in source.sample(sorted(wrong_bytes(byte)), 3):
                tables = {**right, sector: stored.copy()}
                tables[sector][slot] = wrong
                check = check_sector(rules, sector, tables)
                found = {m.slot for m in check.listed if m.reason == "successors"}
                assert slot in found or check.mismatches > len(check.listed)
                (mismatch,) = check_some(rules, sector, tables, np.array([slot])).listed
                masks, entries = layout(rules, sector).masks(slot), indexed.as_words(wrong, byte)
                assert mismatch == (sector, slot, *masks, *entries, "successors")
                assert f"slot {slot} " in mismatch.describe(rules.board)


@pytest.mark.parametrize("case", NAIVE + SOLVED, ids=str)
def test_finds_what_other_tables_say_wrongly(case):
    """A table that says nothing but draws, or nothing at all, shows in the sectors before it."""
    rules, (right, _) = case.rules, tables_of(case)
    small = [sector for sector in case.order if slots(rules, sector) <= SMALL]
    for sector in random.Random(3).sample(small, min(len(small), 6)):
        others = [other for other in needed(rules, sector) if other != sector]
        wrong = {other: np.zeros_like(right[other]) for other in others}
        if others and not np.isin(right[sector], (0, 1, BYTE.void)).all():
            assert check_sector(rules, sector, {**right, **wrong}).mismatches > 0


@pytest.mark.parametrize("case", [NAIVE[0], NAIVE[3], SOLVED[0], SOLVED[3]], ids=str)
def test_words_are_checked_like_bytes(case):
    rules, (right, _) = case.rules, tables_of(case)
    source = random.Random(5)
    small = [sector for sector in case.order if slots(rules, sector) <= SMALL]
    for sector in source.sample(small, 4):
        others = needed(rules, sector)
        bytes_only = check_sector(rules, sector, right)
        for chosen in ([sector], others[1:2], others):
            if not chosen:
                continue
            tables = {**right, **{other: widened(right[other]) for other in chosen}}
            check = check_sector(rules, sector, tables)
            assert (check.checked, check.mismatches) == (bytes_only.checked, 0)
            assert check.counts.shape == (2, 65536)
            np.testing.assert_array_equal(check.counts[:, :254], bytes_only.counts[:, :254])
            np.testing.assert_array_equal(check.counts[:, -2:], bytes_only.counts[:, -2:])
            tables[sector] = widened(right[sector]).copy()
            slot = source.randrange(len(tables[sector]))
            tables[sector][slot] = 300
            check = check_sector(rules, sector, tables)
            assert slot in {m.slot for m in check.listed} or check.mismatches > len(check.listed)
            (mismatch,) = check_some(rules, sector, tables, np.array([slot])).listed
            assert (mismatch.stored, mismatch.expected) == (300, widened(right[sector])[slot])


@pytest.mark.parametrize(("full_board_draws", "right"), [(True, BYTE.draw), (False, 0)])
def test_full_boards(full_board_draws, right):
    """With hands empty they are drawn or lost, as the rules say; with stones to place, lost."""
    rules = replace(SIX, stones=9, full_board_draws=full_board_draws)
    for text, expected in (("8-8", right), ("8-8+1-1", 0)):
        sector = parse_sector(text)
        assert not by_blocks(rules, sector)
        tables = {s: np.full(slots(rules, s), 7, dtype=np.uint8) for s in needed(rules, sector)}
        tables[sector][:] = expected
        assert check_sector(rules, sector, tables).mismatches == 0
        tables[sector][11] = BYTE.draw - expected
        assert [m.slot for m in check_sector(rules, sector, tables).listed if m.slot == 11] == [11]


def test_what_can_be_checked_by_blocks():
    for variant, sector, expected in (
        ("nine", "5-4", True),
        ("lasker", "5-4", True),
        ("lasker", "5-4+0-1", False),
        ("nine-tournament", "5-4", True),
        ("nine-tournament", "5-4+1-0", False),
        ("morabaraba", "4-4+1-1", True),
        ("three", "3-3", False),
        ("dara", "3-3", False),
    ):
        assert by_blocks(get_variant(variant), parse_sector(sector)) is expected


@pytest.mark.parametrize("game", ["three", "tic-tac-toe"])
def test_values_without_distances(game, tmp_path):
    """Void slots, lines and full boards, by the rule that a value is the best of those after it."""
    rules = get_variant(game)
    sectors = wanted_sectors(rules)
    build(rules, sectors, tmp_path)
    pack_tables(rules, sectors, tmp_path)
    assert verify_sectors(rules, sectors, tmp_path, "full").mismatches == 0
    for sector in sectors:
        table_path(tmp_path, rules, sector).unlink()
    report = verify_sectors(rules, sectors, tmp_path, "sample", 10**9)
    assert report.mismatches == 0
    assert all(part.values_only for part in report.sectors)
    assert report.checked == sum(slots(rules, sector) for sector in sectors)


def test_wrong_values_without_distances(tmp_path):
    rules = get_variant("tic-tac-toe")
    sector = parse_sector("4-5")  # full boards, drawn or lost or impossible
    build(rules, [sector], tmp_path)
    path = table_path(tmp_path, rules, sector)
    with TableReader(path) as reader:
        header, stored = reader.header, reader.entries()
    for right, wrong in ((0, BYTE.draw), (BYTE.draw, 0), (BYTE.draw, BYTE.void)):
        planted = stored.copy()
        planted[np.flatnonzero(stored == right)[0]] = wrong
        write_table(path, header, payload_of(planted))
        found = check_rule(rules, sector, Tablebase(tmp_path), np.arange(len(stored)))
        assert found[0] == len(found[1]) == 1
