"""Placing sectors, slot by slot, against the naive twin."""

from __future__ import annotations

from dataclasses import replace

import indexed
import naive
import naive_placing
import numpy as np
import pytest
from strategies import NINE, SIX

from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, closure, solving_order, wanted_sectors
from solver.solve import solve_unit
from solver.solved import SolvedSector


def assert_like_twin(rules: Rules, sectors: list[Sector], moving: naive.Tables) -> None:
    """Solve sectors, the moving ones first, and compare all that are in the twin's tables."""
    board = rules.board.name
    placing = [sector for sector in sectors if not sector.moving]
    tables = naive_placing.solve_sectors(board, rules.all_in_mills == "any", placing, moving)
    solved: dict[Sector, SolvedSector] = {}
    with Workers(1) as workers:
        for unit in solving_order(rules, sectors):
            for result in solve_unit(rules, unit, lambda s: solved[s].stored, workers):
                solved[result.sector] = result
    assert {indexed.key_of(sector) for sector in sectors} == set(tables)
    for sector in placing:
        np.testing.assert_array_equal(
            solved[sector].stored, indexed.indexed(board, tables, sector), err_msg=str(sector)
        )
        every, distinct = naive.histograms(board, tables, *sector)
        every[naive.VOID] = distinct[naive.VOID] = 0
        np.testing.assert_array_equal(solved[sector].counts.positions, every)
        np.testing.assert_array_equal(solved[sector].counts.distinct, distinct)


@pytest.mark.deep
def test_nine_with_seven_stones_equals_the_twin() -> None:
    """Every placing sector whose sides have four and three stones in all, or three each."""
    roots = [(0, 0, 3, 3), (0, 1, 3, 2), (0, 0, 4, 3), (0, 1, 3, 3), (1, 0, 3, 3), (0, 2, 3, 2)]
    found = closure(NINE, [Sector(*root) for root in roots])
    sectors = [sector for unit in solving_order(NINE, found) for sector in unit.sectors]
    assert sum(not sector.moving for sector in sectors) == 19
    assert_like_twin(NINE, sectors, naive.nine_tables())


@pytest.mark.parametrize("flying", [False, True])
def test_a_whole_game_on_the_small_board_equals_the_twin(flying: bool) -> None:
    rules = replace(SIX, stones=4, flying_at=3 if flying else None)
    sectors = wanted_sectors(rules)
    moving = naive.solve_units("merels16", flying, True, [(3, 3), (4, 3), (4, 4)])
    assert_like_twin(rules, sectors, moving)
