"""Reference counts: read strictly, compared where they mean something."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from conftest import Morris

from solver.errors import UsageError
from solver.reference import COLUMNS, differences, read_reference
from solver.rules import get_variant
from solver.sectors import (
    Sector,
    parse_sector,
    position_count,
    slots,
    solving_order,
    wanted_sectors,
)
from solver.tableheader import Counts, TableHeader

FOLDER = Path(__file__).parents[1] / "databases" / "reference"


def test_the_moving_sectors() -> None:
    rows = read_reference(FOLDER / "nine-moving.csv")
    assert len(rows) == 28
    row = rows[Sector(3, 3)]
    assert row.distinct == Counts(140621, 28736, 269)
    assert (row.positions, row.deepest_win, row.deepest_loss) == (2691920, 25, 26)
    # Where nothing is lost there is no deepest loss.
    assert rows[Sector(3, 4)].deepest_loss is None


def test_the_game_of_four_stones() -> None:
    rows = read_reference(FOLDER / "nine-with-4-stones.csv")
    assert len(rows) == 28
    assert rows[parse_sector("2-3+1-0")].positions is None


def test_both_files_agree() -> None:
    moving = read_reference(FOLDER / "nine-moving.csv")
    for sector, row in read_reference(FOLDER / "nine-with-4-stones.csv").items():
        if sector.moving:
            assert row.distinct == moving[sector].distinct
            assert row.deepest_win == moving[sector].deepest_win


def test_the_whole_game() -> None:
    rules = get_variant("nine")
    rows = read_reference(FOLDER / "nine.csv")
    assert list(rows) == [s for u in solving_order(rules, wanted_sectors(rules)) for s in u.sectors]
    assert len(rows) == 498
    for name in ("nine-moving.csv", "nine-with-4-stones.csv"):
        for sector, row in read_reference(FOLDER / name).items():
            if sector in rows:  # a game of four stones begins in sectors of its own
                assert rows[sector].distinct == row.distinct
                assert rows[sector].deepest_win == row.deepest_win
                assert rows[sector].deepest_loss == row.deepest_loss
                assert row.positions in (None, rows[sector].positions)
    moving = [row for sector, row in rows.items() if sector.moving]
    # Published totals of the moving phase.
    assert sum(row.distinct.wins for row in moving) == 4_325_452_782
    assert sum(row.distinct.losses for row in moving) == 2_747_046_939
    assert sum(row.distinct.draws for row in moving) == 1_832_093_880
    # Published figures of the placing phase.
    assert rows[parse_sector("1-1+8-8")].distinct == Counts(0, 0, 46)
    assert rows[parse_sector("1-2+8-7")].distinct == Counts(31, 0, 397)
    row = rows[parse_sector("2-2+7-7")]
    assert row.distinct == Counts(532, 27, 3641)
    assert (row.deepest_win, row.deepest_loss) == (113, 124)
    assert rows[parse_sector("0-0+9-9")].distinct == Counts(0, 0, 1)


def test_the_whole_game_is_counted_whole() -> None:
    rules = get_variant("nine")
    with open(FOLDER / "nine.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        sector = parse_sector(row["sector"])
        assert int(row["slots"]) == slots(rules, sector)
        assert int(row["positions"]) == position_count(rules.board, sector)
        assert int(row["distinct"]) <= int(row["slots"])
        assert int(row["wdl_bytes"]) > 0
        assert int(row["dtw_bytes"]) > 0
    assert tuple(rows[0]) == COLUMNS


def test_what_is_written_can_be_read(morris: Morris, database: Path, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(morris("stats", "nine", "--csv", "--db", database).out)
    rows = read_reference(path)
    reference = read_reference(FOLDER / "nine-moving.csv")
    assert list(rows) == [Sector(3, 3), Sector(4, 3), Sector(3, 4)]
    assert all(rows[sector] == reference[sector] for sector in rows)
    with open(path, newline="") as file:
        assert {row["wdl_bytes"] for row in csv.DictReader(file)} == {""}
    assert "exclude" in morris("stats", "nine", "--csv", "--json", "--db", database).refused(2)


def test_depths_that_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(",".join(COLUMNS) + "\n3-4,945630,12113640,760398,102281,0,658117,,,,5000\n")
    row = read_reference(path)[Sector(3, 4)]
    assert (row.deepest_win, row.deepest_loss, row.depths_known) == (None, None, False)
    assert differences(row, header()) == []


def header(**fields: object) -> TableHeader:
    values = {
        "sector": "3-4",
        "slots": 945630,
        "major": "opponent",
        "rules": {"board": "merels24"},
        "positions": Counts(102281, 0, 12113640 - 102281),
        "distinct": Counts(102281, 0, 658117),
        "position_histogram": {33: 102281},
        "distinct_histogram": {33: 102281},
        "program": "test 1",
    }
    return TableHeader(**{**values, **fields})  # type: ignore[arg-type]


def test_differences() -> None:
    row = read_reference(FOLDER / "nine-moving.csv")[Sector(3, 4)]
    assert differences(row, header()) == []
    wrong = header(
        distinct=Counts(102281, 0, 658116),
        position_histogram={31: 102281},
        distinct_histogram={31: 102281},
    )
    assert differences(row, wrong) == [
        "sector 3-4: distinct draws 658116, the reference says 658117",
        "sector 3-4: deepest win 31, the reference says 33",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sector,wins\n3-3,1\n", "'losses'"),
        ("", ""),
        ("sector,distinct,wins,losses,draws,deepest_win,deepest_loss\n3-3,5,1,1,1,1,2\n", "add up"),
        ("sector,distinct,wins,losses,draws,deepest_win,deepest_loss\n3-3,x,1,1,1,1,2\n", "'x'"),
    ],
)
def test_a_file_that_is_no_reference(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text)
    if not text:
        assert read_reference(path) == {}
        return
    with pytest.raises(UsageError, match=expected):
        read_reference(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        read_reference(tmp_path / "nothing.csv")
