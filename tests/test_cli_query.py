"""``morris query`` and ``morris line``."""

from __future__ import annotations

import io
import json
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import STONES, Answer, Morris

from solver.escape import one_line
from solver.index import layout
from solver.position import Position
from solver.rules import get_variant
from solver.sanmill import format_sanmill
from solver.sectors import Sector
from solver.tablebase import open_tablebase
from solver.tablefile import TableReader, table_path, write_table

NINE = get_variant("nine")
WON = "w:Wa1,d1,g4:Bb2,b4,d6"  # g4-g1 closes a mill and takes the third stone
DRAWN = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
BLOCKED = "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"
TWO_LEFT = "w:Wa1,g7:Bb4,d1,d6"
ROOT = Path(__file__).parents[1]


def some_positions(number: int) -> list[Position]:
    chance = random.Random(2)
    found = []
    for sector in (Sector(3, 3), Sector(4, 3), Sector(3, 4)):
        numbering = layout(NINE, sector)
        for _ in range(number):
            mover, opponent = numbering.masks(chance.randrange(numbering.slots))
            found.append(Position(NINE, mover, opponent, chance.random() < 0.5))
    return [p if p.white_to_move else Position(NINE, p.black, p.white, False) for p in found]


def test_query_answers_as_the_tablebase_does(morris: Morris, database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for position in some_positions(10):
            answer = morris("query", position, "--db", database, "--json").json
            keys = ["variant", "position", "value", "dtw", "moves"]
            assert list(answer) == [*keys, "plies_without_capture", "warning"]
            assert (answer["plies_without_capture"], answer["warning"]) == (0, None)
            assert (answer["variant"], answer["position"]) == ("nine", str(position))
            assert (answer["value"], answer["dtw"]) == tablebase.probe(position)
            assert [tuple(move.values()) for move in answer["moves"]] == [
                (move.text, move.value, move.dtw, str(move.position))
                for move in tablebase.moves(position)
            ]
            for move in answer["moves"]:
                assert list(move) == ["move", "value", "dtw", "position"]
            # The best move has the value and the distance of the position.
            best = answer["moves"][0]
            assert (best["value"], best["dtw"]) == (answer["value"], answer["dtw"])


def test_query_shows_board_value_and_every_move(morris: Morris, database: Path) -> None:
    answer = morris("query", DRAWN, "--db", database)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"{DRAWN}\n\n7  B")
    assert "White to move, 3 stones (flying) against 4.\n" in answer.out
    assert "The game is a draw with best play.\n" in answer.out
    table = answer.out.split("\n\n")[-1].splitlines()
    assert table[0].split() == ["move", "result", "plies"]
    turns = Position.parse(NINE, DRAWN).turns()
    assert {row.split()[0] for row in table[1:]} == {turn.text(NINE.board) for turn in turns}
    assert len(table) == 1 + len(turns)


def test_a_win_and_a_loss_in_words(morris: Morris, database: Path) -> None:
    won = morris("query", WON, "--db", database)
    assert "White wins in 1 ply.\n" in won.out
    assert ["g4-g1xb2", "win", "1"] in [line.split() for line in won.out.splitlines()]
    lost = "b:Wa1,d1,g4:Bb2,b4,d6"
    record = morris("query", lost, "--db", database, "--json").json
    verb = "wins" if record["value"] == "win" else "loses"
    unit = "ply" if record["dtw"] == 1 else "plies"
    assert (
        f"Black {verb} in {record['dtw']} {unit}.\n" in morris("query", lost, "--db", database).out
    )


@pytest.mark.parametrize(
    ("position", "why"),
    [
        (BLOCKED, "White has lost: no stone can move."),
        (TWO_LEFT, "White has lost: 2 stones left."),
        ("b:Wa1,d1,g4:Bb2", "Black has lost: 1 stone left."),
    ],
)
def test_a_position_that_is_lost_already_needs_no_table(
    morris: Morris, tmp_path: Path, position: str, why: str
) -> None:
    answer = morris("query", position, "--db", tmp_path)
    assert answer.code == 0
    assert answer.out.endswith(f"{why}\n")
    record = morris("query", position, "--db", tmp_path, "--json").json
    assert (record["value"], record["dtw"], record["moves"]) == ("loss", 0, [])
    played = morris("line", position, "--db", tmp_path, "--json").json
    assert (played["line"], played["ended"]) == ([], "loss")
    assert why in morris("line", position, "--db", tmp_path).out


