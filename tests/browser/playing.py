"""The page as people use it: clicks on points, and what can be seen after them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import Locator, Page

from solver.position import Position
from solver.rules import Rules, get_variant, with_options

POINT = re.compile(r"[a-g][1-7]")

SETTLED = """() =>
    document.body.dataset.ready === "true" &&
    document.querySelector("#board").getAttribute("aria-busy") !== "true" &&
    document.querySelector("#line-moves").getAttribute("aria-busy") !== "true"
"""

PLAYED = """(count) => {
    const moves = new URLSearchParams(location.search).get("moves") ?? "";
    return moves.split(" ").filter(Boolean).length >= count;
}"""

SHOWN = """() => {
    const points = [...document.querySelectorAll("#board .point")];
    const having = (selector) => points
        .filter((point) => point.matches(selector) || point.querySelector(selector))
        .map((point) => point.dataset.point);
    return {
        points: points.map((point) => point.dataset.point),
        white: having(".stone.white"),
        black: having(".stone.black"),
        legal: having(".legal"),
        chosen: having(".chosen"),
        last: having(".last"),
        captured: having(".captured"),
    };
}"""


class Play:
    """One page of the program in a browser.

    Attributes:
        page: Playwright's page.
        address: of the server, with a slash at the end.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    # -- where it is ------------------------------------------------------------------------------

    def open(self, variant: str = "nine", **query: str | Iterable[str]) -> Play:
        """Go to a game: `position`, `moves`, `r`, `lang`, `play`, `side` as in the page's URL."""
        pairs = [] if variant == "nine" else [("variant", variant)]
        for name, values in query.items():
            if not isinstance(values, str):
                values = list(values)
                values = [" ".join(values)] if name == "moves" else values
            pairs += [(name, value) for value in ([values] if isinstance(values, str) else values)]
        return self.go(f"/?{urlencode(pairs)}" if pairs else "/")

    def go(self, link: str) -> Play:
        """Go to an address on the server, such as a link's."""
        self.page.goto(self.address + link.removeprefix(self.address).lstrip("/"))
        return self.settle()

    def settle(self) -> Play:
        """Wait until the page has shown its answer to what was done last."""
        self.page.wait_for_function(SETTLED, polling=20)
        return self

    def wait_for_turns(self, count: int) -> Play:
        """Wait until so many turns have been played, those of the program too."""
        self.page.wait_for_function(PLAYED, arg=count, polling=20)
        return self.settle()

    @property
    def query(self) -> dict[str, list[str]]:
        """What the page's URL says."""
        return parse_qs(urlsplit(self.page.url).query)

    @property
    def rules(self) -> Rules:
        """The game that the URL names."""
        rules = get_variant(self.query.get("variant", ["nine"])[0])
        return with_options(rules, self.query.get("r", []))

    # -- what can be seen -------------------------------------------------------------------------

    def find(self, selector: str) -> Locator:
        """What a CSS selector matches."""
        return self.page.locator(selector)

    def shown(self, what: str) -> set[str]:
        """Points by what is seen there: points white black legal chosen last captured."""
        found: dict[str, list[str]] = self.page.evaluate(SHOWN)
        assert len(found[what]) == len(set(found[what]))
        return set(found[what])

    @property
    def white(self) -> set[str]:
        """Where white stones are."""
        return self.shown("white")

    @property
    def black(self) -> set[str]:
        """Where black stones are."""
        return self.shown("black")

    @property
    def legal(self) -> set[str]:
        """The points that are marked as the next ones to click."""
        return self.shown("legal")

    def shows(self, position: Position) -> bool:
        """Whether the stones on the board are those of a position."""
        board = position.rules.board
        stones = [set(board.names_of(mask)) for mask in (position.white, position.black)]
        return [self.white, self.black] == stones

    def text(self, selector: str) -> str:
        """The text of the first element that a selector matches, as people see it."""
        return " ".join(self.find(selector).first.inner_text().split())

    @property
    def due(self) -> str:
        """What the page says is to be done, or how the game has ended."""
        return self.text("#due")

    @property
    def refusal(self) -> str:
        """Why the last click was refused; empty if it was not."""
        return self.text("#refusal")

    @property
    def value(self) -> str:
        """The value of the position in words."""
        return self.text("#value")

    @property
    def played(self) -> list[str]:
        """The turns played, as the URL has them."""
        return self.query.get("moves", [""])[0].split()

    def listed(self) -> list[dict[str, Any]]:
        """The moves in the list: `move`, `value` (of its group), `depth`, `href`."""
        found: list[dict[str, Any]] = self.page.evaluate(
            """() => [...document.querySelectorAll("#moves a[data-move]")].map((link) => ({
                move: link.dataset.move,
                value: link.closest("section").dataset.value,
                href: link.getAttribute("href"),
                depth: link.dataset.depth ?? "",
            }))"""
        )
        return found

    # -- what can be done -------------------------------------------------------------------------

    def choose(self, variant: str) -> Play:
        """Choose another game in the list."""
        self.find("#variant").select_option(variant)
        return self.settle()

    def point(self, name: str) -> Locator:
        """A point of the board."""
        return self.find(at(name))

    def click(self, *points: str) -> Play:
        """Click points, each once the page has answered to the one before."""
        for name in points:
            self.point(name).click()
            self.settle()
        return self

    def turn(self, text: str) -> Play:
        """Play a turn such as ``f2-f4xd5`` by clicking its points."""
        return self.click(*POINT.findall(text))

    def drag(self, source: str, target: str) -> Play:
        """Drag a stone from where one selector matches to where another one does."""
        mouse = self.page.mouse
        mouse.move(*self.middle(source))
        mouse.down()
        mouse.move(*self.middle(target), steps=3)
        mouse.up()
        return self.settle()

    def middle(self, selector: str) -> tuple[float, float]:
        """Where on the screen the middle is of what a selector matches."""
        box = self.find(selector).first.bounding_box()
        assert box
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def press(self, *keys: str) -> Play:
        """Press keys, each once the page has answered to the one before."""
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()
        return self

    def button(self, name: str) -> Play:
        """Click a button by its id."""
        self.find(f"#{name}").click()
        return self.settle()

    def put(self, tool: str, *points: str) -> Play:
        """In set-up, put `white` or `black` stones on points, or `erase` them."""
        self.find(f"#setup-panel [data-tool={tool}]").click()
        return self.click(*points)

    def set_up(self, position: Position) -> Play:
        """Set a position up by clicks on the cleared board, and begin to play it."""
        board = position.rules.board
        self.button("setup")
        self.button("clear")
        self.put("white", *board.names_of(position.white))
        self.put("black", *board.names_of(position.black))
        self.find("#white-hand").fill(str(position.white_hand))
        self.find("#black-hand").fill(str(position.black_hand))
        side = "white" if position.white_to_move else "black"
        self.find(f"#setup-panel [name=to-move][value={side}]").check()
        self.find("#setup-done").click()
        self.find("#setup-panel").wait_for(state="hidden")
        return self.settle()


def at(point: str) -> str:
    """The selector of a point of the board."""
    return f'#board .point[data-point="{point}"]'


def next_points(position: Position, *clicks: str) -> set[str]:
    """The points that go on with a legal turn of which some points have been clicked."""
    found = set()
    board = position.rules.board
    for turn in position.turns():
        step = POINT.findall(turn.text(board))
        captures = [board.points[point] for point in turn.captures]
        step = step[: len(step) - len(captures)]
        for order in {tuple(captures), tuple(reversed(captures))}:
            points = (*step, *order)
            if points[: len(clicks)] == clicks and len(points) > len(clicks):
                found.add(points[len(clicks)])
    return found
