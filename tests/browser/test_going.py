"""Going back and forth in a game, to other games, and by links."""

from __future__ import annotations

import pytest
from conftest import Visit
from playing import Play, at, next_points
from playwright.sync_api import Route

from solver.game import Game
from solver.position import Position
from solver.rules import VARIANTS, get_variant, with_options

PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"
TURNS = ("c3-d3", "a7-d7", "a4-a7")


@pytest.fixture
def positions() -> list[Position]:
    """The positions of a short game."""
    game = Game(Position.parse(get_variant("nine"), PUZZLE))
    for turn in TURNS:
        game.play(turn)
    return list(game.positions)


def begin(play: Play) -> None:
    play.open(position=PUZZLE)
    for turn in TURNS:
        play.turn(turn)


def test_undo_and_redo(play: Play, positions: list[Position]) -> None:
    begin(play)
    for number in (2, 1, 0):
        play.button("undo")
        assert play.shows(positions[number])
        assert play.played == list(TURNS[:number])
    assert play.find("#undo").is_disabled()
    for number in (1, 2, 3):
        play.button("redo")
        assert play.shows(positions[number])
        assert play.played == list(TURNS[:number])
    assert play.find("#redo").is_disabled()
    play.press("u", "u", "r")
    assert play.shows(positions[2])


def test_another_turn_forgets_what_was_taken_back(play: Play) -> None:
    begin(play)
    play.button("undo").button("undo").turn("a7-d7")
    assert play.find("#redo").is_enabled()  # it was the same turn
    play.button("undo").turn("a1-d1")
    assert play.find("#redo").is_disabled()
    assert play.played == ["c3-d3", "a1-d1"]


def test_back_forward_and_reload(play: Play, positions: list[Position]) -> None:
    begin(play)
    for number in (2, 1, 0):
        play.page.go_back()
        play.settle()
        assert play.shows(positions[number])
    for number in (1, 2):
        play.page.go_forward()
        play.settle()
        assert play.shows(positions[number])
    play.page.reload()
    play.settle()
    assert play.shows(positions[2])
    assert play.legal == next_points(positions[2])
    play.button("undo")
    assert play.shows(positions[1])


def test_links_lead_to_earlier_positions(play: Play, positions: list[Position]) -> None:
    begin(play)
    for ply in (1, 0, 3, 2):
        play.find(f'#record a[data-ply="{ply}"]').click()
        play.settle()
        assert play.shows(positions[ply])
        assert play.played == list(TURNS[:ply])


def test_links_of_moves_open_elsewhere(play: Play, visit: Visit) -> None:
    """Every link of a move holds the whole game: it opens the right position for anybody."""
    play.open(position=PUZZLE).turn("c3-c4")
    game = Game(Position.parse(get_variant("nine"), PUZZLE))
    game.play("c3-c4")
    listed = play.listed()
    assert {move["move"] for move in listed} == {
        turn.text(game.rules.board) for turn in game.position.turns()
    }
    other = visit(play.address)
    for move in listed[:3] + listed[-2:]:
        other.go(move["href"])
        game.play(move["move"])
        assert other.shows(game.position)
        assert other.played == ["c3-c4", move["move"]]
        game.undo()


def test_a_click_on_a_move_plays_it(play: Play) -> None:
    play.open(position=PUZZLE)
    play.find('#moves a[data-move="c3-d3"]').click()
    play.settle()
    assert play.played == ["c3-d3"]
    assert "d3" in play.white


def test_new_begins_anew(partial: Play) -> None:
    begin(partial)
    partial.button("undo").button("new")
    assert partial.white == partial.black == set()
    assert partial.find("#undo").is_disabled()
    assert partial.find("#redo").is_disabled()


def test_a_draw_by_repetition(play: Play) -> None:
    """Stones go to and fro until the position has occurred three times; people may play on."""
    play.open(position=PUZZLE)
    turns = ["c3-c4", "a7-d7", "c4-c3", "d7-a7"]
    for turn in turns * 2:
        play.turn(turn)
    assert "draw" in play.due
    assert "three times" in play.due
    play.turn("c3-d3")
    assert play.played == [*turns, *turns, "c3-d3"]


