"""The parameters of the engine's command ``go``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from solver.engine.settings import whole_number
from solver.errors import UsageError
from solver.notation import joined_turns, parse_turn
from solver.perft import MOST_DEPTH
from solver.position import Position, Turn
from solver.reading import quoted

__all__ = ["Parameters", "parse_go"]

_IGNORED: Final = ("nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
"""Limits that a table does not need: what follows them is not looked at."""
_FLAGS: Final = ("infinite", "ponder")
_KEYWORDS: Final = frozenset((*_IGNORED, *_FLAGS, "depth", "perft", "searchmoves"))


class Parameters(NamedTuple):
    """What ``go`` is asked for.

    Attributes:
        depth: how far lines are to be shown; None: to the end.
        perft: count sequences of so many turns instead of choosing a turn.
        waits: whether the answer is kept back until ``stop``.
        ponders: whether ``ponderhit`` ends the wait too.
        only: turns to choose from; empty: any.
        complaints: what is wrong with parameters that are left out for it.
    """

    depth: int | None
    perft: int | None
    waits: bool
    ponders: bool
    only: tuple[Turn, ...]
    complaints: list[str]


def parse_go(position: Position, words: Iterable[str]) -> Parameters:
    """Read what follows ``go``.

    A parameter that is wrong is left out, as whoever asks for a turn waits for one.

    Args:
        position: what the turns of ``searchmoves`` are for.
        words: what follows.

    Raises:
        UsageError: ``perft`` has no depth that it can be taken to.
    """
    given: dict[str, list[str]] = {"": []}
    name = ""
    for word in words:
        if word.lower() in _KEYWORDS:
            name = word.lower()
            given[name] = []
        else:
            given[name].append(word)
    complaints = []
    unknown = [word for name in ("", *_FLAGS) for word in given.get(name, ())]
    if unknown:
        complaints.append(f"go does not know {quoted(' '.join(unknown))}; left out")
    depth = perft = None
    if "perft" in given:
        perft = whole_number("go perft", " ".join(given["perft"]), 1, MOST_DEPTH)
    if "depth" in given:
        try:
            depth = whole_number("go depth", " ".join(given["depth"]), 1)
        except UsageError as error:
            complaints.append(f"{error}; left out")
    only = _read_turns(position, given.get("searchmoves", []), complaints)
    waits = any(flag in given for flag in _FLAGS)
    return Parameters(depth, perft, waits, "ponder" in given, only, complaints)


def _read_turns(
    position: Position, words: Iterable[str], complaints: list[str]
) -> tuple[Turn, ...]:
    """Read the turns of ``searchmoves``; what is wrong with some is added to the complaints."""
    if position.outcome() is not None:
        return ()  # no turn is legal, and the answer says why
    texts = joined_turns(words)
    found: dict[Turn, None] = {}
    wrong = []
    for text in texts:
        try:
            found[parse_turn(position, text)] = None
        except UsageError as error:
            wrong.append(f"{quoted(text)}: {error}")
    if wrong:
        left = "" if found else ", so that any turn may be chosen"
        complaints.append(
            f"searchmoves: {len(wrong)} of {len(texts)} left out{left}; the first is {wrong[0]}"
        )
    return tuple(found)
