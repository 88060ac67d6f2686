"""Tables whose distances take two bytes: written, read, asked and packed as those of one byte."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Morris
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tablefile import decode_by_the_book, forge, make_payload, reader_of

from solver import seekable
from solver.errors import DamagedTableError
from solver.index import layout
from solver.pack import pack_tables
from solver.position import Position
from solver.results import WDL, Result
from solver.rules import get_variant
from solver.sectors import Sector
from solver.tablebase import open_tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.tableheader import TableHeader
from solver.widths import BYTE, WORD, payload_of, width_of

NINE = get_variant("nine")
SECTOR = Sector(3, 3)
SLOTS = layout(NINE, SECTOR).slots


def make_words(slots: int, seed: int = 0) -> np.ndarray:
    """Entries with all there is: short and long distances, draws, void slots."""
    random = np.random.default_rng(seed)
    words = make_payload(slots, seed).astype(np.uint16)
    words[words == BYTE.draw] = WORD.draw
    words[words == BYTE.void] = WORD.void
    deep = random.random(slots) < 0.3
    words[deep] = random.integers(253, 1000, slots)[deep]
    words[random.integers(slots)] = WORD.deepest
    return words


def header_of(stored: np.ndarray, sector: Sector = SECTOR, **fields: object) -> TableHeader:
    """A header whose counts fit the entries, every slot taken for one distinct position."""
    numbers = np.bincount(stored, minlength=int(np.iinfo(stored.dtype).max) + 1).tolist()
    header = TableHeader.of_counts(
        numbers,
        numbers,
        sector=str(sector),
        slots=len(stored),
        major="mover",
        rules=NINE.reduced(sector),
        program="test 1",
    )
    return replace(header, **fields)


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [make_payload, make_words])
@pytest.mark.parametrize("slots", [1, 127, 128, 129, 5000])
@pytest.mark.parametrize("threads", [1, 2])
def test_entries_come_back_as_numbers(
    tmp_path: Path, make: object, slots: int, threads: int
) -> None:
    stored = make(slots)
    path = tmp_path / "t.zst"
    write_table(path, header_of(stored, frame_size=256), payload_of(stored), threads=threads)
    with TableReader(path, sector=SECTOR, rules=NINE.reduced(SECTOR)) as reader:
        found = reader.entries(threads=threads)
        assert (found.dtype, found.shape) == (stored.dtype, stored.shape)
        assert found.dtype.isnative
        np.testing.assert_array_equal(found, stored)
        assert [reader.value(slot) for slot in range(slots)] == stored.tolist()
        payload = np.empty(reader.header.payload_bytes, np.uint8)
        reader.read_into(payload, threads=threads)
        assert payload.tobytes() == stored.astype(f"<u{stored.itemsize}").tobytes()


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 65535).filter(lambda n: n != 65533), min_size=1, max_size=400),
    st.integers(1, 300),
)
def test_any_words_in_frames_of_any_even_size(words: list[int], half: int) -> None:
    stored = np.array(words, dtype=np.uint16)
    header = header_of(stored, frame_size=2 * half)
    payload = payload_of(stored)
    frames = [f for part in seekable.pack_frames(payload, 2 * half) for f in part]
    with reader_of(forge(header.to_json(), frames, payload, 2 * half)) as reader:
        assert reader.header == header
        assert reader.entries().tolist() == words
        assert [reader.value(slot) for slot in range(len(words))] == words


def test_a_decoder_written_from_the_specification_reads_words(tmp_path: Path) -> None:
    stored = make_words(1000)
    write_table(tmp_path / "t.zst", header_of(stored, frame_size=512), payload_of(stored))
    header, payload = decode_by_the_book((tmp_path / "t.zst").read_bytes())
    assert header["packing"] == "word"
    numbers = [payload[2 * i] + 256 * payload[2 * i + 1] for i in range(header["slots"])]
    assert numbers == stored.tolist()
    assert header["distinct"]["draws"] == numbers.count(65535)
    assert max(header["deepest_win"], header["deepest_loss"]) == 65532
    depths = {int(depth): n for depth, n in header["histogram"]["distinct"].items()}
    assert depths == {n: numbers.count(n) for n in set(numbers) - {65534, 65535}}


def test_the_number_of_counts_tells_the_packing() -> None:
    assert (width_of(256), width_of(65536)) == (BYTE, WORD)
    for numbers in (0, 255, 1 << 17):
        with pytest.raises(ValueError, match="no entries can be"):
            width_of(numbers)
    for positions, distinct in ((256, 65536), (65536, 256)):
        with pytest.raises(ValueError, match="not of the same packing"):
            TableHeader.of_counts(
                [0] * positions,
                [0] * distinct,
                sector="3-3",
                slots=1,
                major="mover",
                rules={},
                program="",
            )


@pytest.mark.parametrize(
    ("stored", "fields", "text"),
    [
        (np.array([253], np.uint8), {}, "impossible entry"),
        (np.array([65533], np.uint16), {}, "impossible entry"),
        (np.array([300], np.uint16), {"packing": "byte"}, "impossible entry"),
        (np.array([3], np.uint16), {"frame_size": 255}, "entries would lie in two frames"),
        (np.array([3], np.uint16), {"block": 1, "band": 5}, "word has no blocks and bands"),
        (np.array([3], np.uint16), {"metric": "wdl"}, "word does not go with metric wdl"),
    ],
)
def test_headers_that_cannot_be(stored: np.ndarray, fields: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        header_of(stored, **fields)


def test_a_reader_refuses_frames_that_cut_an_entry() -> None:
    stored = make_words(1000)
    record = json.loads(header_of(stored, frame_size=256).to_json())
    payload = payload_of(stored)
    frames = [f for part in seekable.pack_frames(payload, 255) for f in part]
    forged = forge(json.dumps({**record, "frame_size": 255}).encode(), frames, payload, 255)
    with pytest.raises(DamagedTableError, match=r"t\.zst: bad header: .*lie in two frames"):
        reader_of(forged)


def test_bytes_are_not_copied() -> None:
    for stored in (make_payload(10), make_words(10)):
        assert np.shares_memory(payload_of(stored), stored)
    swapped = make_words(10).astype(">u2")
    assert payload_of(swapped).tobytes() == payload_of(make_words(10)).tobytes()


# -- questions --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def words() -> np.ndarray:
    stored = make_words(SLOTS)
    stored[stored == WORD.void] = WORD.draw
    return stored


@pytest.fixture(scope="module")
def wide(words: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with 3-3 in words, full of distances that mean nothing."""
    folder = tmp_path_factory.mktemp("wide")
    write_table(table_path(folder, NINE, SECTOR), header_of(words), payload_of(words))
    return folder


