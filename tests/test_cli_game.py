"""``morris query`` and ``morris line`` with turns played before, and with draws in play."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest
from conftest import Morris

from solver import memory
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant
from solver.sectors import Sector
from solver.tablebase import open_tablebase

NINE = get_variant("nine")
DRAWN = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
TWICE = "d6-f6 g4-g7 f6-d6 g7-g4"
"""Four plies that lead back to DRAWN."""


@pytest.fixture(scope="module")
def longest(database: Path) -> Position:
    """A position of the database whose win takes 25 plies."""
    from solver.index import layout
    from solver.tablefile import TableReader, table_path

    sector = Sector(3, 3)
    with TableReader(table_path(database, NINE, sector)) as reader:
        import numpy as np

        payload = np.empty(reader.header.slots, dtype=np.uint8)
        reader.read_into(payload)
    slot = int(np.flatnonzero(payload == 25)[0])
    position = Position(NINE, *layout(NINE, sector).masks(slot))
    with open_tablebase(database) as tablebase:
        assert tablebase.probe(position) == ("win", 25)
    return position


@pytest.mark.parametrize("command", ["query", "line"])
def test_the_question_is_about_the_position_after_the_moves(
    morris: Morris, database: Path, command: str
) -> None:
    asked = "b:Wa4,d5,f6:Ba7,b4,c4,g4"
    answer = morris(command, DRAWN, "--moves", " D6-f6 ", "--db", database, "--json").json
    assert answer["position"] == asked
    plain = morris(command, asked, "--db", database, "--json").json
    answer.pop("plies_without_capture", None)
    plain.pop("plies_without_capture", None)
    assert answer == plain
    assert morris(command, DRAWN, "--moves", "d6-f6", "--db", database).out.startswith(f"{asked}\n")


def test_plies_are_counted(morris: Morris, database: Path) -> None:
    for moves, plies in (("", 0), ("d6-f6", 1), ("d6-f6 g4-g7", 2)):
        answer = morris("query", DRAWN, "--moves", moves, "--db", database, "--json").json
        assert answer["plies_without_capture"] == plies


@pytest.mark.parametrize("command", ["query", "line"])
def test_a_draw_is_due_when_a_position_has_occurred_often(
    morris: Morris, database: Path, command: str
) -> None:
    due = "A draw is due: this position has occurred three times."
    where = ["--db", database]
    for options, expected in (
        (["--moves", TWICE], None),
        (["--moves", f"{TWICE} {TWICE}"], due),
        (["--moves", TWICE, "--repetition", "2"], due.replace("three", "two")),
        (["--moves", f"{TWICE} {TWICE}", "--repetition", "0"], None),
    ):
        assert morris(command, DRAWN, *options, *where, "--json").json["warning"] == expected
        text = morris(command, DRAWN, *options, *where).out
        assert (f"\n{expected}\n" in text) if expected else "draw is due" not in text


@pytest.mark.parametrize("command", ["query", "line"])
def test_a_draw_is_due_at_the_quiet_limit(morris: Morris, database: Path, command: str) -> None:
    options = ["--moves", TWICE, "--quiet-limit", "4", "--db", database]
    text = morris(command, DRAWN, *options).out
    assert "A draw is due: 4 plies without a capture.\n" in text


@pytest.mark.parametrize("command", ["query", "line"])
def test_a_win_that_takes_longer_than_the_limit_leaves_is_said_to(
    morris: Morris, database: Path, longest: Position, command: str
) -> None:
    for limit in (0, 25, 60):
        options = ["--quiet-limit", limit, "--db", database]
        assert morris(command, longest, *options, "--json").json["warning"] is None
    options = ["--quiet-limit", "24", "--db", database]
    warning = morris(command, longest, *options, "--json").json["warning"]
    assert warning.startswith("The win takes 25 plies, longer than the 24 plies that a game")
    assert f"wins in 25 plies.\n{warning}\n" in morris(command, longest, *options).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--moves", "d6-f6 g4"], "--moves, turn 2, 'g4' at column 7: Black has no stones in hand"),
        (
            ["--moves", f"{TWICE} {TWICE} d6-f6"],
            "--moves, turn 9, 'd6-f6': the game is over, it is a draw: this position has occurred",
        ),
        (["--moves", "d6-f6 g4-g7", "--quiet-limit", "1"], "turn 2, 'g4-g7': the game is over"),
        (["--repetition", "1"], "a position cannot make a draw by occurring 1 times"),
        (["--repetition", "-1"], "--repetition takes a whole number of 0 or more"),
        (["--quiet-limit", "x"], "--quiet-limit takes a whole number, not 'x'"),
    ],
)
@pytest.mark.parametrize("command", ["query", "line"])
def test_what_makes_no_sense_is_refused(
    morris: Morris, tmp_path: Path, command: str, arguments: list[str], message: str
) -> None:
    assert message in morris(command, DRAWN, *arguments, "--db", tmp_path).refused(2)


# Games that are over need no table, in any variant.


@pytest.mark.parametrize(
    ("variant", "position", "value", "why"),
    [
        ("three", "b:Wa3,b3,c3:Ba1,a2,b1", "loss", "Black has lost: White has closed a mill."),
        (
            "tic-tac-toe",
            "b:Wa2,b2,b3,c1,c3:Ba1,a3,b1,c2",
            "draw",
            "It is a draw: the board is full.",
        ),
        ("dara", "w:Wa1,b3:Bc1,c2,d4", "loss", "White has lost: 2 stones left."),
        ("lasker", "w:Wa1:Bb2,b4,b6:H1,0", "loss", "White has lost: 2 stones left."),
        ("four", "w:Wb4,b6,d6:Bc4,b2,d5,f6", "loss", "White has lost: no stone can move."),
    ],
)
def test_the_end_of_a_game_in_words(
    morris: Morris, tmp_path: Path, variant: str, position: str, value: str, why: str
) -> None:
    where = ["--variant", variant, "--db", tmp_path]
    answer = morris("query", position, *where, "--json").json
    assert (answer["variant"], answer["value"], answer["moves"]) == (variant, value, [])
    for command in ("query", "line"):
        text = morris(command, position, *where).out
        assert text.endswith(f"\n{why}\n")


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_a_missing_table_of_any_variant_is_named(
    morris: Morris, tmp_path: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "total_memory", lambda: 24 << 30)
    start = Position.start(rules)
    message = morris("query", start, "--variant", rules.name, "--db", tmp_path).refused(3)
    if rules.name == "dara":
        assert message.startswith("no table for sector 0-0+12-12 of dara: not solvable here: unit ")
    else:
        assert f"morris solve {rules.name} {start.sector} --db" in message


def test_a_win_by_a_mill_at_the_end_of_the_moves(morris: Morris, tmp_path: Path) -> None:
    arguments = ["--variant", "tic-tac-toe", "--moves", "a3 b2 b3 a1 c3", "--db", tmp_path]
    text = morris("query", "w:W:B:H5,4", *arguments).out
    assert "b:Wa3,b3,c3:Ba1,b2:H2,2\n" in text
    assert "3  W   W   W\n" in text
    assert text.endswith("Black has lost: White has closed a mill.\n")
    arguments[3] += " c1"
    message = morris("query", "w:W:B:H5,4", *arguments).refused(2)
    assert message.endswith("the game is over, Black has lost: White has closed a mill")


def test_turns_that_make_a_draw_at_once_are_named(morris: Morris, database: Path) -> None:
    shuffle = "d6-f6 g4-g7 f6-d6 g7-g4"
    moves = f"{shuffle} d6-f6 g4-g7 f6-d6"
    said = "Played now, these make the game a draw: g7-g4."
    assert f"{said}\n" in morris("query", DRAWN, "--moves", moves, "--db", database).out
    answer = morris("query", DRAWN, "--moves", moves, "--db", database, "--json").json
    assert answer["warning"] == said
    limited = ("query", DRAWN, "--moves", "d6-f6", "--quiet-limit", 2, "--db", database, "--json")
    drawing = morris(*limited).json
    quiet = [move["move"] for move in drawing["moves"] if "x" not in move["move"]]
    named = drawing["warning"].removeprefix("Played now, these make the game a draw: ")
    assert sorted(named.rstrip(".").split(", ")) == sorted(quiet)
