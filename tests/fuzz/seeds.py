"""Sound files for the fuzzer to begin with: a table of every packing, small ones in many frames.

``python tests/fuzz/seeds.py`` writes them into the corpus.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from records import make_database

from solver.packing import choose_band
from solver.rules import get_variant
from solver.sectors import Sector
from solver.tablefile import write_table
from solver.tableheader import Counts, TableHeader
from solver.widths import BYTE, WORD, Width, payload_of

CORPUS = Path(__file__).with_name("corpus")
SECTOR = Sector(3, 3)
RULES = get_variant("three").reduced(SECTOR)


def sound_files() -> dict[str, bytes]:
    """The sound files of the corpus by name; not made anew, as other versions of zstd would."""
    return {
        path.name.removeprefix("raw-"): path.read_bytes()[1:]
        for path in sorted((CORPUS / "reader").glob("raw-*"))
    }


def tables() -> dict[str, bytes]:
    """Make them."""
    return {
        "byte": distances(BYTE, 300, 64),
        "word": distances(WORD, 150, 64),
        "one": distances(BYTE, 1, 256),
        "base3": values(20, 15),
    }


def distances(width: Width, slots: int, frame_size: int) -> bytes:
    random = np.random.default_rng(slots)
    stored = random.geometric(0.2, slots).astype(width.native)
    stored[random.random(slots) < 0.3] = width.draw
    stored[random.random(slots) < 0.05] = width.void
    stored[0] = width.deepest
    numbers = np.bincount(stored, minlength=width.numbers).tolist()
    header = TableHeader.of_counts(
        numbers,
        numbers,
        sector=str(SECTOR),
        slots=slots,
        major="mover",
        rules=RULES,
        program="test 1",
        frame_size=frame_size,
    )
    return written(header, payload_of(stored))


def values(blocks: int, block: int) -> bytes:
    bands = replace(choose_band(blocks, block), band=10)
    entries = np.random.default_rng(blocks).integers(0, 3, (blocks, block)).astype(np.uint8)
    payload = np.zeros(bands.payload_bytes, np.uint8)
    bands.pack(0, entries, payload)
    draws, wins, losses = np.bincount(entries.ravel(), minlength=3).tolist()
    header = TableHeader(
        sector=str(SECTOR),
        slots=blocks * block,
        major="mover",
        rules=RULES,
        positions=Counts(wins, losses, draws),
        distinct=Counts(wins, losses, draws),
        position_histogram={},
        distinct_histogram={},
        program="test 1",
        metric="wdl",
        packing="base3",
        block=block,
        band=bands.band,
        frame_size=bands.band_bytes,
    )
    return written(header, payload)


def written(header: TableHeader, payload: np.ndarray) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.zst"
        write_table(path, header, payload)
        return path.read_bytes()


def inputs() -> dict[str, bytes]:
    """The inputs that the corpus begins with, by name: every file in every way."""
    found = {}
    for name, file in tables().items():
        found[f"raw-{name}"] = b"R" + file
        found[f"sealed-{name}"] = b"S" + file
        length = int.from_bytes(file[4:8], "little") + 8
        found[f"forged-{name}"] = b"F" + file[20:length] + b"\n" + bytes(range(100))
    return found


if __name__ == "__main__":
    for name, data in inputs().items():
        (CORPUS / "reader" / name).write_bytes(data)
    with tempfile.TemporaryDirectory() as folder:
        record = make_database(Path(folder)).record
    (CORPUS / "records" / "sound").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
