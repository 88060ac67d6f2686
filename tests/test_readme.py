"""The README tells the truth: its commands run and print what it shows, its examples hold."""

from __future__ import annotations

import csv
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Morris, solved_once

import solver
from solver.cli import COMMANDS, EXIT_CODES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

NOT_RUN = "<!-- not run by the tests -->"
SERVED = "<!-- run by the tests of the server -->"
ON_CLUSTER = "<!-- run by the tests of the cluster -->"
RECORDED = "<!-- not run by the tests: the record of a deep run -->"


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that ``scripts/quickstart`` makes."""
    return solved_once(tmp_path_factory, 8)


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line before it."""

    kind: str
    body: str
    before: str


def blocks() -> Iterator[Block]:
    lines = README.splitlines()
    start = None
    for number, line in enumerate(lines):
        if start is None and line.startswith("```"):
            start = number
        elif line == "```":
            assert start is not None
            body = "\n".join(lines[start + 1 : number])
            yield Block(lines[start].removeprefix("```"), body, lines[start - 1])
            start = None
    assert start is None


def commands(*, run: bool) -> list[tuple[str, str]]:
    """The commands that are shown, each with what it prints."""
    found = []
    for block in blocks():
        if block.kind != "console" or block.before in (SERVED, ON_CLUSTER):
            continue
        if (block.before not in (NOT_RUN, RECORDED)) == run:
            assert block.body.startswith("$ ")
            for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output.rstrip("\n")))
    return found


def settled(command: str, text: str) -> list[str]:
    """Lines without what differs from one machine to another: times, and widths of columns.

    Sizes of files depend on the version of zstd, so only those that are estimated are compared.
    """
    units = "min|s" if command.startswith("morris plan ") else "kB|MB|GB|min|s"
    text = re.sub(rf"[\d.,]+ ({units})\b( \d+ s)?", "~", text.rstrip("\n"))
    return [re.sub(r" {2,}", "  ", line) for line in text.splitlines()]


def typed(output: str) -> str:
    """What a game shows as typed in: all that stands behind a prompt."""
    return "".join(
        f"{line}\n" for line in re.findall(r"^(?:White|Black)> (.*)", output, re.MULTILINE)
    )


@pytest.mark.parametrize(("command", "output"), commands(run=True))
def test_commands_print_what_is_shown(
    database: Path, tmp_path: Path, command: str, output: str
) -> None:
    # A shell, as some commands read what others print.
    program = f'morris() {{ {shlex.quote(sys.executable)} -m solver "$@"; }}'
    done = subprocess.run(
        ["bash", "-c", f"{program}\nset -o pipefail\n{command}"],
        cwd=tmp_path,
        env={
            **os.environ,
            "MORRIS_DB": str(database),
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": str(ROOT),
        },
        input=typed(output),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert settled(command, done.stdout) == settled(command, output)


def test_estimated_sizes_are_compared() -> None:
    settle = partial(settled, "morris plan nine 5-4")
    assert settle("5-4  11.0 MB  0.3 s") != settle("5-4  70.1 kB  0.3 s")
    assert settle("5-4  11.0 MB  0.3 s") == settle("5-4   11.0 MB  2 min 05 s")


def test_commands_that_are_not_run_exist(morris: Morris) -> None:
    shown = commands(run=False)
    assert shown
    for command, output in shown:
        program, *arguments = shlex.split(command)
        assert output == "" or command == "morris prove nine"
        if program == "morris":
            # The options are known, or this would fail before it shows the help.
            assert morris(arguments[0], *arguments[1:], "--help").code == 0
        elif program != "source":
            path = ROOT / program
            assert os.access(path, os.X_OK), path


def test_the_record_of_the_deep_run() -> None:
    (record,) = (block.body for block in blocks() if block.before == RECORDED)
    with open(ROOT / "databases" / "reference" / "nine.csv", newline="") as file:
        rows = {row["sector"]: row for row in csv.DictReader(file)}
    slots = sum(int(row["slots"]) for row in rows.values())
    assert f"checked in full: {len(rows)} of {len(rows)} sectors, {slots:,} slots, by" in record
    assert ("nine: draw (proved)" in record) == (rows["0-0+9-9"]["distinct_draws"] == "1")
    # A position won by the side to move is lost by the one who has just moved.
    for ply, sector in ((1, "0-1+9-8"), (2, "1-1+8-8"), (3, "1-2+8-7")):
        columns = ("distinct_losses", "distinct_draws", "distinct_wins")
        shown = [int(rows[sector][column]) for column in columns]
        assert re.search(rf"^ +{ply} +{shown[0]} +{shown[1]} +{shown[2]} ", record, re.MULTILINE)


def test_the_python_example_holds(
    database: Path, morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MORRIS_DB", str(database))
    monkeypatch.chdir(tmp_path)
    assert morris("export", "4-4").code == 0  # as the README has it before
    examples = [block.body for block in blocks() if block.kind == "pycon"]
    assert examples
    runner = doctest.DocTestRunner()
    body = "\n".join(examples)  # later ones go on with what the first has made
    runner.run(doctest.DocTestParser().get_doctest(body, {}, "README", "README.md", 0))
    assert runner.summarize(verbose=False).failed == 0


def test_every_command_is_listed() -> None:
    listed = set(re.findall(r"^\| `morris (\w+)", README, re.MULTILINE))
    assert listed == set(COMMANDS)


def test_exit_codes_are_those_of_the_help() -> None:
    shown = " ".join(README.split())
    for code in re.findall(r"\d+ [a-z]+", EXIT_CODES):
        assert code in shown


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("https://"):
            assert (ROOT / target).exists(), target


def test_public_names_are_there() -> None:
    for name in solver.__all__:
        assert getattr(solver, name) is not None
        assert name in dir(solver)
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        solver.chess  # noqa: B018
