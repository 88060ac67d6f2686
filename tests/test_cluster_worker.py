"""What a worker of a cluster does with a unit, without a cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from faultlist import Fault
from strategies import NINE

from solver import unitbuilder
from solver.cluster import solving
from solver.cluster.job import AbandonedError, Job, file_state
from solver.cluster.solving import UnitWorker
from solver.errors import ResourceError
from solver.sectors import Sector, sectors_up_to
from solver.storedcache import RecentCache
from solver.survey import UnreadableTableError
from solver.tablefile import table_path

News = list[tuple[object, ...]]


def path_of(database: Path, name: str) -> Path:
    return table_path(database, NINE, Sector(*map(int, name.split("-"))))


@pytest.fixture
def folder(database: Path, tmp_path: Path) -> Path:
    """A database of the sectors up to six stones, with a lock that names its holder."""
    for sector in sectors_up_to(NINE, 6):
        path = table_path(tmp_path, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    (tmp_path / "lock").write_text("the holder")
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., UnitWorker]]:
    """Make a worker of a job."""
    workers = []

    def made(**changes: object) -> UnitWorker:
        job = Job("run", NINE, folder, b"the holder", **changes)  # type: ignore[arg-type]
        workers.append(UnitWorker(job, 1, 1 << 30))
        return workers[-1]

    yield made
    for worker in workers:
        worker.close()


def solve(worker: UnitWorker, unit: str, *wanted: str, abandoned: bool = False) -> News:
    news: News = []
    worker.solve(
        unit, list(wanted), lambda *about: news.append(about), lambda: abandoned
    )  # fmt: skip
    return news


def test_the_same_bytes_and_what_is_told(
    start: Callable[..., UnitWorker], folder: Path, database: Path
) -> None:
    news = solve(start(), "4-3", "4-3", "3-4")
    assert news[0] == ("start", "4-3")
    assert all(kind == "slots" for kind, *_ in news[1:-1])
    kind, name, seconds, tables = news[-1]
    assert (kind, name) == ("solved", "4-3")
    assert isinstance(seconds, float) and seconds > 0
    assert [table[:2] for table in tables] == [  # type: ignore[attr-defined]
        (name, path_of(folder, name).stat().st_size) for name in ("4-3", "3-4")
    ]
    for name in ("4-3", "3-4"):
        assert path_of(folder, name).read_bytes() == path_of(database, name).read_bytes()


def test_only_the_tables_that_are_wanted(start: Callable[..., UnitWorker], folder: Path) -> None:
    solve(start(), "4-3", "3-4")
    assert path_of(folder, "3-4").exists()
    assert not path_of(folder, "4-3").exists()


def test_what_another_worker_has_made_is_not_made_again(
    start: Callable[..., UnitWorker], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve(start(), "4-3", "4-3", "3-4")
    before = file_state(path_of(folder, "4-3"))
    monkeypatch.setattr(unitbuilder, "solve_unit", None)
    assert solve(start(), "4-3", "4-3", "3-4") == []
    assert file_state(path_of(folder, "4-3")) == before


@pytest.mark.fault(
    "interruption",
    "a worker of a cluster lost between the two tables of a unit",
    promise="only the other one is made",
)
def test_half_of_a_unit_is_completed(
    fault: Fault, start: Callable[..., UnitWorker], folder: Path
) -> None:
    """Its worker was lost between the two tables."""
    solve(start(), "4-3", "4-3", "3-4")
    before = file_state(path_of(folder, "4-3"))
    path_of(folder, "3-4").unlink()
    *_, (kind, _, _, tables) = solve(start(), "4-3", "4-3", "3-4")
    assert kind == "solved"
    assert [table[0] for table in tables] == ["3-4"]  # type: ignore[attr-defined]
    assert file_state(path_of(folder, "4-3")) == before
    fault.happened("the other one made, the first left")


@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_what_is_half_written_or_damaged_does_not_count(
    start: Callable[..., UnitWorker], folder: Path, database: Path, harm: str
) -> None:
    data = bytearray(path_of(database, "4-3").read_bytes())
    data[len(data) // 2] ^= 1
    path_of(folder, "4-3").write_bytes(data[:-5] if harm == "cut" else data)
    assert solve(start(), "4-3", "4-3")[-1][0] == "solved"
    assert path_of(folder, "4-3").read_bytes() == path_of(database, "4-3").read_bytes()


def test_what_is_to_be_made_anew_is_made_once(
    start: Callable[..., UnitWorker], folder: Path
) -> None:
    solve(start(), "4-3", "4-3")
    old = file_state(path_of(folder, "4-3"))
    worker = start(stale={Sector(4, 3): old})
    assert solve(worker, "4-3", "4-3")[-1][0] == "solved"
    assert file_state(path_of(folder, "4-3")) != old
    assert solve(worker, "4-3", "4-3") == []


@pytest.mark.fault(
    "interruption",
    "a cluster's run ended while a worker solves",
    promise="the worker gives the unit up and writes nothing",
)
def test_nobody_waits_any_more(
    fault: Fault, start: Callable[..., UnitWorker], folder: Path
) -> None:
    with pytest.raises(AbandonedError):
        solve(start(), "4-3", "4-3", abandoned=True)
    assert not path_of(folder, "4-3").exists()
    fault.happened("given up, nothing written")


def test_a_table_that_cannot_be_read_is_named(
    start: Callable[..., UnitWorker], folder: Path
) -> None:
    path = path_of(folder, "3-3")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(UnreadableTableError, match=r"3-3\.dtw\.zst") as caught:
        solve(start(), "4-3", "4-3")
    assert caught.value.sector == Sector(3, 3)
    assert not path_of(folder, "4-3").exists()


@pytest.mark.fault(
    "environment",
    "a network file system on which a table appears late",
    promise="waited for up to a minute and a half",
)
def test_a_table_that_appears_late(
    fault: Fault, start: Callable[..., UnitWorker], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network file system that remembers that a file was not there."""
    path = path_of(folder, "3-3")
    hidden = path.rename(folder / "hidden")
    news: News = []

    def send(*about: object) -> None:
        news.append(about)
        if about[0] == "note" and hidden.exists():
            hidden.rename(path)

    monkeypatch.setattr(solving, "_APPEARING_SECONDS", 5)
    start().solve("4-3", ["4-3"], send, lambda: False)
    assert news[0] == ("note", f"waiting for {path} to appear")
    assert news[-1][0] == "solved"
    fault.happened("waited for, then read")


