"""Tables that are replaced, overwritten, cut, lengthened or removed while they are read."""

from __future__ import annotations

import ast
import os
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from damaging import NINE, SUBJECTS, Harmed, sound_databases
from faultlist import Fault
from starlette.testclient import TestClient

import solver
from solver.errors import DamagedTableError, MissingTableError
from solver.position import Position
from solver.results import Result
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, write_table
from solver.web import application
from solver.web.application import make_application
from solver.widths import BYTE

BYTES = SUBJECTS[0]
PROMISE = (
    "every answer is that of the table that was opened, or refused, naming the file; never a mix,"
    " never a crash; looked at anew (`refresh`, by the server within a minute), the file that is"
    " there then answers"
)
SEEN = "the old values or a refusal; then what is there"
LATER = 2
"""Plies by which the other table says that every win and loss is longer."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


@pytest.fixture
def harmed(sound: Path, tmp_path: Path) -> Harmed:
    copy = Harmed.copy(sound, BYTES, tmp_path)
    copy.table("wdl").unlink()  # which would answer in its place
    return copy


@pytest.fixture(scope="module")
def other(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A sound table of the same sector with other values."""
    folder = tmp_path_factory.mktemp("other")
    path = Harmed.copy(sound, BYTES, folder).path
    with TableReader(path) as reader:
        header, stored = reader.header, reader.entries()
    stored[stored <= BYTE.deepest] += LATER
    later = [
        {depth + LATER: number for depth, number in histogram.items()}
        for histogram in (header.position_histogram, header.distinct_histogram)
    ]
    header = replace(header, position_histogram=later[0], distinct_histogram=later[1])
    write_table(path, header, stored)
    return path.read_bytes()


def renamed(path: Path, data: bytes) -> None:
    new = path.with_name("new")
    new.write_bytes(data)
    new.rename(path)


def overwritten(path: Path, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate()


def cut(path: Path, data: bytes) -> None:
    os.truncate(path, path.stat().st_size // 3)


def emptied(path: Path, data: bytes) -> None:
    os.truncate(path, 0)


def lengthened(path: Path, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(data)


def removed(path: Path, data: bytes) -> None:
    path.unlink()


class Change(NamedTuple):
    """Something done to a table while it is open.

    Attributes:
        fault: what it is called.
        make: does it; told the path and the bytes of the other table.
        keeps: whether the file that was opened stays as it is.
        then: what is there afterwards: the other table, or an error.
    """

    fault: str
    make: Callable[[Path, bytes], None]
    keeps: bool
    then: type[Exception] | None


CHANGES = [
    Change("a table replaced by another while it is open", renamed, True, None),
    Change("a table overwritten in place while it is open", overwritten, False, None),
    Change("a table cut while it is open", cut, False, DamagedTableError),
    Change("a table emptied while it is open", emptied, False, DamagedTableError),
    Change("a table lengthened while it is open", lengthened, True, DamagedTableError),
    Change("a table removed while it is open", removed, True, MissingTableError),
]

changes = pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            change,
            marks=pytest.mark.fault("damage", change.fault, promise=PROMISE),
            id=change.make.__name__,
        )
        for change in CHANGES
    ],
)


def after(result: Result) -> Result:
    """What the other table says of a position."""
    return result if result.dtw is None else Result(result.value, result.dtw + LATER)


