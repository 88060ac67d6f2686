"""The engine's protocol, spoken in this process."""

from __future__ import annotations

import io
import itertools
import os
import re
import time
from pathlib import Path

import pytest
from engines import NINE, NOWHERE, Conversation, Written, sound, talk
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, positions

from solver import __version__
from solver.engine import protocol, worker
from solver.engine.protocol import Engine
from solver.engine.streams import LONGEST_LINE
from solver.errors import UsageError
from solver.notation import format_playok
from solver.perft import divide
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant, with_options
from solver.sanmill import format_sanmill

START = "w:W:B:H9,9"
DRAWN = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
WON = "w:Wa1,d1,g4:Bb2,b4,d6"


def shown(*commands: str, rules: Rules = NINE) -> str:
    """The position after some commands, as ``d`` shows it, with the name of the game."""
    return talk(*commands, "d", rules=rules)[-2]


# -- options --------------------------------------------------------------------------------------


def test_uci_lists_name_and_options(tmp_path: Path) -> None:
    lines = talk("uci", database=tmp_path / "a b")
    assert lines[0] == f"id name morris-solver {__version__}"
    assert lines[1].startswith("id author ")
    assert lines[-1] == "uciok"
    options = [re.fullmatch(r"option name (\w+) type (\w+) default (.*)", x) for x in lines[2:-1]]
    found = {option[1]: (option[2], option[3]) for option in options if option}
    assert len(found) == len(options) == 5
    names = " ".join(f"var {name}" for name in VARIANTS)
    assert found["Variant"] == ("combo", f"nine {names}")
    assert found["Rules"] == ("string", "<empty>")
    assert found["Database"] == ("string", str(tmp_path / "a b"))
    assert found["MultiPV"] == ("spin", "1 min 1 max 1000")
    assert found["Hash"][0] == "spin"


def test_what_the_command_line_chose_is_the_default() -> None:
    rules = with_options(get_variant("nine"), ["stones=4", "flying=never"])
    lines = talk("uci", "d", rules=rules)
    assert "option name Rules type string default stones=4 flying=never" in lines
    assert f"{rules.name}: w:W:B:H4,4" in lines


@pytest.mark.parametrize(
    "command",
    [
        "setoption name Variant value six",
        "SETOPTION NAME vaRIant VALUE Six",
        "  setoption \t name   Variant   value   six  ",
    ],
)
def test_names_of_options_are_read_in_any_case(command: str) -> None:
    assert shown(command) == "six: w:W:B:H6,6"


def test_rules_are_changed_and_reset() -> None:
    change = "setoption name Rules value stones=4 flying=never"
    assert shown(change) == "nine -r stones=4 -r flying=never: w:W:B:H4,4"
    assert shown(change.replace("value ", "value -r ")) == shown(change)
    kept = shown(change, "setoption name Variant value ten")
    assert kept == "ten -r stones=4 -r flying=never: w:W:B:H4,4"
    for reset in ("setoption name Rules value <empty>", "setoption name rules"):
        assert shown(change, reset) == f"nine: {START}"


