"""Table files: what is written is read back, as specified, and damage never becomes a value."""

from __future__ import annotations

import errno
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import pytest
import xxhash
import zstandard
from faultlist import Fault
from hypothesis import given, settings
from hypothesis import strategies as st
from tableparts import forge

from solver import seekable
from solver.boards import BOARDS
from solver.errors import DamagedTableError, ResourceError
from solver.index import layout
from solver.rules import Rules, get_variant
from solver.sectors import Sector
from solver.tablefile import TableHeader, TableReader, table_path, write_table

FORMAT = Path(__file__).parents[1] / "databases" / "FORMAT.md"
NINE = get_variant("nine")
SMALL = Rules(name="small", board=BOARDS["merels16"], stones=6, flying_at=None)


def make_payload(slots: int, seed: int = 0) -> np.ndarray:
    """Entries with the odds of a real table: mostly shallow, some draws, some void."""
    random = np.random.default_rng(seed)
    payload = np.minimum(random.geometric(0.2, slots), 252).astype(np.uint8)
    payload[random.random(slots) < 0.3] = 255
    payload[random.random(slots) < 0.01] = 254
    return payload


def make_header(payload: np.ndarray, **fields: object) -> TableHeader:
    """A header whose counts fit the payload, every slot taken for one distinct position."""
    numbers = np.bincount(payload, minlength=256).tolist()
    header = TableHeader.of_counts(
        numbers,
        numbers,
        sector="4-3",
        slots=len(payload),
        major="mover",
        rules=NINE.reduced(Sector(4, 3)),
        program="test 1",
        frame_size=256,
    )
    return replace(header, **fields)


def reader_of(data: bytes, **expected: object) -> TableReader:
    return TableReader(seekable.StreamSource(io.BytesIO(data)), name="t.zst", **expected)


def read_everything(data: bytes) -> np.ndarray:
    with reader_of(data) as reader:
        out = np.empty(reader.header.payload_bytes, np.uint8)
        reader.read_into(out)
        return out


@pytest.fixture(scope="module")
def payload() -> np.ndarray:
    return make_payload(1000)


