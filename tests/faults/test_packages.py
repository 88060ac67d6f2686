"""Wheel and source distribution: whole, the same from each other, and at work where they go.

The normal run installs into an empty environment that borrows what the program depends on from
this one, and runs without compiling; with ``--deep`` everything comes from the package index, into
an environment that has nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from faultlist import Fault

from solver import __version__
from solver.manifest import all_tables

ROOT = Path(__file__).parents[2]
DISTRIBUTION = f"morris_solver-{__version__}"
NOT_DISTRIBUTED = (".ci/", ".github/", ".gitignore")
BACKEND = "setuptools>=77"
BUILD = """
import sys
import setuptools.build_meta as backend
print(getattr(backend, f"build_{sys.argv[1]}")(sys.argv[2]))
"""
POSITION = "w:W:B:H3,3"

AT_WORK = "it is whole, and every command works away from the checkout"


def run(*command: object, cwd: Path, **variables: str) -> str:
    """Run a program that must not fail; return what it prints."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked() -> list[str]:
    """The files of the checkout, those not committed yet included."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout with git")
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = os.fsdecode(done.stdout).split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what builds packages, from the package index."""
    folder = tmp_path_factory.mktemp("backend")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries=1"]
    done = subprocess.run(
        [*pip, "install", "--target", str(folder), BACKEND], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"{BACKEND} cannot be got from the package index")
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean copy of the checkout."""
    folder = tmp_path_factory.mktemp("clean") / "checkout"
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def build(kind: str, source: Path, backend: Path, target: Path, epoch: str = "1700000000") -> Path:
    """Build a wheel or an sdist from a copy of a source folder."""
    copied = target / "source"
    shutil.copytree(source, copied)
    printed = run(
        sys.executable, "-c", BUILD, kind, target,
        cwd=copied, PYTHONPATH=str(backend), SOURCE_DATE_EPOCH=epoch,
    )  # fmt: skip
    return target / printed.split()[-1]


@pytest.fixture(scope="module")
def wheel(checkout: Path, backend: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", checkout, backend, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(checkout: Path, backend: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", checkout, backend, tmp_path_factory.mktemp("sdist"))


@pytest.mark.fault(
    "supply",
    "a package built from a clean checkout",
    promise="every file of the program is in it, and nothing else",
)
def test_what_is_in_the_wheel(wheel: Path, checkout: Path, fault: Fault) -> None:
    info = f"{DISTRIBUTION}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    package = {name for name in files if not name.startswith(f"{info}/")}
    expected = {name for name in tracked() if name.startswith("solver/")}
    assert {"solver/py.typed", "solver/web/static/index.html"} <= package
    assert package == expected
    assert all(files[name] == (checkout / name).read_bytes() for name in package)
    assert files[f"{info}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"morris = solver.__main__:main" in files[f"{info}/entry_points.txt"]
    metadata = files[f"{info}/METADATA"].decode()
    assert f"Version: {__version__}\n" in metadata
    required = re.findall(r"^Requires-Dist: (\w+)[^;\n]*$", metadata, re.MULTILINE)
    assert sorted(required) == ["click", "numba", "numpy", "rich", "xxhash", "zstandard"]
    fault.happened("the wheel is whole")


@pytest.mark.fault(
    "supply",
    "a package built from a clean checkout",
    promise="every file of the program is in it, and nothing else",
)
def test_what_is_in_the_sdist(sdist: Path, fault: Fault) -> None:
    with tarfile.open(sdist) as archive:
        found = {member.name for member in archive if member.isfile()}
    found = {name.removeprefix(f"{DISTRIBUTION}/") for name in found}
    made = {name for name in found if ".egg-info/" in name} | {"PKG-INFO", "setup.cfg"}
    assert found - made == {name for name in tracked() if not name.startswith(NOT_DISTRIBUTED)}
    fault.happened("the sdist is whole")


@pytest.mark.fault(
    "supply",
    "a wheel built again, on another day's files, or from the sdist",
    promise="the same bytes (with the same SOURCE_DATE_EPOCH and setuptools)",
)
def test_wheels_are_the_same(
    wheel: Path, sdist: Path, checkout: Path, backend: Path, tmp_path: Path, fault: Fault
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    for path in checkout.rglob("*.py"):
        os.utime(path, (1, 10**9))
    for source in (unpacked, checkout):
        target = tmp_path / f"from {source.name}"
        target.mkdir()
        again = build("wheel", source, backend, target)
        assert again.name == wheel.name
        assert again.read_bytes() == wheel.read_bytes()
        fault.happened("the same bytes")


class Installed:
    """The program in an environment of its own, with a home folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "environment"
        self.home = folder / "home"
        self.elsewhere = folder / "elsewhere"
        self.home.mkdir()
        self.elsewhere.mkdir()
        self.python = self.folder / "bin" / "python"
        self.morris = self.folder / "bin" / "morris"
        run(sys.executable, "-m", "venv", "--without-pip", self.folder, cwd=folder)

    @property
    def packages(self) -> Path:
        (found,) = (self.folder / "lib").glob("python*/site-packages")
        return found

    def pip(self, *arguments: object) -> str:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        return run(*pip, "--python", self.python, *arguments, cwd=self.elsewhere)

    def variables(self, **more: str) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "MORRIS", "XDG_", "NUMBA", "VIRTUAL"))
        }
        return {**kept, "HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1", **more}

    def __call__(self, *arguments: object, **more: str) -> str:
        """Run the program; return what it prints."""
        done = subprocess.run(
            [str(self.morris), *map(str, arguments)],
            cwd=self.elsewhere,
            env=self.variables(**more),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def asked(installed: Installed, name: str, **more: str) -> str:
    """What a name of the package is."""
    done = subprocess.run(
        [installed.python, "-c", f"import solver; print(solver.{name})"],
        cwd=installed.elsewhere,
        env=installed.variables(**more),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


def works(installed: Installed, **more: str) -> None:
    """Check that the program works, and where it keeps things."""
    home, elsewhere = installed.home, installed.elsewhere
    assert installed("--version", **more) == f"morris, version {__version__}\n"
    found = Path(asked(installed, "__file__", **more))
    assert found == installed.packages / "solver" / "__init__.py"
    # Where tables go: the user's data folder, or what is named.
    data = home / ".local" / "share" / "morris-solver"
    for folder, variables in (
        (data, {}),
        (home / "data" / "morris-solver", {"XDG_DATA_HOME": str(home / "data")}),
        (home / "named", {"MORRIS_DB": str(home / "named")}),
    ):
        where = asked(installed, "default_database()", **more, **variables)
        assert Path(where) == folder
    assert "solved 7 tables" in installed("solve", "three", "--all", **more)
    assert len(all_tables(data)) == 7
    answer = installed("query", "--variant", "three", POSITION, **more)
    assert "White wins in 9 plies." in answer
    assert "all of it holds" in installed("verify", "three", **more)
    assert installed("manifest", **more).count("\n") == 7
    assert "7 files" in installed("verify", "--manifest", data / "SHA256SUMS", **more)
    assert list(elsewhere.iterdir()) == []


def serves(installed: Installed, **more: str) -> None:
    """Check that the page is there, with what it shows."""
    with subprocess.Popen(
        [str(installed.morris), "serve", "--port", "0"],
        cwd=installed.elsewhere,
        env=installed.variables(**more),
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            match = re.match(r"Serving (http://\S+/) ", server.stdout.readline())
            assert match is not None
            with urllib.request.urlopen(match[1], timeout=20) as page:
                text = page.read().decode()
            assert "<title>" in text
            question = f"{match[1]}api/three?position={POSITION}"
            with urllib.request.urlopen(question, timeout=20) as page:
                assert json.load(page)["dtw"] == 9
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)


def leaves_nothing(installed: Installed) -> None:
    """Check that the program has written nothing of its own, and that nothing stays of it."""
    before = {path for path in installed.packages.iterdir() if "morris" in path.name}
    assert (installed.packages / "solver").is_dir()
    assert before
    assert not list((installed.packages / "solver").rglob("*.zst"))
    installed.pip("uninstall", "--yes", "--quiet", "morris-solver")
    left = {path.name for path in installed.packages.iterdir()}
    assert not {name for name in left if "morris" in name or name == "solver"}
    assert not installed.morris.exists()


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installed]:
    yield Installed(tmp_path)
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.fault(
    "supply",
    "a package installed into an environment of its own, and taken out again",
    promise=AT_WORK + "; tables go to the user's data folder; nothing is left",
)
def test_the_wheel_at_work(installed: Installed, wheel: Path, fault: Fault) -> None:
    # What the program depends on is borrowed; the program itself comes before it.
    borrowed = installed.packages / "borrowed.pth"
    borrowed.write_text(sysconfig.get_path("purelib") + "\n")
    installed.pip("install", "--quiet", "--no-deps", "--no-index", wheel)
    works(installed, NUMBA_DISABLE_JIT="1")  # compiling takes a minute
    serves(installed, NUMBA_DISABLE_JIT="1")
    borrowed.unlink()
    leaves_nothing(installed)
    fault.happened("at work; nothing is left")


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_environment_that_has_nothing_else(
    installed: Installed, kind: str, request: pytest.FixtureRequest
) -> None:
    package: Path = request.getfixturevalue(kind)
    installed.pip("install", "--quiet", f"{package}[web]")
    works(installed)
    serves(installed)
    leaves_nothing(installed)


@pytest.mark.deep
def test_the_oldest_zstd(installed: Installed, wheel: Path, database: Path) -> None:
    """Another version of zstd makes other bytes of the same values, and reads those of all."""
    installed.pip("install", "--quiet", wheel, "zstandard==0.22.0")
    listed = installed.home / "list"
    installed("manifest", "--db", database, "--output", listed)
    installed("verify", "nine", "--full", "--db", database)
    own = installed.home / "own"
    installed("solve", "nine", "--stones", "7", "--db", own)
    done = subprocess.run(
        [str(installed.morris), "verify", "--manifest", str(listed), "--db", str(own)],
        env=installed.variables(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert "sound by its own checksums, but not the table of the manifest" in done.stderr
    from solver.tablefile import TableReader

    for name in all_tables(own):
        with TableReader(own / name) as one, TableReader(database / name) as other:
            assert (one.entries() == other.entries()).all()
