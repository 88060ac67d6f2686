"""What tests of the engine share: talking to one in this process."""

from __future__ import annotations

import io
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from solver.engine.protocol import Engine
from solver.folders import PathOrPaths
from solver.rules import Rules, get_variant

NINE = get_variant("nine")
NOWHERE = Path("/no such folder")


class Written:
    """A writer that keeps what it is given, and can be waited for."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._changed = threading.Condition()

    def write(self, data: memoryview) -> int:
        with self._changed:
            self._data += data
            self._changed.notify_all()
        return len(data)

    def flush(self) -> None:
        with self._changed:
            assert self._data.endswith(b"\n"), "flushed in the middle of a line"

    @property
    def lines(self) -> list[str]:
        with self._changed:
            return self._data.decode().splitlines()

    def wait(self, wanted: Callable[[str], bool], after: int, seconds: float) -> list[str]:
        """The lines from number `after` on, up to one that is wanted."""
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                lines = self._data.decode().split("\n")[:-1]
                for number, line in enumerate(lines[after:], after + 1):
                    if wanted(line):
                        return lines[after:number]
                left = end - time.monotonic()
                assert left > 0, lines[after:]
                self._changed.wait(left)


def sound(lines: list[str]) -> list[str]:
    """The lines, in which the engine must not own up to a mistake of its own."""
    assert not [line for line in lines if "internal error" in line]
    return lines


def talk(*commands: str | bytes, rules: Rules = NINE, database: PathOrPaths = NOWHERE) -> list[str]:
    """All that an engine says to some commands."""
    given = b"".join(c if isinstance(c, bytes) else c.encode() + b"\n" for c in commands)
    writer = Written()
    Engine(io.BytesIO(given), writer, rules, database).run()
    return sound(writer.lines)


class Conversation:
    """An engine that runs while the test goes on."""

    def __init__(self, database: Path, rules: Rules = NINE) -> None:
        self._typed: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.written = Written()
        self._seen = 0
        self._engine = Engine(self, self.written, rules, database)
        self._thread = threading.Thread(target=self._engine.run)

    def readline(self, size: int) -> bytes:
        return self._typed.get()

    def __enter__(self) -> Conversation:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._typed.put(b"")
        self._thread.join(20)
        if kind is None:
            assert not self._thread.is_alive()
            sound(self.written.lines)

    def type(self, *commands: str) -> None:
        for command in commands:
            self._typed.put(f"{command}\n".encode())

    def until(self, begins: str, seconds: float = 20) -> list[str]:
        """What is said from here on, up to a line with a beginning."""
        lines = self.written.wait(lambda line: line.startswith(begins), self._seen, seconds)
        self._seen += len(lines)
        return lines

    def ended(self, seconds: float) -> bool:
        """Whether the engine has ended, or does within some time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
