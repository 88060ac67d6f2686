"""How the engine reads and writes lines: bounded ones in, whole ones out."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from solver.escape import one_line

__all__ = ["LONGEST_LINE", "Output", "Reader", "Writer", "read_lines"]

LONGEST_LINE: Final = 65_536
"""Bytes of a line at most, its end included: some 9,000 turns."""

_LONGEST_STRING: Final = 2000
"""Characters of an ``info string`` at most."""


class Reader(Protocol):
    """What lines are read from, such as ``sys.stdin.buffer``."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or `size` bytes of it; nothing at the end of input."""


class Writer(Protocol):
    """What lines are written to, such as ``sys.stdout.buffer`` or the raw file beneath it."""

    def write(self, data: memoryview, /) -> int | None:
        """Write some bytes and return how many; None if none can be written right now."""

    def flush(self) -> None:
        """Keep nothing back."""


def read_lines(reader: Reader) -> Iterator[str | None]:
    """Read line by line; None stands for one that is too long, which is skipped."""
    while True:
        line = reader.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            yield line.decode("utf-8", errors="replace")
            continue
        while line and not line.endswith(b"\n"):
            line = reader.readline(LONGEST_LINE)
        yield None


class Output:
    """Writes whole lines, from any thread, each at once.

    An error, such as a reader that has gone, is kept and not raised: it would come up in whatever
    thread has something to say. Nothing is written after it.

    Attributes:
        error: what went wrong; None if nothing has.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._lock = Lock()
        self._closed = False
        self.error: OSError | None = None

    def say(self, *lines: str) -> None:
        """Write lines that belong together, in UTF-8; control characters are escaped."""
        data = memoryview("".join(f"{one_line(line)}\n" for line in lines).encode())
        with self._lock:
            try:
                while data and not (self._closed or self.error):
                    written = self._writer.write(data)
                    data = data[written or 0 :]
                    if not written:
                        time.sleep(0.01)  # the stream does not block, and is full
                if not data:
                    self._writer.flush()
            except OSError as error:
                self.error = error

    def inform(self, text: str) -> None:
        """Write an ``info string``, shortened if it is very long."""
        short = text if len(text) <= _LONGEST_STRING else f"{text[: _LONGEST_STRING - 3]}..."
        self.say(f"info string {short}")

    def report(self, error: Exception) -> None:
        """Write that something has gone wrong that should not: a mistake in the program."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        self.inform(f"internal error: {type(error).__name__}: {error} ({where})")

    def close(self) -> None:
        """Write nothing more; the stream stays open."""
        self._closed = True
