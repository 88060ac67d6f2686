"""``morris play``: games against the tables, and what is said of whatever is typed."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer, Morris, solved_once
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import NINE

from solver.game import Game
from solver.position import Position
from solver.record import parse_record
from solver.rules import get_variant

Played = Callable[..., Answer]

FLYING = "w:Wa1,d1,g4:Bb2,b4,d6"  # g4-g1 closes a mill and takes the third stone
MOVING = "w:Wa1,a4,b2,d1:Bg1,g4,f4"
PROTECTED = "w:Wa1,d1,g4,e4:Bb2,b4,b6"  # Black's stones form a mill


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole game of ``three``."""
    from solver.cli import run

    folder = tmp_path_factory.mktemp("three")
    assert run(["solve", "three", "--all", "--db", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All endgames of ``nine`` with up to eight stones."""
    return solved_once(tmp_path_factory, 8)


@pytest.fixture
def played(morris: Morris, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Play with these lines typed in."""

    def play(typed: str | bytes, *arguments: object) -> Answer:
        content = typed if isinstance(typed, bytes) else typed.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return morris("play", *arguments)

    return play


def replies(answer: Answer) -> list[str]:
    """What was printed after each line that was typed."""
    return answer.out.split("> ")[1:]


def test_a_won_game_ends_with_a_word(played: Played, database: Path, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    answer = played("g4-g1xb2\n", "--position", FLYING, "--db", database, "--save", file)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith("Black has lost: 2 stones left.\nYou have won.\n")
    record = parse_record(file.read_text())
    assert record.result == "1-0"
    assert record.tags["White"] == "You"
    assert [turn.turn.text(NINE.board) for turn in record.turns] == ["g4-g1xb2"]


def test_the_program_wins_what_it_can(played: Played, three: Path) -> None:
    for seed in range(5):
        chance = random.Random(seed)
        game, typed = Game(get_variant("three")), ""
        while True:
            options = ("--variant", "three", "--side", "black", "--level", "perfect")
            answer = played(typed, *options, "--db", three, "--seed", seed)
            assert answer.code == 0
            if "has lost" in answer.out:
                break
            said = [line for line in answer.out.splitlines() if line.startswith("White plays ")]
            for line in said[(len(game.turns_played) + 1) // 2 :]:
                game.play(line.removeprefix("White plays "))
            typed += (turn := chance.choice(game.position.turns()).text(game.rules.board)) + "\n"
            game.play(turn)
            assert len(game.turns_played) < 9
        assert answer.out.endswith("The program has won.\n")


@pytest.mark.parametrize(
    ("position", "typed", "why", "due"),
    [
        (FLYING, "g4-g1", "Not possible: g4-g1 closes a mill and must take a stone; choose one of"
         " g4-g1xb2, g4-g1xb4, g4-g1xd6.", "White has to move a stone to any free point"),
        (PROTECTED, "g4-g1xd7", "there is no stone of Black's on d7", "has to move a stone to a"),
        ("w:Wa1,d1,g4,e4:Bb2,b4,b6,d5", "g4-g1xb4", "b4 may not be taken: a stone in a mill is"
         " protected while another is in none", "takes a stone in the same turn, such as g4-g1xd5"),
        (MOVING, "b2-b6", "b2 and b6 are not adjacent, and White flies only with exactly 3 stones"
         " left", "White has to move a stone to a free point next to it"),
        (MOVING, "g4-g7", "the stone on g4 is Black's, not White's", "such as a4-a7"),
        (MOVING, "d1-g1", "g1 is occupied", "White has to move"),
        (MOVING, "g7", "White has no stones in hand to place on g7", "White has to move"),
        (MOVING, "a1-a7", "a1 and a7 are not adjacent", "White has to move"),
        (MOVING, "e5-e4", "there is no stone on e5", "White has to move"),
        (MOVING, "zz", "'zz' is not a point of the board", "White has to move"),
        (MOVING, "", "the turn is empty", "White has to move"),
    ],
)  # fmt: skip
def test_what_is_no_turn_is_explained(
    played: Played, eight: Path, position: str, typed: str, why: str, due: str
) -> None:
    answer = played(f"{typed}\n", "--position", position, "--db", eight)
    assert answer.code == 0
    said = replies(answer)[0]
    assert why in said
    assert due in said
    assert "help lists what else you can type" in said
    assert answer.out.endswith("White> \nThe game stops here.\n")


def test_words_that_are_no_turns(played: Played, database: Path) -> None:
    typed = "help\nhint\nmoves\nboard\nrecord\nundo\nhnit\nBOARD\nquit\n"
    answer = played(typed, "--position", FLYING, "--db", database)
    helped, hint, moves, board, record, undone, near, again, stopped = replies(answer)
    for word in ("hint", "moves", "board", "undo", "record", "resign", "quit", "help"):
        assert f"\n  {word}" in helped
    assert hint.splitlines()[1] == "win in 1: g4-g1xb2 g4-g1xb4 g4-g1xd6"
    turns = Position.parse(NINE, FLYING).turns()
    assert set(moves.split()) >= {turn.text(NINE.board) for turn in turns}
    assert "White to move, 3 stones (flying) against 3." in board
    assert f'[FEN "{FLYING}"]' in record
    assert "You have not played a turn that could be taken back." in undone
    assert "Did you mean hint?" in near
    assert again.splitlines()[1:] == board.splitlines()[1:]
    assert stopped == "quit\n"


def test_undo_takes_back_the_answer_too(played: Played, three: Path) -> None:
    options = ("--variant", "three", "--db", three, "--seed", "1", "--level", "perfect")
    once = played("a1\nrecord\n", *options)
    answer = played("a1\nundo\nb2\nundo\na1\nrecord\n", *options)
    assert "1. a1 " in once.out
    last = replies(answer)[-2]
    assert last.splitlines()[-2].startswith("1. a1 ")
    assert last.splitlines()[-2].endswith(" *")
    black = played("undo\n", *options, "--side", "black")
    assert "You have not played a turn" in black.out


def test_resigning(played: Played, three: Path, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    options = ("--variant", "three", "--db", three, "--save", file)
    answer = played("a1\nresign\n", *options)
    assert answer.out.endswith("You have resigned. Black wins.\n")
    assert parse_record(file.read_text()).result == "0-1"
    error = played("resign\n", *options).refused(2)
    assert f"--save: {file} is there already" in error
    file.unlink()
    played("resign\n", *options, "--side", "black", "--seed", "1")
    assert parse_record(file.read_text()).result == "1-0"


def test_an_interrupted_game_is_saved(
    morris: Morris, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter(["b2\n"])

    def typed(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("solver.cli.session._typed", typed)
    file = tmp_path / "game.txt"
    answer = morris("play", "--variant", "three", "--db", three, "--save", file)
    assert answer.code == 130
    record = parse_record(file.read_text())
    assert (len(record.turns), record.result) == (2, "*")
    assert record.turns[0].turn.text(get_variant("three").board) == "b2"


def test_turns_are_read_as_in_records(played: Played, three: Path) -> None:
    options = ("--variant", "three", "--db", three, "--seed", "1", "--level", "perfect")
    plain = replies(played("b2\n", *options))[0].splitlines()[1:]
    assert replies(played("1. b2\n", *options))[0].splitlines()[1:] == plain
    assert replies(played("5\n", *options))[0].splitlines()[1:] == plain
    two = replies(played("b2 a1\n", *options))[0]
    assert "Not possible: one turn at a time, such as 'b2'." in two


def test_draws_in_play_end_the_game(played: Played, database: Path) -> None:
    start = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
    answer = played("d6-f6\n", "--position", start, "--db", database, "--quiet-limit", "1")
    assert answer.out.endswith("It is a draw: 1 ply without a capture.\n")
    assert "After 1 ply more without a capture the game is a draw." in answer.out


def test_the_same_seed_plays_the_same_game(played: Played, three: Path) -> None:
    options = ("--variant", "three", "--db", three, "--side", "random", "--level", "easy")
    games = {played("record\n", *options, "--seed", seed).out for seed in (7, 7, 7)}
    assert len(games) == 1
    sides = {played("", *options, "--seed", seed).out[:13] for seed in range(8)}
    assert len(sides) == 2


def test_wrong_options(played: Played, tmp_path: Path) -> None:
    error = played("", "--db", tmp_path).refused(3)
    assert "the table of sector 0-0+9-9 is missing" in error
    assert "'strong' is not one of" in played("", "--level", "strong").refused(2)
    assert "'green' is not one of" in played("", "--side", "green").refused(2)
    assert "is not a position" in played("", "--position", "x").refused(2)


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")),
            st.sampled_from([b"hint", b"undo", b"a1", b"b2", b"a1-a2", b"moves", b"record", b"x"]),
        ),
        max_size=6,
    )
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_is_typed_breaks_it(played: Played, three: Path, lines: list[bytes]) -> None:
    answer = played(b"\n".join(lines), "--variant", "three", "--db", three, "--seed", "1")
    assert (answer.code, answer.err) == (0, "")
