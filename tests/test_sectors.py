"""Sectors, their graph and its order, and the exact counts of slots."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, SIX, TOURNAMENT, positions

from solver.boards import BOARDS, Board, apply_automorphism
from solver.errors import UsageError
from solver.position import Outcome
from solver.rules import Rules
from solver.sectors import (
    Sector,
    Unit,
    check_sector,
    closure,
    dependencies,
    exits,
    major_is_mover,
    moving_sectors,
    orbit_count,
    parse_sector,
    position_count,
    quiet,
    sectors_up_to,
    slots,
    solving_order,
    start_sector,
    unit_of,
    wanted_sectors,
)

FOUR_STONES = """
    3-3 2-3+1-0 3-4 4-3 2-2+1-1 2-4+1-0 3-3+1-0 4-4 1-2+2-1 2-3+1-1 3-2+1-1 3-4+1-0 1-1+2-2
    1-3+2-1 2-2+2-1 3-3+1-1 0-1+3-2 1-2+2-2 2-1+2-2 2-3+2-1 0-2+3-2 1-1+3-2 2-2+2-2 0-1+3-3
    1-2+3-2 1-1+3-3 0-1+4-3 0-0+4-4
"""


@pytest.mark.parametrize(
    ("text", "sector"),
    [
        ("6-5", Sector(6, 5)),
        ("2-3+7-6", Sector(2, 3, 7, 6)),
        ("0-0+9-9", Sector(0, 0, 9, 9)),
        (" 3-3 ", Sector(3, 3)),
    ],
)
def test_sector_texts(text: str, sector: Sector) -> None:
    assert parse_sector(text) == sector
    assert str(sector) == text.strip()


@pytest.mark.parametrize(
    "text", ["", "6", "6-", "-5", "6-5+", "6-5+1", "a-b", "6--5", "6-5-4", "٣-٣"]
)
def test_bad_sector_texts(text: str) -> None:
    with pytest.raises(UsageError, match="is not a sector"):
        parse_sector(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3-3+2-0", "as many stones as the other one or one more"),
        ("3-3+0-1", "as many stones as the other one or one more"),
        ("10-3", "at most 9 stones"),
        ("3-2", "not to move has lost already"),
        ("2-3", "has no table"),
    ],
)
def test_sectors_without_a_table_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        check_sector(NINE, parse_sector(text))
    with pytest.raises(UsageError, match=reason):
        closure(NINE, [parse_sector(text)])


def test_more_stones_than_points_are_refused() -> None:
    crowd = replace(SIX, stones=9)
    with pytest.raises(UsageError, match="16 points"):
        check_sector(crowd, Sector(9, 8))
    assert max(sector.stones for sector in moving_sectors(crowd)) == 16


def test_units() -> None:
    assert (
        unit_of(NINE, Sector(5, 6))
        == unit_of(NINE, Sector(6, 5))
        == Unit((Sector(6, 5), Sector(5, 6)))
    )
    assert unit_of(NINE, Sector(4, 4)) == Unit((Sector(4, 4),))
    assert unit_of(NINE, Sector(2, 3, 7, 6)) == Unit((Sector(2, 3, 7, 6),))
    assert str(unit_of(NINE, Sector(5, 6))) == "6-5"
    assert str(unit_of(NINE, Sector(2, 3, 7, 6))) == "2-3+7-6"


def test_exits_and_quiet_moves() -> None:
    assert exits(NINE, Sector(6, 5)) == (Sector(4, 6),)
    assert exits(NINE, Sector(6, 3)) == ()
    assert quiet(NINE, Sector(6, 5)) == Sector(5, 6)
    assert exits(NINE, Sector(4, 5, 5, 4)) == (Sector(4, 5, 4, 4), Sector(5, 5, 4, 4))
    assert exits(NINE, start_sector(NINE)) == (Sector(0, 1, 9, 8),)
    assert quiet(NINE, start_sector(NINE)) is None
    assert exits(NINE, Sector(8, 9, 1, 0)) == (Sector(8, 9), Sector(9, 9))
    assert dependencies(NINE, unit_of(NINE, Sector(6, 5))) == (Sector(4, 6), Sector(5, 5))


def test_two_captures_are_exits_where_the_rules_allow_them() -> None:
    assert exits(TOURNAMENT, Sector(4, 5, 5, 4)) == (
        Sector(3, 5, 4, 4),
        Sector(4, 5, 4, 4),
        Sector(5, 5, 4, 4),
    )
    assert exits(TOURNAMENT, Sector(3, 5, 6, 5)) == exits(NINE, Sector(3, 5, 6, 5))
    assert exits(TOURNAMENT, Sector(6, 5)) == exits(NINE, Sector(6, 5))


def test_number_of_sectors() -> None:
    assert len(moving_sectors(NINE)) == len(set(moving_sectors(NINE))) == 49
    assert len(wanted_sectors(NINE)) == 498
    assert len(wanted_sectors(replace(NINE, stones=4))) == 28
    assert len(wanted_sectors(replace(NINE, stones=5))) == 68
    assert sum(sector.moving for sector in wanted_sectors(NINE)) == 49


def test_sectors_of_a_game_with_four_stones() -> None:
    found = [str(sector) for sector in wanted_sectors(replace(NINE, stones=4))]
    assert sorted(found) == sorted(FOUR_STONES.split())


def test_sectors_up_to_a_number_of_stones() -> None:
    assert " ".join(map(str, sectors_up_to(NINE, 8))) == "3-3 4-3 3-4 5-3 3-5 4-4"
    assert sectors_up_to(NINE, 5) == []
    assert sectors_up_to(NINE, 18) == moving_sectors(NINE)


@pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
def test_every_unit_comes_after_what_it_needs(rules: Rules) -> None:
    wanted = wanted_sectors(rules)
    assert len(set(wanted)) == len(wanted)
    solved: set[Sector] = set()
    for unit in solving_order(rules, wanted):
        assert solved.issuperset(dependencies(rules, unit))
        assert solved.isdisjoint(unit.sectors)
        for sector in unit.sectors:
            check_sector(rules, sector)
            assert unit_of(rules, sector) == unit
        solved.update(unit.sectors)
    assert solved == set(wanted)


def test_order_does_not_depend_on_the_order_given() -> None:
    wanted = wanted_sectors(NINE)
    assert solving_order(NINE, wanted) == solving_order(NINE, reversed(wanted))


def test_closure_is_all_that_is_needed_in_whole_units() -> None:
    assert closure(NINE, []) == frozenset()
    found = closure(NINE, [Sector(4, 5)])
    assert " ".join(sorted(map(str, found))) == "3-3 3-4 3-5 4-3 4-4 4-5 5-3 5-4"
    for sector in found:
        assert found.issuperset(unit_of(NINE, sector).sectors)
        assert found.issuperset(exits(NINE, sector))
    assert closure(NINE, [start_sector(NINE)]) == set(wanted_sectors(NINE))


@pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
@settings(max_examples=30)
@given(data=st.data())
def test_turns_lead_where_exits_and_quiet_moves_say(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    sector = position.sector
    allowed = {*exits(rules, sector), quiet(rules, sector)}
    for turn, after in zip(position.turns(), position.successors(), strict=True):
        if after.outcome() is not Outcome.TOO_FEW_STONES:
            assert after.sector in allowed
        if sector.moving and not turn.captures:
            assert after.sector == quiet(rules, sector)


@pytest.mark.parametrize("size", range(5))
@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_orbits_counted_one_by_one(board: Board, size: int) -> None:
    canonical = set()
    for points in combinations(range(board.size), size):
        mask = board.mask_of(points)
        canonical.add(min(apply_automorphism(p, mask) for p in board.automorphisms))
    assert orbit_count(board, size) == len(canonical)


def test_orbits_are_as_many_as_those_of_the_complement() -> None:
    board = NINE.board
    counts = [orbit_count(board, size) for size in range(board.size + 1)]
    assert counts == counts[::-1]
    assert counts[:4] == [1, 4, 30, 158]


def test_major_side() -> None:
    assert major_is_mover(NINE, Sector(6, 5))
    assert not major_is_mover(NINE, Sector(5, 6))
    assert major_is_mover(NINE, Sector(5, 5))
    # While placing it is the first player, whatever the numbers.
    assert major_is_mover(NINE, Sector(2, 7, 2, 2))
    assert not major_is_mover(NINE, Sector(7, 2, 3, 2))


def test_slots_of_all_moving_sectors() -> None:
    # The published total is for the mover's set as the major one in every sector.
    board = NINE.board
    by_mover = [
        orbit_count(board, s.mover) * comb(24 - s.mover, s.opponent) for s in moving_sectors(NINE)
    ]
    assert sum(by_mover) == 9_193_626_407
    # With the larger set as the major one the twins of a unit are equally large, and smaller.
    assert sum(slots(NINE, sector) for sector in moving_sectors(NINE)) == 9_074_932_579
    for sector in moving_sectors(NINE):
        twin = Sector(sector.opponent, sector.mover)
        assert slots(NINE, sector) == slots(NINE, twin)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("3-3", 210140),
        ("3-4", 862980),
        ("4-3", 862980),
        ("6-5", 75175632),
        ("2-3+1-0", 158 * comb(21, 2)),
    ],
)
def test_slots(text: str, count: int) -> None:
    assert slots(NINE, parse_sector(text)) == count


def test_slots_of_the_whole_game() -> None:
    assert round(sum(slots(NINE, sector) for sector in wanted_sectors(NINE)) / 1e9, 1) == 27.6


@pytest.mark.parametrize(
    ("text", "count"), [("3-3", 2691920), ("3-4", 12113640), ("4-4", 51482970), ("6-6", 2498640144)]
)
def test_all_positions(text: str, count: int) -> None:
    assert position_count(NINE.board, parse_sector(text)) == count
