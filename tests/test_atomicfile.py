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
    stale = [
        tmp_path / name
        for name in (
            "2-3+7-6.wdl.zst.tmp-8",
            "6-5.dtw.zst.tmp-17",
            "6-5.verified.json.tmp-17",
        )
    ]
    for path in stale:
        path.touch()
    assert remove_temporary_files(tmp_path) == stale
    assert list(tmp_path.iterdir()) == []
    assert remove_temporary_files(tmp_path / "missing") == []


def test_nothing_of_anybody_else_is_removed(tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "6-5.dtw.zst.tmp-1").symlink_to("target")
    (tmp_path / "6-5.dtw.zst.tmp-2").mkdir()
    deeper = tmp_path / "6-5.dtw.zst.tmp-2" / "6-5.dtw.zst.tmp-3"
    deeper.touch()
    for name in ("6-5.dtw.zst", "notes.tmp-1", "6-5.dtw.zst.tmp-x", "my 6-5.dtw.zst.tmp-1"):
        (tmp_path / name).touch()
    before = sorted(tmp_path.rglob("*"))
    assert remove_temporary_files(tmp_path) == []
    assert sorted(tmp_path.rglob("*")) == before
