"""What must hold whatever is in a table file, for a fuzzer and for the tests of its corpus.

An input is a byte that says how the file is made of the rest, and the rest:

====  ==========================================================================================
byte  the file
====  ==========================================================================================
``R``  the rest as it is: it is one of the sound files, or refused
``S``  the rest with its checksums made right, so that damage comes past them
``F``  a file put together from a header, up to a line feed, and a payload, all of it consistent
====  ==========================================================================================
"""

from __future__ import annotations

import io
import json
import re
import struct
from typing import Final

import numpy as np
import zstandard
from tableparts import Parts, forge, sealed

from solver.errors import DamagedTableError
from solver.seekable import StreamSource
from solver.tablefile import TableReader
from solver.tableheader import TableHeader

__all__ = ["NAME", "file_of", "read_input"]

NAME: Final = "t.zst"
REFUSAL: Final = re.compile(
    rf"{re.escape(NAME)}: (?:header|bad header|checksums|seek table|header or seek table|"
    r"frame \d+ of \d+): .{1,400}"
)
MOST_READ: Final = 1 << 20
"""Payload bytes that are all read; of more only some."""
LONGEST: Final = 1 << 16
"""Payload bytes of a frame that is forged."""


def sealed_or_none(data: bytes) -> bytes | None:
    """A file with its checksums made right; None where it has no parts that could have any."""
    try:
        return sealed(data, Parts.of(data))
    except (ValueError, struct.error):
        return None


def forged(header: bytes, payload: bytes) -> bytes:
    """A consistent file with any header, cut in frames as that says if it says so."""
    try:
        size = int(json.loads(header)["frame_size"])
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        size = 256
    size = size if 0 < size <= LONGEST else 256
    pack = zstandard.ZstdCompressor(level=1, write_checksum=True).compress
    frames = [pack(payload[i : i + size]) for i in range(0, max(1, len(payload)), size)]
    return forge(header, frames, payload, size)


def file_of(data: bytes) -> bytes | None:
    """The file that an input says; None if it says none."""
    kind, rest = data[:1], data[1:]
    if kind == b"R":
        return rest
    if kind == b"S":
        return sealed_or_none(rest)
    if kind == b"F":
        header, _, payload = rest.partition(b"\n")
        return forged(header, payload)
    return None


def read_input(data: bytes, sound: frozenset[bytes]) -> str:
    """Read the file of an input and check all that must hold.

    Args:
        data: the input.
        sound: the files that are sound as they are.

    Returns:
        ``"nothing"`` if the input says no file, ``"refused"``, ``"a frame refused"`` or ``"read"``.
    """
    file = file_of(data)
    if file is None:
        return "nothing"
    metric = "wdl" if b'"metric":"wdl"' in file[:4096] else "dtw"
    try:
        reader = TableReader(StreamSource(io.BytesIO(file)), name=NAME, metric=metric)
    except DamagedTableError as error:
        check_refusal(error)
        return "refused"
    with reader:
        check_header(reader)
        whole = check_frames(reader)
    if data[:1] == b"R" and whole:
        assert file in sound, "a file that nobody wrote was read"
    return "read" if whole else "a frame refused"


def check_refusal(error: DamagedTableError) -> None:
    """A refusal is one line that names the file and the part."""
    text = str(error)
    assert text.isprintable(), text
    assert REFUSAL.fullmatch(text), text


def check_header(reader: TableReader) -> None:
    """A header that is accepted can be written and read again, and its numbers fit the file."""
    header = reader.header
    assert TableHeader.from_json(header.to_json()) == header
    assert reader.frames == header.frames >= 1
    assert sum(map(header.frame_bytes, range(header.frames))) == header.payload_bytes
    assert header.distinct.total <= header.slots
    for slot in (-1, header.slots, header.slots + 1):
        try:
            reader.value(slot)
        except IndexError:
            continue
        raise AssertionError(f"slot {slot} of {header.slots} has a value")


def check_frames(reader: TableReader) -> bool:
    """Frames are refused or of their size, and say the same however they are read."""
    header = reader.header
    small = header.payload_bytes <= MOST_READ
    numbers = range(reader.frames) if small else {0, reader.frames - 1}
    found = {number: frame_of(reader, number) for number in numbers}
    for slot in {0, header.slots // 3, header.slots - 1}:
        number, offset, power = reader.place(slot)
        assert 0 <= number < reader.frames
        frame = found[number] if number in found else frame_of(reader, number)
        try:
            value = reader.value(slot)
        except DamagedTableError as error:
            check_refusal(error)
            assert frame is None
            continue
        assert frame is not None
        assert value == reader.entry(frame, offset, power)
        assert 0 <= value < (3 if header.width is None else header.width.numbers)
    whole = all(frame is not None for frame in found.values())
    if not small:
        return False
    out = np.zeros(header.payload_bytes, np.uint8)
    for read in (lambda: reader.read_into(out), reader.check_stored, reader.check):
        try:
            read()
        except DamagedTableError as error:
            check_refusal(error)
            assert not whole
    if whole:
        assert out.tobytes() == b"".join(found[number] or b"" for number in numbers)
        if header.width is not None:
            assert reader.entries().nbytes == header.payload_bytes
    return whole


def frame_of(reader: TableReader, number: int) -> bytes | None:
    """A frame of the payload; None if it is refused."""
    try:
        frame = reader.frame(number)
    except DamagedTableError as error:
        check_refusal(error)
        return None
    assert len(frame) == reader.header.frame_bytes(number)
    return frame
