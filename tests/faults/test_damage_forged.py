"""Files whose checksums are right and that promise more than there is: memory stays bounded."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xxhash
import zstandard
from damaging import SUBJECTS, Harmed, sound_databases
from faultlist import Fault
from tableparts import forge

from solver import seekable
from solver.errors import DamagedTableError
from solver.tablebase import Tablebase
from solver.tablefile import TableReader
from solver.tableheader import TableHeader

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="how much memory is in use is read from Linux"
)

BYTES = SUBJECTS[0]
PROMISE = (
    "refused, naming file and part; no more memory is taken than the table it should be can need"
)
REFUSED = "refused, within 64 MB of memory"

CHILD = """
import resource, sys
from pathlib import Path
import numpy
from solver.errors import DamagedTableError
from solver.tablefile import TableReader

path, asked, megabytes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
before = Path("/proc/self/statm").read_text().split()[0]
limit = int(before) * resource.getpagesize() + (megabytes << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    with TableReader(path) as reader:
        if asked == "value":
            reader.value(0)
        elif asked == "stored":
            reader.check_stored()
        elif asked == "all":
            reader.check()
        else:
            reader.read_into(numpy.zeros(reader.header.payload_bytes, numpy.uint8))
except DamagedTableError as error:
    print(error)
"""


def refusal(path: Path, asked: str, megabytes: int = 64) -> str:
    """What a reader of a file says that gets only so much memory."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), asked, str(megabytes)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path}: "), done
    assert done.stdout.count("\n") == 1
    return done.stdout.removeprefix(f"{path}: ").rstrip("\n")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


@pytest.fixture
def harmed(sound: Path, tmp_path: Path) -> Harmed:
    return Harmed.copy(sound, BYTES, tmp_path)


def header_of(harmed: Harmed, **fields: object) -> bytes:
    """The header of a table, with some fields changed."""
    length = 8 + int.from_bytes(harmed.bytes[4:8], "little")
    return json.dumps({**json.loads(harmed.bytes[20:length]), **fields}).encode()


@pytest.mark.fault(
    "damage", "a header that promises huge sizes, with right checksums", promise=PROMISE
)
@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"slots": 1 << 40}, "seek table: has 3 entries, not "),
        ({"slots": 1 << 40, "frame_size": 1 << 24}, "seek table: has 3 entries, not 65538"),
        ({"slots": 1 << 24, "frame_size": 1 << 24}, "seek table: frames are not of the size"),
        ({"slots": 1 << 70}, "bad header: slots cannot be 1180591620717411303424"),
        ({"frame_size": 1 << 60}, "bad header: frame_size cannot be"),
        ({"slots": int("9" * 4000)}, "bad header: slots cannot be 99999"),
    ],
)
def test_huge_sizes(fault: Fault, harmed: Harmed, fields: dict[str, object], text: str) -> None:
    payload = bytes(1 << 14)
    frame = zstandard.ZstdCompressor(write_checksum=True).compress(payload)
    harmed.path.write_bytes(forge(header_of(harmed, **fields), [frame], payload, 1 << 14))
    outcome = "refused before anything is taken"
    if not text.startswith("bad header"):
        assert refusal(harmed.path, "value").startswith(text)
        outcome = REFUSED
    with pytest.raises(DamagedTableError) as caught:
        TableReader(harmed.path)
    said = str(caught.value)
    assert said.startswith(f"{harmed.path}: {text}")
    assert len(said) < len(str(harmed.path)) + 200
    with Tablebase(harmed.database) as tablebase, pytest.raises(DamagedTableError):
        tablebase.probe(harmed.known.of_frame(0))
    fault.happened(outcome)


