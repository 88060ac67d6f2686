"""Exported positions are those of naive enumeration, each once, with their values and weights."""

from __future__ import annotations

import errno
import json
import shutil
import sys
from functools import cache
from pathlib import Path

import naive_family
import numpy as np
import pytest
from conftest import Morris, plant
from family_tables import dense_tables
from test_startup import imported_by

from solver import distinct, export, exportfiles, memory
from solver.build import build
from solver.errors import DamagedTableError, ResourceError, UsageError
from solver.export import distinct_rows, export_sector
from solver.extras import MissingPackageError
from solver.index import layout
from solver.pack import pack_tables
from solver.position import Position
from solver.results import WDL
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, parse_sector, wanted_sectors
from solver.tablebase import Tablebase
from solver.tablefile import TableReader, table_path, write_table
from solver.tableheader import TableHeader
from solver.widths import BYTE, WORD, payload_of, widened

NINE, THREE, DARA = map(get_variant, ("nine", "three", "dara"))
THREE_THREE, FOUR_THREE, THREE_FOUR = (parse_sector(t) for t in ("3-3", "4-3", "3-4"))

SMALL = [
    (rules, tuple(wanted_sectors(rules)))
    for rules in (
        THREE,
        get_variant("tic-tac-toe"),
        with_options(THREE, ["flying=3", "stones=4"]),
        with_options(get_variant("four"), ["stones=3"]),
    )
]
"""Games small enough for the naive solver, each with all its sectors."""


def ids(value: object) -> str | None:
    return value.name if isinstance(value, Rules) else ""


@cache
def images(board: str, size: int) -> np.ndarray:
    """The images of every set of a size, by symmetry and number of the set."""
    points = naive_family.BOARDS[board].points
    sets = naive_family.sets(board, size)
    rows = []
    for image in naive_family.automorphisms(board):
        row = np.zeros(len(sets), dtype=np.int64)
        for i, point in enumerate(points):
            row |= (sets >> i & 1) << points.index(image[point])
        rows.append(row)
    return np.array(rows)


def keys(rules: Rules, movers: np.ndarray, opponents: np.ndarray) -> np.ndarray:
    """A number for each position that is the same for all its images and for nothing else."""
    board = rules.board.name
    least = np.full(len(movers), np.iinfo(np.int64).max)
    sizes = [int(masks[0]).bit_count() for masks in (movers, opponents)]
    numbers = [
        np.searchsorted(naive_family.sets(board, size), masks)
        for size, masks in zip(sizes, (movers, opponents), strict=True)
    ]
    for own, other in zip(images(board, sizes[0]), images(board, sizes[1]), strict=True):
        np.minimum(least, own[numbers[0]] << 32 | other[numbers[1]], out=least)
    return least


def naive_rows(rules: Rules, sector: Sector, table: np.ndarray) -> list[np.ndarray]:
    """Key, value and weight of every distinct position, from the table of the naive solver."""
    own, other = np.nonzero(table != naive_family.VOID)
    board = rules.board.name
    movers = naive_family.sets(board, sector.mover)[own]
    opponents = naive_family.sets(board, sector.opponent)[other]
    found, first, weights = np.unique(
        keys(rules, movers, opponents), return_index=True, return_counts=True
    )
    return [found, table[own[first], other[first]].astype(np.int64), weights]


