"""Bit operations: the instructions give what the Python twins do."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.kernels import bits

WORDS = st.integers(0, 2**62 - 1)
PROGRAM = """
import numba
from solver.kernels import bits
assert not bits.has_gather_instructions()
gather = numba.njit(lambda value, mask: bits.gather_bits(value, mask))
scatter = numba.njit(lambda value, mask: bits.scatter_bits(value, mask))
print(gather(0b110100, 0b101100), scatter(0b101, 0b101100))
"""


@numba.njit
def gather(value: int, mask: int) -> int:
    return bits.gather_bits(value, mask)


@numba.njit
def scatter(value: int, mask: int) -> int:
    return bits.scatter_bits(value, mask)


@settings(deadline=None)  # the first call compiles
@given(WORDS, WORDS)
def test_gathering_and_scattering(value: int, mask: int) -> None:
    places = [place for place in range(62) if mask >> place & 1]
    gathered = sum((value >> place & 1) << number for number, place in enumerate(places))
    scattered = sum((value >> number & 1) << place for number, place in enumerate(places))
    assert bits.gather_bits(value, mask) == gather(value, mask) == gathered
    assert bits.scatter_bits(value, mask) == scatter(value, mask) == scattered


def test_processors_without_the_instructions() -> None:
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.stdout, answer.stderr) == ("5 36\n", "")


@pytest.mark.parametrize(
    ("machine", "features", "expected"),
    [("x86_64", "+bmi2,+avx2", True), ("x86_64", "+avx2", False), ("aarch64", "+bmi2", False)],
)
def test_which_processors_have_them(
    monkeypatch: pytest.MonkeyPatch, machine: str, features: str, expected: bool
) -> None:
    monkeypatch.setattr(bits.platform, "machine", lambda: machine)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", features)
    assert bits.has_gather_instructions() is expected
