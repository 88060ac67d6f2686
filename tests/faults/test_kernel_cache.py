"""Machine code that is kept between runs: damaged, foreign, stale, refused."""

from __future__ import annotations

import errno
import os
import pickle
import random
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numba
import pytest
from faultlist import Fault

from solver import codecache, codefolder, compiling
from solver.codecache import CodeStore

NOBODY = 65534
NEVER_RUN = "never run: compiled again, and replaced"
NOT_NEEDED = "works, but compiles in every run"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another user")


def doubled(x):  # type: ignore[no-untyped-def]
    return 2 * x + 1


def tripled(x):  # type: ignore[no-untyped-def]
    return 3 * x + 1


@pytest.fixture(autouse=True)
def _folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    for name in ("sources", "home", "temporary"):
        (tmp_path / name).mkdir()
    (tmp_path / "sources" / "kernels.py").write_text("doubled and tripled\n")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """The folder of what the names of the stores' folders are made from."""
    return tmp_path / "sources"


@pytest.fixture
def store(sources: Path) -> CodeStore:
    return CodeStore(sources)


def is_kept(
    store: CodeStore, function: Callable[[int], int] = doubled, argument: float = 20
) -> bool:
    """Call a function as a new process would; return whether its code had been kept."""
    dispatcher = store.keep(numba.njit(nogil=True)(function))
    assert dispatcher(argument) == function(argument)  # type: ignore[arg-type]
    hits, misses = (
        sum(count.values())
        for count in (dispatcher.stats.cache_hits, dispatcher.stats.cache_misses)
    )
    assert hits + misses == 1
    return bool(hits)


def only_file(store: CodeStore) -> Path:
    """The file of the one function that has been called."""
    assert store.folder is not None
    assert not is_kept(store)
    (path,) = store.folder.glob("*.code")
    assert is_kept(store)
    return path


def check_replaced(store: CodeStore, path: Path) -> None:
    """Check that what lies at a path is not run, and that it is replaced by what is."""
    assert not is_kept(store)
    assert is_kept(store)
    assert list(path.parent.glob("*.code")) == [path]
    assert not list(path.parent.glob("*.tmp-*"))


@pytest.mark.fault("environment", "compiled code that was cut short", promise=NEVER_RUN)
def test_a_file_cut_short(fault: Fault, store: CodeStore) -> None:
    path = only_file(store)
    whole = path.read_bytes()
    for length in [0, 1, 28, 29, 40, 53, 54, *(len(whole) * part // 13 for part in range(1, 13))]:
        path.write_bytes(whole[:length])
        assert store.read(path.name) is None
        if length % 4 == 0:
            check_replaced(store, path)
        fault.happened("not run")
    path.write_bytes(whole + b"\0")
    check_replaced(store, path)


@pytest.mark.fault("environment", "compiled code with a bit flipped", promise=NEVER_RUN)
def test_flipped_bits(fault: Fault, store: CodeStore) -> None:
    path = only_file(store)
    whole = path.read_bytes()
    generator = random.Random(1)
    # Each byte of the head, and some of the rest.
    for place in [*range(53), *(generator.randrange(53, len(whole)) for _ in range(50))]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        assert store.read(path.name) is None
        if place % 16 == 0:
            check_replaced(store, path)
        fault.happened("not run")


class Trap:
    """What does harm when it is unpickled."""

    def __init__(self, sprung: Path) -> None:
        self._sprung = sprung

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self._sprung),)


@pytest.mark.fault("environment", "something else in place of compiled code", promise=NEVER_RUN)
def test_something_else(fault: Fault, store: CodeStore, tmp_path: Path) -> None:
    path = only_file(store)
    head = path.read_bytes()[:53]
    sprung = tmp_path / "sprung"
    trap = pickle.dumps(Trap(sprung))
    pickle.loads(trap)
    sprung.rmdir()  # it would do harm
    for text in (b"", b"\0" * 5000, b"garbage\n" * 600, trap, head + trap):
        path.write_bytes(text)
        check_replaced(store, path)
        fault.happened("not run")
    assert not sprung.exists()


