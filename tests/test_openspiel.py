"""Random games played side by side with OpenSpiel's `nine_mens_morris`, where it is installed.

There a capture is an action of its own, by the same player: 0 to 23 place on a point or take from
it, and 24 + 24 * from + to moves.  Its games stop after 200 turns, which is none of our rules.
"""

from __future__ import annotations

import random

import pytest
from strategies import NINE

from solver.position import Position, Turn

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

POINTS = 24
FAULTY_POINT = 0  # builds before July 2026 could not slide to a7


def first_action(turn: Turn) -> int:
    if turn.origin is None:
        return turn.target
    return POINTS + POINTS * turn.origin + turn.target


def slides_to(action: int) -> int | None:
    return (action - POINTS) % POINTS if action >= POINTS else None


@pytest.mark.parametrize("seed", range(30))
def test_random_games_have_the_same_turns(seed: int) -> None:
    chance = random.Random(seed)
    state = pyspiel.load_game("nine_mens_morris").new_initial_state()
    position = Position.start(NINE)
    for _ in range(150):
        if position.outcome() is not None:
            assert state.is_terminal()
            assert state.returns()[0] == (-1 if position.white_to_move else 1)
            return
        turns: dict[int, list[Turn]] = {}
        for turn in position.turns():
            turns.setdefault(first_action(turn), []).append(turn)
        if state.is_terminal():
            # A faulty build finds a side blocked that could still slide to a7.
            assert all(slides_to(action) == FAULTY_POINT for action in turns)
            return
        ours, theirs = set(turns), set(state.legal_actions())
        assert theirs <= ours
        assert all(slides_to(action) == FAULTY_POINT for action in ours - theirs)
        action = chance.choice(sorted(theirs))
        player = state.current_player()
        state.apply_action(action)
        choices = turns[action]
        captures = {capture for turn in choices for capture in turn.captures}
        if captures:
            if state.is_terminal():
                return
            assert state.current_player() == player
            assert set(state.legal_actions()) == captures
            capture = chance.choice(sorted(captures))
            state.apply_action(capture)
            choices = [turn for turn in choices if turn.captures == (capture,)]
        assert len(choices) == 1
        position = position.apply(choices[0])
