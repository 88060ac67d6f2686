"""The zstd seekable container: independent frames, then a table of where each one lies.

A seekable file is an ordinary zstd file, so ``zstd -d`` unpacks it; what makes it seekable is a
*skippable* frame at its end that lists the compressed and decompressed size of every frame before
it. This module knows zstd frames, skippable frames, the seek table and the bytes they are read
from, and nothing about what the payload means; :mod:`solver.tablefile` does. The layout is that of
version 0.1.0 of the "Zstandard Seekable Format", published with zstd itself
(``contrib/seekable_format``).
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import xxhash
import zstandard

if TYPE_CHECKING:
    from concurrent.futures import Future

SEEK_TABLE_MAGIC: Final = 0x184D2A5E
"""Magic number of the skippable frame that holds the seek table."""
FOOTER_MAGIC: Final = 0x8F92EAB1
"""The last four bytes of every seekable file."""
FOOTER: Final = struct.Struct("<IBI")
"""Number of frames, descriptor, :data:`FOOTER_MAGIC`."""
CHECKSUM_FLAG: Final = 0x80
"""Descriptor bit: every entry carries a checksum."""
RESERVED_BITS: Final = 0x7C
"""Descriptor bits that must be 0."""
SKIPPABLE: Final = struct.Struct("<II")
"""Head of a skippable frame: magic number, length of what follows."""
ENTRY: Final = np.dtype([("compressed", "<u4"), ("decompressed", "<u4"), ("checksum", "<u4")])
"""One entry of the seek table: two sizes in bytes and :func:`checksum32` of the unpacked data."""
BATCH_BYTES: Final = 4 << 20
"""Payload bytes a thread packs at a time: long enough that handing work over costs nothing."""

TUNED: Final[dict[str, tuple[int, dict[str, int]]]] = {
    "dtw": (
        3,
        {
            "strategy": zstandard.STRATEGY_DFAST,
            "min_match": 7,
            "hash_log": 12,
            "chain_log": 12,
        },
    ),
    "wdl": (16, {"min_match": 3}),
}
"""Compression level and parameters by metric.

Those of distances were measured on the sectors 6-6, 5-7 and 8-4 of Nine Men's Morris in frames of
16 KiB: 0.40, 2.29 and 1.77 bits per slot at about 2, 6 and 5 ns per slot, so no bigger than level 3
in frames of 64 KiB (0.40, 2.38, 1.77) and faster, while unpacking one frame takes a third to a
quarter of the time. Level 9 saves another tenth for seven times the work. Those of win, draw and
loss are in ``databases/README.md``.
"""

CHECKSUM_BYTES: Final = 4
"""Bytes of the checksum that ends a frame."""
MAX_FRAME_SIZE: Final = 16 << 20
"""Largest frame a reader accepts: what a single probe may have to allocate."""
MAX_FRAMES: Final = 1 << 24
"""Most entries of a seek table a reader accepts: what opening a file may have to allocate.

In frames of 16 KiB, 256 GiB of payload.
"""

NO_FILE: Final = "this is not a regular file"

_NO_MEMORY: Final = "not enough memory"
"""Part of what zstd says where it is refused memory."""

Result = TypeVar("Result")
Entries = npt.NDArray[np.void]
"""Seek table entries, shape (frames,), dtype :data:`ENTRY`."""
Payload = npt.NDArray[np.uint8]
"""Payload bytes, one-dimensional and contiguous."""


class ContainerError(ValueError):
    """The bytes are not what the container format says they must be; the text says how."""


def most_packed(size: int) -> int:
    """Return how many bytes a frame of so many payload bytes may take: a little over zstd's worst.

    Other frames cannot be; reading what a file says they are could fill the memory.
    """
    return size + size // 128 + 512


def checksum32(data: bytes | memoryview) -> int:
    """Return the low 32 bits of XXH64 (seed 0), the only checksum zstd and its seek table use."""
    return xxhash.xxh64_intdigest(data) & 0xFFFFFFFF


# -- where the bytes come from ----------------------------------------------------------------


class ByteSource(Protocol):
    """Something that can be read at any offset by several threads at once."""

    @property
    def size(self) -> int:
        """Bytes there are, as found when it was opened."""

    @property
    def identity(self) -> object:
        """Hashable; equal for two sources only if they hold the same bytes."""

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset` on, fewer where the source ends before."""

    def close(self) -> None:
        """Give the file back; reading afterwards raises ValueError."""


