"""The page without a mouse, without sight of it, and in another language."""

from __future__ import annotations

import re

import pytest
from conftest import Visit
from playing import Play, next_points

from solver.position import Position
from solver.rules import VARIANTS, get_variant

PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"
PLACING = "w:Wa1,d1:Bd2,f6:H7,7"


def focused(play: Play) -> str:
    """The point that has the keyboard's focus."""
    return str(play.page.evaluate("document.activeElement.dataset.point ?? ''"))


def tab_to_board(play: Play) -> None:
    for _ in range(40):
        if focused(play):
            return
        play.page.keyboard.press("Tab")
    raise AssertionError("the tab key does not reach the board")


def walk(play: Play, target: str) -> None:
    """Go to a point by arrow keys alone, wherever each of them leads."""
    arrows = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
    ways: dict[str, list[str]] = {focused(play): []}
    queue = [focused(play)]
    while target not in ways:
        start = queue.pop(0)
        for arrow in arrows:
            play.point(start).focus()
            play.page.keyboard.press(arrow)
            if focused(play) not in ways:
                ways[focused(play)] = [*ways[start], arrow]
                queue.append(focused(play))
    play.point(next(iter(ways))).focus()
    for arrow in ways[target]:
        play.page.keyboard.press(arrow)
    assert focused(play) == target


def test_a_turn_by_keyboard(play: Play) -> None:
    play.open(position=PUZZLE)
    tab_to_board(play)
    walk(play, "c3")
    play.press("Enter")
    assert play.shown("chosen") == {"c3"}
    assert play.legal == next_points(Position.parse(get_variant("nine"), PUZZLE), "c3")
    play.press("Escape")
    assert play.shown("chosen") == set()
    play.press("Enter")
    walk(play, "d3")
    play.press(" ")
    assert play.played == ["c3-d3"]
    assert focused(play) == "d3"
    play.press("u")
    assert play.played == []
    play.press("r")
    assert play.played == ["c3-d3"]


def test_a_capture_by_keyboard_is_taken_back_by_escape(partial: Play) -> None:
    partial.open(position=PLACING)
    tab_to_board(partial)
    walk(partial, "g1")
    partial.press("Enter")
    assert partial.white == {"a1", "d1", "g1"}
    assert partial.legal == {"d2", "f6"}
    partial.press("Escape")
    assert partial.white == {"a1", "d1"}
    assert partial.legal == next_points(Position.parse(get_variant("nine"), PLACING))
    partial.press("Enter")
    walk(partial, "d2")
    partial.press("Enter")
    assert partial.played == ["g1xd2"]


@pytest.mark.parametrize("variant", ["nine", "three", "dara"])
def test_arrows_lead_to_every_point(partial: Play, variant: str) -> None:
    """Each arrow goes in its direction, and together they lead everywhere."""
    partial.open(variant)
    names = partial.shown("points")
    steps = {
        (name, arrow): partial.page.evaluate(
            """([name, key]) => {
                const point = document.querySelector(`.point[data-point="${name}"]`);
                point.focus();
                point.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                return document.activeElement.dataset.point;
            }""",
            [name, arrow],
        )
        for name in names
        for arrow in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
    }
    for (name, arrow), there in steps.items():
        if there == name:
            continue
        moved = {"Up": there[1] > name[1], "Down": there[1] < name[1]}
        moved |= {"Left": there[0] < name[0], "Right": there[0] > name[0]}
        assert moved[arrow.removeprefix("Arrow")], (name, arrow, there)
    first = min(names)
    reached, queue = {first}, [first]
    while queue:
        here = queue.pop()
        new = {there for (name, _), there in steps.items() if name == here} - reached
        reached |= new
        queue += new
    assert reached == names


def test_the_focus_stays_in_the_list_where_a_table_is_missing(partial: Play) -> None:
    partial.open("six")
    for _ in range(2):
        partial.find("#moves a").first.focus()
        partial.press("Enter")
        partial.find("#missing code").first.wait_for()
        assert partial.page.evaluate("document.activeElement.matches('#moves a')")


