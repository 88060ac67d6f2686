"""``morris stats`` and ``perft``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Morris

from solver.rules import get_variant
from solver.sectors import Sector, position_count, slots

NINE = get_variant("nine")

# Published: distinct positions of 3-3 by depth.
WINS = (
    "1:66472 3:33775 5:16651 7:6619 9:4770 11:2561 13:3808 15:2506 17:1185 19:776 21:1125 23:346"
    " 25:27"
)
LOSSES = (
    "2:3125 4:4700 6:3998 8:2496 10:2099 12:2160 14:2261 16:2387 18:2116 20:2122 22:1079 24:123"
    " 26:70"
)
DRAWS = 269

ALL = ["3-3", "4-3", "3-4"]


def test_stats_of_one_sector_are_the_published_ones(morris: Morris, database: Path) -> None:
    (record,) = morris("stats", "nine", "3-3", "--db", database, "--json").json
    assert list(record) == [
        "variant", "sector", "slots", "positions", "distinct", "deepest_win", "deepest_loss",
        "histogram", "bytes",
    ]  # fmt: skip
    assert (record["variant"], record["sector"]) == ("nine", "3-3")
    assert record["slots"] == slots(NINE, Sector(3, 3))
    pairs = f"{WINS} {LOSSES}".split()
    published = {depth: int(count) for depth, count in (pair.split(":") for pair in pairs)}
    assert record["histogram"]["distinct"] == published
    # Depths stand in ascending order.
    assert list(record["histogram"]["distinct"]) == sorted(published, key=int)
    assert list(record["histogram"]["positions"]) == sorted(published, key=int)
    distinct, positions = record["distinct"], record["positions"]
    assert list(distinct) == list(positions) == ["total", "wins", "losses", "draws"]
    assert distinct["draws"] == DRAWS
    assert distinct["total"] == sum(published.values()) + DRAWS
    assert positions["total"] == position_count(NINE.board, Sector(3, 3))
    assert (
        sum(record["histogram"]["positions"].values()) + positions["draws"] == (positions["total"])
    )
    assert (record["deepest_win"], record["deepest_loss"]) == (25, 26)
    (file,) = database.glob("*/3-3.dtw.zst")
    assert record["bytes"] == file.stat().st_size


def test_without_sectors_every_one_present_is_listed_in_order(
    morris: Morris, database: Path
) -> None:
    records = morris("stats", "nine", "--db", database, "--json").json
    assert [record["sector"] for record in records] == ALL
    # A distance is null where there is none.
    assert (records[2]["deepest_win"], records[2]["deepest_loss"]) == (33, None)
    text = morris("stats", "nine", "--db", database).out
    rows = [line.split() for line in text.split("\n\n")[0].splitlines()]
    assert [row[0] for row in rows] == ["sector", *ALL]
    assert rows[1][1:7] == ["169,626", "140,621", "28,736", "269", "25", "26"]
    assert rows[3][5:7] == ["33", "-"]


def test_named_sectors_are_shown_by_depth(morris: Morris, database: Path) -> None:
    text = morris("stats", "nine", "3-4", "3-3", "--db", database).out
    summary, _, first, second = text.strip().split("\n\n")
    assert [line.split()[0] for line in summary.splitlines()] == ["sector", "3-3", "3-4"]
    rows = [line.rsplit(maxsplit=2) for line in first.splitlines()]
    assert rows[0] == ["sector 3-3", "distinct", "positions"]
    assert rows[1][:2] == ["win in 1", "66,472"]
    assert rows[13][:2] == ["win in 25", "27"]
    assert rows[14][:2] == ["loss in 2", "3,125"]
    assert rows[-2][:2] == ["draw", "269"]
    assert rows[-1] == ["total", "169,626", "2,691,920"]
    assert second.startswith("sector 3-4")


def test_an_empty_database_has_no_stats(morris: Morris, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        for extra in ([], ["--json"]):
            error = morris("stats", "nine", "--db", folder, *extra).refused(3)
            assert f"morris solve nine --stones 8 --db {folder}" in error


def test_stats_of_a_sector_that_is_missing(morris: Morris, database: Path) -> None:
    error = morris("stats", "nine", "3-3", "5-6", "--db", database).refused(3)
    assert "sector 5-6 is missing" in error
    assert "morris solve nine 6-5" in error


def test_stats_of_a_damaged_file(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    (table,) = copy.glob("*/4-3.dtw.zst")
    damaged = bytearray(table.read_bytes())
    damaged[60] ^= 1
    table.write_bytes(damaged)
    for extra in ([], ["--json"]):
        assert str(table) in morris("stats", "nine", "--db", copy, *extra).refused(4)


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 24), (2, 552), (3, 12_144)])
def test_perft_of_the_start(morris: Morris, depth: int, nodes: int) -> None:
    assert morris("perft", "nine", depth, "--json").json == {"nodes": nodes}
    assert morris("perft", "nine", depth).out == f"{nodes:,} node{'s' * (nodes != 1)}\n"


def test_perft_by_first_turn(morris: Morris) -> None:
    record = morris("perft", "nine", 3, "--divide", "--json").json
    assert list(record) == ["nodes", "divide"]
    assert record["nodes"] == sum(record["divide"].values()) == 12_144
    assert list(record["divide"]) == sorted(NINE.board.points)
    lines = morris("perft", "nine", 3, "--divide").out.splitlines()
    assert lines[0].split() == ["turn", "nodes"]
    assert lines[1].split() == ["a1", "506"]
    assert lines[-1] == "12,144 nodes"


def test_perft_of_a_position(morris: Morris) -> None:
    one_move = "w:Wd7,g7,f6,e5:Bd6,g4,f4,d5,e4"
    record = morris("perft", "nine", 1, "--divide", "--position", one_move, "--json").json
    assert record == {"nodes": 1, "divide": {"d7-a7": 1}}
    lost = "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"
    assert morris("perft", "nine", 2, "--divide", "--position", lost, "--json").json == {
        "nodes": 0,
        "divide": {},
    }
    assert "z1" in morris("perft", "nine", 1, "--position", "w:Wz1:B").refused(2)
    assert "depth of 1" in morris("perft", "nine", 0, "--divide").refused(2)