class FileSource:
    """A file read with ``pread``.

    No shared position, so threads need no lock; no memory map, so a file cut short while it is
    open gives a short read and not a SIGBUS. The descriptor is closed when the last reference
    goes, so an owner may drop a source that another thread is still reading from.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open `path`.

        Raises:
            OSError: like :func:`open`.
            ContainerError: it is a folder, a pipe or a device, or a link that goes round.
        """
        try:
            # A pipe would be waited for until somebody writes to it.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            if error.errno == errno.ELOOP and os.path.islink(path):
                raise ContainerError("this is a link that leads back to itself") from None
            if error.errno == errno.ENXIO:  # a socket, or a device that is not there
                raise ContainerError(NO_FILE) from None
            raise
        self._close = weakref.finalize(self, os.close, descriptor)
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise ContainerError(NO_FILE)
        self.size = status.st_size
        self.identity: object = (
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
        )  # fmt: skip

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset` on, fewer where the file ends before."""
        if not self._close.alive:
            raise ValueError("the file is closed")
        data = os.pread(self._descriptor, count, offset)
        while 0 < len(data) < count:  # a signal, or more than the system reads at once
            more = os.pread(self._descriptor, count - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def close(self) -> None:
        """Close the file. Only when no other thread is reading from it."""
        self._close()


class StreamSource:
    """Any seekable binary file object, shared under a lock."""

    def __init__(self, stream: BinaryIO) -> None:
        """Take `stream`; nobody else may move its position from now on."""
        self._stream = stream
        self._lock = threading.Lock()
        self.size = stream.seek(0, os.SEEK_END)
        self.identity: object = object()

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset` on, fewer where the stream ends before."""
        with self._lock:
            self._stream.seek(offset)
            return self._stream.read(count)

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


# -- frames -----------------------------------------------------------------------------------


class _PerThread(threading.local):
    """zstd contexts must not be shared by threads and cost too much to make for every frame."""

    def __init__(self) -> None:
        # No frame that is accepted needs more, and one that says so gets no memory.
        self.decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_FRAME_SIZE)
        self.compressors: dict[int | str, zstandard.ZstdCompressor] = {}

    def compressor(self, level: int | str) -> zstandard.ZstdCompressor:
        if level not in self.compressors:
            number, tuned = TUNED[level] if isinstance(level, str) else (level, {})
            parameters = zstandard.ZstdCompressionParameters.from_level(
                number, write_checksum=1, write_content_size=1, **tuned
            )
            self.compressors[level] = zstandard.ZstdCompressor(compression_params=parameters)
        return self.compressors[level]


_contexts = _PerThread()


def skippable_frame(magic: int, content: bytes) -> bytes:
    """Return a frame that every zstd decoder passes over."""
    return SKIPPABLE.pack(magic, len(content)) + content


def unpack_frame(data: bytes | memoryview, size: int, checksum: int) -> bytes:
    """Decompress one frame, checking all there is to check.

    Args:
        data: the whole compressed frame and nothing else.
        size: decompressed bytes it must hold.
        checksum: :func:`checksum32` of those, from the seek table. It must be zstd's own content
            checksum too, the last four bytes of the frame, which zstd compares with the data.

    Raises:
        ContainerError: anything is not so. Nothing is allocated for a size that is not `size`.
    """
    try:
        parameters = zstandard.get_frame_parameters(data)
        if parameters.content_size == zstandard.CONTENTSIZE_UNKNOWN:
            raise ContainerError("does not say how many bytes it unpacks to")
        if parameters.content_size != size:
            raise ContainerError(f"unpacks to {parameters.content_size} bytes and not to {size}")
        if not parameters.has_checksum or int.from_bytes(data[-4:], "little") != checksum:
            raise ContainerError("its checksum is not the one in the seek table")
        unpacked = _contexts.decompressor.decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        if _NO_MEMORY in str(error):
            raise MemoryError(str(error)) from None
        raise ContainerError(f"zstd cannot unpack it ({error})") from None
    if len(unpacked) != size:
        raise ContainerError(f"unpacks to {len(unpacked)} bytes and not to {size}")
    return unpacked


def unpack_run(data: bytes, out: memoryview) -> bool:
    """Decompress frames that follow each other, which must fill `out`; return whether they do.

    Much faster with several threads than frame by frame, as they seldom wait for each other. It
    checks what is in the frames, checksums of their content included, but not that the last one
    has an end: the caller must know that from a checksum of the frame itself. Nor does it tell what
    is wrong: do it again with :func:`unpack_frame` to know.

    Args:
        data: the compressed frames and nothing else.
        out: bytes to write.
    """
    try:
        with _contexts.decompressor.stream_reader(data, read_across_frames=True) as reader:
            filled = 0
            while filled < len(out):
                count = reader.readinto(out[filled:])
                if not count:
                    return False
                filled += count
            return reader.read(1) == b""
    except zstandard.ZstdError:
        return False


def pack_frames(
    payload: Payload, frame_size: int, *, level: int | str = "dtw", threads: int = 1
) -> Generator[list[bytes], None, None]:
    """Compress `payload` in independent frames and yield them in order, some at a time.

    Every frame records its size and carries zstd's content checksum. The bytes do not depend on
    `threads`. The payload is never copied; no more than a few batches of :data:`BATCH_BYTES` per
    thread wait for the consumer. Closing the generator stops the threads.

    Args:
        payload: shape (n,), contiguous.
        frame_size: payload bytes in each frame, the last one excepted.
        level: zstd compression level, or a metric for what :data:`TUNED` says of it.
        threads: compressing threads; with 1 the work is done in the caller's.
    """
    view = payload.data
    per_batch = max(1, BATCH_BYTES // frame_size)

    def pack(start: int) -> list[bytes]:
        compress = _contexts.compressor(level).compress
        stop = min(len(view), start + per_batch * frame_size)
        try:
            return [
                compress(view[i : min(i + frame_size, stop)])
                for i in range(start, stop, frame_size)
            ]
        except zstandard.ZstdError as error:  # nothing else can go wrong
            raise MemoryError(str(error)) from None

    return in_order(pack, range(0, len(view), per_batch * frame_size), threads)


def in_order(
    work: Callable[[int], Result], items: Iterable[int], threads: int
) -> Generator[Result, None, None]:
    """Yield ``work(item)`` for each item in order, worked on by some threads a little ahead.

    With one thread the caller does the work. When the consumer stops early, or work fails, what
    has not begun is dropped and what is running is waited for.
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # 10 ms a query can do without

    pool = ThreadPoolExecutor(threads, thread_name_prefix="morris-table")
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def do_all(work: Callable[[int], object], items: Iterable[int], threads: int) -> None:
    """Do some work for every item as :func:`in_order` does, for what it changes alone."""
    with closing(in_order(work, items, threads)) as results:
        for _ in results:
            pass


