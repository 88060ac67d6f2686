"""Children that are forked while other threads of their parent ask: they must not wait for those.

A child has a copy of every lock, in the state it was in, but only the thread that forked it. A lock
that another thread held stays shut in the child for ever. Those of Python that questions meet are
seen to here; those of this package's own objects are seen to where they are.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - has logging imported as well
import os
import sys
from functools import cached_property
from threading import RLock

__all__ = ["ready_for_forks"]

_ready = False


def ready_for_forks() -> None:
    """See to it from now on that questions can be asked in children, whenever they are forked."""
    global _ready
    if not _ready:
        _ready = True
        os.register_at_fork(before=_import_the_rest, after_in_child=_open_cached_properties)


def _import_the_rest() -> None:
    """Import what questions import when they first need it.

    A thread that is importing a module holds its lock, so this waits until it is done. None of
    these modules may have anything done before a fork, as this one has begun already; those of
    Python that have, which threads need, are imported above.
    """
    import solver.notation
    import solver.probing
    import solver.survey  # noqa: F401


def _open_cached_properties() -> None:
    """Give the properties that are worked out once new locks; before Python 3.12 each has one."""
    if sys.version_info >= (3, 12):
        return
    modules = [module for name, module in sys.modules.items() if name.startswith("solver.")]
    for module in modules:
        for kind in [value for value in vars(module).values() if isinstance(value, type)]:
            for found in vars(kind).values():
                if isinstance(found, cached_property):
                    found.lock = RLock()  # type: ignore[attr-defined]
