"""``python -m solver`` is the ``morris`` command."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process, interruptions while it loads included."""
    try:
        from solver.cli import main as run

        run()
    except MemoryError:  # there is not even enough for the command line
        sys.stderr.write("Error: there is not enough memory to begin\n")
        sys.exit(5)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
