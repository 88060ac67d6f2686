"""The same tables have the same bytes, however and wherever they are made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from faultlist import Fault

from databases import shared_database
from solver import __version__
from solver.build import BuildProgress, build
from solver.filedigest import digest_files
from solver.manifest import all_tables, manifest_text
from solver.pack import pack_tables
from solver.rules import get_variant, with_options
from solver.sectors import Sector, Unit, sectors_up_to, solving_order, wanted_sectors

Morris = Callable[..., Any]
"""What the fixture of that name is: it runs the command line."""

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "databases" / "reference"
NINE = get_variant("nine")
SMALL = with_options(NINE, ["stones=3"])
SECTORS = [*wanted_sectors(SMALL), *sectors_up_to(NINE, 7)[1:]]
"""A whole small game with its placing phase, and sectors of unequal sides."""

PROMISE = "the same bytes: they depend on the program's version and that of zstd, on nothing else"
SAME = "the same bytes"


def sums(database: Path) -> str:
    """The SHA-256 of all tables of a database."""
    found = digest_files(database, all_tables(database))
    assert not any(each.problem for each in found)
    return manifest_text({each.name: str(each.sha256) for each in found})


def pack(database: Path) -> str:
    """The same, once the tables of values are there too."""
    pack_tables(NINE, SECTORS, database)
    return sums(database)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What comes out as a rule."""
    database = tmp_path_factory.mktemp("usual")
    build(NINE, SECTORS, database)
    text = pack(database)
    assert text.count("\n") == 2 * len(SECTORS)
    return text


class Interrupting(BuildProgress):
    """Interrupts when so many units have been begun."""

    def __init__(self, units: int) -> None:
        self._units = units

    def start_unit(self, unit: Unit) -> None:
        if not self._units:
            raise KeyboardInterrupt
        self._units -= 1


def at_once(database: Path, **options: Any) -> None:
    build(NINE, SECTORS, database, **options)


def one_by_one(database: Path, order: list[Sector]) -> None:
    for sector in order:
        build(NINE, [sector], database)


def interrupted(database: Path) -> None:
    for _ in range(100):
        try:
            build(NINE, SECTORS, database, progress=Interrupting(1))
        except KeyboardInterrupt:
            continue
        return


def forced(database: Path) -> None:
    build(NINE, SECTORS, database)
    build(NINE, SECTORS, database, force=True)


def for_another_game(database: Path) -> None:
    """By games that share these tables."""
    build(get_variant("ten"), sectors_up_to(NINE, 7), database)
    build(SMALL, wanted_sectors(SMALL), database)


@pytest.mark.fault(
    "supply",
    "tables made with other options: threads, memory, order, interruptions, another folder or game",
    promise=PROMISE,
)
@pytest.mark.parametrize(
    "make",
    [
        lambda database: at_once(database, threads=1),
        lambda database: at_once(database, threads=3),
        lambda database: at_once(database, threads=7),
        lambda database: at_once(database, memory_bytes=300_000_000),
        lambda database: at_once(database, memory_bytes=8_000_000_000),
        lambda database: one_by_one(database, SECTORS),
        lambda database: one_by_one(database, SECTORS[::-1]),
        interrupted,
        forced,
        for_another_game,
    ],
    ids=[
        "one thread", "three threads", "seven threads", "little memory", "much memory",
        "one by one", "from the end", "interrupted", "made anew", "another game",
    ],
)  # fmt: skip
def test_other_options(
    usual: str, tmp_path: Path, fault: Fault, make: Callable[[Path], None]
) -> None:
    assert len(solving_order(NINE, set(SECTORS))) > 5
    database = tmp_path / "a folder\nwith an ödd näme"
    make(database)
    assert pack(database) == usual
    fault.happened(SAME)


MAKE = """
import os, sys
os.umask(int(sys.argv[2], 8))
from solver.cli import run
three, seven = "nine -r stones=3".split(), ["nine", "--stones", "7"]
codes = [
    run(["solve", *three, "--all", "--db", sys.argv[1]]),
    run(["solve", *seven, "--db", sys.argv[1]]),
    run(["pack", *three, "--wdl", "--db", sys.argv[1]]),
    run(["pack", "nine", "--wdl", "--db", sys.argv[1]]),
    run(["manifest", "--db", sys.argv[1]]),
]
sys.exit(max(codes))
"""

SURROUNDINGS = {
    "plain": ({"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}, "000"),
    "far away": (
        {
            "PYTHONHASHSEED": "12345",
            "LC_ALL": "tr_TR.UTF-8",
            "TZ": "Asia/Tokyo",
            "SOURCE_DATE_EPOCH": "1",
            "COLUMNS": "20",
        },
        "077",
    ),
}


@pytest.mark.fault(
    "supply",
    "tables made elsewhere: other hash seed, locale, time zone, umask, working folder",
    promise=PROMISE,
)
@pytest.mark.parametrize("name", SURROUNDINGS)
def test_other_surroundings(usual: str, tmp_path: Path, fault: Fault, name: str) -> None:
    variables, umask = SURROUNDINGS[name]
    database = tmp_path / "tables"
    done = subprocess.run(
        [sys.executable, "-c", MAKE, str(database), umask],
        cwd=tmp_path,
        env={**os.environ, **variables, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(usual)
    assert sums(database) == usual
    table = next(database.glob("*/3-3.dtw.zst"))
    assert table.stat().st_mode & 0o777 == 0o666 & ~int(umask, 8)
    fault.happened(SAME)


@pytest.mark.fault(
    "supply",
    "tables made here, compared with the published list",
    promise="the same bytes wherever the version of zstd is the list's",
)
def test_the_published_list(
    morris: Morris, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, fault: Fault
) -> None:
    version = ".".join(map(str, zstandard.ZSTD_VERSION))
    published = REFERENCE / f"nine-zstd-{version}.sha256"
    if not published.exists():
        pytest.skip(f"there is no list of tables compressed by zstd {version}")
    whole = shared_database(tmp_path_factory, "database-8", [(NINE, sectors_up_to(NINE, 8))])
    database = tmp_path / "tables"
    shutil.copytree(whole, database)
    assert morris("pack", "nine", "--wdl", "--db", database).code == 0
    at_once(database)
    answer = morris(
        "verify", "--manifest", published, "--ignore-missing", "--db", database, "--json"
    )
    assert answer.code == 0, (
        f"tables differ from {published.name}: if they should (as with a new version of the"
        f" program, which they name; this is {__version__}), make the list anew with morris solve"
        " nine --all, morris pack nine --wdl and morris manifest nine"
    )
    fault.happened(SAME, times=answer.json["files"])


def test_the_published_list_is_of_the_whole_game() -> None:
    from solver.manifest import read_manifest, table_names

    lists = list(REFERENCE.glob("nine-zstd-*.sha256"))
    assert lists
    for path in lists:
        assert list(read_manifest(str(path))) == table_names(NINE, wanted_sectors(NINE))
        # As sha256sum would write it.
        assert path.read_text() == manifest_text(read_manifest(str(path)))
