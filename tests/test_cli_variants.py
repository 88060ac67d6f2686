"""``morris variants``: every rule of every game, in words and as JSON."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

import pytest
from conftest import Morris
from strategies import FAMILY

from solver.describe import describe_rules
from solver.rules import VARIANTS, Rules, with_options


def test_records_have_every_rule(morris: Morris) -> None:
    records = morris("variants", "--json").json
    assert [record["name"] for record in records] == list(VARIANTS)
    assert records[0] == {
        "name": "nine",
        "board": "merels24",
        "points": 24,
        "edges": 32,
        "lines": 16,
        "stones": 9,
        "second_stones": 9,
        "flying_at": 3,
        "mill_wins": False,
        "double_mill": 1,
        "mills_protect": True,
        "all_in_mills": "any",
        "fewest_stones": 3,
        "full_board_draws": False,
        "place_or_slide": False,
        "long_lines_forbidden": False,
        "repetition": 3,
        "quiet_limit": 60,
        "options": {
            "stones": [str(n) for n in range(3, 13)],
            "flying": ["3", "never"],
            "double-mill": ["1", "2"],
            "all-in-mills": ["any", "none"],
        },
    }
    names = {field.name for field in fields(Rules)}
    for record in records:
        rules = VARIANTS[record["name"]]
        assert names <= record.keys()
        for name in names - {"board", "second_stones"}:
            assert record[name] == getattr(rules, name)
        assert (record["stones"], record["second_stones"]) == rules.hands
        for option, values in record["options"].items():
            for value in values:
                with_options(rules, [f"{option}={value}"])


def test_text_lists_every_variant_with_every_rule(morris: Morris) -> None:
    text = morris("variants").out
    parts = text.rstrip("\n").split("\n\n")
    assert [part.splitlines()[0] for part in parts] == list(VARIANTS)
    for part in parts:
        labels = [line[2:15].strip() for line in part.splitlines()[1:]]
        assert [label for label in labels if label] == list(describe_rules(VARIANTS["nine"]))
    assert max(map(len, text.splitlines())) <= 88


def test_some_variants(morris: Morris) -> None:
    text = morris("variants", "three", "NINE", "three").out
    assert [part.splitlines()[0] for part in text.split("\n\n")] == ["three", "nine"]
    records = morris("variants", "dara", "--json").json
    assert [record["name"] for record in records] == ["dara"]
    assert "no variant is called 'chess'" in morris("variants", "chess").refused(2)


@pytest.mark.parametrize(
    ("variant", "label", "text"),
    [
        ("nine", "board", "merels24: 24 points, 32 edges, 16 lines"),
        ("tic-tac-toe", "board", "grid3: 9 points, no edges, 8 lines"),
        ("tic-tac-toe", "stones", "5 for the side that begins, 4 for the other"),
        ("tic-tac-toe", "turns", "a stone is placed on a free point; none ever moves"),
        ("tic-tac-toe", "full board", "a draw, once all stones are placed"),
        ("tic-tac-toe", "with -r", "none"),
        ("twelve", "full board", "the side to move has no legal turn and has lost"),
        ("six", "full board", "cannot come: there are fewer stones than points"),
        ("three", "a mill", "wins at once"),
        ("three", "lost", "a side to move whose opponent has a mill, or with no legal turn"),
        ("three", "with -r", "stones=3 to 12; flying=3 or never"),
        ("morabaraba", "repetition", "no rule"),
        ("morabaraba", "quiet limit", "no rule"),
        ("dara", "protection", "none: any stone may be taken"),
        ("nine-tournament", "two at once", "take two stones, the second chosen when the first"),
        ("six", "flying", "never"),
    ],
)
def test_rules_in_words(variant: str, label: str, text: str) -> None:
    assert describe_rules(VARIANTS[variant])[label].startswith(text)


@pytest.mark.parametrize("field", [field.name for field in fields(Rules) if field.name != "name"])
def test_every_rule_changes_the_words(field: str) -> None:
    told = {}
    for rules in FAMILY:
        told.setdefault(getattr(rules, field), []).append(describe_rules(rules))
    assert len(told) > 1 or field == "fewest_stones"
    for value, words in told.items():
        others = [each for other, list_ in told.items() if other != value for each in list_]
        assert not any(each in others for each in words)


@pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
def test_words_are_sentences_without_a_stop(rules: Rules) -> None:
    for text in describe_rules(rules).values():
        assert text
        assert text == text.strip()
        assert not text.endswith(".")
