"""Databases with odd names: every command works, and what a message says can be pasted."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from conftest import Morris
from faultlist import Fault

ROOT = Path(__file__).parents[2]
UMLAUTS = "Mühlespiel, größer"
NAMES = {
    "spaces and quotes": """two  words, it's "so" $HOME `ls` ;#&*?[a]~!""",
    "a leading dash": "--db",
    "umlauts": unicodedata.normalize("NFC", UMLAUTS),
    "umlauts, composed otherwise": unicodedata.normalize("NFD", UMLAUTS),
    "Japanese": "九子棋のデータベース",
    "Arabic and a mark of direction": "\u202eطحن",
    "emoji": "🏠🎲👩‍🔬",
    "a line break and an escape": "a\nb\tc\x1b[31m\\'",
    "bytes that are not UTF-8": os.fsdecode(b"caf\xe9 \xff"),
    "255 bytes": "x" * 255,
    "almost as many bytes as the system allows": "/".join(["y" * 200] * 19),
}
WON = "w:Wa1,d1,g1:Ba7,b4,c4"
FOUR = "w:Wa1,d1,g1,g4:Ba7,b4,c4"


def database_called(tmp_path: Path, kind: str) -> Path:
    folder = tmp_path / NAMES[kind]
    if kind == "almost as many bytes as the system allows":
        longest = os.pathconf("/", "PC_PATH_MAX") - 1 - len("/0123456789abcdef/3-3.verified.json")
        room = longest - len(".tmp-1234567") - len(str(folder)) - 1
        while room > 200:
            folder /= "z" * 150
            room -= 151
        folder /= "z" * room
    try:
        folder.mkdir(parents=True)
    except (OSError, UnicodeError) as error:
        pytest.skip(f"the file system has no such names: {error}")
    return folder


@pytest.fixture(params=NAMES)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An empty database with an odd name."""
    return database_called(tmp_path, request.param)


def pasted(command: str) -> list[str]:
    """What ``morris`` is given when a command is pasted into a shell."""
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash")
    program = f"""morris() {{ printf '%s\\0' "$@"; }}\n{command}"""
    done = subprocess.run([shell, "-c", os.fsencode(program)], capture_output=True, check=True)
    assert done.stderr == b""
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]


@pytest.mark.fault(
    "environment",
    "a database whose name has spaces, quotes, umlauts, Japanese, emoji, line breaks, no UTF-8,"
    " or is as long as can be",
    promise="all commands work, and the commands that messages give can be pasted into a shell",
)
def test_all_commands(fault: Fault, morris: Morris, odd: Path) -> None:
    nowhere = morris("stats", "nine", "--db", odd).refused(3)
    assert pasted(nowhere.split("make some with: ")[1])[-1] == str(odd)
    command = morris("query", WON, "--db", odd).refused(3).split("make it with: ")[1]
    words = pasted(command)
    assert words == ["morris", "solve", "nine", "3-3", "--db", str(odd)][1:]
    assert morris(*words).code == 0
    assert morris("query", WON, "--db", odd, "--json").json["value"] == "win"
    assert morris("verify", "nine", "--db", odd, "--checksums").code == 0
    assert morris("pack", "nine", "3-3", "--db", odd, "--wdl").code == 0
    (sector,) = morris("stats", "nine", "--db", odd, "--json").json
    assert sector["sector"] == "3-3"
    for arguments in (["stats", "nine"], ["plan", "nine", "3-3"], ["line", WON]):
        assert morris(*arguments, "--db", odd).code == 0
    file = odd / "rows.npy"
    assert morris("export", "3-3", "--output", file, "--db", odd).code == 0
    assert file.stat().st_size > 100_000
    table = next(odd.glob("*/3-3.dtw.zst"))
    table.write_bytes(table.read_bytes()[:-1])
    damaged = morris("query", FOUR.replace(",g4", ""), "--db", odd).refused(4)
    assert pasted(damaged.split("make it anew with: ")[1])[-1] == str(odd)
    fault.happened("all worked")


@pytest.mark.parametrize(
    "kind", ["bytes that are not UTF-8", "almost as many bytes as the system allows"]
)
def test_arguments_of_a_process_and_a_server(database: Path, tmp_path: Path, kind: str) -> None:
    odd = database_called(tmp_path, kind)
    (family,) = {path.parent for path in database.glob("*/3-3.dtw.zst")}
    (odd / family.name).symlink_to(family)
    command = [sys.executable, "-m", "solver", "serve", "--port", "0", "--db", str(odd)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        assert re.match(r"Serving http://", server.stdout.readline())
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)
    done = subprocess.run(
        [sys.executable, "-m", "solver", "query", WON, "--json", "--db", str(odd)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["value"] == "win"


def test_a_relative_name_that_looks_like_an_option(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = morris("query", WON, "--db=--json").refused(3).split("make it with: ")[1]
    assert morris(*pasted(command)).code == 0
    assert morris("query", WON, "--db=--json").code == 0
    assert shlex.split(command)[:-2] == ["morris", "solve", "nine", "3-3"]
