"""Records of full checks, which `morris prove` reads: damaged, of other tables, or no files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from damaging import NINE, Morris, sound_databases
from faultlist import Fault

from solver.cli.verify import check_sectors
from solver.proof import Checker, record_path
from solver.sectors import parse_sector, wanted_sectors
from solver.tablefile import table_path

SECTOR = parse_sector("2-3+1-0")
PROMISE = (
    "counts for nothing: `morris prove` names the sector as unchecked, exit code 1, believes the"
    " other records, and `morris prove --check` writes it anew"
)


@pytest.fixture(scope="module")
def proved(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that was checked in full. Not to be written to."""
    database = tmp_path_factory.mktemp("proved") / "database"
    shutil.copytree(sound / "nine", database)
    checker = Checker(NINE, database)
    for sector in wanted_sectors(NINE):
        assert checker.record(checker.check(sector, "full", 1))
    return database


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


def changed(**fields: Any) -> Callable[[bytes], bytes]:
    return lambda data: json.dumps({**json.loads(data), **fields}).encode()


def without_a_table(data: bytes) -> bytes:
    record = json.loads(data)
    record["tables"].popitem()
    return json.dumps(record).encode()


def flip_digest(data: bytes) -> bytes:
    record = json.loads(data)
    name, digest = record["tables"].popitem()
    record["tables"][name] = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    return json.dumps(record).encode()


CONTENTS: dict[str, list[Callable[[bytes], bytes]]] = {
    "a record of a check that was cut": [
        lambda data: b"",
        lambda data: data[:1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-3],
    ],
    "a record of a check with another digest of a table": [flip_digest],
    "a record of a check that leaves out a table": [without_a_table, changed(tables={})],
    "a record of a check by an earlier or later rule": [changed(check=0), changed(check=2)],
    "a record of a check of fewer slots": [changed(slots=3), changed(slots=None)],
    "a record of a check that is no record": [
        lambda data: bytes(len(data)),
        lambda data: b"\xff" + data,
        lambda data: b"[" * 100_000,
        lambda data: b"1" * 5000,
        lambda data: b"[]",
        lambda data: data + b" " * (1 << 21),
        changed(tables=[]),
        changed(program=7),
        changed(program="one\nline and another"),
    ],
}


def unchecked(morris: Morris, database: Path) -> list[str]:
    answer = morris("prove", *NINE.name.split(), "--db", database, "--json")
    record = answer.json
    assert answer.code == (1 if record["unchecked"] else 0)
    assert record["proved"] == (not record["unchecked"])
    assert record["checked"]["sectors"] + len(record["unchecked"]) == 7
    names: list[str] = record["unchecked"]
    return names


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param(contents, marks=pytest.mark.fault("damage", name, promise=PROMISE), id=name)
        for name, contents in CONTENTS.items()
    ],
)
def test_what_a_record_says(
    fault: Fault, proved: Path, tmp_path: Path, contents: list[Callable[[bytes], bytes]]
) -> None:
    database = tmp_path / "database"
    shutil.copytree(proved, database)
    path = record_path(database, NINE, SECTOR)
    data = path.read_bytes()
    for content in contents:
        path.write_bytes(content(data))
        assert Checker(NINE, database).program(SECTOR) is None
        assert Checker(NINE, database).proof(wanted_sectors(NINE)).unchecked == [SECTOR]
        fault.happened("not believed")
    # As `morris prove --check` does with what is unchecked.
    assert check_sectors(Checker(NINE, database), [SECTOR], "full")[0].mismatches == 0
    assert path.read_bytes() == data


def folder(path: Path) -> None:
    path.mkdir()


def link_back(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.fault("damage", "what is no file in the place of a record", promise=PROMISE)
@pytest.mark.parametrize("make", [os.mkfifo, folder, link_back])
def test_what_is_no_record(
    fault: Fault, proved: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    database = tmp_path / "database"
    shutil.copytree(proved, database)
    path = record_path(database, NINE, SECTOR)
    path.unlink()
    make(path)
    found = Checker(NINE, database).proof(wanted_sectors(NINE))
    assert found.unchecked == [SECTOR]
    fault.happened("not believed")


@pytest.mark.fault("damage", "a record of the check of another sector renamed", promise=PROMISE)
def test_another_sectors_record(morris: Morris, fault: Fault, proved: Path, tmp_path: Path) -> None:
    database = tmp_path / "database"
    shutil.copytree(proved, database)
    data = record_path(database, NINE, SECTOR).read_bytes()
    others = [sector for sector in wanted_sectors(NINE) if sector != SECTOR]
    for other in others:
        shutil.copyfile(record_path(database, NINE, other), record_path(database, NINE, SECTOR))
        assert Checker(NINE, database).program(SECTOR) is None
        fault.happened("not believed")
    assert unchecked(morris, database) == [str(SECTOR)]
    answer = morris("prove", *NINE.name.split(), "--check", "--db", database)
    assert answer.code == 0, answer.err
    assert record_path(database, NINE, SECTOR).read_bytes() == data


@pytest.mark.fault(
    "damage",
    "a table damaged or replaced after it was checked in full",
    promise="its record and those of what reads it count no more; `morris prove` names a damaged"
    " file, exit code 4, and a replaced one as unchecked",
)
def test_tables_that_are_no_longer_those(
    morris: Morris, fault: Fault, proved: Path, sound: Path, tmp_path: Path
) -> None:
    database = tmp_path / "database"
    shutil.copytree(proved, database)
    path = table_path(database, NINE, SECTOR)
    data = path.read_bytes()
    reading = {"2-3+1-0", "2-2+1-1"}  # it, and what a turn leads to it from
    for harmed in (data[:-1], data[:500] + bytes([data[500] ^ 1]) + data[501:]):
        path.write_bytes(harmed)
        found = Checker(NINE, database).proof(wanted_sectors(NINE))
        assert set(map(str, found.unchecked)) == reading
        assert str(path) in morris("prove", *NINE.name.split(), "--db", database).refused(4)
        fault.happened("not believed, and named")
    path.unlink()
    os.mkfifo(path)
    assert str(path) in morris("prove", *NINE.name.split(), "--db", database).refused(4)
    fault.happened("not believed, and named")
