"""``morris puzzles`` and ``longest``."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, Morris, plant
from test_startup import imported_by

from solver.build import build
from solver.mining import puzzles
from solver.pack import pack_tables
from solver.position import Position
from solver.rules import get_variant
from solver.sectors import Sector, wanted_sectors
from solver.tablebase import open_tablebase
from solver.tablefile import table_path

NINE = get_variant("nine")
THREE = get_variant("three")


def records(answer: Answer) -> list[dict[str, Any]]:
    """Standard output as lines of JSON."""
    assert answer.code == 0, answer.err
    return [json.loads(line) for line in answer.out.splitlines()]


def test_puzzles_are_what_the_tables_say(morris: Morris, database: Path) -> None:
    options = ["--only-move", "--quiet", "--count", 18, "--db", database]
    answer = morris("puzzles", "3-3", "--win", 9, *options, "--json")
    assert answer.err == ""
    found = records(answer)
    assert len(found) == len({record["position"] for record in found}) == 18
    with open_tablebase(database) as tablebase:
        for record in found:
            assert list(record) == [
                "variant", "sector", "position", "value", "dtw", "solution", "move",
                "winning_moves", "quiet", "sacrifice",
            ]  # fmt: skip
            assert (record["variant"], record["sector"]) == ("nine", "3-3")
            position = Position.parse(NINE, record["position"])
            assert position.white_to_move
            assert (record["value"], record["dtw"]) == tablebase.probe(position) == ("win", 9)
            moves = tablebase.moves(position)
            assert record["winning_moves"] == 1
            assert [move.value for move in moves].count("win") == 1
            assert (record["move"], record["quiet"]) == (moves[0].text, True)
            assert not moves[0].turn.captures
            line = tablebase.line(position)
            assert record["solution"] == [move.text for move in line.moves]
            assert (len(line.moves), line.ended) == (9, "loss")


def test_the_same_seed_finds_the_same(morris: Morris, database: Path) -> None:
    def found(*options: object) -> str:
        return morris("puzzles", "3-3", "--win", 11, "--db", database, *options).out

    assert found() == found("--seed", 0) == found("--threads", 2)
    assert found("--seed", 1) != found()
    assert found("--count", 3) == "".join(found().splitlines(keepends=True)[:6])


def test_puzzles_in_words(morris: Morris, database: Path) -> None:
    options = ["puzzles", "3-3", "--win", 25, "--count", 2, "--db", database]
    found = records(morris(*options, "--json"))
    plain = morris(*options).out.splitlines()
    assert plain == [
        f"1. {found[0]['position']}", f"   White wins in 25 plies.{only(found[0])}",
        f"2. {found[1]['position']}", f"   White wins in 25 plies.{only(found[1])}",
    ]  # fmt: skip
    text = morris(*options, "--board", "--solution").out
    assert "\n   7  " in text
    words = " ".join(text.split())
    for record in found:
        assert " ".join(record["solution"]) in words
    assert max(map(len, text.splitlines())) < 80


def only(record: dict[str, Any]) -> str:
    return " Only one move wins." if record["winning_moves"] == 1 else ""


def test_without_sectors_all_that_have_a_table_are_looked_into(
    morris: Morris, database: Path
) -> None:
    found = records(morris("puzzles", "--win", 1, "--count", 40, "--json", "--db", database))
    assert [record["sector"] for record in found] == ["3-3"] * 20 + ["4-3"] * 20
    wide = records(
        morris("puzzles", "--least", 24, "--most", 27, "--count", 50, "--json", "--db", database)
    )
    assert {record["dtw"] for record in wide} == {25, 27}
    assert {record["sector"] for record in wide} == {"3-3", "3-4"}
    deepest = records(morris("puzzles", "--least", 32, "--count", 1, "--json", "--db", database))
    assert [record["dtw"] for record in deepest] == [33]
    least = records(morris("puzzles", "3-4", "--most", 9, "--count", 5, "--json", "--db", database))
    assert {record["dtw"] for record in least} == {9}


def test_a_sacrifice_and_a_capture(morris: Morris, database: Path) -> None:
    common = ["--win", 3, "--count", 5, "--json", "--db", database]
    for record in records(morris("puzzles", "3-3", "--sacrifice", *common)):
        assert (record["sacrifice"], record["quiet"]) == (True, True)
    found = records(morris("puzzles", "4-3", "--win", 1, "--capture", *common[2:]))
    assert all("x" in record["move"] and record["quiet"] is False for record in found)


def test_fewer_than_asked_for(morris: Morris, database: Path) -> None:
    options = ["puzzles", "3-3", "--win", 25, "--count", 30, "--db", database]
    answer = morris(*options)
    assert (answer.code, answer.err) == (0, "only 27 such positions of 30 found\n")
    assert answer.out.count("White wins in 25 plies") == 27
    limited = morris(*options, "--limit", 4, "--json")
    assert limited.err.endswith("of 30 found among the first 4 positions of each sector\n")
    assert 0 < len(records(limited)) <= 4
    for extra in ([], ["--json"]):
        none = morris("puzzles", "3-3", "--win", 27, "--db", database, *extra)
        assert (none.code, none.out, none.err) == (0, "", "no such position was found\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--win", 8], "--win 8: a win takes an odd number of plies, such as 7 or 9"),
        (["--win", 0], "--win 0: a win takes an odd number of plies, such as 1"),
        (["--win", 9, "--most", 11], "--win excludes --least and --most"),
        (["--least", 9, "--most", 8], "no win takes 9 plies or more and 8 or fewer"),
        (["--least", 8, "--most", 8], "no win takes 8 plies or more and 8 or fewer"),
        (["--most", 0], "no win takes 0 plies or more and 0 or fewer"),
        (["--win", 9, "--quiet", "--capture"], "exclude each other; choose one"),
        (["--win", 9, "--count", 0], "--count takes a whole number of 1 or more"),
        (["--win", 9, "--limit", 0], "--limit takes a whole number of 1 or more"),
        (["--win", "x"], "--win takes a whole number"),
        (["--win", 9, "--svg", ""], "--svg needs the name of a folder"),
        (["--win", 9, "--svg", __file__], "--svg needs the name of a folder"),
        (["--win", 9, "--variant", "chess"], "chess"),
        (["--win", 1, "--variant", "three", "--capture"], "no move of three takes a stone"),
    ],
)
def test_options_that_make_no_sense(
    morris: Morris, small: Path, options: list[object], why: str
) -> None:
    for extra in ([], ["--json"]):
        assert why in morris("puzzles", "--db", small, *options, *extra).refused(2)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole small game."""
    folder = tmp_path_factory.mktemp("small")
    build(THREE, wanted_sectors(THREE), folder, threads=1)
    return folder


