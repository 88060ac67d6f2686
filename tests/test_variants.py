"""Every variant is the record that the rules say, and shares tables with its like."""

from __future__ import annotations

from itertools import combinations
from operator import attrgetter

import pytest

from solver.errors import UsageError
from solver.rules import OPTIONS, VARIANTS, Rules, get_variant, with_options
from solver.sectors import Sector, moving_sectors, wanted_sectors

# board, stones, flying, mill pays, double mill takes, all in mills
TABLE = """
    nine             merels24   9      3      capture  1  any
    nine-no-flying   merels24   9      never  capture  1  any
    nine-tournament  merels24   9      3      capture  2  any
    six              merels16   6      never  capture  1  any
    five             merels16   5      never  capture  1  any
    four             merels16   4      never  capture  1  any
    seven            merels16   7      never  capture  1  any
    ten              merels24   10     3      capture  1  any
    eleven           merels24d  11     3      capture  1  any
    twelve           merels24d  12     3      capture  1  any
    morabaraba       merels24d  12     3      capture  1  any
    lasker           merels24   10     3      capture  1  any
    three            grid3d     3      never  wins     1  any
    tic-tac-toe      grid3      5/4    never  wins     1  any
    dara             grid6x5    12     never  capture  1  any
"""
ROWS = [row.split() for row in TABLE.strip().splitlines()]


def test_the_table_of_variants() -> None:
    assert list(VARIANTS) == [row[0] for row in ROWS]
    for name, board, stones, flying, pays, double, in_mills in ROWS:
        rules = VARIANTS[name]
        first, _, second = stones.partition("/")
        assert rules.name == name
        assert rules.board.name == board
        assert rules.hands == (int(first), int(second or first))
        assert rules.flying_at == (None if flying == "never" else int(flying))
        assert rules.mill_wins == (pays == "wins")
        assert (rules.double_mill, rules.all_in_mills) == (int(double), in_mills)
        assert rules.fewest_stones == 3


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("full_board_draws", {"morabaraba", "tic-tac-toe"}),
        ("place_or_slide", {"lasker"}),
        ("long_lines_forbidden", {"dara"}),
        ("mill_wins", {"three", "tic-tac-toe"}),
    ],
)
def test_what_only_some_have(field: str, names: set[str]) -> None:
    assert {name for name, rules in VARIANTS.items() if getattr(rules, field)} == names


def test_stones_in_mills_are_protected_but_in_dara() -> None:
    assert [name for name, rules in VARIANTS.items() if not rules.mills_protect] == ["dara"]


def test_draws_that_depend_on_the_history() -> None:
    off = {"morabaraba": (0, 0), "tic-tac-toe": (0, 0), "three": (3, 120), "dara": (3, 120)}
    for name, rules in VARIANTS.items():
        assert (rules.repetition, rules.quiet_limit) == off.get(name, (3, 60))


def test_names_are_read_in_any_case() -> None:
    assert get_variant(" Tic-Tac-Toe ") is VARIANTS["tic-tac-toe"]


MEANINGLESS = {
    "three": {
        "double-mill": "a mill wins at once and takes nothing",
        "all-in-mills": "a mill wins at once and takes nothing",
    },
    "tic-tac-toe": {
        "stones": "its stones are as many as the board has points",
        "flying": "no stone ever moves",
        "double-mill": "a mill wins at once and takes nothing",
        "all-in-mills": "a mill wins at once and takes nothing",
    },
    "dara": {"all-in-mills": "no stone is ever protected"},
}


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_options_that_mean_nothing_are_refused(rules: Rules) -> None:
    meaningless = MEANINGLESS.get(rules.name, {})
    for name, option in OPTIONS.items():
        for value in option.values:
            text = f"{name}={value}"
            if name not in meaningless:
                changed = with_options(rules, [text])
                assert getattr(changed, option.field) == option.values[value]
                continue
            with pytest.raises(UsageError) as caught:
                with_options(rules, [text])
            expected = f"{name} means nothing in {rules.name}: {meaningless[name]}"
            assert str(caught.value) == expected


# Which variants share tables, and where.


def fingerprints(name: str, *options: str, moving: bool = False) -> dict[Sector, str]:
    rules = with_options(get_variant(name), options)
    sectors = moving_sectors(rules) if moving else wanted_sectors(rules)
    return {sector: rules.fingerprint(sector) for sector in sectors}


def shared(first: dict[Sector, str], second: dict[Sector, str]) -> bool:
    """Whether one fingerprint stands for all sectors that both have."""
    both = first.keys() & second.keys()
    assert both
    return all(first[sector] == second[sector] for sector in both)


def test_fingerprint_of_nine_never_changes() -> None:
    # Every table on disk carries it: a change here makes them all useless.
    assert set(fingerprints("nine").values()) == {"e95907ef5945f8cc"}


@pytest.mark.parametrize(
    "family",
    [
        [["nine"], ["ten"], ["nine", "stones=4"], ["nine-no-flying", "flying=3"]],
        [["four"], ["five"], ["six"], ["seven"], ["four", "stones=6"]],
        [["nine-no-flying"], ["nine", "flying=never"]],
        [["eleven"], ["twelve"], ["twelve", "stones=3"]],
        [["nine-tournament"], ["nine", "double-mill=2"]],
    ],
)
def test_the_number_of_stones_does_not_divide_a_family(family: list[list[str]]) -> None:
    for first, second in combinations([fingerprints(*game) for game in family], 2):
        assert shared(first, second)


@pytest.mark.parametrize("name", ["nine-tournament", "lasker", "ten"])
def test_moving_tables_that_are_those_of_nine(name: str) -> None:
    assert shared(fingerprints(name, moving=True), fingerprints("nine", moving=True))


def test_lasker_shares_nothing_with_stones_in_hand() -> None:
    lasker, nine = fingerprints("lasker"), fingerprints("nine")
    for sector in lasker.keys() & nine.keys():
        assert (lasker[sector] == nine[sector]) is sector.moving


def test_two_stones_for_two_mills_matter_where_two_can_be_closed() -> None:
    # With diagonals a slide can do so.
    one, two = (
        fingerprints("twelve", moving=True),
        fingerprints("twelve", "double-mill=2", moving=True),
    )
    assert one[Sector(3, 3)] == two[Sector(3, 3)]
    assert one[Sector(5, 4)] != two[Sector(5, 4)]
    # Without, only while stones are placed.
    one, two = fingerprints("six"), fingerprints("six", "double-mill=2")
    assert all(one[sector] == two[sector] for sector in one if sector.moving)
    assert one[Sector(0, 0, 6, 6)] != two[Sector(0, 0, 6, 6)]


def test_morabaraba_shares_where_the_full_board_cannot_come_any_more() -> None:
    twelve, morabaraba = fingerprints("twelve"), fingerprints("morabaraba")
    assert twelve.keys() == morabaraba.keys()
    for sector in twelve:
        full = sector.mover_total + sector.opponent_total == 24
        assert (twelve[sector] != morabaraba[sector]) is full


def test_boards_and_what_a_mill_does_divide() -> None:
    families = [
        VARIANTS[name].fingerprint(Sector(3, 3))
        for name in ("nine", "nine-no-flying", "six", "twelve", "three", "dara")
    ]
    assert len(set(families)) == len(families)
