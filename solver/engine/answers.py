"""What the engine says when it is asked to move: scores, best lines and a turn.

The lines are those that :mod:`solver.engine.protocol` documents. Nothing here knows of threads or
streams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from solver.describe import describe_end
from solver.errors import DamagedTableError, MissingTableError, ResourceError
from solver.game import Game
from solver.position import Outcome, Position, Turn
from solver.results import (
    WDL,
    MoveResult,
    Result,
    before_turn,
    best_first,
    choose,
    contradict,
    words,
)
from solver.sectors import Sector
from solver.tablebase import Tablebase

__all__ = ["NO_MOVE", "SURE_CENTIPAWNS", "UNGUIDED_PLIES", "Answer", "Question", "answer"]

NO_MOVE: Final = "(none)"
"""What ``bestmove`` says where there is none to give."""
SURE_CENTIPAWNS: Final = 10_000
"""The score of a win whose distance no table tells."""
UNGUIDED_PLIES: Final = 8
"""How far a line is shown that has no end to lead to, unless a depth is asked for."""

Stop = Callable[[], bool]


class Question(NamedTuple):
    """What is asked about a game.

    Attributes:
        game: it; the question is about its present position.
        lines: how many of the best turns to show.
        depth: show lines no further than so many plies, but one at least; None: to the end.
        only: turns to choose from; empty: any.
    """

    game: Game
    lines: int = 1
    depth: int | None = None
    only: tuple[Turn, ...] = ()


class Answer(NamedTuple):
    """What the engine says.

    Attributes:
        infos: what follows ``info`` on each line.
        move: the turn to play, or :data:`NO_MOVE`.
    """

    infos: list[str]
    move: str


class _Known(NamedTuple):
    """What the tables tell of the turns to choose from.

    Attributes:
        moves: those whose value is known, best first.
        unknown: the others.
        settled: whether no other turn can be better than the first of `moves`.
        gaps: why the others are not known.
        result: of the position, if the choice is free and a table tells.
    """

    moves: list[MoveResult]
    unknown: list[Turn]
    settled: bool
    gaps: list[str]
    result: Result | None


def answer(tablebase: Tablebase, question: Question, stop: Stop) -> Answer:
    """Choose a turn.

    Args:
        tablebase: what to look things up in.
        question: what is asked.
        stop: once it returns True, lines are followed no further.
    """
    game = question.game
    position = game.position
    outcome = position.outcome()
    if outcome is not None:
        return _over(position, outcome)
    try:
        known = _look_up(tablebase, position, question.only)
        if not _worth_playing(known):
            return _guess(known, game)
        first = _first(known, game)
        lines = _lines(tablebase, question, known, first, stop)
    except DamagedTableError as error:
        return Answer([f"string {error}"], NO_MOVE)
    warnings = _warning_strings(game, known.result or first.result)
    return Answer([*_gap_strings(known), *warnings, *lines], first.text)


def _lines(
    tablebase: Tablebase, question: Question, known: _Known, first: MoveResult, stop: Stop
) -> list[str]:
    """Return the best turns with their scores, and how each goes on.

    Args:
        tablebase, question, stop: see :func:`answer`.
        known: what the tables tell.
        first: the turn that is played.
    """
    others = [move for move in known.moves if move is not first]
    infos = []
    for number, move in enumerate([first, *others][: question.lines], 1):
        line = _best_line(tablebase, question.game.position, move, question.depth, stop)
        score = _score(move, " lowerbound" if number == 1 and not known.settled else "")
        infos.append(f"depth {len(line)} multipv {number} score {score} pv {' '.join(line)}")
    return infos


def _over(position: Position, outcome: Outcome) -> Answer:
    """Return what to say once the game is over."""
    score = "cp 0 wdl 0 1000 0" if outcome.drawn else "mate 0 wdl 0 0 1000 dtw 0"
    end = describe_end(position, outcome)
    return Answer([f"string The game is over, {end}.", f"depth 0 score {score}"], NO_MOVE)


# -- looking up -----------------------------------------------------------------------------------


def _look_up(tablebase: Tablebase, position: Position, only: tuple[Turn, ...]) -> _Known:
    """Return what the tables tell, as much of it as they do."""
    try:
        result, moves = tablebase.analyse(position)
    except (MissingTableError, ResourceError):
        return _look_up_in_part(tablebase, position, only)
    if only:
        return _Known([move for move in moves if move.turn in only], [], True, [], None)
    return _Known(moves, [], True, [], result)


def _look_up_in_part(tablebase: Tablebase, position: Position, only: tuple[Turn, ...]) -> _Known:
    """Return what is known of each turn where not every table is there.

    Raises:
        DamagedTableError: a table is unsound, or contradicts another.
    """
    board = position.rules.board
    gaps: dict[Sector, str] = {}
    moves, unknown = [], []
    for turn in only or position.turns():
        after = position.apply(turn)
        if after.sector in gaps and after.outcome() is None:  # what is missing is asked for once
            unknown.append(turn)
            continue
        try:
            value = before_turn(tablebase.probe(after))
        except (MissingTableError, ResourceError) as error:
            gaps[after.sector] = str(error)
            unknown.append(turn)
        else:
            moves.append(MoveResult(turn, turn.text(board), after, *value))
    moves.sort(key=best_first)
    result = None if only else _result_if_known(tablebase, position)
    settled = not unknown or any(move.dtw == 1 for move in moves[:1])
    if moves and result is not None:
        best = moves[0]
        if WDL[best.value] > WDL[result.value]:
            raise DamagedTableError(
                f"the tables in {' and '.join(map(str, tablebase.paths))} contradict each other:"
                f" {position} is a"
                f" {words(result)}, but {best.text} makes it a {words(best.result)}"
            )
        settled = settled or not contradict(best.result, result)
    return _Known(moves, unknown, settled, list(dict.fromkeys(gaps.values())), result)


def _result_if_known(tablebase: Tablebase, position: Position) -> Result | None:
    """Return the result of a position, None if no table tells."""
    try:
        return tablebase.probe(position)
    except (MissingTableError, ResourceError):
        return None


# -- choosing -------------------------------------------------------------------------------------


def _worth_playing(known: _Known) -> bool:
    """Return whether the best turn that is known is to be played, and not one that is unknown."""
    if not known.moves:
        return False
    best = known.moves[0]
    if known.settled:
        return True
    if best.value == "loss":
        return False
    return known.result is None or best.value == known.result.value


def _first(known: _Known, game: Game) -> MoveResult:
    """Return the best turn.

    Where a win has no distance to go by, it is one that leads to what has been there least often,
    or the game might go in circles.
    """
    best = choose(known.moves, known.result or known.moves[0].result)
    assert best is not None
    if best.value != "win" or best.dtw is not None:
        return best
    been = game.positions
    alike = [move for move in known.moves if move.value == "win" and move.dtw is None]
    return min(alike, key=lambda move: been.count(move.position))


def _guess(known: _Known, game: Game) -> Answer:
    """Return a turn that no table knows: one that takes most, the first of them by its text."""
    board = game.rules.board
    turn = min(known.unknown, key=lambda turn: (-len(turn.captures), turn.text(board)))
    text = turn.text(board)
    why = "No table tells what any turn leads to"
    if known.moves:
        why = "Every turn that the tables know is worse than another one must or may be"
    return Answer(
        [
            *_gap_strings(known),
            *_warning_strings(game, known.result),
            f"string {why}: {text} is a guess.",
        ],
        text,
    )


# -- saying ---------------------------------------------------------------------------------------


def _gap_strings(known: _Known) -> list[str]:
    """Return which tables are missing, and how many turns are not known for that."""
    if not known.gaps:
        return []
    turns = len(known.moves) + len(known.unknown)
    return [
        *(f"string {gap}" for gap in known.gaps),
        f"string {len(known.unknown)} of {turns} turns are unknown.",
    ]


def _warning_strings(game: Game, result: Result | None) -> list[str]:
    """Return what the game's history says against what the tables do."""
    # Of a draw only those warnings are given that hold for any result.
    warning = game.warning(result or Result("draw", None))
    return [] if warning is None else [f"string {warning}"]