def all_rows(tablebase: Tablebase, rules: Rules, sector: Sector, **options: object) -> np.ndarray:
    return np.concatenate(list(distinct_rows(tablebase, rules, sector, **options)))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of small games."""
    folder = tmp_path_factory.mktemp("small")
    for rules, sectors in SMALL:
        build(rules, sectors, folder, threads=1)
    return folder


# -- what the rows say ----------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("rules", "sectors"), SMALL, ids=ids)
def test_rows_are_the_distinct_positions_with_their_values(
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
    rules: Rules,
    sectors: tuple[Sector, ...],
    threads: int,
) -> None:
    monkeypatch.setattr(distinct, "CHUNK_SLOTS", 1000)
    naive = dense_tables(rules, sectors)
    with Tablebase(small) as tablebase:
        for sector in sectors:
            rows = all_rows(tablebase, rules, sector, threads=threads)
            expected = naive_rows(rules, sector, naive[sector])
            found = keys(rules, rows["mover"].astype(int), rows["opponent"].astype(int))
            order = np.argsort(found)
            assert np.array_equal(found[order], expected[0])
            drawn = expected[1] == naive_family.DRAW
            assert np.array_equal(rows["dtw"][order], np.where(drawn, -1, expected[1]))
            wdl = np.where(drawn, 0, np.where(expected[1] % 2, 1, -1))
            assert np.array_equal(rows["wdl"][order], wdl)
            assert np.array_equal(rows["weight"][order], expected[2])
            header = tablebase.header(rules, sector)
            assert len(rows) == header.distinct.total
            assert rows["weight"].sum(dtype=int) == header.positions.total


def test_small_games_have_void_slots_and_repeated_ones(small: Path) -> None:
    """Or the test above would show little."""
    with Tablebase(small) as tablebase:
        header = tablebase.header(THREE, THREE_THREE)
    numbering = layout(THREE, THREE_THREE)
    positions = [Position(THREE, *numbering.masks(slot)) for slot in range(numbering.slots)]
    mills = THREE.board.line_masks
    void = sum(any(p.mover_mask & line == line for line in mills) for p in positions)
    assert 0 < void < numbering.slots - header.distinct.total


@pytest.mark.parametrize("sector", [THREE_THREE, FOUR_THREE, THREE_FOUR], ids=str)
def test_rows_are_what_the_tablebase_says(database: Path, sector: Sector) -> None:
    with Tablebase(database) as tablebase:
        rows = all_rows(tablebase, NINE, sector)
        header = tablebase.header(NINE, sector)
        found = keys(NINE, rows["mover"].astype(int), rows["opponent"].astype(int))
        assert len(np.unique(found)) == len(rows) == header.distinct.total
        assert rows["weight"].sum(dtype=int) == header.positions.total
        wdl, dtw = tablebase.probe_many(rows["mover"], rows["opponent"], sector)
        assert np.array_equal(rows["wdl"], wdl)
        assert np.array_equal(rows["dtw"], dtw)
        for row in rows[:: len(rows) // 300]:
            position = Position(NINE, int(row["mover"]), int(row["opponent"]))
            result = tablebase.probe(position)
            assert row["wdl"] == WDL[result.value]
            assert row["dtw"] == (-1 if result.dtw is None else result.dtw)
            same = {(p.white, p.black) for p in symmetric(position)}
            assert row["weight"] == len(same)


def symmetric(position: Position) -> list[Position]:
    return [position.transform(a) for a in position.rules.board.automorphisms]


@pytest.mark.parametrize("text", ["3-3", "3-3+1-1", "2-3+2-1", "4-3"])
def test_positions_with_forbidden_rows_are_left_out(text: str) -> None:
    """In `dara` rows of three may not be placed, and rows of four never be."""
    sector = parse_sector(text)
    found = distinct.Distinct(DARA, sector)
    weights, positions = 0, []
    blocks = len(found.layout.major_sets)
    for first in range(0, blocks, found.blocks_at_once):
        part = found.of_blocks(first, min(first + found.blocks_at_once, blocks))
        weights += int(part.weights.sum(dtype=int))
        positions += list(
            zip(part.movers[::997].tolist(), part.opponents[::997].tolist(), strict=True)
        )
    for mover, opponent in positions:
        Position(DARA, mover, opponent, True, *sector[2:]).validate()
    # 30 points have 4060 sets of three, 38 of them rows, and 27405 of four, 27 of them rows.
    if text == "4-3":
        assert weights == (27405 - 27) * 2600
    elif text == "3-3":
        assert weights == 4060 * 2925
    else:
        sides = [
            [m for m in naive_family.sets("grid6x5", size).tolist() if not holds_row(m)]
            for size in sector[:2]
        ]
        assert len(sides[1]) == 4060 - 38
        own, other = map(np.array, sides)
        assert weights == int((own[:, None] & other[None, :] == 0).sum())


def holds_row(mask: int) -> bool:
    """Whether a set on a board of five rows of six holds three next to each other."""
    places = {divmod(point, 6) for point in range(30) if mask >> point & 1}
    return any(
        {(r, c), (r + i, c + j), (r + 2 * i, c + 2 * j)} <= places
        for r, c in places
        for i, j in ((0, 1), (1, 0))
    )


def test_a_table_of_win_draw_and_loss(database: Path, tmp_path: Path) -> None:
    sectors = [THREE_THREE, THREE_FOUR]
    for sector in sectors:
        path = table_path(tmp_path, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    pack_tables(NINE, sectors, tmp_path)
    for sector in sectors:
        table_path(tmp_path, NINE, sector).unlink()
        with Tablebase(tmp_path) as values, Tablebase(database) as distances:
            rows, full = (all_rows(t, NINE, sector) for t in (values, distances))
        assert (rows["dtw"] == -1).all()
        for name in ("mover", "opponent", "wdl", "weight"):
            assert np.array_equal(rows[name], full[name])


@pytest.mark.parametrize(("deepest", "kind"), [(301, "int16"), (40001, "int32")])
def test_tables_of_words(database: Path, tmp_path: Path, deepest: int, kind: str) -> None:
    """The deepest wins of a table are made deeper than a byte can say."""
    with TableReader(table_path(database, NINE, THREE_THREE)) as reader:
        header, entries = reader.header, widened(reader.entries())
    old = header.deepest_win
    assert old is not None
    entries[entries == old] = deepest

    def counts(by_depth: dict[int, int], draws: int) -> list[int]:
        numbers = [0] * WORD.numbers
        for depth, number in by_depth.items():
            numbers[deepest if depth == old else depth] = number
        numbers[WORD.draw] = draws
        return numbers

    wide = TableHeader.of_counts(
        counts(dict(header.position_histogram), header.positions.draws),
        counts(dict(header.distinct_histogram), header.distinct.draws),
        sector="3-3",
        slots=header.slots,
        major=header.major,
        rules=header.rules,
        program="test 1",
    )
    write_table(table_path(tmp_path, NINE, THREE_THREE), wide, payload_of(entries))
    with Tablebase(tmp_path) as words, Tablebase(database) as narrow:
        rows, expected = (all_rows(t, NINE, THREE_THREE) for t in (words, narrow))
        drawn = all_rows(words, NINE, THREE_THREE, sample=2000)
    assert rows.dtype["dtw"] == kind
    distances = expected["dtw"].astype(int)
    replaced = np.where(distances == old, deepest, distances)
    assert np.array_equal(rows["dtw"], replaced)
    assert np.array_equal(rows["wdl"], expected["wdl"])
    assert np.isin(drawn, rows).all()


# -- samples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 1000, 50_000, 169_626])
def test_a_sample_has_different_rows_of_the_sector(database: Path, size: int) -> None:
    with Tablebase(database) as tablebase:
        rows = all_rows(tablebase, NINE, THREE_THREE)
        drawn = all_rows(tablebase, NINE, THREE_THREE, sample=size, seed=5)
        again = all_rows(tablebase, NINE, THREE_THREE, sample=size, seed=5, threads=2)
        other = all_rows(tablebase, NINE, THREE_THREE, sample=size, seed=6)
    assert len(drawn) == len(np.unique(drawn)) == size
    assert np.isin(drawn, rows).all()
    assert np.array_equal(drawn, again)
    assert np.array_equal(drawn, other) == (size == len(rows))


@pytest.mark.parametrize("size", [8, 60])
def test_every_row_is_as_likely_in_a_sample(small: Path, size: int) -> None:
    """Both ways of drawing: one by one, and from all."""
    rules = THREE
    draws = 400
    with Tablebase(small) as tablebase:
        rows = all_rows(tablebase, rules, THREE_THREE)
        assert (size < len(rows) / 4) == (size == 8)
        samples = [
            all_rows(tablebase, rules, THREE_THREE, sample=size, seed=seed) for seed in range(draws)
        ]
    found, counts = np.unique(np.concatenate(samples), return_counts=True)
    assert np.array_equal(found, np.unique(rows))
    expected = draws * size / len(rows)
    assert np.abs(counts - expected).max() < 5 * expected**0.5


@pytest.mark.parametrize("size", [0, -1, 169_627])
def test_a_sample_that_cannot_be_had(database: Path, tmp_path: Path, size: int) -> None:
    with Tablebase(database) as tablebase:
        with pytest.raises(UsageError, match="3-3 has 169,626 distinct"):
            all_rows(tablebase, NINE, THREE_THREE, sample=size)
        with pytest.raises(UsageError, match="3-3 has 169,626 distinct"):
            export_sector(tablebase, NINE, THREE_THREE, tmp_path / "x", sample=size)
    assert list(tmp_path.iterdir()) == []


# -- files ----------------------------------------------------------------------------------------


def test_an_npy_file_is_an_array(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.npy"
    with Tablebase(database) as tablebase:
        report = export_sector(tablebase, NINE, FOUR_THREE, path)
        plan = export.plan_export(tablebase.header(NINE, FOUR_THREE))
        rows = all_rows(tablebase, NINE, FOUR_THREE)
    mapped = np.load(path, mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert np.array_equal(mapped, rows)
    assert mapped.dtype.names == ("mover", "opponent", "dtw", "wdl", "weight")
    assert mapped.dtype.itemsize == 12
    for kind, offset in mapped.dtype.fields.values():
        assert offset % kind.itemsize == 0
    assert report.bytes == path.stat().st_size == plan.bytes
    assert report.record["rows"] == plan.rows == len(mapped)
    assert json.loads(json.dumps(report.record)) == report.record
    assert list(path.parent.iterdir()) == [path]


def test_the_file_does_not_depend_on_threads_or_chunks(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tablebase(database) as tablebase:
        export_sector(tablebase, NINE, THREE_FOUR, tmp_path / "one")
        monkeypatch.setattr(distinct, "CHUNK_SLOTS", 20_000)
        done = []
        export_sector(
            tablebase,
            NINE,
            THREE_FOUR,
            tmp_path / "two",
            threads=3,
            progress=lambda *told: done.append(told),
        )
        total = tablebase.header(NINE, THREE_FOUR).distinct.total
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert len(done) > 20
    assert [rows for _, rows, _ in done] == sorted(rows for _, rows, _ in done)
    assert done[-1] == (THREE_FOUR, total, total)


def test_a_parquet_file_has_the_same_rows(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    monkeypatch.setattr(exportfiles, "GROUP_ROWS", 50_000)
    monkeypatch.setattr(distinct, "CHUNK_SLOTS", 20_000)
    path = tmp_path / "x.parquet"
    with Tablebase(database) as tablebase:
        report = export_sector(tablebase, NINE, THREE_THREE, path, "parquet")
        plan = export.plan_export(tablebase.header(NINE, THREE_THREE), "parquet")
        rows = all_rows(tablebase, NINE, THREE_THREE)
    file = parquet.ParquetFile(path)
    assert file.num_row_groups > 2
    table = file.read()
    assert table.num_rows == plan.rows == len(rows)
    assert table.column_names == list(export.COLUMNS)
    for name in rows.dtype.names:
        column = table[name].to_numpy()
        assert column.dtype == rows.dtype[name]
        assert np.array_equal(column, rows[name])
    assert set(table["mover_hand"].to_pylist()) == set(table["opponent_hand"].to_pylist()) == {0}
    assert report.bytes == path.stat().st_size <= plan.bytes
    record = json.loads(table.schema.metadata[b"morris-solver"])
    assert record == report.record
    assert (record["variant"], record["sector"], record["metric"]) == ("nine", "3-3", "dtw")
    assert record["columns"] == {f.name: str(f.type) for f in table.schema}
    for field in table.schema:
        assert field.metadata[b"meaning"].decode() == export.COLUMNS[field.name]


def test_hands_in_a_parquet_file(small: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "x.parquet"
    with Tablebase(small) as tablebase:
        export_sector(tablebase, THREE, Sector(1, 1, 2, 2), path, "parquet")
        export_sector(tablebase, THREE, Sector(1, 2, 2, 1), tmp_path / "y", "parquet", sample=9)
    table = parquet.read_table(path)
    assert set(table["mover_hand"].to_pylist()) == {2}
    assert set(table["opponent_hand"].to_pylist()) == {2}
    table = parquet.read_table(tmp_path / "y")
    assert table["mover_hand"].to_pylist() == [2] * 9
    assert table["opponent_hand"].to_pylist() == [1] * 9


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("file_format", exportfiles.FORMATS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_half_written_remains(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file_format: str,
    error: type[BaseException],
) -> None:
    if file_format == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    monkeypatch.setattr(distinct, "CHUNK_SLOTS", 20_000)
    path = tmp_path / "x"
    path.write_text("what was there")
    seen = []

    def stop(sector: Sector, done: int, rows: int) -> None:
        (temporary,) = tmp_path.glob("x.tmp-*")
        seen.append(temporary)
        if done > rows // 2:
            raise error

    with Tablebase(database) as tablebase, pytest.raises(error):
        export_sector(
            tablebase, NINE, THREE_THREE, path, file_format, force=True, threads=2, progress=stop
        )
    assert len(seen) > 2
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "what was there"


def test_a_full_disk(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, morris: Morris
) -> None:
    command = ("export", "3-3", "--db", database, "-o", tmp_path / "x.npy")
    monkeypatch.setattr(memory, "free_disk", lambda folder: 2_035_703)
    error = morris(*command).err.splitlines()[-1]
    assert error.endswith("x.npy needs 2.04 MB of disk, but only 2.04 MB are free there")
    with Tablebase(database) as tablebase, pytest.raises(ResourceError):
        export_sector(tablebase, NINE, THREE_THREE, tmp_path / "x.npy")
    assert morris(*command).code == 5
    monkeypatch.setattr(memory, "free_disk", lambda folder: 2_035_704)
    assert morris(*command).code == 0
    # And one that fills up in spite of what it said.
    (tmp_path / "x.npy").unlink()

    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(exportfiles._NpyWriter, "write", fail)
    answer = morris(*command)
    assert (answer.code, answer.out) == (5, "")
    assert "no space left" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_damage_gives_no_file(database: Path, tmp_path: Path, morris: Morris) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    path = table_path(copy, NINE, THREE_FOUR)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    path.write_bytes(damaged)
    out = tmp_path / "out" / "x.npy"
    answer = morris("export", "3-4", "--db", copy, "-o", out)
    assert (answer.code, answer.out) == (4, "")
    assert f"{path}: frame " in answer.err
    assert list(out.parent.iterdir()) == []


@pytest.mark.parametrize("entry", [3, 251, BYTE.void, BYTE.draw])
def test_entries_that_the_header_does_not_count(database: Path, tmp_path: Path, entry: int) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    numbering = layout(NINE, THREE_THREE)
    with Tablebase(database) as tablebase:
        row = next(r for r in all_rows(tablebase, NINE, THREE_THREE) if r["dtw"] == 1)
    plant(
        table_path(copy, NINE, THREE_THREE),
        numbering.index(int(row["mover"]), int(row["opponent"])),
        entry,
    )
    named = pytest.raises(DamagedTableError, match=r"3-3\.dtw\.zst: (header|payload): ")
    with Tablebase(copy) as tablebase, named:
        export_sector(tablebase, NINE, THREE_THREE, tmp_path / "x")
    assert not (tmp_path / "x").exists()
    if entry in (251, BYTE.void):  # what no slot of the sector holds is noticed in a sample too
        with Tablebase(copy) as tablebase, named:
            all_rows(tablebase, NINE, THREE_THREE, sample=169_626)


def test_parquet_without_its_package(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, morris: Morris
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = tmp_path / "x"
    error = morris("export", "3-3", "--db", database, "-o", out, "--format", "parquet").refused(2)
    assert "pyarrow, which is not installed" in error
    assert "pip install 'morris-solver[parquet]'" in error
    with Tablebase(database) as tablebase, pytest.raises(MissingPackageError):
        export_sector(tablebase, NINE, THREE_THREE, out, "parquet")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_replaced(database: Path, tmp_path: Path, morris: Morris) -> None:
    path = tmp_path / "x.npy"
    path.write_text("mine")
    command = ("export", "3-3", "--db", database, "-o", path, "--sample", 10)
    assert "is there already; name another file, or replace it with --force" in morris(
        *command
    ).refused(2)
    assert path.read_text() == "mine"
    assert morris(*command, "--force").code == 0
    assert len(np.load(path)) == 10
    for place, why in ((tmp_path, "is a folder"), ("/dev/null", "is no ordinary file")):
        for force in ((), ("--force",)):
            answer = morris("export", "3-3", "--db", database, "-o", place, *force)
            assert why in answer.refused(2)


# -- the command ----------------------------------------------------------------------------------


def test_the_command_names_the_file(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, morris: Morris
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = morris("export", "3-3", "--db", database)
    assert answer.code == 0
    assert answer.err == "writing 169,626 positions, 2.0 MB\n"
    assert answer.out.startswith("nine-3-3.npy: 169,626 positions, 2.0 MB (")
    record = morris(
        "export", "3-3", "--db", database, "-r", "stones=5", "--sample", 9, "--seed", 4, "--json"
    ).json
    assert record["file"] == "nine-stones=5-3-3.npy"
    assert (record["variant"], record["sector"]) == ("nine -r stones=5", "3-3")
    assert (record["rows"], record["sample"], record["seed"]) == (9, 9, 4)
    assert record["columns"] == {
        "mover": "int32",
        "opponent": "int32",
        "dtw": "int16",
        "wdl": "int8",
        "weight": "int8",
    }
    assert record["points"][:2] == ["a7", "d7"]
    with Tablebase(database) as tablebase:
        rows = all_rows(tablebase, NINE, THREE_THREE, sample=9, seed=4)
    written = tmp_path / "nine-stones=5-3-3.npy"
    assert np.array_equal(np.load(written), rows)
    assert record["bytes"] == written.stat().st_size


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["3"], "'3' is not a sector"),
        (["3-10"], "each side has at most 9 stones"),
        (["3-3", "--format", "csv"], "the formats are npy and parquet, not 'csv'"),
        (["3-3", "--sample", "0"], "--sample takes a whole number of 1 or more"),
        (["3-3", "--seed", "1"], "--seed is for --sample"),
        (["3-3", "--sample", "200000"], "3-3 has 169,626 distinct"),
        (["3-3", "-o", ""], "--output needs the name of a file"),
        ([], "Missing argument 'SECTOR'"),
    ],
)
def test_wrong_usage(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    morris: Morris,
    arguments: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert expected in morris("export", *arguments, "--db", database).refused(2)
    assert list(tmp_path.iterdir()) == []


def test_help_imports_nothing_heavy() -> None:
    assert not {"numpy", "numba", "rich", "pyarrow"} & imported_by("export", "--help")


def test_a_missing_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, morris: Morris) -> None:
    monkeypatch.chdir(tmp_path)
    error = morris("export", "6-5", "--db", tmp_path / "none").refused(3)
    assert "morris solve nine 6-5" in error
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_the_file_tells_the_format(
    morris: Morris, database: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    file = tmp_path / "rows.parquet"
    answer = morris("export", "3-3", "-o", file, "--sample", 9, "--db", database, "--json").json
    assert answer["format"] == "parquet"
    assert file.read_bytes()[:4] == b"PAR1"
    other = ("export", "3-3", "-o", tmp_path / "x.npy", "--format", "parquet", "--db", database)
    assert "has the name of another format than parquet" in morris(*other).refused(2)
    assert "needs the name of a file" in morris("export", "3-3", "-o", "-").refused(2)
