"""The frames of a table file that hold no payload: the header, the checksums, the seek table."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from solver import seekable
from solver.seekable import ByteSource, ContainerError, checksum32, most_packed
from solver.tableheader import TableHeader

__all__ = ["DataFrames", "PartError", "header_frame", "read_around", "tail"]

FORMAT_VERSION: Final = 1
"""Raised whenever an older reader would misunderstand a file."""
HEADER_MAGIC: Final = 0x184D2A50
CHECKSUMS_MAGIC: Final = 0x184D2A51
SIGNATURE: Final = b"MORRISTB"
PREFIX: Final = struct.Struct("<II8sI")
"""Beginning of a table file: skippable magic and length, signature, format version."""
MAX_HEADER_BYTES: Final = 1 << 20
FILE_CHECKSUM: Final = struct.Struct("<Q")


class PartError(ValueError):
    """A part of a file is not as it must be.

    Args:
        part: its name.
        text: what is wrong with it.
    """

    def __init__(self, part: str, text: str) -> None:
        super().__init__(f"{part}: {text}")
        self.part = part
        self.text = text


class DataFrames(NamedTuple):
    """What a file says of its data frames.

    Attributes:
        sizes: bytes of each as stored, shape (frames,).
        offsets: where each begins, and where the last one ends, shape (frames + 1,).
        content_checksums: of each one's payload, shape (frames,).
        frame_checksums: of each as stored, shape (frames,).
        file_checksum: of all of the file but the frames; with those above, of all of it.
    """

    sizes: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]
    content_checksums: npt.NDArray[np.uint32]
    frame_checksums: npt.NDArray[np.uint32]
    file_checksum: bytes


# -- writing ----------------------------------------------------------------------------------


def header_frame(header: TableHeader) -> bytes:
    """Return the frame that a file begins with.

    Raises:
        ValueError: it would be too long.
    """
    text = header.to_json()
    length = PREFIX.size + len(text)
    if length > MAX_HEADER_BYTES:
        raise ValueError(f"a header of {length} bytes is too long")
    length -= seekable.SKIPPABLE.size
    return PREFIX.pack(HEADER_MAGIC, length, SIGNATURE, FORMAT_VERSION) + text


def tail(
    header: TableHeader,
    head: bytes,
    sizes: list[int],
    content_checksums: list[int],
    frame_checksums: list[int],
) -> bytes:
    """Return what a file ends with: the checksum frame and the seek table.

    Args:
        header: of the table.
        head: its frame.
        sizes, content_checksums, frame_checksums: one each for every data frame.
    """
    checksums = np.array(frame_checksums, "<u4").tobytes()
    placeholder = bytes(FILE_CHECKSUM.size)
    frame = seekable.skippable_frame(CHECKSUMS_MAGIC, checksums + placeholder)
    frame = frame[: -FILE_CHECKSUM.size]
    entries = np.zeros(len(sizes) + 2, seekable.ENTRY)
    entries["compressed"] = [len(head), *sizes, len(frame) + FILE_CHECKSUM.size]
    entries["decompressed"][1:-1] = [header.frame_bytes(i) for i in range(len(sizes))]
    entries["checksum"] = [checksum32(b""), *content_checksums, checksum32(b"")]
    table = seekable.encode_seek_table(entries)
    return frame + FILE_CHECKSUM.pack(xxhash.xxh64_intdigest(head + frame + table)) + table


# -- reading ----------------------------------------------------------------------------------


def read_around(source: ByteSource) -> tuple[TableHeader, DataFrames]:
    """Read and check all of a file but the payload.

    Raises:
        PartError: something is wrong.
        OSError: the file cannot be read.
    """
    head = _read_head(source)
    try:
        entries, table = seekable.read_seek_table(source)
    except ContainerError as error:
        raise PartError("seek table", str(error)) from None
    frame_checksums, file_checksum = _read_checksums(source, entries, head, table)
    # From here on the bytes are as written; what is wrong now was written wrongly.
    try:
        header = TableHeader.from_json(head[PREFIX.size :])
    except ValueError as error:
        raise PartError("bad header", str(error)) from None
    _check_entries(entries, header, len(head))
    return header, DataFrames(
        entries["compressed"][1:-1],
        np.cumsum(entries["compressed"][:-1], dtype=np.int64),
        entries["checksum"][1:-1],
        frame_checksums,
        file_checksum,
    )


def _read_head(source: ByteSource) -> bytes:
    """Return the header frame."""
    all_it_has = f"the file was cut: it has {source.size} byte{'' if source.size == 1 else 's'}"
    prefix = source.read(0, PREFIX.size)
    if len(prefix) < PREFIX.size:
        raise PartError("header", all_it_has)
    magic, length, signature, version = PREFIX.unpack(prefix)
    if magic != HEADER_MAGIC or signature != SIGNATURE:
        raise PartError("header", "this is not a table file")
    if version != FORMAT_VERSION:
        raise PartError("header", f"format version {version}; this program reads {FORMAT_VERSION}")
    length += seekable.SKIPPABLE.size
    if not PREFIX.size <= length <= MAX_HEADER_BYTES:
        raise PartError("header", f"cannot have {length} bytes")
    if length > source.size:
        raise PartError("header", f"{all_it_has}, the header alone {length}")
    return source.read(0, length)


def _read_checksums(
    source: ByteSource, entries: seekable.Entries, head: bytes, table: bytes
) -> tuple[npt.NDArray[np.uint32], bytes]:
    """Check header and seek table.

    Returns:
        The checksums of the compressed frames, and that of the rest.
    """
    frames = len(entries) - 2
    length = _checksums_bytes(frames)
    offset = source.size - len(table) - length
    if frames < 1 or offset < len(head):
        raise PartError("checksums", "do not fit into the file")
    frame = source.read(offset, length)
    covered, checksum = memoryview(frame)[: -FILE_CHECKSUM.size], frame[-FILE_CHECKSUM.size :]
    digest = xxhash.xxh64()
    for part in (head, covered, table):
        digest.update(part)
    if FILE_CHECKSUM.pack(digest.intdigest()) != checksum:
        raise PartError("header or seek table", "wrong checksum")
    expected = CHECKSUMS_MAGIC, length - seekable.SKIPPABLE.size
    if seekable.SKIPPABLE.unpack_from(covered) != expected:
        raise PartError("checksums", "do not stand before the seek table")
    return np.frombuffer(covered, "<u4", frames, seekable.SKIPPABLE.size), checksum


def _check_entries(entries: seekable.Entries, header: TableHeader, head_bytes: int) -> None:
    """Compare the seek table with the header."""
    frames = header.frames
    if len(entries) != frames + 2:
        raise PartError("seek table", f"has {len(entries)} entries, not {frames + 2}")
    sizes = np.full(frames + 2, header.frame_size)
    sizes[[0, -2, -1]] = [0, header.frame_bytes(frames - 1), 0]
    if (entries["decompressed"] != sizes).any():
        raise PartError("seek table", "frames are not of the size the header says")
    if (entries["compressed"][[0, -1]] != [head_bytes, _checksums_bytes(frames)]).any():
        raise PartError("seek table", "does not count the bytes of the other frames")
    if int(entries["compressed"][1:-1].max()) > most_packed(header.frame_size):
        raise PartError("seek table", "says that a frame takes more bytes than any can")


def _checksums_bytes(frames: int) -> int:
    """Return the bytes of the checksum frame."""
    return seekable.SKIPPABLE.size + 4 * frames + FILE_CHECKSUM.size