def in_threads(work: Callable[[random.Random], None], meanwhile: Callable[[], None]) -> None:
    """Do some work in three threads, and something else once all have begun."""
    begun = threading.Barrier(4)
    errors: list[BaseException] = []

    def run(seed: int) -> None:
        source = random.Random(seed)
        try:
            begun.wait()
            for _ in range(10):
                work(source)
        except BaseException as error:
            errors.append(error)
            begun.abort()

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    meanwhile()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_no_file_is_mapped_into_memory() -> None:
    """Or one that is cut meanwhile would end the process with SIGBUS."""
    for path in Path(solver.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = {getattr(node, name, None) for name in ("id", "attr", "arg", "name", "module")}
            assert not names & {"memmap", "mmap_mode", "open_memmap"}, path
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("mmap", "mmap.mmap"):
                assert ast.unparse(node.args[0]) == "-1", path  # memory of no file


@changes
def test_an_open_database(fault: Fault, harmed: Harmed, other: bytes, change: Change) -> None:
    positions = harmed.known.positions
    masks = [
        [getattr(p, side) for p, _, _ in positions] for side in ("mover_mask", "opponent_mask")
    ]
    distances = [-1 if result.dtw is None else result.dtw for _, _, result in positions]
    for cache in (0, 64):
        harmed.path.write_bytes(harmed.bytes)
        with Tablebase(harmed.database, cache_mb=cache) as tablebase:

            def ask(source: random.Random, tablebase: Tablebase = tablebase) -> None:
                position, _, result = source.choice(positions)
                try:
                    assert tablebase.probe(position) == result
                    assert tablebase.analyse(position)[0] == result
                except DamagedTableError as error:
                    assert not change.keeps
                    assert str(error).startswith(f"{harmed.path}: frame ")
                try:
                    found = tablebase.probe_many(*masks, BYTES.sector, NINE, threads=1)
                except DamagedTableError:
                    assert not change.keeps
                else:
                    assert found.dtw.tolist() == distances

            tablebase.probe(positions[0][0])  # opens it
            in_threads(ask, lambda: change.make(harmed.path, other))
            ask(random.Random(9))
            tablebase.refresh()
            for position, _, result in positions:
                if change.then is None:
                    assert tablebase.probe(position) == after(result)
                else:
                    with pytest.raises(change.then):
                        tablebase.probe(position)
            renamed(harmed.path, harmed.bytes)
            tablebase.refresh()
            assert all(tablebase.probe(position) == result for position, _, result in positions)
        fault.happened(SEEN)


@changes
def test_an_open_file(fault: Fault, harmed: Harmed, other: bytes, change: Change) -> None:
    with TableReader(harmed.path) as reader:
        sound = reader.entries()

        def read(source: random.Random) -> None:
            slot = source.randrange(reader.header.slots)
            out = np.zeros(reader.header.payload_bytes, np.uint8)
            for refused in (False, True):
                try:
                    if refused:
                        assert reader.value(slot) == sound[slot]
                    else:
                        reader.read_into(out)
                        assert (out == sound).all()
                        reader.check_stored()
                except DamagedTableError as error:
                    assert not change.keeps
                    assert str(error).startswith(f"{harmed.path}: frame ")

        in_threads(read, lambda: change.make(harmed.path, other))
        read(random.Random(9))
        if not change.keeps:
            with pytest.raises(DamagedTableError, match=r"frame \d+ of 13: "):
                reader.check()
    fault.happened(SEEN)


@changes
def test_a_server(
    fault: Fault, harmed: Harmed, other: bytes, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(client: TestClient, position: Position) -> tuple[int, Any]:
        answer = client.get(f"/api/{NINE.name.split()[0]}", params={"position": str(position)})
        return answer.status_code, answer.json()

    positions = harmed.known.positions[::3]
    with Tablebase(harmed.database, cache_mb=0) as tablebase:
        # What is kept of answers, or of files, is not what is tried here.
        monkeypatch.setattr(application, "_KEPT_SECONDS", 1000)
        with TestClient(make_application(tablebase)) as client:
            asked(client, positions[0][0])
            change.make(harmed.path, other)
            for position, _, result in positions:
                status, record = asked(client, position)
                if status == 500:
                    assert not change.keeps
                    assert (record["kind"], str(harmed.path) in record["error"]) == (
                        "damaged table",
                        True,
                    )
                else:
                    assert (status, record["value"], record["dtw"]) == (200, *result)
        monkeypatch.setattr(application, "_KEPT_SECONDS", -1)
        with TestClient(make_application(tablebase)) as client:
            for position, _, result in positions:
                status, record = asked(client, position)
                if change.then is None and status == 200:
                    assert (record["value"], record["dtw"]) == after(result)
                else:
                    # The other table is longer by two plies than those that its moves lead to.
                    expected = {MissingTableError: 404, DamagedTableError: 500, None: 500}
                    assert status == expected[change.then]
    fault.happened(SEEN)


@pytest.mark.fault(
    "damage", "a table overwritten again and again while it is opened anew", promise=PROMISE
)
def test_overwritten_again_and_again(fault: Fault, harmed: Harmed, other: bytes) -> None:
    positions = harmed.known.positions

    def overwrite() -> None:
        for number in range(20):
            overwritten(harmed.path, harmed.bytes if number % 2 else other)

    with Tablebase(harmed.database) as tablebase:

        def ask(source: random.Random) -> None:
            tablebase.refresh()
            position, _, result = source.choice(positions)
            try:
                assert tablebase.probe(position) in (result, after(result))
            except DamagedTableError as error:
                assert str(error).startswith(f"{harmed.path}: ")

        in_threads(ask, overwrite)
        tablebase.refresh()
        assert all(tablebase.probe(position) == result for position, _, result in positions)
    fault.happened("one table or the other, or a refusal; then what is there")


@pytest.mark.fault(
    "damage",
    "another table of the same size and time in the place of one",
    promise="told apart by its checksums: nothing that was kept of the other is given for it",
)
def test_the_same_size_and_time(fault: Fault, tmp_path: Path) -> None:
    from test_tablefile import make_header, make_payload

    first = make_payload(200)
    path = tmp_path / "t.zst"
    size = write_table(path, make_header(first), first)
    place = next(i for i in range(199) if first[i] != first[i + 1])
    second = first.copy()
    second[[place, place + 1]] = first[[place + 1, place]]
    with TableReader(path) as reader:
        before, status = reader.identity, path.stat()
    other = tmp_path / "other.zst"
    assert write_table(other, make_header(second), second) == size
    overwritten(path, other.read_bytes())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with TableReader(path) as reader:
        assert path.stat().st_mtime_ns == status.st_mtime_ns
        assert path.stat().st_ino == status.st_ino
        assert reader.identity[1] != before[1]
        assert reader.frame(0) == second.tobytes()
    fault.happened("told apart")
