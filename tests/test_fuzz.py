"""No text from outside gives a traceback: it is understood, or refused in one sentence."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Morris
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, positions

from solver.errors import UsageError
from solver.notation import format_playok, format_turn, parse_position, parse_turn
from solver.record import parse_record
from solver.rules import Rules, get_variant
from solver.sanmill import format_sanmill, parse_sanmill
from solver.sectors import parse_sector

PIECES = (
    "w b W B : :W :B :H , - x X / * O @ a1 d6 g7 z9 a1-a4 d6xf4 18x21 12-13 0 -1 9,9 H9,9 99999999 "
    "w:W:B:H9,9 w:Wa4,d5,d6:Ba7,b4,c4,g4 ********/********/******** m s p p 3 0 4 0 ids:nodes "
    '3-3 4-4+1-1 nine six "nine -r stones=4" { } ( ) [ ] [FEN " ! $1 1. 1... 1-0 ; \\ % \x00 \x1b'
)
FRAGMENTS = PIECES.split(" ")
TEXTS = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(FRAGMENTS), max_size=10).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=10).map(" ".join),
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A position or a turn with something put in, taken out or exchanged."""
    rules = draw(st.sampled_from(FAMILY))
    position = draw(positions(rules))
    texts = [str(position)]
    if rules.board.name.startswith("merels24"):
        texts.append(format_sanmill(position))
    turns = position.turns()
    if turns:
        turn = draw(st.sampled_from(turns))
        texts += [format_turn(position, turn), format_playok(position, turn)]
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from([*FRAGMENTS, ""])) + text[at + length :]
    return text


INPUT = st.one_of(TEXTS, damaged())
READERS: dict[str, Callable[[Rules, str], Any]] = {
    "position": parse_position,
    "turn": lambda rules, text: parse_turn(parse_position(rules, str_of_start(rules)), text),
    "record": lambda rules, text: parse_record(text, rules),
    "sanmill": parse_sanmill,
    "variant": lambda rules, text: get_variant(text),
    "sector": lambda rules, text: parse_sector(text),
}


def str_of_start(rules: Rules) -> str:
    return f"w:W:B:H{rules.hands[0]},{rules.hands[1]}"


@pytest.mark.parametrize("reader", READERS)
@given(rules=st.sampled_from(FAMILY), text=INPUT)
@settings(max_examples=120, deadline=None)
def test_readers_understand_or_refuse(reader: str, rules: Rules, text: str) -> None:
    try:
        READERS[reader](rules, text)
    except UsageError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        assert len(message) < 600


COMMANDS: dict[str, Callable[[str, Path], list[str]]] = {
    "query": lambda text, _: [text],
    "query --json": lambda text, _: [text, "--json"],
    "query --moves": lambda text, _: ["w:Wa4,d5,d6:Ba7,b4,c4,g4", "--moves", text],
    "line": lambda text, _: [text, "--plies", "3"],
    "analyse": lambda text, _: [text],
    "analyse --position": lambda text, _: ["d6-f6", "--position", text],
    "render": lambda text, _: [text],
    "render --arrow": lambda text, _: ["w:W:B:H9,9", "--arrow", text],
    "play": lambda text, _: ["--position", text],
    "puzzles": lambda text, _: [text, "--win", "3", "--count", "1"],
    "longest": lambda text, _: [text],
    "export": lambda text, folder: [text, "--output", str(folder / "x.npy"), "--force"],
    "stats": lambda text, _: ["nine", text],
    "query --variant": lambda text, _: ["w:W:B:H3,3", "--variant", text],
    "query -r": lambda text, _: ["w:W:B:H3,3", "-r", text],
}


@pytest.mark.parametrize("command", COMMANDS)
@given(text=INPUT)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_commands_answer_or_refuse(
    morris: Morris, database: Path, tmp_path: Path, command: str, text: str
) -> None:
    name, *_ = command.split()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    try:
        arguments = COMMANDS[command](text, tmp_path)
        answer = morris(name, *arguments, "--db", database)
    finally:
        sys.stdin = stdin
    assert answer.code in (0, 1, 2, 3)
    assert "Traceback" not in answer.err
    if answer.code:
        assert answer.err.startswith("Error: ")
        assert answer.err.count("\n") == 1


@given(st.lists(INPUT.map(lambda text: text.replace("\n", " ").replace("\r", " ")), max_size=4))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_lines_of_standard_input_are_answered_or_refused(
    morris: Morris, database: Path, lines: list[str]
) -> None:
    content = "".join(f"{line}\n" for line in lines).encode(errors="replace")
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content))
    try:
        answer = morris("query", "-", "--json", "--db", database)
    finally:
        sys.stdin = stdin
    assert answer.out.count("\n") == len(lines)
    assert answer.err == ""


def test_the_start_of_every_game_is_written_as_it_is_read() -> None:
    for rules in FAMILY:
        assert str(parse_position(rules, str_of_start(rules))) == str_of_start(rules)
    assert str_of_start(NINE) == "w:W:B:H9,9"