@pytest.mark.fault(
    "environment",
    "compiled code of another kernel, of other arguments or of other sources",
    promise=NEVER_RUN,
)
def test_code_of_another(fault: Fault, store: CodeStore, sources: Path) -> None:
    path = only_file(store)
    foreign = []
    for function, argument in ((tripled, 20), (doubled, 20.5)):
        before = set(path.parent.iterdir())
        assert not is_kept(store, function, argument)
        (made,) = set(path.parent.iterdir()) - before
        foreign.append(made.read_bytes())
        made.unlink()
    original = (sources / "kernels.py").read_text()
    (sources / "kernels.py").write_text("doubled and tripled, better\n")
    later = CodeStore(sources)
    assert later.folder is not None
    assert later.folder != store.folder
    assert not is_kept(later)
    foreign.append((later.folder / path.name).read_bytes())
    (sources / "kernels.py").write_text(original)
    for code in foreign:
        path.write_bytes(code)
        check_replaced(store, path)
        fault.happened("not run")


def make_odd(path: Path, kind: str) -> None:
    code = path.read_bytes()
    path.unlink()
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a link":
        path.with_suffix(".moved").write_bytes(code)
        path.symlink_to(path.with_suffix(".moved"))
    else:
        path.write_bytes(code)
        if kind == "another's file":
            os.chown(path, NOBODY, NOBODY)
        else:
            path.chmod(0o620 if kind == "a group's file" else 0o602)


@pytest.mark.fault(
    "environment", "compiled code that another user may have written", promise=NEVER_RUN
)
@pytest.mark.parametrize(
    "kind",
    [
        "a pipe",
        "a link",
        "a group's file",
        "everybody's file",
        pytest.param("another's file", marks=needs_root),
    ],
)
def test_code_that_another_may_have_written(fault: Fault, store: CodeStore, kind: str) -> None:
    path = only_file(store)
    make_odd(path, kind)
    check_replaced(store, path)
    fault.happened("not run")


def test_a_folder_in_place_of_a_file(store: CodeStore) -> None:
    path = only_file(store)
    path.unlink()
    (path / "full").mkdir(parents=True)
    assert not is_kept(store)
    assert not is_kept(store)
    assert not list(path.parent.glob("*.tmp-*"))


