"""What readers of texts share."""

from __future__ import annotations

import re

from solver.errors import UsageError

__all__ = ["parse_number", "quoted", "shortened"]

_NUMBER = re.compile(r"[+-]?\d{1,4}", re.ASCII)


def parse_number(text: str) -> int:
    """A number of stones; negative ones are refused where the position is judged."""
    if _NUMBER.fullmatch(text) is None:
        raise UsageError(f"{quoted(text)} is not a number of stones")
    return int(text)


def quoted(text: str, limit: int = 40) -> str:
    """A piece of what the user wrote, on one line and not too long."""
    return repr(shortened(text, limit))


def shortened(text: str, limit: int = 40) -> str:
    """As much of a text as a sentence has room for."""
    return text if len(text) <= limit else text[: limit - 3] + "..."
