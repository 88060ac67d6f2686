"""Games in progress: a position with the history that draws depend on.

    >>> from solver import Game, Position, get_variant
    >>> start = Position.parse(get_variant("nine"), "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
    >>> game = Game(start, quiet_limit=5)
    >>> for text in ["c3-c4", "a1-d1", "c4-c3", "d1-a1"]:
    ...     turn = game.play(text)
    >>> game.occurrences, game.plies_without_capture, game.plies_left()
    (2, 4, 1)
    >>> game.outcome() is None
    True
    >>> turn = game.play("c3-d3")
    >>> game.outcome().text
    'it is a draw: 5 plies without a capture'
    >>> game.undo()
    Turn(origin=15, target=16, captures=())
    >>> game.draw_due is None
    True

Tables know nothing of this: in them endless play is a draw, and nothing else cuts a game short.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import Literal, NamedTuple

from solver.describe import describe_end, in_words, plies
from solver.errors import UsageError
from solver.notation import parse_turn
from solver.position import Outcome, Position, Turn
from solver.results import Result
from solver.rules import Rules

__all__ = ["Draw", "Game", "GameEnd", "warning"]


class Draw(str, Enum):
    """Why a game is drawn by its history."""

    REPETITION = "repetition"
    QUIET_LIMIT = "quiet limit"


class GameEnd(NamedTuple):
    """How a game has ended.

    Attributes:
        winner: ``White`` or ``Black``; None if it is drawn.
        reason: what ended it: the position itself or the game's history.
        text: the same as a sentence, without its capital and its stop.
    """

    winner: Literal["White", "Black"] | None
    reason: Outcome | Draw
    text: str


class Game:
    """A game in progress: where it began, the turns played, and what follows from them.

    Attributes:
        repetition: a position that occurs so often makes the game a draw; 0: never.
        quiet_limit: so many plies without a capture make the game a draw; 0: never.
    """

    def __init__(
        self,
        start: Rules | Position,
        repetition: int | None = None,
        quiet_limit: int | None = None,
    ) -> None:
        """Begin a game.

        Args:
            start: the rules, for a game from the empty board, or the position it begins with; what
                was played before that counts for nothing.
            repetition: 2 or more, 0 for never, None for what the rules say.
            quiet_limit: 1 or more, 0 for never, None for what the rules say.

        Raises:
            UsageError: the position cannot be, or a number makes no sense.
        """
        position = start if isinstance(start, Position) else Position.start(start)
        position.validate()
        rules = position.rules
        self.repetition = rules.repetition if repetition is None else repetition
        self.quiet_limit = rules.quiet_limit if quiet_limit is None else quiet_limit
        if self.repetition < 0 or self.repetition == 1:
            raise UsageError(
                f"a position cannot make a draw by occurring {self.repetition} times; give 2 or"
                " more, or 0 for never"
            )
        if self.quiet_limit < 0:
            raise UsageError(
                f"a game cannot be drawn after {self.quiet_limit} plies; give 1 or more, or 0 for"
                " never"
            )
        self._positions = [position]
        self._seen = Counter(self._positions)
        self._turns: list[Turn] = []
        self._quiet = [0]

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self.position.rules

    @property
    def position(self) -> Position:
        """The present position."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position from the first to the present one."""
        return tuple(self._positions)

    @property
    def turns_played(self) -> tuple[Turn, ...]:
        """The turns that led from each of `positions` to the next."""
        return tuple(self._turns)

    @property
    def occurrences(self) -> int:
        """How often this position (stones, side to move, hands) has occurred, now included."""
        return self._seen[self.position]

    @property
    def plies_without_capture(self) -> int:
        """Turns since the last capture, counted from when both hands were empty."""
        return self._quiet[-1]

    def plies_left(self) -> int | None:
        """How many more plies can be played before the quiet limit ends a game without captures.

        Stones in hand come first: each takes a ply that is not counted.

        Returns:
            None if there is no limit, or none yet: where a turn may place or move a stone, hands
            need not empty.
        """
        hands = self.position.white_hand + self.position.black_hand
        if not self.quiet_limit or (hands and self.position.rules.place_or_slide):
            return None
        return max(0, self.quiet_limit - self.plies_without_capture) + hands

    @property
    def draw_due(self) -> Draw | None:
        """Why the game's history makes it a draw now; None if it does not.

        A position in which the game is over has been won, or drawn by itself, before that.
        """
        return self._draw(self.position, self.occurrences, self.plies_without_capture)

    def outcome(self) -> GameEnd | None:
        """Who has won and why, or why the game is a draw; None while it goes on.

        A capture on the very ply that reaches a limit counts first, and so does a win.
        """
        position = self.position
        outcome = position.outcome()
        if outcome is not None:
            winner: Literal["White", "Black"] = "Black" if position.white_to_move else "White"
            text = describe_end(position, outcome)
            return GameEnd(None if outcome.drawn else winner, outcome, text)
        draw = self.draw_due
        return None if draw is None else GameEnd(None, draw, f"it is a draw: {self._cause(draw)}")

    def play(self, turn: str | Turn, *, past_draws: bool = False, checked: bool = False) -> Turn:
        """Play a turn.

        Args:
            turn: one of the legal turns of the present position, or its text.
            checked: whether a turn that is no text is known to be legal, and need not be looked up.
            past_draws: play on although the game's history makes it a draw, as people do who have
                not noticed.

        Returns:
            The turn.

        Raises:
            UsageError: the turn is not legal, or the game is over; says why. Nothing is played.
        """
        before = self.position
        end = self.outcome()
        if end is not None and not (past_draws and isinstance(end.reason, Draw)):
            raise UsageError(f"the game is over, {end.text}")
        if isinstance(turn, str):
            turn = parse_turn(before, turn)
        elif not checked and turn not in before.turns():
            raise UsageError(f"{turn} is not a legal turn of {before}")
        self._quiet.append(self._quiet_after(turn))
        self._positions.append(before.apply(turn))
        self._seen[self.position] += 1
        self._turns.append(turn)
        return turn

    def undo(self) -> Turn:
        """Take the last turn back.

        Returns:
            The turn.

        Raises:
            UsageError: none has been played.
        """
        if not self._turns:
            raise UsageError("there is no turn to take back")
        self._seen[self._positions.pop()] -= 1
        self._quiet.pop()
        return self._turns.pop()

    def _repr_svg_(self) -> str:
        """The picture that notebooks show: the present position, the last turn marked."""
        from solver.svg import render_svg

        return render_svg(self.position, last_turn=self._turns[-1] if self._turns else None)

    def warning(self, result: Result) -> str | None:
        """What the history says against the result that tables have for the present position.

        Returns:
            That a draw is due, or what :func:`warning` says; None if there is nothing to say.
        """
        draw = self.draw_due
        if draw is not None:
            return f"A draw is due: {self._cause(draw)}."
        return warning(result, self.plies_left(), stones_taken=not self.position.rules.mill_wins)

    def advice(self, result: Result, drawing: list[Turn] | None = None) -> str | None:
        """Like :meth:`warning`; where that says nothing, which turns would make a draw now.

        Args:
            result: of the present position, as tables have it.
            drawing: :meth:`drawing_turns`, if they are known.
        """
        said = self.warning(result)
        if said is not None:
            return said
        turns = self.drawing_turns() if drawing is None else drawing
        texts = [turn.text(self.rules.board) for turn in turns]
        return f"Played now, these make the game a draw: {', '.join(texts)}." if texts else None

    def drawing_turns(self) -> list[Turn]:
        """The turns after which the game's history makes it a draw, in the order of their texts.

        None as long as nothing has been played: there is no history then.
        """
        if not self._turns:
            return []
        found = []
        for turn in self.position.turns():
            after = self.position.apply(turn)
            occurrences = self._seen[after] + 1
            if self._draw(after, occurrences, self._quiet_after(turn)) is not None:
                found.append(turn)
        return found

    def _quiet_after(self, turn: Turn) -> int:
        """Plies without a capture after a turn of the present position."""
        counted = self.position.moving and not turn.captures
        return self.plies_without_capture + 1 if counted else 0

    def _draw(self, position: Position, occurrences: int, quiet: int) -> Draw | None:
        """Why a position is a draw that has occurred so often, so many plies after a capture."""
        if position.outcome() is not None:
            return None
        if self.repetition and occurrences >= self.repetition:
            return Draw.REPETITION
        if self.quiet_limit and quiet >= self.quiet_limit:
            return Draw.QUIET_LIMIT
        return None

    def _cause(self, draw: Draw) -> str:
        """What makes the game a draw, in words."""
        if draw is Draw.REPETITION:
            return f"this position has occurred {in_words(self.occurrences)} times"
        return f"{plies(self.plies_without_capture)} without a capture"


def warning(result: Result, plies_left: int | None, *, stones_taken: bool = True) -> str | None:
    """What to say of a win or loss that takes longer than a limit leaves.

    Captures on the way begin the count anew, so the limit need not come first.

    Args:
        result: of a position, as tables have it: without limits.
        plies_left: see :meth:`Game.plies_left`.
        stones_taken: whether the game knows captures.

    Returns:
        One sentence; None if the limit leaves enough, there is none, or it is not known how long
        the game takes.
    """
    if plies_left is None or result.dtw is None or result.dtw <= plies_left:
        return None
    left = f"the {plies(plies_left)} that a game without captures has left" if plies_left else ""
    so = "unless stones are taken in time, the game is a draw" if stones_taken else "it is a draw"
    return (
        f"The {result.value} takes {plies(result.dtw)}, longer than"
        f" {left or 'the limit of plies without a capture allows'}: {so}."
    )
