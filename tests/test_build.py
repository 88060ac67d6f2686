"""Building databases: what is made, kept, made anew and refused; the same bytes however."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from strategies import NINE, SIX

from databases import files
from solver import build as module
from solver import memory, tablewriter, unitbuilder
from solver.build import BuildProgress, BuildReport, build
from solver.errors import DamagedTableError, LockedDatabaseError, ResourceError, UsageError
from solver.lock import locked
from solver.plan import unit_memory, unit_slots
from solver.reference import differences, read_reference
from solver.sectors import Sector, Unit, dependencies, sectors_up_to, solving_order, unit_of
from solver.storedcache import StoredCache
from solver.survey import open_table
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path, write_table

THREE_THREE, FOUR_THREE, THREE_FOUR = Sector(3, 3), Sector(4, 3), Sector(3, 4)
SEVEN = [THREE_THREE, FOUR_THREE, THREE_FOUR]
REFERENCE = Path(__file__).parents[1] / "databases" / "reference" / "nine-moving.csv"


class Recorder(BuildProgress):
    """Everything a build says."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.started: list[str] = []
        self.slots: dict[str, int] = {}
        self.finished: list[str] = []
        self.tables: list[Sector] = []
        self.notes: list[str] = []

    def begin(self, units: list[Unit]) -> None:
        self.units = units

    def start_unit(self, unit: Unit) -> None:
        self.started.append(str(unit))
        self.slots[str(unit)] = 0

    def advance(self, unit: Unit, slots: int) -> None:
        assert str(unit) == self.started[-1]
        self.slots[self.started[-1]] += slots

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        assert seconds > 0
        self.finished.append(str(unit))

    def wrote(self, sector: Sector, size: int, seconds: float) -> None:
        assert size > 0
        self.tables.append(sector)

    def note(self, text: str) -> None:
        self.notes.append(text)


def times(database: Path) -> dict[str, int]:
    """When every table was written."""
    return {path.name: path.stat().st_mtime_ns for path in database.rglob("*.zst")}