def test_another_game(morris: Morris, small: Path) -> None:
    options = ["--variant", "three", "--db", small]
    found = records(morris("puzzles", "--win", 9, "--count", 100, *options, "--json"))
    assert {record["variant"] for record in found} == {"three"}
    assert "w:W:B:H3,3" in [record["position"] for record in found]
    (start,) = records(morris("longest", "0-0+3-3", *options, "--json", "--line"))
    assert (start["position"], start["dtw"], start["distinct"]) == ("w:W:B:H3,3", 9, 1)
    assert start["line"][0] == "b2"
    over = records(morris("longest", "3-3", "--losses", "--count", 10**6, *options, "--json"))
    assert over[-1]["dtw"] == 0


@pytest.mark.parametrize("command", [["puzzles", "--win", "1"], ["longest"]])
def test_tables_that_are_missing(
    morris: Morris, database: Path, tmp_path: Path, command: list[str]
) -> None:
    for extra in ([], ["--json"]):
        error = morris(*command, "4-4", "--db", database, *extra).refused(3)
        assert "the table of distances of sector 4-4 is missing" in error
        assert f"morris solve nine 4-4 --db {database}" in error
        assert "has no table" in morris(*command, "2-3", "--db", database, *extra).refused(2)
    copy = Path(shutil.copytree(database, tmp_path / "copy"))
    pack_tables(NINE, [Sector(3, 3)], copy)
    table_path(copy, NINE, Sector(3, 3)).unlink()
    error = morris(*command, "3-3", "--db", copy).refused(3)
    assert "the table of distances of sector 3-3 is missing" in error


def test_a_database_without_distances(morris: Morris, database: Path, tmp_path: Path) -> None:
    assert "there are no tables" in morris("puzzles", "--win", 1, "--db", tmp_path).refused(3)
    copy = Path(shutil.copytree(database, tmp_path / "copy"))
    pack_tables(NINE, [Sector(3, 3)], copy)
    for sector in ("3-3", "3-4", "4-3"):
        table_path(copy, NINE, Sector(*map(int, sector.split("-")))).unlink()
    error = morris("puzzles", "--win", 1, "--db", copy).refused(3)
    assert "there are no tables of distances of nine in " in error
    assert f"morris solve nine --stones 8 --db {copy}" in error


