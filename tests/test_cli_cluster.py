"""``morris solve`` with several workers: what it needs, refuses, and says."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Morris
from faultlist import Fault
from test_cluster import free_port, local_cluster

from solver.cluster.batch import _Patience
from solver.cluster.places import StartedHere

ROOT = Path(__file__).parents[1]
STARTED = r"""
import sys
{before}
from solver.cli import run
code = run(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def started(*arguments: object, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``morris`` in a process of its own, which says at the end what it has imported."""
    return subprocess.run(
        [sys.executable, "-c", STARTED.format(before=before), *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip


def test_nothing_of_dask_without_a_cluster(tmp_path: Path) -> None:
    done = started("solve", "nine", "3-3", "--db", tmp_path)
    assert done.returncode == 0, done.stderr
    modules = {name.split(".")[0] for name in done.stderr.split()}
    assert "solver" in modules
    assert not modules & {"dask", "distributed", "tornado"}


@pytest.mark.parametrize("option", [("--workers", 2), ("--scheduler", "tcp://127.0.0.1:1")])
def test_without_dask_it_says_what_to_install(tmp_path: Path, option: tuple[object, ...]) -> None:
    missing = "sys.modules['distributed'] = None"
    done = started("solve", "nine", "3-3", *option, "--db", tmp_path, before=missing)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "Error: solving with several workers needs the Python package distributed, which is not"
        " installed; install it with: pip install 'morris-solver[cluster]'\n"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            ("--workers", 2, "--scheduler", "tcp://127.0.0.1:1"),
            "--workers starts workers on this machine, and --scheduler uses those of a cluster:"
            " give one of them",
        ),
        (
            ("--scheduler", "tcp://127.0.0.1:1", "--threads", 2),
            "with --scheduler each worker has the threads it was started with: leave out --threads",
        ),
        (("--workers", 0), "--workers takes a whole number of 1 or more, not '0'"),
    ],
)
def test_what_does_not_go_together(
    morris: Morris, tmp_path: Path, options: tuple[object, ...], reason: str
) -> None:
    refused = morris("solve", "nine", "3-3", *options, "--db", tmp_path).refused(2)
    assert refused.removesuffix(". Try 'morris solve --help'.") == reason


@pytest.mark.parametrize(
    "address",
    ["", "nowhere", "foo://a:1", "inproc://x", "ucx://a:1", "tcp://[::1", "tcp://a:b", "tls://a:1"],
)
def test_what_is_no_address(morris: Morris, tmp_path: Path, address: str) -> None:
    answer = morris("solve", "nine", "3-3", "--scheduler", address, "--db", tmp_path)
    assert answer.refused(2).startswith(f"{address!r} is not the address of a scheduler, such as ")


def test_where_nobody_answers(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.cluster.batch._PATIENCE", _Patience(0.5, 0.5))
    address = f"tcp://127.0.0.1:{free_port()}"
    answer = morris("solve", "nine", "3-3", "--scheduler", address, "--db", tmp_path)
    assert answer.refused(5).startswith(f"no scheduler answers at {address}: ")


def test_where_another_program_answers(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask waits for ever for what it does not understand."""
    monkeypatch.setattr("solver.cluster.batch._PATIENCE", _Patience(0.5, 0.5))
    monkeypatch.setattr("solver.cluster.places._ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        answer = morris("solve", "nine", "3-3", "--scheduler", address, "--db", tmp_path)
    assert answer.refused(5).startswith(f"no scheduler answers at {address}: ")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("TEMPORARY_DIRECTORY", "/proc/none"), ("DISTRIBUTED__WORKER__PRELOAD", "no_such_module")],
)
def test_where_workers_cannot_be_started(tmp_path: Path, setting: str, value: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "solver", "solve", "nine", "3-3", "--workers", "1"],
        cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {f"DASK_{setting}": value, "MORRIS_DB": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 5
    first, second = done.stderr.splitlines()
    assert first == "starting 1 worker"
    assert second.startswith("Error: workers cannot be started here: ")


def test_where_no_worker_is(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.cluster.batch._PATIENCE", _Patience(0.5, 0.5))
    with local_cluster(0) as cluster:
        address = cluster.scheduler_address
        answer = morris("solve", "nine", "3-3", "--scheduler", address, "--db", tmp_path)
    assert answer.code == 5
    assert answer.err == (
        "waiting for a worker\n"
        "Error: no worker has joined the scheduler within 0.5 seconds; start some with:"
        f" dask worker {address}\n"
    )


def test_where_workers_have_too_little_memory(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("solve", "nine", "8-7", "--db", tmp_path)
    with local_cluster(1, resources={"memory": 2e9}) as cluster:
        address = cluster.scheduler_address
        declared = morris(*arguments, "--scheduler", address).refused(5)
        limited = morris(*arguments, "--scheduler", address, "--memory", "1.5").refused(5)
    assert declared.startswith("not solvable so: unit 8-7 has 1,072,591,520 slots and needs about ")
    assert "and the limit of each worker is 2.00 GB" in declared
    assert declared.endswith(
        f"may be said by: dask worker {address} --resources memory=BYTES"
    )  # fmt: skip
    assert "and the limit of each worker is 1.50 GB" in limited
    assert "allow more with --memory " in limited
    # It is known before any worker is started here.
    monkeypatch.setattr(StartedHere, "opened", None)
    here = morris(*arguments, "--workers", 3, "--memory", 1).refused(5)
    assert "and the limit of each worker is 1.00 GB" in here
    many = morris("solve", "nine", "3-3", "--db", tmp_path, "--workers", 999, "--memory", 1)
    assert many.refused(5).startswith(
        "999 workers with 1.00 GB of memory each need 999.00 GB, but only "
    )
    assert not list(tmp_path.rglob("*.zst"))


def test_nothing_to_do_takes_no_cluster(
    morris: Morris, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StartedHere, "opened", None)
    answer = morris("solve", "nine", "4-3", "--workers", 2, "--db", database)
    assert answer.code == 0
    assert answer.out.startswith("3 tables were there already (")


@contextmanager
def running(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """``morris`` in a group of processes of its own, as in a terminal."""
    with subprocess.Popen(
        [sys.executable, "-m", "solver", *map(str, arguments)], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        # A test runner may have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.fault(
    "interruption",
    "Ctrl-C on a terminal during a run with several workers",
    promise="exit 130 and one sentence; no process is left, and tables that are finished stay",
)
def test_interrupted_on_a_terminal(fault: Fault, morris: Morris, tmp_path: Path) -> None:
    with running("solve", "nine", "--stones", 9, "--workers", 2, "--db", tmp_path) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("4-3: "):
                break
        os.killpg(process.pid, signal.SIGINT)
        last = process.stderr.read().splitlines()[-1]
        process.wait()
        assert process.returncode == 130
        assert last.startswith("interrupted; ")
        assert last.endswith("to go on from there, give the same command again")
        with pytest.raises(ProcessLookupError):  # no worker is left of it
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                os.killpg(process.pid, 0)
                time.sleep(0.05)
    names = {path.name for path in tmp_path.rglob("*.zst")}
    assert {"3-3.dtw.zst", "4-3.dtw.zst", "3-4.dtw.zst"} <= names
    report: Any = morris("solve", "nine", "--stones", 7, "--db", tmp_path, "--json").json
    assert report["skipped"] == ["3-3", "4-3", "3-4"]
    fault.happened("exit 130, nobody left, gone on from there")
