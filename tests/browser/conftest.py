"""A server, a browser, and pages that must not go wrong unseen.

Set SCREENSHOTS to a folder to have pictures of the page's main states put there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playing import Play
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Response, sync_playwright

from databases import shared_database
from solver.rules import get_variant
from solver.sectors import sectors_up_to, wanted_sectors
from solver.tablebase import Tablebase, open_tablebase

ROOT = Path(__file__).parents[2]

STONES = 8
WHOLE_GAMES = ("three", "tic-tac-toe", "four")

BROWSERS = ["chromium-headless-shell", "chromium"]
FLAGS = [
    "--no-sandbox",  # root has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Visit = Callable[..., Play]


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The endgames of ``nine`` up to eight stones, and three whole games."""
    nine = get_variant("nine")
    whole = [(rules, wanted_sectors(rules)) for rules in map(get_variant, WHOLE_GAMES)]
    wanted = [(nine, sectors_up_to(nine, STONES)), *whole]
    return shared_database(tmp_path_factory, "database-browser", wanted)


@pytest.fixture(scope="session")
def tablebase(tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(tables) as opened:
        yield opened


@pytest.fixture(scope="session")
def server(tables: Path) -> Iterator[str]:
    """The address of a server that has the tables."""
    with serving(tables) as address:
        yield address


@pytest.fixture(scope="session")
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has no tables."""
    with serving(tmp_path_factory.mktemp("no-tables")) as address:
        yield address


@contextmanager
def serving(database: Path) -> Iterator[str]:
    """Run ``morris serve``, which must not complain of anything until it is stopped."""
    command = [sys.executable, "-m", "solver", "serve", "--port", "0", "--db", str(database)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline().split()
        try:
            assert said[:1] == ["Serving"], process.communicate(timeout=10)
            yield said[1]
        finally:
            process.terminate()
            out, err = process.communicate(timeout=20)
    assert (out, err) == ("Stopped.\n", "")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    named = os.environ.get("CHROMIUM")
    path = next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)
    assert path, "there is no browser; install Chromium, or name one with CHROMIUM=..."
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


class Watch:
    """What goes wrong in a context's pages.

    Attributes:
        allowed: statuses of 400 and more that the server may answer with; 0 if it need not answer.
        faults: everything else that nobody should see.
    """

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.allowed: set[int] = set()
        self.faults: list[str] = []
        self._address = address
        context.on("console", self._console)
        context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))
        context.on("request", lambda request: self._went(request.url))
        context.on("response", self._answered)

    def _console(self, message: ConsoleMessage) -> None:
        # The browser reports every answer of 400 and more, which `_answered` judges.
        is_answer = message.text.startswith("Failed to load resource: the server responded")
        is_silence = message.text.startswith("Failed to load resource: net::") and 0 in self.allowed
        if message.type in ("error", "warning") and not is_answer and not is_silence:
            self.faults.append(f"console: {message.text}")

    def _went(self, url: str) -> None:
        if not url.startswith((self._address, "data:", "blob:")):
            self.faults.append(f"request to {url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.allowed:
            self.faults.append(f"status {response.status} of {response.url}")


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open a page in a context of its own; the test fails if something goes wrong in it.

    Called with a server's address, the statuses the server may answer with (`allow`), and
    Playwright's options of a context.
    """
    contexts = []

    def open_page(address: str, allow: tuple[int, ...] = (), **options: Any) -> Play:
        options = {"locale": "en-GB", "viewport": {"width": 1200, "height": 900}, **options}
        context = browser.new_context(base_url=address, **options)
        context.set_default_timeout(10_000)
        watch = Watch(context, address)
        watch.allowed.update(allow)
        contexts.append((context, watch))
        return Play(context.new_page(), address)

    yield open_page
    for context, _ in contexts:
        context.close()
    assert [fault for _, watch in contexts for fault in watch.faults] == []


@pytest.fixture
def play(visit: Visit, server: str) -> Play:
    """A page of the server that has tables; none may be missing."""
    return visit(server)


@pytest.fixture
def partial(visit: Visit, server: str) -> Play:
    """A page of the server that has tables, for positions whose table is missing."""
    return visit(server, allow=(404,))


@pytest.fixture
def setting(visit: Visit, server: str) -> Play:
    """A page on which positions are set up: not all that comes up between can be."""
    return visit(server, allow=(400, 404))


@pytest.fixture
def bare(visit: Visit, bare_server: str) -> Play:
    """A page of the server without tables."""
    return visit(bare_server, allow=(404,))