def test_a_damaged_table_gives_no_positions(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(database, tmp_path / "copy"))
    path = table_path(copy, NINE, Sector(3, 3))
    with open_tablebase(database) as tablebase:
        entries = tablebase.reader(NINE, Sector(3, 3)).entries()
    plant(path, entries.tolist().index(255), 25)
    for command in (["puzzles", "3-3", "--win", 25, "--count", 99], ["longest", "3-3"]):
        for extra in ([], ["--json"]):
            error = morris(*command, "--db", copy, *extra)
            if command[0] == "longest" and error.code == 0:
                continue  # the first slot is another
            assert str(path) in error.refused(4)
    damaged = bytearray(path.read_bytes())
    for place in range(len(damaged) // 5, len(damaged) * 4 // 5, 64):
        damaged[place] ^= 0x10
    path.write_bytes(damaged)
    for command in (["puzzles", "3-3", "--win", 25, "--count", 99], ["longest", "3-3"]):
        assert f"{path}: frame " in morris(*command, "--db", copy).refused(4)


def test_pictures(morris: Morris, database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures" / "of puzzles"
    options = ["--count", 3, "--db", database, "--svg", folder]
    answer = morris("puzzles", "3-3", "--win", 9, *options, "--json")
    assert len(records(answer)) == 3
    assert morris("longest", "3-3", "3-4", *options).code == 0
    names = sorted(path.name for path in folder.iterdir())
    longest = [f"longest-00{number}.svg" for number in range(1, 7)]
    assert names == [*longest, "puzzle-001.svg", "puzzle-002.svg", "puzzle-003.svg"]
    texts = {name: (folder / name).read_text() for name in names}
    assert len(set(texts.values())) == 9
    for name, text in texts.items():
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        depth = 9 if "puzzle" in name else 25 if name < "longest-004" else 33
        assert f"White to move wins in {depth} plies" in text


def test_what_was_found_before_an_interruption_is_shown(
    morris: Morris, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = puzzles.find_puzzles

    def interrupted(*arguments: Any, **options: Any) -> Any:
        for number, puzzle in enumerate(search(*arguments, **options)):
            if number == 3:
                raise KeyboardInterrupt
            yield puzzle

    monkeypatch.setattr(puzzles, "find_puzzles", interrupted)
    answer = morris("puzzles", "3-3", "--win", 9, "--db", database)
    assert (answer.code, answer.err) == (130, "interrupted\n")
    assert [line[:2] for line in answer.out.splitlines()[::2]] == ["1.", "2.", "3."]


# -- longest ----------------------------------------------------------------------------------


def test_the_longest_are_what_the_tables_say(morris: Morris, database: Path) -> None:
    options = ["--count", 30, "--db", database, "--json"]
    found = records(morris("longest", "3-4", "3-3", *options))
    assert [record["sector"] for record in found] == ["3-3"] * 30 + ["3-4"] * 30
    assert [record["dtw"] for record in found] == [25] * 27 + [23] * 3 + [33] * 30
    assert {record["distinct"] for record in found} == {27, 346, 304}
    lost = records(morris("longest", "4-3", "--losses", *options, "--count", 5, "--line"))
    assert [record["dtw"] for record in lost] == [32] * 5
    with open_tablebase(database) as tablebase:
        for record in [*found, *lost]:
            assert list(record) == [
                "variant", "sector", "position", "value", "dtw", "distinct", "line",
            ]  # fmt: skip
            position = Position.parse(NINE, record["position"])
            assert (record["value"], record["dtw"]) == tablebase.probe(position)
            line = [move.text for move in tablebase.line(position).moves]
            assert record["line"] == (line if record["value"] == "loss" else None)


def test_the_longest_in_words(morris: Morris, database: Path) -> None:
    answer = morris("longest", "3-3", "3-4", "--db", database, "--line")
    assert (answer.code, answer.err) == (0, "")
    first, second = answer.out.split("\n\nsector 3-4: the longest win takes 33 plies\n\n")
    assert first.startswith("sector 3-3: the longest win takes 25 plies\n\n1. w:W")
    assert "\n   White wins in 25 plies. 27 positions take as long.\n\n   7  " in first
    assert second.startswith("2. w:W")
    found = records(morris("longest", "3-4", "--db", database, "--line", "--json"))
    assert " ".join(found[0]["line"]) in " ".join(second.split())


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_sector_without_losses(morris: Morris, database: Path, extra: list[str]) -> None:
    answer = morris("longest", "3-4", "--losses", "--db", database, *extra)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "no position of sector 3-4 is lost\n"


def test_longest_needs_a_sector(morris: Morris, database: Path) -> None:
    assert "say in which sectors" in morris("longest", "--db", database).refused(2)


# -- start ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puzzles", "longest"])
def test_help_imports_nothing_heavy(name: str) -> None:
    assert not {"numpy", "numba", "rich", "zstandard"} & imported_by(name, "--help")


@pytest.mark.parametrize("command", [["puzzles", "3-3", "--win", "9"], ["longest", "3-3"]])
def test_what_is_common_is_found_without_compiled_code(database: Path, command: list[str]) -> None:
    assert not {"numba", "rich"} & imported_by(*command, "--db", str(database))


def test_without_a_length_no_win_at_once_is_found(morris: Morris, database: Path) -> None:
    answer = morris("puzzles", "3-3", "--count", 40, "--db", database, "--json")
    depths = {json.loads(line)["dtw"] for line in answer.out.splitlines()}
    assert min(depths) >= 3
    assert len(depths) > 3
