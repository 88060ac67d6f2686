"""Opponents of several levels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from strategies import NINE

from solver.levels import LEVELS, choose_turn
from solver.position import Position
from solver.tablebase import open_tablebase

WON = Position.parse(NINE, "w:Wa1,d1,g4:Bb2,b4,d6")
DRAWN = Position.parse(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")


def test_levels_are_in_order_of_strength() -> None:
    assert list(LEVELS) == ["perfect", "hard", "normal", "easy"]
    rates = [level.error_rate for level in LEVELS.values()]
    assert rates == sorted(rates)
    assert rates[0] == 0
    assert str(LEVELS["hard"]) == "hard (it errs in 1 of 20 turns)"


@pytest.mark.parametrize("name", list(LEVELS))
@pytest.mark.parametrize("position", [WON, DRAWN])
def test_a_level_errs_as_often_as_it_says(database: Path, name: str, position: Position) -> None:
    level, chance = LEVELS[name], Random(5)
    number = 300 if position == WON else 60  # where a drawn turn is chosen, answers are looked at
    with open_tablebase(database) as tablebase:
        best = {move.text for move in tablebase.best_moves(position)}
        played = [choose_turn(tablebase, position, level, chance) for _ in range(number)]
    errors = sum(move.text not in best for move in played)
    expected = float(level.error_rate)
    # Within four standard deviations, and never for the perfect player.
    assert abs(errors / number - expected) <= 4 * (expected * (1 - expected) / number) ** 0.5


def test_where_every_turn_is_equal_none_is_an_error(database: Path) -> None:
    blockaded = Position.parse(NINE, "w:Wa1,a4,g7:Bd1,b4,d7,g4")
    with open_tablebase(database) as tablebase:
        moves = tablebase.moves(blockaded)
        for seed in range(20):
            move = choose_turn(tablebase, blockaded, LEVELS["easy"], Random(seed))
            assert move in moves


def test_of_drawn_turns_the_hardest_to_answer_is_played(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        losing = {}
        for move in tablebase.best_moves(DRAWN):
            answers = tablebase.moves(move.position)
            losing[move.text] = sum(a.value == "loss" for a in answers) / len(answers)
        hardest = {text for text, share in losing.items() if share == max(losing.values())}
        assert len(hardest) < len(losing)
        played = Counter(
            choose_turn(tablebase, DRAWN, LEVELS["perfect"], Random(seed)).text
            for seed in range(30)
        )
    assert set(played) <= hardest


@pytest.mark.parametrize("seed", range(5))
def test_the_perfect_player_wins_what_is_won(database: Path, seed: int) -> None:
    chance, position, plies = Random(seed), Position.parse(NINE, "w:Wa7,b6,g1:Ba1,d3,f4"), 0
    with open_tablebase(database) as tablebase:
        distance = tablebase.probe_dtw(position)
        assert distance is not None
        while position.outcome() is None:
            if plies % 2:
                position = chance.choice(position.successors())
            else:
                move = choose_turn(tablebase, position, LEVELS["perfect"], chance)
                position = move.position
            plies += 1
    assert plies <= distance
    assert plies % 2 == 1