def _best_line(
    tablebase: Tablebase, before: Position, first: MoveResult, depth: int | None, stop: Stop
) -> list[str]:
    """Return a turn and the best ones after it, to where a table is missing or a position recurs.

    Raises:
        DamagedTableError: a table on the way is unsound.
    """
    most = UNGUIDED_PLIES if first.dtw is None else first.dtw
    most = most if depth is None else max(1, depth)
    line = [first.text]
    position = first.position
    seen = {before}
    while len(line) < most and position not in seen and not stop():
        seen.add(position)
        try:
            following = tablebase.line(position, 1).moves
        except (MissingTableError, ResourceError):
            break
        if not following:
            break
        line.append(following[0].text)
        position = following[0].position
    return line


def _score(move: MoveResult, bound: str) -> str:
    """Return a turn's value as UCI has it, with the plies that it does not have.

    Args:
        move: the turn.
        bound: what goes behind UCI's own score.
    """
    dtw = move.dtw
    if move.value == "draw":
        return f"cp 0{bound} wdl 0 1000 0"
    won = move.value == "win"
    wdl = "wdl 1000 0 0" if won else "wdl 0 0 1000"
    if dtw is None:
        return f"cp {SURE_CENTIPAWNS if won else -SURE_CENTIPAWNS}{bound} {wdl}"
    return f"mate {(dtw + 1) // 2 if won else -(dtw // 2)}{bound} {wdl} dtw {dtw}"
