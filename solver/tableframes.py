"""The frames of a table file that hold no payload: the header, the checksums, the seek table."""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
import xxhash

from solver import seekable
from solver.seekable import checksum32
from solver.tableheader import TableHeader

FORMAT_VERSION: Final = 1
"""Raised whenever an older reader would misunderstand a file."""
HEADER_MAGIC: Final = 0x184D2A50
CHECKSUMS_MAGIC: Final = 0x184D2A51
SIGNATURE: Final = b"MORRISTB"
PREFIX: Final = struct.Struct("<II8sI")
"""Beginning of a table file: skippable magic and length, signature, format version."""
MAX_HEADER_BYTES: Final = 1 << 20
FILE_CHECKSUM: Final = struct.Struct("<Q")


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
