"""The endpoints of the interface: one table that is served and described."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from solver.facts import Facts
from solver.web import answers

__all__ = ["ENDPOINTS", "Answer", "Endpoint"]

Answer = Callable[..., Facts]
"""From a tablebase, the parameters, and whatever else the path names, to a record."""

_GAME: Final = ("position", "moves", "repetition", "quiet_limit")


class Endpoint(NamedTuple):
    """Something that can be asked of a variant.

    Attributes:
        path: as Starlette has it; it names the variant.
        answer: what answers.
        parameters: the names that the query may have, apart from `r`.
        schema: the name of the answer's schema in the description.
        summary: what it tells, in a line.
        needs_tables: whether tables can be missing or damaged.
        kept: whether an answer may be given again to who asks the same.
    """

    path: str
    answer: Answer
    parameters: tuple[str, ...]
    schema: str
    summary: str
    needs_tables: bool = True
    kept: bool = True


ENDPOINTS: Final = (
    Endpoint(
        "/api/{variant}",
        answers.position,
        _GAME,
        "Answer",
        "Who wins a position, in how many plies, and what every move leads to, best first.",
    ),
    Endpoint(
        "/api/{variant}/turns",
        answers.turns,
        _GAME,
        "View",
        "What the rules say of a position: the legal turns in parts, mills, what is due.",
        needs_tables=False,
    ),
    Endpoint(
        "/api/{variant}/line",
        answers.line,
        (*_GAME, "plies"),
        "Line",
        "Best play by both sides.",
    ),
    Endpoint(
        "/api/{variant}/reply",
        answers.reply,
        (*_GAME, "level"),
        "ValuedMove",
        "The turn that an opponent of some level plays; left to chance where several are as good.",
        kept=False,
    ),
    Endpoint(
        "/api/{variant}/symmetries",
        answers.symmetries,
        _GAME,
        "Symmetries",
        "The images of a position under every symmetry of its board.",
        needs_tables=False,
    ),
    Endpoint(
        "/api/{variant}/rules",
        answers.rules,
        (),
        "Variant",
        "A variant's rules, with the options that are chosen by r.",
        needs_tables=False,
    ),
    Endpoint(
        "/api/{variant}/sectors",
        answers.sectors,
        (),
        "Sectors",
        "The sectors that have a table, with what they count.",
        kept=False,
    ),
    Endpoint(
        "/api/{variant}/sectors/{sector}",
        answers.sector,
        (),
        "Sector",
        "A sector's counts, its deepest distances, and how many positions have each distance.",
    ),
    Endpoint(
        "/api/{variant}/plan/{sector}",
        answers.plan,
        (),
        "Plan",
        "What it takes to make a sector's table with all that it depends on, and the command.",
        needs_tables=False,
        kept=False,
    ),
)
"""Every endpoint that belongs to a variant."""
