"""Table files that are no files, or that may not be read: said in one line, and nothing hangs."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from conftest import Morris
from strategies import NINE

from solver import seekable
from solver.build import build
from solver.errors import DamagedTableError, ResourceError
from solver.sectors import Sector
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path

THREE_THREE = Sector(3, 3)


@pytest.fixture
def copy(database: Path, tmp_path: Path) -> Path:
    """A database with 3-3, to do harm to."""
    path = table_path(tmp_path, NINE, THREE_THREE)
    path.parent.mkdir()
    shutil.copy(table_path(database, NINE, THREE_THREE), path)
    return tmp_path


def make_odd(path: Path, kind: str) -> None:
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(os.devnull)


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_not_a_regular_file(copy: Path, kind: str) -> None:
    path = table_path(copy, NINE, THREE_THREE)
    make_odd(path, kind)
    with pytest.raises(DamagedTableError, match=r"3-3\.dtw\.zst: file: this is not a regular file"):
        TableReader(path)
    with Tablebase(copy) as tablebase, pytest.raises(DamagedTableError) as caught:
        tablebase.reader(NINE, THREE_THREE)
    command = f"morris solve nine 3-3 --force --db {copy}"
    assert str(caught.value).endswith(f"; make it anew with: {command}")
    if kind == "folder":
        with pytest.raises(ResourceError, match="cannot be written"):
            build(NINE, [THREE_THREE], copy)
    else:
        assert build(NINE, [THREE_THREE], copy).solved == [THREE_THREE]
        assert stat.S_ISREG(path.lstat().st_mode)


def test_what_is_no_file_is_closed_again(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    for _ in range(3):
        with pytest.raises(seekable.ContainerError):
            seekable.FileSource(tmp_path)
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_damage_names_the_remedy(morris: Morris, copy: Path) -> None:
    path = table_path(copy, NINE, THREE_THREE)
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    command = f"morris solve nine 3-3 --force --db {copy}"
    for arguments in (["query", "w:Wa1,d1,g1:Ba7,b4,c4"], ["stats", "nine", "3-3"]):
        message = morris(*arguments, "--db", copy).refused(4)
        assert message.endswith(f"; make it anew with: {command}")


def test_a_file_that_may_not_be_read(
    morris: Morris, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str | os.PathLike[str]) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(seekable, "FileSource", refuse)
    path = table_path(copy, NINE, THREE_THREE)
    for command in (["query", "w:Wa1,d1,g1:Ba7,b4,c4"], ["stats", "nine", "3-3"]):
        message = morris(*command, "--db", copy).refused(5)
        assert message == f"{path} cannot be read: permission denied"


def test_files_of_other_names_are_not_passed_over_in_silence(morris: Morris, copy: Path) -> None:
    folder = table_path(copy, NINE, THREE_THREE).parent
    assert "looked at" not in morris("verify", "nine", "--db", copy).err
    for name in ("4-3.dtw.zst.part", "3-3.dtw (1).zst"):
        (folder / name).write_bytes(b"half")
    answer = morris("verify", "nine", "--checksums", "--db", copy)
    assert answer.code == 0
    for name in ("4-3.dtw.zst.part", "3-3.dtw (1).zst"):
        assert f"{folder / name} is not looked at: no table has such a name\n" in answer.err
    for number in range(9):
        (folder / f"notes {number}").touch()
    answer = morris("verify", "nine", "--checksums", "--db", copy)
    assert answer.err.count("no table has such a name") == 5
    assert "nor are 6 other files of such names\n" in answer.err