def test_a_table_that_never_appears(
    start: Callable[..., UnitWorker], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path_of(folder, "3-3").unlink()
    monkeypatch.setattr(solving, "_APPEARING_SECONDS", 0.2)
    with pytest.raises(UnreadableTableError, match=r"3-3\.dtw\.zst"):
        solve(start(), "4-3", "4-3")


def test_memory_is_given_back(start: Callable[..., UnitWorker]) -> None:
    worker = start()
    solve(worker, "4-3", "4-3")
    builder = worker._builder
    assert builder.cache.bytes and builder.working.bytes
    worker.clear()
    assert not builder.cache.bytes and not builder.working.bytes


def test_a_worker_that_sees_another_folder(folder: Path, tmp_path: Path) -> None:
    job = Job("run", NINE, folder, b"the holder")
    job.check_worker()
    for other in (replace(job, database=tmp_path / "none"), replace(job, holder=b"another")):
        with pytest.raises(ResourceError, match=r"^does not find this database at .*same path$"):
            other.check_worker()


def test_a_worker_with_another_version(folder: Path) -> None:
    job = Job("run", NINE, folder, b"the holder", version="0.0")
    with pytest.raises(ResourceError, match=r"^has morris-solver .*, and this is 0\.0; install"):
        job.check_worker()


def test_a_worker_that_may_not_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ResourceError, match=r"^may not write to "):
        Job("run", NINE, folder, b"the holder").check_worker()


def test_what_was_used_longest_ago_goes_first() -> None:
    cache = RecentCache()
    sectors = [Sector(3, 3), Sector(4, 3), Sector(3, 4)]
    for sector in sectors:
        cache.put(sector, np.zeros(10, dtype=np.uint8))
    assert cache.get(Sector(3, 3)) is not None
    assert cache.get(Sector(9, 9)) is None
    assert cache.bytes == 30
    for capacity, held in ((30, "3-3 4-3 3-4"), (29, "3-3 3-4"), (10, "3-3"), (9, "")):
        cache.shrink(capacity)
        assert " ".join(str(sector) for sector in sectors if sector in cache) == held