def test_a_change_of_rules_begins_the_game_anew() -> None:
    moved = "position startpos moves d2"
    assert shown(moved, "setoption name Variant value ten") == "ten: w:W:B:H10,10"
    assert shown(moved, "setoption name Variant value nine") == "nine: b:Wd2:B:H8,9"
    assert shown(moved, "setoption name MultiPV value 3") == "nine: b:Wd2:B:H8,9"
    assert shown(moved, "ucinewgame") == f"nine: {START}"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("setoption name Variant value chess", "no variant is called 'chess'; there are: nine"),
        ("setoption name Variant", "no variant is called ''"),
        ("setoption name Rules value stones=99", "stones=99 is not a rule; stones may be 3 to 12"),
        ("setoption name Rules value fast", "no rule option is called 'fast'"),
        ("setoption name MultiPV value 0", "MultiPV takes a whole number from 1 to 1000, not '0'"),
        ("setoption name MultiPV value many", "not 'many'"),
        ("setoption name MultiPV", "not ''"),
        (f"setoption name MultiPV value {'9' * 5000}", "not '9999"),
        ("setoption name Hash value -1", "Hash takes a whole number from 1 to 65536, not '-1'"),
        ("setoption name Database", "Database needs the name of a folder"),
        ("setoption name Database value <empty>", "Database needs the name of a folder"),
        (f"setoption name Database value {__file__}", "is not a folder"),
        (f"setoption name Database value {__file__}/x", "not a directory"),
        ("setoption name Database value a\0b", "null"),
        (f"setoption name Database value {'x' * 5000}", "name too long"),
        ("setoption name Colour value red", "no option is called 'Colour'; there are: Variant,"),
        ("setoption name value", "no option is called ''"),
        ("setoption", "setoption takes: name NAME value VALUE"),
        ("setoption name", "setoption takes: name NAME value VALUE"),
        ("setoption value 3", "setoption takes: name NAME value VALUE"),
    ],
)
def test_wrong_options_change_nothing(command: str, expected: str) -> None:
    before = talk("uci", "position startpos moves d2", "d")
    after = talk("position startpos moves d2", command, "uci", "d")
    assert expected in after[0]
    assert after[0].startswith("info string ")
    assert after[1:] == before


def test_rules_that_mean_nothing_in_another_variant_keep_it_out() -> None:
    change = "setoption name Rules value stones=4"
    lines = talk(change, "setoption name Variant value tic-tac-toe", "d")
    assert lines[0].startswith("info string stones means nothing in tic-tac-toe: ")
    assert lines[-2] == "nine -r stones=4: w:W:B:H4,4"


def test_a_database_is_changed(database: Path, tmp_path: Path) -> None:
    spaced = tmp_path / "with  two spaces and value in it"
    os.symlink(database, spaced)
    asked = [f"position fen {WON}", "go"]
    absent = talk(f"setoption name Database value {tmp_path / 'none'}", *asked)
    assert absent[0].endswith("/none, so no table either")
    assert any("is missing; make it with: morris solve nine" in line for line in absent)
    for folder in (database, spaced):
        lines = talk(
            f"setoption name Database value {folder}", "setoption name Hash value 1", *asked
        )
        assert lines[-1] == "bestmove g4-g1xb2"
        assert "mate 1 wdl 1000 0 0 dtw 1" in lines[-2]


def test_several_databases(database: Path, tmp_path: Path) -> None:
    odd = tmp_path / f"a{os.pathsep}b"
    os.symlink(database, odd)
    both = f"{tmp_path / 'c'}{os.pathsep}{database}"
    for value, lacking in ((both, 1), (odd, 0)):
        set_it = f"setoption name Database value {value}"
        lines = talk(set_it, f"position fen {DRAWN}", "go", "uci")
        assert len([line for line in lines if "info string" in line]) == lacking
        assert [line for line in lines if line.startswith("info depth 8 multipv 1 score cp 0")]
        assert f"option name Database type string default {value}" in lines
    lines = talk("uci", database=[tmp_path / "c", database])
    assert f"option name Database type string default {both}" in lines


def test_the_first_database_must_not_be_a_file() -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        Engine(io.BytesIO(), Written(), NINE, Path(__file__))


# -- positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", FAMILY, ids=lambda rules: rules.name)
def test_every_game_is_played_from_its_start(rules: Rules) -> None:
    commands = ["position startpos"]
    if rules in VARIANTS.values():
        commands.insert(0, f"setoption name Variant value {rules.name}")
        lines = talk(*commands, "d", "go", "go perft 1")
    else:
        lines = talk(*commands, "d", "go", "go perft 1", rules=rules)
    start = Position.start(rules)
    assert f"{rules.name}: {start}" in lines
    moves = {turn.text(rules.board) for turn in start.turns()}
    best = next(line for line in lines if line.startswith("bestmove"))
    assert best.removeprefix("bestmove ") in moves
    assert not [line for line in lines if " score " in line]  # there is no table
    assert {line.removesuffix(": 1") for line in lines if line.endswith(": 1")} == moves
    assert lines[-1] == f"Nodes searched: {len(moves)}"