@pytest.mark.fault("damage", "a seek table of billions of frames in a sparse file", promise=PROMISE)
@pytest.mark.parametrize("frames", [seekable.MAX_FRAMES + 1, (1 << 32) - 1])
def test_a_seek_table_of_billions_of_frames(fault: Fault, harmed: Harmed, frames: int) -> None:
    length = 8 + int.from_bytes(harmed.bytes[4:8], "little")
    with open(harmed.path, "wb") as file:
        file.write(harmed.bytes[:length])
        file.seek(length + 16 * frames + 1000)
        file.write(struct.pack("<IBI", frames, 0x80, 0x8F92EAB1))
    text = f"seek table: says {frames} frames, more than the 16777216 this program reads"
    assert refusal(harmed.path, "value") == text
    fault.happened(REFUSED)


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """A frame of zstd that unpacks to a gigabyte of zeros."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj(size=1 << 30)
    zeros = bytes(1 << 20)
    return b"".join([*(packer.compress(zeros) for _ in range(1 << 10)), packer.flush()])


def seal_frame(harmed: Harmed, header: bytes, frame: bytes, said: int) -> None:
    """Write a file with a single frame that is said to unpack to so many bytes."""
    data = bytearray(forge(header, [frame], bytes(said), said))
    content = data.rindex(struct.pack("<II", len(frame), said)) + 8
    data[content : content + 4] = frame[-4:]  # so that only the size is wrong
    head = 8 + int.from_bytes(data[4:8], "little")
    checksums = head + len(frame)
    at = checksums + 12
    rest = bytes(data[:head] + data[checksums:at] + data[at + 8 :])
    data[at : at + 8] = struct.pack("<Q", xxhash.xxh64_intdigest(rest))
    harmed.path.write_bytes(data)


@pytest.mark.fault("damage", "a frame that unpacks to a gigabyte", promise=PROMISE)
@pytest.mark.parametrize(
    ("asked", "lies"), [("value", False), ("stored", False), ("value", True), ("read", True)]
)
def test_a_frame_that_unpacks_to_a_gigabyte(
    fault: Fault, harmed: Harmed, bomb: bytes, asked: str, lies: bool
) -> None:
    header = TableHeader.from_json(header_of(harmed))
    record = json.loads(header.to_json())
    record["frame_size"] = 1 << 20
    text = f"unpacks to {1 << 30} bytes and not to {header.slots}"
    if lies:  # and says that it unpacks to what it should
        assert struct.unpack_from("<I", bomb, 6) == (1 << 30,)
        bomb = bomb[:6] + struct.pack("<I", header.slots) + bomb[10:]
        text = "zstd cannot unpack it"
    seal_frame(harmed, json.dumps(record).encode(), bomb, header.slots)
    if asked == "stored":  # looks at no more than what is stored, which is as it was written
        with TableReader(harmed.path) as reader:
            reader.check_stored()
        fault.happened("nothing unpacked")
        return
    assert refusal(harmed.path, asked).startswith(f"frame 0 of 1: {text}")
    fault.happened(REFUSED)


@pytest.mark.fault("damage", "a frame that asks for a huge window to unpack it", promise=PROMISE)
@pytest.mark.parametrize("window_log", [25, 27])
def test_a_frame_that_asks_for_a_huge_window(fault: Fault, harmed: Harmed, window_log: int) -> None:
    with TableReader(harmed.path) as reader:
        header, payload = reader.header, np.empty(reader.header.payload_bytes, np.uint8)
        reader.read_into(payload)
    record = json.loads(header.to_json())
    record["frame_size"] = 1 << 20
    parameters = zstandard.ZstdCompressionParameters(
        window_log=window_log, write_checksum=True, write_content_size=False
    )
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    frame = packer.compress(payload.tobytes()) + packer.flush()
    assert zstandard.get_frame_parameters(frame).window_size == 1 << window_log
    seal_frame(harmed, json.dumps(record).encode(), frame, header.slots)
    out = np.zeros_like(payload)
    text = "frame 0 of 1: does not say how many bytes it unpacks to"
    with TableReader(harmed.path) as reader, pytest.raises(DamagedTableError, match=text):
        reader.read_into(out)
    assert not out.any(), "the window was taken"
    assert refusal(harmed.path, "value") == text
    fault.happened(REFUSED)


@pytest.mark.fault("damage", "a frame that is gigabytes long in a sparse file", promise=PROMISE)
def test_a_frame_of_gigabytes(fault: Fault, harmed: Harmed) -> None:
    header = TableHeader.from_json(header_of(harmed))
    record = json.loads(header.to_json())
    record["frame_size"] = 1 << 20
    text = json.dumps(record).encode()
    short = forge(text, [b"\0"], bytes(header.slots), header.slots)
    head = 8 + int.from_bytes(short[4:8], "little")
    length = (1 << 32) - 1
    tail = bytearray(short[head + 1 :])
    entry = tail.rindex(struct.pack("<II", 1, header.slots))
    tail[entry : entry + 4] = struct.pack("<I", length)
    rest = short[:head] + bytes(tail[:12]) + bytes(tail[20:])
    tail[12:20] = struct.pack("<Q", xxhash.xxh64_intdigest(rest))
    with open(harmed.path, "wb") as file:
        file.write(short[:head])
        file.seek(head + length)
        file.write(tail)
    assert os.stat(harmed.path).st_size > 1 << 32
    assert (
        refusal(harmed.path, "stored")
        == "seek table: says that a frame takes more bytes than any can"
    )
    fault.happened(REFUSED)
