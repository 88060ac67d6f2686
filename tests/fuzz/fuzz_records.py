"""Coverage-guided fuzzing of the reader of records of full checks; see ``scripts/fuzz``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["solver"]):
    from records import make_database, read_record

    import solver.proof  # noqa: F401


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(Path(folder))
        atheris.Setup(sys.argv, lambda data: read_record(data, database))
        atheris.Fuzz()