@pytest.mark.parametrize("rules", FAMILY, ids=lambda rules: rules.name)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_positions_and_turns_are_read(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    texts = [str(position), str(position).replace(":", " : ").replace(",", ", ")]
    if rules.board.size == 24:
        texts.append(format_sanmill(position))
    for text in texts:
        assert shown(f"position fen {text}", rules=rules) == f"{rules.name}: {position}"
    turns = position.turns()
    if not turns:
        return
    turn = data.draw(st.sampled_from(turns))
    whole = turn.text(rules.board)
    split = whole.replace("x", " x")
    for text in (whole, whole.upper(), split, format_playok(position, turn)):
        command = f"position fen {position} moves {text}"
        assert shown(command, rules=rules) == f"{rules.name}: {position.apply(turn)}"


def test_a_game_with_split_captures_and_numbers() -> None:
    game = "d6 f4 b4 d2 b6 f6 b2 xf6 f6"
    numbers = "5 14 11 20 4 6 19x6 6"
    position = "w:Wb2,b4,b6,d6:Bd2,f4,f6:H5,5"
    assert shown(f"position startpos moves {game}") == f"nine: {position}"
    assert shown(f"position startpos moves {numbers}") == f"nine: {position}"
    assert shown(f"Position StartPos Moves {game}") == f"nine: {position}"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("position", "position takes startpos, or fen and a position"),
        ("position here", "not 'here'"),
        ("position startpos d2", "not 'startpos d2'"),
        ("position moves d2", "not 'moves d2'"),
        (f"position {DRAWN}", "position takes startpos, or fen"),
        ("position fen", "the position is empty"),
        ("position fen moves d2", "the position is empty"),
        ("position fen w:Wa1:Ba1", "a1 cannot hold a white and a black stone at once"),
        ("position fen a/b/c", "is not a Sanmill FEN"),
        (f"position fen {DRAWN} moves a4-a1 xb4", "turn 1, 'a4-a1xb4': a4-a1 closes no mill"),
        ("position startpos moves d2 d2", "turn 2, 'd2': d2 is occupied"),
        ("position startpos moves d2 99", "turn 2, '99': "),
        ("position startpos moves moves", "turn 1, 'moves': "),
        ("position startpos moves xd2", "turn 1, 'xd2': "),
        ("position fen w:Wa1,d1,g4:Bb2,b4,d6 moves g4-g1xb2 d6-d5", "turn 2, 'd6-d5': the game is"),
    ],
)
def test_a_bad_position_changes_nothing(command: str, expected: str) -> None:
    lines = talk("position startpos moves d2 d6", command, "d")
    assert lines[0].startswith("info string ")
    assert expected in lines[0]
    assert len(lines[0]) < 1000
    assert "nine: w:Wd2:Bd6:H8,8" in lines
    if "turn" in expected:
        assert lines[0].endswith("; the position stays w:Wd2:Bd6:H8,8")


def test_a_draw_by_the_games_history_is_told_and_played_on(database: Path) -> None:
    shuffle = "a4-a1 g4-g7 a1-a4 g7-g4"
    for rounds, due in ((1, False), (2, True), (3, True)):
        moves = " ".join([shuffle] * rounds)
        lines = talk(f"position fen {DRAWN} moves {moves}", "go", database=database)
        told = "A draw is due: this position has occurred" in lines[0]
        assert told is due
        assert lines[-1] == talk(f"position fen {DRAWN}", "go", database=database)[-1]
        away = talk(f"position fen {DRAWN} moves {moves} a4-a1", "go", database=database)
        assert ("A draw is due" in away[0]) is due  # also the third time for that one
    quiet = " ".join(itertools.islice(itertools.cycle(shuffle.split()), 60))
    lines = talk(f"position fen {DRAWN} moves {quiet}", "go", database=database)
    assert "A draw is due" in lines[0]
    # Without tables too.
    lines = talk(f"position fen {DRAWN} moves {quiet}", "go")
    assert [line for line in lines if "A draw is due" in line]
    assert lines[-1] != "bestmove (none)"


