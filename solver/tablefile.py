"""Table files: one sector's values, compressed in frames, each byte under a checksum.

``databases/FORMAT.md`` is the specification. In short: a skippable frame with the JSON header, the
payload in independent zstd frames, a skippable frame with checksums, and the seek table. Every
byte is covered by a checksum that a reader compares before it believes a value, and no size read
from a file is used before it has been compared with the size of the file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import TracebackType

import numpy as np

from solver import seekable
from solver.atomicfile import replacing
from solver.errors import DamagedTableError
from solver.expected import unexpected
from solver.packing import POWERS
from solver.rules import Rules
from solver.sectors import Sector
from solver.seekable import CHECKSUM_BYTES, ByteSource, ContainerError, Payload, checksum32
from solver.tableframes import PartError, header_frame, read_around, tail
from solver.tableheader import DEFAULT_FRAME_SIZE, Counts, TableHeader
from solver.widths import Stored

__all__ = [
    "DEFAULT_FRAME_SIZE",
    "Counts",
    "TableHeader",
    "TableReader",
    "table_path",
    "write_table",
]

Progress = Callable[[int], None]
"""Called with the payload bytes done so far; what it raises ends the work."""


def table_path(
    database: str | os.PathLike[str], rules: Rules, sector: Sector, metric: str = "dtw"
) -> Path:
    """Return where the table of a sector lies in a database folder; of distances by default."""
    return Path(database) / rules.folder(sector) / f"{sector}.{metric}.zst"


# -- writing ----------------------------------------------------------------------------------


def write_table(
    path: str | os.PathLike[str],
    header: TableHeader,
    payload: Payload,
    *,
    level: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    file_bytes: int | None = None,
) -> int:
    """Write a table file, whole or not at all, and return its size in bytes.

    The file appears under its name only when every byte of it is on the disk. Its bytes depend on
    the arguments other than `threads` and on the version of zstd, and on nothing else.

    Args:
        path: of the file; its folder is made if need be, a file of that name replaced.
        header: describes the payload.
        payload: shape (header.payload_bytes,), contiguous. Not copied.
        level: zstd compression level; None for parameters tuned to the metric.
        threads: threads to compress with.
        progress: called in this thread now and then; if it raises, nothing is left behind.
        file_bytes: about what the file will take, for the message if there is no room for it.

    Raises:
        ValueError: the payload is not as long as the header says, or not plain bytes.
        ResourceError: the disk is full.
        OSError: the file cannot be written for another reason.
    """
    if payload.dtype != np.uint8 or payload.shape != (header.payload_bytes,):
        raise ValueError(f"the payload must be {header.payload_bytes} bytes in one dimension")
    if not payload.flags.c_contiguous:
        raise ValueError("the payload must be contiguous")
    packed = seekable.pack_frames(
        payload,
        header.frame_size,
        level=header.metric if level is None else level,
        threads=threads,
    )
    with replacing(Path(path), file_bytes) as file, closing(packed):
        head = header_frame(header)
        file.write(head)
        sizes: list[int] = []
        content_checksums: list[int] = []
        frame_checksums: list[int] = []
        for frames in packed:
            file.write(b"".join(frames))
            sizes += map(len, frames)
            # The last four bytes of a frame are zstd's checksum of its content.
            content_checksums += (int.from_bytes(frame[-4:], "little") for frame in frames)
            frame_checksums += map(checksum32, frames)
            if progress is not None:
                progress(min(len(sizes) * header.frame_size, header.payload_bytes))
        file.write(tail(header, head, sizes, content_checksums, frame_checksums))
        return file.tell()


# -- reading ----------------------------------------------------------------------------------


class TableReader:
    """An open table file. Any number of threads may read from it at once.

    Whatever is wrong with the file raises DamagedTableError, which names the file and the part:
    ``header``, ``checksums``, ``seek table`` or the number of the frame. Opening reads all but the
    payload and checks it; a frame is checked whenever it is read.

    Attributes:
        name: of the file, for messages.
        header: what the file says about itself.
        size: bytes of the file.
        identity: hashable, equal for two readers of one unchanged file.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | ByteSource,
        *,
        name: str | None = None,
        sector: Sector | str | None = None,
        rules: Mapping[str, object] | None = None,
        slots: int | None = None,
        metric: str = "dtw",
        remedy: str | None = None,
    ) -> None:
        """Open a table.

        Args:
            source: a path, or an open :class:`~solver.seekable.StreamSource`.
            name: shown in messages instead of the path.
            sector: the sector the file must hold.
            rules: those it must be made for, reduced to the sector.
            slots: the number of slots it must have.
            metric: what its entries must say.
            remedy: the command that makes the table anew, for messages.

        Raises:
            DamagedTableError: the file is not a sound table, or not the expected one.
            OSError: it cannot be opened (FileNotFoundError: it is not there).
        """
        self._remedy = f"; make it anew with: {remedy}" if remedy else ""
        if isinstance(source, str | os.PathLike):
            self.name = name or os.fspath(source)
            try:
                self._source: ByteSource = seekable.FileSource(source)
            except ContainerError as error:
                raise self.damaged("file", str(error)) from None
        else:
            self.name = name or "table"
            self._source = source
        self.size = self._source.size
        try:
            self.header, self._data = read_around(self._source)
            wrong = unexpected(
                self.header,
                sector=sector,
                rules=rules,
                slots=slots,
                metric=metric,
            )
            if wrong is not None:
                raise PartError("header", wrong)
        except BaseException as error:
            self._source.close()
            if isinstance(error, PartError):
                raise self.damaged(error.part, error.text) from None
            if isinstance(error, OSError):
                raise self.damaged("header", f"cannot be read: {error.strerror}") from None
            raise
        # Times alone do not tell two files apart that are written within one tick of the clock.
        self.identity = self._source.identity, self._data.file_checksum
        width = self.header.width
        self._entry_bytes = 1 if width is None else width.bytes

    def __enter__(self) -> TableReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    @property
    def frames(self) -> int:
        """Frames of the payload."""
        return len(self._data.sizes)

    def value(self, slot: int) -> int:
        """Return the stored number of one slot; section 5 of the format says what it means.

        Raises:
            DamagedTableError: the frame it lies in is damaged.
            IndexError: there is no such slot.
        """
        if not 0 <= slot < self.header.slots:
            raise IndexError(f"{self.name}: slot {slot} is not below {self.header.slots}")
        frame, offset, power = self.place(slot)
        return self.entry(self.frame(frame), offset, power)

    def place(self, slot: int) -> tuple[int, int, int]:
        """Return where a slot's entry lies: its frame, the byte in the frame, and its power.

        The power is what the entry counts in its byte, 1 to 81; 0 if the entry begins there and
        shares the byte with no other.
        """
        bands = self.header.bands
        if bands is None:
            return *divmod(slot * self._entry_bytes, self.header.frame_size), 0
        byte, column = bands.locate(slot)
        return *divmod(byte, self.header.frame_size), POWERS[column]

    def entry(self, frame: bytes, offset: int, power: int) -> int:
        """Return the entry that lies in a frame's payload at what :meth:`place` says."""
        byte = frame[offset]
        if power:
            return byte // power % 3
        return byte if self._entry_bytes == 1 else byte | frame[offset + 1] << 8

    def frame(self, number: int) -> bytes:
        """Return the payload bytes of one frame, unpacked and checked.

        Raises:
            DamagedTableError: the frame is damaged.
            IndexError: there is no such frame.
        """
        if not 0 <= number < self.frames:
            raise IndexError(f"{self.name}: frame {number} is not below {self.frames}")
        return next(self.frames_between(number, number + 1))

    def read_into(
        self, out: Payload, *, threads: int = 1, progress: Progress | None = None
    ) -> None:
        """Unpack the whole payload into an array, checking every frame.

        Args:
            out: shape (header.payload_bytes,), contiguous and writable.
            threads: threads to unpack with.
            progress: called in this thread now and then.

        Raises:
            DamagedTableError: a frame is damaged; what `out` then holds is undefined.
        """
        if out.dtype != np.uint8 or out.shape != (self.header.payload_bytes,):
            raise ValueError(f"out must be {self.header.payload_bytes} bytes in one dimension")
        self._read_all(out.data, threads, progress)

    def entries(self, *, threads: int = 1) -> Stored:
        """Return every entry of a table of distances, by slot, checking every frame.

        Returns:
            Shape (header.slots,), native numbers: uint8 in packing ``byte``, uint16 in ``word``.

        Raises:
            DamagedTableError: a frame is damaged.
            ValueError: this is no table of distances.
        """
        width = self.header.width
        if width is None:
            raise ValueError(f"{self.name}: this is no table of distances")
        payload = np.empty(self.header.payload_bytes, dtype=np.uint8)
        self.read_into(payload, threads=threads)
        return payload.view(width.dtype).astype(width.dtype.newbyteorder("="), copy=False)

    def check(self, *, threads: int = 1, progress: Progress | None = None) -> None:
        """Unpack every frame and compare its checksums, keeping nothing.

        Raises:
            DamagedTableError: names the first damaged frame.
        """
        self._read_all(None, threads, progress)

    def check_stored(self, *, threads: int = 1) -> None:
        """Compare the checksums of the frames as they are stored, without unpacking them.

        That costs a small part of what :meth:`check` does, and finds whatever has happened to the
        file since it was written.

        Raises:
            DamagedTableError: names the first damaged frame.
        """
        offsets = self._data.offsets
        begins = np.arange(offsets[0], offsets[-1], seekable.BATCH_BYTES)
        bounds = np.unique([*np.searchsorted(offsets[:-1], begins), self.frames]).tolist()
        stops = dict(itertools.pairwise(bounds))

        def check(first: int) -> None:
            for _ in self._stored(first, stops[first]):
                pass

        seekable.do_all(check, stops, threads)

    def _read_all(self, out: memoryview | None, threads: int, progress: Progress | None) -> None:
        frame_size = self.header.frame_size
        per_batch = max(1, seekable.BATCH_BYTES // frame_size)

        def read(first: int) -> int:
            stop = min(first + per_batch, self.frames)
            end = min(stop * frame_size, self.header.payload_bytes)
            if out is None:
                for _ in self.frames_between(first, stop):
                    pass
            else:
                self.read_frames(first, stop, out[first * frame_size : end])
            return end

        starts = range(0, self.frames, per_batch)
        with closing(seekable.in_order(read, starts, threads)) as batches:
            for done in batches:
                if progress is not None:
                    progress(done)

    def read_frames(self, first: int, stop: int, out: memoryview) -> None:
        """Unpack the frames from `first` up to before `stop` into some memory.

        Raises:
            DamagedTableError: a frame is damaged.
        """
        if self._read_fast(first, stop, out):
            return
        # Something is wrong; this says what.
        written = 0
        for frame in self.frames_between(first, stop):
            out[written : written + len(frame)] = frame
            written += len(frame)

    def _read_fast(self, first: int, stop: int, out: memoryview) -> bool:
        """Do the work of :meth:`read_frames`; return whether all was well."""
        begin, end = int(self._data.offsets[first]), int(self._data.offsets[stop])
        try:
            data = self._source.read(begin, end - begin)
        except OSError:
            return False
        sizes = self._data.sizes[first:stop]
        if len(data) != end - begin or sizes.min() < CHECKSUM_BYTES:
            return False
        # That of the last frame shows that it has an end: a stream may stop short of it.
        if checksum32(memoryview(data)[-int(sizes[-1]) :]) != self._data.frame_checksums[stop - 1]:
            return False
        # A frame ends with the checksum of its content, which zstd compares.
        ends = np.cumsum(sizes, dtype=np.int64)[:, None] + np.arange(-CHECKSUM_BYTES, 0)
        checksums = np.frombuffer(data, np.uint8)[ends].view("<u4")
        if (checksums.ravel() != self._data.content_checksums[first:stop]).any():
            return False
        return seekable.unpack_run(data, out)

    def frames_between(self, first: int, stop: int) -> Iterator[bytes]:
        """Yield the frames from `first` up to before `stop`, read from the file in one go.

        Raises:
            DamagedTableError: a frame is damaged.
        """
        for number, packed in enumerate(self._stored(first, stop), first):
            try:
                yield seekable.unpack_frame(
                    packed,
                    self.header.frame_bytes(number),
                    int(self._data.content_checksums[number]),
                )
            except ContainerError as error:
                raise self.damaged(f"frame {number} of {self.frames}", str(error)) from None

    def _stored(self, first: int, stop: int) -> Iterator[memoryview]:
        """Yield frames as they are stored, after comparing their checksums."""
        begin, end = int(self._data.offsets[first]), int(self._data.offsets[stop])
        try:
            data = memoryview(self._source.read(begin, end - begin))
        except OSError as error:
            raise self.damaged(f"frame {first}", f"cannot be read: {error.strerror}") from None
        checksums = self._data.frame_checksums[first:stop].tolist()
        start = 0
        for number, (size, checksum) in enumerate(
            zip(self._data.sizes[first:stop].tolist(), checksums, strict=True), first
        ):
            packed = data[start : start + size]
            start += size
            if checksum32(packed) != checksum:
                why = "ends too early" if len(packed) < size else "wrong checksum"
                raise self.damaged(f"frame {number} of {self.frames}", why)
            yield packed

    def damaged(self, part: str, text: str) -> DamagedTableError:
        """Return the error to raise where a part of the file is not as it should be."""
        return DamagedTableError(f"{self.name}: {part}: {text}{self._remedy}")
