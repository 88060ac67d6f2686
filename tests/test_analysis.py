"""What the turns of a game were worth, in Python and on the command line."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Morris
from strategies import NINE

from solver.analysis import analyse_game
from solver.game import Draw, Game
from solver.position import Position
from solver.record import Record, format_record, parse_record
from solver.results import OTHER, WDL, Result
from solver.tablebase import open_tablebase

START = "w:Wa1,d1,g4:Bb2,b4,d6"  # g4-g1 closes a mill and takes the third stone


def random_game(seed: int) -> Record:
    """A game among positions of which the database has tables."""
    chance = random.Random(seed)
    points = chance.sample(range(24), 7)
    board = NINE.board
    game = Game(Position(NINE, board.mask_of(points[:3]), board.mask_of(points[3:])))
    while game.outcome() is None and len(game.turns_played) < 40:
        game.play(chance.choice(game.position.turns()))
    return Record.of(game)


@pytest.mark.parametrize("seed", range(12))
def test_every_turn_is_judged_by_the_tables(database: Path, seed: int) -> None:
    record = random_game(seed)
    with open_tablebase(database) as tablebase:
        reports = list(analyse_game(tablebase, record))
        assert [report.turn for report in reports] == [played.turn for played in record.turns]
        for ply, report in enumerate(reports, 1):
            assert report.ply == ply
            assert report.position == record.positions[ply - 1]
            assert report.before == tablebase.probe(report.position)
            left = tablebase.probe(record.positions[ply])
            distance = None if left.dtw is None else left.dtw + 1
            assert report.after == Result(OTHER[left.value], distance)
            lost = WDL[report.after.value] < WDL[report.before.value]
            assert report.threw_away == (report.before.value if lost else None)
            best = [move.text for move in tablebase.best_moves(report.position)]
            assert [move.text for move in report.better] == (best if lost else [])
            # No turn can be worth more than its position.
            assert WDL[report.after.value] <= WDL[report.before.value]


def test_best_play_throws_nothing_away(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        position = Position.parse(NINE, "w:Wa7,b6,g1:Ba1,d3,f4")
        line = tablebase.line(position)
        record = parse_record(" ".join(move.text for move in line.moves), start=position)
        for report in analyse_game(tablebase, record):
            assert report.before == report.after
            assert report.threw_away is None


def test_where_tables_are_missing_there_is_no_judgement(database: Path) -> None:
    # Four against four: the capture leads to where there are tables.
    start = Position.parse(NINE, "w:Wa1,d1,g4,e4:Bb2,b4,d6,a7")
    record = parse_record("g4-g1xa7 b4-a4 g1-g4", start=start)
    with open_tablebase(database) as tablebase:
        first, second, third = analyse_game(tablebase, record)
    assert (first.before, first.threw_away, first.better) == (None, None, [])
    assert first.after is not None
    assert second.before is not None
    assert OTHER[second.before.value] == first.after.value
    assert third.before is not None
    assert third.after is not None


def test_draws_that_were_due_do_not_end_the_analysis(database: Path) -> None:
    start = Position.parse(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")
    record = parse_record("d6-f6 g4-g7 f6-d6 g7-g4 " * 3 + "d6-f6", start=start)
    with open_tablebase(database) as tablebase:
        reports = list(analyse_game(tablebase, record))
        assert len(reports) == 13
        due = [report.ply for report in reports if report.draw_due is Draw.REPETITION]
        assert due == [8, 9, 10, 11, 12, 13]
        reports = list(analyse_game(tablebase, record, repetition=0, quiet_limit=10))
        due = [report.ply for report in reports if report.draw_due is Draw.QUIET_LIMIT]
        assert due == [10, 11, 12, 13]


def test_a_turn_that_makes_a_draw_has_left_a_draw(database: Path) -> None:
    # By the tables the last turn loses; but White need not be let back, as it repeats.
    start = Position.parse(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")
    with open_tablebase(database) as tablebase:
        losing = next(
            (first, move)
            for first in tablebase.moves(start)
            for move in tablebase.moves(first.position)
            if first.value == "draw" and move.value == "loss"
        )
        record = parse_record(" ".join(move.text for move in losing), start=start)
        reports = analyse_game(tablebase, record)
        assert reports[-1].threw_away == "draw"
        assert reports[-1].draw_due is None
        reports = analyse_game(tablebase, record, quiet_limit=2)
        assert reports[-1].draw_due is Draw.QUIET_LIMIT
        assert reports[-1].after == Result("draw", None)
        assert reports[-1].threw_away is None


def test_a_win_that_a_limit_may_cut_short_is_warned_of(morris: Morris, database: Path) -> None:
    start = "w:Wa4,a7,g7:Ba1,d1,d7"
    with open_tablebase(database) as tablebase:
        position = Position.parse(NINE, start)
        distance = tablebase.probe_dtw(position)
        assert distance is not None
        best = tablebase.best_moves(position)[0].text
        assert distance > 3
        limit = distance - 2
        (report,) = analyse_game(tablebase, parse_record(best, start=position), 0, limit)
    assert report.warning is not None
    assert f"takes {distance} plies, longer than the {limit} plies" in report.warning
    options = ("--position", start, "--quiet-limit", limit, "--db", database)
    assert f"Before ply 1: {report.warning}\n" in morris("analyse", best, *options).out


# -- the command --------------------------------------------------------------------------------


def test_the_command_says_what_the_library_says(
    morris: Morris, database: Path, tmp_path: Path
) -> None:
    record = random_game(3)
    file = tmp_path / "game.txt"
    file.write_text(format_record(record), encoding="utf-8")
    answer = morris("analyse", file, "--db", database, "--json").json
    assert (answer["variant"], answer["position"]) == ("nine", str(record.start))
    assert answer["end"] == str(record.end)
    with open_tablebase(database) as tablebase:
        reports = list(analyse_game(tablebase, record))
    for entry, report in zip(answer["turns"], reports, strict=True):
        assert entry["move"] == report.text
        assert report.before is not None
        assert report.after is not None
        assert entry["before"] == report.before._asdict()
        assert entry["after"] == report.after._asdict()
        assert entry["threw_away"] == report.threw_away
        assert entry["better"] == [move.text for move in report.better]
    mistakes = [report.ply for report in reports if report.threw_away]
    assert answer["mistakes"] == mistakes
    assert mistakes
    text = morris("analyse", file, "--db", database)
    assert text.out.count(" threw away the ") == len(mistakes)
    pictures = tmp_path / "pictures"
    drawn = morris("analyse", file, "--db", database, "--svg", pictures)
    assert drawn.out == text.out
    assert sorted(path.name for path in pictures.iterdir()) == [
        f"ply-{ply:03}.svg" for ply in mistakes
    ]
    for path in pictures.iterdir():
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_a_game_is_a_file_or_standard_input_or_text(
    morris: Morris, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = "1. g4-g1 xb2 {and wins}"
    options = ("--position", START, "--db", database)
    expected = morris("analyse", moves, *options).out
    assert "White threw away nothing." in expected
    assert "Black has lost: 2 stones left." in expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(moves.encode())))
    assert morris("analyse", "-", *options).out == expected
    record = tmp_path / "a game"
    record.write_text(f'[FEN "{START}"]\n{moves}\n')
    assert morris("analyse", record, "--db", database).out == expected


def test_the_record_names_its_game(morris: Morris, tmp_path: Path) -> None:
    assert morris("solve", "three", "--all", "--db", tmp_path).code == 0
    record = '[Variant "three"] b2 a1 c3 a2 a3'
    answer = morris("analyse", record, "--db", tmp_path, "--json").json
    assert answer["variant"] == "three"
    assert answer["turns"][0]["before"] == {"value": "win", "dtw": 9}
    again = morris("analyse", record, "--variant", "three", "--db", tmp_path, "--json").json
    assert again == answer
    error = morris("analyse", record, "--variant", "six", "--db", tmp_path).refused(2)
    assert "says that three was played, not six" in error
    short = morris("analyse", "a1 g1", "-r", "stones=4", "--db", tmp_path)
    assert "the table of sector 0-0+4-4 is missing" in short.refused(3)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("", "the game has no turns; write some"),
        ("{only a comment}", "the game has no turns"),
        ("no-such-file.txt", "there is no file 'no-such-file.txt', and as a game: turn 1, "),
        ("d6 f4 zz", "turn 3, 'zz' at column 7: 'zz' is not a point of the board"),
        ("d6 d6", "turn 2, 'd6' at column 4: d6 is occupied"),
        ("x" * 5000, "there is no file"),
        ("\x00", "there is no file"),
    ],
)
def test_what_is_no_game_is_refused(
    morris: Morris, tmp_path: Path, game: str, message: str
) -> None:
    assert message in morris("analyse", game, "--db", tmp_path).refused(2)


def test_files_that_are_no_games(morris: Morris, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(b"d6 f4\n\xff\xfe")
    error = morris("analyse", file, "--db", tmp_path).refused(2)
    assert error == f"{file}, line 2: this is not a text in UTF-8"
    file.write_text("d6 f4\nd6")
    error = morris("analyse", file, "--db", tmp_path).refused(2)
    assert error == f"{file}: turn 3, 'd6' at line 2, column 1: d6 is occupied"
    assert "is a folder; name the file" in morris("analyse", tmp_path, "--db", tmp_path).refused(2)


def test_some_turns_without_tables(morris: Morris, database: Path) -> None:
    game = "g4-g1xa7 b4-a4 g1-g4"
    start = "w:Wa1,d1,g4,e4:Bb2,b4,d6,a7"
    answer = morris("analyse", game, "--position", start, "--db", database)
    assert answer.code == 0
    assert "1 turn without a judgement: the table of sector 4-4 is missing" in answer.out
    record = morris("analyse", game, "--position", start, "--db", database, "--json").json
    assert record["turns"][0]["before"] is None
    assert record["note"].startswith("1 turn without a judgement: ")
    error = morris("analyse", "d6 f4", "--db", database).refused(3)
    assert "the table of sector 0-0+9-9 is missing" in error
