"""Coverage-guided fuzzing of the reader of table files; see ``scripts/fuzz``."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["solver"]):
    from reading import read_input
    from seeds import sound_files

    import solver.tablefile  # noqa: F401

SOUND = frozenset(sound_files().values())


def one_input(data: bytes) -> None:
    read_input(data, SOUND)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