# -- go -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("depth 5 movetime 100 nodes 99 mate 3 movestogo 4", ""),
        ("wtime 1000 btime -5 winc 0 binc x", ""),
        ("fast", "go does not know 'fast'; left out"),
        ("depth x", "go depth takes a whole number of 1 or more, not 'x'; left out"),
        ("depth", "go depth takes a whole number of 1 or more, not ''; left out"),
        ("depth 0", "go depth takes a whole number of 1 or more, not '0'; left out"),
        (f"depth {'9' * 5000}", "not '999"),
        ("searchmoves", ""),
        ("searchmoves a1-z9", "searchmoves: 1 of 1 left out, so that any turn may be chosen; the"),
        ("searchmoves g4-g1xb2 d1 zz", "searchmoves: 2 of 3 left out; the first is 'd1': White"),
    ],
)
def test_parameters_of_go(database: Path, parameters: str, expected: str) -> None:
    lines = talk(f"position fen {WON}", f"go {parameters}", database=database)
    complaints = [line for line in lines if line.startswith("info string ")]
    assert len(complaints) == bool(expected)
    if expected:
        assert complaints[0].startswith("info string ")
        assert expected in complaints[0]
    assert lines[-1] == "bestmove g4-g1xb2"


def test_searchmoves_restricts_the_choice(database: Path) -> None:
    lines = talk(f"position fen {WON}", "go searchmoves g4-f4 d1-d2 depth 1", database=database)
    assert lines[-1] in ("bestmove g4-f4", "bestmove d1-d2")
    assert " pv " in lines[-2]
    lines = talk(f"position fen {WON}", "go depth 1 searchmoves g4-g1 xd6", database=database)
    assert lines[-1] == "bestmove g4-g1xd6"


def test_perft_counts_by_turn() -> None:
    position = Position.parse(NINE, WON)
    counts = divide(position, 2)
    with Conversation(NOWHERE) as user:
        user.type(f"position fen {WON}", "go perft 2")
        lines = user.until("Nodes searched")
    assert lines == [
        *(f"{turn}: {number}" for turn, number in counts.items()),
        "",
        f"Nodes searched: {sum(counts.values())}",
    ]
    with Conversation(NOWHERE) as user:
        user.type("go perft 3")
        assert user.until("Nodes searched")[-1] == "Nodes searched: 12144"
    over = talk("position fen w:Wa1,g7:Bb4,d1,d6", "go perft 3")
    assert over == ["", "Nodes searched: 0"]


@pytest.mark.parametrize("depth", ["x", "", "0", "-1", "101", "9" * 14, "9" * 5000, "1 2", "1.5"])
def test_a_count_to_a_wrong_depth(depth: str) -> None:
    (line,) = talk(f"go perft {depth}")
    assert line.startswith("info string go perft takes a whole number from 1 to 100, not '")
    assert len(line) < 200


# -- two things at once ---------------------------------------------------------------------------


def test_a_count_is_stopped(database: Path) -> None:
    with Conversation(database) as user:
        user.type("go perft 12", "isready")
        user.until("readyok", 2)
        time.sleep(0.1)  # it is under way
        begun = time.monotonic()
        user.type("stop")
        (*_, note) = user.until("info string perft", 2)
        assert time.monotonic() - begun < 1
        assert re.fullmatch(
            r"info string perft was stopped: 0 of 24 turns are counted, 0 nodes", note
        )
        user.type("go perft 2")
        assert user.until("Nodes searched")[-1] == "Nodes searched: 552"


def test_what_is_stopped_says_what_it_has_counted() -> None:
    won = "w:Wa4,d1,g1:Bb2,b4,d6"  # the first three turns end the game: nothing follows them
    with Conversation(NOWHERE) as user:
        user.type(f"position fen {won}", "go perft 9")
        said = user.until("a4-a1xd6: 0")
        user.type("stop")
        said += user.until("info string perft")
        assert said[:3] == [f"a4-a1x{taken}: 0" for taken in ("b2", "b4", "d6")]
        turns = len(Position.parse(NINE, won).turns())
        expected = f"perft was stopped: 3 of {turns} turns are counted, 0 nodes"
        assert said[3:] == [f"info string {expected}"]


