"""The plan: exact slots, the order, and estimates that can be believed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Morris
from strategies import NINE, SIX

from solver import measured
from solver.errors import UsageError
from solver.plan import file_bytes, make_plan, unit_seconds, unit_slots
from solver.rules import get_variant
from solver.sectors import (
    Sector,
    dependencies,
    moving_sectors,
    parse_sector,
    sectors_up_to,
    slots,
    unit_of,
    wanted_sectors,
)
from solver.tablefile import table_path

FOUR = replace(NINE, stones=4)
"""A whole game small enough for a published count: 28 sectors and 7.5 million slots."""


@pytest.fixture(scope="module")
def seven(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the sectors up to seven stones. Not to be written to."""
    folder = tmp_path_factory.mktemp("seven")
    for sector in sectors_up_to(NINE, 7):
        path = table_path(folder, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    return folder


def test_the_whole_game() -> None:
    plan = make_plan(NINE)
    assert len(plan.rows) == 498
    assert sum(row.sector.moving for row in plan.rows) == 49
    assert 27e9 < plan.slots < 28e9
    assert str(plan.rows[0].sector) == "3-3"
    assert str(plan.rows[-1].sector) == "0-0+9-9"


def test_a_game_of_four_stones() -> None:
    plan = make_plan(FOUR)
    assert len(plan.rows) == 28
    assert 7.1e6 < plan.slots < 7.6e6


@pytest.mark.parametrize("rules", [NINE, FOUR, SIX], ids=lambda rules: f"{rules.name}")
def test_everything_comes_after_what_it_depends_on(rules) -> None:  # type: ignore[no-untyped-def]
    seen: set[Sector] = set()
    for row in make_plan(rules).rows:
        assert set(dependencies(rules, row.unit)) <= seen | set(row.unit.sectors)
        seen.add(row.sector)


def test_sectors_bring_their_units_and_what_they_depend_on() -> None:
    plan = make_plan(NINE, [parse_sector("3-5")])
    assert [str(row.sector) for row in plan.rows] == ["3-3", "4-3", "3-4", "5-3", "3-5"]
    assert [str(row.unit) for row in plan.rows] == ["3-3", "4-3", "4-3", "5-3", "5-3"]
    assert [row.slots for row in plan.rows] == [slots(NINE, row.sector) for row in plan.rows]


def test_totals() -> None:
    plan = make_plan(NINE, sectors_up_to(NINE, 9))
    assert plan.slots == 47_345_633
    assert plan.bytes == sum(row.bytes for row in plan.rows)
    assert plan.memory == max(row.memory for row in plan.rows)
    assert plan.seconds == pytest.approx(
        sum(unit_seconds(NINE, unit) for unit in {row.unit for row in plan.rows})
    )
    assert plan.missing() == plan


def test_what_is_present_is_not_missing() -> None:
    present = [Sector(3, 3), Sector(4, 3)]
    plan = make_plan(NINE, sectors_up_to(NINE, 8), present=present)
    assert [row.sector for row in plan.rows if row.present] == present
    assert [row.sector for row in plan.missing().rows] == [
        sector for sector in sectors_up_to(NINE, 8) if sector not in present
    ]
    nothing = make_plan(NINE, [Sector(3, 3)], present=present).missing()
    assert (nothing.rows, nothing.bytes, nothing.memory, nothing.seconds) == ((), 0, 0, 0)


def test_more_threads_take_less_time() -> None:
    unit = unit_of(NINE, Sector(6, 5))
    assert unit_seconds(NINE, unit, 1) == 2 * unit_seconds(NINE, unit, 2)
    assert unit_seconds(NINE, unit, 8) == unit_seconds(NINE, unit, 2) / 4


@pytest.mark.parametrize(
    "rules",
    [NINE, SIX, *map(get_variant, ("nine-no-flying", "ten", "morabaraba", "lasker", "dara"))],
    ids=lambda rules: rules.name,
)
def test_every_estimate_is_within_reason(rules) -> None:  # type: ignore[no-untyped-def]
    for row in make_plan(rules).rows:
        number = unit_slots(rules, row.unit)
        assert 0 < row.bytes <= row.slots + 2000
        assert (
            number
            < row.memory
            < 300e6
            + 12 * number
            + 2 * sum(slots(rules, sector) for sector in dependencies(rules, row.unit))
        )
        assert 0 < row.seconds < 1 + 200e-9 * row.slots


def test_sizes_of_files_are_estimated_well(seven: Path) -> None:
    for sector in sectors_up_to(NINE, 7):
        size = (seven / NINE.folder(sector) / f"{sector}.dtw.zst").stat().st_size
        assert size / 1.5 < file_bytes(NINE, sector) < 1.5 * size


def test_units_that_place_or_slide_are_like_those_with_all_stones_placed() -> None:
    lasker, hand, placed = get_variant("lasker"), Sector(6, 6, 1, 0), Sector(7, 6)
    bits = [
        file_bytes(rules, sector) / slots(rules, sector)
        for rules, sector in ((lasker, hand), (NINE, placed))
    ]
    assert bits[0] == pytest.approx(bits[1], rel=0.001)
    seconds = [
        unit_seconds(rules, unit_of(rules, sector)) / unit_slots(rules, unit_of(rules, sector))
        for rules, sector in ((lasker, hand), (NINE, placed))
    ]
    assert seconds[1] + 5e-9 < seconds[0] < seconds[1] + 30e-9  # half of its slots place


@pytest.mark.parametrize(
    ("variant", "name", "like"),
    [
        ("ten", "10-7", (10, 7)),
        ("morabaraba", "11-7", (10, 7)),
        ("morabaraba", "12-11", (10, 9)),
        ("morabaraba", "11-10", (10, 9)),
        ("morabaraba", "12-12", (10, 10)),
    ],
)
def test_more_than_ten_stones_are_like_ten(variant: str, name: str, like: tuple[int, int]) -> None:
    """As much a slot in time and on the disk, with diagonals as without."""
    rules = get_variant(variant)
    which = unit_of(rules, parse_sector(name))
    seconds = unit_seconds(rules, which) / unit_slots(rules, which)
    assert seconds == pytest.approx(1e-9 * measured.NS_PER_SLOT[like])
    for sector, stones in zip(which.sectors, (like, like[::-1]), strict=False):
        bits = 8 * (file_bytes(rules, sector) - 1500) / slots(rules, sector)
        assert bits == pytest.approx(measured.BITS_PER_SLOT[stones], rel=1e-4)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "stones"), [("morabaraba", 9), ("nine-no-flying", 9), ("lasker -r stones=5", None)]
)
def test_sizes_of_other_games_are_estimated_well(
    name: str, stones: int | None, tmp_path: Path
) -> None:
    from solver.build import build

    rules = get_variant(name)
    sectors = wanted_sectors(rules) if stones is None else sectors_up_to(rules, stones)
    build(rules, sectors, tmp_path)
    size = sum(table_path(tmp_path, rules, sector).stat().st_size for sector in sectors)
    assert size / 1.3 < sum(file_bytes(rules, sector) for sector in sectors) < 1.3 * size


