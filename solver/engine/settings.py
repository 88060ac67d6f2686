"""The options of the engine, as ``uci`` lists them and ``setoption`` changes them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from solver.errors import UsageError
from solver.folders import read_folders
from solver.reading import quoted
from solver.rules import VARIANTS, Rules, get_variant, with_options

__all__ = ["Settings", "whole_number"]

EMPTY: Final = "<empty>"
"""How UCI writes a text without characters."""

_MOST_LINES: Final = 1000
_MOST_CACHE_MB: Final = 65_536
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True)
class Settings:
    """What can be set.

    Attributes:
        rules: the game.
        databases: the folders of the tables.
        lines: how many of the best turns to show.
        cache_mb: megabytes of unpacked tables to keep.
    """

    rules: Rules
    databases: tuple[Path, ...]
    lines: int = 1
    cache_mb: int = 64

    def listed(self) -> list[str]:
        """Return the options as ``uci`` lists them, with these values as their defaults."""
        variant, options = _parts(self.rules)
        names = " ".join(f"var {name}" for name in VARIANTS)
        folders = os.pathsep.join(map(str, self.databases))
        return [
            f"option name Variant type combo default {variant} {names}",
            f"option name Rules type string default {' '.join(options) or EMPTY}",
            f"option name Database type string default {folders}",
            f"option name MultiPV type spin default {self.lines} min 1 max {_MOST_LINES}",
            f"option name Hash type spin default {self.cache_mb} min 1 max {_MOST_CACHE_MB}",
        ]

    def changed(self, name: str, value: str) -> Settings:
        """Return the settings with one option changed.

        Args:
            name: of the option, in any case.
            value: ``<empty>`` stands for none.

        Raises:
            UsageError: there is no such option, or it cannot have that value; says why.
        """
        change = _CHANGES.get(name.lower())
        if change is None:
            names = ", ".join(line.split()[2] for line in self.listed())
            raise UsageError(f"no option is called {quoted(name)}; there are: {names}")
        return change(self, "" if value == EMPTY else value)


def whole_number(name: str, text: str, least: int, most: int | None = None) -> int:
    """Read a number.

    Args:
        name: what it is for.
        text: the number.
        least, most: what it may be.

    Raises:
        UsageError: it is none, or out of bounds.
    """
    number = int(text) if _NUMBER.fullmatch(text) else None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} takes a whole number {bounds}, not {quoted(text)}")
    return number


def _parts(rules: Rules) -> tuple[str, list[str]]:
    """Return the name of a variant, and the options that change it."""
    variant, *options = rules.name.split(" -r ")
    return variant, options


def _variant(settings: Settings, value: str) -> Settings:
    rules = with_options(get_variant(value), _parts(settings.rules)[1])
    return replace(settings, rules=rules)


def _rules(settings: Settings, value: str) -> Settings:
    options = [word for word in value.split() if word != "-r"]
    rules = with_options(get_variant(_parts(settings.rules)[0]), options)
    return replace(settings, rules=rules)


def _databases(settings: Settings, value: str) -> Settings:
    # One folder may have the character in its name that stands between several.
    names = [value] if os.path.isdir(value) else [name for name in value.split(os.pathsep) if name]
    if not names:
        raise UsageError("Database needs the name of a folder")
    for name in names:
        try:
            os.stat(name)
        except FileNotFoundError:
            pass  # tables may be made while the engine runs
        except (OSError, ValueError) as error:  # ValueError: no file can have such a name
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UsageError(f"{quoted(name)} cannot be a database: {reason}") from None
    return replace(settings, databases=read_folders(names))


def _lines(settings: Settings, value: str) -> Settings:
    return replace(settings, lines=whole_number("MultiPV", value, 1, _MOST_LINES))


def _cache(settings: Settings, value: str) -> Settings:
    return replace(settings, cache_mb=whole_number("Hash", value, 1, _MOST_CACHE_MB))


_CHANGES: Final[dict[str, Callable[[Settings, str], Settings]]] = {
    "variant": _variant,
    "rules": _rules,
    "database": _databases,
    "multipv": _lines,
    "hash": _cache,
}
