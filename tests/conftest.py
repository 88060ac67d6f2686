"""What tests of the command line share: a small database, and a way to run ``morris``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faultlist
import pytest
from faultlist import fault  # noqa: F401 - a fixture of all tests

from databases import shared_database

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from solver.tablebase import Tablebase

collect_ignore = ["browser"]
"""What needs a browser is only run if it is named, as ``scripts/test --browser`` does."""

STONES = 7
"""The database of the session has all moving sectors of ``nine`` with so many stones at most."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="run the tests that take a minute each")
    faultlist.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(faultlist.FaultList(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the slow tests first, or one process would wait for the other at the end."""
    if not config.getoption("--deep"):
        for item in items:
            if item.get_closest_marker("deep"):
                item.add_marker(pytest.mark.skip(reason="takes a minute; run with --deep"))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@dataclass(frozen=True)
class Answer:
    """What a run of ``morris`` did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON, which must be all there is."""
        assert self.code in (0, 1), self.err
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    def refused(self, code: int) -> str:
        """Why it failed: one line on stderr and nothing on stdout."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.startswith("Error: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err.removeprefix("Error: ").rstrip("\n")


Morris = Callable[..., Answer]


@pytest.fixture
def morris(capsys: pytest.CaptureFixture[str]) -> Morris:
    """Run ``morris`` in this process."""

    def run_morris(*arguments: object) -> Answer:
        from solver.cli import run

        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run_morris


@pytest.fixture(autouse=True)
def _no_database_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MORRIS_DB", raising=False)


@pytest.fixture(autouse=True)
def _no_colours_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of ``nine`` up to seven stones. Not to be written to."""
    return solved_once(tmp_path_factory, STONES)


@pytest.fixture(scope="session")
def served(database: Path) -> Iterator[Tablebase]:
    """That database, open, as what answers over HTTP has it."""
    from solver.tablebase import open_tablebase

    with open_tablebase(database) as tablebase:
        yield tablebase


@pytest.fixture(scope="session")
def client(served: Tablebase) -> Iterator[TestClient]:
    """Who asks over HTTP."""
    from starlette.testclient import TestClient

    from solver.web.application import make_application

    with TestClient(make_application(served)) as client:
        yield client


def solved_once(tmp_path_factory: pytest.TempPathFactory, stones: int) -> Path:
    """A database that the test processes of a session share, made by the first to need it."""
    from solver.rules import get_variant
    from solver.sectors import sectors_up_to

    rules = get_variant("nine")
    wanted = [(rules, sectors_up_to(rules, stones))]
    return shared_database(tmp_path_factory, f"database-{stones}", wanted)


def plant(path: Path, slot: int, byte: int) -> None:
    """Write a wrong value into a table, with right checksums."""
    import numpy as np

    from solver.tablefile import TableReader, write_table

    with TableReader(path) as reader:
        header = reader.header
        payload = np.empty(header.slots, dtype=np.uint8)
        reader.read_into(payload)
    payload[slot] = byte
    write_table(path, header, payload)
