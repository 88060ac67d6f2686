"""What signals do to a command that writes or takes long."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = ["terminated_like_interrupted"]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ONE_WISH_SECONDS: Final = 1.0
"""Signals that follow within so much time are one wish to stop: a key pressed twice in haste, or
what is sent to a process and then to its group. The second must not disturb the cleaning up."""


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM, and SIGHUP of a closed terminal, end the block as Ctrl-C does: files in order.

    A signal that the caller has set to be ignored, as ``nohup`` does, is still ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    last = -_ONE_WISH_SECONDS
    report = sys.unraisablehook

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _ONE_WISH_SECONDS:
            last = now
            raise KeyboardInterrupt

    def again(lost: sys.UnraisableHookArgs) -> None:
        """Ask again where the interruption came amid a call that raises nothing."""
        nonlocal last
        if isinstance(lost.exc_value, KeyboardInterrupt) and taken:
            last = -_ONE_WISH_SECONDS
            os.kill(os.getpid(), taken[0])
        else:
            report(lost)

    taken = [n for n in _SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    previous = {number: signal.signal(number, interrupt) for number in taken}
    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = report
        for number, handler in previous.items():
            signal.signal(number, handler)
