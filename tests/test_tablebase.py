"""Questions to a database: values, moves, lines, and what is missing or damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver import folders, sectortable
from solver.errors import DamagedTableError, MissingTableError, ResourceError, UsageError
from solver.folders import default_database
from solver.index import layout
from solver.pack import pack_tables
from solver.parallel import Workers
from solver.position import Position
from solver.rules import Rules, get_variant
from solver.sectors import Sector, sectors_up_to, solving_order
from solver.solve import solve_unit
from solver.tablebase import Result, Tablebase, open_tablebase
from solver.tablefile import TableHeader, TableReader, table_path, write_table

ROOT = Path(__file__).parents[1]
NINE = get_variant("nine")
THREE_THREE, FOUR_THREE, THREE_FOUR = Sector(3, 3), Sector(4, 3), Sector(3, 4)
Stored = dict[Sector, np.ndarray]


@pytest.fixture(scope="module")
def stored() -> Stored:
    """The stored bytes of every sector up to seven stones."""
    tables: Stored = {}
    with Workers(1) as workers:
        for unit in solving_order(NINE, sectors_up_to(NINE, 7)):
            for solved in solve_unit(NINE, unit, tables.__getitem__, workers):
                tables[solved.sector] = solved.stored
    return tables


@pytest.fixture(scope="module")
def database(stored: Stored, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of them, in a folder whose name needs care."""
    folder = tmp_path_factory.mktemp("mühle 碁") / "data base"
    for sector, payload in stored.items():
        write(folder, sector, payload)
    return folder


def write(folder: Path, sector: Sector, payload: np.ndarray, **fields: object) -> Path:
    """Write a table with counts by slot, which is all that the reader compares with."""
    numbers = np.bincount(payload, minlength=256).tolist()
    header = TableHeader.of_counts(
        numbers,
        numbers,
        sector=str(sector),
        slots=len(payload),
        major="mover" if layout(NINE, sector).mover_is_major else "opponent",
        rules=NINE.reduced(sector),
        program="test 1",
        frame_size=1 << 14,
    )
    path = table_path(folder, NINE, sector)
    write_table(path, replace(header, **fields), payload)
    return path


def position_of(sector: Sector, slot: int, *, white: bool = True) -> Position:
    mover, opponent = layout(NINE, sector).masks(slot)
    if white:
        return Position(NINE, mover, opponent, True)
    return Position(NINE, opponent, mover, False)


def slot_with(stored: Stored, sector: Sector, byte: int) -> int:
    return int(np.flatnonzero(stored[sector] == byte)[0])


def result_of(byte: int) -> Result:
    if byte == 255:
        return Result("draw", None)
    return Result("win" if byte % 2 else "loss", byte)


def sample(sector: Sector, count: int, seed: int = 3) -> list[int]:
    random = np.random.default_rng(seed)
    return random.integers(0, layout(NINE, sector).slots, count).tolist()


# -- one position -----------------------------------------------------------------------------


def test_probe_gives_what_is_stored(database: Path, stored: Stored) -> None:
    with open_tablebase(database) as tablebase:
        for sector, payload in stored.items():
            slots = sample(sector, 200)
            slots += [slot_with(stored, sector, byte) for byte in np.unique(payload).tolist()]
            for slot in slots:
                expected = result_of(payload[slot])
                for white in (True, False):
                    position = position_of(sector, slot, white=white)
                    assert tablebase.probe(position) == expected
                    assert tablebase.get(position) == expected
                    assert tablebase.probe_dtw(position) == expected.dtw
                    assert tablebase.get_dtw(position) == expected.dtw
                    wdl = {"win": 1, "draw": 0, "loss": -1}[expected.value]
                    assert tablebase.probe_wdl(position) == tablebase.get_wdl(position) == wdl


