"""Variants by name, and fingerprints that say just as much as can matter."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace

import pytest
from strategies import NINE, SIX, TOURNAMENT

from solver.boards import BOARDS, Board
from solver.errors import (
    DamagedTableError,
    LockedDatabaseError,
    MissingTableError,
    MorrisError,
    ResourceError,
    UsageError,
)
from solver.rules import VARIANTS, Rules, get_variant
from solver.sectors import Sector, moving_sectors, parse_sector, start_sector, wanted_sectors


def test_nine_is_the_standard_game() -> None:
    rules = get_variant("nine")
    assert rules is VARIANTS["nine"]
    assert rules == Rules(
        name="nine",
        board=BOARDS["merels24"],
        stones=9,
        flying_at=3,
        double_mill=1,
        all_in_mills="any",
        fewest_stones=3,
    )


def test_unknown_variant_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="there are: nine"):
        get_variant("chess")


def test_fingerprint_and_folder_have_their_forms() -> None:
    sector = Sector(6, 5)
    assert re.fullmatch(r"[0-9a-f]{16}", NINE.fingerprint(sector))
    assert NINE.folder(sector) == f"merels24-{NINE.fingerprint(sector)[:8]}"


def test_reduced_rules_survive_json() -> None:
    reduced = NINE.reduced(Sector(6, 5))
    assert json.loads(json.dumps(reduced)) == reduced
    assert reduced["board"] == "merels24"
    assert "stones" not in reduced
    assert "name" not in reduced


def test_stones_and_name_do_not_matter() -> None:
    other = replace(NINE, name="four stones", stones=4)
    for sector in wanted_sectors(other):
        assert other.fingerprint(sector) == NINE.fingerprint(sector)


def test_all_tables_of_nine_are_one_family() -> None:
    assert len({NINE.folder(sector) for sector in wanted_sectors(NINE)}) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"board": BOARDS["merels16"]},
        {"flying_at": None},
        {"all_in_mills": "none"},
        {"fewest_stones": 2},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_what_matters_changes_the_fingerprint(changed: dict[str, object]) -> None:
    sector = Sector(4, 4)
    assert replace(NINE, **changed).fingerprint(sector) != NINE.fingerprint(sector)


def test_double_mill_never_matters_once_both_hands_are_empty() -> None:
    for rules in (NINE, SIX):
        double = replace(rules, double_mill=2)
        for sector in moving_sectors(rules):
            assert double.fingerprint(sector) == rules.fingerprint(sector)
            assert not double.double_capture_possible(sector)


@pytest.mark.parametrize(
    ("sector", "matters"),
    [
        ("0-0+9-9", True),
        ("4-5+5-4", True),
        ("4-4+1-1", True),
        ("3-4+1-0", False),  # four stones at most: none of them can be the fifth of two mills
        ("4-3+1-0", False),  # the first capture wins
        ("3-3+1-1", False),
        ("4-4+0-0", False),
    ],
)
def test_double_mill_matters_only_where_five_stones_can_meet(sector: str, matters: bool) -> None:
    counts = parse_sector(sector)
    assert (TOURNAMENT.fingerprint(counts) != NINE.fingerprint(counts)) is matters


def test_double_mill_matters_while_moving_where_a_slide_can_close_two() -> None:
    # Two lines cross in b2, which can be entered from b1, on neither of them.
    board = Board(
        name="cross",
        points=("b3", "a2", "b2", "c2", "b1", "a1", "c1"),
        edges=((2, 4),),
        lines=((0, 2, 5), (1, 2, 3)),
    )
    one = replace(NINE, board=board, flying_at=None)
    two = replace(one, double_mill=2)
    assert two.double_capture_possible(Sector(5, 4))
    assert not two.double_capture_possible(Sector(4, 4))
    assert not two.double_capture_possible(Sector(5, 3))
    assert two.fingerprint(Sector(4, 5)) != one.fingerprint(Sector(4, 5))
    assert two.fingerprint(Sector(4, 4)) == one.fingerprint(Sector(4, 4))
    assert not one.double_capture_possible(Sector(5, 4))


def test_flying_limit_out_of_reach_counts_as_none() -> None:
    never = replace(NINE, flying_at=None)
    at_five = replace(NINE, flying_at=5)
    assert at_five.fingerprint(Sector(4, 4)) == never.fingerprint(Sector(4, 4))
    assert at_five.fingerprint(Sector(4, 5)) != never.fingerprint(Sector(4, 5))
    assert at_five.fingerprint(start_sector(NINE)) != never.fingerprint(start_sector(NINE))


@pytest.mark.parametrize(
    ("error", "bases", "code"),
    [
        (UsageError("said so"), (ValueError,), 2),
        (MissingTableError("said so", "6-5"), (KeyError,), 3),
        (DamagedTableError("said so"), (OSError,), 4),
        (ResourceError("said so"), (), 5),
        (LockedDatabaseError("said so"), (ResourceError,), 5),
    ],
)
def test_errors_say_their_sentence_and_can_be_caught_by_family(
    error: MorrisError, bases: tuple[type[Exception], ...], code: int
) -> None:
    assert str(error) == "said so"
    assert isinstance(error, (MorrisError, *bases))
    assert all(isinstance(error, base) for base in bases)
    assert error.exit_code == code
    # Worker processes send their errors home.
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (type(error), "said so")


def test_missing_table_names_its_sector() -> None:
    error = MissingTableError("said so", "6-5")
    assert error.sector == "6-5"
    assert pickle.loads(pickle.dumps(error)).sector == "6-5"