def test_infinite_and_ponder_keep_the_move_back(database: Path) -> None:
    with Conversation(database) as user:
        user.type(f"position fen {WON}")
        for go, release in (
            ("go infinite", "stop"),
            ("go ponder", "stop"),
            ("go ponder wtime 5", "ponderhit"),
        ):
            user.type(go)
            assert " pv g4-g1xb2" in user.until("info depth")[-1]
            user.type("isready")
            assert user.until("readyok") == ["readyok"]
            if release == "stop":
                user.type("ponderhit" if "infinite" in go else "position startpos", "isready")
                assert user.until("readyok") == ["readyok"]
                user.type(f"position fen {WON}")
            user.type(release)
            assert user.until("bestmove") == ["bestmove g4-g1xb2"]


def test_questions_are_answered_one_after_the_other(database: Path) -> None:
    with Conversation(database) as user:
        user.type(
            "go perft 12", f"position fen {WON}", "go depth 1", "setoption name multipv value 9"
        )
        user.type("position startpos", "isready")
        assert user.until("readyok", 2) == ["readyok"]
        user.type("stop")
        lines = user.until("bestmove")
        # As it was when the question came.
        assert lines[-1] == "bestmove g4-g1xb2"
        assert [line.split(" score ")[0] for line in lines[1:-1]] == ["info depth 1 multipv 1"]


def test_very_many_questions(monkeypatch: pytest.MonkeyPatch, database: Path) -> None:
    monkeypatch.setattr(worker, "_MOST_DUE", 5)
    asked = [f"position fen {WON}", *["go infinite", "go depth 1"] * 40]
    lines = talk(*asked, database=database)
    assert [line for line in lines if not line.startswith("info depth")] == [
        "bestmove g4-g1xb2"
    ] * 80


def test_quit_ends_in_the_middle(database: Path) -> None:
    with Conversation(database) as user:
        user.type("go perft 12", "go infinite", "go perft 12", "isready")
        user.until("readyok", 2)
        begun = time.monotonic()
        user.type("quit")
        assert user.ended(2)
        assert time.monotonic() - begun < 1
        said = user.written.lines
    time.sleep(0.3)
    assert user.written.lines == said  # nothing comes after the end


def test_answers_that_are_due_come_before_the_end(database: Path) -> None:
    for last in ([], ["quit"]):
        lines = talk(f"position fen {WON}", "go", *last, "go", database=database)
        assert lines.count("bestmove g4-g1xb2") == (1 if last else 2)
    lines = talk("go perft 12", f"position fen {WON}", "go infinite", database=database)
    assert lines[0].startswith("info string perft was stopped")
    assert lines[-1] == "bestmove g4-g1xb2"


# -- nonsense -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"frobnicate the board\n", "'frobnicate the board'"),
        (b"\x00\x1b[31m\x07\n", r"'\x00\x1b[31m\x07'"),
        (b"\xff\xfe g\xc3\xbc\n", "'\ufffd\ufffd gü'"),
        (b"x" * 5000 + b"\n", f"'{'x' * 37}...'"),
        (b"'\"\n", r"""'\'"'"""),
        ("\u2028a".encode() + b"\n", "'a'"),
        (b"last line without an end", "'last line without an end'"),
    ],
)
def test_unknown_commands(line: bytes, shown: str) -> None:
    assert talk(line) == [f"info string unknown command: {shown}; try help"]


def test_lines_that_say_nothing() -> None:
    assert talk("", "   ", "\t", b"\r\n", "debug on", "register later", "ponderhit", "stop") == []
    assert talk(b"isready\r\n", "\ufeffisready", "ISREADY now") == ["readyok"] * 3