def test_the_focus_follows_what_it_has_led_to(play: Play) -> None:
    """Who goes on by keyboard need not begin again at the top of the page."""

    def focused_link() -> str:
        script = "document.activeElement.closest('#moves, #record, #line-moves')?.id ?? ''"
        return str(play.page.evaluate(script))

    play.open(position="w:Wa1,d1,g4,c5:Bb6,d6,f6")  # a turn that ends the game
    play.find("#moves a").first.focus()
    play.press("Enter")
    assert play.page.evaluate("document.activeElement.matches('#board .point')")
    play.open(position=PUZZLE)
    play.find("#moves a").first.focus()
    play.press("Enter")
    assert (play.played, focused_link()) == (["c3-d3"], "moves")
    play.find("#record a").first.focus()
    play.press("Enter")
    assert (play.played, focused_link()) == ([], "record")
    play.button("line")
    play.find("#line-moves a").first.focus()
    for _ in range(3):
        play.press("Enter")
        assert focused_link() == "line-moves"
    assert len(play.played) == 3
    play.find("#undo").focus()
    for _ in range(4):
        play.press("Enter")
    assert play.refusal == "There is no turn to take back."
    assert play.page.evaluate("document.activeElement.id") == "undo"
    play.button("setup").find("#setup-text").focus()
    play.find("#setup-text").press("Enter")
    play.find("#setup-panel").wait_for(state="hidden")
    assert play.page.evaluate("document.activeElement.id") == "setup"


def test_only_one_point_is_reached_by_tab(play: Play) -> None:
    play.open(position=PUZZLE).click("c3")
    assert play.find('#board .point[tabindex="0"]').count() == 1
    assert play.find('#board .point[tabindex="-1"]').count() == 23
    assert play.find('#board .point[tabindex="0"]').get_attribute("data-point") == "c3"
    play.find("#language").focus()
    play.page.keyboard.press("Tab")
    assert focused(play) == "c3"


def test_points_are_named(partial: Play) -> None:
    partial.open(position=PUZZLE)

    def named(name: str) -> str:
        found = partial.point(name).get_attribute("aria-label") or ""
        assert partial.page.get_by_role("button", name=found, exact=True).count() == 1
        return found

    assert named("a4") == "a4, white stone, can move"
    assert named("a1") == "a1, black stone"
    assert named("d5") == "d5, free"
    partial.click("c3")
    assert named("c3") == "c3, white stone, chosen"
    assert "can go here" in named("d3")
    partial.click("d3")
    assert named("d3").startswith("d3, white stone, moved last")
    assert named("c3").startswith("c3, free, moved away last")
    partial.open(position=PLACING)
    assert named("g1") == "g1, free, a stone can be placed here"
    partial.click("g1")
    assert named("d2") == "d2, black stone, can be taken"
    assert "in a mill" in named("d1")
    partial.click("d2")
    assert "a stone was taken here" in named("d2")


def test_everything_has_a_name(play: Play) -> None:
    """Nothing that can be used is without a name for those who do not see it."""
    play.open(position=PUZZLE)
    for role in ("button", "link", "combobox", "textbox", "spinbutton", "img"):
        for element in play.page.get_by_role(role).all():  # type: ignore[arg-type]
            named = play.page.get_by_role(role, name=re.compile(r"\S"))  # type: ignore[arg-type]
            assert element.and_(named).count() == 1, element.evaluate("e => e.outerHTML")


# -- languages ----------------------------------------------------------------------------------

JAPANESE = re.compile(r"[ぁ-ヿ一-鿿]")

WORDS_SHOWN = """() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    const shown = document.body.cloneNode(true);
    for (const other of shown.querySelectorAll("code, script, noscript, #language")) other.remove();
    const labels = [...document.querySelectorAll("[aria-label], [title]")]
        .flatMap((element) => [element.ariaLabel, element.title]);
    document.body.append(shown);
    const text = shown.innerText;
    shown.remove();
    return [text, ...labels].filter(Boolean).join("\\n");
}"""