@pytest.fixture(scope="module")
def table(payload: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a small table of four frames."""
    path = tmp_path_factory.mktemp("table") / "4-3.dtw.zst"
    write_table(path, make_header(payload), payload)
    return path.read_bytes()


# -- writing and reading back -----------------------------------------------------------------


@pytest.mark.parametrize("slots", [1, 255, 256, 257, 1024, 5000])
@pytest.mark.parametrize("threads", [1, 2])
def test_round_trip(tmp_path: Path, slots: int, threads: int) -> None:
    payload = make_payload(slots)
    header = make_header(payload)
    path = tmp_path / "folder" / "4-3.dtw.zst"
    size = write_table(path, header, payload, threads=threads)
    assert size == path.stat().st_size
    assert os.listdir(path.parent) == [path.name]
    with TableReader(
        path, sector=Sector(4, 3), rules=NINE.reduced(Sector(4, 3)), slots=slots
    ) as reader:
        assert reader.header == header
        assert reader.size == size
        out = np.zeros(slots, np.uint8)
        reader.read_into(out, threads=threads)
        assert (out == payload).all()
        reader.check(threads=threads)
        assert b"".join(map(reader.frame, range(reader.frames))) == payload.tobytes()
        for slot in {0, slots // 2, slots - 1}:
            assert reader.value(slot) == payload[slot]
        for slot in (-1, slots):
            with pytest.raises(IndexError):
                reader.value(slot)
        for frame in (-1, reader.frames):
            with pytest.raises(IndexError):
                reader.frame(frame)


def test_same_bytes_for_any_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seekable, "BATCH_BYTES", 1 << 14)
    payload = make_payload(1_000_003)
    header = make_header(payload, frame_size=1 << 12)
    written = []
    for number, threads in enumerate((1, 2, 3, 2)):
        path = tmp_path / f"{number}.zst"
        write_table(path, header, payload, threads=threads)
        written.append(path.read_bytes())
        out = np.empty_like(payload)
        with TableReader(path) as reader:
            reader.read_into(out, threads=threads)
        assert (out == payload).all()
    assert len(set(written)) == 1


def test_progress_counts_payload_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seekable, "BATCH_BYTES", 512)
    payload = make_payload(1000)
    done: list[int] = []
    write_table(tmp_path / "t.zst", make_header(payload), payload, progress=done.append)
    assert done == [512, 1000]
    done.clear()
    with TableReader(tmp_path / "t.zst") as reader:
        reader.read_into(np.empty_like(payload), progress=done.append, threads=2)
    assert done == [512, 1000]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_aborted_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(seekable, "BATCH_BYTES", 512)
    payload = make_payload(100_000)
    path = tmp_path / "t.zst"
    path.write_bytes(b"before")

    def abort(done: int) -> None:
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(path, make_header(payload), payload, progress=abort, threads=threads)
    assert os.listdir(tmp_path) == ["t.zst"]
    assert path.read_bytes() == b"before"


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    payload = make_payload(1000)
    with pytest.raises(ResourceError, match=r"t\.zst: no space left"):
        write_table(tmp_path / "t.zst", make_header(payload), payload)
    assert os.listdir(tmp_path) == []


def test_the_writer_refuses_another_payload(tmp_path: Path) -> None:
    payload = make_payload(1000)
    header = make_header(payload)
    for wrong in (payload[:-1], payload.reshape(10, 100), payload.astype(np.int8)):
        with pytest.raises(ValueError, match="1000 bytes"):
            write_table(tmp_path / "t.zst", header, wrong)
    with pytest.raises(ValueError, match="contiguous"):
        write_table(tmp_path / "t.zst", header, np.repeat(payload, 2)[::2])
    assert os.listdir(tmp_path) == []


def test_table_path(tmp_path: Path) -> None:
    sector = Sector(2, 3, 7, 6)
    folder = NINE.folder(sector)
    assert table_path(tmp_path, NINE, sector) == tmp_path / folder / "2-3+7-6.dtw.zst"


# -- the specification ------------------------------------------------------------------------


def decode_by_the_book(data: bytes) -> tuple[dict, bytes]:
    """Decode a table with nothing but what databases/FORMAT.md says."""

    def number(offset: int, size: int = 4) -> int:
        return int.from_bytes(data[offset : offset + size], "little")

    def checksum32(part: bytes) -> int:
        return xxhash.xxh64(part, seed=0).intdigest() % 2**32

    # 2.1
    assert number(0) == 0x184D2A50
    assert data[8:16] == b"MORRISTB"
    assert number(16) == 1
    head = data[: 8 + number(4)]
    header = json.loads(head[20:])
    # 2.4
    end = len(data)
    assert number(end - 4) == 0x8F92EAB1
    assert data[end - 5] == 0x80
    entries = number(end - 9)
    seek_table = end - 9 - 12 * entries - 8
    assert number(seek_table) == 0x184D2A5E
    assert number(seek_table + 4) == 12 * entries + 9
    sizes = [number(seek_table + 8 + 12 * i) for i in range(entries)]
    unpacked = [number(seek_table + 12 + 12 * i) for i in range(entries)]
    content = [number(seek_table + 16 + 12 * i) for i in range(entries)]
    assert sizes[0] == len(head)
    assert sum(sizes) == seek_table
    assert (unpacked[0], unpacked[-1]) == (0, 0)
    assert (content[0], content[-1]) == (0x51D8E999, 0x51D8E999)
    # 2.3
    frames = entries - 2
    checksums = seek_table - sizes[-1]
    assert number(checksums) == 0x184D2A51
    assert number(checksums + 4) == 4 * frames + 8
    stored = [number(checksums + 8 + 4 * i) for i in range(frames)]
    rest = head + data[checksums : seek_table - 8] + data[seek_table:]
    assert number(seek_table - 8, 8) == xxhash.xxh64(rest, seed=0).intdigest()
    # 2.2
    payload = b""
    offset = len(head)
    for i in range(frames):
        frame = data[offset : offset + sizes[i + 1]]
        offset += sizes[i + 1]
        assert checksum32(frame) == stored[i]
        part = zstandard.ZstdDecompressor().decompress(frame)
        assert len(part) == unpacked[i + 1]
        assert len(part) == header["frame_size"] or i == frames - 1
        assert checksum32(part) == content[i + 1] == int.from_bytes(frame[-4:], "little")
        payload += part
    # 3
    rules = json.dumps(header["rules"], sort_keys=True, separators=(",", ":"))
    assert header["fingerprint"] == hashlib.sha256(rules.encode()).hexdigest()[:16]
    assert header["checksum"] == "xxh64"
    if header["packing"] == "byte":
        assert len(payload) == header["slots"]
    elif header["packing"] == "word":
        assert len(payload) == 2 * header["slots"]
        assert header["frame_size"] % 2 == 0
    else:  # 6
        assert header["packing"] == "base3"
        assert header["slots"] % header["block"] == 0
        assert header["band"] % 5 == 0
        blocks = header["slots"] // header["block"]
        assert len(payload) == -(-blocks // 5) * header["block"]
    return header, payload


def slot_by_the_book(header: dict, major: set[str], minor: set[str]) -> int:
    """Find a slot with nothing but section 4 and the rules in the header."""
    points = header["rules"]["points"].split()
    edges = {frozenset(edge.split("-")) for edge in header["rules"]["edges"].split()}
    lines = {frozenset(re.findall("..", line)) for line in header["rules"]["lines"].split()}
    neighbours = {p: {q for q in points if {p, q} in edges} for p in points}

    def extend(image: dict[str, str]) -> list[dict[str, str]]:
        if len(image) == len(points):
            keeps = all(frozenset(image[p] for p in line) in lines for line in lines)
            return [image] if keeps else []
        # Next to a point already mapped, so that few candidates are left.
        point = next(
            (q for p in image for q in neighbours[p] if q not in image),
            next(p for p in points if p not in image),
        )
        fits = (
            candidate
            for candidate in points
            if candidate not in image.values()
            and all((q in neighbours[point]) == (image[q] in neighbours[candidate]) for q in image)
        )
        return list(itertools.chain(*(extend({**image, point: q}) for q in fits)))

    def mask(names: set[str]) -> int:
        return sum(1 << points.index(name) for name in names)

    automorphisms = extend({})
    images = [{p: points.index(a[p]) for p in points} for a in automorphisms]
    permutation = min(images, key=lambda image: sum(1 << image[p] for p in major))
    smallest = sum(1 << permutation[p] for p in major)
    orbit = 0
    for names in itertools.combinations(points, len(major)):
        if mask(set(names)) < smallest:
            values = (sum(1 << image[p] for p in names) for image in images)
            orbit += min(values) == mask(set(names))
    free = [i for i in range(len(points)) if not smallest >> i & 1]
    numbers = sorted(free.index(permutation[p]) for p in minor)
    rank = sum(comb(c, i) for i, c in enumerate(numbers, 1))
    return orbit * comb(len(free), len(minor)) + rank


def test_a_decoder_written_from_the_specification_reads_it(
    table: bytes, payload: np.ndarray
) -> None:
    header, unpacked = decode_by_the_book(table)
    assert unpacked == payload.tobytes()
    ours = reader_of(table).header
    assert header["sector"] == ours.sector
    assert header["positions"] == ours.positions._asdict()
    assert header["distinct"] == ours.distinct._asdict()
    assert header["deepest_win"] == max(payload[(payload % 2 == 1) & (payload < 254)])
    assert header["deepest_loss"] == max(payload[(payload % 2 == 0) & (payload < 254)])
    histogram = {int(depth): n for depth, n in header["histogram"]["positions"].items()}
    assert histogram == ours.position_histogram


def test_the_specification_names_every_header_field(table: bytes) -> None:
    section = FORMAT.read_text("utf-8").split("\n## ")[3]
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", section, re.M)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert named == set(decode_by_the_book(table)[0])


def test_slots_by_the_specification() -> None:
    six, sectors = SMALL, [Sector(3, 3), Sector(3, 5), Sector(5, 2, 1, 1), Sector(2, 5, 2, 1)]
    random = np.random.default_rng(5)
    for sector in sectors:
        numbering = layout(six, sector)
        header = {"rules": six.reduced(sector)}
        for _ in range(3):
            order = [six.board.points[i] for i in random.permutation(six.board.size)]
            mover = set(order[: sector.mover])
            opponent = set(order[sector.mover : sector.stones])
            major, minor = (mover, opponent) if numbering.mover_is_major else (opponent, mover)
            slot = numbering.index(
                six.board.mask_of(_indices(six, mover)), six.board.mask_of(_indices(six, opponent))
            )
            assert slot == slot_by_the_book(header, major, minor)


def _indices(rules: Rules, names: set[str]) -> list[int]:
    return [rules.board.point_index[name] for name in names]


def test_the_example_of_the_specification() -> None:
    text = FORMAT.read_text("utf-8")
    slot = int(re.search(r"^\| slot = .* \| (\d+) \|$", text, re.M)[1])
    sector = Sector(3, 4)
    header = {"rules": NINE.reduced(sector)}
    mover, opponent = {"a4", "d5", "d6"}, {"a7", "b4", "c4", "g4"}
    masks = (NINE.board.mask_of(_indices(NINE, names)) for names in (mover, opponent))
    assert layout(NINE, sector).index(*masks) == slot
    assert slot_by_the_book(header, opponent, mover) == slot
    assert f"databases/{NINE.folder(sector)}/" in text


def test_it_is_an_ordinary_zstd_file(table: bytes, payload: np.ndarray, tmp_path: Path) -> None:
    stream = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(table), read_across_frames=True)
    assert stream.read() == payload.tobytes()
    if shutil.which("zstd"):
        (tmp_path / "t.zst").write_bytes(table)
        unpacked = subprocess.run(
            ["zstd", "-dc", tmp_path / "t.zst"], capture_output=True, check=True
        )
        assert unpacked.stdout == payload.tobytes()


def test_the_header_is_reproducible_and_passes_over_unknown_fields(table: bytes) -> None:
    header = reader_of(table).header
    text = header.to_json()
    assert TableHeader.from_json(text).to_json() == text
    record = json.loads(text)
    assert list(record) == sorted(record)
    assert TableHeader.from_json(json.dumps({**record, "later": [1]}).encode()) == header


# -- damage -----------------------------------------------------------------------------------


@pytest.mark.fault(
    "damage",
    "a last frame without an end, in a file read as a stream",
    promise="refused, naming the frame",
)
def test_a_last_frame_without_an_end(tmp_path: Path, fault: Fault) -> None:
    """Its last block says that another follows, so no decoder of streams comes to the checksum."""
    payload = make_payload(1500 << 14, seed=4)
    path = tmp_path / "4-3.dtw.zst"
    write_table(path, make_header(payload, frame_size=1 << 14), payload)
    table = path.read_bytes()
    frames = _frames(table)
    start = table.index(frames[0])
    damaged = b"".join(map(_without_end, frames))
    damaged = table[:start] + damaged + table[start + len(damaged) :]
    out = np.zeros(1 << 14, np.uint8)
    with reader_of(damaged) as reader:
        for number in range(len(frames)):
            with pytest.raises(DamagedTableError, match=rf"^t\.zst: frame {number} of 1500: "):
                reader.read_frames(number, number + 1, out.data)
            fault.happened("refused")


def _without_end(frame: bytes) -> bytes:
    """Clear the mark of a frame's last block and change a bit of what is in it."""
    descriptor = frame[4]
    place = 5 + [0, 1, 2, 4][descriptor & 3] + (not descriptor >> 5 & 1)
    place += [descriptor >> 5 & 1, 2, 4, 8][descriptor >> 6]
    changed = bytearray(frame)
    while not frame[place] & 1:
        head = int.from_bytes(frame[place : place + 3], "little")
        place += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
    changed[place] &= 0xFE
    changed[len(frame) - 6] ^= 1
    return bytes(changed)


def _frames(table: bytes) -> list[bytes]:
    entries, _ = seekable.read_seek_table(seekable.StreamSource(io.BytesIO(table)))
    ends = np.cumsum(entries["compressed"])
    return [table[a:b] for a, b in itertools.pairwise(ends[:-1].tolist())]


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_any_damage_is_an_error_or_harmless(data: st.DataObject) -> None:
    payload = make_payload(700)
    table = _table_of(payload)
    start = data.draw(st.integers(0, len(table)))
    stop = data.draw(st.integers(start, min(len(table), start + 64)))
    changed = table[:start] + data.draw(st.binary(max_size=64)) + table[stop:]
    try:
        assert read_everything(changed).tobytes() == payload.tobytes()
        assert changed == table
    except DamagedTableError as error:
        assert str(error).startswith("t.zst: ")


def _table_of(payload: np.ndarray, cache: dict[bytes, bytes] = {}) -> bytes:  # noqa: B006
    key = payload.tobytes()
    if key not in cache:
        header = make_header(payload)
        frames = [f for part in seekable.pack_frames(payload, 256) for f in part]
        cache[key] = forge(header.to_json(), frames, payload)
    return cache[key]


def test_a_second_writer_agrees(table: bytes, payload: np.ndarray) -> None:
    assert forge(make_header(payload).to_json(), _frames(table), payload) == table


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda t: b"", "header: the file was cut: it has 0 bytes"),
        (lambda t: t[:1], "header: the file was cut: it has 1 byte"),
        (lambda t: t[:20], "header: the file was cut: it has 20 bytes, the header alone "),
        (lambda t: t[:300], "header: the file was cut: it has 300 bytes, the header alone "),
        (lambda t: t + b"\0", "seek table: does not stand at the end"),
        (lambda t: t + t, "seek table: says"),
        (lambda t: t[:-100] + bytes(100), "seek table: does not stand at the end"),
        (lambda t: bytes(len(t)), "header: this is not a table file"),
        (lambda t: zstandard.compress(t), "header: this is not a table file"),
        (lambda t: t[:16] + b"\2" + t[17:], "header: format version 2; this program reads 1"),
        (lambda t: t[:4] + b"\xff\xff\xff\xff" + t[8:], "header: cannot have"),
        (lambda t: t[:-9] + b"\xff\xff\xff\xff" + t[-5:], "seek table: says"),
    ],
)
def test_kinds_of_damage(table: bytes, change: object, part: str) -> None:
    with pytest.raises(DamagedTableError, match=rf"^t\.zst: {part}"):
        reader_of(change(table))


