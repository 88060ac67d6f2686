"""Endgame tables for Nine Men's Morris: solve the game, ask who wins, prove the tables right.

    >>> from solver import Position, get_variant
    >>> position = Position.parse(get_variant("nine"), "w:Wa4,d5,d6:Ba7,b4,c4,g4")
    >>> len(position.turns())
    54
    >>> str(position.sector)
    '3-4'

With tables made by ``morris solve nine --stones 8``, :func:`open_tablebase` answers for every
position with at most eight stones on the board: value, distance to the end, and every move.

Public names are loaded when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # what `typing` has is this as well, and takes a moment to import
if TYPE_CHECKING:
    from solver.analysis import TurnReport, analyse_game
    from solver.boards import BOARDS, Board
    from solver.errors import (
        DamagedTableError,
        LockedDatabaseError,
        MissingTableError,
        MorrisError,
        ResourceError,
        UsageError,
    )
    from solver.folders import default_database
    from solver.game import Draw, Game, GameEnd
    from solver.notation import format_position, parse_position, parse_turn
    from solver.position import Outcome, Position, Turn
    from solver.record import Record, format_record, parse_record
    from solver.rules import VARIANTS, Rules, get_variant
    from solver.sectors import Sector, parse_sector
    from solver.svg import render_svg
    from solver.tablebase import (
        Line,
        MoveResult,
        Result,
        Tablebase,
        open_tablebase,
    )

__version__ = "0.1.0"

__all__ = [
    "BOARDS",
    "VARIANTS",
    "Board",
    "DamagedTableError",
    "Draw",
    "Game",
    "GameEnd",
    "Line",
    "LockedDatabaseError",
    "MissingTableError",
    "MorrisError",
    "MoveResult",
    "Outcome",
    "Position",
    "Record",
    "ResourceError",
    "Result",
    "Rules",
    "Sector",
    "Tablebase",
    "Turn",
    "TurnReport",
    "UsageError",
    "analyse_game",
    "default_database",
    "format_position",
    "format_record",
    "get_variant",
    "open_tablebase",
    "parse_position",
    "parse_record",
    "parse_sector",
    "parse_turn",
    "render_svg",
]

_HOMES = {
    "analysis": ("TurnReport", "analyse_game"),
    "boards": ("BOARDS", "Board"),
    "errors": (
        "DamagedTableError",
        "LockedDatabaseError",
        "MissingTableError",
        "MorrisError",
        "ResourceError",
        "UsageError",
    ),
    "folders": ("default_database",),
    "game": ("Draw", "Game", "GameEnd"),
    "notation": ("format_position", "parse_position", "parse_turn"),
    "position": ("Outcome", "Position", "Turn"),
    "record": ("Record", "format_record", "parse_record"),
    "rules": ("VARIANTS", "Rules", "get_variant"),
    "sectors": ("Sector", "parse_sector"),
    "svg": ("render_svg",),
    "tablebase": (
        "Line",
        "MoveResult",
        "Result",
        "Tablebase",
        "open_tablebase",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
