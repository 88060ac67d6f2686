"""Best play by both sides takes just as long as tables say, and keeps draws drawn."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from conftest import solved_once
from strategies import NINE

from solver.build import build
from solver.errors import UsageError
from solver.index import layout
from solver.position import Position
from solver.results import OTHER, Result
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, sectors_up_to, wanted_sectors
from solver.tablebase import Tablebase, open_tablebase

WHOLE = [
    get_variant("four"),
    get_variant("three"),
    with_options(get_variant("lasker"), ["stones=3"]),
    with_options(NINE, ["stones=3"]),
]
WON = {NINE: 600} | dict.fromkeys(WHOLE, 100)
"""So many won positions of each game: 1,000."""
DRAWN = {NINE: 60} | dict.fromkeys(WHOLE, 20)
LONGEST_DRAW = 30
"""Drawn positions are followed for so many plies."""

Solved = tuple[Rules, Tablebase, list[Sector]]


@pytest.fixture(scope="module", params=[NINE, *WHOLE], ids=lambda rules: rules.name)
def solved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Solved]:
    rules: Rules = request.param
    if rules == NINE:
        folder, sectors = solved_once(tmp_path_factory, 8), sectors_up_to(NINE, 8)
    else:
        folder, sectors = tmp_path_factory.mktemp("perfect"), wanted_sectors(rules)
        build(rules, sectors, folder)
    with open_tablebase(folder) as tablebase:
        yield rules, tablebase, sectors


def some(solved: Solved, value: str, number: int, chance: Random) -> Iterator[Position]:
    """Random positions of a value, of every sector that has any in turn."""
    rules, tablebase, sectors = solved
    numbers = {"win": 0, "loss": 1, "draw": 2}
    with_any = [s for s in sectors if tablebase.header(rules, s).distinct[numbers[value]]]
    found = 0
    while found < number:
        sector = chance.choice(with_any)
        numbering = layout(rules, sector)
        mover, opponent = numbering.masks(chance.randrange(numbering.slots))
        hands = (sector.mover_hand, sector.opponent_hand)
        position = Position(rules, mover, opponent, True, *hands)
        try:
            result = tablebase.probe(position)
        except UsageError:  # a void slot
            continue
        if result.value == value:
            found += 1
            yield position if chance.random() < 0.5 else position.swap_colours()


def test_a_thousand_wins() -> None:
    assert sum(WON.values()) == 1000


def test_a_win_takes_exactly_as_long_as_it_says(solved: Solved) -> None:
    rules, tablebase, _ = solved
    chance = Random(7)
    for position in some(solved, "win", WON[rules], chance):
        winner, distance = position.mover_colour, tablebase.probe_dtw(position)
        plies = 0
        while position.outcome() is None:
            position = chance.choice(tablebase.best_moves(position)).position
            plies += 1
        assert plies == distance
        # Whoever is to move now has lost.
        assert tablebase.probe(position) == Result("loss", 0)
        assert position.opponent_colour == winner


def test_a_draw_stays_one_however_long_it_is_played(solved: Solved) -> None:
    rules, tablebase, _ = solved
    chance = Random(8)
    for position in some(solved, "draw", DRAWN[rules], chance):
        for _ in range(LONGEST_DRAW):
            moves = tablebase.best_moves(position)
            if not moves:
                break
            position = chance.choice(moves).position
            assert tablebase.probe(position) == Result("draw", None)
        outcome = position.outcome()
        assert outcome is None or outcome.drawn


def test_lines_are_best_play(solved: Solved) -> None:
    rules, tablebase, _ = solved
    for position in some(solved, "win", WON[rules] // 10, Random(9)):
        result = tablebase.probe(position)
        line = tablebase.line(position)
        assert (line.ended, len(line.moves)) == ("loss", result.dtw)
        for move in line.moves:
            assert (move.value, move.dtw) == tuple(result)
            assert move.dtw is not None
            result = Result(OTHER[move.value], move.dtw - 1)