FORGED_HEADER = "a header that contradicts itself, or is none, with right checksums"
FORGED_PROMISE = "refused when it is opened, naming file, part and field"


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("sector", None, "sector cannot be None"),
        ("slots", 0, "slots cannot be 0"),
        ("slots", 1 << 50, "slots cannot be"),
        ("slots", True, "slots cannot be True"),
        ("slots", 999, "seek table"),
        ("slots", 2000, "seek table: has 6 entries, not 10"),
        ("frame_size", 0, "frame_size cannot be 0"),
        ("frame_size", 1 << 40, "frame_size cannot be"),
        ("frame_size", 300, "seek table: frames are not of the size"),
        ("major", "white", "major is 'white'; this program reads mover or opponent"),
        ("metric", "dtc", "metric is 'dtc'; this program reads dtw"),
        ("packing", "trit", "packing is 'trit'; this program reads byte or word or base3"),
        ("packing", "word", "seek table: has 6 entries, not 10"),
        ("checksum", "md5", "checksum is 'md5'; this program reads xxh64"),
        ("fingerprint", "0" * 16, "fingerprint is not"),
        ("rules", {"board": "x"}, "fingerprint is not"),
        ("deepest_win", None, "deepest_win is not"),
        ("deepest_loss", 1, "deepest_loss is not"),
        ("positions", {"wins": 1, "losses": 2}, "positions.draws is missing"),
        ("positions", {"wins": 1, "losses": 2, "draws": 0}, "more distinct positions"),
        (
            "positions",
            {"wins": 1, "losses": 2, "draws": 10**4000},
            "more positions than the slots can have images",
        ),
        ("distinct", {"wins": -1, "losses": 2, "draws": 3}, "a count is negative"),
        ("distinct", {"wins": 1, "losses": 2, "draws": 3}, "does not add up"),
        ("histogram", {"positions": {}, "distinct": {}}, "does not add up"),
        ("histogram", {"positions": {}}, "histogram.distinct is missing"),
        ("histogram", {"positions": {"01": 2}, "distinct": {}}, "a histogram has the depth '01'"),
        ("histogram", {"positions": {"9" * 99: 2}, "distinct": {}}, "a histogram has the depth"),
        ("histogram", {"positions": {"1": "2"}, "distinct": {}}, "a histogram counts '2'"),
        ("histogram", {"positions": {"1": 2}, "distinct": {}}, "differ in their depths"),
        ("histogram", {"positions": {"253": 2}, "distinct": {"253": 2}}, "impossible entry"),
        ("program", 1, "program cannot be 1"),
    ],
)
@pytest.mark.fault("damage", FORGED_HEADER, promise=FORGED_PROMISE)
def test_headers_that_contradict_themselves(
    table: bytes, payload: np.ndarray, fault: Fault, field: str, value: object, text: str
) -> None:
    record = json.loads(make_header(payload).to_json())
    for changed in ({**record, field: value}, {k: v for k, v in record.items() if k != field}):
        expected = text if field in changed else f"{field} is missing"
        with pytest.raises(DamagedTableError, match=rf"^t\.zst: .*{re.escape(expected)}"):
            reader_of(forge(json.dumps(changed).encode(), _frames(table), payload))
        fault.happened("refused")


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff", b"{", b"[" * 100_000, b"1" * 9999, b"NaN"])
@pytest.mark.fault("damage", FORGED_HEADER, promise=FORGED_PROMISE)
def test_headers_that_are_no_json_object(
    table: bytes, payload: np.ndarray, fault: Fault, text: bytes
) -> None:
    with pytest.raises(DamagedTableError, match=r"^t\.zst: bad header: "):
        reader_of(forge(text, _frames(table), payload))
    fault.happened("refused")


@pytest.mark.fault(
    "damage",
    "frames that are not what the seek table says, with right checksums",
    promise="refused, naming file and frame; the other frames still answer",
)
def test_frames_that_are_not_what_the_seek_table_says(
    table: bytes, payload: np.ndarray, fault: Fault
) -> None:
    header, frames = make_header(payload).to_json(), _frames(table)
    huge = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(bytes(1 << 20)))
    # The four bytes of the content size: more than there is memory.
    assert zstandard.frame_content_size(bytes(huge)) == 1 << 20
    huge[5:9] = b"\xff\xff\xff\xff"
    good = zstandard.ZstdCompressor(write_checksum=True)
    plain = zstandard.ZstdCompressor(write_checksum=False).compress(payload[:256].tobytes())
    for frame, text in [
        (bytes(huge), "unpacks to 4294967295 bytes and not to 256"),
        (frames[1], "its checksum is not the one in the seek table"),
        (good.compress(payload[:255].tobytes()), "unpacks to 255 bytes and not to 256"),
        (plain, "its checksum is not the one in the seek table"),
        (frames[0] + b"x", "its checksum is not the one in the seek table"),
        (frames[0] + frames[0], "zstd cannot unpack it"),
        (frames[0][:8] + frames[0][-4:], "zstd cannot unpack it"),
        (b"", "zstd cannot unpack it"),
    ]:
        reader = reader_of(forge(header, [frame, *frames[1:]], payload))
        with pytest.raises(DamagedTableError, match=rf"^t\.zst: frame 0 of 4: {text}"):
            reader.value(0)
        assert reader.value(256) == payload[256]
        fault.happened("refused")


def test_another_sectors_or_variants_file(table: bytes) -> None:
    with pytest.raises(DamagedTableError, match="holds sector 4-3, not 3-4"):
        reader_of(table, sector=Sector(3, 4))
    with pytest.raises(DamagedTableError, match=r"other rules: unheard of is none, not 1$"):
        reader_of(table, rules=NINE.reduced(Sector(4, 3)) | {"unheard of": 1})
    without_flying = {**NINE.reduced(Sector(4, 3)), "flying_at": None}
    with pytest.raises(DamagedTableError, match=r"other rules: flying_at is 3, not none$"):
        reader_of(table, rules=without_flying)
    with pytest.raises(DamagedTableError, match="has 1000 slots, not 7"):
        reader_of(table, slots=7)


def test_what_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        TableReader(tmp_path / "missing.zst")
    with pytest.raises(DamagedTableError, match="file: this is not a regular file"):
        TableReader(tmp_path)


def test_cut_while_open(table: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.zst"
    path.write_bytes(table)
    with TableReader(path) as reader:
        os.truncate(path, len(table) // 3)
        with pytest.raises(DamagedTableError, match=r"frame 3 of 4: ends too early"):
            reader.value(999)


def test_replaced_while_open(table: bytes, payload: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "t.zst"
    path.write_bytes(table)
    other = make_payload(1000, seed=1)
    with TableReader(path) as reader:
        write_table(path, make_header(other), other)
        assert reader.frame(2) == payload[512:768].tobytes()
        with TableReader(path) as new:
            assert new.frame(2) == other[512:768].tobytes()
            assert new.identity != reader.identity


def test_a_closed_reader_says_so(table: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.zst"
    path.write_bytes(table)
    reader = TableReader(path)
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.value(0)


def test_threads_share_a_reader(table: bytes, payload: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "t.zst"
    path.write_bytes(table)
    wrong: list[int] = []

    def probe(seed: int, reader: TableReader) -> None:
        for slot in np.random.default_rng(seed).integers(0, 1000, 300).tolist():
            if reader.value(slot) != payload[slot]:
                wrong.append(slot)

    for source in (path, seekable.StreamSource(io.BytesIO(table))):
        with TableReader(source) as reader:
            threads = [threading.Thread(target=probe, args=(i, reader)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert not wrong


def test_reading_needs_no_numba() -> None:
    code = "import sys, solver.tablefile; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FORMAT.parents[1])
