"""The answers: a record for each endpoint, from what was asked."""

from __future__ import annotations

from random import SystemRandom

from solver.boards import BOARDS
from solver.errors import DamagedTableError, UsageError
from solver.facts import (
    Facts,
    board_facts,
    game_facts,
    line_facts,
    plan_facts,
    result_facts,
    rules_facts,
    sector_facts,
    symmetry_facts,
    turn_facts,
)
from solver.game import Game
from solver.levels import LEVELS, choose_turn
from solver.plan import make_plan
from solver.position import Position
from solver.results import MoveResult
from solver.rules import VARIANTS, Rules
from solver.sectors import Sector, check_sector, closure, known_sectors, parse_sector
from solver.sectortable import solving_command, why_unsolvable
from solver.symmetries import images
from solver.tablebase import Tablebase
from solver.web.asked import MOST_PLIES, Parameters

__all__ = [
    "line",
    "move_in_parts",
    "plan",
    "position",
    "reply",
    "rules",
    "sector",
    "sectors",
    "symmetries",
    "turns",
    "variants",
]

_CHANCE = SystemRandom()


def variants() -> Facts:
    """Every variant, every board, and the levels to play against."""
    return {
        "variants": [rules_facts(rules) for rules in VARIANTS.values()],
        "boards": {name: board_facts(board) for name, board in BOARDS.items()},
        "levels": [
            {"name": level.name, "error_rate": float(level.error_rate)} for level in LEVELS.values()
        ],
    }


def rules(tablebase: Tablebase, asked: Parameters) -> Facts:
    """One variant, its options applied."""
    return rules_facts(asked.rules)


def turns(tablebase: Tablebase, asked: Parameters) -> Facts:
    """What the rules say of a position; needs no table."""
    game = asked.game()
    here = game.position
    return game_facts(game) | {"moves": [turn_facts(here, turn) for turn in here.turns()]}


def position(tablebase: Tablebase, asked: Parameters) -> Facts:
    """What the rules and the tables say of a position and its moves."""
    game = asked.game()
    here = game.position
    result, moves = tablebase.analyse(here)
    drawing = game.drawing_turns()
    return {
        **game_facts(game),
        **result_facts(result),
        "warning": game.advice(result, drawing),
        "drawing": [turn.text(here.rules.board) for turn in drawing],
        "moves": [move_in_parts(here, move) for move in moves],
    }


def line(tablebase: Tablebase, asked: Parameters) -> Facts:
    """Best play from a position."""
    game = asked.game()
    here = game.position
    result = tablebase.probe(here)
    plies = asked.plies()
    if plies is None and result.dtw is not None:
        plies = MOST_PLIES
    found = tablebase.line(here, plies)
    steps, before = [], here
    for move in found.moves:
        steps.append(move_in_parts(before, move))
        before = move.position
    return line_facts(here, result, found, steps, game.warning(result))


def reply(tablebase: Tablebase, asked: Parameters) -> Facts:
    """The turn that a level plays."""
    game: Game = asked.game()
    level = asked.level()
    end = game.outcome()
    if end is not None:
        raise UsageError(f"the game is over, {end.text}")
    move = choose_turn(tablebase, game.position, level, _CHANCE)
    return move_in_parts(game.position, move)


def symmetries(tablebase: Tablebase, asked: Parameters) -> Facts:
    """The images of a position under every symmetry of its board."""
    here = asked.game().position
    return {
        "variant": asked.rules.name,
        "position": str(here),
        "images": [
            {"position": str(image), **symmetry_facts(symmetry)} for symmetry, image in images(here)
        ],
    }


def sectors(tablebase: Tablebase, asked: Parameters) -> Facts:
    """The sectors that have a table, with what they count; and those whose table is damaged."""
    summaries, damaged = [], []
    for each in tablebase.present(asked.rules, known_sectors(asked.rules)):
        try:
            summary = _table(tablebase, asked.rules, each)
        except DamagedTableError as error:
            damaged.append({"sector": str(each), "error": str(error)})
            continue
        del summary["histogram"], summary["variant"]
        summaries.append(summary)
    return {"variant": asked.rules.name, "sectors": summaries, "damaged": damaged}


def sector(tablebase: Tablebase, asked: Parameters, sector: str) -> Facts:
    """What a sector's table counts, by value and by distance."""
    found = parse_sector(sector)
    check_sector(asked.rules, found)
    return _table(tablebase, asked.rules, found)


def plan(tablebase: Tablebase, asked: Parameters, sector: str) -> Facts:
    """What it takes to make a sector's table, and all that it depends on."""
    rules, wanted = asked.rules, parse_sector(sector)
    check_sector(rules, wanted)
    present = tablebase.present(rules, closure(rules, [wanted]))
    missing = make_plan(rules, [wanted], present=present).missing()
    why_not = why_unsolvable(rules, wanted) if missing.rows else None
    can_be_made = bool(missing.rows) and why_not is None
    return {
        "variant": rules.name,
        "sector": str(wanted),
        "tables": len(missing.rows),
        **plan_facts(missing),
        "command": solving_command(tablebase.paths[0], rules, wanted) if can_be_made else None,
        "unsolvable": why_not,
    }


def _table(tablebase: Tablebase, rules: Rules, sector: Sector) -> Facts:
    reader = tablebase.reader(rules, sector)
    return sector_facts(rules, sector, reader) | {"metric": reader.header.metric}


def move_in_parts(here: Position, move: MoveResult) -> Facts:
    """A move with what it is worth, in parts, so that it can be made point by point."""
    facts = turn_facts(here, move.turn, move.position)
    facts["value"], facts["dtw"] = move.value, move.dtw
    return facts