# -- the seek table ---------------------------------------------------------------------------


def encode_seek_table(entries: Entries) -> bytes:
    """Return the seek table frame for `entries`, checksums included."""
    footer = FOOTER.pack(len(entries), CHECKSUM_FLAG, FOOTER_MAGIC)
    return skippable_frame(SEEK_TABLE_MAGIC, entries.tobytes() + footer)


def read_seek_table(source: ByteSource) -> tuple[Entries, bytes]:
    """Return the entries of a file's seek table and the bytes of its whole frame.

    The sizes in it are checked against the size of the file: the frames and the seek table fill
    it exactly. Nothing bigger than the file is ever allocated, nor more than :data:`MAX_FRAMES`
    entries take.

    Raises:
        ContainerError: there is no seek table, or it does not fit the file.
    """
    footer = source.read(max(0, source.size - FOOTER.size), FOOTER.size)
    if len(footer) < FOOTER.size:
        raise ContainerError("too short to hold one")
    count, descriptor, magic = FOOTER.unpack(footer)
    if magic != FOOTER_MAGIC:
        raise ContainerError("does not stand at the end (the file was cut or something appended)")
    if descriptor & (CHECKSUM_FLAG | RESERVED_BITS) != CHECKSUM_FLAG:
        raise ContainerError(f"has the unknown descriptor {descriptor:#04x}")
    if count > MAX_FRAMES:
        raise ContainerError(f"says {count} frames, more than the {MAX_FRAMES} this program reads")
    length = SKIPPABLE.size + count * ENTRY.itemsize + FOOTER.size
    if length > source.size:
        raise ContainerError(f"says {count} frames, more than the file can hold")
    frame = source.read(source.size - length, length)
    if len(frame) != length or SKIPPABLE.unpack_from(frame) != (
        SEEK_TABLE_MAGIC,
        length - SKIPPABLE.size,
    ):
        raise ContainerError("does not begin where it should")
    entries = np.frombuffer(frame, ENTRY, count, SKIPPABLE.size)
    frames = int(entries["compressed"].sum(dtype=np.int64))
    if frames + length != source.size:
        raise ContainerError(f"says {frames + length} bytes, but the file has {source.size}")
    return entries, frame
