"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from solver import atomicfile
from solver.atomicfile import remove_temporary_files, replacing
from solver.errors import ResourceError


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


def test_what_a_killed_writer_left_of_any_file_goes_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "out.npy"
    left = tmp_path / "out.npy.tmp-1"
    left.write_bytes(b"half")
    others = [tmp_path / name for name in ("out.npy.tmp-x", "about.npy.tmp-1", "outxnpy.tmp-1")]
    for other in others:
        other.touch()
    with replacing(path) as file:
        file.write(b"whole")
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "6-5.dtw.zst"
    own = tmp_path / f"6-5.dtw.zst.tmp-{os.getpid()}"
    with replacing(path) as file:
        assert remove_temporary_files(tmp_path) == []
        with pytest.raises(ResourceError, match="is being written"), replacing(path):
            pass
        assert list(tmp_path.iterdir()) == [own]
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
    other = tmp_path / "6-5.dtw.zst.tmp-1"
    with open(other, "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with replacing(path) as file:
            file.write(b"anew")
        assert remove_temporary_files(tmp_path) == []
    assert remove_temporary_files(tmp_path) == [other]


def test_where_files_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: object, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "file"
    own, other = (tmp_path / f"file.tmp-{number}" for number in (os.getpid(), 1))
    own.touch()
    other.touch()  # nobody can tell whether it is being written
    with replacing(path) as file:
        file.write(b"whole")
    assert sorted(tmp_path.iterdir()) == [path, other]


def test_one_that_is_removed_before_it_is_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, own = tmp_path / "file", tmp_path / f"file.tmp-{os.getpid()}"
    original = fcntl.flock
    removed = []

    def flock(file: int, how: int) -> None:
        if not removed:
            own.unlink()
            removed.append(own)
        original(file, how)

    monkeypatch.setattr(atomicfile.fcntl, "flock", flock)
    with replacing(path) as file:
        file.write(b"whole")
    assert removed
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]
