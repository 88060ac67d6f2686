"""Perft against the published counts of whole turns."""

from __future__ import annotations

from operator import attrgetter

import family_rules
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, positions

from solver.errors import UsageError
from solver.notation import parse_position
from solver.perft import PerftStopped, divide, each_turn, perft
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant

PUBLISHED = {
    "nine": [1, 24, 552, 12_144, 255_024, 5_140_800],
    "eleven": [1, 24, 552, 12_144, 255_024, 5_150_880],
    "lasker": [1, 24, 552, 13_552],
    "tic-tac-toe": [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176],
    "dara": [1, 30, 870, 24_360],
}
"""Counts of whole turns by depth."""


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_counts(variant: str) -> None:
    start = Position.start(get_variant(variant))
    nodes = PUBLISHED[variant]
    assert [perft(start, depth) for depth in range(len(nodes))] == nodes


@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_of_the_slow_twin(variant: str) -> None:
    start = Position.start(get_variant(variant))
    for depth in range(7 if start.rules.mill_wins else 5):
        assert perft(start, depth) == family_rules.perft(family_rules.GAMES[variant], depth)


def test_divide_adds_up() -> None:
    start = Position.start(NINE)
    by_turn = divide(start, 3)
    assert list(by_turn) == sorted(NINE.board.points)
    assert sum(by_turn.values()) == 12_144
    assert set(divide(start, 1).values()) == {1}


def test_finished_games_have_no_turns() -> None:
    blocked = parse_position(NINE, "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7")
    assert perft(blocked, 0) == 1
    assert perft(blocked, 1) == perft(blocked, 2) == 0
    assert divide(blocked, 2) == {}


@pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
@settings(max_examples=30)
@given(data=st.data())
def test_counts_are_those_of_the_turns(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    successors = position.successors()
    assert perft(position, 1) == len(successors)
    assert perft(position, 2) == sum(len(after.turns()) for after in successors)
    assert sum(divide(position, 2).values()) == perft(position, 2)


def test_bad_depths() -> None:
    start = Position.start(NINE)
    with pytest.raises(UsageError, match="cannot be -1"):
        perft(start, -1)
    with pytest.raises(UsageError, match="1 or more, not 0"):
        divide(start, 0)


def test_a_count_stops_when_told_to() -> None:
    start = Position.start(NINE)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 1000

    with pytest.raises(PerftStopped):
        perft(start, 12, stop)  # would take years
    assert asked == 1001
    assert perft(start, 3, lambda: False) == perft(start, 3)


def test_counts_by_turn_come_one_by_one() -> None:
    start = Position.start(NINE)
    stopped = False
    counts = each_turn(start, 4, lambda: stopped)
    assert next(counts) == ("a1", divide(start, 4)["a1"])
    assert next(counts)[0] == "a4"
    stopped = True
    with pytest.raises(PerftStopped):
        next(counts)
    assert dict(each_turn(start, 3)) == divide(start, 3)
    with pytest.raises(UsageError, match="1 or more, not 0"):
        each_turn(start, 0)