def result_of(word: int) -> Result:
    if word == WORD.draw:
        return Result("draw", None)
    return Result("win" if word % 2 else "loss", word)


def masks_of(slots: np.ndarray) -> np.ndarray:
    return np.array([layout(NINE, SECTOR).masks(slot) for slot in slots.tolist()])


@pytest.mark.parametrize("threads", [1, 2])
def test_one_position_and_many(wide: Path, words: np.ndarray, threads: int) -> None:
    slots = np.random.default_rng(1).permutation(SLOTS)[:5000]
    slots[0] = np.argmax(words == WORD.deepest)
    masks = masks_of(slots)
    with open_tablebase(wide) as tablebase:
        found = tablebase.probe_many(masks[:, 0], masks[:, 1], SECTOR, threads=threads)
        assert found.dtw.dtype == np.int32
        for number, slot in enumerate(slots.tolist()):
            expected = result_of(int(words[slot]))
            assert found.wdl[number] == WDL[expected.value]
            assert found.dtw[number] == (-1 if expected.dtw is None else expected.dtw)
            if number % 10 == 0:
                position = Position(NINE, *masks[number].tolist())
                assert tablebase.probe(position) == expected
                assert tablebase.probe_dtw(position) == expected.dtw


def test_a_damaged_word_is_found(wide: Path, words: np.ndarray, tmp_path: Path) -> None:
    stored = words.copy()
    stored[40_000] = WORD.void
    path = table_path(tmp_path, NINE, SECTOR)
    write_table(path, header_of(words), payload_of(stored))
    masks = masks_of(np.array([7, 40_000]))
    refusal = pytest.raises(DamagedTableError, match="frame 4 of 26: slot 40000 holds 65534, which")
    with open_tablebase(tmp_path) as tablebase:
        with refusal:
            tablebase.probe(Position(NINE, *masks[1].tolist()))
        with refusal:
            tablebase.probe_many(masks[:, 0], masks[:, 1], SECTOR)


def test_packed_values_are_the_same(wide: Path, words: np.ndarray, tmp_path: Path) -> None:
    source, copy = (table_path(folder, NINE, SECTOR) for folder in (wide, tmp_path))
    copy.parent.mkdir()
    copy.write_bytes(source.read_bytes())
    pack_tables(NINE, [SECTOR], tmp_path)
    with TableReader(table_path(tmp_path, NINE, SECTOR, "wdl"), metric="wdl") as reader:
        values = [reader.value(slot) for slot in range(0, SLOTS, 7)]
        with pytest.raises(ValueError, match="no table of distances"):
            reader.entries()
    names = {"draw": 0, "win": 1, "loss": 2}
    assert values == [names[result_of(word).value] for word in words[::7].tolist()]
    copy.unlink()
    masks = masks_of(np.arange(0, SLOTS, 50))
    with open_tablebase(tmp_path) as packed, open_tablebase(wide) as full:
        wdl, dtw = packed.probe_many(masks[:, 0], masks[:, 1], SECTOR)
        assert (wdl == full.probe_many(masks[:, 0], masks[:, 1], SECTOR).wdl).all()
        assert (dtw == -1).all()


def test_stats_show_long_distances(morris: Morris, wide: Path, words: np.ndarray) -> None:
    (record,) = morris("stats", "nine", "3-3", "--db", wide, "--json").json
    deepest_win = int(words[(words % 2 == 1) & (words < WORD.void)].max())
    assert (record["deepest_win"], record["deepest_loss"]) == (deepest_win, 65532)
    assert record["histogram"]["distinct"]["65532"] == 1
    assert record["histogram"]["positions"]["300"] == int((words == 300).sum())
    text = morris("stats", "nine", "3-3", "--db", wide).out
    assert "loss in 65532" in text
    csv = morris("stats", "nine", "--csv", "--db", wide).out.splitlines()
    assert f",{deepest_win},65532," in csv[1]


def test_asking_needs_no_numba(wide: Path) -> None:
    code = (
        "import sys; from solver import Position, get_variant, open_tablebase;"
        "position = Position.parse(get_variant('nine'), 'w:Wa1,a4,b2:Bd6,g7,g4');"
        "open_tablebase(sys.argv[1]).probe(position); sys.exit('numba' in sys.modules)"
    )
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", code, str(wide)], check=True, cwd=root)
