"""One writer per database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Morris

from solver.errors import LockedDatabaseError, ResourceError, UsageError
from solver.lock import locked

HOLD = """
import sys
from solver.lock import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of the database."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "database")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_writer_is_told_who_is_first(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    with (
        pytest.raises(LockedDatabaseError, match=rf"written by process {holder.pid} on .+ since"),
        locked(tmp_path / "database"),
    ):
        pass


def test_solve_refuses_a_database_that_is_being_written(
    morris: Morris, holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    message = morris("solve", "nine", "3-3", "--db", tmp_path / "database").refused(5)
    assert f"process {holder.pid}" in message


def test_the_lock_is_free_when_its_holder_is_done(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    holder.communicate("\n")
    with locked(tmp_path / "database"):
        record = json.loads((tmp_path / "database" / "lock").read_text())
        assert record["pid"] == os.getpid()
    assert (tmp_path / "database" / "lock").read_text() == ""


def test_the_lock_of_a_dead_holder_is_free(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert str(holder.pid) in (tmp_path / "database" / "lock").read_text()
    with locked(tmp_path / "database"):
        pass


def test_threads_of_one_process_exclude_each_other_too(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(LockedDatabaseError), locked(tmp_path):
        pass


def test_a_holder_that_left_no_name(tmp_path: Path) -> None:
    with locked(tmp_path):
        (tmp_path / "lock").write_text("[")
        with pytest.raises(LockedDatabaseError, match="another process"), locked(tmp_path):
            pass


def test_a_file_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="is not a folder"), locked(path):
            pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ResourceError, match="cannot be written"), locked(tmp_path):
        pass


def test_a_lock_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(ResourceError, match="cannot be written"), locked(tmp_path):
        pass