@contextmanager
def no_room() -> Iterator[None]:
    """Have every file end after 100 bytes, as one does where the disk is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.fault("environment", "no room for compiled code on the disk", promise=NOT_NEEDED)
def test_no_room(fault: Fault, store: CodeStore) -> None:
    assert store.folder is not None
    before = sorted(store.folder.iterdir())
    for _ in range(3):
        with no_room():
            assert not is_kept(store)
        assert sorted(store.folder.iterdir()) == before
        fault.happened("worked, and nothing was left half written")
    assert not is_kept(store)
    assert is_kept(store)


def test_a_write_that_is_interrupted(store: CodeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.folder is not None
    before = sorted(store.folder.iterdir())

    def interrupt(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.write("x.code", b"contents")
    assert sorted(store.folder.iterdir()) == before


@pytest.mark.fault(
    "environment", "the cache folder is removed while the program runs", promise=NOT_NEEDED
)
def test_the_folder_goes(fault: Fault, store: CodeStore) -> None:
    assert store.folder is not None
    shutil.rmtree(store.folder)
    assert not is_kept(store)
    assert not store.folder.exists()
    fault.happened("worked")


@pytest.mark.fault(
    "environment",
    "kernels' sources that change while the program runs, as in an update",
    promise="code of the one is never kept for the other",
)
def test_sources_change_at_run_time(fault: Fault, store: CodeStore, sources: Path) -> None:
    (sources / "kernels.py").write_text("others\n")
    assert not is_kept(store)
    assert store.folder is not None
    assert not list(store.folder.glob("*.code"))
    fault.happened("nothing was kept")


def test_no_sources_to_tell_versions_by(sources: Path) -> None:
    (sources / "kernels.py").unlink()
    store = CodeStore(sources)
    assert store.folder is None
    assert not is_kept(store)
    assert not is_kept(store)


# -- what the folder's name covers ------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("NUMBA_BOUNDSCHECK", "1"),
        ("NUMBA_OPT", "1"),
        ("NUMBA_CPU_NAME", "generic"),
        ("NUMBA_OF_TOMORROW", "1"),
    ],
)
def test_settings_that_matter(
    store: CodeStore, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.delenv(variable, raising=False)
    before = store.name()
    monkeypatch.setenv(variable, value)
    assert store.name() != before


@pytest.mark.parametrize("name", ["BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_FEATURES"])
def test_settings_that_a_program_makes(
    store: CodeStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = store.name()
    monkeypatch.setattr(numba.config, name, "other")
    assert store.name() != before


@pytest.mark.parametrize("name", codecache._SETTINGS)
def test_settings_are_numba_s(name: str) -> None:
    assert hasattr(numba.config, name) or name in ("JIT_COVERAGE", "EXTEND_VARIABLE_LIFETIMES")


@pytest.mark.parametrize(
    "module", ["numba.__version__", "llvmlite.__version__", "numpy.__version__", "sys.version"]
)
def test_versions_matter(store: CodeStore, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    before = store.name()
    monkeypatch.setattr(module, "other")
    assert store.name() != before


def test_what_does_not_matter(store: CodeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.name()
    for variable in ("NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR", "HOME", "LANG", "PYTHONHASHSEED"):
        monkeypatch.setenv(variable, "1")
    assert store.name() == before


# -- which folder -----------------------------------------------------------------------------

NAME = "0123456789abcdef"


def test_places_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [
        tmp_path / "numba" / "morris-solver",
        tmp_path / "cache" / "morris-solver",
        tmp_path / "home" / ".cache" / "morris-solver",
        tmp_path / "temporary" / f"morris-solver-{os.geteuid()}",
    ]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    for place in expected:
        folder = codefolder.find_folder(NAME)
        assert folder == place / "kernels" / NAME
        for part in (place, place / "kernels", folder):
            assert part.stat().st_mode & 0o777 == 0o700
        shutil.rmtree(place)
        place.write_text("in the way\n")
    assert codefolder.find_folder(NAME) is None


@pytest.mark.parametrize("name", ["relative", "~", ".", ""])
def test_relative_places_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(variable, name)
    folder = codefolder.find_folder(NAME)
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "temporary") or name == ""
    assert not list((tmp_path / "here").iterdir())


def test_a_folder_that_a_umask_has_opened_is_closed(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "morris-solver"
    (place / "kernels").mkdir(parents=True)
    for part in (place, place / "kernels"):
        part.chmod(0o775)
    assert codefolder.find_folder(NAME) == place / "kernels" / NAME
    for part in (place, place / "kernels"):
        assert part.stat().st_mode & 0o777 == 0o755


def prepare(place: Path, kind: str, elsewhere: Path) -> None:
    """Make what another user could in a folder for everybody's temporary files."""
    if kind == "a link to another's folder":
        elsewhere.mkdir()
        os.chown(elsewhere, NOBODY, NOBODY)
        place.symlink_to(elsewhere)
    elif kind == "another's link":
        elsewhere.mkdir()
        place.symlink_to(elsewhere)
        os.chown(place, NOBODY, NOBODY, follow_symlinks=False)
    elif kind == "a file":
        place.touch()
    else:
        place.mkdir()
        (place / "kernels" / NAME).mkdir(parents=True)
        shown = {"another's folder": place, "with another's inside": place / "kernels" / NAME}[kind]
        os.chown(shown, NOBODY, NOBODY)


