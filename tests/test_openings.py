"""First turns of small whole games of all kinds, and positions before a turn."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Morris
from strategies import FAMILY, SIX

from solver.before import lost_stones, positions_before
from solver.build import build
from solver.errors import UsageError
from solver.notation import replay
from solver.openings import earliest_losing_turn, opening_plies
from solver.position import Position
from solver.rules import Rules, get_variant, with_options
from solver.sectors import wanted_sectors
from solver.tablebase import Tablebase

LASKER_16 = replace(SIX, name="place or slide", place_or_slide=True, stones=4, double_mill=2)
GAMES = {
    # start, first plies (wins, draws, losses), earliest losing turn
    "three": ("win", [(1, 1, 1), (1, 6, 5)], 1),
    "tic-tac-toe": ("draw", [(0, 3, 0), (0, 5, 7)], 2),
    "lasker -r stones=3": ("win", [(4, 0, 0), (0, 0, 46)], 3),
    "morabaraba -r stones=3": ("win", [(4, 0, 0), (0, 0, 46)], 3),
    "four": ("draw", [(0, 2, 0), (0, 18, 0), (0, 68, 46)], 3),
}


def named(text: str) -> Rules:
    name, *options = text.split(" -r ")
    return with_options(get_variant(name), options)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("games")
    for number, game in enumerate(GAMES):
        build(named(game), wanted_sectors(named(game)), folder / str(number))
    return {game: folder / str(number) for number, game in enumerate(GAMES)}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_proved(game: str, databases: dict[str, Path], morris: Morris) -> None:
    value, plies, losing = GAMES[game]
    answer = morris("prove", *game.split(), "--check", "--db", databases[game], "--json").json
    assert (answer["value"], answer["proved"]) == (value, True)
    assert answer["checked"]["sectors"] == len(wanted_sectors(named(game)))
    found = [(ply["win"], ply["draw"], ply["loss"]) for ply in answer["openings"]]
    assert found[: len(plies)] == plies
    assert answer["earliest_losing_move"]["ply"] == losing


def test_three_is_won_by_the_centre_alone(databases: dict[str, Path]) -> None:
    with Tablebase(databases["three"]) as tablebase:
        (first, *_) = opening_plies(named("three"), tablebase)
    found = [(each.value, each.example) for each in first.results]
    assert found == [("win", ["b2"]), ("draw", ["a1"]), ("loss", ["a2"])]
    assert first.losing == ["a2"]


@pytest.mark.parametrize("game", GAMES)
def test_the_losing_turn_is_found_backwards_too(game: str, databases: dict[str, Path]) -> None:
    """As for games whose first plies lose nothing, and lose in as many plies."""
    rules, database = named(game), databases[game]
    losing = earliest_losing_turn(rules, database)
    assert losing is not None
    assert losing.ply == GAMES[game][2]
    after = replay(losing.position, losing.line[-1:])
    assert after == replay(Position.start(rules), losing.line)
    with Tablebase(database) as tablebase:
        assert tablebase.probe(losing.position).value != "loss"
        assert tuple(tablebase.probe(after)) == ("win", losing.dtw - 1)
        for opening in opening_plies(rules, tablebase, losing.ply - 1):
            assert opening.losing is None


def test_what_cannot_be_solved_is_said(morris: Morris, tmp_path: Path) -> None:
    why = morris("prove", "dara", "--db", tmp_path).err
    assert "the whole of dara cannot be solved here: unit" in why
    assert "morris solve" not in why
    why = morris("prove", "three", "--db", tmp_path).err
    assert "make what is missing with: morris solve three --all" in why


def some_game(rules: Rules, source: random.Random) -> list[Position]:
    """The positions of a game of random turns, captures first."""
    game = [Position.start(rules)]
    while len(game) < 40:
        turns = game[-1].turns()
        if not turns:
            break
        taking = [turn for turn in turns if turn.captures]
        game.append(game[-1].apply(source.choice(taking or turns)))
    return game


@pytest.mark.parametrize("rules", [*FAMILY, LASKER_16], ids=lambda rules: rules.name)
def test_positions_before_a_turn(rules: Rules) -> None:
    source = random.Random(rules.name)
    for _ in range(3):
        game = some_game(rules, source)
        for before, after in pairwise(game):
            assert min(lost_stones(after)) >= 0
            found = list(positions_before(after))
            assert before in found
            assert len(set(found)) == len(found)
            for position in source.sample(found, min(len(found), 3)):
                position.validate()
                assert after in position.successors()
        start = Position.start(rules)
        assert list(positions_before(start)) == []


def test_only_possible_positions_come_before() -> None:
    """In a game that a mill wins nobody had one before the last turn."""
    rules = get_variant("three")
    won = Position.parse(rules, "b:Wa1,b2,c3:Ba2,a3:H0,1")
    for before in positions_before(won):
        assert before.white.bit_count() == 2
    with pytest.raises(UsageError, match="mill"):
        Position.parse(rules, "w:Wa1,b2,c3:Ba2,a3,b1:H0,0")
