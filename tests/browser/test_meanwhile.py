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