def test_memory_is_estimated_well() -> None:
    command = [sys.executable, "-m", "solver", "bench", "--stones", "9", "--json"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[1])
    record = json.loads(done.stdout)
    estimate = make_plan(NINE, sectors_up_to(NINE, 9)).memory
    assert 0.5 * estimate < record["peak_memory"] < 1.1 * estimate
    if sys.platform != "linux":
        return
    for unit in record["units"]:
        if unit["slots"] < 10_000_000:
            assert unit["bytes_per_slot"] is None
            continue
        # What is there in any case: a depth and a counter.
        mover = parse_sector(unit["unit"])
        assert 2 < unit["bytes_per_slot"] < measured.MEMORY_FLYING[mover.opponent]
        assert unit["peak_memory"] / unit["slots"] == pytest.approx(
            unit["bytes_per_slot"], abs=0.01
        )


@pytest.mark.parametrize(
    ("name", "longer"), [("8-9+1-0", True), ("5-4+1-0", True), ("8-7+1-1", False), ("8-7", False)]
)
def test_what_is_re_keyed_anew_takes_longer(name: str, longer: bool) -> None:
    """Only the last stone placed leads to tables whose major side may be another."""
    which = unit_of(NINE, parse_sector(name))
    alone = unit_seconds(NINE, which, 2, alone=True)
    assert (alone > unit_seconds(NINE, which, 2)) == longer


