"""What tables say does not change when the board is turned or reflected, on every board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from solver.boards import BOARDS
from solver.build import build
from solver.errors import UsageError
from solver.position import Position
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, closure, wanted_sectors
from solver.tablebase import Tablebase, open_tablebase

WHOLE = [
    get_variant("three"),
    get_variant("tic-tac-toe"),
    get_variant("four"),
    with_options(get_variant("lasker"), ["stones=3"]),
]
MOVING = [get_variant(name) for name in ("nine-no-flying", "morabaraba", "dara")]
Opened = tuple[Rules, Tablebase, list[Sector]]


@pytest.fixture(scope="module", params=[*WHOLE, *MOVING], ids=lambda rules: rules.name)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    rules: Rules = request.param
    folder: Path = tmp_path_factory.mktemp("symmetry")
    asked = wanted_sectors(rules) if rules in WHOLE else [Sector(3, 3)]
    build(rules, asked, folder)
    with open_tablebase(folder) as tablebase:
        yield rules, tablebase, sorted(closure(rules, asked))


def test_every_board_is_among_them() -> None:
    assert {rules.board.name for rules in WHOLE + MOVING} == set(BOARDS)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_values_and_moves_turn_with_the_board(opened: Opened, data: st.DataObject) -> None:
    rules, tablebase, sectors = opened
    sector = data.draw(st.sampled_from(sectors))
    points = data.draw(st.permutations(range(rules.board.size)))
    mover = rules.board.mask_of(points[: sector.mover])
    opponent = rules.board.mask_of(points[sector.mover : sector.stones])
    position = Position(rules, mover, opponent, True, sector.mover_hand, sector.opponent_hand)
    try:
        position.validate()
    except UsageError:
        reject()  # a mill or a row that cannot be
    result, moves = tablebase.analyse(position)
    values = sorted(move[3:] for move in moves)
    assert tablebase.probe(position.swap_colours()) == result
    for automorphism in rules.board.automorphisms:
        image = position.transform(automorphism)
        assert tablebase.probe(image) == result
        image_moves = tablebase.moves(image)
        assert sorted((move.value, move.dtw) for move in image_moves) == values
        turned = {move.position.transform(automorphism): move[3:] for move in moves}
        assert {move.position: move[3:] for move in image_moves} == turned