def words_shown(play: Play) -> str:
    """Every text on the page, and what is only read out."""
    text = str(play.page.evaluate(WORDS_SHOWN))
    keys = play.page.evaluate("import('/static/en.js').then((m) => Object.keys(m.english))")
    assert len(keys) > 100
    shown = {key for key in keys if "." in key and re.search(rf"(?<![\w.]){re.escape(key)}", text)}
    assert shown == set()
    assert "undefined" not in text
    assert "NaN" not in text
    assert "[object" not in text
    return text


def is_japanese(text: str) -> bool:
    """Whether a text has Japanese in it and nowhere three words of English."""
    english = re.search(r"[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}", text)
    assert english is None, english
    return JAPANESE.search(text) is not None


STATES = [
    ("nine", {"position": PUZZLE}),
    ("nine", {"position": PLACING}),
    ("nine", {"position": "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"}),
    ("nine", {"position": "w:Wa1,a4,d7:Bd2"}),  # cannot be
    ("nine", {"position": "w:Wa1,a4,d7:Bd1,d2,f6"}),
    ("lasker", {"position": "w:Wa1,d5:Bb2,b6,d2,d6,e3,f4,g1:H1,2"}),
    ("dara", {}),  # too large a game for any machine
    ("three", {}),
    ("tic-tac-toe", {"moves": "a3 b2 b3 a1 c3"}),
]


@pytest.mark.parametrize(("variant", "query"), STATES)
def test_japanese(setting: Play, variant: str, query: dict[str, str]) -> None:
    setting.page.goto(
        f"{setting.address}?variant={variant}&lang=ja&"
        + "&".join(f"{name}={text.replace(' ', '+')}" for name, text in query.items())
    )
    setting.find("#rules:not(:empty)").wait_for(state="attached")
    setting.find("#board:not([aria-busy])").wait_for()
    assert setting.find("html").get_attribute("lang") == "ja"
    assert is_japanese(words_shown(setting))
    for part in ("#rules", "#moves", "#due", "#value"):
        text = setting.text(part)
        assert not text or is_japanese(text), part
    if setting.find("#problem").is_hidden():
        assert is_japanese(setting.due)


def test_every_text_is_in_both_languages(play: Play) -> None:
    play.open("three")
    faults = play.page.evaluate("import('/static/text.js').then((text) => text.compareTexts())")
    assert faults == []


def test_rules_in_both_languages(partial: Play) -> None:
    partial.open(lang="ja")
    partial.find("#rules-panel summary").click()
    for variant in VARIANTS:
        partial.choose(variant)
        assert is_japanese(partial.text("#rules")), variant
    partial.find("#language").select_option("en")
    for variant in ("nine", "dara"):  # the server's own words
        partial.choose(variant)
        english = partial.text("#rules")
        assert JAPANESE.search(english + partial.due) is None
        assert "lost" in english.lower()


def test_refusals_in_japanese(partial: Play) -> None:
    partial.open(position="w:Wa7,d7:Bb2,d2,f2,g1:H5,5", lang="ja")
    partial.click("d7")
    assert is_japanese(partial.refusal)
    partial.click("g7")
    assert is_japanese(partial.due)
    partial.click("b2")
    assert is_japanese(partial.refusal)
    assert "b2" in partial.refusal


def test_the_browser_s_language(visit: Visit, server: str) -> None:
    play = visit(server, allow=(404,), locale="ja-JP").open()
    assert play.find("html").get_attribute("lang") == "ja"
    assert play.find("#language").input_value() == "ja"
    play.find("#language").select_option("en")
    play.settle()
    assert play.find("html").get_attribute("lang") == "en"
    assert "White" in play.due
    words_shown(play)
    play.open()  # the choice is remembered
    assert play.find("html").get_attribute("lang") == "en"


def test_a_turn_begun_survives_another_language(partial: Play) -> None:
    partial.open(position=PLACING).click("g1")
    partial.find("#language").select_option("ja")
    partial.settle()
    assert is_japanese(partial.due)
    assert partial.legal == {"d2", "f6"}
    assert is_japanese(partial.point("d2").get_attribute("aria-label") or "")
    partial.click("d2")
    assert partial.played == ["g1xd2"]
