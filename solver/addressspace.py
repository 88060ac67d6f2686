"""Room in a limited address space (``ulimit -v``), made sure of before large libraries are loaded.

NumPy and LLVM, which Numba compiles with, end the process by themselves where they find too little,
or with pages of advice that does not help. So they are not even begun to be loaded then.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Final

from solver.errors import ResourceError
from solver.memory import address_space, gigabytes

__all__ = ["LIBRARIES", "load_only_with_room"]

COMPILING: Final = 600_000_000
"""Bytes of address space that Numba takes besides where nothing is compiled yet."""
LIBRARIES: Final = {"numpy": 110_000_000, "numba": 480_000_000}
"""Bytes of address space that a library and what is done with small tables take.

Measured on x86-64: 83 MB for NumPy, 25 MB more for a query; 185 MB for Numba, 110 MB for the
compiled code, and up to 75 MB for each thread that works or writes. Compiling takes 260 MB more.
"""


class _RoomFirst(MetaPathFinder):
    """Asked before a module is looked for: refuses the large ones where there is no room."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> None:
        """Find nothing, but refuse.

        Raises:
            ResourceError: there is too little room; says how much is needed and allowed.
        """
        need = LIBRARIES.get(fullname, 0)
        if fullname.startswith("solver.kernels.") and not _is_anything_compiled():
            need = COMPILING
        found = address_space()
        if not need or found is None:
            return
        used, limit = found
        if used + need > limit:
            raise ResourceError(
                f"this takes about {gigabytes(used + need)} of address space, but the limit is"
                f" {gigabytes(limit)} (ulimit -v)"
            )


def _is_anything_compiled() -> bool:
    """Return whether the cache of compiled code has something in it."""
    from solver.codefolder import SUFFIX
    from solver.kernels import CODE

    return CODE.folder is not None and any(CODE.folder.glob(f"*{SUFFIX}"))


def load_only_with_room() -> None:
    """Refuse from now on to load a large library where the address space is too small for it."""
    if address_space() is not None:
        sys.meta_path.insert(0, _RoomFirst())
