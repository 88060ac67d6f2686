"""What people do before an answer has come, and answers that do not come."""

from __future__ import annotations

import pytest
from conftest import Visit
from playing import Play
from playwright.sync_api import Route

PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"
SLOWLY = 400
"""Milliseconds that answers take where somebody does something before they come."""


def test_a_server_that_is_gone(visit: Visit, server: str) -> None:
    play = visit(server, allow=(0,)).open(position=PUZZLE)
    play.page.context.set_offline(True)
    play.point("c3").click()
    play.point("d3").click()
    play.find("#problem").wait_for()
    assert "does not answer" in play.text("#problem")
    play.page.context.set_offline(False)
    play.button("retry")
    assert play.find("#problem").is_hidden()
    assert play.played == ["c3-d3"]
    assert "d3" in play.white


def slow_down(play: Play, what: str) -> None:
    def answer_late(route: Route) -> None:
        play.page.wait_for_timeout(SLOWLY)
        route.continue_()

    play.page.route(what, answer_late)


def test_another_language_survives_answers(play: Play) -> None:
    play.open("four", lang="en", play="perfect")
    play.point("b2").click()
    play.find("#due").filter(has_text="thinking").wait_for()
    play.find("#language").select_option("ja")
    play.wait_for_turns(2)
    assert play.query["lang"] == ["ja"]
    assert "黒" in play.due


def test_set_up_begins_with_what_is_seen(setting: Play) -> None:
    setting.open(position=PUZZLE)
    slow_down(setting, "**/turns?*")
    setting.point("c3").click()
    setting.point("d3").click()
    setting.find("#setup").click()
    assert setting.find("#setup-text").input_value() == "b:Wa4,b6,d3,g4:Ba1,a7,g1,g7"
    assert setting.white == {"a4", "b6", "d3", "g4"}
    setting.find("#setup-good").wait_for()


def test_rules_stay_while_others_come(partial: Play) -> None:
    play = partial.open("four", r="stones=3")
    slow_down(play, "**/rules?*")
    play.point("b2").click()
    play.find("#limits [data-limit=repetition]").select_option("0")
    play.settle()
    play.wait_for_turns(1)
    assert (play.query["repetition"], play.query["r"]) == (["0"], ["stones=3"])
    assert play.find("#variant").input_value() == "four"


def test_a_click_before_the_answer_is_told_so_once(play: Play) -> None:
    play.open(position=PUZZLE)
    slow_down(play, "**/turns?*")
    play.point("c3").click()
    play.point("d3").click()
    play.point("a1").click()
    assert "still being read" in play.refusal
    play.find("#due").filter(has_text="is being read").wait_for()
    play.wait_for_turns(1)
    assert play.refusal == ""
    assert play.due.startswith("Black to move")


def test_an_address_that_is_too_long_is_explained(visit: Visit, server: str) -> None:
    play = visit(server, allow=(404, 414))
    play.page.goto(f"/?position={'x' * 17_000}")
    play.find("#problem").filter(has_text="too long").wait_for()
    play.find("#reset").click()
    play.settle()
    assert play.query == {}


@pytest.mark.parametrize("what", ["variants", "turns", "reply"])
def test_an_answer_that_is_not_the_server_s(play: Play, what: str) -> None:
    """A proxy may answer with anything; the page says so, and can be asked again."""
    play.page.route(f"**/{what}*", lambda route: route.fulfill(json={}))
    play.page.goto("/?variant=four&play=perfect&side=black")
    play.find("#problem:visible").wait_for()
    assert "200" in play.text("#problem")
    play.page.unroute_all()
    play.button("retry")
    play.wait_for_turns(1)
    assert play.find("#problem").is_hidden()


def test_two_turns_are_taken_back_before_any_answer(play: Play) -> None:
    """Against the program each takes back one's own turn too, and what was played stays known."""
    turns = ["c3-c4", "g7-d7", "a4-b4", "g1-d1"]
    play.open(position=PUZZLE, play="perfect", moves=turns)
    play.page.evaluate("() => [1, 2].forEach(() => document.getElementById('undo').click())")
    play.settle()
    assert play.played == []
    assert play.find("#record li").all_inner_texts() == ["Start", *turn_texts(turns)]


def test_looking_back_plays_nothing_new(play: Play) -> None:
    turns = ["c3-c4", "g7-d7", "a4-b4", "g1-d1"]
    play.open(position=PUZZLE, play="easy", moves=turns)
    play.page.route("**/reply?*", lambda route: route.abort())
    play.find("#record [data-ply='1']").click()
    play.wait_for_turns(2)
    assert play.played == turns[:2]
    assert play.find("#record li").all_inner_texts() == ["Start", *turn_texts(turns)]


def turn_texts(turns: list[str]) -> list[str]:
    return [f"{ply}. {turn}" for ply, turn in enumerate(turns, 1)]


def test_set_up_waits_for_the_rules(partial: Play) -> None:
    play = partial.open("four", r="stones=3")
    slow_down(play, "**/rules?*")
    play.find("#options [data-option=stones]").select_option("5")
    play.find("#setup").click()
    assert play.find("#setup-panel").is_hidden()
    assert play.refusal == "The position is still being read."
    play.settle()
    play.find("#setup").click()
    assert play.find("#setup-text").input_value() == "w:W:B:H5,5"


def test_an_opponent_is_chosen_beside_stones_that_are_set_up(setting: Play) -> None:
    setting.open(position=PUZZLE)
    setting.find("#setup").click()
    setting.point("c3").click()
    setting.find("#opponent").select_option("easy")
    assert setting.find("#setup-panel").is_visible()
    assert setting.white == {"a4", "b6", "g4"}
    assert setting.query["play"] == ["easy"]


def test_a_double_click_is_one_click(partial: Play) -> None:
    partial.open(position="w:Wa1,d1:Bd2,f6:H7,7")
    partial.point("g1").dblclick()
    assert "closed a mill" in partial.due
    partial.point("f6").click()
    partial.settle()
    assert partial.played == ["g1xf6"]


def test_the_language_that_was_chosen_stays(play: Play) -> None:
    play.open(position=PUZZLE, lang="en")
    play.point("c3").click()
    play.point("d3").click()
    play.wait_for_turns(1)
    play.find("#language").select_option("ja")
    play.page.go_back()
    play.settle()
    assert play.played == []
    assert play.find("html").get_attribute("lang") == "ja"


def test_an_empty_hand_is_wrong_in_every_language(setting: Play) -> None:
    setting.open(position=PUZZLE)
    setting.find("#setup").click()
    setting.find("#white-hand").fill("")
    assert setting.find("#setup-done").is_disabled()
    setting.find("#language").select_option("ja")
    setting.page.wait_for_timeout(300)
    assert setting.find("#setup-done").is_disabled()
    assert setting.find("#setup-good").is_hidden()


def test_what_failed_is_asked_again(visit: Visit, server: str) -> None:
    play = visit(server, allow=(0,)).open(position=PUZZLE)
    play.page.route("**/line?*", lambda route: route.abort())
    play.find("#line").click()
    play.find("#line-moves").filter(has_text="does not answer").wait_for()
    play.page.unroute("**/line?*")
    play.find("#line").click()
    play.find("#line").click()
    play.find("#line-moves a").first.wait_for()
