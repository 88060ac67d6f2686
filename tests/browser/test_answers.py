"""What the page says of positions is what the tables say."""

from __future__ import annotations

import random
import re

import pytest
from conftest import Visit
from playing import Play, next_points

from solver.describe import plies
from solver.game import Game
from solver.position import Position
from solver.results import Result
from solver.rules import get_variant
from solver.tablebase import Tablebase

NINE = get_variant("nine")
PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"


def says(play: Play, position: Position, result: Result) -> bool:
    """Whether the page gives a position's value."""
    if result.value == "draw":
        return "draw" in play.value
    verb = {"win": "wins", "loss": "loses"}[result.value]
    said = f"{position.mover_colour} {verb} in {plies(result.dtw or 0)}"
    return said in play.value


def random_position(seed: int, variant: str, stones: tuple[int, int]) -> Position:
    """A position that is not over, the same for the same seed."""
    rules, chance = get_variant(variant), random.Random(seed)
    while True:
        points = chance.sample(range(rules.board.size), sum(stones))
        own, other = points[: stones[0]], points[stones[0] :]
        masks = rules.board.mask_of(own), rules.board.mask_of(other)
        position = Position(rules, *masks, white_to_move=chance.random() < 0.5)
        if position.outcome() is None:
            return position


@pytest.mark.parametrize("seed", range(4))
def test_set_up_by_clicking(setting: Play, tablebase: Tablebase, seed: int) -> None:
    play = setting
    stones = [(3, 3), (4, 3), (3, 4), (4, 4)][seed]
    position = random_position(seed, "nine", stones)
    play.open().set_up(position)
    assert play.shows(position)
    assert play.legal == next_points(position)
    assert says(play, position, tablebase.probe(position))
    expected = {(move.text, move.value) for move in tablebase.moves(position)}
    assert {(move["move"], move["value"]) for move in play.listed()} == expected


def test_set_up_while_placing(setting: Play, tablebase: Tablebase) -> None:
    play = setting
    four = get_variant("four")
    position = Position.parse(four, "b:Wb6,d6:Bd2:H2,3")
    play.open("four").set_up(position)
    assert says(play, position, tablebase.probe(position))
    assert play.legal == next_points(position)


@pytest.mark.parametrize(
    ("variant", "text"), [("nine", PUZZLE), ("four", "w:W:B:H4,4"), ("three", "w:W:B:H3,3")]
)
def test_moves_are_listed_best_first(
    play: Play, tablebase: Tablebase, variant: str, text: str
) -> None:
    position = Position.parse(get_variant(variant), text)
    play.open(variant, position=text)
    assert says(play, position, tablebase.probe(position))
    listed = play.listed()
    expected = tablebase.moves(position)
    assert [move["move"] for move in listed] == [move.text for move in expected]
    assert [move["value"] for move in listed] == [move.value for move in expected]
    depths = ["" if move.dtw is None else str(move.dtw) for move in expected]
    assert [move["depth"] for move in listed] == depths


def test_a_win_takes_as_many_plies_as_it_says(play: Play, tablebase: Tablebase) -> None:
    """Both sides click the first of the best moves until the game is over."""
    game = Game(Position.parse(NINE, PUZZLE))
    play.open(position=PUZZLE)
    assert says(play, game.position, Result("win", 9))
    for left in range(9, 0, -1):
        assert says(play, game.position, Result("win" if left % 2 else "loss", left))
        best = play.listed()[0]["move"]
        play.turn(best)
        game.play(best)
        assert play.shows(game.position)
    assert game.position.outcome() is not None
    assert "Black has lost" in play.due
    assert len(play.played) == 9


def test_best_play_is_shown(play: Play, tablebase: Tablebase) -> None:
    play.open(position=PUZZLE).button("line")
    line = tablebase.line(Position.parse(NINE, PUZZLE)).moves
    shown = play.find("#line-moves a")
    assert [re.sub(r"^\d+\. ", "", text) for text in shown.all_inner_texts()] == [
        move.text for move in line
    ]
    shown.last.click()
    play.settle()
    assert play.played == [move.text for move in line]
    assert "Black has lost" in play.due


@pytest.mark.parametrize("text", [PUZZLE, "b:Wa4,b6,c3:Ba1,a7,g7", "w:Wa1,a4,d7:Bb2,b4,f6"])
def test_the_histogram_marks_the_position(play: Play, tablebase: Tablebase, text: str) -> None:
    position = Position.parse(NINE, text)
    play.open(position=text)
    value, depth = tablebase.probe(position)
    marked = play.find("#histogram .marked")
    assert marked.count() == 1
    if depth is None:
        assert marked.get_attribute("data-value") == value
    else:
        header = tablebase.reader(NINE, position.sector).header
        said = marked.text_content() or ""
        assert f"{value} in {depth}: {header.distinct_histogram[depth]:,} position" in said


@pytest.mark.parametrize(
    ("variant", "text"), [("nine", "w:Wa4,b6,c3:Ba1,a7,d2"), ("three", "w:Wa3:Bb2:H2,2")]
)
def test_symmetries_are_worth_the_same(
    play: Play, tablebase: Tablebase, variant: str, text: str
) -> None:
    rules = get_variant(variant)
    position = Position.parse(rules, text)
    play.open(variant, position=text)
    play.find("#symmetries-panel summary").click()
    links = play.find("#symmetries a[data-image]")
    links.first.wait_for()
    images = {Position.parse(rules, str(link.get_attribute("data-image"))) for link in links.all()}
    assert images == {position.transform(each) for each in rules.board.automorphisms}
    assert len(images) == links.count()
    assert {tablebase.probe(image) for image in images} == {tablebase.probe(position)}
    links.last.click()
    play.settle()
    assert any(play.shows(image) for image in images - {position})


