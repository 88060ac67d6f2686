"""Machine code that is kept between runs, and checked before it is believed.

Numba's own cache has three gaps.  It is keyed on the file that defines a function alone, so that
a change in a *called* kernel goes unnoticed and the old code runs on.  It loads a file without
looking whether it is whole: one flipped bit is executed.  And a folder or disk that refuses ends
the program, or has the code put beside the sources, where the first gap is widest.  Here:

- The folder's name is a hash of all kernel sources and all else that decides what is compiled:
  versions of Python, Numba, llvmlite and NumPy, and the compiler's settings.  Any change gives a
  new, empty folder (:mod:`solver.codefolder` says where).
- There is a file for each kernel and each combination of argument types and processor.  It begins
  with a checksum over its contents, its own name and the folder's; only when that agrees is it
  read further.
- Whatever is wrong with a file, or with writing one, never matters: the kernel is compiled, and
  the file replaced if it can be.  A file appears whole or not at all, so processes that compile at
  the same time do not disturb each other.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import struct
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import llvmlite
import numba
import numpy as np
import xxhash
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from solver.codefolder import SUFFIX, TEMPORARY, find_folder, hold, is_safe

__all__ = ["CodeStore"]

Function = TypeVar("Function", bound=Callable[..., Any])

_MAGIC: Final = b"morris-solver machine code 1\n"
_HEAD: Final = struct.Struct(f"<{len(_MAGIC)}sQ16s")  # magic, length of the rest, checksum

# Settings that change what is compiled, as the program that uses this package or a file
# .numba_config.yaml may have set them ...
_SETTINGS: Final = (
    "BOUNDSCHECK",
    "CPU_FEATURES",
    "CPU_NAME",
    "DEBUGINFO_DEFAULT",
    "DEBUG_ARRAY_OPT_RUNTIME",
    "DEBUG_NRT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "ENABLE_PROFILING",
    "EXTEND_VARIABLE_LIFETIMES",
    "JIT_COVERAGE",
    "LLVM_REFPRUNE_FLAGS",
    "LLVM_REFPRUNE_PASS",
    "LOOP_VECTORIZE",
    "NRT_STATS",
    "OPT",
    "SLP_VECTORIZE",
)
# ... and variables that do not. All others that begin with NUMBA_ are taken to matter, so that no
# setting of a later Numba is overlooked.
_HARMLESS: Final = (
    "NUMBA_CACHE_DIR",
    "NUMBA_COLOR_SCHEME",
    "NUMBA_DEBUG_CACHE",
    "NUMBA_DISABLE_CUDA",
    "NUMBA_DISABLE_JIT",
    "NUMBA_FULL_TRACEBACKS",
    "NUMBA_NUM_THREADS",
    "NUMBA_SHOW_HELP",
    "NUMBA_THREADING_LAYER",
    "NUMBA_THREADING_LAYER_PRIORITY",
)


class CodeStore:
    """The machine code of a package's kernels.

    Attributes:
        folder: where it is kept; None if it cannot be, or nothing is compiled.
    """

    def __init__(self, sources: Path) -> None:
        """Find the folder for the kernels whose sources lie in a folder."""
        self._sources = sources
        name = None if numba.config.DISABLE_JIT else self.name()
        self.folder = None if name is None else find_folder(name)
        if self.folder is not None:
            hold(self.folder)

    def name(self) -> str | None:
        """Return a hash (16 hex digits) of all that decides what is compiled.

        None if there are no sources, as in a package of bytecode alone: then there is no telling.
        """
        paths = sorted(self._sources.glob("*.py"))
        if not paths:
            return None
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
        settings = [getattr(numba.config, name, None) for name in _SETTINGS]
        asked = sorted(
            (name, value)
            for name, value in os.environ.items()
            if name.startswith("NUMBA_") and name not in _HARMLESS
        )
        digest.update(repr((_MAGIC, versions, settings, asked)).encode(errors="surrogateescape"))
        return digest.hexdigest()[:16]

    def keep(self, function: Function) -> Function:
        """Have what is compiled of a function kept; return the function."""
        if self.folder is not None:
            function._cache = _KernelCache(self, function.py_func)  # type: ignore[attr-defined]
        return function

    def read(self, name: str) -> bytes | None:
        """Return the contents of a file; None if it is not there or not as it was written."""
        if self.folder is None:
            return None
        with suppress(OSError), open(self.folder / name, "rb", opener=_open_no_link) as file:
            status = os.fstat(file.fileno())
            if not (stat.S_ISREG(status.st_mode) and is_safe(status)):
                return None
            head = file.read(_HEAD.size)
            if len(head) < _HEAD.size:
                return None
            magic, length, checksum = _HEAD.unpack(head)
            if magic != _MAGIC or length != status.st_size - _HEAD.size:
                return None
            contents = file.read(length)
            if checksum == self._checksum(name, contents):
                return contents
        return None

    def write(self, name: str, contents: bytes) -> None:
        """Write a file if that is possible."""
        # Nothing is kept under a wrong name if the sources have changed since they were imported,
        # as when the program is updated while it runs.
        with suppress(OSError):
            if self.folder is None or self.name() != self.folder.name:
                return
            descriptor, temporary = tempfile.mkstemp(prefix=f"{name}{TEMPORARY}", dir=self.folder)
            try:
                with open(descriptor, "wb") as file:
                    checksum = self._checksum(name, contents)
                    file.write(_HEAD.pack(_MAGIC, len(contents), checksum) + contents)
                os.replace(temporary, self.folder / name)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise

    def _checksum(self, name: str, contents: bytes) -> bytes:
        """Return what a file's head must say of its contents, name and folder."""
        assert self.folder is not None
        digest = xxhash.xxh3_128(f"{self.folder.name}/{name}\n".encode())
        digest.update(contents)
        return digest.digest()


def _open_no_link(path: str, flags: int) -> int:
    """Open a file that is no link, and do not wait if it is a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


class _Entry(NamedTuple):
    """What a file contains.

    Attributes:
        key: types of the arguments, and for which processor.
        code: the machine code and all else that Numba needs to run it.
    """

    key: tuple[Any, ...]
    code: tuple[Any, ...]


class _KernelCache:
    """Where a dispatcher of Numba looks for the compiled code of one kernel, and leaves it."""

    def __init__(self, store: CodeStore, function: Callable[..., Any]) -> None:
        self._store = store
        module = function.__module__.rpartition(".")[2]
        self._kernel = f"{module}.{function.__qualname__}"

    @property
    def cache_path(self) -> str:
        """The folder, for Numba's statistics."""
        return str(self._store.folder)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the code for some types of arguments; None if it must be compiled."""
        target_context.refresh()
        key = (signature, target_context.codegen().magic_tuple())
        contents = self._store.read(self._name(key))
        if contents is None:
            return None
        entry = _Entry(*pickle.loads(contents))
        if entry.key != key:  # the names differ where the keys do, but for chance
            return None
        return CompileResult._rebuild(target_context, *entry.code)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the code for some types of arguments."""
        if result.lifted or result.library.has_dynamic_globals:
            return
        key = (signature, result.codegen.magic_tuple())
        self._store.write(self._name(key), dumps(tuple(_Entry(key, result._reduce()))))

    def flush(self) -> None:
        """Remove what is kept of this kernel."""
        if self._store.folder is not None:
            for path in self._store.folder.glob(f"{self._kernel}-*{SUFFIX}"):
                path.unlink(missing_ok=True)

    def _name(self, key: tuple[Any, ...]) -> str:
        """Return the name of the file for a key."""
        return f"{self._kernel}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}{SUFFIX}"
