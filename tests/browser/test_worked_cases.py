"""The rules' worked cases, played by clicking."""

from __future__ import annotations

import itertools

import pytest
from playing import Play, next_points

from solver.game import Game
from solver.position import Outcome, Position
from solver.rules import get_variant


def begin(play: Play, text: str, variant: str = "nine") -> Position:
    """Open a position; what can be clicked on it is what the rules say."""
    position = Position.parse(get_variant(variant), text)
    play.open(variant, position=text)
    assert play.shows(position)
    assert play.legal == next_points(position)
    return position


def test_a_mill_takes_at_once(partial: Play) -> None:
    position = begin(partial, "w:Wa1,d1:Bd2,f6:H7,7")
    partial.click("g1")
    assert partial.white == {"a1", "d1", "g1"}
    assert partial.legal == {"d2", "f6"}
    assert "White has closed a mill" in partial.due
    assert partial.played == []
    partial.click("d2")
    assert partial.played == ["g1xd2"]
    assert partial.shows(Position.parse(position.rules, "b:Wa1,d1,g1:Bf6:H6,7"))
    assert partial.shown("captured") == {"d2"}
    assert partial.shown("last") == {"g1"}
    assert "Black" in partial.due


def test_a_stone_in_a_mill_is_protected(partial: Play) -> None:
    begin(partial, "w:Wa7,d7:Bb2,d2,f2,g1:H5,5")
    partial.click("g7")
    assert partial.legal == {"g1"}
    partial.click("b2")
    assert "b2" in partial.refusal
    assert "protected" in partial.refusal
    assert partial.played == []
    assert partial.legal == {"g1"}
    partial.click("g1")
    assert partial.played == ["g7xg1"]
    assert partial.refusal == ""
    assert partial.due.startswith("Black")


def test_one_legal_move(partial: Play) -> None:
    begin(partial, "w:Wd7,g7,f6,e5:Bd6,g4,f4,d5,e4")
    assert partial.legal == {"d7"}
    partial.click("g7")
    assert "g7 cannot move" in partial.refusal
    partial.click("d7")
    assert partial.shown("chosen") == {"d7"}
    assert partial.legal == {"a7"}
    assert [move["move"] for move in partial.listed()] == ["d7-a7"]
    partial.click("a7")
    assert partial.played == ["d7-a7"]


def test_all_in_mills(partial: Play) -> None:
    begin(partial, "w:Wa1,d1,b6:Bb2,d2,f2:H6,6")
    partial.click("g1")
    assert partial.legal == {"b2", "d2", "f2"}
    assert partial.played == []
    partial.click("d2")
    assert partial.played == ["g1xd2"]


@pytest.mark.parametrize("taken", ["b6", "d6", "f6"])
def test_a_capture_that_wins(play: Play, taken: str) -> None:
    begin(play, "w:Wa1,d1,g4,c5:Bb6,d6,f6")
    assert "1 ply" in play.value
    play.click("g4", "g1")
    assert play.legal == {"b6", "d6", "f6"}
    play.click(taken)
    assert "White has won" in play.due or "Black has lost" in play.due
    assert play.legal == set()
    assert play.listed() == []


BLOCKED = "e5 e4 g7 d5 d7 a7 a4 d6 f6 f4 a1 c4 b2 g1 d1 d2 g4 b4"


def test_who_cannot_move_has_lost(partial: Play) -> None:
    partial.open()
    game = Game(Position.start(get_variant("nine")))
    for turn in BLOCKED.split():
        assert partial.legal == next_points(game.position)
        assert partial.due.startswith(game.position.mover_colour)
        partial.turn(turn)
        game.play(turn)
        assert partial.shows(game.position)
    assert partial.played == BLOCKED.split()
    assert game.position.outcome() is Outcome.BLOCKED
    assert "White has lost" in partial.due
    assert "no stone can move" in partial.due
    assert partial.legal == set()
    # Who has lost is known without a table.
    assert "White has lost" in partial.value
    assert partial.find("#missing").is_hidden()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("w:Wa1,d5,g7:Bb2,b6,d2,d6", 51),
        ("w:Wa1,d5,f2,g7:Bb2,b6,d2,d6", 7),
        ("w:Wa4,a7,d7:Ba1,b4,d6,g7", 51),
    ],
)
def test_flying(play: Play, text: str, count: int) -> None:
    position = begin(play, text)
    assert len(play.listed()) == count
    assert ("fly" in play.due) == position.flying == (count == 51)
    for point in play.white:
        play.click(point)
        assert play.shown("chosen") == {point}
        assert play.legal == next_points(position, point)
    assert play.played == []


def test_four_stones_do_not_fly(play: Play) -> None:
    begin(play, "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7")
    assert "White has lost" in play.due
    assert play.legal == set()
    play.open(position="w:Wa1,d5,f2,g7:Bb2,b6,d2,d6").click("a1", "c3")
    assert "a1 and c3 are not adjacent" in play.refusal
    assert play.shown("chosen") == {"a1"}


DOUBLE = "w:Wd1,d3,b2,f2:Ba7,b4,c4,g1,g7:H5,4"
TAKEN = {"a7", "b4", "c4", "g1", "g7"}


def test_a_double_mill_takes_one(partial: Play) -> None:
    begin(partial, DOUBLE)
    partial.click("d2")
    assert partial.legal == TAKEN
    partial.click("c4")
    assert partial.played == ["d2xc4"]


