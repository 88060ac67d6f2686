"""Where the parts of a table file lie, and its checksums made right again after a change.

Written from ``databases/FORMAT.md``, for tests that do harm to files.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import accumulate, pairwise

import xxhash

__all__ = ["Parts", "forge", "sealed"]


def checksum32(data: bytes) -> int:
    return xxhash.xxh64_intdigest(data) & 0xFFFFFFFF


@dataclass(frozen=True)
class Parts:
    """The parts of a table file as its seek table says, each from its first byte on.

    Attributes:
        header: the frame that the file begins with.
        frames: those of the payload.
        checksums: the frame of checksums.
        seek_table: the frame that the file ends with.
    """

    header: slice
    frames: list[slice]
    checksums: slice
    seek_table: slice

    @classmethod
    def of(cls, data: bytes) -> Parts:
        """Find them.

        Raises:
            ValueError, struct.error: there is no seek table.
        """
        (entries,) = struct.unpack_from("<I", data, len(data) - 9)
        begin = len(data) - 9 - 12 * entries - 8
        if entries < 3 or begin < 0:
            raise ValueError(f"there cannot be {entries} parts")
        sizes = [struct.unpack_from("<I", data, begin + 8 + 12 * i)[0] for i in range(entries)]
        header, *frames, checksums = (
            slice(*ends) for ends in pairwise(accumulate(sizes, initial=0))
        )
        return cls(header, frames, checksums, slice(begin, len(data)))


def sealed(data: bytes, parts: Parts) -> bytes:
    """A changed file whose checksums are right: those of its frames, and that of the rest.

    The parts must be where they were. The checksum of a frame's content is taken from its end, so
    one whose content was changed has to be packed again first.
    """
    changed = bytearray(data)
    for number, frame in enumerate(parts.frames):
        packed = data[frame]
        at = parts.checksums.start + 8 + 4 * number
        changed[at : at + 4] = checksum32(packed).to_bytes(4, "little")
        at = parts.seek_table.start + 8 + 12 * (number + 1) + 8
        changed[at : at + 4] = packed[-4:]
    at = parts.checksums.stop - 8
    rest = changed[parts.header] + changed[parts.checksums.start : at] + changed[parts.seek_table]
    changed[at : at + 8] = xxhash.xxh64_intdigest(bytes(rest)).to_bytes(8, "little")
    return bytes(changed)


def forge(header: bytes, frames: list[bytes], payload: bytes, frame_size: int = 256) -> bytes:
    """Build a file whose checksums are right, whatever it says otherwise.

    Args:
        header: the JSON text.
        frames: as they are stored.
        payload: what the seek table says is in them, bytes or an array of them.
        frame_size: payload bytes of each.
    """
    head = struct.pack("<II8sI", 0x184D2A50, 12 + len(header), b"MORRISTB", 1) + header
    check = struct.pack("<II", 0x184D2A51, 4 * len(frames) + 8)
    check += b"".join(struct.pack("<I", checksum32(frame)) for frame in frames)
    table = struct.pack("<II", 0x184D2A5E, 12 * (len(frames) + 2) + 9)
    table += struct.pack("<III", len(head), 0, checksum32(b""))
    for i, frame in enumerate(frames):
        part = bytes(payload[i * frame_size : (i + 1) * frame_size])
        table += struct.pack("<III", len(frame), len(part), checksum32(part))
    table += struct.pack("<III", len(check) + 8, 0, checksum32(b""))
    table += struct.pack("<IBI", len(frames) + 2, 0x80, 0x8F92EAB1)
    check += struct.pack("<Q", xxhash.xxh64_intdigest(head + check + table))
    return head + b"".join(frames) + check + table
