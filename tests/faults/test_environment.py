"""Odd surroundings: languages, terminals, homes, users, options of Python, a read-only package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from faultlist import Fault

from solver.kernels import CODE

ROOT = Path(__file__).parents[2]
STRANGER = 54321
"""A user of whom the system knows nothing."""

WON = "w:Wa1,d1,g1:Ba7,b4,c4"
SEVERAL = """
import sys
from solver.cli import run
for words in sys.argv[1:]:
    code = run(words.split())
    sys.stdout.flush()
    sys.stderr.flush()
    if code != 0:
        sys.exit(f"{words}: {code}")
"""
ASKED: Final = (f"query --json {WON}", "variants --json nine", "stats --json nine 3-3")
SHOWN: Final = (
    f"query {WON}",
    "variants",
    "stats nine",
    "perft nine 2",
    "query --help",
    "plan nine",
)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


def surroundings(*without: str, **changes: str) -> dict[str, str]:
    """The environment of this process, with changes."""
    changed = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    for name in ("PYTEST_CURRENT_TEST", *without):
        changed.pop(name, None)
    return changed


def run(arguments: Iterable[str], environment: dict[str, str], *options: str) -> bytes:
    """What some commands say that one process without a terminal runs; none may complain."""
    done = subprocess.run(
        [sys.executable, *options, "-c", SEVERAL, *arguments],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout


@pytest.fixture(scope="module")
def usual(database: Path) -> tuple[bytes, bytes]:
    """What commands say in usual surroundings: as JSON, and as text."""
    environment = surroundings(MORRIS_DB=str(database), LC_ALL="C.UTF-8")
    return run(ASKED, environment), run(SHOWN, environment)


# -- languages, terminals, clocks --------------------------------------------------------------

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ODD: Final[dict[str, dict[str, str]]] = {
    "LANG=C": {"LANG": "C", "LC_ALL": "", "TERM": "dumb", "TZ": "Nowhere/At-All"},
    "LC_ALL=C": {"LC_ALL": "C", "TERM": "", "TZ": "X+25:99", "PYTHONHASHSEED": "1"},
    "PYTHONUTF8=0": ASCII,
    "PYTHONIOENCODING=ascii": {"PYTHONIOENCODING": "ascii"},
    "PYTHONIOENCODING=utf-16": {"PYTHONIOENCODING": "utf-16-le", "HOME": ""},
    "a language that is not there": {"LC_ALL": "tlh_Klingon.UTF-8", "TMPDIR": "/missing"},
    "COLUMNS=-3": {"COLUMNS": "-3", "LINES": "0", "NO_COLOR": "1"},
    "COLUMNS=wide": {"COLUMNS": "wide", "LINES": "x", "HOME": "/dev/null"},
    "COLUMNS=1": {"COLUMNS": "1", "XDG_CACHE_HOME": "/dev/null"},
}


@pytest.mark.fault(
    "environment",
    "other languages and encodings, no terminal or a narrow one, odd TZ, HOME and TMPDIR",
    promise="the same answers",
)
@pytest.mark.parametrize("kind", ODD)
def test_answers_are_the_same(
    fault: Fault, database: Path, usual: tuple[bytes, bytes], kind: str
) -> None:
    environment = surroundings(MORRIS_DB=str(database), **ODD[kind])
    code = "utf-16-le" if "utf-16" in kind else "utf-8"
    answers = run([*ASKED, *SHOWN], environment).decode(code)
    expected = [json.loads(line) for line in usual[0].splitlines()]
    lines = answers.splitlines()
    assert [json.loads(line) for line in lines[: len(expected)]] == expected
    shown = "\n".join(lines[len(expected) :]) + "\n"
    if "ascii" in kind or "PYTHONUTF8=0" in kind:
        assert shown.isascii()
    elif "COLUMNS" not in kind:
        assert shown == usual[1].decode()
    fault.happened("the same answers")


def test_an_empty_environment(database: Path, usual: tuple[bytes, bytes]) -> None:
    environment = {"PYTHONPATH": str(ROOT), "MORRIS_DB": str(database)}
    assert run(ASKED, environment) == usual[0]


def test_output_to_a_file(database: Path, usual: tuple[bytes, bytes], tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as file:
        subprocess.run(
            [sys.executable, "-c", SEVERAL, *SHOWN],
            env=surroundings(MORRIS_DB=str(database), LC_ALL="C.UTF-8"),
            cwd=ROOT,
            stdout=file,
            check=True,
        )
    assert (tmp_path / "out").read_bytes() == usual[1]


# -- options of Python --------------------------------------------------------------------------

PYTHON: Final[dict[str, tuple[list[str], dict[str, str]]]] = {
    "no assertions and no docstrings": (["-OO"], {}),
    "warnings are errors": (["-X", "dev", "-W", "error"], {}),
    "no language and no home": ([], {**ASCII, "HOME": "", "TZ": "X+25:99", "PYTHONHASHSEED": "7"}),
}


@pytest.mark.fault(
    "environment",
    "Python without assertions and docstrings, with warnings as errors, without a language",
    promise="tables of the same bytes",
)
@pytest.mark.parametrize("kind", PYTHON)
def test_tables_are_the_same(fault: Fault, database: Path, tmp_path: Path, kind: str) -> None:
    options, changes = PYTHON[kind]
    assert CODE.folder is not None
    changes = {**changes, "XDG_CACHE_HOME": str(CODE.folder.parents[2])}
    where = f"nine 3-3 --json --db {tmp_path}"
    commands = [f"solve {where}", f"verify {where} --full", "solve --help"]
    done = subprocess.run(
        [sys.executable, *options, "-c", SEVERAL, *commands],
        env=surroundings(**changes),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert b"Warning" not in done.stderr
    assert b"compiling" not in done.stderr
    (made,) = tmp_path.glob("*/3-3.dtw.zst")
    (known,) = database.glob("*/3-3.dtw.zst")
    assert made.read_bytes() == known.read_bytes()
    assert json.loads(done.stdout.splitlines()[1])["mismatches"] == 0
    fault.happened("the same table, and it was verified")


# -- where the program runs ---------------------------------------------------------------------


@pytest.mark.fault(
    "environment",
    "the current folder is deleted",
    promise="named in full, databases are read and written; else one line says what is wrong",
)
def test_the_current_folder_is_deleted(fault: Fault, database: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    program = f"cd '{gone}' && rmdir '{gone}' && exec \"$@\""
    for folder, code in ((str(database), 0), ("relative", 3)):
        gone.mkdir()
        command = [sys.executable, "-m", "solver", "query", WON, "--db", folder]
        done = subprocess.run(
            ["sh", "-c", program, "sh", *command],
            env=surroundings(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done
        assert done.stderr.count("\n") == (code != 0)
        fault.happened("answered" if code == 0 else "refused in one line")


def test_modules_in_the_current_folder_are_not_taken(database: Path, tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("morris")
    if not script.exists():
        pytest.skip("morris is not installed beside Python")
    for name in ("numpy", "zstandard", "click", "json", "solver"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    done = subprocess.run(
        [script, "query", WON, "--db", database],
        env=surroundings(),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


# -- who runs it --------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder such as ``site-packages`` with a copy of the package in it."""
    folder = tmp_path_factory.mktemp("python") / "lib" / "site-packages"
    shutil.copytree(
        ROOT / "solver", folder / "solver", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def as_user(user: int) -> list[str]:
    """The beginning of a command that another user runs."""
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("there is no setpriv")
    command = [program, f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    # Where only root can reach Python itself, others may read everything here, and write nothing.
    return [*command, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


@needs_root
@pytest.mark.fault(
    "environment",
    "a read-only package, a read-only home, or none and a user whom the system does not know",
    promise="compiled code is kept in a folder for temporary files that is the user's alone",
)
@pytest.mark.parametrize("home", ["read-only", "none"])
def test_a_user_who_may_write_next_to_nothing(
    fault: Fault, package: Path, tmp_path: Path, home: str
) -> None:
    assert CODE.folder is not None
    temporary, database = tmp_path / "temporary", tmp_path / "database"
    for folder in (temporary, database):
        folder.mkdir()
        folder.chmod(0o1777)
    (tmp_path / "home").mkdir(mode=0o755)
    # As if this user had compiled before.
    kept = temporary / f"morris-solver-{STRANGER}" / "kernels" / CODE.folder.name
    shutil.copytree(CODE.folder, kept)
    for path in (kept.parents[1], kept.parent, kept, *kept.iterdir()):
        os.chown(path, STRANGER, STRANGER)
    changes = {"PYTHONPATH": str(package), "TMPDIR": str(temporary)}
    if home != "none":
        changes["HOME"] = str(tmp_path / "home")
    without = ["XDG_CACHE_HOME", "XDG_DATA_HOME", *(["HOME"] if home == "none" else [])]
    environment = surroundings(*without, **changes)

    def morris(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*as_user(STRANGER), sys.executable, "-m", "solver", *arguments],
            env=environment,
            cwd=database,
            capture_output=True,
            text=True,
            check=False,
        )

    done = morris("solve", "nine", "3-3", "--db", str(database))
    assert done.returncode == 0, done
    assert "compiling" not in done.stderr
    assert sorted(path.name for path in temporary.iterdir()) == [f"morris-solver-{STRANGER}"]
    assert next(database.glob("*/3-3.dtw.zst")).stat().st_uid == STRANGER
    lost = morris("query", WON)
    if home == "none":
        assert lost.returncode == 2
        assert "name the database with MORRIS_DB or --db" in lost.stderr
    else:
        assert lost.returncode == 3
    assert not list((tmp_path / "home").iterdir())
    assert not list(package.rglob("__pycache__"))
    fault.happened("worked, and wrote nowhere else")
