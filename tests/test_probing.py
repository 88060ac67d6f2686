"""Many positions at once give what one at a time gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Morris

from solver.boards import BOARDS
from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.index import Layout, layout
from solver.pack import pack_tables
from solver.position import Position
from solver.results import WDL
from solver.rules import get_variant
from solver.sectors import Sector, parse_sector
from solver.tablebase import open_tablebase
from solver.tablefile import table_path

NINE = get_variant("nine")
SECTORS = ["3-3", "4-3", "3-4"]
Masks = tuple[np.ndarray, np.ndarray]


def random_masks(points: int, mover: int, opponent: int, number: int) -> Masks:
    """Return the masks of random positions."""
    order = np.random.default_rng(5).random((number, points)).argsort(axis=1)
    bits = np.int64(1) << np.arange(points)
    return (
        bits[order[:, :mover]].sum(axis=1),
        bits[order[:, mover : mover + opponent]].sum(axis=1),
    )


@pytest.mark.parametrize("board", sorted(BOARDS))
@pytest.mark.parametrize("mover_is_major", [True, False])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (1, 2), (4, 3), (3, 5)])
def test_slots_are_those_of_one_position(
    board: str, mover_is_major: bool, sizes: tuple[int, int]
) -> None:
    numbering = Layout(BOARDS[board], *sizes, mover_is_major)
    mover, opponent = sizes if mover_is_major else sizes[::-1]
    movers, opponents = random_masks(BOARDS[board].size, mover, opponent, 300)
    slots = numbering.indices(movers, opponents)
    singly = map(numbering.index, movers.tolist(), opponents.tolist())
    assert slots.tolist() == list(singly)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("sector", SECTORS)
def test_values_are_those_of_one_position(database: Path, sector: str, threads: int) -> None:
    wanted = parse_sector(sector)
    movers, opponents = random_masks(24, wanted.mover, wanted.opponent, 40_000)
    with open_tablebase(database) as tablebase:
        wdl, dtw = tablebase.probe_many(movers, opponents, sector, threads=threads)
        for number in range(0, 40_000, 40):
            result = tablebase.probe(Position(NINE, int(movers[number]), int(opponents[number])))
            assert wdl[number] == WDL[result.value]
            assert dtw[number] == (-1 if result.dtw is None else result.dtw)


def test_every_slot_of_a_table(database: Path) -> None:
    sector = Sector(3, 3)
    numbering = layout(NINE, sector)
    masks = np.array([numbering.masks(slot) for slot in range(0, numbering.slots, 3)])
    with open_tablebase(database) as tablebase:
        stored = np.empty(numbering.slots, dtype=np.uint8)
        tablebase.reader(NINE, sector).read_into(stored)
        dtw = tablebase.probe_many(masks[:, 0], masks[:, 1], "3-3").dtw
    expected = stored[::3].astype(np.int32)
    expected[expected == 255] = -1
    np.testing.assert_array_equal(dtw, expected)


def test_tables_of_win_draw_and_loss(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    folder = table_path(copy, NINE, Sector(3, 3)).parent
    folder.mkdir(parents=True)
    for sector in map(parse_sector, SECTORS):
        path = table_path(database, NINE, sector)
        (folder / path.name).write_bytes(path.read_bytes())
    pack_tables(NINE, list(map(parse_sector, SECTORS)), copy, threads=2)
    for sector in map(parse_sector, SECTORS):
        masks = random_masks(24, sector.mover, sector.opponent, 5000)
        with open_tablebase(copy) as tablebase:
            full = tablebase.probe_many(*masks, sector)
        table_path(copy, NINE, sector).unlink()
        with open_tablebase(copy) as tablebase:
            wdl, dtw = tablebase.probe_many(*masks, sector)
        np.testing.assert_array_equal(wdl, full.wdl)
        assert (dtw == -1).all()


def test_shapes_are_kept(database: Path) -> None:
    movers, opponents = (masks.reshape(4, 5, 6) for masks in random_masks(24, 4, 3, 120))
    with open_tablebase(database) as tablebase:
        found = tablebase.probe_many(movers, opponents, "4-3")
        assert found.wdl.shape == found.dtw.shape == (4, 5, 6)
        assert (found.wdl.dtype, found.dtw.dtype) == (np.int8, np.int32)
        one = tablebase.probe_many(int(movers[1, 2, 3]), int(opponents[1, 2, 3]), "4-3")
        assert one.dtw.shape == () and one.dtw == found.dtw[1, 2, 3]
        assert tablebase.probe_many([], [], "4-3").wdl.shape == (0,)


@pytest.mark.parametrize(
    ("movers", "opponents", "sector", "words"),
    [
        ([7], [56], "4-3", "0x7 and 0x38 are no position of this sector"),
        ([7, 7], [56, 7], "3-3", "0x7 and 0x7 are no position of this sector"),
        ([7], [1 << 24 | 48], "3-3", "are no position of this sector"),
        ([-1], [56], "3-3", "are no position of this sector"),
        ([7, 7], [56], "3-3", "both must have the same"),
        ([7.0], [56.0], "3-3", "masks must be integers, not float64"),
        ([7], [56], "2-3", "has lost already"),
        ([7], [56], "three", "three"),
    ],
)
def test_what_cannot_be_is_refused(
    database: Path, movers: list[int], opponents: list[int], sector: str, words: str
) -> None:
    with open_tablebase(database) as tablebase, pytest.raises(UsageError, match=words):
        tablebase.probe_many(movers, opponents, sector)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_are_a_number_of_threads(database: Path, threads: int) -> None:
    with open_tablebase(database) as tablebase, pytest.raises(UsageError, match="threads must be"):
        tablebase.probe_many([7], [56], "3-3", threads=threads)


def test_lists_of_different_lengths_are_no_masks(database: Path) -> None:
    with open_tablebase(database) as tablebase, pytest.raises(UsageError, match="arrays of integ"):
        tablebase.probe_many([[7, 7], [7]], [[56], [56]], "3-3")


def test_a_missing_table_names_the_command(database: Path) -> None:
    with open_tablebase(database) as tablebase, pytest.raises(MissingTableError, match="solve"):
        tablebase.probe_many([0x1FF], [0x3FE00], "9-9")


def test_damage_is_found(database: Path, tmp_path: Path) -> None:
    path = table_path(database, NINE, Sector(4, 3))
    bad = table_path(tmp_path, NINE, Sector(4, 3))
    bad.parent.mkdir(parents=True)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    bad.write_bytes(data)
    masks = random_masks(24, 4, 3, 50_000)
    with open_tablebase(tmp_path) as tablebase, pytest.raises(DamagedTableError, match="frame"):
        tablebase.probe_many(*masks, "4-3")


def test_the_bench_of_probes(morris: Morris, database: Path) -> None:
    answer = morris("bench", "--probe", "4-3", "--db", database, "--json").json
    assert (answer["sector"], answer["metric"], answer["batch"]) == ("4-3", "dtw", 1_000_000)
    assert 0 < answer["cached_us"] < answer["unpacked_us"] < 1e5
    assert answer["batch_seconds"] > 0
    assert "goes with it" in morris("bench", "--probe", "4-3", "--steps").refused(2)
    text = morris("bench", "--probe", "3-4", "--db", database).out
    assert "1,000,000 positions at once" in text
