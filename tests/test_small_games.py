"""The two smallest games solved by their turns alone: published values, without any table."""

from __future__ import annotations

from functools import cache

from solver.position import Position
from solver.rules import Rules, get_variant


@cache
def values(rules: Rules) -> dict[Position, int]:
    """What each position that can be reached from the start is worth to the side to move."""
    successors: dict[Position, list[Position]] = {}
    pending = [Position.start(rules)]
    while pending:
        position = pending.pop()
        if position not in successors:
            successors[position] = position.successors()
            pending += successors[position]
    known = {}
    for position in successors:
        outcome = position.outcome()
        if outcome is not None:
            known[position] = 0 if outcome.drawn else -1
    while True:
        found = {}
        for position, after in successors.items():
            if position in known:
                continue
            results = [known.get(each) for each in after]
            if -1 in results:
                found[position] = 1
            elif all(result == 1 for result in results):
                found[position] = -1
        if not found:
            break
        known.update(found)
    return {position: known.get(position, 0) for position in successors}


def first_turns(rules: Rules) -> dict[str, int]:
    """What each first turn is worth to the side that makes it."""
    start, worth = Position.start(rules), values(rules)
    return {
        turn.text(rules.board): -worth[after]
        for turn, after in zip(start.turns(), start.successors(), strict=True)
    }


def test_three_is_won_by_the_centre_alone() -> None:
    rules = get_variant("three")
    assert values(rules)[Position.start(rules)] == 1
    assert first_turns(rules) == {
        "b2": 1,
        **dict.fromkeys(["a1", "a3", "c1", "c3"], 0),
        **dict.fromkeys(["a2", "b1", "b3", "c2"], -1),
    }


def test_tic_tac_toe_is_a_draw() -> None:
    rules = get_variant("tic-tac-toe")
    assert set(first_turns(rules).values()) == {0}
    assert len(values(rules)) == 5478


def test_no_position_of_a_game_is_refused() -> None:
    for name in ("three", "tic-tac-toe"):
        for position in values(get_variant(name)):
            position.validate()
