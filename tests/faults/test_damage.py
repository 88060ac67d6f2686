"""A table file is damaged in every way that comes to mind, and everything asked that reads it.

Each damage is done to tables of every packing. What is asked then refuses and names the file and
the part, or gives the sound value; ``morris verify`` names the file and no other; ``morris solve``
or ``morris pack`` makes it anew, to the last byte as it was, and touches no other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from damaging import SUBJECTS, Harmed, Morris, Subject, sound_databases
from faultlist import Fault
from tableparts import Parts, sealed
from trials import PROMISE, REFUSED, Trial, flipped

FRAME_PROMISE = (
    "frames that are whole still answer; for the rest never a value, one line names file and frame,"
    " exit code 4; `morris verify` lists the file and goes on with the others; `morris solve` or"
    " `morris pack` makes it anew and touches no other"
)

Harm = Callable[[bytes, Parts, random.Random], bytes]


class Damage(NamedTuple):
    """A way to do harm to a file.

    Attributes:
        fault: what it is called.
        harm: makes the damaged file of a sound one.
        part: a pattern for the part that is named, and what is said of it.
    """

    fault: str
    harm: Harm
    part: str


def cut(size: Callable[[bytes, Parts], int]) -> Harm:
    return lambda data, parts, source: data[: size(data, parts)]


def zeroed(data: bytes, where: slice) -> bytes:
    """The file with zeros in the place of some bytes."""
    return data[: where.start] + bytes(where.stop - where.start) + data[where.stop :]


def foreign(data: bytes, parts: Parts, source: random.Random) -> bytes:
    return b"PK\x03\x04" + source.randbytes(len(data) - 4)


def next_version(data: bytes) -> bytes:
    return data[:16] + b"\2" + data[17:]


CUT = "seek table: (does not stand at the end|says|does not begin|too short)"

WHOLE_FILE = [
    Damage("an empty file", cut(lambda t, p: 0), "header: the file was cut: it has 0 bytes"),
    Damage(
        "a file cut to one byte", cut(lambda t, p: 1), "header: the file was cut: it has 1 byte"
    ),
    Damage(
        "a file cut within its header",
        cut(lambda t, p: p.header.stop // 2),
        "header: the file was cut: it has [0-9]+ bytes, the header alone",
    ),
    Damage("a file cut after its header", cut(lambda t, p: p.header.stop), CUT),
    Damage("a file cut at half its size", cut(lambda t, p: len(t) // 2), f"header: .*cut|{CUT}"),
    Damage("a file that has lost its last byte", cut(lambda t, p: len(t) - 1), CUT),
    Damage("a byte appended", lambda t, p, r: t + b"\0", CUT),
    Damage("garbage appended", lambda t, p, r: t + r.randbytes(5000), CUT),
    Damage("the table appended to itself", lambda t, p, r: t + t, CUT),
    Damage("the end of a file zeroed", lambda t, p, r: zeroed(t, slice(len(t) - 512, len(t))), CUT),
    Damage(
        "a file of nothing but zeros", lambda t, p, r: bytes(len(t)), "header: this is not a table"
    ),
    Damage("a file of another kind", foreign, "header: this is not a table file"),
    Damage(
        "a file whose first bytes are wrong",
        lambda t, p, r: t[:8] + b"morristb" + t[16:],
        "header: this is not a table file",
    ),
    Damage(
        "a file of a later version of the format",
        lambda t, p, r: sealed(next_version(t), p),
        "header: format version 2; this program reads 1",
    ),
    Damage(
        "one bit of the header flipped",
        lambda t, p, r: flipped(t, slice(20, p.header.stop), r),
        "header or seek table: wrong checksum",
    ),
    Damage(
        "one bit of the checksums flipped",
        lambda t, p, r: flipped(t, p.checksums, r),
        "header or seek table: wrong checksum",
    ),
    Damage(
        "one bit of the seek table flipped",
        lambda t, p, r: flipped(t, p.seek_table, r),
        "(header or seek table|seek table|checksums): ",
    ),
]


def one_frame(data: bytes, parts: Parts, source: random.Random) -> bytes:
    return flipped(data, source.choice(parts.frames), source)


def of_frames(change: Callable[[bytes, slice], bytes]) -> Harm:
    """Do harm to a frame of the payload, the last but one if there are several."""
    return lambda data, parts, source: change(data, parts.frames[-2:][0])


FRAME = "frame [0-9]+ of [0-9]+: (wrong checksum|ends too early)"
FRAMES = [
    Damage("one bit of a frame flipped", one_frame, FRAME),
    Damage("a frame zeroed", of_frames(zeroed), FRAME),
    Damage(
        "bytes of a frame exchanged",
        of_frames(lambda t, f: t[: f.start] + t[f.start : f.stop][::-1] + t[f.stop :]),
        FRAME,
    ),
]


def cases(damages: list[Damage], promise: str) -> Any:
    """Every damage with two tables, of the six in turn."""
    return pytest.mark.parametrize(
        ("damage", "subject"),
        [
            pytest.param(
                damage,
                subject,
                marks=pytest.mark.fault("damage", damage.fault, promise=promise),
                id=f"{damage.fault}-{subject.name}".replace(" ", "_"),
            )
            for number, damage in enumerate(damages)
            for subject in SUBJECTS[number % 3 :: 3]
        ],
    )


def harm(damage: Damage, harmed: Harmed, seed: object = 1) -> bytes:
    data = damage.harm(harmed.bytes, Parts.of(harmed.bytes), random.Random(f"{seed}"))
    assert data != harmed.bytes
    harmed.path.write_bytes(data)
    return data


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


@cases(WHOLE_FILE, PROMISE)
def test_what_makes_a_file_useless(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, damage: Damage, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    harm(damage, harmed)
    refused = Trial(morris, harmed, damage.part).run()
    assert refused == set(range(harmed.known.frames))
    fault.happened(REFUSED)


@cases(FRAMES, FRAME_PROMISE)
def test_what_makes_a_frame_useless(
    morris: Morris, fault: Fault, sound: Path, tmp_path: Path, damage: Damage, subject: Subject
) -> None:
    harmed = Harmed.copy(sound, subject, tmp_path)
    parts = Parts.of(harmed.bytes)
    data = harm(damage, harmed)
    hit = {n for n, frame in enumerate(parts.frames) if data[frame] != harmed.bytes[frame]}
    assert Trial(morris, harmed, damage.part).run() == hit
    fault.happened(REFUSED)
