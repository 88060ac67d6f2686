"""Stones that are dragged, and turns that are shown before they are played."""

from __future__ import annotations

from conftest import Visit
from playing import Play, at

PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"


def test_stones_are_dragged(play: Play) -> None:
    play.open(position=PUZZLE).drag(at("c3"), at("d3"))
    assert play.played == ["c3-d3"]
    play.press("u").drag(at("c3"), at("e4"))  # goes back to where it was
    assert (play.played, play.white) == ([], {"a4", "b6", "c3", "g4"})
    assert play.refusal.startswith("c3 and e4 are not adjacent")
    assert play.shown("chosen") == {"c3"}
    play.drag(at("g4"), at("f4"))  # another stone than the chosen one
    assert play.played == ["g4-f4"]
    play.press("u").drag(at("c3"), "#histogram")  # beside the board
    assert (play.played, play.refusal) == ([], "")
    assert play.white == {"a4", "b6", "c3", "g4"}
    play.drag(at("c3"), at("d3"))
    assert play.played == ["c3-d3"]
    play.press("u").drag(at("a1"), at("d1"))  # is not White's
    assert play.played == []
    play.page.mouse.move(*play.middle(at("c3")))
    play.page.mouse.down()
    play.page.mouse.move(*play.middle(at("d3")), steps=3)
    play.press("Escape")
    play.page.mouse.up()
    assert play.played == []
    assert play.find(".ghost, .lifted").count() == 0


def test_stones_are_dragged_from_the_hand(partial: Play) -> None:
    partial.open(position="w:Wa1,d1:Bd2,f6:H7,7").drag("#white-player .hand", at("g1"))
    assert partial.legal == {"d2", "f6"}
    partial.drag(at("g1"), at("g4"))  # only what is taken is due now
    assert partial.white == {"a1", "d1", "g1"}
    partial.click("d2")
    assert partial.played == ["g1xd2"]
    partial.drag("#white-player .hand", at("a7"))  # it is Black's turn
    assert partial.played == ["g1xd2"]


def test_fingers_drag_stones(visit: Visit, server: str) -> None:
    phone = {"width": 390, "height": 500}
    play = visit(server, viewport=phone, has_touch=True, is_mobile=True).open(position=PUZZLE)
    drag_by_finger(play, at("c3"), at("c4"))
    play.wait_for_turns(1)
    assert play.played == ["c3-c4"]
    assert play.page.evaluate("scrollY") == 0


def test_fingers_drag_stones_from_the_hand(visit: Visit, server: str) -> None:
    phone = {"width": 390, "height": 700}
    play = visit(server, allow=(404,), viewport=phone, has_touch=True, is_mobile=True)
    play.open(position="w:Wa1,d1:Bd2,f6:H7,7")
    drag_by_finger(play, "#white-player .hand", at("b4"))
    play.wait_for_turns(1)
    assert play.played == ["b4"]
    assert play.page.evaluate("scrollY") == 0
    assert play.find(".ghost").count() == 0


def drag_by_finger(play: Play, source: str, target: str) -> None:
    touch = play.page.context.new_cdp_session(play.page)

    def tell(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    (x, y), (right, down) = play.middle(source), play.middle(target)
    tell("touchStart", (x, y))
    for part in (0.2, 0.4, 0.6, 0.8, 1.0):
        tell("touchMove", (x + (right - x) * part, y + (down - y) * part))
    tell("touchEnd")


def test_turns_are_shown_before_they_are_played(partial: Play) -> None:
    partial.open(position="w:Wa1,d1:Bd2,f6:H7,7")
    shown = partial.find("#board .preview > *")
    assert shown.count() == 0
    partial.find('#moves [data-move="g1xf6"]').hover()
    assert [shown.nth(place).get_attribute("class") for place in range(shown.count())] == [
        "ring",
        "captured-mark",
    ]
    partial.find("#record").hover()
    assert shown.count() == 0
    partial.find('#moves [data-move="a4"]').focus()
    assert shown.count() == 1
    partial.press("Enter")
    assert partial.played == ["a4"]
    # The focus is on the first of the turns that follow, which is shown in its place.
    first = partial.find("#moves a").first
    assert first.evaluate("link => link === document.activeElement")
    assert (shown.count(), partial.find("#board .preview .ring").count()) == (1, 1)
    first.evaluate("link => link.blur()")
    assert shown.count() == 0