def test_positions_are_read_leniently_and_written_canonically(
    morris: Morris, database: Path
) -> None:
    sanmill = format_sanmill(Position.parse(NINE, DRAWN))
    for text in ("W : w d6, A4,d5 : b a7,G4,c4,b4", sanmill):
        answer = morris("query", text, "--db", database, "--json")
        assert answer.json["position"] == DRAWN


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("w:Wa1,a4,a7,b2,b4,b6,c3,c4,c5,d1,d2,d3,d5,d6:Bg1,g4,g7", "White has 14 stones"),
        ("w:Wa1,a1,d1:Bg1,g4,g7", "a1 is given twice among White's stones"),
        ("w:Wa1,d1,g1:Bg1,g4,g7", "g1 cannot hold a white and a black stone at once"),
        ("w:Wa1,d1,z9:Bg1,g4,g7", "'z9' is not a point of the board"),
        ("w:Wa1,d1:Bg1,g4:H3,5", "the hands do not fit White's turn"),
        ("w:Wa1,d1,g4:Bg1,g7,d2:H-1,-1", "hand cannot hold -1 stones"),
        ("", "the position is empty"),
        ("   ", "the position is empty"),
        ("hello", "is not a position"),
        ("b:Wd2:Bd6,f6,f4,b4,b6:H1,2", "the game ended before Black's turn"),
        ("w:Wé:B", "is not a point"),
    ],
)
@pytest.mark.parametrize("command", ["query", "line"])
def test_positions_that_cannot_be_are_refused_each_for_its_reason(
    morris: Morris, tmp_path: Path, command: str, position: str, expected: str
) -> None:
    for extra in ([], ["--json"]):
        assert expected in morris(command, position, "--db", tmp_path, *extra).refused(2)


@pytest.mark.parametrize("command", ["query", "line"])
def test_a_missing_table_is_named_with_the_command_that_makes_it(
    morris: Morris, tmp_path: Path, command: str
) -> None:
    for extra in ([], ["--json"]):
        error = morris(command, DRAWN, "--db", tmp_path / "a b", *extra).refused(3)
        assert "sector 3-4 is missing" in error
        assert f"morris solve nine 4-3 --db '{tmp_path}/a b'" in error


