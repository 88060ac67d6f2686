"""Every bit of a file is flipped, and it is cut at every size: nothing is ever believed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from faultlist import Fault
from tableparts import Parts

from solver.errors import DamagedTableError
from solver.seekable import StreamSource
from solver.tablefile import TableReader

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus" / "reader"
PROMISE = "refused when it is opened, naming header, checksums or seek table; never a value"


def reader_of(data: bytes, packing: str) -> TableReader:
    metric = "wdl" if packing == "base3" else "dtw"
    return TableReader(StreamSource(io.BytesIO(data)), name="t.zst", metric=metric)


def sound_file(packing: str) -> bytes:
    """A sound file of several frames that is not made anew: so many bytes it always has."""
    data = (CORPUS / f"raw-{packing}").read_bytes()[1:]
    with reader_of(data, packing) as reader:
        reader.check()
        assert reader.header.packing == packing
        assert reader.frames > 1
    return data


@pytest.mark.fault("damage", "a file cut at every size there is", promise=PROMISE)
@pytest.mark.parametrize("packing", ["byte", "word", "base3"])
def test_cut_at_any_size(fault: Fault, packing: str) -> None:
    data = sound_file(packing)
    for size in range(len(data)):
        with pytest.raises(DamagedTableError, match=r"^t\.zst: (header|seek table|checksums)"):
            reader_of(data[:size], packing)
    fault.happened("refused", len(data))


@pytest.mark.fault(
    "damage",
    "every single bit of a file flipped",
    promise="refused when it is opened, naming header, checksums or seek table; in a frame, that"
    " frame alone is refused and named; never a value",
)
@pytest.mark.parametrize("packing", ["byte", "base3"])
def test_any_flipped_bit(fault: Fault, packing: str) -> None:
    data = sound_file(packing)
    frames = Parts.of(data).frames
    damaged = bytearray(data)
    for bit in range(8 * len(data)):
        byte = bit // 8
        damaged[byte] ^= 1 << bit % 8
        hit = next((n for n, frame in enumerate(frames) if frame.start <= byte < frame.stop), None)
        if hit is None:
            with pytest.raises(DamagedTableError, match=r"^t\.zst: (header|seek table|checksums)"):
                reader_of(bytes(damaged), packing)
        else:
            with reader_of(bytes(damaged), packing) as reader:
                with pytest.raises(DamagedTableError, match=rf"^t\.zst: frame {hit} of "):
                    reader.frame(hit)
                other = (hit + 1) % len(frames)
                assert len(reader.frame(other)) == reader.header.frame_bytes(other)
        damaged[byte] ^= 1 << bit % 8
    assert damaged == data
    fault.happened("refused", 8 * len(data))
