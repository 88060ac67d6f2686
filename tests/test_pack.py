"""Tables of win, draw and loss: packed as specified, derived from those of distances, resumed."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Morris
from hypothesis import given
from hypothesis import strategies as st
from test_tablefile import FORMAT, decode_by_the_book

from solver import pack
from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.index import layout
from solver.lock import locked
from solver.pack import pack_tables, wdl_header
from solver.packing import Bands, choose_band
from solver.rules import get_variant
from solver.sectors import Sector, parse_sector
from solver.tablefile import TableReader, table_path, write_table
from solver.verify import verify_sectors

NINE = get_variant("nine")
SECTORS = [parse_sector(text) for text in ("3-3", "4-3", "3-4")]


@pytest.fixture
def copy(database: Path, tmp_path: Path) -> Path:
    """A database of its own, with the tables of distances up to seven stones."""
    for sector in SECTORS:
        path = table_path(tmp_path, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    return tmp_path


def distances(database: Path, sector: Sector) -> np.ndarray:
    with TableReader(table_path(database, NINE, sector)) as reader:
        out = np.empty(reader.header.slots, np.uint8)
        reader.read_into(out)
        return out


def packed(database: Path, sector: Sector) -> bytes:
    return table_path(database, NINE, sector, "wdl").read_bytes()


def value_by_the_book(header: dict, payload: bytes, slot: int) -> int:
    """Find an entry with nothing but section 6 of databases/FORMAT.md."""
    o, r = slot // header["block"], slot % header["block"]
    blocks = header["slots"] // header["block"]
    f = o - o % header["band"]
    b = min(header["band"], blocks - f)
    w = (b + 4) // 5
    byte = f // 5 * header["block"] + r * w + (o - f) // 5
    return payload[byte] // 3 ** ((o - f) % 5) % 3


# -- the packing ------------------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_every_entry_is_found_where_it_was_packed(
    blocks: int, block: int, rows: int, seed: int
) -> None:
    bands = Bands(blocks, block, 5 * rows)
    entries = np.random.default_rng(seed).integers(0, 3, (blocks, block), dtype=np.uint8)
    payload = np.zeros(bands.payload_bytes, np.uint8)
    for first in range(0, blocks, 2 * bands.band):
        bands.pack(first, entries[first : first + 2 * bands.band], payload)
    slots = np.arange(blocks * block)
    np.testing.assert_array_equal(bands.entries(payload, slots), entries.ravel())
    header = {"block": block, "band": bands.band, "slots": blocks * block}
    for slot in slots[:: max(1, len(slots) // 50)].tolist():
        byte, column = bands.locate(slot)
        assert payload[byte] // 3**column % 3 == entries.flat[slot]
        assert value_by_the_book(header, payload.tobytes(), slot) == entries.flat[slot]
    assert {bands.locate(slot) for slot in slots.tolist()} <= {
        (byte, column) for byte in range(bands.payload_bytes) for column in range(5)
    }
    assert len({bands.locate(slot) for slot in slots.tolist()}) == len(slots)


def test_the_example_of_the_specification() -> None:
    bands = Bands(12, 35, 10)
    assert bands.locate(7 * 35 + 3) == (7, 2)
    assert bands.locate(11 * 35 + 3) == (73, 1)


@pytest.mark.parametrize(
    ("blocks", "block", "band", "frame"),
    [
        (8774, 8568, 15, 25_704),
        (4, 20, 5, 20),
        (30, 497_420, 5, 497_420),
        (22_188, 680, 240, 32_640),
    ],
)
def test_bands_fill_a_frame(blocks: int, block: int, band: int, frame: int) -> None:
    bands = choose_band(blocks, block)
    assert (bands.band, bands.band_bytes) == (band, frame)


# -- the files --------------------------------------------------------------------------------


def test_tables_say_what_those_of_distances_do(copy: Path) -> None:
    report = pack_tables(NINE, SECTORS, copy, threads=2)
    assert list(report.packed) == SECTORS
    assert report.skipped == {}
    for sector in SECTORS:
        stored = distances(copy, sector)
        expected = np.where(stored >= 254, 0, np.where(stored % 2 == 1, 1, 2))
        header, payload = decode_by_the_book(packed(copy, sector))
        assert report.packed[sector] == len(packed(copy, sector))
        chosen = np.random.default_rng(1).choice(len(stored), 2000, replace=False).tolist()
        for slot in chosen:
            assert value_by_the_book(header, payload, slot) == expected[slot]
        assert header["block"] == layout(NINE, sector).block
        with TableReader(table_path(copy, NINE, sector, "wdl"), metric="wdl") as reader:
            assert [reader.value(slot) for slot in chosen[:50]] == expected[chosen[:50]].tolist()
            entries = reader.header.bands.entries(
                np.frombuffer(payload, np.uint8), np.arange(len(stored))
            )
            np.testing.assert_array_equal(entries, expected)
            with TableReader(table_path(copy, NINE, sector)) as origin:
                assert reader.header.positions == origin.header.positions
                assert reader.header.distinct == origin.header.distinct
            assert (reader.header.deepest_win, reader.header.deepest_loss) == (None, None)
        assert 4 * len(packed(copy, sector)) < 3 * table_path(copy, NINE, sector).stat().st_size


def test_the_specification_names_the_fields_of_the_packing(copy: Path) -> None:
    pack_tables(NINE, SECTORS[:1], copy)
    sections = FORMAT.read_text("utf-8").split("\n## ")
    named = {
        name
        for section in (sections[3], sections[6])
        for row in re.findall(r"^\| (`.*?) \|", section, re.M)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert named == set(decode_by_the_book(packed(copy, SECTORS[0]))[0])


def test_bytes_do_not_depend_on_threads_or_chunks(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack_tables(NINE, SECTORS, copy)
    first = [packed(copy, sector) for sector in SECTORS]
    for sector in SECTORS:
        table_path(copy, NINE, sector, "wdl").unlink()
    monkeypatch.setattr(pack, "_CHUNK_SLOTS", 100_000)
    pack_tables(NINE, SECTORS, copy, threads=3)
    assert [packed(copy, sector) for sector in SECTORS] == first


def test_sound_tables_are_kept_and_others_made_anew(copy: Path) -> None:
    pack_tables(NINE, SECTORS, copy)
    sound = packed(copy, SECTORS[0])
    damaged = table_path(copy, NINE, SECTORS[1], "wdl")
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    table_path(copy, NINE, SECTORS[2], "wdl").unlink()
    left_over = damaged.with_name(f"{damaged.name}.tmp-1")
    left_over.write_bytes(b"half a table")
    report = pack_tables(NINE, SECTORS, copy)
    assert report.skipped == {SECTORS[0]: len(sound)}
    assert list(report.packed) == SECTORS[1:]
    assert damaged.read_bytes() == whole
    assert not left_over.exists()


def test_an_interrupted_run_leaves_whole_tables(copy: Path) -> None:
    def interrupt(sector: Sector, done: int, slots: int) -> None:
        if sector == SECTORS[1]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pack_tables(NINE, SECTORS, copy, threads=2, progress=interrupt)
    names = sorted(os.listdir(table_path(copy, NINE, SECTORS[0]).parent))
    assert names == ["3-3.dtw.zst", "3-3.wdl.zst", "3-4.dtw.zst", "4-3.dtw.zst"]
    assert list(pack_tables(NINE, SECTORS, copy).skipped) == SECTORS[:1]


def test_a_damaged_table_of_distances_gives_none_of_values(copy: Path) -> None:
    path = table_path(copy, NINE, SECTORS[0])
    data = path.read_bytes()
    path.write_bytes(data[:9000] + bytes([data[9000] ^ 1]) + data[9001:])
    with pytest.raises(DamagedTableError, match=r"3-3\.dtw\.zst: frame"):
        pack_tables(NINE, SECTORS, copy)
    assert not table_path(copy, NINE, SECTORS[0], "wdl").exists()


def test_what_is_missing_is_named_before_anything_is_done(copy: Path) -> None:
    with pytest.raises(MissingTableError, match="morris solve nine 5-4"):
        pack_tables(NINE, [SECTORS[0], Sector(5, 4)], copy)
    assert not table_path(copy, NINE, SECTORS[0], "wdl").exists()
    with pytest.raises(UsageError):
        pack_tables(NINE, SECTORS, copy, threads=0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"packing": "byte"}, "does not go with"),
        ({"metric": "dtw"}, "does not go with"),
        ({"block": 1331}, "block cannot be 1331"),
        ({"block": 0}, "block cannot be 0"),
        ({"band": 12}, "band cannot be 12"),
        ({"band": -5}, "band cannot be -5"),
        ({"position_histogram": {1: 1}, "distinct_histogram": {1: 1}}, "does not add up"),
    ],
)
def test_headers_that_contradict_themselves_are_refused(
    database: Path, fields: dict[str, object], message: str
) -> None:
    with TableReader(table_path(database, NINE, SECTORS[0])) as reader:
        header = wdl_header(NINE, SECTORS[0], reader.header)
    with pytest.raises(ValueError, match=message):
        replace(header, **fields)


def test_verify_finds_a_value_that_differs(copy: Path) -> None:
    pack_tables(NINE, SECTORS, copy)
    sector = SECTORS[0]
    assert verify_sectors(NINE, [sector], copy, "full").mismatches == 0
    assert verify_sectors(NINE, [sector], copy, "sample").mismatches == 0
    path = table_path(copy, NINE, sector, "wdl")
    with TableReader(path, metric="wdl") as reader:
        header = reader.header
        payload = np.empty(header.payload_bytes, np.uint8)
        reader.read_into(payload)
    byte, column = header.bands.locate(777)
    old = int(payload[byte]) // 3**column % 3
    payload[byte] += ((old + 1) % 3 - old) * 3**column
    write_table(path, header, payload)
    report = verify_sectors(NINE, [sector], copy, "full")
    assert report.mismatches == 1
    assert report.sectors[0].header[0].startswith("slot 777 is ")
    everything = verify_sectors(NINE, [sector], copy, "sample", sample=header.slots)
    assert everything.mismatches == 1


# -- the command ------------------------------------------------------------------------------


def test_the_command(copy: Path, morris: Morris) -> None:
    answer = morris("pack", "nine", "--wdl", "--db", copy, "--json")
    names = [str(sector) for sector in SECTORS]
    assert sorted(answer.json["packed"]) == sorted(names)
    sizes = [len(packed(copy, sector)) for sector in SECTORS]
    assert answer.json["bytes"] == sum(sizes)
    assert answer.err.count(" bits per slot)\n") == 3
    again = morris("pack", "nine", "3-3", "--wdl", "--db", copy)
    assert again.out.startswith("0 tables packed, 1 table kept; together ")
    assert again.code == 0


def test_the_command_refuses(copy: Path, morris: Morris, tmp_path: Path) -> None:
    assert "--wdl" in morris("pack", "nine", "--db", copy).refused(2)
    assert "morris solve" in morris("pack", "nine", "5-4", "--wdl", "--db", copy).refused(3)
    assert "morris solve" in morris("pack", "nine", "--wdl", "--db", copy / "none").refused(3)
    with locked(copy):
        assert "is being written" in morris("pack", "nine", "--wdl", "--db", copy).refused(5)
