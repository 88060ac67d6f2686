"""Reference counts: read strictly, compared where they mean something."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver.errors import UsageError
from solver.reference import differences, read_reference
from solver.sectors import Sector, parse_sector
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
