"""Setting up: what each click does, and which law a position breaks that cannot be."""

from __future__ import annotations

import pytest
from playing import Play, at

from solver.position import Position
from solver.rules import get_variant
from solver.symmetries import symmetries


def text_of(play: Play) -> str:
    return play.find("#setup-text").input_value()


def expect_error(play: Play, *words: str) -> None:
    """Wait until the page says all of the words, and see that the position cannot be played."""
    error = play.find("#setup-error")
    for word in words:
        error.filter(has_text=word).wait_for()
    assert play.find("#setup-done").is_disabled()
    play.find("#setup-text").press("Enter")
    play.page.wait_for_timeout(50)
    assert play.find("#setup-panel").is_visible()


def type_text(play: Play, text: str) -> None:
    play.find("#setup-text").fill(text)


def test_what_clicks_do(setting: Play) -> None:
    setting.open().button("setup").button("clear")
    setting.put("white", "a1", "d1", "d2")
    assert setting.white == {"a1", "d1", "d2"}
    setting.click("d1")  # the same again takes it away
    assert setting.white == {"a1", "d2"}
    setting.put("black", "d2", "g7")  # another one replaces it
    assert (setting.white, setting.black) == ({"a1"}, {"d2", "g7"})
    setting.put("erase", "g7", "b4")
    assert (setting.white, setting.black) == ({"a1"}, {"d2"})
    assert text_of(setting) == "w:Wa1:Bd2"
    setting.find("#white-hand").fill("7")
    setting.find("#black-hand").fill("8")
    setting.find("#setup-panel [name=to-move][value=black]").check()
    assert text_of(setting) == "b:Wa1:Bd2:H7,8"
    setting.button("swap-colours")
    assert (setting.white, setting.black) == ({"d2"}, {"a1"})
    assert text_of(setting) == "w:Wd2:Ba1:H8,7"
    setting.find("#setup-error:empty").wait_for(state="attached")
    setting.find("#setup-done").click()
    setting.find("#setup-panel").wait_for(state="hidden")
    setting.settle()
    assert setting.query["position"] == ["w:Wd2:Ba1:H8,7"]


def test_stones_are_dragged(setting: Play) -> None:
    setting.open().button("setup").button("clear")
    setting.drag("[data-tool=black]", at("d6"))
    setting.drag("[data-tool=white]", at("a1"))
    assert (setting.white, setting.black) == ({"a1"}, {"d6"})
    setting.drag(at("d6"), at("g4"))
    assert (setting.white, setting.black) == ({"a1"}, {"g4"})
    setting.drag(at("g4"), at("a1"))  # takes the other one's place
    assert (setting.white, setting.black) == (set(), {"a1"})
    setting.drag("[data-tool=black]", at("a1"))
    assert setting.black == {"a1"}
    setting.put("black", "b6").drag(at("b6"), at("a1"))  # there is one already
    assert setting.black == {"a1", "b6"}
    setting.put("erase", "b6")
    setting.page.mouse.move(*setting.middle(at("a1")))
    setting.page.mouse.down()
    setting.page.mouse.move(*setting.middle(at("d1")), steps=3)
    setting.press("Escape")  # the stone goes back; set-up goes on
    setting.page.mouse.up()
    assert setting.black == {"a1"}
    setting.drag(at("a1"), "#setup-text")
    assert text_of(setting) == "w:W:B"
    setting.drag("[data-tool=white]", "#setup-text")
    assert text_of(setting) == "w:W:B"
    assert setting.find(".ghost, .lifted").count() == 0