def test_long_lines() -> None:
    turns = b"position startpos moves d2".ljust(LONGEST_LINE - 1) + b"\n"
    assert talk(turns, "d")[-2] == "nine: b:Wd2:B:H8,9"
    for much in (1, 2, LONGEST_LINE, 3 * LONGEST_LINE + 5):
        longer = turns[:-1] + b" " * much + b"\n"
        said = "info string a line of more than 65535 bytes is skipped"
        assert talk(longer, "isready") == [said, "readyok"]
        assert talk(longer[:-1]) == [said]


def test_a_line_of_turns_is_played_in_reasonable_time() -> None:
    shuffle = "a4-a1 g4-g7 a1-a4 g7-g4 "
    turns = shuffle * ((LONGEST_LINE - 100) // len(shuffle))
    begun = time.process_time()
    assert shown(f"position fen {DRAWN} moves {turns}") == f"nine: {DRAWN}"
    assert time.process_time() - begun < 10


def test_help_and_display() -> None:
    (line,) = talk("help")
    for name in ("uci", "setoption", "position", "go", "stop", "quit", "d"):
        assert re.search(rf"\b{name}\b", line)
    board = talk("position fen w:Wa1,g7:Bb4,d1,d6", "d")
    assert board[0] == "7  .-----------.-----------W"
    assert board[-1] == "The game is over, White has lost: 2 stones left."
    assert talk("d")[-1] == "White to move, 0 stones against 0; in hand 9 against 9."


def test_a_mistake_in_the_program_is_told_and_survived(
    monkeypatch: pytest.MonkeyPatch, database: Path
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no\nway")

    def lines(*commands: str) -> list[str]:
        writer = Written()
        given = io.BytesIO("\n".join(commands).encode())
        Engine(given, writer, NINE, database).run()
        return writer.lines

    monkeypatch.setattr(worker, "answer", fail)
    expected = (
        r"info string internal error: ZeroDivisionError: no\\nway \(test_engine.py, line \d+\)"
    )
    told, move, ready = lines("go", "isready")[-3:]
    told, move = sorted({told, move, ready} - {"readyok"}, reverse=True)
    assert re.fullmatch(expected, told)
    assert move == "bestmove (none)"
    with pytest.raises(AssertionError):
        sound([told])
    monkeypatch.setattr(protocol, "parse_go", fail)
    told, ready = lines("go", "isready")
    assert re.fullmatch(expected, told)
    assert ready == "readyok"


WORDS = st.sampled_from(
    "uci isready ucinewgame setoption name value position startpos fen moves go perft depth"
    " infinite searchmoves ponder stop ponderhit d help debug register Variant Rules MultiPV"
    " Hash six three stones=4 flying=never 1 2 0 -1 99999999999999999999 d2 xd6 a1-a4 a1-d1 24"
    " x - w:W:B:H9,9"
    f" {DRAWN} {WON} ********/********/******** w p 0 9 <empty>".split()
)
LINES = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join).map(str.encode),
    st.lists(st.one_of(WORDS, st.text(max_size=5)), max_size=8).map(
        lambda words: " ".join(words).encode("utf-8", "surrogatepass")
    ),
    st.binary(max_size=40),
    st.tuples(
        st.sampled_from(
            [b"position fen ", b"position startpos moves ", b"setoption name ", b"go "]
        ),
        st.binary(max_size=20),
    ).map(b"".join),
)


@settings(max_examples=150, deadline=None)
@given(given=st.lists(LINES, max_size=12))
def test_the_engine_survives_anything(database: Path, given: list[bytes]) -> None:
    commands = [line for text in given for line in text.split(b"\n")]
    commands = [line for line in commands if line.split()[:1] != [b"quit"]]
    writer = Written()
    Engine(io.BytesIO(b"".join(c + b"\n" for c in commands)), writer, NINE, database).run()
    lines = sound(writer.lines)
    assert all(line.isprintable() for line in lines)
    # Every question has an answer.
    words = [line.decode("utf-8", "replace").lstrip("\ufeff").lower().split() for line in commands]
    asked = [line for line in words if line[:1] == ["go"] and "perft" not in line]
    assert len([line for line in lines if line.startswith("bestmove ")]) == len(asked)
    assert lines.count("uciok") == len([line for line in words if line[:1] == ["uci"]])
