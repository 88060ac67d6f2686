"""Numba kernels: the only code in the package that is compiled.

Every kernel is serial, releases the GIL and takes plain arrays (or named tuples of arrays), so
that the same machine code serves any board and any rules; threads are given disjoint ranges of
blocks by :mod:`solver.parallel`.

Compiled code is kept between runs by :mod:`solver.codecache`, under a name that covers all of these
sources: a kernel contains the code of those it calls, in other modules too, and Numba alone would
not see that one of them has changed.  So kernels use nothing of the package but each other.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba

from solver.codecache import CodeStore

Function = TypeVar("Function", bound=Callable[..., Any])

CODE: Final = CodeStore(Path(__file__).parent)
"""The machine code of all kernels."""


def kernel(function: Function) -> Function:
    """Compile `function` on first use, without the GIL, and keep the machine code."""
    return CODE.keep(numba.njit(nogil=True)(function))  # type: ignore[no-any-return]


def step(function: Function) -> Function:
    """Compile a small function that kernels call in their inner loops.

    It must make no arrays: it is compiled without counting references to its arguments, which
    would cost more than the work it does.
    """
    return CODE.keep(numba.njit(nogil=True, _nrt=False)(function))  # type: ignore[no-any-return]