def test_symmetric_positions_have_one_value(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for slot in sample(FOUR_THREE, 20):
            position = position_of(FOUR_THREE, slot)
            images = {position.transform(a) for a in NINE.board.automorphisms}
            assert len({tablebase.probe(image) for image in images}) == 1


@pytest.mark.parametrize("text", ["w:Wa1,a4:Bd6,g7,g4", "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"])
def test_a_position_lost_already_needs_no_table(text: str, tmp_path: Path) -> None:
    position = Position.parse(NINE, text)
    with open_tablebase(tmp_path / "nowhere") as tablebase:
        assert tablebase.probe(position) == Result("loss", 0)
        assert tablebase.moves(position) == []
        assert tablebase.best_moves(position) == []
        assert tablebase.line(position) == ([], "loss")
        assert tablebase.missing(position) == []


def test_an_impossible_position_is_refused(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for position in (Position(NINE, 7, 7), Position(NINE, 7, 3 << 10)):
            for ask in (tablebase.probe, tablebase.get, tablebase.moves, tablebase.missing):
                with pytest.raises(UsageError):
                    ask(position)


# -- moves and lines --------------------------------------------------------------------------


def test_moves_are_best_first_and_agree_with_the_position(database: Path, stored: Stored) -> None:
    with open_tablebase(database) as tablebase:
        for sector, payload in stored.items():
            slots = [slot_with(stored, sector, byte) for byte in np.unique(payload).tolist()]
            for slot in slots + sample(sector, 10):
                position = position_of(sector, slot)
                moves = tablebase.moves(position)
                assert [m.turn for m in sorted(moves, key=lambda m: m.text)] == position.turns()
                ranks = [_rank(m.value, m.dtw, m.text) for m in moves]
                assert ranks == sorted(ranks)
                if moves:
                    assert moves[0][3:] == tablebase.probe(position)
                for move in moves[:5]:
                    after = tablebase.probe(move.position)
                    assert position.apply(move.turn) == move.position
                    assert move.text == move.turn.text(NINE.board)
                    opposite = {"win": "loss", "loss": "win", "draw": "draw"}
                    assert move.value == opposite[after.value]
                    assert move.dtw == (None if after.dtw is None else after.dtw + 1)
                best = tablebase.best_moves(position)
                assert best == moves[: len(best)]
                assert len({m[3:] for m in best}) == len(best[:1])
                assert all(m[3:] != best[0][3:] for m in moves[len(best) :])


def test_moves_among_some_turns(database: Path, tmp_path: Path) -> None:
    """They have the values they have among all, and need no other tables."""
    position = position_of(FOUR_THREE, 0)
    with open_tablebase(database) as tablebase:
        moves = tablebase.moves(position)
        some = [move.turn for move in moves[1::3]]
        assert tablebase.moves(position, reversed(some)) == moves[1::3]
        assert tablebase.moves(position, []) == []
    with open_tablebase(tmp_path) as empty:
        assert empty.moves(position, []) == []


def _rank(value: str, dtw: int | None, text: str) -> tuple[int, int, str]:
    if value == "win":
        return 0, dtw or 0, text
    return (1, 0, text) if value == "draw" else (2, -(dtw or 0), text)


def test_a_capture_that_wins_at_once(database: Path) -> None:
    position = Position.parse(NINE, "w:Wa1,d1,g4,c5:Bb6,d6,f6")
    with open_tablebase(database) as tablebase:
        assert tablebase.probe(position) == Result("win", 1)
        best = tablebase.best_moves(position)
    assert [m.text for m in best[:3]] == ["g4-g1xb6", "g4-g1xd6", "g4-g1xf6"]
    assert {(m.value, m.dtw) for m in best} == {("win", 1)}


@pytest.mark.parametrize(("sector", "byte"), [(THREE_THREE, 25), (THREE_THREE, 26)])
def test_a_decided_line_runs_to_the_end(
    database: Path, stored: Stored, sector: Sector, byte: int
) -> None:
    position = position_of(sector, slot_with(stored, sector, byte))
    with open_tablebase(database) as tablebase:
        line = tablebase.line(position)
        assert line.ended == "loss"
        assert [m.dtw for m in line.moves] == list(range(byte, 0, -1))
        assert line.moves[-1].position.outcome() is not None
        for move in line.moves:
            assert move == tablebase.moves(position)[0]
            position = move.position
        start = position_of(sector, slot_with(stored, sector, byte))
        assert tablebase.line(start, plies=byte) == line
        assert tablebase.line(start, plies=5) == (line.moves[:5], "limit")
        assert tablebase.line(start, plies=0) == ([], "limit")


def test_a_drawn_line_stops_at_its_first_repetition(database: Path, stored: Stored) -> None:
    with open_tablebase(database) as tablebase:
        for sector in (THREE_THREE, FOUR_THREE):
            start = position_of(sector, slot_with(stored, sector, 255))
            line = tablebase.line(start)
            visited = [start, *(m.position for m in line.moves)]
            assert {(m.value, m.dtw) for m in line.moves} == {("draw", None)}
            assert len(set(visited[:-1])) == len(visited) - 1
            if line.ended == "repetition":
                assert visited[-1] in visited[:-1]
            else:
                assert (line.ended, len(line.moves)) == ("limit", 60)
            assert tablebase.line(start, plies=1) == (line.moves[:1], "limit")
            longer = tablebase.line(start, plies=1000)
            assert longer.ended == "repetition"
            assert longer.moves[: len(line.moves)] == line.moves


# -- what is missing --------------------------------------------------------------------------


def test_a_missing_table_names_the_command(tmp_path: Path) -> None:
    position = Position.parse(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")
    for folder in (tmp_path / "not there", tmp_path):
        with open_tablebase(folder) as tablebase:
            for ask in (tablebase.probe, tablebase.probe_dtw, tablebase.probe_wdl):
                with pytest.raises(MissingTableError) as caught:
                    ask(position)
                assert caught.value.sector == "3-4"
                quoted = f"'{folder}'" if " " in str(folder) else folder
                assert str(caught.value).endswith(f"morris solve nine 4-3 --db {quoted}")
                assert isinstance(caught.value, KeyError)
            for ask in (tablebase.moves, tablebase.best_moves, tablebase.line):
                with pytest.raises(MissingTableError):
                    ask(position)
            assert tablebase.get(position) is None
            assert tablebase.get(position, "?") == "?"
            assert tablebase.get_dtw(position, -1) == -1
            assert tablebase.get_wdl(position, 7) == 7
            with pytest.raises(MissingTableError):
                tablebase.header(NINE, FOUR_THREE)


def test_what_cannot_be_solved_here_has_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsolvable(rules: Rules, sector: Sector) -> str | None:
        return "unit 4-3 is too large" if sector == THREE_FOUR else None

    monkeypatch.setattr(sectortable, "why_unsolvable", unsolvable)
    said = "for sector 3-4 of nine: not solvable here: unit 4-3 is too large"
    with open_tablebase(tmp_path) as tablebase:
        for metric, kind in ((None, "table"), ("dtw", "table of distances")):
            with pytest.raises(MissingTableError) as caught:
                tablebase.reader(NINE, THREE_FOUR, metric)
            assert (str(caught.value), caught.value.sector) == (f"no {kind} {said}", "3-4")
            assert caught.value.exit_code == 3
        assert tablebase.get(position_of(THREE_FOUR, 0)) is None
        with pytest.raises(MissingTableError, match="make it with: morris solve nine 4-3"):
            tablebase.reader(NINE, FOUR_THREE)


def test_missing_lists_the_sectors_needed(database: Path, tmp_path: Path) -> None:
    mill_next = Position.parse(NINE, "w:Wa1,d1,b6,c5:Bb2,d2,f2,g7")
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.missing(mill_next) == [Sector(4, 4)]
        closing = Position.parse(NINE, "w:Wa1,d1,g4,c5:Bb2,d2,f2,g7")
        assert tablebase.missing(closing) == [Sector(4, 4), THREE_FOUR]
        start = Position.start(NINE)
        assert tablebase.missing(start) == [Sector(0, 0, 9, 9), Sector(0, 1, 9, 8)]
    with open_tablebase(database) as tablebase:
        assert tablebase.missing(closing) == [Sector(4, 4)]
        assert tablebase.present(NINE, [Sector(4, 4), FOUR_THREE]) == [FOUR_THREE]
        lone = Position.parse(NINE, "w:Wa4,d5,d6:Ba7,b4,c4,g4")
        assert tablebase.missing(lone) == []


def test_tables_may_be_added_while_it_is_open(database: Path, tmp_path: Path) -> None:
    position = position_of(THREE_THREE, 5)
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.get(position) is None
        shutil.copytree(database, tmp_path, dirs_exist_ok=True)
        assert tablebase.get(position) is not None


def test_tables_in_several_folders(database: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for sector, folder in ((THREE_THREE, first), (FOUR_THREE, second), (THREE_FOUR, second)):
        copy = table_path(folder, NINE, sector)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), copy)
    positions = [position_of(s, 1000) for s in (THREE_THREE, FOUR_THREE, THREE_FOUR)]
    with open_tablebase(database) as whole, open_tablebase([first, second]) as both:
        assert both.paths == (first, second)
        for position in positions:
            assert both.missing(position) == []
            assert both.moves(position) == whole.moves(position)
        assert both.present(NINE, [FOUR_THREE, THREE_THREE, Sector(9, 9)]) == [
            FOUR_THREE,
            THREE_THREE,
        ]
        # What is missing is to be made in the first folder.
        with pytest.raises(MissingTableError, match=rf"solve nine 9-9 --db {first}"):
            both.header(NINE, Sector(9, 9))
    with open_tablebase([second, first]) as both, open_tablebase(first) as one:
        assert both.probe(positions[0]) == one.probe(positions[0])
        assert one.missing(positions[1]) == [FOUR_THREE, THREE_FOUR]
    with pytest.raises(UsageError, match="needs the name of a folder"):
        open_tablebase([])
    with pytest.raises(UsageError, match="is not a folder"):
        open_tablebase([first, table_path(first, NINE, THREE_THREE)])


def test_distances_in_a_later_folder_come_before_values_in_an_earlier_one(
    database: Path, tmp_path: Path
) -> None:
    values = tmp_path / "values"
    pack_tables(NINE, [THREE_THREE, FOUR_THREE, THREE_FOUR], database, threads=1)
    for path in database.rglob("*.wdl.zst"):
        moved = values / path.relative_to(database)
        moved.parent.mkdir(parents=True, exist_ok=True)
        path.rename(moved)
    position = position_of(THREE_THREE, 12345)
    with open_tablebase([values, database]) as both, open_tablebase(database) as distances:
        assert both.moves(position) == distances.moves(position)
    with open_tablebase(values) as alone, open_tablebase(database) as distances:
        known = [(move.value, move.text) for move in distances.moves(position)]
        order = ["win", "draw", "loss"]
        known.sort(key=lambda move: (order.index(move[0]), move[1]))
        assert [(move.value, move.text) for move in alone.moves(position)] == known
        assert {move.dtw for move in alone.moves(position)} <= {None, 1}


@pytest.mark.parametrize("limit", [-1, float("nan"), "x", None])
@pytest.mark.parametrize("name", ["cache_mb", "max_open_files"])
def test_limits_are_numbers(database: Path, name: str, limit: object) -> None:
    with pytest.raises(UsageError, match=f"{name} must be a number of 0 or more, not "):
        open_tablebase(database, **{name: limit})


def test_a_path_that_is_a_file(database: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        open_tablebase(table_path(database, NINE, THREE_THREE))


def test_a_closed_tablebase_says_so(database: Path) -> None:
    tablebase = open_tablebase(database)
    tablebase.probe(position_of(THREE_THREE, 5))
    tablebase.close()
    tablebase.close()
    with pytest.raises(ValueError, match="closed"):
        tablebase.probe(position_of(THREE_THREE, 5))


def test_default_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MORRIS_DB", "/some/where")
    assert default_database() == Path("/some/where")
    assert open_tablebase().paths == (Path("/some/where"),)
    monkeypatch.setenv("MORRIS_DB", "")
    assert default_database() == ROOT / "databases"
    monkeypatch.setattr(folders, "__file__", str(tmp_path / "solver" / "folders.py"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_database() == tmp_path / "morris-solver"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_database() == Path("/home/me/.local/share/morris-solver")


# -- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("byte", [254, 0, 251])
def test_an_entry_that_cannot_be(tmp_path: Path, stored: Stored, byte: int) -> None:
    payload = stored[THREE_THREE].copy()
    slot = 40_000
    # The header is that of the sound table: it knows no such distance.
    numbers = np.bincount(payload, minlength=256).tolist()
    payload[slot] = byte
    sound = TableHeader.of_counts(
        numbers, numbers, sector="", slots=len(payload), major="mover", rules={}, program=""
    )
    counts = {
        name: getattr(sound, name)
        for name in ("positions", "distinct", "position_histogram", "distinct_histogram")
    }
    path = write(tmp_path, THREE_THREE, payload, **counts)
    with open_tablebase(tmp_path) as tablebase:
        for ask in (tablebase.probe, tablebase.get):
            with pytest.raises(DamagedTableError) as caught:
                ask(position_of(THREE_THREE, slot))
            assert str(caught.value) == (
                f"{path}: frame 2 of 13: slot 40000 holds {byte}, which cannot be; make it anew"
                f" with: morris solve nine 3-3 --force --db {tmp_path}"
            )
        assert tablebase.probe(position_of(THREE_THREE, slot - 1)).value != "draw"


def test_tables_that_contradict_each_other(tmp_path: Path, stored: Stored) -> None:
    payload = stored[THREE_THREE].copy()
    slot = slot_with(stored, THREE_THREE, 25)
    payload[slot] = 23
    write(tmp_path, THREE_THREE, payload)
    position = position_of(THREE_THREE, slot)
    path = table_path(tmp_path, NINE, THREE_THREE)
    with open_tablebase(tmp_path) as tablebase:
        for ask in (tablebase.line, tablebase.analyse):
            with pytest.raises(DamagedTableError) as caught:
                ask(position)
            text = str(caught.value)
            assert text.startswith(f"{path} contradicts itself: {position} is a win in 23, but ")
            assert " makes it a win in 25; find out where with: morris verify nine 3-3 --f" in text
        sound = position_of(THREE_THREE, 0)
        assert tablebase.analyse(sound) == (tablebase.probe(sound), tablebase.moves(sound))


def test_files_in_the_wrong_place(tmp_path: Path, database: Path) -> None:
    shutil.copytree(database, tmp_path, dirs_exist_ok=True)
    right, wrong = (table_path(tmp_path, NINE, s) for s in (THREE_FOUR, FOUR_THREE))
    shutil.copy(right, wrong)
    with open_tablebase(tmp_path) as tablebase:
        with pytest.raises(DamagedTableError, match=r"4-3\.dtw\.zst: .*holds sector 3-4, not 4-3"):
            tablebase.probe(position_of(FOUR_THREE, 0))
        assert tablebase.probe(position_of(THREE_FOUR, 0))


def test_a_table_of_another_layout(tmp_path: Path, stored: Stored) -> None:
    write(tmp_path, THREE_THREE, stored[THREE_THREE], major="opponent")
    refusal = pytest.raises(DamagedTableError, match="the major side is not the mover")
    with open_tablebase(tmp_path) as tablebase, refusal:
        tablebase.probe(position_of(THREE_THREE, 0))


def test_a_truncated_table_names_the_file(tmp_path: Path, database: Path) -> None:
    shutil.copytree(database, tmp_path, dirs_exist_ok=True)
    path = table_path(tmp_path, NINE, THREE_THREE)
    os.truncate(path, path.stat().st_size // 2)
    refusal = pytest.raises(DamagedTableError, match=r"3-3\.dtw\.zst: seek table")
    with open_tablebase(tmp_path) as tablebase, refusal:
        tablebase.get(position_of(THREE_THREE, 0))


# -- limits -----------------------------------------------------------------------------------


def test_cache_and_open_files_are_bounded(database: Path, stored: Stored) -> None:
    def open_files() -> int:
        """Tables only: what else a test process has open comes and goes."""
        names = []
        for entry in Path("/proc/self/fd").glob("*"):
            with suppress(FileNotFoundError):
                names.append(os.readlink(entry))
        return sum(name.startswith(str(database)) for name in names)

    with Tablebase(database, cache_mb=0.05, max_open_files=1) as tablebase:
        for index in range(60):
            sector = list(stored)[index % 3]
            slot = sample(sector, 1, seed=index)[0]
            assert tablebase.probe(position_of(sector, slot)) == result_of(stored[sector][slot])
            assert open_files() <= 1
            assert tablebase._frames.used <= 50_000
    assert open_files() == 0


def test_a_cached_frame_is_not_read_again(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    unpack = TableReader.frame
    monkeypatch.setattr(TableReader, "frame", lambda self, n: read.append(n) or unpack(self, n))
    with open_tablebase(database, max_open_files=1) as tablebase:
        for _ in range(3):
            for slot in (0, 1, 20_000):
                tablebase.probe(position_of(THREE_THREE, slot))
            tablebase.probe(position_of(FOUR_THREE, 0))  # closes the other file
    assert read == [0, 1, 0]
    read.clear()
    with open_tablebase(database, cache_mb=0) as tablebase:
        for _ in range(2):
            tablebase.probe(position_of(THREE_THREE, 0))
    assert read == [0, 0]


def test_threads_share_a_tablebase(database: Path, stored: Stored) -> None:
    wrong: list[object] = []

    def probe(seed: int) -> None:
        try:
            for sector in list(stored) * 5:
                for slot in sample(sector, 10, seed=seed):
                    found = tablebase.probe(position_of(sector, slot))
                    if found != result_of(stored[sector][slot]):
                        wrong.append(slot)
        except Exception as error:
            wrong.append(error)

    with Tablebase(database, cache_mb=0.03, max_open_files=1) as tablebase:
        threads = [threading.Thread(target=probe, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_asking_needs_no_numba() -> None:
    code = "import sys, solver.tablebase; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_table_that_cannot_be_reached_is_not_called_missing(tmp_path: Path) -> None:
    path = table_path(tmp_path, NINE, FOUR_THREE)
    path.parent.symlink_to(path.parent.name)  # a folder that leads back to itself
    with open_tablebase(tmp_path) as tablebase, pytest.raises(ResourceError) as caught:
        tablebase.reader(NINE, FOUR_THREE)
    assert "cannot be read" in str(caught.value)
