"""What a request asks: its parameters, read and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from solver.asked import read_game
from solver.errors import UsageError
from solver.game import Game
from solver.levels import LEVELS, Level
from solver.reading import quoted
from solver.rules import VARIANTS, Rules, with_options

__all__ = ["MOST_PLIES", "Parameters", "UnknownVariantError"]

MOST_PLIES: Final = 500
"""The plies of a line that can be asked for; no known win takes as many."""

_NUMBER: Final = re.compile(r"\d{1,6}", re.ASCII)


class UnknownVariantError(UsageError):
    """A variant that is not there, so that neither is what its path names."""


class Parameters:
    """The parameters of a request.

    Args:
        variant: the game, from the path.
        pairs: names and values from the query, in order.
        allowed: the names that mean something here; `r` always does.
    """

    def __init__(
        self, variant: str, pairs: Sequence[tuple[str, str]], allowed: Sequence[str]
    ) -> None:
        """Read the variant with its options, and check the names.

        Raises:
            UnknownVariantError: there is no such variant.
            UsageError: a parameter means nothing here, or comes twice; an option is wrong.
        """
        known = (*allowed, "r")
        self._values: dict[str, str] = {}
        for name, value in pairs:
            if name not in known:
                raise UsageError(
                    f"there is no parameter {quoted(name)} here; there are: {', '.join(known)}"
                )
            if name in self._values:
                raise UsageError(f"the parameter {name} is given twice")
            if name != "r":
                self._values[name] = value
        rules = VARIANTS.get(variant.lower())
        if rules is None:  # a name with options is none here: they are parameters
            names = ", ".join(VARIANTS)
            raise UnknownVariantError(f"no variant is called {quoted(variant)}; there are: {names}")
        self.rules: Rules = with_options(rules, [value for name, value in pairs if name == "r"])

    def game(self) -> Game:
        """The game that is asked about, its draws played past.

        Raises:
            UsageError: there is no position, it cannot be, or a turn is not legal.
        """
        if "position" not in self._values:
            raise UsageError(
                "the parameter position is missing; give one such as ?position=w:W:B:H9,9"
            )
        return read_game(
            self.rules,
            self._values["position"],
            self._values.get("moves", ""),
            self._number("repetition"),
            self._number("quiet_limit"),
            past_draws=True,
        )

    def plies(self) -> int | None:
        """How far a line is to be followed; None if that is not said."""
        number = self._number("plies")
        if number is not None and number > MOST_PLIES:
            raise UsageError(f"plies is {number}, but a line has {MOST_PLIES} at most")
        return number

    def level(self) -> Level:
        """The level that is to play."""
        name = self._values.get("level", "perfect")
        if name not in LEVELS:
            raise UsageError(f"no level is called {quoted(name)}; there are: {', '.join(LEVELS)}")
        return LEVELS[name]

    def _number(self, name: str) -> int | None:
        text = self._values.get(name)
        if text is None:
            return None
        if _NUMBER.fullmatch(text) is None:
            raise UsageError(f"{name} takes a whole number, 0 to 999999, not {quoted(text)}")
        return int(text)
