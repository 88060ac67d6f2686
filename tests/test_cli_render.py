"""``morris render``, files that a user names, and colours in terminals."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest
from conftest import Morris, plant
from pictures import named, parsed, part, texts, words_of

from solver import atomicfile
from solver.cli.formats import stdout_colour
from solver.game import Game
from solver.index import layout
from solver.notation import spelled_turn
from solver.position import Position, Turn
from solver.render import render_text
from solver.rules import VARIANTS, Rules, get_variant
from solver.svg import render_svg
from solver.tablebase import open_tablebase
from solver.tablefile import table_path

NINE = get_variant("nine")
TEXT = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
POSITION = Position.parse(NINE, TEXT)
POINT = NINE.board.point_index
ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MORRIS_DB", str(tmp_path / "none"))


# -- pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_the_start_of_every_variant(morris: Morris, rules: Rules) -> None:
    start = Position.start(rules)
    answer = morris("render", start, "--variant", rules.name)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == render_svg(start)
    parsed(answer.out)


def test_the_picture_is_of_the_position_after_the_moves(morris: Morris) -> None:
    game = Game(POSITION)
    for text in ("d6-f6", "g4-g7"):
        turn = game.play(text)
    answer = morris("render", TEXT, "--moves", "d6-f6 g4-g7")
    assert answer.out == render_svg(game.position, last_turn=turn)
    # Draws by repetition end no picture.
    moves = "d6-f6 g4-g7 f6-d6 g7-g4 " * 20
    assert morris("render", TEXT, "--moves", moves).code == 0


def test_rules_and_rule_options(morris: Morris) -> None:
    answer = morris("render", "w:W:B:H4,4", "-r", "stones=4", "--variant", "lasker")
    assert words_of(parsed(answer.out))[0] == "lasker -r stones=4: w:W:B:H4,4"


def test_arrows(morris: Morris) -> None:
    answer = morris("render", TEXT, "--arrow", "A4-a1", "--arrow", "d2", "--arrow", "d5-e5xa7")
    turns = [spelled_turn(NINE, text) for text in ("a4-a1", "d2", "d5-e5xa7")]
    assert turns[2] == Turn(POINT["d5"], POINT["e5"], (POINT["a7"],))
    assert answer.out == render_svg(POSITION, arrows=turns)


def test_size_and_title(morris: Morris) -> None:
    answer = morris("render", TEXT, "--size", 250, "--title", "Ä <b>")
    assert answer.out == render_svg(POSITION, size=250, title="Ä <b>")


def test_values_are_those_of_the_tables(morris: Morris, database: Path) -> None:
    with open_tablebase(database) as tablebase:
        moves = tablebase.moves(POSITION)
    answer = morris("render", TEXT, "--values", "--db", database)
    assert answer.out == render_svg(POSITION, values=moves)
    targets = {NINE.board.points[move.turn.target] for move in moves}
    assert set(named(parsed(answer.out), "data-value")) == targets
    assert morris("render", TEXT, "--values", "--from", "D5", "--db", database).out == render_svg(
        POSITION, values=moves, origin=POINT["d5"]
    )
    # Of the position after the moves, too.
    after = morris("render", TEXT, "--moves", "d6-f6", "--values", "--db", database)
    root = parsed(after.out)
    assert part(root, "last-turn") is not None
    assert set(named(root, "data-value")) == {
        NINE.board.points[turn.target]
        for turn in Position.parse(NINE, "b:Wa4,d5,f6:Ba7,b4,c4,g4").turns()
    }


def test_a_game_that_is_over_has_no_values(morris: Morris) -> None:
    answer = morris("render", "w:Wa1,g7:Bb4,d1,d6", "--values")
    root = parsed(answer.out)
    assert part(root, "values") is None
    assert "White has lost: 2 stones left" in texts(root)


def test_a_missing_table_is_named(morris: Morris, tmp_path: Path) -> None:
    file = tmp_path / "x.svg"
    message = morris("render", TEXT, "--values", "-o", file).refused(3)
    assert "sector 3-4 is missing" in message
    assert not file.exists()
    assert morris("render", TEXT).code == 0  # without --values none is needed


def test_a_damaged_table_gives_no_picture(morris: Morris, database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    slot = layout(NINE, POSITION.sector).index(POSITION.mover_mask, POSITION.opponent_mask)
    plant(table_path(copy, NINE, POSITION.sector), slot, 33)
    message = morris("render", TEXT, "--values", "--db", copy).refused(4)
    assert "contradict each other" in message


def test_json(morris: Morris, database: Path) -> None:
    record = morris("render", TEXT, "--moves", "d6-f6", "--json").json
    assert list(record) == ["variant", "position", "svg"]
    assert (record["variant"], record["position"]) == ("nine", "b:Wa4,d5,f6:Ba7,b4,c4,g4")
    assert record["svg"] == morris("render", TEXT, "--moves", "d6-f6").out
    record = morris("render", TEXT, "--text", "--json").json
    assert record == {"variant": "nine", "position": TEXT, "text": render_text(POSITION)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hello"], "'hello' is not a position"),
        ([TEXT, "--moves", "d6-d7 d7"], "--moves, turn 2"),
        ([TEXT, "--arrow", "a1-z2"], "--arrow 'a1-z2': 'z2' is not a point of the board"),
        ([TEXT, "--arrow", "a1-a4-a7"], "--arrow 'a1-a4-a7': 'a1-a4-a7' is not a turn"),
        ([TEXT, "--arrow", ""], "--arrow '': the turn is empty"),
        ([TEXT, "--arrow", "a1", "--arrow", "xa4"], "--arrow 'xa4': 'xa4' is only what a turn"),
        ([TEXT, "--from", "d5"], "--from chooses among the values of moves: it needs --values"),
        ([TEXT, "--values", "--from", "z1"], "--from: 'z1' is not a point of the board"),
        ([TEXT, "--values", "--from", "a7"], "--from a7: White is to move and has no stone there"),
        ([TEXT, "--values", "--from", "a1"], "--from a1: White is to move and has no stone there"),
        (
            ["w:Wa1:Ba7:H8,8", "--values", "--from", "a1"],
            "--from a1: White has stones in hand and must place one",
        ),
        ([TEXT, "--size", "15"], "--size takes a whole number of 16 or more, not '15'"),
        ([TEXT, "--size", "big"], "--size takes a whole number, not 'big'"),
        ([TEXT, "--text", "--values"], "--text shows the board alone; leave out --arrow"),
        ([TEXT, "--text", "--title", "x"], "--text shows the board alone"),
        ([TEXT, "--text", "--arrow", "a1"], "--text shows the board alone"),
        ([TEXT, "--text", "--size", "400"], "--text shows the board alone"),
        ([TEXT, "--json", "-o", "x.svg"], "--json writes to stdout, so it cannot go with --output"),
        ([TEXT, "-o", ""], "--output needs the name of a file, but it was given an empty one"),
        ([TEXT, "--variant", "chess"], "no variant is called 'chess'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str],
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert message in morris("render", *arguments).refused(2)
    assert os.listdir(tmp_path) == []


# -- files --------------------------------------------------------------------------------------


def test_a_file_is_written(morris: Morris, tmp_path: Path) -> None:
    file = tmp_path / "sub" / "board.svg"
    for option in ("-o", "--output"):
        answer = morris("render", TEXT, option, file)
        assert (answer.code, answer.out, answer.err) == (0, "", "")
        assert file.read_bytes() == render_svg(POSITION).encode()
        assert os.listdir(file.parent) == ["board.svg"]
        file.write_text("something else, to be replaced")
    assert morris("render", TEXT, "--text", "-o", file).code == 0
    assert file.read_text(encoding="utf-8") == f"{render_text(POSITION)}\n"


def test_a_link_stays_a_link(morris: Morris, tmp_path: Path) -> None:
    file, link = tmp_path / "board.svg", tmp_path / "link.svg"
    link.symlink_to(file)
    assert morris("render", TEXT, "-o", link).code == 0
    assert link.is_symlink()
    assert file.read_text() == render_svg(POSITION)


@pytest.mark.skipif(os.name != "posix", reason="devices have names the POSIX way")
def test_what_is_no_regular_file_is_not_replaced(morris: Morris, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert morris("render", TEXT, "-o", pipe).code == 0
        assert reader.communicate()[0] == render_svg(POSITION)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "{}: no space left on the disk to write it: it needs about "),
        (errno.EIO, "--output {} cannot be written: input/output error"),
    ],
)
def test_a_failed_write_leaves_what_was_there(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, message: str
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomicfile.os, "fsync", fail)
    file = tmp_path / "board.svg"
    assert morris("render", TEXT, "-o", file).refused(5).startswith(message.format(file))
    assert os.listdir(tmp_path) == []
    file.write_text("before")
    assert morris("render", TEXT, "-o", file).refused(5).startswith(message.format(file))
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == ["board.svg"]


def test_names_that_no_file_can_have(morris: Morris, tmp_path: Path) -> None:
    message = morris("render", TEXT, "-o", tmp_path).refused(2)
    assert message == f"--output needs the name of a file, but {tmp_path} is a folder"
    (tmp_path / "file").write_text("x")
    message = morris("render", TEXT, "-o", tmp_path / "file" / "board.svg").refused(2)
    assert message.startswith(f"--output {tmp_path}/file/board.svg cannot be written: ")


# -- terminals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terminal", "environment", "colour"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": "0"}, False),  # any text forbids them
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"FORCE_COLOR": "0", "CLICOLOR_FORCE": "0"}, False),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_there_are_colours(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], colour: bool
) -> None:
    monkeypatch.delenv("TERM", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert stdout_colour() is colour


def test_no_colours_where_stdout_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert stdout_colour() is False


@pytest.mark.parametrize(
    "arguments",
    [["render", TEXT, "--text"], ["query", "w:Wa1,g7:Bb4,d1,d6"]],
    ids=["render", "query"],
)
def test_colours_are_for_terminals(
    morris: Morris, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    plain = morris(*arguments).out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = morris(*arguments).out
    assert "\x1b[" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


def test_the_last_turn_is_marked_in_a_terminal(
    morris: Morris, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    game = Game(POSITION)
    turn = game.play("d6-f6")
    expected = render_text(game.position, colour=True, last_turn=turn)
    assert morris("render", TEXT, "--text", "--moves", "d6-f6").out == f"{expected}\n"


def test_files_and_json_have_no_colours(
    morris: Morris, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    file = tmp_path / "board.txt"
    morris("render", TEXT, "--text", "-o", file)
    assert "\x1b" not in file.read_text(encoding="utf-8")
    assert "\x1b" not in morris("render", TEXT, "--text", "--json").json["text"]


def test_the_text_suits_what_stdout_can_show() -> None:
    for encoding, ascii_only in (("ascii", True), ("utf-8", False)):
        done = subprocess.run(
            [sys.executable, "-m", "solver", "render", TEXT, "--text"],
            cwd=ROOT,
            env={"PYTHONIOENCODING": encoding, "PATH": ""},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode(encoding) == f"{render_text(POSITION, ascii_only=ascii_only)}\n"


def test_a_picture_is_drawn_without_numba() -> None:
    code = (
        "import sys; from solver.cli import run; run(sys.argv[1:]);"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "render", TEXT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"numba", "rich", "solver.solve"} & set(done.stderr.split())


def test_the_name_of_another_picture_is_refused(morris: Morris, tmp_path: Path) -> None:
    error = morris("render", "w:W:B:H9,9", "-o", tmp_path / "board.PNG").refused(2)
    assert "let the name of the file end in .svg" in error


def test_paths_that_cannot_be(morris: Morris, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    assert morris("render", "w:W:B:H9,9", "-o", tmp_path / "one").code in (0, 2, 5)
    (tmp_path / "file").write_text("")
    error = morris("render", "w:W:B:H9,9", "-o", tmp_path / "file" / "x.svg").refused(2)
    assert "cannot be written: a folder of its path is a file" in error