def test_every_variant_can_be_chosen(partial: Play) -> None:
    partial.open("six")
    titles: set[str] = set()
    for name, rules in VARIANTS.items():
        partial.choose(name)
        assert partial.rules == rules
        assert partial.shown("points") == set(rules.board.points)
        assert partial.legal == set(rules.board.points)
        titles.add(partial.page.title())
        turn = Position.start(rules).turns()[-1].text(rules.board)
        partial.turn(turn)
        assert partial.played == [turn]
    assert len(titles) == len(VARIANTS)


def test_options_can_be_chosen(partial: Play) -> None:
    partial.open()
    partial.find("#options select[data-option=stones]").select_option("4")
    partial.settle()
    assert partial.query["r"] == ["stones=4"]
    assert "4 left" in partial.due
    partial.find("#options select[data-option=double-mill]").select_option("2")
    partial.settle()
    assert sorted(partial.query["r"]) == ["double-mill=2", "stones=4"]
    rules = with_options(get_variant("nine"), ["stones=4", "double-mill=2"])
    game = Game(Position.start(rules))
    for turn in ("a1", "a7", "a4"):
        partial.turn(turn)
        game.play(turn)
    assert partial.shows(game.position)
    assert partial.legal == next_points(game.position)
    partial.page.reload()
    partial.settle()
    assert partial.find("#options select[data-option=stones]").input_value() == "4"
    assert partial.shows(game.position)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"variant": "chess"}, "chess"),
        ({"position": "w:Wa1,a1:Bd6:H7,7"}, "a1"),
        ({"position": "w:W:B:H9,9", "moves": "a1 a1"}, "a1"),
        ({"r": "stones=99"}, "99"),
    ],
)
def test_a_wrong_address_is_explained(
    visit: Visit, server: str, query: dict[str, str], said: str
) -> None:
    play = visit(server, allow=(400, 404))
    play.page.goto(play.address + "?" + "&".join(f"{name}={text}" for name, text in query.items()))
    play.find("#problem").wait_for()
    assert said in play.text("#problem")
    play.find("#reset").click()
    play.settle()
    assert play.find("#problem").is_hidden()
    assert play.legal


def test_the_position_is_copied(visit: Visit, server: str) -> None:
    play = visit(server, permissions=["clipboard-read", "clipboard-write"])
    play.open(position=PUZZLE).turn("c3-d3").button("copy")
    play.find("#notice:has-text('Copied')").wait_for()
    assert play.page.evaluate("navigator.clipboard.readText()") == ("b:Wa4,b6,d3,g4:Ba1,a7,g1,g7")


def test_draws_in_play_are_chosen(play: Play) -> None:
    there_and_back = ("b2-b4", "e5-e4", "b4-b2", "e4-e5")
    play.open(position="w:Wa1,b2,g1,g7:Bb6,d7,e5", moves=there_and_back)
    assert "draw" not in play.due.lower()
    play.find("[data-limit=repetition]").select_option("2")
    play.settle()
    assert play.query["repetition"] == ["2"]
    assert "draw" in play.due.lower()
    assert "two" in play.due.lower() or "2" in play.due
    assert play.played == list(there_and_back)  # the same game goes on
    play.find("[data-limit=repetition]").select_option("3")  # as usual
    play.find("[data-limit=quiet_limit]").select_option("0")
    play.settle()
    assert "repetition" not in play.query
    assert play.query["quiet_limit"] == ["0"]
    play.choose("four")
    assert "quiet_limit" not in play.query
    play.choose("tic-tac-toe")
    assert play.find("#limits select").count() == 0