def test_a_double_mill_takes_two(partial: Play) -> None:
    position = begin(partial, DOUBLE, "nine-tournament")
    double = [turn for turn in position.turns() if len(turn.captures) == 2]
    assert len(double) == 10
    for first, second in itertools.permutations(sorted(TAKEN), 2):
        if first > "b" or second > "c5":  # a few of the twenty orders
            continue
        partial.open("nine-tournament", position=DOUBLE)
        partial.click("d2")
        assert "two" in partial.due
        assert partial.legal == TAKEN
        partial.click(first)
        assert partial.legal == TAKEN - {first}
        assert partial.played == []
        partial.click(second)
        assert partial.played == [f"d2x{min(first, second)}x{max(first, second)}"]


LAST_STONE = "f6 b4 c5 g7 b6 f4 e4 a1 e3 f2 a7 c3 g4 a4 d3 b2 d2 c4xf6"


def test_the_last_stone_placed_closes_a_mill(partial: Play) -> None:
    turns = LAST_STONE.split()
    partial.open(moves=turns[:-1])
    partial.click("c4")
    assert "mill" in partial.due
    partial.click("f6")
    assert partial.played == turns
    assert len(partial.white) == 8
    assert "White to move a stone" in partial.due
    position = Position.start(get_variant("nine"))
    game = Game(position)
    for turn in turns:
        game.play(turn)
    assert partial.legal == next_points(game.position)


def test_stones_in_hand_keep_a_side_in_play(partial: Play) -> None:
    begin(partial, "w:Wd2:Bd6,f6,f4,b4,b6:H3,3")
    assert "White to place" in partial.due
    begin(partial, "w:Wd2:Bd6,f6,f4,b4,b6:H1,1")
    assert "White has lost" in partial.due
    assert partial.legal == set()


def test_lasker_places_or_flies(partial: Play) -> None:
    position = begin(partial, "w:Wa1,d5:Bb2,b6,d2,d6,e3,f4,g1:H1,2", "lasker")
    free = partial.shown("points") - partial.white - partial.black
    assert len(free) == 15
    assert partial.legal == free | {"a1", "d5"}
    assert len(partial.listed()) == 45
    assert "place" in partial.due
    assert "fly" in partial.due
    partial.click("d5")
    assert partial.legal == free
    partial.press("Escape")
    assert partial.legal == next_points(position)
    partial.click("a1", "g7")
    assert partial.played == ["a1-g7"]
    assert partial.black == {"b2", "b6", "d2", "d6", "e3", "f4", "g1"}


def test_morabaraba_takes_one_for_two_mills(partial: Play) -> None:
    begin(partial, "w:Wd1,g1,b2,c3,a4:Bd7,f4,e5,b6", "morabaraba")
    partial.click("a4", "a1")
    assert partial.legal == {"d7", "f4", "e5", "b6"}
    partial.click("e5")
    assert partial.played == ["a4-a1xe5"]


def test_a_line_wins_at_once(play: Play) -> None:
    begin(play, "w:Wa3,b3,c2:Ba2,a1,b1", "three")
    assert "White wins in 1 ply" in play.value
    play.turn("c2-c3")
    assert "Black has lost" in play.due
    assert play.legal == set()
    assert len(play.find("#board .mills line[data-mill]").all()) == 1


def test_dara_takes_for_three_in_a_row(partial: Play) -> None:
    begin(partial, "w:Wa5,b5,c4:Ba2,c2,e2", "dara")
    partial.click("c4", "c5")
    assert partial.legal == {"a2", "c2", "e2"}
    partial.click("a2")
    assert partial.played == ["c4-c5xa2"]
    assert "Black has lost" in partial.due


def test_dara_forbids_rows(partial: Play) -> None:
    begin(partial, "w:Wa5,b5:Bd1,f1:H10,10", "dara")
    assert "c5" not in partial.legal
    partial.click("c5")
    assert "three or more in a row" in partial.refusal
    assert partial.played == []
    begin(partial, "w:Wa5,b5,d5,c4:Ba2,c2,e2", "dara")
    partial.click("c4", "c5")
    assert "more than three in a row" in partial.refusal
    assert partial.played == []


def test_tic_tac_toe(play: Play) -> None:
    play.open("tic-tac-toe")
    assert "draw" in play.value
    play.click("a3", "b2", "b3", "a1")
    assert "1 ply" in play.value
    play.click("c3")
    assert play.played == ["a3", "b2", "b3", "a1", "c3"]
    assert "Black has lost" in play.due
    assert play.white == {"a3", "b3", "c3"}


def test_a_hand_counts_for_flying(partial: Play) -> None:
    """Lasker: who slides with stones in hand flies when both together are three."""
    partial.open("lasker", position="w:Wa1,d5,g7:Bb2,b6,d2:H2,2")
    partial.point("a1").click()
    partial.point("g4").click()
    assert partial.refusal == (
        "a1 and g4 are not adjacent, and White flies only with exactly three stones on the board"
        " and in hand together."
    )
    partial.open("lasker", position="w:Wa1,d5:Bb2,b6,d2:H1,1")
    partial.point("a1").click()
    partial.point("g4").click()
    partial.settle()
    assert partial.played == ["a1-g4"]