def test_the_program_answers(play: Play, tablebase: Tablebase) -> None:
    play.open(position=PUZZLE, play="perfect")
    play.turn("c3-d3")
    play.wait_for_turns(2)
    mine, reply = play.played
    assert mine == "c3-d3"
    after = Game(Position.parse(NINE, PUZZLE))
    after.play(mine)
    best = {move.text for move in tablebase.best_moves(after.position)}
    assert reply in best
    after.play(reply)
    assert play.shows(after.position)
    assert play.legal == next_points(after.position)
    assert reply in play.due
    play.button("undo")
    assert play.played == []
    assert play.shows(Position.parse(NINE, PUZZLE))


def test_the_program_begins_where_it_is_its_turn(play: Play, tablebase: Tablebase) -> None:
    play.open("three", play="perfect", side="black")
    play.wait_for_turns(1)
    assert play.played == ["b2"]  # the only first move that wins
    assert play.white == {"b2"}
    assert play.legal == play.shown("points") - {"b2"}


def test_answers_are_hidden_from_who_plays(play: Play) -> None:
    play.open(position=PUZZLE, play="easy")
    assert "9" not in play.value
    assert {move["value"] for move in play.listed()} == {"unknown"}
    assert play.find("#line").is_hidden()
    assert play.find("#histogram-panel").is_hidden()
    play.button("reveal")
    assert "9 plies" in play.value
    assert {move["value"] for move in play.listed()} == {"win", "draw"}
    play.button("reveal")
    assert "9" not in play.value
    play.find("#opponent").select_option("")
    play.settle()
    assert play.find("#line").is_visible()


def test_who_has_won_is_told_so(play: Play) -> None:
    """White is to take the third but last stone, and the program to have lost."""
    play.open(position="w:Wa1,d1,g4:Bb6,d6,f6", play="easy")
    play.turn("g4-g1xb6")
    assert "You have won" in play.due
    assert "Black has lost" in play.due
    assert play.find("#reveal").is_hidden()
    play.open(position="w:Wa1,d1,g4:Bb6,d6,f6", moves=["g4-g1xb6"], play="easy", side="black")
    assert "You have lost" in play.due


def test_turns_are_listed_that_go_on_from_a_click(play: Play) -> None:
    play.open(position=PUZZLE)
    play.click("b6")
    shown = {
        m["move"] for m in play.listed() if play.find(f"a[data-move='{m['move']}']").is_visible()
    }
    assert shown == {"b6-b4", "b6-d6"}
    assert play.text('#moves section[data-value="draw"] h3').endswith("(2 of 5)")
    play.press("Escape")
    assert play.find("a[data-move='c3-d3']").is_visible()


def test_two_people_play_without_tables(bare: Play) -> None:
    bare.open("six")
    assert bare.find("#missing").is_visible()
    command = bare.text("#missing code")
    assert command.startswith("morris solve six ")
    assert "--db" in command
    game = Game(Position.start(get_variant("six")))
    for turn in ("b6", "f6", "b4", "f4", "b2xf6", "d2"):
        bare.turn(turn)
        game.play(turn)
        assert bare.shows(game.position)
        assert {move["value"] for move in bare.listed()} == {"unknown"}
    assert bare.legal == next_points(game.position)
    bare.button("undo")
    game.undo()
    assert bare.shows(game.position)


def test_what_a_missing_table_takes(partial: Play) -> None:
    partial.open()
    partial.find("#missing a").first.wait_for()
    said = partial.text("#missing")
    assert "492 tables in all (10 GB, about 15 minutes)" in said
    partial.find("#missing a").filter(has_text="endgame").click()
    partial.settle()
    assert partial.value == "White wins in 9 plies."
    partial.page.go_back()
    partial.find("#missing a").filter(has_text="Three Men").click()
    partial.settle()
    assert "wins" in partial.value


def test_what_is_made_at_once_is_offered(bare: Play) -> None:
    bare.open()
    bare.find("#missing code").nth(1).wait_for()
    whole, small = bare.find("#missing code").all_inner_texts()
    assert small == whole.replace("nine 0-0+9-9", "three 0-0+3-3")
    bare.open("three")
    bare.find("#missing").filter(has_text="a few seconds").wait_for()
    assert bare.find("#missing code").count() == 1


def test_what_cannot_be_made_is_told(bare: Play) -> None:
    bare.open("dara")
    bare.find("#missing").filter(has_text="memory").wait_for()
    assert bare.find("#missing code").count() == 1  # of another game


def test_the_program_does_not_play_without_tables(bare: Play) -> None:
    bare.open()
    bare.find("#opponent").select_option("perfect")
    bare.settle()
    assert "missing table" in bare.refusal
    bare.click("d2", "f4")
    assert bare.played == ["d2", "f4"]
    bare.open(play="perfect", side="black")
    assert "missing table" in bare.refusal
    bare.click("d2")
    assert bare.played == ["d2"]


def test_who_has_lost_needs_no_table(bare: Play) -> None:
    bare.open(position="w:Wa1,a4,a7,d7:Bb4,d1,d6,g7")
    assert "White has lost" in bare.value
    assert bare.find("#missing").is_hidden()


def test_a_table_that_comes_later_is_used(visit: Visit, server: str) -> None:
    """One page goes from a game whose tables are missing to one whose tables are there."""
    page = visit(server, allow=(404,))
    page.open("lasker")
    assert page.find("#missing").is_visible()
    page.find("#variant").select_option("four")
    page.settle()
    assert page.find("#missing").is_hidden()
    assert "draw" in page.value