@pytest.mark.parametrize(("variant", "buttons"), [("nine", 3), ("dara", 2)])
def test_boards_are_turned_and_mirrored(setting: Play, variant: str, buttons: int) -> None:
    """Together they make every symmetry."""
    rules = get_variant(variant)
    text = "w:Wa1,b2,c5:Ba3,b4,d5" if variant == "dara" else "w:Wb2,d2,c3:Bd3,b6,c4"
    position = Position.parse(rules, text)
    of = {(turns, mirrored, swapped): p for p, turns, mirrored, swapped in symmetries(rules.board)}
    least = min(turns for turns, mirrored, swapped in of if turns and not (mirrored or swapped))
    wanted = {
        "turn": of.get((least, False, False)),
        "mirror": of.get((0, True, False)),
        "rings": of.get((0, False, True)),
    }
    assert sum(permutation is not None for permutation in wanted.values()) == buttons
    setting.open(variant).button("setup")
    for name, permutation in wanted.items():
        assert setting.find(f"#{name}").is_visible() == (permutation is not None)
        if permutation is not None:
            type_text(setting, text)
            setting.button(name)
            assert text_of(setting) == str(position.transform(permutation))


def test_a_text_is_shown_on_the_board(setting: Play) -> None:
    setting.open().button("setup")
    type_text(setting, "b:W a4, d5 :B a7,b4,c4")
    setting.find('#board .point[data-point="c4"] .stone').wait_for()
    assert setting.white == {"a4", "d5"}
    assert setting.find("#white-hand").input_value() == "0"
    assert setting.find("#setup-panel [name=to-move][value=black]").is_checked()
    expect_error(setting, "2", "stones")


def test_leaving_changes_nothing(setting: Play) -> None:
    setting.open(position="w:Wa4,b6,c3,g4:Ba1,a7,g1,g7").turn("c3-d3").button("setup")
    setting.button("clear").put("white", "e5")
    setting.button("setup-cancel")
    assert setting.played == ["c3-d3"]
    assert setting.white == {"a4", "b6", "d3", "g4"}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("w:Wa1,a4,a7,b2,b4,b6,c3,c4,c5,d1,d2,d3,d5,d6:Bf2,f4,f6", ("14",)),
        ("w:Wa1,a4,a7,b2:Ba1,d1,d2", ("a1",)),
        ("w:Wa1,a4,z9:Bd1,d2,d3", ("z9",)),
        ("w:Wa1,a4:Bd1,d2:H3,5", ("3", "5")),
        ("w:Wa1,a4,d7:Bd1,d2,d3:H-1,-1", ("-1",)),
        ("w:Wa1,a4,d7:Bd1,d2", ("2",)),
        ("", ()),
    ],
    ids=["too many", "twice", "no point", "hands", "negative hand", "too few", "empty"],
)
def test_a_text_that_cannot_be(
    setting: Play, language: str, text: str, words: tuple[str, ...]
) -> None:
    setting.open(lang=language).button("setup")
    type_text(setting, text)
    setting.find("#setup-error:not(:empty)").wait_for()
    expect_error(setting, *words)
    if language == "ja" and text:
        assert any("ぁ" <= letter <= "ヿ" for letter in setting.text("#setup-error"))


@pytest.mark.parametrize(
    ("variant", "white", "black", "hands", "words"),
    [
        ("nine", "a1 a4 d7", "d1 d2", ("0", "0"), ("Black", "2")),
        ("nine", "a1 a4", "d1 d2", ("3", "5"), ("hands",)),
        ("nine", "a1 a4", "d1 d2", ("9", "9"), ("11",)),
        ("three", "a1 a2 a3", "b1 b2 c3", ("0", "0"), ("mill",)),
        ("dara", "a1 b1 c1", "a3 b4", ("9", "9"), ("row",)),
        ("nine", "a1 a4 d7", "d1 d2 g7", ("", "0"), ("whole number",)),
    ],
)
def test_stones_that_cannot_be(
    setting: Play, variant: str, white: str, black: str, hands: tuple[str, str], words: tuple[str]
) -> None:
    setting.open(variant).button("setup").button("clear")
    setting.put("white", *white.split()).put("black", *black.split())
    for name, count in zip(("white", "black"), hands, strict=True):
        setting.find(f"#{name}-hand").fill(count)
    expect_error(setting, *words)
