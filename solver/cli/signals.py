"""What signals do to a command that writes or takes long."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = [
    "keep_to_the_end",
    "said_when_interrupted",
    "say_when_interrupted",
    "terminated_like_interrupted",
]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ONE_WISH_SECONDS: Final = 1.0
"""Signals that follow within so much time are one wish to stop: a key pressed twice in haste, or
what is sent to a process and then to its group. The second must not disturb the cleaning up."""
_RETRY_SECONDS: Final = 0.005
_LONGEST_SECONDS: Final = 3.0
"""How long an interruption is put off at most; what puts it off takes microseconds, or a second
where it is a large library being imported."""
_FRAGILE: Final = ("threading", "concurrent.futures", "queue", "importlib._bootstrap")
"""Modules that, interrupted at the wrong moment, leave a lock behind that nobody gives back."""

_to_the_end = False


def _plainly() -> str:
    return "interrupted"


_said = _plainly


def say_when_interrupted(words: Callable[[], str] = _plainly) -> None:
    """Have a text said if the command is interrupted from now on, wherever it is then.

    Not where the interruption is caught: it may come before the code that would catch it or after
    it, and by the time the command ends more may be finished.

    Args:
        words: returns it, when all has been cleaned up.
    """
    global _said
    _said = words


def said_when_interrupted() -> str:
    """Return what to say of an interruption that has ended the command."""
    return _said()


def keep_to_the_end() -> None:
    """Have what holds in the block hold to the end of the process, once a signal has ended it.

    For the process has yet to say what it did, and another signal may follow.
    """
    global _to_the_end
    _to_the_end = True


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM, and SIGHUP of a closed terminal, end the block as Ctrl-C does: files in order.

    A signal that the caller has set to be ignored, as ``nohup`` does, is still ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    taken = [n for n in _SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    interruption = _Interruption()
    previous = {n: signal.signal(n, interruption.ask) for n in (*taken, signal.SIGALRM)}
    report = sys.unraisablehook

    def again(lost: sys.UnraisableHookArgs) -> None:
        """Ask again where the interruption came amid a call that raises nothing."""
        if isinstance(lost.exc_value, KeyboardInterrupt):
            interruption.put_off()
        else:
            report(lost)

    sys.unraisablehook = again
    done = False
    try:
        yield
        done = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if done or not (interruption.happened and _to_the_end):
            sys.unraisablehook = report
            for number, handler in previous.items():
                signal.signal(number, handler)
        else:
            atexit.register(_disarm)


def _disarm() -> None:
    """Have signals that come while Python ends change nothing: all has been said and cleaned up.

    Python gives up its handlers then, and a signal that nobody handles kills, as does the alarm by
    which an interruption is put off.
    """
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (*_SIGNALS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


class _Interruption:
    """Raises KeyboardInterrupt in the main thread when a signal asks for it, and it does no harm.

    Attributes:
        happened: whether a signal has come.
    """

    def __init__(self) -> None:
        self.happened = False
        self._asked = -_ONE_WISH_SECONDS
        self._seen: tuple[FrameType, int, float] | None = None

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; or look again, where an interruption has been put off."""
        now = time.monotonic()
        if number != signal.SIGALRM:
            if now - self._asked < _ONE_WISH_SECONDS:
                return
            self.happened = True
            self._asked = now
        if frame is None or now - self._asked > _LONGEST_SECONDS or self._may_interrupt(frame):
            self._seen = None
            raise KeyboardInterrupt
        self.put_off()

    def put_off(self) -> None:
        """Look again in a moment."""
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)

    def _may_interrupt(self, frame: FrameType) -> bool:
        """Return whether no fragile code is at work; or it does nothing but wait.

        It waits if it is where it was a moment ago and has taken no time of the processor. A lock
        that is waited for is not held yet.
        """
        if not _is_fragile(frame):
            return True
        seen, now = self._seen, (frame, frame.f_lasti, time.thread_time())
        self._seen = now
        return seen is not None and seen[:2] == now[:2] and now[2] - seen[2] < _RETRY_SECONDS / 5


def _is_fragile(frame: FrameType | None) -> bool:
    """Return whether fragile code is being run, or has called what is."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(_FRAGILE):
            return True
        frame = frame.f_back
    return False
