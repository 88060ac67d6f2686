"""A whole game through the command line: ``nine -r stones=4``, 28 sectors, solved and proved."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Morris, plant
from strategies import NINE

from solver.cli import run
from solver.notation import replay
from solver.openings import earliest_losing_turn
from solver.position import Position
from solver.proof import Checker, record_path
from solver.reference import differences, read_reference
from solver.rules import with_options
from solver.sectors import Sector, wanted_sectors
from solver.tablebase import open_tablebase
from solver.tablefile import TableReader, table_path

REFERENCE = Path(__file__).parents[1] / "databases" / "reference" / "nine-with-4-stones.csv"
FOUR = with_options(NINE, ["stones=4"])
GAME = ("nine", "-r", "stones=4")
SLOTS = 7_204_034


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the whole game, none of them checked. Not to be written to."""
    folder = tmp_path_factory.mktemp("whole")
    assert run(["solve", *GAME, "--all", "--db", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def proved(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, all of them checked in full. Not to be written to."""
    folder = tmp_path_factory.mktemp("proved") / "database"
    shutil.copytree(whole, folder)
    assert run(["verify", *GAME, "--full", "--db", str(folder)]) == 0
    return folder


@pytest.fixture
def copy(proved: Path, tmp_path: Path) -> Iterator[Path]:
    """All checked, to do harm to."""
    folder = tmp_path / "copy"
    shutil.copytree(proved, folder)
    yield folder
    shutil.rmtree(folder)


def unchecked(database: Path) -> list[Sector]:
    """The sectors without a record that counts."""
    return Checker(FOUR, database).proof(wanted_sectors(FOUR)).unchecked


def test_every_sector_equals_the_reference(whole: Path) -> None:
    reference = read_reference(REFERENCE)
    assert set(reference) == set(wanted_sectors(FOUR))
    for sector, row in reference.items():
        with TableReader(table_path(whole, FOUR, sector)) as reader:
            assert differences(row, reader.header) == []


def test_a_placing_sector_by_name(morris: Morris, whole: Path, tmp_path: Path) -> None:
    answer = morris("solve", "nine", "2-3+1-0", "--db", tmp_path, "--json")
    assert answer.json["solved"] == ["3-3", "2-3+1-0"]
    name = f"{NINE.folder(Sector(3, 3))}/2-3+1-0.dtw.zst"
    assert (tmp_path / name).read_bytes() == (whole / name).read_bytes()
    # The same tables serve the game with nine stones.
    assert morris("query", "b:Wa1,d1,g4:Bb2,b4:H0,1", "--db", tmp_path).code == 0
    again = morris("solve", *GAME, "2-3+1-0", "--db", tmp_path, "--json")
    assert again.json["solved"] == []


def test_the_start_is_a_draw(morris: Morris, whole: Path) -> None:
    answer = morris("query", "w:W:B:H4,4", "-r", "stones=4", "--db", whole, "--json")
    assert (answer.json["value"], len(answer.json["moves"])) == ("draw", 24)
    assert answer.json["variant"] == "nine -r stones=4"
    line = morris("line", "w:W:B:H4,4", "-r", "stones=4", "--plies", 9, "--db", whole, "--json")
    assert {move["value"] for move in line.json["line"]} == {"draw"}


def test_tables_do_not_depend_on_memory_or_threads(
    morris: Morris, whole: Path, tmp_path: Path
) -> None:
    """With hardly any memory to spare tables are read back from their files."""
    options = ("--memory", "0.25", "--threads", 1, "--db", tmp_path)
    assert morris("solve", *GAME, "--all", *options).code == 0
    for sector in wanted_sectors(FOUR):
        path = table_path(tmp_path, FOUR, sector)
        assert path.read_bytes() == table_path(whole, FOUR, sector).read_bytes()


def test_not_proved_before_it_is_checked(morris: Morris, whole: Path) -> None:
    answer = morris("prove", *GAME, "--db", whole, "--json")
    assert answer.code == 1
    record = answer.json
    assert (record["value"], record["dtw"], record["proved"]) == ("draw", None, False)
    assert record["checked"] == {"sectors": 0, "slots": 0}
    assert len(record["unchecked"]) == 28
    text = morris("prove", *GAME, "--db", whole)
    assert text.code == 1
    assert text.out.startswith("nine -r stones=4: draw (not proved yet)\n")
    assert "and 18 more" in text.out


def test_proved(morris: Morris, proved: Path) -> None:
    answer = morris("prove", *GAME, "--db", proved, "--json")
    assert answer.code == 0
    record = answer.json
    assert (record["variant"], record["value"]) == ("nine -r stones=4", "draw")
    assert record["proved"] is True
    assert record["checked"] == {"sectors": 28, "slots": SLOTS}
    assert (record["unchecked"], record["missing"]) == ([], [])
    assert record["programs"][0].startswith("morris-solver ")
    text = morris("prove", *GAME, "--db", proved)
    assert text.code == 0
    assert text.out.startswith("nine -r stones=4: draw (proved)\n")
    assert "28 of 28 sectors, 7,204,034 slots" in text.out


def test_openings(morris: Morris, proved: Path) -> None:
    record = morris("prove", *GAME, "--db", proved, "--json").json
    counts = [(row["ply"], row["win"], row["draw"], row["loss"]) for row in record["openings"]]
    # As many as the reference has distinct positions in 0-1+4-3, 1-1+3-3 and 1-2+3-2.
    assert counts == [(1, 0, 4, 0), (2, 0, 46, 0), (3, 0, 428, 0)]
    for row in record["openings"]:
        (result,) = row["results"]
        assert len(result["example"]) == row["ply"]
        assert result["positions"] == row["draw"]


def test_the_earliest_losing_move(morris: Morris, proved: Path) -> None:
    record = morris("prove", *GAME, "--db", proved, "--json").json["earliest_losing_move"]
    assert record["ply"] == len(record["line"]) == 7
    assert record["line"][-1] == record["move"]
    before = replay(Position.start(FOUR), record["line"][:-1])
    assert str(before) == record["position"]
    with open_tablebase(proved) as tablebase:
        (move,) = [m for m in tablebase.moves(before) if m.text == record["move"]]
        assert (move.value, move.dtw) == ("loss", record["dtw"])
        assert tablebase.probe(before).value == "draw"


def test_no_turn_loses_earlier(whole: Path) -> None:
    """Every position up to symmetry that can occur, turn by turn."""
    found = earliest_losing_turn(FOUR, whole)
    assert found is not None
    layer = {Position.start(FOUR)}
    with open_tablebase(whole) as tablebase:
        # Of later plies there are too many for a test; the search knows no difference.
        for _ in range(4):
            layer = {
                min(
                    (after.transform(p) for p in FOUR.board.automorphisms),
                    key=lambda image: (image.white, image.black),
                )
                for position in layer
                for after in position.successors()
            }
            assert all(tablebase.probe(position).value == "draw" for position in layer)


# -- records ----------------------------------------------------------------------------------


def test_a_table_that_has_changed_must_be_checked_again(morris: Morris, copy: Path) -> None:
    plant(table_path(copy, FOUR, Sector(1, 2, 2, 1)), 5, 77)
    answer = morris("prove", *GAME, "--db", copy, "--json")
    assert answer.code == 1
    # It, and the sectors one turn before it.
    assert answer.json["unchecked"] == ["1-2+2-1", "1-1+2-2", "1-2+2-2"]
    checked = morris("prove", *GAME, "--check", "--db", copy, "--json")
    assert checked.code == 1
    assert "1-2+2-1" in checked.json["unchecked"]
    assert "1-2+2-1 slot " in checked.err
    assert not record_path(copy, FOUR, Sector(1, 2, 2, 1)).exists()
    # A wrong table that is there again as it was is as good as before, but for its record.
    table_path(copy, FOUR, Sector(1, 2, 2, 1)).unlink()
    assert morris("solve", *GAME, "--all", "--db", copy).code == 0
    mended = morris("prove", *GAME, "--check", "--db", copy, "--json")
    assert (mended.code, mended.json["checked"]["sectors"]) == (0, 28)
    assert "3-3: " not in mended.err


def test_a_damaged_table(morris: Morris, copy: Path) -> None:
    path = table_path(copy, FOUR, Sector(4, 3))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    message = morris("prove", *GAME, "--db", copy).refused(4)
    assert "4-3.dtw.zst: frame " in message


def test_a_missing_table(morris: Morris, copy: Path) -> None:
    table_path(copy, FOUR, Sector(3, 4)).unlink()
    answer = morris("prove", *GAME, "--db", copy, "--json")
    assert answer.code == 3
    assert f"morris solve nine -r stones=4 --all --db {copy}" in answer.err
    record = json.loads(answer.out)
    assert (record["value"], record["proved"], record["missing"]) == ("draw", False, ["3-4"])


def test_no_tables_at_all(morris: Morris, tmp_path: Path) -> None:
    answer = morris("prove", "nine", "--db", tmp_path / "nowhere")
    assert answer.code == 3
    assert "498 sectors have no table" in answer.err


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(check=0),
        lambda record: record.update(slots=record["slots"] - 1),
        lambda record: record.update(sector="3-3"),
        lambda record: record["tables"].popitem(),
        lambda record: record.update(tables=None),
        lambda record: record.pop("program"),
    ],
)
def test_a_record_that_says_too_little(copy: Path, change) -> None:  # type: ignore[no-untyped-def]
    path = record_path(copy, FOUR, Sector(2, 3, 1, 0))
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    assert unchecked(copy) == [Sector(2, 3, 1, 0)]


@pytest.mark.parametrize("text", ["", "[]", "{", "\xff"])
def test_a_record_that_cannot_be_read(copy: Path, text: str) -> None:
    record_path(copy, FOUR, Sector(2, 3, 1, 0)).write_text(text, encoding="latin-1")
    assert unchecked(copy) == [Sector(2, 3, 1, 0)]


def test_records_of_a_smaller_game_serve_a_larger_one(morris: Morris, proved: Path) -> None:
    answer = morris("prove", "nine", "-r", "stones=5", "--db", proved, "--json")
    assert answer.code == 3
    record = json.loads(answer.out)
    assert record["checked"]["sectors"] + len(record["missing"]) == 68
    assert record["checked"]["sectors"] >= 20
    assert record["value"] is None
