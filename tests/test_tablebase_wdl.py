"""Answers from tables of win, draw and loss, alone and mixed with those of distances."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Morris

from solver.errors import DamagedTableError, MissingTableError
from solver.index import layout
from solver.pack import pack_tables
from solver.position import Position
from solver.rules import get_variant
from solver.sectors import Sector, parse_sector
from solver.tablebase import Tablebase
from solver.tablefile import table_path
from solver.verify import verify_sectors

NINE = get_variant("nine")
THREE_THREE, FOUR_THREE, THREE_FOUR = (parse_sector(t) for t in ("3-3", "4-3", "3-4"))
SECTORS = [THREE_THREE, FOUR_THREE, THREE_FOUR]


@pytest.fixture(scope="module")
def values(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with tables of win, draw and loss alone."""
    folder = tmp_path_factory.mktemp("values")
    for sector in SECTORS:
        copy(database, folder, sector)
    pack_tables(NINE, SECTORS, folder)
    for sector in SECTORS:
        table_path(folder, NINE, sector).unlink()
    return folder


@pytest.fixture
def tablebase(values: Path) -> Iterator[Tablebase]:
    with Tablebase(values) as tablebase:
        yield tablebase


def copy(database: Path, folder: Path, sector: Sector, metric: str = "dtw") -> None:
    path = table_path(folder, NINE, sector, metric)
    path.parent.mkdir(exist_ok=True)
    shutil.copy(table_path(database, NINE, sector, metric), path)


def positions(sector: Sector, number: int, seed: int = 1) -> Iterator[Position]:
    numbering = layout(NINE, sector)
    source = random.Random(seed)
    for _ in range(number):
        mover, opponent = numbering.masks(source.randrange(numbering.slots))
        white = bool(source.randrange(2))
        yield Position(NINE, *((mover, opponent) if white else (opponent, mover)), white)


@pytest.mark.parametrize("sector", SECTORS, ids=str)
def test_values_are_those_of_the_distances(
    tablebase: Tablebase, database: Path, sector: Sector
) -> None:
    with Tablebase(database) as distances:
        for position in positions(sector, 60):
            told = distances.probe(position)
            assert tablebase.probe(position).value == told.value
            assert tablebase.probe_wdl(position) == distances.probe_wdl(position)
            assert tablebase.probe(position).dtw in ((0,) if told.dtw == 0 else (None,))
        for position in positions(sector, 6, seed=2):
            moves, known = tablebase.moves(position), distances.moves(position)
            assert {m.text: m.value for m in moves} == {m.text: m.value for m in known}


def test_best_first_means_value_then_text(tablebase: Tablebase) -> None:
    order = ["win", "draw", "loss"]
    for position in positions(FOUR_THREE, 10):
        moves = tablebase.moves(position)
        keys = [(order.index(m.value), m.dtw is None, m.text) for m in moves]
        assert keys == sorted(keys)
        assert all(m.dtw in (None, 1) for m in moves)


def test_distances_are_missing(tablebase: Tablebase) -> None:
    won = Position.parse(NINE, "w:Wa7,d7,g1:Ba1,b2,f6")
    assert tablebase.probe(won).value == "win"
    with pytest.raises(MissingTableError, match=r"table of distances of sector 3-3.*morris solve"):
        tablebase.probe_dtw(won)
    assert tablebase.get_dtw(won, -1) == -1
    drawn = next(p for p in positions(FOUR_THREE, 50) if tablebase.probe(p).value == "draw")
    assert tablebase.probe_dtw(drawn) is None


def test_presence(tablebase: Tablebase) -> None:
    assert tablebase.present(NINE, SECTORS) == SECTORS
    assert tablebase.present(NINE, SECTORS, "dtw") == []
    assert tablebase.present(NINE, SECTORS, "wdl") == SECTORS
    assert tablebase.missing(next(positions(THREE_FOUR, 1))) == []


def test_a_line_keeps_the_value_and_ends(tablebase: Tablebase) -> None:
    for sector in SECTORS:
        for position in positions(sector, 4):
            line = tablebase.line(position)
            assert line.ended in ("loss", "repetition", "limit")
            assert len(line.moves) <= 60
            values = [tablebase.probe(move.position).value for move in line.moves]
            other = {"win": "loss", "loss": "win", "draw": "draw"}
            expected = tablebase.probe(position).value
            for value in values:
                expected = other[expected]
                assert value == expected


def test_distances_are_preferred_and_used_where_they_are(
    values: Path, database: Path, tmp_path: Path
) -> None:
    for sector in SECTORS:
        copy(values, tmp_path, sector, "wdl")
    for sector in (FOUR_THREE, THREE_THREE):
        copy(database, tmp_path, sector)
    with Tablebase(tmp_path) as mixed, Tablebase(database) as distances:
        for position in positions(FOUR_THREE, 30):
            assert mixed.probe(position) == distances.probe(position)
            result = mixed.probe(position)
            line = mixed.line(position)  # through 3-4, which has values alone
            assert all(move.value in ("win", "loss", "draw") for move in line.moves)
            if line.moves:
                assert line.moves[0].value == result.value
                assert line.moves[0].dtw in (None, result.dtw)
        for position in positions(THREE_THREE, 5):
            assert mixed.moves(position) == distances.moves(position)


def test_damage_is_never_a_value(values: Path, tmp_path: Path) -> None:
    copy(values, tmp_path, THREE_THREE, "wdl")
    path = table_path(tmp_path, NINE, THREE_THREE, "wdl")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    failed = 0
    with Tablebase(tmp_path) as damaged, Tablebase(values) as sound:
        for position in positions(THREE_THREE, 60):
            try:
                assert damaged.probe(position) == sound.probe(position)
            except DamagedTableError as error:
                assert "3-3.wdl.zst: frame" in str(error)
                failed += 1
    assert failed
    path.rename(table_path(tmp_path, NINE, THREE_THREE))
    with Tablebase(tmp_path) as renamed, pytest.raises(DamagedTableError, match="metric wdl"):
        renamed.probe(next(positions(THREE_THREE, 1)))


def test_verification_of_values_alone(values: Path, tmp_path: Path) -> None:
    for mode in ("checksums", "sample"):
        report = verify_sectors(NINE, SECTORS, values, mode, sample=20)
        assert report.mismatches == 0
        assert all(sector.values_only for sector in report.sectors)
    with pytest.raises(MissingTableError, match="table of distances"):
        verify_sectors(NINE, SECTORS, values, "full")


def test_commands(values: Path, morris: Morris) -> None:
    text = "w:Wa7,d7,g1:Ba1,b2,f6"
    answer = morris("query", text, "--db", values, "--json").json
    assert (answer["value"], answer["dtw"]) == ("win", None)
    assert "White wins; in how many plies" in morris("query", text, "--db", values).out
    line = morris("line", text, "--db", values, "--json").json
    assert line["ended"] in ("loss", "repetition", "limit")
    assert morris("line", text, "--db", values).code == 0
    stats = morris("stats", "nine", "3-3", "--db", values, "--json").json[0]
    assert stats["distinct"] == {"total": 169626, "wins": 140621, "losses": 28736, "draws": 269}
    assert stats["deepest_win"] is None
    assert stats["histogram"] == {"positions": {}, "distinct": {}}
    shown = morris("stats", "nine", "3-3", "--db", values).out
    assert "140,621" in shown
    checked = morris("verify", "nine", "--checksums", "--db", values)
    assert checked.code == 0
    assert "values only" in checked.err
    full = morris("verify", "nine", "--full", "--db", values)
    assert full.code == 3
    assert "3-3: not checked, it needs its own table" in full.err
