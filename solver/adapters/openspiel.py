"""Perfect play and true values for ``nine_mens_morris``, OpenSpiel's Nine Men's Morris.

    from solver import open_tablebase
    from solver.adapters.openspiel import Oracle, PerfectBot

    state = pyspiel.load_game("nine_mens_morris").new_initial_state()
    tablebase = open_tablebase()
    Oracle(tablebase).value(state)                          # 0.0, for the game is a draw
    bots = [PerfectBot(tablebase, seed=1), another_bot]
    evaluate_bots.evaluate_bots(state, bots, numpy.random)  # from open_spiel.python.algorithms

What OpenSpiel has otherwise than this program:

- A capture is an action of its own, by the same player: 0 to 23 place a stone on a point or take
  one from it, 24 + 24 * from + to moves one. An action that closes a mill is worth as much as the
  best capture after it, and so is a state in which a capture is due.
- A game is stopped after 200 turns as a draw, which no rule says and no table knows: a win that
  takes longer than that is given as a win, and near the end still the quickest one is played. A
  state that is over is worth what OpenSpiel says.
- Builds before July 2026 could not slide a stone to a7. An action is only ever one of the state's
  legal ones, so there the best of those; but values are those of the whole game.

It needs tables of whatever can come up: the whole game from the first move on (``morris solve nine
--all``), or endgames if only those are asked about. OpenSpiel itself is needed for
:class:`PerfectBot` alone (``pip install 'morris-solver[openspiel]'``).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from solver.errors import UsageError
from solver.extras import import_extra
from solver.position import Position, Turn
from solver.results import WDL, MoveResult, Result, choose
from solver.rules import get_variant
from solver.tablebase import Tablebase

if TYPE_CHECKING:
    Bot = object
else:
    try:
        from pyspiel import Bot
    except ImportError:  # said when a bot is made
        Bot = object

__all__ = ["Oracle", "PerfectBot", "PerfectEvaluator", "Reading", "State", "position_of", "read"]

GAME: Final = "nine_mens_morris"
"""What OpenSpiel calls the game."""

_NINE: Final = get_variant("nine")
_LINES_THROUGH: Final = _NINE.board.lines_through
POINTS: Final = _NINE.board.size


class State(Protocol):
    """What is needed of a ``pyspiel.State``."""

    def get_game(self) -> Any:
        """Return the ``pyspiel.Game``."""

    def current_player(self) -> int:
        """Return who is to act, 0 or 1; less if the game is over."""

    def history(self) -> list[int]:
        """Return every action so far."""

    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    def legal_actions(self) -> list[int]:
        """Return what the player to act can do."""

    def returns(self) -> list[float]:
        """Return what each player has gained so far."""


class Reading(NamedTuple):
    """What a state is in this program.

    Attributes:
        position: before the turn that is being played; White is player 0.
        begun: the action that has begun this turn and closed a mill, if a capture is due; else
            None.
    """

    position: Position
    begun: int | None


def read(state: State) -> Reading:
    """Return the position of a state, and what has been played of a turn.

    Raises:
        UsageError: the state is not one of this game.
    """
    name = state.get_game().get_type().short_name
    if name != GAME:
        raise UsageError(f"the state is one of OpenSpiel's {name}, not of {GAME}")
    stones, hands = [0, 0], list(_NINE.hands)
    player = 0
    begun = None
    for action in state.history():
        if begun is not None:
            stones[1 - player] ^= 1 << action
            begun = None
        else:
            target = _play(stones, hands, player, action)
            if any(stones[player] & line == line for line in _LINES_THROUGH[target]):
                begun = action
                continue
        player = 1 - player
    if not state.is_terminal() and state.current_player() != player:
        raise UsageError(
            f"the actions {state.history()} leave the turn to player {player} by the rules of"
            f" {_NINE.name}, and to player {state.current_player()} by OpenSpiel's"
        )
    if begun is not None:
        _play(stones, hands, player, begun, back=True)
    white, black = stones
    return Reading(Position(_NINE, white, black, player == 0, hands[0], hands[1]), begun)


def position_of(state: State) -> Position:
    """Return the position of a state; if a capture is due, the one before that turn was begun.

    Raises:
        UsageError: the state is not one of this game.
    """
    return read(state).position


def _play(stones: list[int], hands: list[int], player: int, action: int, back: bool = False) -> int:
    """Place or move a stone, or take that back; return the point it goes to.

    Args:
        stones, hands: by player; changed.
        player: whose stone it is.
        action: what to do.
        back: whether to undo it.
    """
    if action < POINTS:
        target = action
        hands[player] += 1 if back else -1
    else:
        origin, target = divmod(action - POINTS, POINTS)
        stones[player] ^= 1 << origin
    stones[player] ^= 1 << target
    return target


def first_action(turn: Turn) -> int:
    """Return the action that a turn begins with, and ends with unless it takes a stone."""
    if turn.origin is None:
        return turn.target
    return POINTS + POINTS * turn.origin + turn.target


class Oracle:
    """True values of states and of actions.

    Every method raises MissingTableError where a table is not there, naming the command that
    makes it, and UsageError for a state of another game.

    Args:
        tablebase: where the values come from; not closed here.
    """

    def __init__(self, tablebase: Tablebase) -> None:
        self._tablebase = tablebase

    def value(self, state: State, player: int = 0) -> float:
        """Return what a state is worth to a player: 1 if he wins, 0 for a draw, -1 if he loses.

        Of a state that is over, what OpenSpiel says.
        """
        if state.is_terminal():
            return state.returns()[player]
        position, begun = read(state)
        if begun is not None:
            values = self.values(state, player)
            return (max if state.current_player() == player else min)(values.values())
        value = self._tablebase.probe_wdl(position)
        return float(value if state.current_player() == player else -value)

    def values(self, state: State, player: int = 0) -> dict[int, float]:
        """Return what each legal action is worth to a player, as :meth:`value` does for states."""
        sign = 1 if state.current_player() == player else -1
        results = self.results(state)
        return {action: float(sign * WDL[result.value]) for action, result in results.items()}

    def results(self, state: State) -> dict[int, Result]:
        """Return value and distance of each legal action, for who plays it, best first.

        The distance is counted in whole turns from before the present one, as in
        :class:`~solver.results.MoveResult`. Empty if the game is over.
        """
        found: dict[int, Result] = {}
        for action, move in self._choices(state):
            found.setdefault(action, move.result)
        return found

    def best_actions(self, state: State) -> list[int]:
        """Return the legal actions none is better than; empty if the game is over.

        The quickest wins, else those that keep the draw, else the slowest losses; ordered by the
        texts of the turns. Where only a table of win, draw and loss is there, all that keep the
        value: to win with it takes luck.
        """
        choices = self._choices(state)
        if not choices:
            return []
        moves = [move for _, move in choices]
        best = moves[0]
        position, begun = read(state)
        if begun is None:
            # The distance of the position may tell that of a move whose own is not known.
            best = choose(moves, self._tablebase.probe(position)) or best
        return list(dict.fromkeys(a for a, move in choices if move.result == best.result))

    def _choices(self, state: State) -> list[tuple[int, MoveResult]]:
        """Return the turns that can still be played, best first, each with the next action of it.

        Raises:
            UsageError: OpenSpiel knows of an action that none of them has next.
        """
        if state.is_terminal():
            return []
        position, begun = read(state)
        legal = set(state.legal_actions())
        next_action = {}
        for turn in position.turns():
            action = first_action(turn)
            if begun is not None:
                if action != begun:
                    continue
                action = turn.captures[0]
            if action in legal:
                next_action[turn] = action
        strange = legal.difference(next_action.values())
        if strange:
            raise UsageError(f"OpenSpiel's action {min(strange)} is no turn of {position}")
        moves = self._tablebase.moves(position, next_action)
        return [(next_action[move.turn], move) for move in moves]


class PerfectBot(Bot):
    """A bot that never gives a win or a draw away, wins as soon as it can and loses late.

    It plays whichever side is to move. Every state is judged by itself: there is nothing to
    restart, and nothing to be told of what others play.

    Args:
        tablebase: where it looks; not closed here.
        seed: of the random choice between actions that are equally good; None for the first of
            them by the text of the turn, always.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
    """

    def __init__(self, tablebase: Tablebase, *, seed: int | None = None) -> None:
        import_extra("pyspiel", "openspiel", "a bot for OpenSpiel")
        Bot.__init__(self)
        self._oracle = Oracle(tablebase)
        self._random = None if seed is None else random.Random(seed)

    def step(self, state: State) -> int:
        """Return the action to play."""
        return self._choose(self._oracle.best_actions(state))

    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Return what :meth:`get_policy` does, and the action to play."""
        best = self._oracle.best_actions(state)
        return self._policy(state, best), self._choose(best)

    def get_policy(self, state: State) -> list[tuple[int, float]]:
        """Return every legal action with the probability of its being played."""
        return self._policy(state, self._oracle.best_actions(state))

    def provides_policy(self) -> bool:
        """Return that there is a policy."""
        return True

    def restart(self) -> None:
        """Begin another game."""

    def restart_at(self, state: State) -> None:
        """Begin another game, from some state."""

    def inform_action(self, state: State, player: int, action: int) -> None:
        """Hear what another player does."""

    def inform_actions(self, state: State, actions: Sequence[int]) -> None:
        """Hear what all players do."""

    def _policy(self, state: State, best: list[int]) -> list[tuple[int, float]]:
        return uniform(state, best if self._random else best[:1])

    def _choose(self, best: list[int]) -> int:
        if not best:
            raise UsageError("the game is over: there is nothing to play")
        return self._random.choice(best) if self._random else best[0]


class PerfectEvaluator:
    """True values in the place of rollouts, for ``MCTSBot`` of OpenSpiel's Python algorithms.

    Args:
        tablebase: where it looks; not closed here.
    """

    def __init__(self, tablebase: Tablebase) -> None:
        self._oracle = Oracle(tablebase)

    def evaluate(self, state: State) -> npt.NDArray[np.float64]:
        """Return what a state is worth to each player, float64[2]."""
        value = self._oracle.value(state)
        return np.array([value, -value])

    def prior(self, state: State) -> list[tuple[int, float]]:
        """Return every legal action with a probability: the best ones are equal, the others 0."""
        return uniform(state, self._oracle.best_actions(state))


def uniform(state: State, chosen: list[int]) -> list[tuple[int, float]]:
    """Return every legal action, those that are chosen as likely as each other and no other one."""
    return [
        (action, 1 / len(chosen) if action in chosen else 0.0) for action in state.legal_actions()
    ]
