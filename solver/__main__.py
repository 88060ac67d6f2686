"""``python -m solver`` is the ``morris`` command."""

from solver.cli import main

if __name__ == "__main__":
    main()