@needs_root
@pytest.mark.fault(
    "environment",
    "a cache folder that another user has prepared",
    promise="left alone: nothing is read from it or written to it",
)
@pytest.mark.parametrize("where", ["cache", "temporary"])
@pytest.mark.parametrize(
    "kind",
    [
        "a file",
        "a link to another's folder",
        "another's folder",
        "another's link",
        "with another's inside",
    ],
)
def test_a_folder_of_another(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, kind: str
) -> None:
    if where == "cache":
        place = tmp_path / "cache" / "morris-solver"
        place.parent.mkdir()
    else:
        place = tmp_path / "temporary" / f"morris-solver-{os.geteuid()}"
        for name in ("cache", "home"):
            with suppress(OSError):
                (tmp_path / name).rmdir()
            (tmp_path / name).write_text("in the way\n")
    prepare(place, kind, tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    folder = codefolder.find_folder(NAME)
    assert folder is None or not folder.resolve().is_relative_to(place.resolve())
    assert (folder is None) == (where == "temporary")
    inside = [path for path in tmp_path.rglob("*") if path not in before]
    assert all(path.is_relative_to(tmp_path / "home") for path in inside)
    fault.happened("left alone" if folder is None else "left alone, and the next place taken")


def test_no_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    (tmp_path / "home" / ".cache").write_text("in the way\n")
    assert codefolder.find_folder(NAME) is None


def test_code_on_a_read_only_disk_is_used(monkeypatch: pytest.MonkeyPatch, sources: Path) -> None:
    store = CodeStore(sources)
    path = only_file(store)
    monkeypatch.setattr(os, "access", lambda folder, mode: False)  # root may do all
    again = CodeStore(sources)
    assert again.folder == store.folder
    assert is_kept(again)
    path.unlink()
    assert CodeStore(sources).folder is None


# -- what is cleared away ---------------------------------------------------------------------


def age(path: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    os.utime(path, (then, then))


@pytest.mark.fault(
    "environment",
    "leftovers of killed compilers and of earlier versions",
    promise="removed by the next warmup, but for what is or was lately in use",
)
def test_leftovers(fault: Fault, store: CodeStore) -> None:
    path = only_file(store)
    folder = path.parent
    abandoned, fresh = folder / "a.code.tmp-1", folder / "b.code.tmp-2"
    for each in (abandoned, fresh):
        each.write_bytes(b"half")
    age(abandoned, 0.1)
    others = {name: folder.parent / (name * 16) for name in "abcd"}
    for other in others.values():
        (other / "kernels_of_numba").mkdir(parents=True)
        (other / "in-use").touch()
        age(other / "in-use", 40)
        age(other / "kernels_of_numba", 40)
        age(other, 40)
    foreign = folder.parent / "not-ours"
    foreign.mkdir()
    age(foreign, 400)
    age(folder, 400)
    age(others["b"] / "in-use", 20)  # used lately
    held = codefolder.hold(others["c"])
    assert held is not None
    age(others["c"] / "in-use", 40)  # in use for long
    (others["d"] / "in-use").unlink()  # as earlier versions left it
    age(others["d"], 40)
    removed = codefolder.clear_away(folder)
    assert sorted(removed) == sorted([abandoned, others["a"], others["d"]])
    kept = {folder, foreign, others["b"], others["c"]}
    assert set(folder.parent.iterdir()) == kept
    assert fresh.exists()
    assert is_kept(store)
    os.close(held)
    age(others["c"] / "in-use", 40)
    assert codefolder.clear_away(folder) == [others["c"]]
    fault.happened("removed", times=4)
    fault.happened("kept: in use, or lately", times=3)


def test_nothing_to_clear_away(tmp_path: Path) -> None:
    assert codefolder.clear_away(tmp_path / "missing" / NAME) == []


def test_code_of_a_kernel_is_removed_by_numba_s_own_call(store: CodeStore) -> None:
    path = only_file(store)
    dispatcher = store.keep(numba.njit(nogil=True)(doubled))
    assert dispatcher(1) == 3
    assert dispatcher.stats.cache_path == str(store.folder)
    dispatcher.recompile()
    assert path.exists()
    assert dispatcher(2) == 5


def test_no_code_without_the_compiler(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    store = CodeStore(sources)
    assert store.folder is None
    assert store.keep(numba.njit(doubled)) is doubled
    assert compiling.is_compiled(moving=True)
