"""The description of the interface in OpenAPI 3.1."""

from __future__ import annotations

from typing import Any, Final

from solver import __version__
from solver.levels import LEVELS
from solver.rules import OPTIONS, VARIANTS
from solver.web.asked import MOST_PLIES
from solver.web.endpoints import ENDPOINTS, Endpoint
from solver.web.failures import FAILURES, Failure
from solver.web.schemas import SCHEMAS, Schema, reference

__all__ = ["describe_interface"]

_DESCRIPTION: Final = (
    "Who wins a position of Nine Men's Morris or one of its relatives, in how many plies, and by"
    " which moves. Positions list the side to move, the white and the black stones, and stones in"
    " hand: w:Wa4,d5,d6:Ba7,b4,c4,g4 or w:W:B:H9,9. A parameter that means nothing to an endpoint"
    " of a variant is refused."
)
_OPTION: Final = "|".join(f"{name}=({'|'.join(option.values)})" for name, option in OPTIONS.items())

_WHOLE: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 999_999}

_PARAMETERS: Final[dict[str, Schema]] = {
    "variant": {
        "in": "path",
        "required": True,
        "description": "The game.",
        "schema": {"type": "string", "enum": list(VARIANTS)},
        "example": "nine",
    },
    "sector": {
        "in": "path",
        "required": True,
        "description": "Stones of the side to move and of the other one, then in hand.",
        "schema": {"type": "string", "pattern": r"^\d{1,3}-\d{1,3}(\+\d{1,3}-\d{1,3})?$"},
        "example": "3-3",
    },
    "r": {
        "in": "query",
        "description": "A rule to change, such as stones=4; can be given several times.",
        "schema": {"type": "array", "items": {"type": "string", "pattern": f"^({_OPTION})$"}},
        "style": "form",
        "explode": True,
    },
    "position": {
        "in": "query",
        "required": True,
        "description": "The position, in this project's notation or as a FEN of Sanmill.",
        "schema": {"type": "string"},
        "example": "w:Wa4,d5,d6:Ba7,b4,c4,g4",
    },
    "moves": {
        "in": "query",
        "description": "Turns played from there on; the question is about the position after them.",
        "schema": {"type": "string"},
    },
    "repetition": {
        "in": "query",
        "description": "Occurrences of a position that make a draw; 0 for never.",
        "schema": {"anyOf": [{"const": 0}, {**_WHOLE, "minimum": 2}]},
    },
    "quiet_limit": {
        "in": "query",
        "description": "Plies without a capture that make a draw; 0 for never.",
        "schema": _WHOLE,
    },
    "plies": {
        "in": "query",
        "description": "Follow the line no further.",
        "schema": {"type": "integer", "minimum": 0, "maximum": MOST_PLIES},
    },
    "level": {
        "in": "query",
        "description": "How well to play.",
        "schema": {"type": "string", "enum": list(LEVELS), "default": "perfect"},
    },
}


def describe_interface() -> dict[str, Any]:
    """Return the document that ``/openapi.json`` shows."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "morris-solver",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/api/variants": _path(
                "variants", "Every variant, every board, and the levels.", "Variants"
            ),
            **{endpoint.path: _endpoint(endpoint) for endpoint in ENDPOINTS},
            "/healthz": _path("health", "Whether the server answers.", "Health"),
        },
        "components": {"schemas": SCHEMAS},
    }


def _path(name: str, summary: str, schema: str) -> Schema:
    """What is asked without a parameter."""
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "responses": {"200": _response(summary, schema)}
            | _failures("method", "long", "malformed", "crowded"),
        }
    }


def _endpoint(endpoint: Endpoint) -> Schema:
    """An endpoint of a variant."""
    in_path = [part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")]
    names = (*in_path, *endpoint.parameters, "r")
    failures = ["not found", "bad request", "malformed", "method", "long", "crowded"]
    failures += ["busy", "slow", "stopping"]
    if endpoint.needs_tables:
        failures += ["missing table", "damaged table", "no resources"]
    return {
        "get": {
            "operationId": endpoint.answer.__name__,
            "summary": endpoint.summary,
            "parameters": [{"name": name, **_PARAMETERS[name]} for name in names],
            "responses": {
                "200": _response(endpoint.summary, endpoint.schema),
                **_failures(*failures),
            },
        }
    }


def _response(meaning: str, schema: str) -> Schema:
    return {
        "description": meaning,
        "content": {"application/json": {"schema": reference(schema)}},
    }


def _failures(*names: str) -> dict[str, Schema]:
    """The answers to what goes wrong, by status."""
    by_status: dict[int, list[Failure]] = {}
    for name in names:
        by_status.setdefault(FAILURES[name].status, []).append(FAILURES[name])
    return {
        str(status): _response(" ".join(failure.meaning for failure in failures), "Error")
        for status, failures in sorted(by_status.items())
    }
