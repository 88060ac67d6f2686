"""The answers as JSON Schema has them, for the description of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from solver.game import Draw
from solver.position import Outcome
from solver.web.failures import FAILURES

__all__ = ["SCHEMAS", "Schema", "reference"]

Schema = dict[str, Any]
"""A schema, as JSON holds it."""


def reference(name: str) -> Schema:
    """A schema by its name among :data:`SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(
    properties: Mapping[str, Schema], *, optional: Mapping[str, Schema] | None = None
) -> Schema:
    """An object with some properties and no others."""
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list_of(schema: Schema, meaning: str = "") -> Schema:
    return {"type": "array", "items": schema} | ({"description": meaning} if meaning else {})


def _map_of(schema: Schema, meaning: str) -> Schema:
    return {"type": "object", "additionalProperties": schema, "description": meaning}


def _text(meaning: str, *choices: str) -> Schema:
    return {"type": "string", "description": meaning} | ({"enum": list(choices)} if choices else {})


def _number(meaning: str, least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "description": meaning}


def _flag(meaning: str) -> Schema:
    return {"type": "boolean", "description": meaning}


_POINT: Final = _text("A point, such as a7.")
_POINTS: Final = _list_of(_POINT)
_SIDE: Final = _text("A side.", "white", "black")
_VARIANT: Final = _text("The variant with its options, such as nine -r stones=4.")
_POSITION: Final = _text("A position, such as w:Wa4,d5,d6:Ba7,b4,c4,g4.")
_SECTOR: Final = _text("Stones of the side to move and of the other one, then in hand: 2-3+7-6.")
_DTW: Final = _or_null(
    _number("Plies to the end of the game; null for a draw, or if the table has no distances.")
)
_VALUE: Final = _text("Who wins, seen from who moves.", "win", "draw", "loss")
_WARNING: Final = _or_null(_text("What the history of the game says against the value."))

_SYMMETRY: Final = {
    "quarter_turns": _number("Clockwise, after mirroring."),
    "mirrored": _flag("Whether left and right are exchanged, first of all."),
    "swapped": _flag("Whether the inner and the outer ring are exchanged."),
}
_PARTS: Final = {
    "move": _text("The turn, such as f2-f4xd5."),
    "from": _or_null(_text("Where the stone comes from; null if it is placed.")),
    "to": _POINT,
    "captures": _list_of(_POINT, "What it takes, in a legal order."),
}
_MOVE: Final = {
    **_PARTS,
    "any_order": _flag("Whether it takes two stones of which either may go first."),
    "position": _POSITION,
}
_VALUED: Final = {"value": _VALUE, "dtw": _DTW}

_END: Final = _object(
    {
        "winner": _or_null(_SIDE),
        "reason": _text("Why the game is over.", *(end.value for end in (*Outcome, *Draw))),
        "text": _text("The same as a sentence."),
    }
)

_VIEW: Final = {
    "variant": _VARIANT,
    "position": _POSITION,
    "side": _SIDE,
    "white": _POINTS,
    "black": _POINTS,
    "white_hand": _number("Stones White has yet to place."),
    "black_hand": _number("Stones Black has yet to place."),
    "sector": _SECTOR,
    "due": _list_of(_text("What can be done with a stone.", "place", "move", "fly")),
    "mills": _list_of(_object({"side": _SIDE, "points": _POINTS})),
    "last_turn": _or_null(_object(_PARTS)),
    "played": _list_of(_text("A turn."), "The turns played from the position asked about."),
    "occurrences": _number("How often the position has occurred in the game.", 1),
    "plies_without_capture": _number("Plies since the last capture, once all stones are placed."),
    "plies_left": _or_null(_number("Plies until a game without captures is a draw.")),
    "end": _or_null(_END),
}

_COUNTS: Final = _object(
    {name: _number("Positions.") for name in ("total", "wins", "losses", "draws")}
)
_SUMMARY: Final = {
    "sector": _SECTOR,
    "metric": _text("Whether the table tells distances.", "dtw", "wdl"),
    "slots": _number("Entries of the table."),
    "positions": _COUNTS,
    "distinct": _COUNTS,
    "deepest_win": _or_null(_number("Plies of the longest win.")),
    "deepest_loss": _or_null(_number("Plies of the longest loss.")),
    "bytes": _number("Size of the file."),
}
_BY_DEPTH: Final = _map_of(_number("Positions."), "By plies: odd ones win, even ones lose.")

_FIELDS: Final = {
    **{
        name: _number("See solver.rules.Rules.")
        for name in (
            "stones",
            "second_stones",
            "double_mill",
            "fewest_stones",
            "repetition",
            "quiet_limit",
        )
    },
    "flying_at": _or_null(_number("Stones with which a side flies.")),
    "all_in_mills": _text("Which stones may go if all are in mills.", "any", "none"),
    **{
        name: _flag("See solver.rules.Rules.")
        for name in (
            "stones_move",
            "mill_wins",
            "mills_protect",
            "full_board_draws",
            "place_or_slide",
            "long_lines_forbidden",
        )
    },
}

SCHEMAS: Final[dict[str, Schema]] = {
    "Error": _object(
        {
            "error": _text("What is wrong, in a sentence."),
            "kind": _text(
                "What it is, for programs.",
                *dict.fromkeys(failure.kind for failure in FAILURES.values()),
            ),
        },
        optional={
            "sector": _or_null(_text("The sector whose table is missing.")),
            "command": _or_null(_text("What makes the missing table.")),
            "law": _text("The law that a position breaks."),
            "facts": {"type": "object", "description": "Colours, points and numbers it tells of."},
        },
    ),
    "Move": _object(_MOVE),
    "ValuedMove": _object({**_MOVE, **_VALUED}),
    "View": _object({**_VIEW, "moves": _list_of(reference("Move"))}),
    "Answer": _object(
        {
            **_VIEW,
            **_VALUED,
            "warning": _WARNING,
            "drawing": _list_of(_text("A turn."), "Turns that the history makes a draw."),
            "moves": _list_of(reference("ValuedMove"), "Every legal turn, the best first."),
        }
    ),
    "Line": _object(
        {
            "variant": _VARIANT,
            "position": _POSITION,
            **_VALUED,
            "line": _list_of(reference("ValuedMove")),
            "ended": _text("Why it stops there.", "loss", "draw", "repetition", "limit"),
            "warning": _WARNING,
        }
    ),
    "Symmetries": _object(
        {
            "variant": _VARIANT,
            "position": _POSITION,
            "images": _list_of(
                _object({"position": _POSITION, **_SYMMETRY}),
                "One for each symmetry, the identity first.",
            ),
        }
    ),
    "Variant": _object(
        {
            "name": _VARIANT,
            "variant": _text("Its name without options."),
            "board": _text("The board it is played on."),
            "start": _POSITION,
            "text": _map_of(_text("A rule."), "The rules in words, by what they are about."),
            "fields": _object(_FIELDS),
            "options": _map_of(_list_of(_text("A value.")), "The options and what they can be."),
            "chosen": _map_of(_text("A value."), "What the options are."),
        }
    ),
    "Variants": _object(
        {
            "variants": _list_of(reference("Variant")),
            "boards": _map_of(reference("Board"), "The boards, by name."),
            "levels": _list_of(
                _object(
                    {
                        "name": _text("What an opponent of this level is called."),
                        "error_rate": {
                            "type": "number",
                            "description": "How often it does not play one of the best turns.",
                        },
                    }
                )
            ),
        }
    ),
    "Board": _object(
        {
            "points": _list_of(
                _object(
                    {
                        "name": _POINT,
                        "x": _number("Files from the left."),
                        "y": _number("Ranks from the top."),
                    }
                )
            ),
            "edges": _list_of(_POINTS, "Pairs of points to move between."),
            "lines": _list_of(_POINTS, "Points that make a mill together."),
            "symmetries": _list_of(
                _object({"points": _POINTS, **_SYMMETRY}),
                "Where each symmetry leads the points, the identity first.",
            ),
        }
    ),
    "Sectors": _object(
        {
            "variant": _VARIANT,
            "sectors": _list_of(_object(_SUMMARY), "Those with a sound table."),
            "damaged": _list_of(
                _object({"sector": _SECTOR, "error": _text("What is wrong with its table.")}),
                "Those with a damaged one.",
            ),
        }
    ),
    "Sector": _object(
        {
            "variant": _VARIANT,
            **_SUMMARY,
            "histogram": _object({"positions": _BY_DEPTH, "distinct": _BY_DEPTH}),
        }
    ),
    "Plan": _object(
        {
            "variant": _VARIANT,
            "sector": _SECTOR,
            "tables": _number(
                "How many have to be made; 0 if the sector's is there with all others."
            ),
            "bytes": _number("About how many they take on disk."),
            "memory": _number("About how many bytes of memory it takes to make them."),
            "seconds": {"type": "number", "minimum": 0, "description": "About how long it takes."},
            "command": _or_null(_text("What makes them; null if nothing does, or need be done.")),
            "unsolvable": _or_null(_text("Why this machine cannot make them; null if it can.")),
        }
    ),
    "Health": _object({"status": _text("Always ok.", "ok"), "version": _text("Of the program.")}),
}
"""Every answer by name."""
