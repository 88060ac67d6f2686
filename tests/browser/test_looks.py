"""How the page looks: small and large, dark and light, and how soon.

With SCREENSHOTS set to a folder, pictures of the main states are put there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import Visit
from playing import Play

from solver.rules import VARIANTS

PUZZLE = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"
PLACING = "w:Wa1,d1:Bd2,f6:H7,7"
FLYING = "w:Wa1,d5,g7:Bb2,b6,d2,d6"
PHONE = {"width": 320, "height": 640}

READY_SECONDS = 1.0
"""From asking for the page to the position being there, on a server that has answered before."""

TIMING = """() => new MutationObserver((_, observer) => {
    if (document.body?.dataset.ready === "true") {
        window.readyAfter = performance.now();
        observer.disconnect();
    }
}).observe(document, { subtree: true, childList: true, attributes: true })"""

# The contrast of every text that is seen with what it is seen on, as WCAG 2 has it.
CONTRASTS = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const colour = (text) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const linear = (part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    const light = ([red, green, blue]) =>
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const over = (top, below) => {
        const share = top[3] / 255;
        return [0, 1, 2].map((i) => top[i] * share + below[i] * (1 - share));
    };
    const ground = (element) => {
        const layers = [];
        for (let each = element; each; each = each.parentElement) {
            layers.push(colour(getComputedStyle(each).backgroundColor));
        }
        const canvasColour = matchMedia("(prefers-color-scheme: dark)").matches
            ? [18, 18, 18] : [255, 255, 255];
        return layers.reduceRight((below, top) => over(top, below), canvasColour);
    };
    const found = [];
    for (const element of document.querySelectorAll("body *:not(svg *):not(option)")) {
        const text = [...element.childNodes]
            .filter((node) => node.nodeType === Node.TEXT_NODE)
            .map((node) => node.data.trim())
            .join("");
        const style = getComputedStyle(element);
        const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        const box = element.getBoundingClientRect();
        if (!text || !isSeen || element.matches(":disabled") || box.width < 2 || box.height < 2) {
            continue;
        }
        const below = ground(element);
        const inks = [light(over(colour(style.color), below)), light(below)].sort((a, b) => a - b);
        const isLarge = parseFloat(style.fontSize) >= 24 ||
            (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
        found.push({
            text,
            contrast: (inks[1] + 0.05) / (inks[0] + 0.05),
            least: isLarge ? 3 : 4.5,
        });
    }
    return found;
}"""


def assert_fits(play: Play, width: int) -> None:
    """Nothing is so wide that the page has to be scrolled sideways."""
    wide = play.page.evaluate(
        """(width) => document.documentElement.scrollWidth <= width ? [] :
            [...document.querySelectorAll("body *")]
                .filter((element) => element.getBoundingClientRect().right > width + 0.5)
                .map((element) => element.outerHTML.slice(0, 80))""",
        width,
    )
    assert wide == []
    assert play.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_phone_need_not_scroll_sideways(visit: Visit, server: str, language: str) -> None:
    play = visit(server, allow=(404,), viewport=PHONE, has_touch=True)
    play.open(lang=language)
    play.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    for variant in VARIANTS:
        play.choose(variant)
        assert_fits(play, PHONE["width"])
    play.open(position=PUZZLE, lang=language).button("line")
    play.find("#symmetries-panel summary").click()
    play.find("#symmetries a").first.wait_for()
    assert_fits(play, PHONE["width"])
    play.button("setup")
    assert_fits(play, PHONE["width"])


