"""Perfect play in OpenSpiel's `nine_mens_morris`, in endgames that random games come to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import STONES

from solver.adapters.openspiel import (
    Oracle,
    PerfectBot,
    PerfectEvaluator,
    first_action,
    position_of,
    read,
)
from solver.errors import MissingTableError, UsageError
from solver.position import Position
from solver.results import WDL
from solver.rules import get_variant
from solver.tablebase import Tablebase

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

NINE = get_variant("nine")
TERMINAL = pyspiel.PlayerId.TERMINAL
TURNS = 200
"""After so many OpenSpiel stops a game."""


@pytest.fixture(scope="module")
def tablebase(database: Path) -> Iterator[Tablebase]:
    with Tablebase(database) as tablebase:
        yield tablebase


def new_game() -> Any:
    return pyspiel.load_game("nine_mens_morris").new_initial_state()


def random_states(seed: int) -> Iterator[Any]:
    """Every state of a random game that is not over."""
    chance = random.Random(seed)
    state = new_game()
    while not state.is_terminal():
        yield state.clone()
        state.apply_action(chance.choice(state.legal_actions()))


@cache
def thinned(seed: int) -> list[Any]:
    """The states of a game whose players take what they can, but never the fourth last stone."""
    chance = random.Random(seed)
    state = new_game()
    found: list[Any] = []
    while not state.is_terminal() and len(found) < 100:
        found.append(state.clone())
        actions, player = state.legal_actions(), state.current_player()
        if read(state).begun is None:
            other = int(str(state).partition("Num men: ")[2].split()[1 - player])
            # Who closes a mill is to act again.
            takes = {a for a in actions if state.child(a).current_player() in (player, TERMINAL)}
            actions = list(takes if other > 3 else set(actions) - takes) or actions
        state.apply_action(chance.choice(sorted(actions)))
    return found


def endgames(games: int, *, due: bool = False) -> list[Any]:
    """States within the tables; those with a capture due, or others.

    With a capture due there may be a stone more on the board before it.
    """
    found = []
    for seed in range(games):
        for state in thinned(seed):
            position, begun = read(state)
            stones = position.sector.stones
            if position.moving and stones <= STONES + due and (begun is not None) == due:
                found.append(state.clone())
    return found


def turns_of(state: Any) -> int:
    """The turns played, captures being part of them."""
    return int(str(state).partition("Turn number: ")[2].split()[0])


# -- positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_positions_are_those_of_the_game(seed: int) -> None:
    """Followed turn by turn, and compared with the picture that OpenSpiel draws."""
    position = Position.start(NINE)
    states = list(random_states(seed))
    assert len(states) > 20
    for state, after in pairwise(states):
        assert position_of(state) == position
        begun = read(state).begun
        if begun is None:
            assert drawn(state) == stones(position)
        if read(after).begun is not None:
            continue
        actions = after.history()[-2 if begun is not None else -1 :]
        (turn,) = (
            turn for turn in position.turns() if [first_action(turn), *turn.captures] == actions
        )
        position = position.apply(turn)


def drawn(state: Any) -> str:
    text = str(state).partition("Current player")[0]
    return "".join(cell for cell in text if cell in ".WB")


def stones(position: Position) -> str:
    return "".join(
        "W" if position.white >> point & 1 else "B" if position.black >> point & 1 else "."
        for point in range(24)
    )


def test_a_state_of_another_game_is_refused(tablebase: Tablebase) -> None:
    other = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for ask in (position_of, Oracle(tablebase).value, Oracle(tablebase).best_actions):
        with pytest.raises(UsageError, match="OpenSpiel's tic_tac_toe, not of nine_mens_morris"):
            ask(other)


# -- values ---------------------------------------------------------------------------------------


def test_values_are_those_of_the_tables(tablebase: Tablebase) -> None:
    oracle = Oracle(tablebase)
    seen = set()
    for state in endgames(12)[::3]:
        position = position_of(state)
        result = tablebase.probe(position)
        worth = WDL[result.value] if position.white_to_move else -WDL[result.value]
        assert oracle.value(state) == oracle.value(state, 0) == worth
        assert oracle.value(state, 1) == -worth
        best = next(iter(oracle.results(state).values()))
        assert best == result
        seen.add((result.value, position.white_to_move))
    assert len(seen) == 6


@pytest.mark.parametrize("due", [False, True])
def test_an_action_is_worth_what_it_leads_to(tablebase: Tablebase, due: bool) -> None:
    """Also if that is half a turn, or the end of the game; and a state what its best action is."""
    oracle = Oracle(tablebase)
    kinds = set()
    states = endgames(12, due=due)
    if due:  # also of the third last stone, which ends the game
        closed = [s.child(a) for s in endgames(3)[::9] for a in s.legal_actions()]
        states += [s for s in closed if not s.is_terminal() and read(s).begun is not None]
    for state in states[:: len(states) // 20]:
        values = oracle.values(state)
        assert sorted(values) == state.legal_actions()
        best = max if state.current_player() == 0 else min
        assert oracle.value(state) == best(values.values())
        for action, value in values.items():
            after = state.child(action)
            if after.is_terminal() and turns_of(after) == TURNS:
                continue
            assert oracle.value(after) == value
            assert oracle.values(state, 1)[action] == -value
            kinds.add((after.is_terminal(), not after.is_terminal() and bool(read(after).begun)))
    assert kinds == ({(True, False), (False, False)} if due else {(False, False), (False, True)})


def test_a_capture_that_is_due_needs_no_other_tables(tablebase: Tablebase) -> None:
    """With eight stones before it no other turn has a table."""
    states = [s for s in endgames(12, due=True) if position_of(s).sector.stones == STONES + 1]
    assert states
    for state in states:
        position, begun = read(state)
        with pytest.raises(MissingTableError):
            tablebase.moves(position)
        turns = [turn for turn in position.turns() if first_action(turn) == begun]
        best = max(-tablebase.probe_wdl(position.apply(turn)) for turn in turns)
        assert Oracle(tablebase).value(state, state.current_player()) == best


def test_a_state_that_is_over_is_worth_what_openspiel_says(tablebase: Tablebase) -> None:
    oracle = Oracle(tablebase)
    seen = set()
    for seed in range(40):
        *_, last = random_states(seed)
        for action in last.legal_actions():
            over = last.child(action)
            if not over.is_terminal():
                continue
            assert oracle.value(over) == over.returns()[0] == -oracle.value(over, 1)
            assert oracle.values(over) == oracle.results(over) == {}
            assert oracle.best_actions(over) == []
            with pytest.raises(UsageError, match="the game is over"):
                PerfectBot(tablebase).step(over)
            seen.add(over.returns()[0])
    assert seen == {1, 0, -1}


def test_a_missing_table_is_named(tablebase: Tablebase) -> None:
    for ask in (Oracle(tablebase).value, PerfectBot(tablebase).step):
        with pytest.raises(MissingTableError, match=r"sector .*morris solve nine "):
            ask(new_game())


# -- the bot --------------------------------------------------------------------------------------


def play(state: Any, bots: list[Any]) -> tuple[list[float], int]:
    """Play a game to its end; return what the players gain, and the turns it took."""
    state = state.clone()
    before = turns_of(state)
    while not state.is_terminal():
        player = state.current_player()
        action = bots[player].step(state)
        assert action in state.legal_actions()
        bots[1 - player].inform_action(state, player, action)
        state.apply_action(action)
    return state.returns(), turns_of(state) - before


class RandomBot:
    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def step(self, state: Any) -> int:
        return self._chance.choice(state.legal_actions())

    def inform_action(self, state: Any, player: int, action: int) -> None:
        pass


def decided(tablebase: Tablebase, value: str) -> list[tuple[Any, int]]:
    """Endgames that the side to move wins or loses, with their distances."""
    found = []
    for state in endgames(12):
        result = tablebase.probe(position_of(state))
        if result.value == value and result.dtw and turns_of(state) + result.dtw < TURNS:
            found.append((state, result.dtw))
    return found


@pytest.mark.parametrize("seed", [None, 3])
def test_a_win_takes_no_longer_than_its_distance(tablebase: Tablebase, seed: int | None) -> None:
    won = decided(tablebase, "win")
    long = [pair for pair in won if pair[1] > 1]
    assert max(distance for _, distance in long) >= 11
    for state, distance in [*won[::40], *long[::20]]:
        player = state.current_player()
        bots: list[Any] = [RandomBot(1), RandomBot(2)]
        bots[player] = PerfectBot(tablebase, seed=seed)
        returns, taken = play(state, bots)
        assert returns[player] == 1
        assert taken <= distance


def test_between_two_bots_it_takes_just_its_distance(tablebase: Tablebase) -> None:
    for state, distance in [*decided(tablebase, "win")[::20], *decided(tablebase, "loss")[::10]]:
        player = state.current_player()
        returns, taken = play(state, [PerfectBot(tablebase, seed=1), PerfectBot(tablebase)])
        assert returns[player] == (1 if distance % 2 else -1)
        assert taken == distance


def test_a_draw_is_kept(tablebase: Tablebase) -> None:
    drawn = [s for s in endgames(12) if tablebase.probe_wdl(position_of(s)) == 0]
    for state in drawn[:: len(drawn) // 12]:
        player = state.current_player()
        bots: list[Any] = [RandomBot(5), RandomBot(6)]
        bots[player] = PerfectBot(tablebase, seed=7)
        returns, _ = play(state, bots)
        assert returns[player] >= 0


def test_the_first_of_equal_actions_or_any_of_them(tablebase: Tablebase) -> None:
    first, anyhow = PerfectBot(tablebase), PerfectBot(tablebase, seed=9)
    oracle = Oracle(tablebase)
    several = 0
    for state in endgames(12)[::20]:
        moves = tablebase.best_moves(position_of(state))
        best = list(dict.fromkeys(first_action(move.turn) for move in moves))
        assert oracle.best_actions(state) == best
        assert first.step(state) == best[0]
        assert first.get_policy(state) == [
            (action, float(action == best[0])) for action in state.legal_actions()
        ]
        policy, chosen = anyhow.step_with_policy(state)
        assert chosen in best
        assert dict(policy) == {
            action: 1 / len(best) if action in best else 0 for action in state.legal_actions()
        }
        if 1 < len(best) < 5:
            several += 1
            assert {anyhow.step(state) for _ in range(60)} == set(best)
    assert several
    assert first.provides_policy()


def test_a_seed_chooses_the_same(tablebase: Tablebase) -> None:
    states = endgames(3)[::3]
    chosen = [
        [bot.step(state) for state in states]
        for bot in (PerfectBot(tablebase, seed=seed) for seed in (1, 1, 2))
    ]
    assert chosen[0] == chosen[1] != chosen[2]


class WithoutPoint:
    """A state of a build in which no stone can slide to a point."""

    def __init__(self, state: Any, point: int) -> None:
        self._state = state
        self._point = point

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def legal_actions(self) -> list[int]:
        return [a for a in self._state.legal_actions() if a < 24 or a % 24 != self._point]


def test_what_a_build_does_not_know_is_not_played(tablebase: Tablebase) -> None:
    oracle, bot = Oracle(tablebase), PerfectBot(tablebase, seed=1)
    replaced = 0
    for state in endgames(4):
        best = oracle.best_actions(state)
        lacking = WithoutPoint(state, 0)
        if all(action in lacking.legal_actions() for action in best):
            continue
        left = lacking.legal_actions()
        if not left:
            continue
        replaced += 1
        results = {action: r for action, r in oracle.results(state).items() if action in left}
        assert oracle.results(lacking) == results
        assert bot.step(lacking) in left
        top = next(iter(results.values()))
        assert {results[action] for action in oracle.best_actions(lacking)} == {top}
        assert oracle.value(lacking) == oracle.value(state)
    assert replaced > 10


class WithTurnOf(WithoutPoint):
    """A state in which it is the other player's turn."""

    def current_player(self) -> int:
        return 1 - int(self._state.current_player())


