"""Whole games under every rule, slot by slot, against the naive solver of the family."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path

import family_rules
import family_tables
import naive_family
import numpy as np
import pytest
from strategies import NINE, SIX, game_of

from solver.boards import BOARDS, Board
from solver.build import build
from solver.parallel import Workers
from solver.rules import Rules, get_variant, with_options
from solver.sectors import (
    Sector,
    closure,
    dependencies,
    sectors_up_to,
    solving_order,
    start_sector,
    wanted_sectors,
)
from solver.solve import solve_unit
from solver.solved import SolvedSector
from solver.verify import verify_sectors
from solver.widths import BYTE, WORD, widened

Solved = dict[Sector, SolvedSector]

DARA = get_variant("dara")
DRAW = BYTE.draw


def solve(rules: Rules, sectors: Iterable[Sector]) -> Solved:
    """Some sectors and all they need."""
    solved: Solved = {}
    with Workers(2) as workers:
        for unit in solving_order(rules, closure(rules, sectors)):
            for result in solve_unit(rules, unit, lambda s: solved[s].stored, workers):
                solved[result.sector] = result
    return solved


def assert_like_naive(rules: Rules, sectors: Iterable[Sector]) -> Solved:
    """Every slot of some sectors and all they need, and their counts."""
    sectors = tuple(sectors)
    solved = solve(rules, sectors)
    game = game_of(rules)
    for sector, table in family_tables.dense_tables(rules, sectors).items():
        expected = family_tables.by_slot(rules, sector, table)
        found = solved[sector]
        np.testing.assert_array_equal(widened(found.stored), expected, err_msg=str(sector))
        numbers = np.flatnonzero(found.counts.distinct)
        counts = found.counts.distinct[numbers].tolist()
        distinct = dict(
            zip(widened(numbers.astype(found.stored.dtype)).tolist(), counts, strict=True)
        )
        assert distinct == naive_family.distinct_counts(game, tuple(sector), table), sector
        every = np.bincount(table[table != naive_family.VOID].ravel(), minlength=1 << 16)
        assert (
            found.counts.positions.tolist()
            == every[widened(np.arange(256, dtype=np.uint8))].tolist()
        )
    return solved


@pytest.mark.parametrize(
    "name",
    [
        "tic-tac-toe",
        "three",
        "four",
        pytest.param("five", marks=pytest.mark.deep),
        pytest.param("six", marks=pytest.mark.deep),
    ],
)
def test_whole_games_equal_the_naive_solver(name: str) -> None:
    rules = get_variant(name)
    solved = assert_like_naive(rules, wanted_sectors(rules))
    start = int(solved[start_sector(rules)].stored[0])
    # Published: all draws but Three Men's Morris, which the first player wins.
    assert start % 2 == 1 if name == "three" else start == DRAW


def made_by_hand() -> list[Rules]:
    """Rules on the smallest board with edges, every option with every other one."""
    options = product(
        (3, None), (1, 2), ("any", "none"), (True, False), (False, True), (False, True)
    )
    return [
        Rules(
            name=f"{flying} {double} {mills} {protect} {slide} {full}",
            board=BOARDS["grid3d"],
            stones=4,
            flying_at=flying,
            double_mill=double,
            all_in_mills=mills,  # type: ignore[arg-type]
            mills_protect=protect,
            place_or_slide=slide,
            full_board_draws=full,
        )
        for flying, double, mills, protect, slide, full in options
    ]


@pytest.mark.parametrize("rules", made_by_hand(), ids=lambda rules: rules.name)
def test_rules_made_by_hand_equal_the_naive_solver(rules: Rules) -> None:
    assert_like_naive(rules, wanted_sectors(rules))


@pytest.mark.parametrize("stones", [3, 4, 5])
@pytest.mark.parametrize("flying", [3, None])
@pytest.mark.parametrize("place_or_slide", [False, True])
def test_mills_that_win_equal_the_naive_solver(
    stones: int, flying: int | None, place_or_slide: bool
) -> None:
    """With five stones each the board is full before hands are empty."""
    three = get_variant("three")
    rules = replace(three, stones=stones, flying_at=flying, place_or_slide=place_or_slide)
    assert_like_naive(rules, wanted_sectors(rules))


def test_turns_that_place_or_slide_equal_the_naive_solver() -> None:
    rules = replace(SIX, stones=4, flying_at=3, place_or_slide=True, double_mill=2)
    assert_like_naive(rules, wanted_sectors(rules))


@pytest.mark.parametrize(
    "options",
    [{}, pytest.param({"flying_at": 3, "double_mill": 2}, marks=pytest.mark.deep)],
    ids=["usual", "flying, two captures"],
)
def test_forbidden_rows_equal_the_naive_solver(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, int]
) -> None:
    """The rules of Dara whole on a grid of four by four, where rows of four are rare enough."""
    twin = family_rules.grid("abcd", "1234", "", joined=True)
    points = twin.points
    index = {point: number for number, point in enumerate(points)}
    edges = sorted(tuple(sorted(index[p] for p in edge)) for edge in twin.edges)
    lines = sorted(tuple(sorted(index[p] for p in line)) for line in twin.lines)
    board = Board("grid4x4", tuple(points), tuple(edges), tuple(lines))  # type: ignore[arg-type]
    assert len(board.long_line_masks) == 8
    monkeypatch.setitem(BOARDS, board.name, board)
    monkeypatch.setitem(family_rules.BOARDS, board.name, twin)
    rules = replace(get_variant("dara"), name=f"small {options}", board=board, stones=4, **options)
    solved = assert_like_naive(rules, wanted_sectors(rules))
    assert np.any(solved[Sector(4, 4)].stored == BYTE.void)


@pytest.mark.parametrize("name", ["nine-no-flying", "morabaraba"])
def test_large_boards_equal_the_naive_solver(name: str) -> None:
    assert_like_naive(get_variant(name), [Sector(3, 3)])


@pytest.mark.parametrize(
    "rules",
    [
        *(rules for rules in made_by_hand()[:: len(made_by_hand()) // 4]),
        pytest.param(replace(SIX, stones=4), marks=pytest.mark.deep),
    ],
    ids=lambda rules: rules.name,
)
def test_distances_that_need_words_equal_the_naive_solver(rules: Rules) -> None:
    """Every third sector is made 300 plies deeper than it is for those that read it."""
    stored: dict[Sector, np.ndarray] = {}
    naive: dict[naive_family.Key, np.ndarray] = {}
    wide = 0

    def deeper(table: np.ndarray) -> np.ndarray:
        return np.where(table <= WORD.deepest, table + np.uint16(300), table).astype(np.uint16)

    with Workers(2) as workers:
        units = solving_order(rules, wanted_sectors(rules))
        for number, unit in enumerate(units):
            assert stored.keys() >= set(dependencies(rules, unit))
            results = solve_unit(rules, unit, stored.__getitem__, workers)
            group = [tuple(sector) for sector in unit.sectors]
            tables = naive_family.solve_group(game_of(rules), group, naive)
            for result in results:
                expected = family_tables.by_slot(rules, result.sector, tables[tuple(result.sector)])
                np.testing.assert_array_equal(widened(result.stored), expected)
                distances = expected[expected <= WORD.deepest]
                # No wider than needed.
                needed = np.uint16 if distances.max(initial=0) > BYTE.deepest else np.uint8
                assert result.stored.dtype == needed
                assert len(result.counts.positions) == np.iinfo(needed).max + 1
                wide += needed is np.uint16
                stored[result.sector] = result.stored
            if number % 3 == 0:
                for sector in unit.sectors:
                    stored[sector] = deeper(widened(stored[sector]))
                    tables[tuple(sector)] = deeper(tables[tuple(sector)])
            naive.update(tables)
    assert wide


@pytest.mark.parametrize(
    ("rules", "stones"),
    [
        (get_variant("nine-no-flying"), 8),
        (with_options(NINE, ["all-in-mills=none"]), 9),
        (with_options(get_variant("morabaraba"), ["double-mill=2", "all-in-mills=none"]), 8),
        (get_variant("eleven"), 8),
        (get_variant("dara"), 6),
        pytest.param(get_variant("dara"), 7, marks=pytest.mark.deep),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_moving_sectors_are_right(rules: Rules, stones: int, tmp_path: Path) -> None:
    sectors = sectors_up_to(rules, stones)
    report = build(rules, sectors, tmp_path)
    assert report.solved == sectors
    checked = verify_sectors(rules, sectors, tmp_path, "full", threads=2)
    assert checked.mismatches == 0
    assert checked.checked == sum(sector.checked for sector in checked.sectors)


@pytest.mark.parametrize("options", [[], ["double-mill=2"], ["all-in-mills=none", "flying=never"]])
def test_lasker_with_few_stones_is_right(options: list[str], tmp_path: Path) -> None:
    rules = with_options(get_variant("lasker"), ["stones=3" if options else "stones=4", *options])
    sectors = wanted_sectors(rules)
    build(rules, sectors, tmp_path)
    assert verify_sectors(rules, sectors, tmp_path, "full", threads=2).mismatches == 0


@pytest.mark.parametrize(
    ("first", "second", "sectors"),
    [
        ("nine", "ten", [Sector(4, 3)]),
        ("nine", "nine-tournament", [Sector(4, 3)]),
        ("nine", "lasker", [Sector(4, 3)]),
        ("nine-tournament", "nine", [Sector(3, 3)]),
        ("four", "seven", [Sector(4, 4), Sector(3, 3, 1, 0)]),
        ("morabaraba", "eleven", [Sector(4, 3)]),
    ],
)
def test_what_another_game_has_solved_is_not_solved_again(
    first: str, second: str, sectors: list[Sector], tmp_path: Path
) -> None:
    done = build(get_variant(first), sectors, tmp_path)
    assert done.solved
    again = build(get_variant(second), sectors, tmp_path)
    assert not again.solved
    assert set(again.skipped) == set(done.solved)
