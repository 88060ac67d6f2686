"""How much memory and disk there is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faultlist import Fault

from solver import memory


def test_some_memory_is_available_and_some_is_used() -> None:
    assert 10e6 < memory.available_memory() < 1e15
    assert memory.default_memory() <= memory.available_memory()
    assert 1e6 < memory.peak_memory() < 1e12


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a peak begin anew")


@LINUX
def test_the_peak_of_a_part() -> None:
    size = 60_000_000
    meter = memory.PeakMeter()
    assert meter.begin(0)
    passing = bytearray(size)
    del passing
    assert size - 5e6 < meter.end() < size + 20e6  # what the system tells is not quite exact
    whole = meter.overall
    # What is there before counts only as far as it is said to be the part's.
    kept = bytearray(size)
    assert meter.begin(0)
    assert meter.end() < 20e6
    assert meter.begin(len(kept))
    assert size - 20e6 < meter.end() < size + 20e6
    del kept
    assert meter.begin(0)
    assert memory.peak_memory() < whole - size / 2
    assert meter.overall >= whole


@LINUX
@pytest.mark.parametrize("missing", ["_CLEAR", "_STATUS"])
def test_a_system_that_cannot_tell_the_peak_of_a_part(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, missing, tmp_path / "nowhere" / "file")
    meter = memory.PeakMeter()
    assert not meter.begin(0)
    assert meter.overall > 1e6


def test_free_disk_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    free = memory.free_disk(tmp_path / "not" / "yet")
    assert free == pytest.approx(shutil.disk_usage(tmp_path).free, rel=0.1)


def test_gigabytes() -> None:
    assert memory.gigabytes(2_513_000_000) == "2.51 GB"
    assert memory.gigabytes(10_000_000) == "0.01 GB"
    assert memory.gigabytes(500_000) == "0.50 MB"
    assert memory.gigabytes(5) == "5 bytes"


def write_group(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


CONTROL_GROUP = pytest.mark.fault(
    "scarcity",
    "a control group leaves less memory than the machine has",
    promise="no more than three quarters of what it leaves is used unless --memory says so",
)


@CONTROL_GROUP
def test_a_control_group_and_those_above_it(tmp_path: Path, fault: Fault) -> None:
    root, own = tmp_path / "root", tmp_path / "own"
    own.write_text("1:cpu:/elsewhere\n0::/outer/inner\n")
    write_group(
        root / "outer", memory__max=1000, memory__current=700, memory__stat="inactive_file 50"
    )
    write_group(root / "outer" / "inner", memory__max="max", memory__current=5, memory__stat="")
    assert list(memory._control_groups_left(root, own)) == [350]
    fault.happened("the least that any of them leaves counts")


@CONTROL_GROUP
def test_a_control_group_of_the_first_version(tmp_path: Path, fault: Fault) -> None:
    root, own = tmp_path / "root", tmp_path / "own"
    own.write_text("4:cpu,memory:/job\n")
    write_group(
        root / "memory" / "job",
        memory__limit_in_bytes=1000,
        memory__usage_in_bytes=900,
        memory__stat="inactive_file 1\ntotal_inactive_file 300",
    )
    assert list(memory._control_groups_left(root, own)) == [400]
    fault.happened("the least that any of them leaves counts")


def test_no_control_groups(tmp_path: Path) -> None:
    assert list(memory._control_groups_left(tmp_path, tmp_path / "nothing")) == []


def test_a_limit_on_the_address_space_counts() -> None:
    code = (
        "import resource; from solver.memory import available_memory;"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "assert available_memory() < 1 << 30"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
