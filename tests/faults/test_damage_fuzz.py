"""Inputs of a fuzzer: those of the corpus, and as many more as it makes of them in some seconds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from faultlist import Fault

FUZZ = Path(__file__).parents[1] / "fuzz"
CORPUS = FUZZ / "corpus"
RUNS = {"reader": 10_000, "records": 1_000}


@pytest.fixture(autouse=True)
def _modules_of_the_fuzzer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FUZZ))
    yield


@pytest.mark.fault(
    "damage",
    "files that a fuzzer has found to reach new code of the reader",
    promise="refused, naming file and part, or read as they are; never a crash",
)
def test_the_corpus_of_tables(fault: Fault) -> None:
    from reading import read_input
    from seeds import inputs, sound_files

    sound = frozenset(sound_files().values())
    for name in inputs():
        data = (CORPUS / "reader" / name).read_bytes()
        assert read_input(data, sound) == ("refused" if name.startswith("forged") else "read")
    for path in sorted((CORPUS / "reader").iterdir()):
        outcome = read_input(path.read_bytes(), sound)
        if outcome != "nothing":
            fault.happened(outcome)


@pytest.mark.fault(
    "damage",
    "records of checks that a fuzzer has found to reach new code",
    promise="count only if they say all that they must; never a crash",
)
def test_the_corpus_of_records(fault: Fault, tmp_path: Path) -> None:
    from records import make_database, read_record

    checked = make_database(tmp_path)
    for path in sorted((CORPUS / "records").iterdir()):
        counts = read_record(path.read_bytes(), checked)
        assert counts or path.name != "sound"
        fault.happened("counts" if counts else "not believed")


@pytest.mark.skipif(find_spec("atheris") is None, reason="there is no atheris here")
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(
            target,
            marks=pytest.mark.fault(
                "damage",
                f"{what} that a fuzzer makes",
                promise="refused, or read as they are; never a crash, within memory and time;"
                " `scripts/fuzz` goes on for as long as you like",
            ),
        )
        for target, what in (("reader", "files"), ("records", "records of checks"))
    ],
)
def test_what_a_fuzzer_makes(fault: Fault, target: str, tmp_path: Path) -> None:
    runs = RUNS[target]
    command = [
        *(sys.executable, f"fuzz_{target}.py", f"-runs={runs}", "-seed=1", "-max_len=4096"),
        *("-timeout=20", "-rss_limit_mb=1024", f"-dict={target}.dict"),
        *(f"-artifact_prefix={tmp_path}/", str(tmp_path), str(CORPUS / target)),
    ]
    done = subprocess.run(
        command,
        cwd=FUZZ,
        env=os.environ | {"PYTHONPATH": f"{FUZZ.parent}:{FUZZ.parents[1]}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert re.search(rf"^Done {runs} runs", done.stderr, re.M), done.stderr[-3000:]
    fault.happened("refused, or read as it is", runs)
