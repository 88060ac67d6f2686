"""Lines that the engine reads and writes."""

from __future__ import annotations

import errno
import io
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.engine.streams import LONGEST_LINE, Output, read_lines


class Slow:
    """A writer that takes a few bytes at a time, and sometimes none."""

    def __init__(self) -> None:
        self.data = b""
        self.calls = 0

    def write(self, data: memoryview) -> int | None:
        self.calls += 1
        if self.calls % 3 == 0:
            return None
        piece = bytes(data[:5])
        self.data += piece
        return len(piece)

    def flush(self) -> None:
        assert self.data.endswith(b"\n")


class Broken:
    """A writer whose reader has gone."""

    calls = 0

    def write(self, data: memoryview) -> int:
        self.calls += 1
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def flush(self) -> None:
        raise AssertionError("nothing was written")


@given(lines=st.lists(st.text(max_size=20).map(lambda text: text.replace("\n", ""))))
def test_lines_are_read_as_they_were_written(lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    expected = [line.encode("utf-8", "replace").decode() for line in lines]
    read = [line.removesuffix("\n") for line in read_lines(io.BytesIO(data)) if line is not None]
    assert read == expected


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_the_longest_line(length: int, end: bytes) -> None:
    size = LONGEST_LINE - 2 + length
    lines = list(read_lines(io.BytesIO(b"first\n" + b"x" * size + end)))
    fits = size <= LONGEST_LINE - 1
    assert lines == ["first\n", "x" * size + end.decode() if fits else None]


@given(text=st.text())
def test_what_is_written_is_one_line_of_utf_8(text: str) -> None:
    stream = io.BytesIO()
    Output(stream).say(text)
    written = stream.getvalue().decode()
    assert written.endswith("\n")
    assert written[:-1].isprintable()
    assert written.count("\n") == 1
    if text.isprintable():
        assert written == f"{text}\n"


def test_a_stream_that_takes_little_at_a_time() -> None:
    slow = Slow()
    Output(slow).say("a line of some length", "", "ünd another")
    assert slow.data.decode() == "a line of some length\n\nünd another\n"


def test_lines_of_two_threads_do_not_mix() -> None:
    slow = Slow()
    output = Output(slow)

    def speak(name: str) -> None:
        for number in range(30):
            output.say(f"{name} {number} begins", f"{name} {number} ends")

    threads = [threading.Thread(target=speak, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = slow.data.decode().splitlines()
    assert len(lines) == 120
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert begin.replace("begins", "ends") == end


def test_an_error_is_kept_and_ends_the_writing() -> None:
    broken = Broken()
    output = Output(broken)
    output.say("lost")
    output.inform("lost too")
    assert isinstance(output.error, BrokenPipeError)
    assert broken.calls == 1


def test_nothing_is_written_after_the_end() -> None:
    stream = io.BytesIO()
    output = Output(stream)
    output.say("before")
    output.close()
    output.say("after")
    assert stream.getvalue() == b"before\n"


def test_long_strings_are_shortened() -> None:
    stream = io.BytesIO()
    Output(stream).inform("x" * 5000)
    assert stream.getvalue().decode() == f"info string {'x' * 1997}...\n"
