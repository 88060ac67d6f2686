"""Whole sectors, slot by slot, against the naive twin; and the same bytes whatever the threads."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import indexed
import naive
import numpy as np
import pytest
from strategies import NINE, SIX

from solver import parallel
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import (
    Sector,
    moving_sectors,
    parse_sector,
    solving_order,
    unit_of,
    wanted_sectors,
)
from solver.solve import solve_unit
from solver.solved import SolvedSector

Solved = dict[Sector, SolvedSector]


def solve(rules: Rules, stones: int, threads: int = 2) -> Solved:
    """Every moving sector of at most so many stones."""
    solved: Solved = {}
    sectors = [sector for sector in moving_sectors(rules) if sector.stones <= stones]
    with Workers(threads) as workers:
        for unit in solving_order(rules, sectors):
            for result in solve_unit(rules, unit, lambda s: solved[s].stored, workers):
                solved[result.sector] = result
    return solved


def assert_like_twin(board: str, solved: Solved, tables: naive.Tables) -> None:
    for sizes in tables:
        sector = Sector(*sizes)
        np.testing.assert_array_equal(
            solved[sector].stored, indexed.indexed(board, tables, sector), err_msg=str(sector)
        )


def assert_counts(board: str, solved: Solved, tables: naive.Tables) -> None:
    for mover, opponent in tables:
        counts = solved[Sector(mover, opponent)].counts
        every, distinct = naive.histograms(board, tables, mover, opponent)
        every[naive.VOID] = distinct[naive.VOID] = 0  # overlapping sets, no positions at all
        np.testing.assert_array_equal(counts.positions, every)
        np.testing.assert_array_equal(counts.distinct, distinct)


def test_nine_up_to_seven_stones_equals_the_twin() -> None:
    tables = naive.nine_tables()
    solved = solve(NINE, 7)
    assert set(solved) == {Sector(3, 3), Sector(4, 3), Sector(3, 4)}
    assert_like_twin("merels24", solved, tables)
    assert_counts("merels24", solved, tables)


@pytest.mark.parametrize(("flying", "stones"), [(False, 9), (True, 8)])
def test_the_small_board_equals_the_twin(flying: bool, stones: int) -> None:
    rules = replace(SIX, flying_at=3 if flying else None)
    sectors = [s for s in moving_sectors(rules) if s.stones <= stones]
    units = [unit.sectors[0][:2] for unit in solving_order(rules, sectors)]
    tables = naive.solve_units("merels16", flying, True, units)
    solved = solve(rules, stones)
    assert set(solved) == {Sector(*sizes) for sizes in tables}
    assert_like_twin("merels16", solved, tables)
    assert_counts("merels16", solved, tables)


def test_threads_do_not_change_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing is too small to be split, so that every range really ends somewhere.
    monkeypatch.setattr(parallel, "_RANGE_WORK", 1)
    first, *others = (solve(NINE, 8, threads) for threads in (1, 2, 3))
    for other in others:
        for sector, result in first.items():
            np.testing.assert_array_equal(result.stored, other[sector].stored)
            np.testing.assert_array_equal(result.counts.distinct, other[sector].counts.distinct)


def test_progress_adds_up_to_all_slots() -> None:
    solved = solve(NINE, 6)
    done: list[int] = []
    unit = unit_of(NINE, Sector(4, 3))
    with Workers(1) as workers:
        results = solve_unit(NINE, unit, lambda s: solved[s].stored, workers, done.append)
    assert sum(done) == sum(len(result.stored) for result in results)


def test_whole_game_with_four_stones_equals_the_reference() -> None:
    """Placing included: every sector's counts and deepest distances, and the start is drawn."""
    rules = replace(NINE, stones=4)
    solved: Solved = {}
    with Workers(2) as workers:
        for unit in solving_order(rules, wanted_sectors(rules)):
            for result in solve_unit(rules, unit, lambda s: solved[s].stored, workers):
                solved[result.sector] = result
    path = Path(__file__).parent.parent / "databases" / "reference" / "nine-with-4-stones.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert {row["sector"] for row in rows} == {str(sector) for sector in solved}
    for row in rows:
        distinct = solved[parse_sector(row["sector"])].counts.distinct
        depths = np.flatnonzero(distinct[:254])
        found = {
            "distinct": distinct.sum(),
            "wins": distinct[1:254:2].sum(),
            "losses": distinct[0:254:2].sum(),
            "draws": distinct[255],
            "deepest_win": depths[depths % 2 == 1].max(initial=0),
            "deepest_loss": depths[depths % 2 == 0].max(initial=0),
        }
        assert {key: int(value) for key, value in found.items()} == {
            key: int(row[key]) for key in found
        }, row["sector"]
    assert solved[Sector(0, 0, 4, 4)].stored.tolist() == [255]