def test_half_a_turn_is_taken_back(partial: Play) -> None:
    partial.open(position="w:Wa1,d1:Bd2,f6:H7,7")
    assert partial.find("#undo").is_disabled()
    partial.click("g1").button("undo")
    assert (partial.white, partial.played) == ({"a1", "d1"}, [])
    assert partial.find("#undo").is_disabled()
    partial.click("g1", "g1")
    assert (partial.white, partial.refusal) == ({"a1", "d1"}, "")
    partial.open(position="w:Wa1,d1,g4,f4:Ba7,d7,f6,b2").click("g4", "g1", "g4")
    assert partial.white == {"a1", "d1", "g4", "f4"}
    partial.click("g4", "g1", "b2")
    assert partial.played == ["g4-g1xb2"]


def test_arrows_beside_the_board_go_through_the_game(play: Play, positions: list[Position]) -> None:
    begin(play)
    play.page.evaluate("document.activeElement.blur()")
    play.press("ArrowLeft", "ArrowLeft")
    assert play.shows(positions[1])
    play.press("ArrowRight")
    assert play.shows(positions[2])
    play.point("c3").focus()
    play.press("ArrowLeft")  # on the board it goes to another point
    assert play.shows(positions[2])


def test_what_was_taken_back_survives_a_reload(play: Play, positions: list[Position]) -> None:
    begin(play)
    play.press("u", "u")
    play.page.reload()
    play.settle().press("r")
    assert play.shows(positions[2])
    play.find("#variant").select_option("three")
    play.settle().page.go_back()
    play.settle().press("r")
    assert play.shows(positions[3])
    play.press("u")
    play.find("#language").select_option("ja")
    play.page.reload()
    play.settle().press("r")
    assert play.shows(positions[3])


def spread(places: list[tuple[float, float]]) -> float:
    """How far apart some places are at most."""
    return max(max(values) - min(values) for values in zip(*places, strict=True))


def test_the_board_stays_where_it_is(partial: Play) -> None:
    """Nobody is to miss a point because a sentence above the board has become longer."""
    partial.open(position="w:Wa1,d1:Bd2,f6:H7,7")
    places = [partial.middle(at("d2"))]
    partial.point("g1").click()
    places.append(partial.middle(at("d2")))
    partial.point("d2").click()
    places.append(partial.middle(at("d2")))
    partial.settle()
    places.append(partial.middle(at("d2")))
    assert spread(places) < 1
    partial.open(position=PUZZLE, play="perfect")
    places = [partial.middle("#record")]
    partial.point("c3").click()
    partial.point("c4").click()
    partial.find("#due").filter(has_text="thinking").wait_for()
    places.append(partial.middle("#record"))
    assert spread(places) < 1


def test_answers_that_are_overtaken(play: Play, positions: list[Position]) -> None:
    """What has been asked of one position is not shown beside the next, and not missed either."""
    play.open(position=PUZZLE)
    held: list[Route] = []
    play.page.route("**/symmetries?**", lambda route: held.append(route))
    play.find("#symmetries-panel summary").click()
    while not held:
        play.page.wait_for_timeout(10)
    play.point("c3").click()
    play.point("d3").click()
    while len(held) < 2:
        play.page.wait_for_timeout(10)
    held[1].continue_()
    play.settle()
    held[0].continue_()  # which nobody waits for any more
    play.page.wait_for_timeout(200)
    assert play.shows(positions[1])
    first = play.find("#symmetries a[data-image]").first
    assert first.get_attribute("data-image") == str(positions[1])


def test_quick_clicks(play: Play) -> None:
    """Somebody goes to and fro without waiting for any answer."""
    begin(play)
    for name in ("undo", "undo", "redo", "undo", "undo", "redo", "redo", "redo", "undo"):
        play.page.evaluate("(name) => document.getElementById(name).click()", name)
    play.settle()
    assert play.played == list(TURNS[:2])
    game = Game(Position.parse(get_variant("nine"), PUZZLE))
    for turn in TURNS[:2]:
        game.play(turn)
    assert play.shows(game.position)
    assert {move["move"] for move in play.listed()} == {
        turn.text(game.rules.board) for turn in game.position.turns()
    }
