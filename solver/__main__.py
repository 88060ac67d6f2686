"""``python -m solver`` is the ``morris`` command."""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["main"]

_ROOM: Final = 16_000_000
"""Bytes of address space that the command line takes; measured: 11 MB."""


def _too_little_room() -> str | None:
    """Return why there is too little room to load the command line; None if there is enough.

    Python itself fails in many ways where it is refused memory amid an import.
    """
    try:
        from solver.memory import address_space

        found = address_space()
    except (MemoryError, ImportError, OSError):
        return "there is not enough memory to begin"
    if found is None or found[0] + _ROOM <= found[1]:
        return None
    return (
        f"this takes at least {(found[0] + _ROOM) / 1e6:.1f} MB of address space, but the limit is"
        f" {found[1] / 1e6:.1f} MB (ulimit -v)"
    )


def main() -> None:
    """Run the command line and end the process, interruptions while it loads included."""
    try:
        why = _too_little_room()
        if why is not None:
            if sys.stderr is not None:
                sys.stderr.write(f"Error: {why}\n")
            sys.exit(5)
        from solver.cli import main as run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