def test_a_game_of_other_rules_is_noticed(tablebase: Tablebase) -> None:
    state = endgames(10)[0]
    with pytest.raises(UsageError, match="leave the turn to player"):
        position_of(WithTurnOf(state, 0))

    class WithMore(WithoutPoint):
        def legal_actions(self) -> list[int]:
            return [*self._state.legal_actions(), 24 + 24 * 5 + 5]

    with pytest.raises(UsageError, match="OpenSpiel's action 149 is no turn of"):
        Oracle(tablebase).values(WithMore(state, 0))


def test_openspiel_itself_plays_the_bot(tablebase: Tablebase) -> None:
    evaluate_bots = pytest.importorskip("open_spiel.python.algorithms.evaluate_bots")
    for state, _ in decided(tablebase, "win")[::60]:
        player = state.current_player()
        bots = [PerfectBot(tablebase, seed=1), PerfectBot(tablebase)]
        copy = state.clone()
        assert evaluate_bots.evaluate_bots(copy, bots, np.random)[player] == 1
        bots[1 - player] = pyspiel.make_uniform_random_bot(1 - player, 3)
        assert pyspiel.evaluate_bots(state.clone(), bots, 1)[player] == 1


def test_tree_search_with_true_values(tablebase: Tablebase) -> None:
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    evaluator = PerfectEvaluator(tablebase)
    oracle = Oracle(tablebase)
    throwing = 0
    for state in endgames(12)[::30]:
        player = state.current_player()
        assert evaluator.evaluate(state).tolist() == [oracle.value(state), oracle.value(state, 1)]
        prior = evaluator.prior(state)
        assert [action for action, _ in prior] == state.legal_actions()
        assert sum(chance for _, chance in prior) == pytest.approx(1)
        values = oracle.values(state, player)
        assert {values[a] for a, chance in prior if chance} == {max(values.values())}
        throwing += min(values.values()) < max(values.values())
        bot = mcts.MCTSBot(
            state.get_game(),
            uct_c=1,
            max_simulations=2 * len(values) + 20,
            evaluator=evaluator,
            random_state=np.random.RandomState(1),
        )
        assert values[bot.step(state)] == max(values.values())
    assert throwing
