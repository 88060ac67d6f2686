"""The commands that make and check databases: ``solve``, ``verify`` and ``bench``."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Morris, plant
from strategies import NINE

from solver import compiling, memory, seekable
from solver.cli.progress import PlainProgress, unit_line
from solver.sectors import Sector, sectors_up_to, solving_order, unit_of
from solver.tablefile import TableReader, table_path

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "databases" / "reference"


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
    """A database of seven stones, in a folder whose name needs care, to do harm to."""
    shutil.copytree(seven, tmp_path / "mühle 碁")
    return tmp_path / "mühle 碁"


def path_of(database: Path, mover: int, opponent: int) -> Path:
    return table_path(database, NINE, Sector(mover, opponent))


def damage(path: Path, where: float = 0.5) -> None:
    """Change one byte."""
    data = bytearray(path.read_bytes())
    data[int(where * (len(data) - 1))] ^= 0x10
    path.write_bytes(data)


# -- solve ------------------------------------------------------------------------------------


def test_solve_and_solve_again(morris: Morris, tmp_path: Path) -> None:
    answer = morris("solve", "nine", "4-3", "--db", tmp_path / "new", "--threads", 2, "--json")
    record = answer.json
    assert list(record) == ["solved", "skipped", "seconds"]
    assert record["solved"] == ["3-3", "4-3", "3-4"]
    assert record["skipped"] == []
    assert 0 < record["seconds"] < 300
    lines = answer.err.splitlines()
    assert lines[0].startswith("solving 2 units, 1,936,100 slots, in about ")
    assert lines[1].startswith("3-3: 210,140 slots in ")
    assert lines[2].startswith("4-3: 1,725,960 slots in ")
    assert lines[2].endswith(" ns/slot)")
    again = morris("solve", "nine", "--stones", 7, "--db", tmp_path / "new", "--json")
    assert (again.json["solved"], again.json["skipped"]) == ([], ["3-3", "4-3", "3-4"])
    assert again.err == ""


def test_solve_in_words(morris: Morris, copy: Path) -> None:
    path_of(copy, 3, 4).unlink()
    answer = morris("solve", "nine", "--stones", "7", "--db", copy)
    assert answer.code == 0
    assert answer.out.startswith("solved 1 table: 3-4; 2 tables were there already (")
    path_of(copy, 3, 3).unlink()
    answer = morris("solve", "nine", "3-3", "--db", copy)
    assert answer.out.startswith("solved 1 table: 3-3 (")
    answer = morris("solve", "nine", "3-3", "--db", copy)
    assert answer.out.startswith("1 table was there already (")


def test_force(morris: Morris, copy: Path) -> None:
    answer = morris("solve", "nine", "3-3", "--db", copy, "--force", "--json")
    assert (answer.json["solved"], answer.json["skipped"]) == (["3-3"], [])


def test_a_damaged_table_is_made_anew_and_said_so(morris: Morris, copy: Path) -> None:
    damage(path_of(copy, 3, 3), 0)
    answer = morris("solve", "nine", "--stones", 7, "--db", copy, "--json")
    assert answer.json["solved"] == ["3-3"]
    assert "3-3.dtw.zst: header: this is not a table file; it will be made anew" in answer.err
    assert morris("verify", "nine", "--checksums", "--db", copy).code == 0


def test_the_database_of_the_environment(
    morris: Morris, seven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MORRIS_DB", str(seven))
    assert morris("solve", "nine", "4-3", "--json").json["skipped"] == ["3-3", "4-3", "3-4"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "needs a choice: sectors such as 6-5, or --stones N"),
        (["3-3", "--stones", "7"], "exclude each other"),
        (["--stones", "4"], "no moving sector has so few stones"),
        (["2-3+7-8"], "sector 2-3+7-8 cannot be"),
        (["--all", "--moving"], "exclude each other"),
        (["3-3", "x"], "'x' is not a sector"),
        (["13-3"], "at most 9 stones"),
        (["3-3", "--threads", "0"], "--threads"),
        (["3-3", "--memory", "0"], "--memory"),
        (["3-3", "--memory", "much"], "--memory takes a number, not 'much'"),
        (["3-3", "--memory", "8GB"], "--memory takes a number, not '8GB'"),
        (["3-3", "--memory", "nan"], "--memory takes a number, not 'nan'"),
        (["3-3", "--memory", "inf"], "--memory takes a number, not 'inf'"),
        (["3-3", "--memory", "1e400"], "--memory takes a number, not '1e400'"),
    ],
)
def test_wrong_usage_of_solve(
    morris: Morris, arguments: list[str], expected: str, tmp_path: Path
) -> None:
    message = morris("solve", "nine", *arguments, "--db", tmp_path / "database").refused(2)
    assert expected in message
    assert not (tmp_path / "database").exists()


def test_what_no_machine_can_solve_is_refused_before_anything_is_made(
    morris: Morris, tmp_path: Path
) -> None:
    database = tmp_path / "database"
    message = morris("solve", "dara", "--all", "--db", database).refused(5)
    plan = morris("plan", "dara", "--all", "--json", "--db", database).json
    assert message == f"not solvable here: {plan['unsolvable']}"
    assert "unit 10-9 has 2,524,657,483,920 slots and needs about" in message
    assert not database.exists()
    assert "unsolvable" not in morris("plan", "dara", "--stones", "8", "--json").json


def test_too_little_memory(morris: Morris, tmp_path: Path) -> None:
    message = morris(
        "solve", "nine", "--stones", "11", "--memory", "0.2", "--db", tmp_path
    ).refused(5)
    assert message.startswith("unit 6-5 needs about ")
    assert message.endswith("but the limit is 0.20 GB; allow more with --memory")


def test_hardly_any_memory(morris: Morris, tmp_path: Path) -> None:
    message = morris("solve", "nine", "3-3", "--memory", "0.00001", "--db", tmp_path).refused(5)
    assert message.endswith("but the limit is 0.01 MB; allow more with --memory")


def test_more_memory_than_there_can_be(morris: Morris, copy: Path) -> None:
    path_of(copy, 3, 3).unlink()
    answer = morris("solve", "nine", "3-3", "--memory", "1e300", "--db", copy, "--json")
    assert answer.json["solved"] == ["3-3"]


def test_code_is_compiled_before_the_first_unit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[bool] = []
    monkeypatch.setattr(compiling, "is_compiled", lambda moving: bool(compiled))
    monkeypatch.setattr(compiling, "_solve_the_smallest", lambda placing: compiled.append(placing))
    unit = unit_of(NINE, Sector(3, 3))
    with PlainProgress(NINE, 2) as progress:
        progress.begin([])
        progress.begin([unit])
        progress.begin([unit])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "compiling, which is done once and takes a minute or two"
    assert [line.split(",")[0] for line in lines[1:]] == ["solving 1 unit"] * 2
    assert compiled == [False]


def test_code_that_cannot_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("solver.kernels.CODE.folder", tmp_path)
    monkeypatch.setattr(compiling, "_solve_the_smallest", lambda placing: None)
    said: list[str] = []
    compiling.compile_first([unit_of(NINE, Sector(3, 3))], said.append)
    assert said[1] == (
        f"compiled code cannot be kept in {tmp_path}, so every run has to compile again"
    )
    (tmp_path / "spread.x-1.code").touch()
    assert compiling.is_compiled(True)
    assert not compiling.is_compiled(False)
    monkeypatch.setattr("solver.kernels.CODE.folder", None)
    compiling.compile_first([unit_of(NINE, Sector(3, 3))], said.append)
    assert said[3] == "compiled code cannot be kept anywhere, so every run has to compile again"


def test_what_is_compiled_is_known_by_its_files(morris: Morris, copy: Path) -> None:
    path_of(copy, 3, 3).unlink()
    assert morris("solve", "nine", "3-3", "--db", copy).code == 0
    assert compiling.is_compiled(True)


@pytest.mark.parametrize(
    ("command", "code"),
    [(["solve", "nine", "3-3"], 0), (["verify", "nine"], 0), (["solve", "nine"], 2)],
)
def test_stderr_may_be_closed(copy: Path, command: list[str], code: int) -> None:
    if code == 0 and command[0] == "solve":
        path_of(copy, 3, 3).unlink()
    arguments = " ".join([*command, "--db", f"'{copy}'"])
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m solver {arguments} 2>&-"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)


def test_too_little_disk(morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_disk", lambda folder: 5)
    message = morris("solve", "nine", "--stones", "11", "--db", tmp_path).refused(5)
    assert "of disk, but only 5 bytes are free" in message


def test_an_interrupted_run_says_how_to_go_on(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    for place, sector, finished in (
        ("solver.cli.progress.PlainProgress.__exit__", "3-3", "1 table"),  # all that was to do
        ("solver.cli.solve._summary", "4-3", "2 tables"),
        ("solver.unitbuilder.solve_unit", "5-3", "no table"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, interrupt)
            answer = morris("solve", "nine", sector, "--db", tmp_path)
        assert (answer.code, answer.out) == (130, "")
        assert answer.err.splitlines()[-1] == (
            f"interrupted; {finished} finished; to go on from there, give the same command again"
        )
    monkeypatch.setattr("solver.unitbuilder.solve_unit", interrupt)
    answer = morris("solve", "nine", "3-3", "--db", tmp_path, "--force")
    assert answer.code == 130
    assert answer.err.endswith("no table finished; the others are as they were\n")


def on_a_terminal(*arguments: str) -> tuple[int, bytes, bytes]:
    """Run ``morris`` with stderr on a terminal; return exit code, stdout and what it shows."""
    own, other = pty.openpty()
    command = [sys.executable, "-m", "solver", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdin=other, stdout=subprocess.PIPE, stderr=other, env=environment, cwd=ROOT
    ) as process:
        os.close(other)
        shown = b""
        while True:
            try:
                data = os.read(own, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            shown += data
        out, _ = process.communicate()
    os.close(own)
    return process.returncode, out, shown


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    code, out, shown = on_a_terminal("solve", "nine", "3-3", "--db", str(tmp_path))
    assert code == 0, shown
    assert out.startswith(b"solved 1 table: 3-3 (")
    assert "━".encode() in shown
    assert b"100%" in shown


def test_long_units_are_reported_on_while_they_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    units = solving_order(NINE, sectors_up_to(NINE, 7))
    with PlainProgress(NINE, 2) as progress:
        progress.begin(units)
        progress.start_unit(units[0])
        for clock[0] in (4.0, 11.0, 19.0, 22.0):
            progress.advance(units[0], 50_000)
        progress.finish_unit(units[0], 23.0)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines[1:3]] == ["3-3: 47 %", "3-3: 95 %"]
    assert all(line.endswith(" left") for line in lines[1:])
    assert len(lines) == 4


def test_a_line_on_a_unit() -> None:
    line = unit_line(unit_of(NINE, Sector(6, 5)), 150_351_264, 5.1)
    assert line == "6-5: 150,351,264 slots in 5.1 s (34 ns/slot)"


# -- verify -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "checked"),
    [
        ([], 1_936_100),
        (["--checksums"], 1_936_100),
        (["--sample", "100"], 300),
        (["--full"], 1_936_100),
    ],
)
def test_verify_what_is_right(morris: Morris, seven: Path, mode: list[str], checked: int) -> None:
    answer = morris("verify", "nine", *mode, "--db", seven, "--json")
    assert answer.code == 0
    assert answer.json == {
        "checked": checked,
        "mismatches": 0,
        "sectors": ["3-3", "4-3", "3-4"],
    }
    text = morris("verify", "nine", "3-3", *mode, "--db", seven)
    assert text.code == 0
    assert text.out.startswith("1 sector, ")
    assert text.out.endswith(": all of it holds\n")


def test_verify_finds_a_planted_byte(morris: Morris, copy: Path) -> None:
    path = path_of(copy, 4, 3)
    plant(path, 1000, 77)
    assert morris("verify", "nine", "--checksums", "--db", copy).code == 0
    answer = morris("verify", "nine", "4-3", "--full", "--db", copy, "--json")
    assert answer.code == 1
    assert answer.json["mismatches"] >= 1
    assert "4-3 slot 1000 (" in answer.err
    assert "win in 77" in answer.err
    sample = morris("verify", "nine", "4-3", "--sample", "1000000", "--db", copy)
    assert sample.code == 1
    assert "MISMATCHES" in sample.out


def test_verify_names_every_damaged_file(morris: Morris, copy: Path) -> None:
    damage(path_of(copy, 3, 3))
    damage(path_of(copy, 3, 4))
    answer = morris("verify", "nine", "--checksums", "--db", copy, "--json")
    assert (answer.code, answer.out) == (4, "")
    errors = [line for line in answer.err.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 2
    assert "3-3.dtw.zst: frame 6 of 13: wrong checksum" in errors[0]
    assert "3-4.dtw.zst: frame " in errors[1]
    assert "4-3: checksums of 862,980 slots: right" in answer.err


@pytest.mark.parametrize("mode", [[], ["--checksums"], ["--sample", "5"], ["--full"]])
@pytest.mark.parametrize("harm", [damage, lambda path: path.write_bytes(b"")])
def test_verify_a_damaged_file(
    morris: Morris, copy: Path, mode: list[str], harm: Callable[[Path], None]
) -> None:
    harm(path_of(copy, 3, 3))
    answer = morris("verify", "nine", "3-3", *mode, "--db", copy)
    # A few slots need not lie in the one bad frame.
    unnoticed = mode == ["--sample", "5"] and harm is damage
    assert answer.code == 4 or (answer.code == 0 and unnoticed)
    assert "Traceback" not in answer.err


def test_verify_lists_what_damage_keeps_from_being_checked(morris: Morris, copy: Path) -> None:
    damage(path_of(copy, 3, 3))
    damage(path_of(copy, 4, 3))
    answer = morris("verify", "nine", "--full", "--db", copy)
    assert (answer.code, answer.out) == (4, "")
    lines = answer.err.splitlines()
    assert lines[:3] == [
        "3-3: not checked, it needs its own table",
        "4-3: not checked, it needs its own table",
        "3-4: not checked, it needs 4-3 and 3-3",
    ]
    assert [line[:7] for line in lines[3:]] == ["Error: "] * 2
    assert "3-3.dtw.zst: frame 6 of 13: wrong checksum" in lines[3]
    assert "; make it anew with: morris solve nine 4-3 --force --db " in lines[4]
    # Damage is the worse of two things that are wrong.
    path_of(copy, 3, 3).unlink()
    answer = morris("verify", "nine", "3-4", "--full", "--db", copy)
    assert answer.code == 4
    assert "the table of distances of sector 3-3 is missing" in answer.err
    assert morris("solve", "nine", "3-4", "--db", copy).code == 0
    assert morris("verify", "nine", "--full", "--db", copy).code == 0


def test_verify_goes_on_after_a_file_that_may_not_be_read(
    morris: Morris, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = seekable.FileSource

    def refuse(path: str | os.PathLike[str]) -> seekable.FileSource:
        if os.fspath(path) == str(path_of(copy, 4, 3)):
            raise PermissionError(13, "Permission denied", path)
        return source(path)

    monkeypatch.setattr(seekable, "FileSource", refuse)
    answer = morris("verify", "nine", "--checksums", "--db", copy)
    assert (answer.code, answer.out) == (5, "")
    assert answer.err.splitlines() == [
        "3-3: checksums of 210,140 slots: right",
        "3-4: checksums of 862,980 slots: right",
        f"Error: {path_of(copy, 4, 3)} cannot be read: permission denied",
    ]


def test_verify_on_a_terminal(seven: Path) -> None:
    code, out, shown = on_a_terminal("verify", "nine", "--full", "--db", str(seven))
    assert code == 0, shown
    assert out.startswith(b"3 sectors, all 1,936,100 slots: all of it holds")
    # Each line stands on a line of its own, above the bar.
    for line in (b"3-3: all 210,140 slots: right", b"3-4: all 862,980 slots: right"):
        before, _, after = shown.partition(line)
        assert before.endswith((b"\r\x1b[2K", b"\n")) or not before
        assert after.startswith(b"\r\n")


def test_verify_ends_at_sigterm(
    morris: Morris, seven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminate(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("solver.proof.Checker.check", terminate)
    answer = morris("verify", "nine", "--checksums", "--db", seven)
    assert (answer.code, answer.out, answer.err) == (130, "", "interrupted\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_verify_without_tables(morris: Morris, tmp_path: Path) -> None:
    message = morris("verify", "nine", "--db", tmp_path / "nowhere").refused(3)
    assert "morris solve nine --stones 8" in message
    message = morris("verify", "nine", "4-3", "--checksums", "--db", tmp_path).refused(3)
    assert "the table of sector 4-3 is missing; make it with: morris solve nine 4-3" in message


def test_verify_needs_the_tables_one_turn_on(morris: Morris, copy: Path) -> None:
    path_of(copy, 3, 3).unlink()
    for mode in (["--sample", "5"], ["--full"], []):
        answer = morris("verify", "nine", *mode, "--db", copy)
        assert (answer.code, answer.out) == (3, "")
        lines = answer.err.splitlines()
        assert lines[0] == "3-4: not checked, it needs 3-3"
        assert sum(line.startswith("4-3: ") for line in lines) == (2 if mode == [] else 1)
        assert "of sector 3-3 is missing; make it with: morris solve nine 3-3" in lines[-1]
    answer = morris("verify", "nine", "--checksums", "--db", copy, "--json")
    assert answer.json["sectors"] == ["4-3", "3-4"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--full", "--checksums"], "exclude each other"),
        (["--full", "--sample", "5"], "exclude each other"),
        (["--sample", "0"], "--sample"),
        (["2-3"], "has lost already"),
    ],
)
def test_wrong_usage_of_verify(
    morris: Morris, seven: Path, arguments: list[str], expected: str
) -> None:
    assert expected in morris("verify", "nine", *arguments, "--db", seven).refused(2)


# -- bench ------------------------------------------------------------------------------------


def test_bench_is_signed_the_same_for_any_threads(morris: Morris) -> None:
    records = [
        morris("bench", "--stones", 7, "--threads", threads, "--json").json for threads in (1, 3)
    ]
    for record in records:
        assert list(record) == ["units", "peak_memory", "signature"]
        keys = ["unit", "slots", "seconds", "ns_per_slot", "peak_memory", "bytes_per_slot"]
        assert [list(unit) for unit in record["units"]] == [keys, keys]
        assert [unit["unit"] for unit in record["units"]] == ["3-3", "4-3"]
        assert [unit["slots"] for unit in record["units"]] == [210_140, 1_725_960]
        for unit in record["units"]:
            expected = unit["seconds"] / unit["slots"] * 1e9
            assert unit["ns_per_slot"] == pytest.approx(expected, rel=0.02)
            # So small that the memory they take cannot be told.
            assert (unit["peak_memory"], unit["bytes_per_slot"]) == (None, None)
        assert record["peak_memory"] > 10e6
    assert records[0]["signature"] == records[1]["signature"]


def test_the_signature_is_of_the_stored_bytes(morris: Morris, seven: Path) -> None:
    import hashlib

    digest = hashlib.sha256()
    for sector in sectors_up_to(NINE, 7):
        with TableReader(table_path(seven, NINE, sector)) as reader:
            payload = np.empty(reader.header.slots, dtype=np.uint8)
            reader.read_into(payload)
        digest.update(f"{sector}\n".encode() + payload.tobytes())
    record = morris("bench", "--stones", 7, "--json").json
    assert record["signature"] == digest.hexdigest()


def test_bench_in_words_with_writing_and_checking(morris: Morris) -> None:
    reference = REFERENCE / "nine-moving.csv"
    answer = morris("bench", "--stones", 7, "--write", "--check", reference)
    assert answer.code == 0
    assert answer.out.split("\n")[0].split() == [
        *("unit", "slots", "seconds", "ns/slot", "bytes/slot"),
        *("writing", "ns/slot", "reading", "ns/slot", "size"),
    ]
    assert answer.out.split("\n")[1].split()[4] == "-"
    assert "\nsignature: " in answer.out
    assert answer.err.endswith(f"3 of 3 sectors compared with {reference}\n")


def test_bench_of_a_whole_game_step_by_step(morris: Morris) -> None:
    arguments = ("bench", "--all", "-r", "stones=4", "--steps")
    record = morris(*arguments, "--json").json
    assert record["units"][-1]["unit"] == "0-0+4-4"
    for unit in record["units"]:
        assert sum(unit["steps"].values()) >= 0
    names = {name for unit in record["units"] for name in unit["steps"]}
    assert {"initial values", "moves across blocks", "mirror", "placements", "re-keying"} <= names
    text = morris(*arguments).out
    assert "Nanoseconds of processor time per slot:\n" in text


def test_bench_says_what_differs(morris: Morris, tmp_path: Path) -> None:
    text = (REFERENCE / "nine-moving.csv").read_text()
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(text.replace("2691920,25,26", "2691920,27,26"))
    answer = morris("bench", "--stones", 6, "--check", wrong)
    assert answer.code == 1
    assert "sector 3-3: deepest win 25, the reference says 27" in answer.err


def test_the_bench_script(tmp_path: Path) -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "bench", "--check", "--stones", "6"],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "1 of 1 sector compared" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["--stones", "5"], "no moving sector"), (["--check", "nowhere.csv"], "there is no file")],
)
def test_wrong_usage_of_bench(morris: Morris, arguments: list[str], expected: str) -> None:
    assert expected in morris("bench", *arguments).refused(2)
