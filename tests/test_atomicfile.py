"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solver.atomicfile import remove_temporary_files, replacing


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file"
    with replacing(path) as file:
        file.write(b"whole")
        assert os.listdir(path.parent) == [f"file.tmp-{os.getpid()}"]
    assert os.listdir(path.parent) == ["file"]
    assert path.read_bytes() == b"whole"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"half")
        raise error
    assert os.listdir(tmp_path) == ["file"]
    assert path.read_bytes() == b"old"


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    keep = tmp_path / "merels24-0123" / "6-5.dtw.zst"
    stale = keep.with_name("6-5.dtw.zst.tmp-17")
    keep.parent.mkdir()
    keep.touch()
    stale.touch()
    assert remove_temporary_files(tmp_path) == [stale]
    assert list(keep.parent.iterdir()) == [keep]
    assert remove_temporary_files(tmp_path / "missing") == []