def test_a_missing_table_after_a_move_is_named_too(
    morris: Morris, database: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    (twin,) = copy.glob("*/4-3.dtw.zst")
    twin.unlink()
    assert "morris solve nine 4-3" in morris("query", DRAWN, "--db", copy).refused(3)
    shutil.copy(database / twin.relative_to(copy), twin)
    (after_capture,) = copy.glob("*/3-3.dtw.zst")
    after_capture.unlink()
    assert morris("query", "w:Wa4,d5,g1:Ba7,b4,c4,g4", "--db", copy).code == 0  # no mill in reach
    error = morris("query", DRAWN, "--db", copy).refused(3)
    assert "sector 3-3 is missing" in error


def test_a_damaged_table_gives_no_value(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    (table,) = copy.glob("*/3-4.dtw.zst")
    whole = table.read_bytes()
    damaged = bytearray(whole)
    for place in range(len(whole) // 5, len(whole) * 4 // 5, 64):
        damaged[place] ^= 0x10
    table.write_bytes(damaged)
    for command in ("query", "line"):
        for extra in ([], ["--json"]):
            error = morris(command, DRAWN, "--db", copy, *extra).refused(4)
            assert error.startswith(f"{table}: frame ")
    assert morris("stats", "nine", "3-4", "--db", copy).code == 0  # the header is whole
    table.write_bytes(whole[: len(whole) // 2])
    assert str(table) in morris("query", DRAWN, "--db", copy).refused(4)
    table.write_bytes(b"")
    assert "header" in morris("line", DRAWN, "--db", copy).refused(4)


def test_tables_that_contradict_each_other(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    position = Position.parse(NINE, DRAWN)
    sector = position.sector
    table = table_path(copy, NINE, sector)
    with TableReader(table) as reader:
        header = reader.header
        payload = np.empty(header.slots, dtype=np.uint8)
        reader.read_into(payload)
    payload[layout(NINE, sector).index(position.mover_mask, position.opponent_mask)] = 33
    write_table(table, header, payload)
    for command in ("query", "line"):
        for extra in ([], ["--json"]):
            error = morris(command, DRAWN, "--db", copy, *extra).refused(4)
            assert error.startswith(f"{table}, ")
            assert " contradict each other: " in error
            assert f"{DRAWN} is a win in 33, but its best move " in error
            remedy = error.partition("find out where with: morris ")[2]
            assert morris(*shlex.split(remedy)).code == 1


def test_a_database_that_is_a_file_is_refused(morris: Morris, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    assert "is not a folder" in morris("query", DRAWN, "--db", file).refused(2)


def test_line_plays_a_win_to_its_end(morris: Morris, database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for position in some_positions(15):
            answer = morris("line", position, "--db", database, "--json").json
            keys = ["variant", "position", "value", "dtw", "line", "ended"]
            assert list(answer) == [*keys, "warning"]
            assert answer["warning"] is None
            assert (answer["value"], answer["dtw"]) == tablebase.probe(position)
            if answer["value"] == "draw":
                continue
            assert answer["ended"] == "loss"
            assert len(answer["line"]) == answer["dtw"]
            for step, entry in enumerate(answer["line"]):
                assert list(entry) == ["move", "value", "dtw", "position"]
                assert entry["dtw"] == answer["dtw"] - step
                best = tablebase.moves(position)[0]
                assert (entry["move"], entry["value"]) == (best.text, best.value)
                position = best.position
                assert entry["position"] == str(position)
            assert position.outcome() is not None


def test_a_drawn_line_stops_where_it_repeats(morris: Morris, database: Path) -> None:
    answer = morris("line", DRAWN, "--db", database, "--json").json
    assert (answer["value"], answer["dtw"], answer["ended"]) == ("draw", None, "repetition")
    places = [answer["position"], *(entry["position"] for entry in answer["line"])]
    assert len(answer["line"]) <= 60
    assert places[-1] in places[:-1]
    assert len(set(places)) == len(places) - 1
    assert {entry["dtw"] for entry in answer["line"]} == {None}
    text = morris("line", DRAWN, "--db", database).out
    assert text.endswith("Here a position of this line occurs again.\n")


def test_a_line_is_followed_no_further_than_asked(morris: Morris, database: Path) -> None:
    for limit in (0, 1, 3):
        answer = morris("line", DRAWN, "--plies", limit, "--db", database, "--json").json
        assert (len(answer["line"]), answer["ended"]) == (limit, "limit")
    text = morris("line", DRAWN, "--plies", 3, "--db", database).out
    assert text.endswith("Followed for 3 plies.\n")
    text = morris("line", DRAWN, "--plies", 0, "--db", database).out
    assert text.endswith("best play.\n\nFollowed for 0 plies.\n")
    # A game that ends on the last ply has ended.
    won = morris("line", WON, "--plies", 1, "--db", database, "--json").json
    assert won["ended"] == "loss"


def test_a_line_in_words(morris: Morris, database: Path) -> None:
    text = morris("line", WON, "--db", database).out
    assert "White wins in 1 ply.\n" in text
    assert "  1  White  g4-g1xb2  win in 1\n" in text
    assert text.endswith("Black has lost: 2 stones left.\n")


@pytest.mark.parametrize(("encoding", "glyph"), [("ascii", "B-----"), ("utf-8", "B─────")])
def test_the_board_suits_the_terminal(database: Path, encoding: str, glyph: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "solver", "query", DRAWN, "--db", str(database)],
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PATH": ""},
        capture_output=True,
        check=True,
    )
    assert glyph in done.stdout.decode(encoding)
    assert done.stderr == b""


def test_the_shared_database_has_what_its_constant_says(database: Path) -> None:
    names = {path.name.split(".")[0] for path in database.glob("*/*.dtw.zst")}
    assert names == {"3-3", "4-3", "3-4"}
    assert STONES == 7


# -- positions from standard input --------------------------------------------------------------


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Make standard input hold some bytes."""

    def type_in(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return type_in


def test_every_line_of_standard_input_is_answered_in_order(
    morris: Morris, database: Path, typed: Callable[[bytes], None]
) -> None:
    asked = [str(position) for position in some_positions(3)]
    lines = [asked[0], "hello", *asked[1:4], "", "w:W:B:H9,9", asked[4], "w:Wa1\udcff:B", asked[5]]
    content = "\n".join(lines).encode(errors="surrogateescape")
    for text in (content, content + b"\n", content.replace(b"\n", b"\r\n")):
        typed(text)
        answer = morris("query", "-", "--db", database, "--json")
        assert (answer.code, answer.err) == (3, "")  # the missing table of the empty board
        records = [json.loads(line) for line in answer.out.splitlines()]
        assert len(records) == len(lines)
        for line, record in zip(lines, records, strict=True):
            if line in asked:
                assert record == morris("query", line, "--db", database, "--json").json
                continue
            assert list(record) == ["input", "error"]
            shown = line.replace("\udcff", "\\xff")
            assert record["input"] == shown
            error = morris("query", shown, "--db", database).err
            assert error == f"Error: {one_line(record['error'])}\n"


def test_lines_for_people_have_three_columns(
    morris: Morris, database: Path, typed: Callable[[bytes], None]
) -> None:
    typed(f"{WON}\n{DRAWN}\n{TWO_LEFT}\n".encode())
    answer = morris("query", "-", "--db", database)
    assert answer.code == 0
    won, drawn, lost = (line.split("\t") for line in answer.out.splitlines())
    assert won == [WON, "win in 1", "g4-g1xb2 g4-g1xb4 g4-g1xd6"]
    assert drawn[:2] == [DRAWN, "draw"]
    assert lost == [TWO_LEFT, "loss in 0", ""]
    typed(b"x\ty\x1b\n")
    answer = morris("query", "-", "--db", database)
    assert answer.code == 2
    assert answer.out.startswith(r"x\ty\x1b" + "\terror: 'x\\ty\\x1b' is not a position")
    assert answer.out.count("\n") == 1


def test_nothing_asked_is_nothing_answered(
    morris: Morris, database: Path, typed: Callable[[bytes], None]
) -> None:
    typed(b"")
    assert morris("query", "-", "--db", database) == Answer(0, "", "")
    typed(f"{WON}\n".encode())
    error = morris("query", "-", "--moves", "g4-g1xb2", "--db", database).refused(2)
    assert "--moves goes with one position" in error


def test_each_line_is_answered_before_the_next_is_read(database: Path) -> None:
    command = [sys.executable, "-m", "solver", "query", "-", "--json", "--db", str(database)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for position in (WON, DRAWN):
            print(position, file=process.stdin, flush=True)
            assert json.loads(process.stdout.readline())["position"] == position
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(timeout=60) == 0


def test_no_standard_input(morris: Morris, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in morris("query", "-", "--db", database).refused(2)


def test_tables_of_several_folders(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    (twin,) = copy.glob("*/4-3.dtw.zst")
    other = tmp_path / "other" / twin.relative_to(copy)
    other.parent.mkdir(parents=True)
    twin.rename(other)
    expected = morris("query", DRAWN, "--db", database).out
    assert "morris solve nine 4-3" in morris("query", DRAWN, "--db", copy).refused(3)
    assert morris("query", DRAWN, "--db", copy, "--db", tmp_path / "other").out == expected
    counts = morris("stats", "nine", "--db", tmp_path / "other", "--db", copy).out
    assert counts == morris("stats", "nine", "--db", database).out
    assert "--db needs the name of a folder" in morris("query", DRAWN, "--db", "").refused(2)