def test_fingers_hit_what_they_aim_at(visit: Visit, server: str) -> None:
    play = visit(server, viewport=PHONE, has_touch=True).open(position=PUZZLE)
    for button in play.find("#game button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 40, button.inner_text()
    boxes = [point.bounding_box() for point in play.find("#board .point").all()]
    assert min(min(box["width"], box["height"]) for box in boxes if box) >= 36
    play.point("c3").tap()
    play.point("d3").tap()
    play.settle()
    assert play.played == ["c3-d3"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(visit: Visit, server: str, scheme: str) -> None:
    play = visit(server, allow=(400, 404), color_scheme=scheme)
    play.open(position=PUZZLE).button("line")
    for panel in ("rules", "symmetries"):
        play.find(f"#{panel}-panel summary").click()
    play.find("#symmetries a").first.wait_for()
    play.click("d5")
    assert play.refusal
    pages = [play.page.evaluate(CONTRASTS)]
    play.open()  # a table is missing
    pages.append(play.page.evaluate(CONTRASTS))
    play.button("setup").button("clear")
    play.find("#setup-text").fill("nonsense")
    play.find("#setup-error:not(:empty)").wait_for()
    pages.append(play.page.evaluate(CONTRASTS))
    assert all(len(page) > 20 for page in pages)
    assert [each for page in pages for each in page if each["contrast"] < each["least"]] == []
    ground = play.page.evaluate("getComputedStyle(document.body).backgroundColor")
    red = int(ground.split("(")[1].split(",")[0])
    assert (red < 80) == (scheme == "dark")


def test_less_motion(visit: Visit, server: str) -> None:
    play = visit(server, reduced_motion="reduce").open(position=PUZZLE).click("c3")
    moving = """() => [...document.querySelectorAll("*")].filter((element) => {
        const style = getComputedStyle(element);
        const longest = (text) => Math.max(...text.split(",").map(parseFloat));
        return longest(style.transitionDuration) > 0.05 || longest(style.animationDuration) > 0.05;
    }).map((element) => element.outerHTML.slice(0, 80))"""
    assert play.page.evaluate(moving) == []


def test_the_focus_is_seen(play: Play) -> None:
    play.open(position=PUZZLE)
    play.find("#undo").focus()
    seen = """() => {
        const style = getComputedStyle(document.activeElement);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
            || style.boxShadow !== "none";
    }"""
    play.page.keyboard.press("Tab")
    assert play.page.evaluate(seen)
    before = play.find("#board").screenshot()
    play.point("d5").focus()
    play.page.keyboard.press("ArrowUp")
    assert play.find("#board").screenshot() != before


def test_the_position_is_there_at_once(visit: Visit, server: str) -> None:
    play = visit(server)
    play.page.add_init_script(f"({TIMING})()")
    seconds = []
    for _ in range(4):
        play.open(position=PUZZLE)
        seconds.append(play.page.evaluate("window.readyAfter") / 1000)
    # The machine may have had other things to do; the page must be able to.
    assert 0 < min(seconds) < READY_SECONDS


# -- pictures -----------------------------------------------------------------------------------

Act = Callable[[Play], object]


def _program(play: Play) -> None:
    play.open(position=PUZZLE, play="perfect").turn("c3-d3")
    play.wait_for_turns(2)


def _symmetries(play: Play) -> None:
    play.open(position=PUZZLE)
    play.find("#symmetries-panel summary").click()
    play.find("#symmetries a").first.wait_for()


def _rules(play: Play) -> None:
    play.open("morabaraba")
    play.find("#rules-panel summary").click()


def _impossible(play: Play) -> None:
    play.open().button("setup").button("clear")
    play.put("white", "a1", "d1", "g1").put("black", "d2", "d3")
    play.find("#white-hand").fill("0")
    play.find("#black-hand").fill("0")
    play.find("#setup-error:not(:empty)").wait_for()


DARK = {"color_scheme": "dark"}
STATES: dict[str, tuple[Act, str, dict[str, Any]]] = {
    "start": (lambda p: p.open("four"), "#moves section[data-value=draw]", {}),
    "mill-to-take": (lambda p: p.open(position=PLACING).click("g1"), "#board .mills line", {}),
    "chosen": (lambda p: p.open(position=PUZZLE).click("c3"), "#board .point.chosen", {}),
    "moved": (lambda p: p.open(position=PUZZLE).turn("c3-d3"), "#board .point.last", {}),
    "flying": (lambda p: p.open(position=FLYING).click("a1"), "#board .point.legal", {}),
    "captured": (
        lambda p: p.open(position="w:Wa1,d1,g4,c5:Ba4,b6,d6,f2").turn("g4-g1xf2"),
        "#board .captured",
        {},
    ),
    "over": (lambda p: p.open(position="w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"), "#due", {}),
    "setup": (lambda p: p.open(position=PUZZLE).button("setup"), "#setup-panel", {}),
    "setup-wrong": (_impossible, "#setup-error", {}),
    "missing": (lambda p: p.open(), "#missing code", {}),
    "best-play": (lambda p: p.open(position=PUZZLE).button("line"), "#line-moves a", {}),
    "program": (_program, "#record a", {}),
    "histogram": (lambda p: p.open(position=PUZZLE), "#histogram .marked", {}),
    "symmetries": (_symmetries, "#symmetries a", {}),
    "rules": (_rules, "#rules", {}),
    "refusal": (lambda p: p.open(position=PUZZLE).click("c3", "g1"), "#refusal", {}),
    "wrong-address": (lambda p: p.page.goto(p.address + "?position=x"), "#problem", {}),
    "japanese": (lambda p: p.open(position=PUZZLE, lang="ja"), "#value", {}),
    "japanese-rules": (lambda p: p.open("dara", lang="ja"), "#rules-panel", {}),
    "dark": (lambda p: p.open(position=PUZZLE).click("c3"), "#board .chosen", DARK),
    "dark-mill": (lambda p: p.open(position=PLACING).click("g1"), "#board .mills line", DARK),
    "phone": (lambda p: p.open(position=PUZZLE), "#board", {"viewport": PHONE}),
    "phone-japanese": (lambda p: p.open("four", lang="ja"), "#board", {"viewport": PHONE}),
    "tablet": (
        lambda p: p.open(position=PUZZLE),
        "#board",
        {"viewport": {"width": 768, "height": 1024}},
    ),
    "three": (lambda p: p.open("three", moves="b2 a1"), "#board .stone", {}),
    "dara": (lambda p: p.open("dara", position="w:Wa5,b5,c4:Ba2,c2,e2"), "#board .stone", {}),
    "twelve": (lambda p: p.open("twelve", moves="a1 b2 c3"), "#board .stone", {}),
    "six": (lambda p: p.open("six", moves="b6 f6"), "#board .stone", {}),
    "tic-tac-toe": (
        lambda p: p.open("tic-tac-toe", moves="a3 b2 b3 a1 c3"),
        "#board .mills line",
        {},
    ),
}


LOOKED_INTO = {
    "chosen", "mill-to-take", "setup-wrong", "missing", "best-play", "program", "symmetries",
    "rules", "refusal", "wrong-address", "japanese", "dark", "phone",
}  # fmt: skip
"""States that differ in what they hold; the others differ in their stones."""


@pytest.mark.parametrize("name", STATES)
def test_main_states(visit: Visit, server: str, name: str) -> None:
    """Nothing is too wide, or keeps people from using it, in any state of the page."""
    act, selector, options = STATES[name]
    # What looks for faults brings styles of its own, which the page's policy would keep out.
    play = visit(server, allow=(400, 404), bypass_csp=True, **options)
    act(play)
    play.find(selector).first.wait_for(state="attached")
    assert_fits(play, play.page.viewport_size["width"])  # type: ignore[index]
    if name in LOOKED_INTO:
        faults = Axe().run(play.page).response["violations"]
        assert [(fault["id"], fault["nodes"][0]["html"]) for fault in faults] == []
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        play.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
