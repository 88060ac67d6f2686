"""Numba kernels: the only code in the package that is compiled.

Every kernel is serial, releases the GIL and takes plain arrays (or named tuples of arrays), so
that the same machine code serves any board and any rules; threads are given disjoint ranges of
blocks by :mod:`solver.parallel`.

Compiled code is cached between runs.  Numba keys its cache on the file that defines a function
alone, so a change in a *called* kernel would go unnoticed.  The cache therefore lives in a folder
named by a hash of all kernel sources, the Numba version and the Python version: any edit gives a
new, empty folder.  That also makes read-only installations work.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def source_hash() -> str:
    """Return a hash (16 hex digits) of all kernel sources, the Numba and the Python version."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{numba.__version__} {sys.version}".encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the folder for compiled kernels: the user's cache, else a temporary folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "morris-solver" / "kernels" / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.gettempdir()) / f"morris-solver-{os.getuid()}" / source_hash()


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """Compile `function` on first use, without the GIL, and keep the machine code."""
    return numba.njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return]


def step(function: Function) -> Function:
    """Compile a small function that kernels call in their inner loops.

    It must make no arrays: it is compiled without counting references to its arguments, which
    would cost more than the work it does.
    """
    return numba.njit(cache=True, nogil=True, _nrt=False)(function)  # type: ignore[no-any-return]
