"""How much memory and disk there is, how much of it this process has used, and how many files."""

from __future__ import annotations

import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = [
    "DEFAULT_SHARE",
    "PeakMeter",
    "address_space",
    "available_memory",
    "default_memory",
    "free_disk",
    "gigabytes",
    "most_open_tables",
    "peak_memory",
    "reset_peak",
    "resident_memory",
    "total_memory",
]

DEFAULT_SHARE: Final = 0.75
"""Part of the available memory that is used unless the user says otherwise."""
_ASSUMED: Final = 4 << 30  # where nothing tells how much there is
_STATUS: Final = Path("/proc/self/status")
_CLEAR: Final = Path("/proc/self/clear_refs")
_CLEAR_PEAK: Final = "5"


def available_memory() -> int:
    """Return the bytes this process can take without swapping or being refused.

    The least of what the system has available, what a control group leaves, and what a limit on
    the address space (``ulimit -v``) leaves.
    """
    return max(0, min(_limits(), default=_ASSUMED))


def address_space() -> tuple[int, int] | None:
    """Return the bytes of address space in use and the most there may be; None for no limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else (_address_space_used(), limit)


def total_memory() -> int:
    """Return the bytes of memory that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def default_memory() -> int:
    """Return the bytes to use unless the user says otherwise."""
    return int(DEFAULT_SHARE * available_memory())


def peak_memory() -> int:
    """Return the most memory this process has had resident so far, in bytes.

    Since :func:`reset_peak`, where that was called.
    """
    # What Linux says by getrusage can still be the peak of the process that started this one.
    found = _status("VmHWM")
    if found is not None:
        return found
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak() -> bool:
    """Let :func:`peak_memory` begin anew with what is resident now; return whether it does.

    Only Linux can do that.
    """
    try:
        _CLEAR.write_text(_CLEAR_PEAK, encoding="ascii")
    except OSError:
        return False
    return _status("VmHWM") is not None


def resident_memory() -> int | None:
    """Return the memory this process has resident, in bytes; None where nothing tells."""
    return _status("VmRSS")


class PeakMeter:
    """The most memory resident in parts of a run, and in all of it."""

    def __init__(self) -> None:
        self._before = 0
        self._highest = 0

    def begin(self, own: int) -> bool:
        """Begin to measure a part; return whether the system can tell.

        Args:
            own: bytes resident already that count as the part's.
        """
        _trim()
        resident = resident_memory()
        self._highest = self.overall
        if resident is None or not reset_peak():
            return False
        self._before = resident - own
        return True

    def end(self) -> int:
        """Return the most memory since `begin`, less what was there then and is not the part's."""
        return peak_memory() - self._before

    @property
    def overall(self) -> int:
        """The most memory this process has had resident so far, in bytes."""
        return max(self._highest, peak_memory())


def free_disk(folder: str | os.PathLike[str]) -> int:
    """Return the bytes free for files in a folder, which need not exist yet."""
    path = Path(folder).absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def most_open_tables() -> int:
    """Return how many tables to keep open at most: a third of the files a process may have."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit // 3


def gigabytes(number: float) -> str:
    """Return bytes for messages, in the unit that limits are given in: ``0.25 GB``.

    What is too little for that is given in a smaller unit: ``0.50 MB``, ``5 bytes``.
    """
    if number >= 1e7:
        return f"{number / 1e9:,.2f} GB"
    return f"{number / 1e6:.2f} MB" if number >= 1e4 else f"{number:.0f} bytes"


def _trim() -> None:
    """Give memory that is free, but kept for what is made next, back to the system."""
    import ctypes  # seldom wanted, and takes its time

    with suppress(OSError, AttributeError):  # other libraries have no such call
        ctypes.CDLL(None).malloc_trim(0)


def _status(name: str) -> int | None:
    """Return an amount of memory that Linux tells of this process, in bytes."""
    with suppress(OSError):
        text = _STATUS.read_text(encoding="utf-8")
        match = re.search(rf"^{name}:\s*(\d+) kB$", text, re.MULTILINE)
        if match is not None:
            return int(match[1]) * 1024
    return None


def _limits() -> Iterator[int]:
    system = _system_available()
    if system is not None:
        yield system
    yield from _control_groups_left(Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"))
    found = address_space()
    if found is not None:
        used, limit = found
        yield limit - used


def _system_available() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError):  # not Linux: half of all is a cautious guess
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def _control_groups_left(root: Path, own: Path) -> Iterator[int]:
    """Yield what the control groups of this process leave, from its own upwards.

    Args:
        root: where they are mounted.
        own: the file that names those of this process.
    """
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in (line for line in lines if len(line) == 3):
        if not controllers:  # version 2
            yield from _left(root, path, "memory.max", "memory.current", "inactive_file ")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "
            yield from _left(root / "memory", path, *names)


def _left(root: Path, path: str, limit: str, used: str, cached: str) -> Iterator[int]:
    """Yield limit minus use (but for cached files, which make room) of a group and those above."""
    folder = root / path.lstrip("/")
    while folder.is_relative_to(root):
        with suppress(OSError, ValueError):  # "max" is no number: no limit
            left = int((folder / limit).read_text()) - int((folder / used).read_text())
            for line in (folder / "memory.stat").read_text().splitlines():
                if line.startswith(cached):
                    left += int(line.split()[1])
            yield left
        folder = folder.parent


def _address_space_used() -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0
