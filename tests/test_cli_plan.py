"""``morris plan`` with ``--workers`` and ``--memory``; the rest of it is in test_plan.py."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Morris
from strategies import NINE

from solver import memory
from solver.parallel import default_threads
from solver.plan import file_bytes, make_plan
from solver.rules import get_variant
from solver.schedule import job_seconds, jobs_of, schedule
from solver.sectors import Sector, sectors_up_to, unit_of
from solver.tablefile import table_path

EIGHT = ("plan", "nine", "--stones", 8)
KEYS = [
    "workers", "threads", "memory", "seconds", "critical_path", "idle_seconds", "idle_share",
    "peak_disk", "peak_memory", "work_seconds", "units",
]  # fmt: skip


@pytest.fixture
def nowhere(tmp_path: Path) -> Iterator[Path]:
    """A database that does not exist, and that no plan makes."""
    yield tmp_path / "nowhere"
    assert not (tmp_path / "nowhere").exists()


def scheduled(morris: Morris, *arguments: object) -> dict[str, Any]:
    """The schedule that a plan has with some arguments."""
    record = morris(*arguments, "--json").json
    found: dict[str, Any] = record["schedule"]
    assert list(found) == KEYS
    return found


def test_json_with_workers(morris: Morris, nowhere: Path) -> None:
    arguments = (*EIGHT, "--db", nowhere, "--workers", 3, "--threads", 2, "--memory", "1.5")
    found = scheduled(morris, *arguments)
    plan = make_plan(NINE, sectors_up_to(NINE, 8), threads=2)
    expected = schedule(jobs_of(NINE, plan.units, 2), 3)
    assert (found["workers"], found["threads"], found["memory"]) == (3, 2, 1_500_000_000)
    assert found["seconds"] == round(expected.seconds, 3)
    assert found["critical_path"] == {
        "seconds": round(expected.critical_seconds, 3),
        "units": ["3-3", "4-3", "5-3"],
    }
    assert found["work_seconds"] == round(expected.work_seconds, 3)
    assert found["idle_seconds"] == round(expected.idle_seconds, 3)
    assert found["idle_share"] == round(expected.idle_share, 4)
    assert found["peak_memory"] == expected.peak_memory
    assert found["peak_disk"] == plan.bytes
    assert found["units"] == [
        {
            "unit": str(each.unit),
            "worker": each.worker,
            "start": round(each.start, 3),
            "end": round(each.end, 3),
        }
        for each in expected.units
    ]
    record = morris(*arguments, "--json").json
    plain = morris(*EIGHT, "--db", nowhere, "--threads", 2, "--json").json
    assert record == plain | {"schedule": found}


def test_workers_share_this_machine(morris: Morris, nowhere: Path) -> None:
    found = scheduled(morris, *EIGHT, "--db", nowhere, "--workers", 2)
    assert found["threads"] == max(1, default_threads() // 2)
    assert found["memory"] == pytest.approx(memory.default_memory() / 2, rel=0.2)
    many = scheduled(morris, *EIGHT, "--db", nowhere, "--workers", 1000, "--memory", 1)
    assert many["threads"] == 1
    assert many["seconds"] == many["critical_path"]["seconds"]


def test_what_is_there_is_left_out(morris: Morris, database: Path) -> None:
    found = scheduled(morris, *EIGHT, "--db", database, "--workers", 2, "--memory", 1)
    assert sorted(each["unit"] for each in found["units"]) == ["4-4", "5-3"]
    assert found["critical_path"]["units"] == ["5-3"]
    sizes = [file_bytes(NINE, sector) for sector in sectors_up_to(NINE, 8)]
    assert found["peak_disk"] == sum(sizes)
    text = morris(*EIGHT, "--db", database, "--workers", 2, "--memory", 1).out
    assert "of it is there already" in text
    text = morris("plan", "nine", "--stones", 7, "--db", database, "--workers", 2).out
    assert text.splitlines()[-1].endswith(" each: nothing to do")


def test_a_unit_of_which_one_table_is_there(morris: Morris, database: Path, tmp_path: Path) -> None:
    """It is solved as a whole, and the table that is there is not written again."""
    for sector in (Sector(3, 3), Sector(4, 3)):
        path = table_path(tmp_path, NINE, sector)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(table_path(database, NINE, sector), path)
    found = scheduled(
        morris, "plan", "nine", "4-3", "--db", tmp_path, "--workers", 1, "--threads", 2
    )
    assert [each["unit"] for each in found["units"]] == ["4-3"]
    assert found["work_seconds"] == round(job_seconds(NINE, unit_of(NINE, Sector(4, 3)), 2), 3)
    assert found["peak_disk"] == sum(file_bytes(NINE, s) for s in sectors_up_to(NINE, 7))


def test_text_with_workers(morris: Morris, nowhere: Path) -> None:
    arguments = ("plan", "nine", "--all", "--threads", 1, "--db", nowhere)
    plain = morris(*arguments).out
    text = morris(*arguments, "--workers", 2, "--memory", 8).out
    assert text.startswith(plain)
    lines = text.removeprefix(plain).splitlines()
    assert lines[0].startswith("with 2 workers of 1 thread and 8.0 GB each: about ")
    assert " min" in lines[0]
    assert "(one worker " in lines[0]
    starts = ["  critical path ", "  idle          ", "  peak disk     ", "  peak memory   "]
    assert [line[:16] for line in lines[1:-1]] == starts
    assert lines[-1].startswith("  estimated from two processors: ")
    assert lines[1].endswith(" units: 3-3 -> 4-3 -> 5-3 -> ... -> 1-1+8-8 -> 0-1+9-8 -> 0-0+9-9")
    assert lines[2].endswith(" % of the workers' time")
    assert "there already" not in lines[3]
    one = morris(*EIGHT, "--db", nowhere, "--workers", 1, "--threads", 2, "--memory", 1).out
    assert "with 1 worker of 2 threads and 1.0 GB each: about " in one
    assert "; 3 units: 3-3 -> 4-3 -> 5-3\n" in one


def test_a_unit_too_large_for_a_worker(morris: Morris, nowhere: Path) -> None:
    arguments = ("plan", "nine", "--all", "--db", nowhere, "--workers", 2, "--memory")
    answer = morris(*arguments, 4)
    assert answer.code == 0
    said = answer.out.splitlines()[-1]
    assert said.startswith("not solvable so: unit 8-7 has 1,072,591,520 slots and needs about ")
    assert "the limit of each worker is 4.00 GB, too little for 9-7, 9-8, 8-8, 9-6 as well;" in said
    some = morris(*arguments, 1).out.splitlines()[-1]
    assert re.search(r" too little for 9-7, 9-8, 8-8, 9-6, 8-6 and \d+ more as well;", some)
    # What it says would do does, and a little less does not.
    enough = float(said.partition("--memory ")[2].split()[0])
    assert "unsolvable" not in morris(*arguments, enough, "--json").json
    record = morris(*arguments, enough - 0.02, "--json").json
    assert list(record)[-2:] == ["schedule", "unsolvable"]
    assert record["unsolvable"].startswith("unit 8-7 has ")
    assert "for " not in record["unsolvable"].partition("each worker")[2]  # it is the only one


def test_only_what_is_to_be_done_has_to_fit(morris: Morris, database: Path) -> None:
    largest = unit_of(NINE, Sector(4, 3))
    limit = make_plan(NINE, largest.sectors).memory / 1e9 - 0.005
    arguments = ("plan", "nine", "--stones", 7, "--memory", limit, "--json")
    assert "unsolvable" not in morris(*arguments, "--db", database).json
    assert "unit 4-3 has " in morris(*arguments, "--db", database / "nowhere").json["unsolvable"]


def test_a_limit_for_one_process(morris: Morris, nowhere: Path) -> None:
    arguments = ("plan", "dara", "--all", "--db", nowhere)
    record = morris(*arguments, "--memory", "0.3", "--json").json
    assert "schedule" not in record
    assert "and the limit is 0.30 GB, too little for " in record["unsolvable"]
    text = morris("plan", "nine", "--all", "--db", nowhere, "--memory", 1).out
    assert text.splitlines()[-1].startswith("not solvable so: unit 8-7 has ")
    # However much memory there is, ranks have 16 bits.
    for extra in ([], ["--workers", 2]):
        record = morris(*arguments, "--memory", 1e6, *extra, "--json").json
        assert "this program solves units with blocks of at most 65,535" in record["unsolvable"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--workers", "0"], "--workers takes a whole number of 1 or more, not '0'"),
        (["--workers", "two"], "--workers takes a whole number, not 'two'"),
        (["--workers", "2", "--memory", "0"], "--memory takes a number above 0, not '0'"),
        (["--workers", "2", "--memory", "inf"], "--memory takes a number, not 'inf'"),
    ],
)
def test_wrong_usage(morris: Morris, arguments: list[str], expected: str) -> None:
    assert expected in morris("plan", "nine", *arguments).refused(2)


@pytest.mark.parametrize("name", ["nine", "lasker"])
def test_every_large_game_is_planned_at_once(name: str, morris: Morris, nowhere: Path) -> None:
    started = time.process_time()
    found = scheduled(morris, "plan", name, "--db", nowhere, "--workers", 16, "--memory", 16)
    assert time.process_time() - started < 6  # a second or two
    units = make_plan(get_variant(name)).units
    assert {each["unit"] for each in found["units"]} == {str(unit) for unit in units}
    bound = max(found["critical_path"]["seconds"], found["work_seconds"] / 16)
    assert bound <= found["seconds"] + 0.002
    assert found["seconds"] < 1.5 * bound


def test_a_plan_does_not_load_the_solver(nowhere: Path) -> None:
    code = (
        "import sys; from solver.cli import run;"
        "code = run(['plan', 'nine', '--stones', '8', '--workers', '2', '--db', sys.argv[1]]);"
        "assert code == 0; assert not {'numba', 'distributed', 'dask'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code, str(nowhere)], check=True, capture_output=True)