@pytest.fixture(scope="module")
def seven(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the sectors up to seven stones. Not to be written to."""
    folder = tmp_path_factory.mktemp("seven")
    for sector in sectors_up_to(NINE, 7):
        path = table_path(folder, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    return folder


@pytest.fixture
def copy(seven: Path, tmp_path: Path) -> Path:
    """A database of seven stones to do harm to."""
    shutil.copytree(seven, tmp_path / "copy")
    return tmp_path / "copy"


def path_of(database: Path, sector: Sector) -> Path:
    return table_path(database, NINE, sector)


def damage(path: Path, where: float) -> None:
    """Change one byte."""
    data = bytearray(path.read_bytes())
    data[int(where * (len(data) - 1))] ^= 0x10
    path.write_bytes(data)


# -- what comes out ---------------------------------------------------------------------------


def test_counts_equal_the_reference_up_to_nine_stones(tmp_path: Path) -> None:
    progress = Recorder()
    wanted = sectors_up_to(NINE, 9)
    report = build(NINE, wanted, tmp_path, threads=2, progress=progress)
    assert report.solved == progress.tables == wanted
    assert report.skipped == []
    assert report.seconds > 0
    reference = read_reference(REFERENCE)
    with Tablebase(tmp_path) as tablebase:
        for sector in wanted:
            assert differences(reference[sector], tablebase.header(NINE, sector)) == []
    assert progress.units == solving_order(NINE, wanted)
    assert progress.started == progress.finished == ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"]
    for unit in progress.units:
        assert 0 < progress.slots[str(unit)] <= unit_slots(NINE, unit)
    assert progress.notes == []


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_bytes_for_any_number_of_threads(
    threads: int, seven: Path, tmp_path: Path
) -> None:
    build(NINE, SEVEN, tmp_path, threads=threads)
    assert files(tmp_path) == files(seven)


def test_other_rules_go_into_another_folder(seven: Path, tmp_path: Path) -> None:
    build(SIX, sectors_up_to(SIX, 7), tmp_path, threads=1)
    build(NINE, [THREE_THREE], tmp_path, threads=1)
    folders = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert folders == {SIX.folder(THREE_THREE), NINE.folder(THREE_THREE)}


# -- what is kept and what is made anew -------------------------------------------------------


def test_what_is_there_is_kept(copy: Path) -> None:
    before = times(copy)
    report = build(NINE, SEVEN, copy)
    assert (report.solved, report.skipped) == ([], SEVEN)
    assert times(copy) == before


def test_one_missing_table_of_a_unit(copy: Path, seven: Path) -> None:
    path_of(copy, THREE_FOUR).unlink()
    before = times(copy)
    report = build(NINE, SEVEN, copy)
    assert (report.solved, report.skipped) == ([THREE_FOUR], [THREE_THREE, FOUR_THREE])
    assert before.items() <= times(copy).items()
    assert files(copy) == files(seven)


def test_what_the_wanted_ones_depend_on_is_made_too(copy: Path, seven: Path) -> None:
    path_of(copy, THREE_THREE).unlink()
    report = build(NINE, [FOUR_THREE], copy)
    assert (report.solved, report.skipped) == ([THREE_THREE], [FOUR_THREE, THREE_FOUR])
    assert files(copy) == files(seven)


def test_force_makes_only_the_wanted_ones_anew(copy: Path, seven: Path) -> None:
    before = times(copy)
    report = build(NINE, [FOUR_THREE], copy, force=True)
    assert (report.solved, report.skipped) == ([FOUR_THREE, THREE_FOUR], [THREE_THREE])
    changed = {name for name, time in times(copy).items() if time != before[name]}
    assert changed == {"4-3.dtw.zst", "3-4.dtw.zst"}
    assert files(copy) == files(seven)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def renamed(path: Path) -> None:
    shutil.copy(path.with_name("4-3.dtw.zst"), path)


@pytest.mark.parametrize(
    "harm", [cut, empty, renamed, lambda path: damage(path, 0.0), lambda path: damage(path, 1.0)]
)
def test_a_damaged_table_is_made_anew(
    harm: Callable[[Path], None], copy: Path, seven: Path
) -> None:
    harm(path_of(copy, THREE_THREE))
    progress = Recorder()
    report = build(NINE, SEVEN, copy, progress=progress)
    assert (report.solved, report.skipped) == ([THREE_THREE], [FOUR_THREE, THREE_FOUR])
    (note,) = progress.notes
    assert "3-3.dtw.zst: " in note
    assert note.endswith("; it will be made anew")
    assert files(copy) == files(seven)


def test_a_flipped_bit_anywhere_is_noticed(copy: Path, seven: Path) -> None:
    damage(path_of(copy, THREE_THREE), 0.5)
    damage(path_of(copy, THREE_FOUR), 0.7)
    progress = Recorder()
    report = build(NINE, SEVEN, copy, progress=progress)
    assert (report.solved, report.skipped) == ([THREE_THREE, THREE_FOUR], [FOUR_THREE])
    assert progress.started == ["3-3", "4-3"]
    first, second = progress.notes
    assert "3-3.dtw.zst: frame 6 of 13: wrong checksum; it will be made anew" in first
    assert "3-4.dtw.zst: frame " in second
    assert files(copy) == files(seven)


def test_damage_done_while_others_are_solved(
    copy: Path, seven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path_of(copy, FOUR_THREE).unlink()
    original = module.check_disk

    def harm(*arguments: object) -> None:
        original(*arguments)  # type: ignore[arg-type]
        damage(path_of(copy, THREE_THREE), 0.5)

    monkeypatch.setattr(module, "check_disk", harm)
    progress = Recorder()
    report = build(NINE, SEVEN, copy, progress=progress)
    assert (report.solved, report.skipped) == ([THREE_THREE, FOUR_THREE], [THREE_FOUR])
    assert progress.started == ["4-3", "3-3", "4-3"]
    (note,) = progress.notes
    assert "3-3.dtw.zst: frame 6 of 13: wrong checksum; it will be made anew" in note
    assert files(copy) == files(seven)


def test_a_unit_that_is_solved_anew_on_the_way_is_mended_whole(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = module.check_disk

    def harm(*arguments: object) -> None:
        original(*arguments)  # type: ignore[arg-type]
        damage(path_of(copy, FOUR_THREE), 0.5)
        path_of(copy, THREE_FOUR).unlink()

    monkeypatch.setattr(module, "check_disk", harm)
    report = build(NINE, [Sector(4, 4)], copy)
    assert report.solved == [FOUR_THREE, THREE_FOUR, Sector(4, 4)]
    with Tablebase(copy) as tablebase:
        for sector in SEVEN:
            tablebase.reader(NINE, sector).check()


def test_nothing_to_do_needs_no_lock(copy: Path) -> None:
    with locked(copy):
        assert build(NINE, SEVEN, copy).skipped == SEVEN
        path_of(copy, THREE_THREE).unlink()
        with pytest.raises(LockedDatabaseError):
            build(NINE, SEVEN, copy)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_nothing_to_do_in_a_folder_that_cannot_be_written(copy: Path) -> None:
    copy.chmod(0o500)
    try:
        assert build(NINE, SEVEN, copy).skipped == SEVEN
    finally:
        copy.chmod(0o700)


def test_nothing_to_do_where_there_can_be_no_lock_file(copy: Path) -> None:
    (copy / "lock").mkdir()  # stops even root
    assert build(NINE, SEVEN, copy).skipped == SEVEN
    path_of(copy, THREE_THREE).unlink()
    with pytest.raises(ResourceError, match="cannot be written"):
        build(NINE, SEVEN, copy)


def test_a_table_that_vanishes_while_others_are_solved(
    copy: Path, seven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path_of(copy, FOUR_THREE).unlink()
    original = module.check_disk

    def remove(*arguments: object) -> None:
        original(*arguments)  # type: ignore[arg-type]
        path_of(copy, THREE_THREE).unlink()

    monkeypatch.setattr(module, "check_disk", remove)
    assert build(NINE, SEVEN, copy).solved == [THREE_THREE, FOUR_THREE]
    assert files(copy) == files(seven)


def test_what_dead_writers_left_is_removed_and_nothing_else(copy: Path, seven: Path) -> None:
    family = path_of(copy, THREE_THREE).parent
    (family / "3-3.dtw.zst.tmp-123").write_bytes(b"half")
    (copy / "notes.tmp-1").write_text("the user's")
    (copy / "mine").mkdir()
    (copy / "mine" / "x.tmp-1").write_text("the user's")
    like_a_family = copy / "holiday-20240101"
    (like_a_family / "a.tmp-dir").mkdir(parents=True)
    (like_a_family / "3-3.dtw.zst.tmp-1").write_text("the user's")
    (family / "a.tmp-dir").mkdir()
    build(NINE, SEVEN, copy)
    assert files(copy).keys() - files(seven).keys() == {
        "notes.tmp-1",
        "mine/x.tmp-1",
        "holiday-20240101/3-3.dtw.zst.tmp-1",
    }
    assert (like_a_family / "a.tmp-dir").is_dir()
    assert (family / "a.tmp-dir").is_dir()


# -- memory -----------------------------------------------------------------------------------


def test_tables_are_read_back_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(NINE, sectors_up_to(NINE, 8), tmp_path / "plenty")
    shrink = StoredCache.shrink
    monkeypatch.setattr(StoredCache, "shrink", lambda self, capacity: shrink(self, 0))
    read: list[str] = []
    read_into = TableReader.read_into

    def noting(self: TableReader, *arguments: object, **options: object) -> None:
        read.append(self.header.sector)
        read_into(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(TableReader, "read_into", noting)
    build(NINE, sectors_up_to(NINE, 8), tmp_path / "short")
    assert read == ["3-3", "4-3", "3-4"]
    assert files(tmp_path / "short") == files(tmp_path / "plenty")


def test_what_is_kept_in_memory() -> None:
    units = solving_order(NINE, sectors_up_to(NINE, 9))
    cache = StoredCache(NINE, units)
    for unit in units:
        for sector in dependencies(NINE, unit):
            assert sector in cache, (unit, sector)
        for sector in unit.sectors:
            cache.put(sector, np.zeros(10, dtype=np.uint8))
        cache.advance()
    assert cache.bytes == 0


def test_what_is_read_last_goes_first() -> None:
    units = solving_order(NINE, sectors_up_to(NINE, 9))
    cache = StoredCache(NINE, units)
    for sector in [Sector(4, 3), Sector(3, 4), Sector(3, 3), Sector(5, 4)]:
        cache.put(sector, np.zeros(10, dtype=np.uint8))
    # They are read by the units 5-3, 4-4, 4-3, and none; the order is 3-3, 4-3, 5-3, 4-4.
    for capacity, held in ((40, "3-3 4-3 3-4"), (29, "3-3 4-3"), (10, "3-3"), (9, "")):
        cache.shrink(capacity)
        assert " ".join(str(s) for s in sectors_up_to(NINE, 9) if s in cache) == held


def test_a_unit_that_needs_more_memory_than_the_limit(tmp_path: Path) -> None:
    need = unit_memory(NINE, unit_of(NINE, Sector(6, 5)))
    with pytest.raises(ResourceError, match=r"^unit 6-5 needs about \d\.\d\d GB of memory, but"):
        build(NINE, sectors_up_to(NINE, 11), tmp_path, memory_bytes=need - 1)
    assert files(tmp_path) == {}


def test_a_unit_that_needs_more_memory_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000_000)
    with pytest.raises(ResourceError, match=r"only 0\.10 GB are available"):
        build(NINE, SEVEN, tmp_path, memory_bytes=10**12)
    assert files(tmp_path) == {}


def test_nothing_to_solve_needs_no_memory(copy: Path) -> None:
    assert build(NINE, SEVEN, copy, memory_bytes=1).skipped == SEVEN


def test_memory_that_the_system_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(unitbuilder, "solve_unit", refuse)
    with pytest.raises(ResourceError, match=r"unit 3-3 needs about .* more than the system gives"):
        build(NINE, SEVEN, tmp_path)


# -- disk -------------------------------------------------------------------------------------


def test_a_disk_that_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_disk", lambda folder: 1000)
    with pytest.raises(ResourceError, match=r"need about \S+ GB of disk, but only 1000 bytes"):
        build(NINE, sectors_up_to(NINE, 11), tmp_path)


def test_a_disk_that_fills_up(copy: Path, seven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    for sector in (FOUR_THREE, THREE_FOUR):
        path_of(copy, sector).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(tablewriter, "write_table", full)
        with pytest.raises(ResourceError, match=r"4-3\.dtw\.zst cannot be written: No space left"):
            build(NINE, SEVEN, copy)
    assert set(times(copy)) == {"3-3.dtw.zst"}
    assert build(NINE, SEVEN, copy).solved == [FOUR_THREE, THREE_FOUR]
    assert files(copy) == files(seven)


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sector", "expected"),
    [
        (Sector(2, 3, 7, 8), "hand of the side to move"),
        (Sector(10, 3), "at most 9 stones"),
        (Sector(3, 2), "has lost already"),
    ],
)
def test_sectors_that_cannot_be_solved(sector: Sector, expected: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=expected):
        build(NINE, [sector], tmp_path / "database")
    assert not (tmp_path / "database").exists()


def test_nothing_wanted_is_nothing_done(tmp_path: Path) -> None:
    report = build(NINE, [], tmp_path)
    assert report == BuildReport([], [], report.seconds)


def test_a_table_for_the_other_major_side(copy: Path) -> None:
    with TableReader(path_of(copy, THREE_FOUR)) as reader:
        header = reader.header
        payload = np.empty(header.slots, dtype=np.uint8)
        reader.read_into(payload)
    write_table(path_of(copy, THREE_FOUR), replace(header, major="mover"), payload)
    with pytest.raises(DamagedTableError, match="major side"):
        open_table(NINE, THREE_FOUR, copy)