def test_a_sector_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="at most 9 stones"):
        make_plan(NINE, [parse_sector("10-3")])


def test_planning_needs_neither_numba_nor_numpy() -> None:
    code = (
        "import sys; from solver.plan import make_plan; from solver.rules import get_variant;"
        "make_plan(get_variant('nine')); assert not {'numba', 'numpy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- the command ------------------------------------------------------------------------------


def test_json_of_the_command(morris: Morris, seven: Path) -> None:
    answer = morris("plan", "nine", "--stones", 8, "--db", seven, "--threads", 2, "--json")
    record = answer.json
    assert list(record) == ["variant", "sectors", "bytes", "memory", "seconds"]
    assert record["variant"] == "nine"
    keys = ["sector", "unit", "slots", "bytes", "memory", "seconds", "present"]
    assert all(list(row) == keys for row in record["sectors"])
    plan = make_plan(NINE, sectors_up_to(NINE, 8))
    assert [row["sector"] for row in record["sectors"]] == [str(r.sector) for r in plan.rows]
    assert [row["slots"] for row in record["sectors"]] == [row.slots for row in plan.rows]
    assert [row["present"] for row in record["sectors"]] == [True] * 3 + [False] * 3
    assert (record["bytes"], record["memory"]) == (plan.bytes, plan.memory)
    assert record["seconds"] == pytest.approx(plan.seconds, abs=0.01)


def test_choices_of_the_command(morris: Morris, tmp_path: Path) -> None:
    def chosen(*arguments: object) -> list[str]:
        answer = morris("plan", "nine", *arguments, "--db", tmp_path / "nowhere", "--json")
        return [row["sector"] for row in answer.json["sectors"]]

    assert len(chosen()) == len(chosen("--all")) == 498
    assert chosen("--moving") == [str(sector) for sector in moving_sectors(NINE)]
    assert chosen("4-4") == ["3-3", "4-3", "3-4", "4-4"]
    assert not (tmp_path / "nowhere").exists()


def test_text_of_the_command(morris: Morris, seven: Path) -> None:
    answer = morris("plan", "nine", "--stones", 8, "--db", seven)
    lines = answer.out.splitlines()
    assert lines[0].split() == ["sector", "unit", "slots", "disk", "memory", "time", "present"]
    assert lines[1].startswith("3-3     3-3     210,140 ")
    assert lines[-2].startswith("all 6 sectors: 11,088,305 slots, ")
    assert lines[-1].startswith("to do: 3 sectors: 9,152,205 slots, ")
    everything = morris("plan", "nine", "--stones", 7, "--db", seven)
    assert everything.out.splitlines()[-1] == "to do: nothing"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--stones", "5"], "no moving sector has so few stones"),
        (["3-3", "--moving"], "exclude each other"),
        (["--all", "--moving"], "exclude each other"),
        (["2-2"], "has lost already"),
        (["3-3+1-9"], "cannot be"),
    ],
)
def test_wrong_usage(morris: Morris, arguments: list[str], expected: str) -> None:
    assert expected in morris("plan", "nine", *arguments).refused(2)


def test_a_database_that_is_a_file(morris: Morris, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is not a folder" in morris("plan", "nine", "--db", tmp_path / "file").refused(2)
