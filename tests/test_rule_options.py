"""Rule options, ``-r name=value``: what they change, their names, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Morris
from strategies import NINE

from solver.errors import UsageError
from solver.rules import with_options
from solver.sectors import Sector, wanted_sectors
from solver.tablefile import table_path


@pytest.mark.parametrize(
    ("options", "name", "field", "value"),
    [
        (["stones=4"], "nine -r stones=4", "stones", 4),
        ([" stones = 12 "], "nine -r stones=12", "stones", 12),
        (["flying=never"], "nine -r flying=never", "flying_at", None),
        (["double-mill=2"], "nine -r double-mill=2", "double_mill", 2),
        (["all-in-mills=none"], "nine -r all-in-mills=none", "all_in_mills", "none"),
        (["flying=never", "stones=5"], "nine -r stones=5 -r flying=never", "stones", 5),
    ],
)
def test_an_option_changes_the_rules_and_the_name(
    options: list[str], name: str, field: str, value: object
) -> None:
    rules = with_options(NINE, options)
    assert rules.name == name
    assert getattr(rules, field) == value


@pytest.mark.parametrize(
    "options", [[], ["stones=9"], ["flying=3", "double-mill=1", "all-in-mills=any"]]
)
def test_an_option_that_changes_nothing_is_no_other_game(options: list[str]) -> None:
    assert with_options(NINE, options) == NINE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["stones=2"], "stones=2 is not a rule; stones may be 3 to 12"),
        (["stones=13"], "stones may be 3 to 12"),
        (["stones=04"], "stones may be 3 to 12"),
        (["stones"], "stones may be 3 to 12"),
        (["flying=4"], "flying may be 3 or never"),
        (["double-mill=3"], "double-mill may be 1 or 2"),
        (["all-in-mills=some"], "all-in-mills may be any or none"),
        (["board=6"], "no rule option is called 'board'; there are: stones=3 to 12; flying=3 or"),
        ([""], "no rule option is called ''"),
        (["stones=4", "stones=5"], "the rule option stones is given twice"),
    ],
)
def test_what_is_no_option_is_refused(options: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        with_options(NINE, options)


def test_the_number_of_stones_does_not_change_where_a_table_lies(tmp_path: Path) -> None:
    for stones in (3, 4, 5, 12):
        other = with_options(NINE, [f"stones={stones}"])
        for sector in wanted_sectors(other):
            assert table_path(tmp_path, other, sector) == table_path(tmp_path, NINE, sector)


def test_an_option_that_can_act_does(tmp_path: Path) -> None:
    pairs = with_options(NINE, ["double-mill=2"])
    moving, placing = Sector(6, 5), Sector(4, 4, 5, 5)
    assert table_path(tmp_path, pairs, moving) == table_path(tmp_path, NINE, moving)
    assert table_path(tmp_path, pairs, placing) != table_path(tmp_path, NINE, placing)
    for option in ("flying=never", "all-in-mills=none"):
        other = with_options(NINE, [option])
        assert table_path(tmp_path, other, moving) != table_path(tmp_path, NINE, moving)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "nine"],
        ["solve", "nine", "3-3"],
        ["stats", "nine"],
        ["verify", "nine"],
        ["perft", "nine", "1"],
        ["query", "w:W:B:H4,4"],
        ["line", "w:W:B:H4,4"],
    ],
    ids=" ".join,
)
def test_every_command_refuses_what_is_no_option(morris: Morris, arguments: list[str]) -> None:
    message = morris(*arguments, "-r", "stones=99").refused(2)
    assert message == "stones=99 is not a rule; stones may be 3 to 12"


def test_an_option_may_stand_anywhere(morris: Morris) -> None:
    for arguments in (["-r", "stones=4", "nine", "3"], ["nine", "3", "--rule", "stones=4"]):
        assert morris("perft", *arguments, "--json").json == {"nodes": 12144}


def test_options_count_for_positions(morris: Morris, tmp_path: Path) -> None:
    where = ["--db", tmp_path]
    message = morris("query", "w:W:B:H9,9", "-r", "stones=4", *where).refused(2)
    assert "each side has 4 in all" in message
    message = morris("query", "w:W:B:H4,4", "-r", "stones=4", *where).refused(3)
    assert f"morris solve nine -r stones=4 0-0+4-4 --db {tmp_path}" in message


@pytest.mark.parametrize(
    ("stones", "sectors", "slots"), [(4, 28, 7_204_034), (5, 68, 93_814_694), (9, 498, None)]
)
def test_the_plan_of_the_whole_game(
    morris: Morris, tmp_path: Path, stones: int, sectors: int, slots: int | None
) -> None:
    record = morris("plan", "nine", "-r", f"stones={stones}", "--db", tmp_path, "--json").json
    assert record["variant"] == ("nine" if stones == 9 else f"nine -r stones={stones}")
    assert len(record["sectors"]) == sectors
    assert record["sectors"][-1]["sector"] == f"0-0+{stones}-{stones}"
    if slots is not None:
        assert sum(row["slots"] for row in record["sectors"]) == slots
