"""The text forms: canonical output, lenient input, and a clear reason for every refusal."""

from __future__ import annotations

from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, SIX, TOURNAMENT, positions

from solver.errors import UsageError
from solver.notation import (
    format_playok,
    format_position,
    format_turn,
    joined_turns,
    parse_position,
    parse_turn,
    replay,
)
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant
from solver.sanmill import format_sanmill, parse_sanmill

EVERY_RULE_SET = pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
SOME = settings(max_examples=30)

# Case 17 of the rules, then what else can be wrong with a text.
BAD_POSITIONS = [
    (
        "w:Wa1,a4,a7,b2,b4,b6,c3,c4,c5,d1,d2,d3,d5,d6:Bg1,g4,g7",
        "White has 14 stones, but each side has 9 in all (board and hand together)",
    ),
    ("w:Wa1,d1,a1:Bg1,g4,g7", "a1 is given twice among White's stones"),
    ("w:Wa1,d1,g7:Bg1,g4,g7", "g7 cannot hold a white and a black stone at once"),
    ("w:Wa1,d1,a2:Bg1,g4,g7", "'a2' is not a point of the board, which has a1, a4, a7, b2"),
    ("w:Wa1:Bg1:H5,3", "the hands do not fit White's turn: White holds 5 and Black 3"),
    ("w:Wa1:Bg1:H3,4", "the hands do not fit White's turn"),
    ("b:Wa1:Bg1:H4,3", "the hands do not fit Black's turn"),
    ("w:Wa1:Bg1:H-1,-1", "White's hand cannot hold -1 stones"),
    ("w:Wa1:Bg1:H0,-1", "Black's hand cannot hold -1 stones"),
    ("", "the position is empty; write one such as w:Wa7,d6,g7:Bb6,d7,f6 or, with stones in hand,"),
    ("  \t\n", "the position is empty"),
    ("b:Wd2:Bd6,f6,f4,b4,b6:H1,2", "the game ended before Black's turn: White has only 2 of the 3"),
    ("x:Wa1:Bg1:H3,3", "the side to move is 'x', but it must be w or b"),
    (":Wa1:Bg1:H3,3", "the side to move is '', but it must be w or b"),
    ("w:Wa1,d1,g1", "is not a position"),
    ("hello", "'hello' is not a position"),
    ("w:Wa1:Bg1:H3,3:X", "'X' is not a part of a position"),
    ("w:Wa1::Bg1:H3,3", "'' is not a part of a position"),
    ("w:Wa1:Bg1:Wd1:H3,3", "two parts that begin with W"),
    ("w:Wa1:Bg1:H3", "the hands '3' must be two numbers"),
    ("w:Wa1:Bg1:H3,3,3", "the hands '3,3,3' must be two numbers"),
    ("w:Wa1:Bg1:H3,x", "'x' is not a number of stones"),
    ("w:Wa1:Bg1:H3,٣", "is not a number of stones"),
    ("w:Wa1:Bg1:H3," + "9" * 5000, "is not a number of stones"),
    ("w:Wa1,:Bg1:H3,3", "a point is missing after the last comma of White's stones"),
    ("w:Wa1:B,g1:H3,3", "a point is missing before the first comma of Black's stones"),
    ("w:Wa1,,a7:Bg1:H3,3", "a point is missing between two commas of White's stones"),
    ("w:W,:Bg1:H3,3", "a point is missing before the first comma of White's stones"),
    ("w:W" + "a" * 5000 + ":Bg1:H3,3", "aaa...' is not a point"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_POSITIONS, ids=range(len(BAD_POSITIONS)))
def test_bad_positions_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_position(NINE, text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@given(st.one_of(st.text(), st.text("wbWBHx:,-0123456789adg/O@* ", max_size=60)))
def test_any_text_is_a_position_or_a_usage_error(text: str) -> None:
    try:
        position = parse_position(NINE, text)
    except UsageError:
        return
    position.validate()


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_positions_survive_their_text(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    text = format_position(position)
    assert parse_position(rules, text) == position
    assert Position.parse(rules, text) == position
    assert str(position) == position.format() == text


@pytest.mark.parametrize(
    "text",
    [
        "w:Wa4,d5,d6:Ba7,b4,c4,g4",
        "W:Wd6,A4,d5:BG4,c4,b4,a7",
        " w : W a4, d5, d6 : B a7, b4, c4, g4 \n",
        "w:Ba7,b4,c4,g4:Wa4,d5,d6",
        "w:wa4,d5,d6:ba7,b4,c4,g4:h0,0",
        "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes",
    ],
)
def test_lenient_reading_canonical_writing(text: str) -> None:
    assert format_position(parse_position(NINE, text)) == "w:Wa4,d5,d6:Ba7,b4,c4,g4"


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_turns_survive_their_text(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    for turn in position.turns()[:5]:
        text = format_turn(position, turn)
        assert parse_turn(position, text) == turn
        assert parse_turn(position, f" {text.upper()} ".replace("X", " x ")) == turn


@given(positions(), st.text("abcdefg1234567x- ", max_size=12))
def test_any_text_is_a_turn_or_a_usage_error(position: Position, text: str) -> None:
    try:
        turn = parse_turn(position, text)
    except UsageError:
        return
    assert turn in position.turns()


def test_two_captures_may_be_written_in_either_order() -> None:
    position = parse_position(TOURNAMENT, "w:Wd1,d3,b2,f2:Ba7,b4,c4,g1,g7:H5,4")
    assert parse_turn(position, "d2xb4xa7") == parse_turn(position, "d2xa7xb4")
    assert format_turn(position, parse_turn(position, "d2xb4xa7")) == "d2xa7xb4"


PLACING = "w:Wa1,d1,b6:Ba7,d7,g7,e4:H5,5"
MOVING = "w:Wa1,d1,g4,c5:Bb6,d6,f6,e3"
FULL_MILLS = "w:Wa1,d1,g4,c5:Bb6,d6,f6"


@pytest.mark.parametrize(
    ("position", "turn", "reason"),
    [
        (PLACING, "", "the turn is empty"),
        (PLACING, "a2", "'a2' is not a point"),
        (PLACING, "g1xa2", "'a2' is not a point"),
        (PLACING, "a1", "a1 is occupied"),
        (PLACING, "a7", "a7 is occupied"),
        (PLACING, "a1-a4", "White has 5 in hand and must place one"),
        (PLACING, "g1", "g1 closes a mill and must take a stone; choose one of g1xe4"),
        (PLACING, "g1xa7", "a7 may not be taken: a stone in a mill is protected"),
        (PLACING, "g1xg4", "there is no stone of Black's on g4"),
        (PLACING, "g1xa1", "there is no stone of Black's on a1"),
        (PLACING, "g1xe4xa7", "must take a stone"),
        (PLACING, "g4xe4", "g4 closes no mill, so it takes nothing"),
        (MOVING, "g1", "White has no stones in hand to place on g1"),
        (MOVING, "a1-g7", "a1 and g7 are not adjacent, and White flies only with exactly 3"),
        (MOVING, "b6-b4", "the stone on b6 is Black's, not White's"),
        (MOVING, "f2-d2", "there is no stone on f2"),
        (MOVING, "a1-d1", "d1 is occupied"),
        (MOVING, "a1-a4-a7", "is not a turn"),
        (MOVING, "g4-g1", "choose one of g4-g1xe3"),
        (FULL_MILLS, "g4-g1", "choose one of g4-g1xb6, g4-g1xd6, g4-g1xf6"),
        ("w:Wd1,d3:B:H5,4", "d2xa1", "d2 closes a mill, but there is nothing it may take"),
        (
            "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7",
            "a1-d1",
            "the game is over, White has lost: no stone can move",
        ),
        ("w:Wa1,a4:Bb4,d1,d6", "a1-d1", "the game is over, White has lost: 2 stones left"),
    ],
)
def test_illegal_turns_say_why(position: str, turn: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_turn(parse_position(NINE, position), turn)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("turn", ["d2", "d2xa7", "d2xa7xa7", "d2xa7xb4xc4"])
def test_two_mills_must_take_two_different_stones(turn: str) -> None:
    position = parse_position(TOURNAMENT, "w:Wd1,d3,b2,f2:Ba7,b4,c4,g1,g7:H5,4")
    with pytest.raises(UsageError, match="must take two stones; choose one of d2xa7xb4, d2xa7xc4"):
        parse_turn(position, turn)


def test_never_flying_is_said() -> None:
    position = parse_position(SIX, "w:Wb2,d2,f6:Bb6,d6,e4")
    with pytest.raises(UsageError, match="b2 and f4 are not adjacent, and White never flies"):
        parse_turn(position, "b2-f4")


LASKER = "w:Wa1,d5,g7:Bb2,b6,d2,d6,e3,f4,g1:H1,2"
DARA_PLACING = "w:Wa1,b1:Ba5,b5:H9,9"
DARA = "w:Wa1,b1,d1,c2:Ba5,b5,d4"
THREE = "w:Wa3,b3,c2:Ba1,a2,b1"


@pytest.mark.parametrize(
    ("variant", "position", "turn", "reason"),
    [
        ("lasker", LASKER, "a1-d5", "d5 is occupied"),
        ("lasker", LASKER, "a7-d7", "there is no stone on a7"),
        ("lasker", LASKER, "a1-g4", "flies only with exactly 3 stones on the board and in hand"),
        ("lasker", LASKER, "a1-a4xb2", "a1-a4 closes no mill, so it takes nothing"),
        ("lasker", "w:Wa1,a7,d1,d7:Bb2:H0,5", "g7", "White has no stones in hand to place on g7"),
        ("dara", DARA_PLACING, "c1", "c1 would make three or more in a row, which is forbidden"),
        ("dara", DARA_PLACING, "a1-a2", "White has 9 in hand and must place one; write only where"),
        ("dara", DARA_PLACING, "a1", "a1 is occupied"),
        ("dara", DARA, "c2-c1", "c2-c1 would make more than three in a row, which is forbidden"),
        ("dara", DARA, "c2-f5", "c2 and f5 are not adjacent, and White never flies"),
        ("dara", "w:Wa1,b1,c2:Ba5,b5,d4", "c2-c1", "must take a stone; choose one of c2-c1xa5"),
        ("dara", "w:Wa1,b1,c2:Ba5,b5,d4", "g1", "'g1' is not a point of the board"),
        ("three", THREE, "c2-c3xa1", "c2-c3 closes a mill, which wins at once and takes nothing"),
        ("three", THREE, "c2-c1xa1", "c2-c1 closes no mill, so it takes nothing"),
        ("three", THREE, "", "the turn is empty; write one such as a3 or a3-b3"),
        ("three", "b:Wa3,b3,c3:Ba1,a2,b1", "b1-c1", "is over, Black has lost: White has closed a"),
        ("tic-tac-toe", "w:W:B:H5,4", "", "the turn is empty; write one such as a3"),
        ("tic-tac-toe", "w:W:B:H5,4", "a1-a2", "White has 5 in hand and must place one"),
        (
            "tic-tac-toe",
            "b:Wa2,b2,b3,c1,c3:Ba1,a3,b1,c2",
            "a3",
            "the game is over, it is a draw: the board is full",
        ),
        (
            "morabaraba",
            "b:Wa1:B:H11,12",
            "",
            "the turn is empty; write one such as a7, a7-d7 or a7xg1",
        ),
    ],
)
def test_illegal_turns_of_other_games_say_why(
    variant: str, position: str, turn: str, reason: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_turn(parse_position(get_variant(variant), position), turn)
    assert reason in str(caught.value)


def test_lasker_turns_are_written_with_and_without_where_the_stone_comes_from() -> None:
    position = parse_position(get_variant("lasker"), LASKER)
    assert format_turn(position, parse_turn(position, "a4")) == "a4"
    assert format_turn(position, parse_turn(position, "a1-a4")) == "a1-a4"


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_the_examples_in_errors_are_positions_of_the_game(rules: Rules) -> None:
    with pytest.raises(UsageError) as caught:
        parse_position(rules, "")
    examples = str(caught.value).partition("such as ")[2].replace(" or, with stones in hand, ", " ")
    for text in examples.split():
        assert str(parse_position(rules, text)) == text
    assert str(Position.start(rules)) in examples


def test_replay_names_the_turn_that_is_wrong() -> None:
    start = Position.start(NINE)
    assert replay(start, []) is start
    with pytest.raises(UsageError, match="turn 3, 'a1': a1 is occupied"):
        replay(start, ["a1", "d1", "a1"])


# The FEN of the Sanmill program.


def test_sanmill_examples() -> None:
    start = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    assert parse_position(NINE, start) == Position.start(NINE)
    after = "********/O*******/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    assert parse_position(NINE, after) == replay(Position.start(NINE), ["d6"])
    blocked = "@O@***@*/@O@*@O@*/OOO@OOO@ w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 0 10 ids:nodes"
    game = "e5 e4 g7 d5 d7 a7 a4 d6 f6 f4 a1 c4 b2 g1 d1 d2 g4 b4"
    assert parse_position(NINE, blocked) == replay(Position.start(NINE), game.split())


def test_sanmill_writing() -> None:
    position = parse_position(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")
    fen = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1"
    assert format_sanmill(position) == fen


@given(positions())
def test_sanmill_round_trip(position: Position) -> None:
    assert parse_sanmill(NINE, format_sanmill(position)) == position


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("*OOOOOOO/*@O@@OOO/OO@@@@@O b p p 14 -6 8 -4 0 0 17", "White's hand cannot hold -6"),
        ("********/********/******** w p p 0 9", "it has 6 fields, 8 are needed"),
        ("********/********/********", "it has 1 field, 8 are needed"),
        ("********/********/******** w m s 0 9 0 9", "moved (m), but White has 9 in hand"),
        ("********/O*******/******** b m s 1 8 0 9", "moved (m), but Black has 9 in hand"),
        ("O*****@*/O*****@*/**@***O@ w p p 3 0 4 0", "placed (p), but none is in hand"),
        ("********/*******/******** w p p 0 9 0 9", "not three rings of eight cells"),
        ("********/********/*******X w p p 0 9 0 9", "not three rings of eight cells"),
        ("********/********/******** x p p 0 9 0 9", "side to move of the FEN is 'x'"),
        ("O*****@*/O*****@*/**@***O@ w m r 3 0 4 0", "a removal is pending"),
        ("********/********/******** w q p 0 9 0 9", "unknown phase or action"),
        ("********/********/******** w p q 0 9 0 9", "unknown phase or action"),
        (
            "********/********/******** w p p 1 9 0 9",
            "counts 1 of White's stones on the board, but shows 0",
        ),
        (
            "********/********/******** w p p 0 9 1 9",
            "counts 1 of Black's stones on the board, but shows 0",
        ),
        ("********/********/******** w p p 0 nine 0 9", "'nine' is not a number"),
        ("********/********/******** w p p 0 9 0 7", "the hands do not fit White's turn"),
    ],
)
def test_bad_sanmill_texts(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_position(NINE, text)
    assert reason in str(caught.value)


def test_sanmill_is_for_the_large_boards() -> None:
    start = "********/********/******** w p p 0 12 0 12"
    morabaraba = get_variant("morabaraba")
    assert parse_position(morabaraba, start) == Position.start(morabaraba)
    assert format_sanmill(Position.start(morabaraba)).startswith(start)
    with pytest.raises(UsageError, match="24-point board, not merels16"):
        format_sanmill(Position.start(SIX))
    with pytest.raises(UsageError, match="24-point board, not merels16"):
        parse_position(SIX, "********/********/******** w p p 0 6 0 6")


@EVERY_RULE_SET
@given(data=st.data())
@SOME
def test_turns_round_trip_in_the_numbers_of_playok(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    for turn in position.turns():
        assert parse_turn(position, format_playok(position, turn)) == turn


def test_numbers_of_playok_are_row_by_row_from_the_top_left() -> None:
    # Examples of its move text: "12", "12-13", "18x21", "10-11x3".
    numbers = {"a7": 1, "g7": 3, "b6": 4, "a4": 10, "c4": 12, "e4": 13, "e3": 18, "g1": 24}
    for name, number in numbers.items():
        assert parse_position(NINE, f"b:W{number}:B:H8,9") == parse_position(
            NINE, f"b:W{name}:B:H8,9"
        )
    position = parse_position(NINE, "w:Wa4,a7,d7:Bg1,g7,f6,f4")
    assert format_turn(position, parse_turn(position, "10-11")) == "a4-b4"
    placing = parse_position(NINE, "w:Wc3,d3:Ba1,b2:H7,7")
    assert format_turn(placing, parse_turn(placing, "18x22")) == "e3xa1"
    for wrong in ("0", "25", "\u0661", "0000000019999999999"):
        with pytest.raises(UsageError, match=r"is not (the number of )?a point"):
            parse_turn(placing, wrong)


@given(st.data())
@SOME
def test_a_capture_may_be_a_word_of_its_own(data: st.DataObject) -> None:
    position = data.draw(positions(TOURNAMENT))
    for turn in position.turns():
        text = format_turn(position, turn)
        move, *taken = text.split("x")
        words = [move, *(f"x{name}" for name in taken)]
        assert joined_turns([*words, "d2", *words]) == [text, "d2", text]
        assert parse_turn(position, " ".join(words)) == turn
        assert replay(position, words) == position.apply(turn)


def test_a_capture_without_its_turn_is_refused() -> None:
    start = Position.start(NINE)
    with pytest.raises(UsageError, match="'xb4' is only what a turn takes; write it behind a move"):
        replay(start, ["xb4"])
    with pytest.raises(UsageError, match="turn 1, 'd6xb4': d6 closes no mill"):
        replay(start, ["d6", "xb4"])


def test_the_game_that_case_18_of_the_rules_gives() -> None:
    words = ["d6", "f4", "b4", "d2", "b6", "f6", "b2xf6", "f6"]
    split = ["d6", "f4", "b4", "d2", "b6", "f6", "b2", "xf6", "f6"]
    numbers = ["5", "14", "11", "20", "4", "6", "19x6", "6"]
    ends = {str(replay(Position.start(NINE), turns)) for turns in (words, split, numbers)}
    assert ends == {"w:Wb2,b4,b6,d6:Bd2,f4,f6:H5,5"}
