"""Perft against the published counts of whole turns."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NINE, RULE_SETS, positions

from solver.errors import UsageError
from solver.notation import parse_position
from solver.perft import divide, perft
from solver.position import Position
from solver.rules import Rules


@pytest.mark.parametrize(
    ("depth", "nodes"),
    [(0, 1), (1, 24), (2, 552), (3, 12_144), (4, 255_024), (5, 5_140_800)],
)
def test_published_counts(depth: int, nodes: int) -> None:
    assert perft(Position.start(NINE), depth) == nodes


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


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: f"{rules.name} {rules.all_in_mills}")
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
