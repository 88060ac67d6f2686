"""A table made for other rules never answers, wherever its file lies and whatever it is called."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import Morris
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import DamagedTableError
from solver.expected import rule_differences
from solver.index import layout
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant, with_options
from solver.sectors import Sector, parse_sector, wanted_sectors
from solver.tablebase import open_tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.tableheader import TableHeader

# made for, asked for, sector, what differs
PAIRS = """
    nine                   nine-no-flying     3-3      flying_at is 3, not none
    nine-no-flying         nine               4-3      flying_at is none, not 3
    six                    nine               3-3      board is merels16, not merels24
    nine                   six                3-3      board is merels24, not merels16
    twelve                 nine               3-3      board is merels24d, not merels24
    nine                   twelve             3-3      board is merels24, not merels24d
    twelve                 morabaraba         12-12    full_board_draws is false, not true
    morabaraba             twelve             12-12    full_board_draws is true, not false
    nine-tournament        nine               2-1+7-7  double_mill is 2, not 1
    nine                   nine-tournament    2-1+7-7  double_mill is 1, not 2
    lasker                 ten                2-2+1-1  place_or_slide is true, not false
    nine,all-in-mills=none nine               3-3      all_in_mills is none, not any
"""
ROWS = [row.split(maxsplit=3) for row in PAIRS.strip().splitlines()]


def rules_of(text: str) -> Rules:
    name, *options = text.split(",")
    return with_options(get_variant(name), options)


def write(folder: Path, rules: Rules, sector: Sector) -> Path:
    """A table in which everything is a draw."""
    slots = layout(rules, sector).slots
    counts = [0] * 255 + [slots]
    header = TableHeader.of_counts(
        counts,
        counts,
        sector=str(sector),
        slots=slots,
        major="mover" if layout(rules, sector).mover_is_major else "opponent",
        rules=rules.reduced(sector),
        program="test 1",
    )
    path = table_path(folder, rules, sector)
    write_table(path, header, np.full(slots, 255, np.uint8))
    return path


@pytest.mark.parametrize(("made", "asked", "text", "words"), ROWS)
def test_the_error_says_what_differs(
    morris: Morris, tmp_path: Path, made: str, asked: str, text: str, words: str
) -> None:
    rules, others, sector = rules_of(asked), rules_of(made), parse_sector(text)
    path = table_path(tmp_path, rules, sector)
    path.parent.mkdir()
    shutil.move(write(tmp_path, others, sector), path)
    refusal = f"{path}: header: made for other rules: {words}"
    with pytest.raises(DamagedTableError) as caught:
        TableReader(path, sector=sector, rules=rules.reduced(sector))
    assert str(caught.value) == refusal
    mover, opponent = layout(rules, sector).masks(0)
    hands = sector.mover_hand, sector.opponent_hand
    position = Position(rules, mover, opponent, True, *hands)
    remedy = f"; make it anew with: morris solve {rules.name} {sector} --force --db {tmp_path}"
    with open_tablebase(tmp_path) as tablebase:
        asks = [
            lambda: tablebase.header(rules, sector),
            lambda: tablebase.probe_many([mover], [opponent], sector, rules),
        ]
        if position.outcome() is None:
            asks += [lambda: tablebase.probe(position), lambda: tablebase.get(position)]
        for ask in asks:
            with pytest.raises(DamagedTableError) as caught:
                ask()
            assert str(caught.value) == refusal + remedy
    assert morris("stats", asked, sector, "--db", tmp_path).refused(4) == refusal + remedy


def test_verify_and_query_refuse_it(morris: Morris, tmp_path: Path) -> None:
    nine, no_flying = get_variant("nine"), get_variant("nine-no-flying")
    path = table_path(tmp_path, nine, Sector(3, 3))
    path.parent.mkdir()
    shutil.move(write(tmp_path, no_flying, Sector(3, 3)), path)
    expected = "made for other rules: flying_at is none, not 3; make it anew with: "
    answer = morris("verify", "nine", "3-3", "--checksums", "--db", tmp_path)
    assert answer.code == 4
    assert expected in answer.err
    query = morris("query", "w:Wa1,a4,b2:Bd6,g7,g4", "--db", tmp_path)
    assert expected in query.refused(4)


def test_rules_that_cannot_differ_share_a_table(tmp_path: Path) -> None:
    nine, ten = get_variant("nine"), get_variant("ten")
    path = write(tmp_path, nine, Sector(3, 3))
    assert path == table_path(tmp_path, ten, Sector(3, 3))
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.header(ten, Sector(3, 3)).distinct.draws


@given(st.data())
def test_different_fingerprints_are_told_apart_in_words(data: st.DataObject) -> None:
    rules, others = (VARIANTS[data.draw(st.sampled_from(sorted(VARIANTS)))] for _ in range(2))
    sector = data.draw(st.sampled_from(_SOME_SECTORS))
    records = rules.reduced(sector), others.reduced(sector)
    same = rules.fingerprint(sector) == others.fingerprint(sector)
    assert (rule_differences(*records) == "") == same
    assert (rule_differences(*records[::-1]) == "") == same


_SOME_SECTORS = wanted_sectors(get_variant("six"))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"sowing": True}, ""),
        ({"edges": "a1-b1"}, "other edges"),
        ({"board": "x\n\x1b[2J"}, r"board is x\n\x1b[2J, not merels24"),
        ({"board": "x" * 99, "lines": ""}, "other board"),
        (
            {"flying_at": 4, "mill_wins": True},
            "flying_at is 4, not 3, mill_wins is true, not false",
        ),
        ({"fewest_stones": [3]}, "fewest_stones is [3], not 3"),
    ],
)
def test_records_of_other_programs(found: dict[str, object], words: str) -> None:
    record = get_variant("nine").reduced(Sector(3, 3))
    assert rule_differences({**record, **found}, record) == words
