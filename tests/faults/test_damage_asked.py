"""Commands that read whole tables, or play by them, and the server: none gives a wrong value."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from damaging import NINE, SUBJECTS, Harmed, Morris, sound_databases
from engines import Written
from faultlist import Fault
from starlette.testclient import TestClient
from tableparts import Parts
from trials import flipped

from solver.engine.protocol import Engine
from solver.tablebase import Tablebase
from solver.web.application import make_application

MOVING, VALUES = SUBJECTS[0], SUBJECTS[4]
PROMISE = "the answer that the sound table gives, or a refusal that names the file; never another"

START = "w:W:B:H3,3"
GAME = ["--variant", *NINE.name.split()]
TURNS = "a4 a1 b4 c4 b2 b6 b4-f2 a1-d2 b2-f6 c4-f4 f2-b4 d2-c4 b4-a1"

COMMANDS: dict[str, list[str]] = {
    "stats": ["stats", *NINE.name.split(), "3-3"],
    "stats of all": ["stats", *NINE.name.split(), "--json"],
    "longest": ["longest", *GAME, "3-3", "--line"],
    "longest losses": ["longest", *GAME, "3-3", "--losses", "--json"],
    "puzzles": ["puzzles", *GAME, "3-3", "--count", "3", "--solution"],
    "analyse": ["analyse", *GAME, TURNS],
    "line": ["line", *GAME, START],
    "export": ["export", *GAME, "3-3"],
    "sample": ["export", *GAME, "3-3", "--sample", "60"],
    "verify": ["verify", *NINE.name.split(), "--sample", "60"],
    "verify in full": ["verify", *NINE.name.split(), "3-3", "--full"],
    "prove": ["prove", *NINE.name.split()],
}
HARMS: dict[str, Callable[[Parts], slice]] = {
    "header": lambda parts: parts.header,
    "first frame": lambda parts: parts.frames[0],
    "last frame": lambda parts: parts.frames[-1],
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_databases(tmp_path_factory)


@pytest.fixture(params=HARMS)
def harm(request: pytest.FixtureRequest) -> Callable[[Harmed], None]:
    """Does harm to a part of a table."""

    def do(harmed: Harmed) -> None:
        where = HARMS[request.param](Parts.of(harmed.bytes))
        harmed.path.write_bytes(flipped(harmed.bytes, where, random.Random(5)))

    return do


@pytest.fixture(params=[MOVING, VALUES], ids=["distances", "values"])
def harmed(request: pytest.FixtureRequest, sound: Path, tmp_path: Path) -> Harmed:
    return Harmed.copy(sound, request.param, tmp_path)


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, str], Any]:
    """What commands answer and write while the table is sound, by its name and theirs."""
    return {}


@pytest.mark.fault("damage", "a bit flipped in a table that a command reads", promise=PROMISE)
def test_commands(
    morris: Morris,
    fault: Fault,
    harmed: Harmed,
    harm: Callable[[Harmed], None],
    tmp_path: Path,
    known: dict[tuple[str, str], Any],
) -> None:
    output = tmp_path / "exported.npy"

    def ask(command: list[str]) -> tuple[Any, bytes | None]:
        more = ["-o", output] if command[0] == "export" else []
        answer = morris(*command, *more, "--threads", 1, "--db", harmed.database)
        if answer.code == 2:  # these take no threads
            answer = morris(*command, *more, "--db", harmed.database)
        content = output.read_bytes() if output.exists() else None
        output.unlink(missing_ok=True)
        return replace(answer, out=answer.out.replace(str(tmp_path), "")), content

    refused = 0
    with harmed.only():
        for name, command in COMMANDS.items():
            if (harmed.subject.name, name) not in known:
                known[harmed.subject.name, name] = ask(command)
        harm(harmed)
        for name, command in COMMANDS.items():
            answer, content = ask(command)
            if answer.code == 4:
                assert content is None
                assert f"Error: {harmed.path}: " in answer.err
                assert answer.out == "" or name == "longest"
                refused += 1
            else:
                before, content_before = known[harmed.subject.name, name]
                assert (answer.code, answer.out) == (before.code, before.out)
                assert content == content_before
    assert refused >= 4
    fault.happened("the sound answer, or refused")


@pytest.mark.fault("damage", "a bit flipped in a table that a game is played by", promise=PROMISE)
def test_play_and_engine(
    morris: Morris,
    fault: Fault,
    harmed: Harmed,
    harm: Callable[[Harmed], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = harmed.known.frames
    with harmed.only():
        harm(harmed)
        for frame in (0, frames - 1):
            position = harmed.known.of_frame(frame)
            with Tablebase(harmed.database) as tablebase:
                try:
                    known = {move.text: move for move in tablebase.analyse(position)[1]}
                except OSError as error:
                    said = str(error)
                else:
                    assert known
                    continue
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hint\nquit\n")))
            answer = morris("play", *GAME, "--position", position, "--db", harmed.database)
            assert answer.code == 4
            assert answer.err == f"Error: {said}\n"
            assert answer.out.rpartition("> ")[2] in ("", "hint\n")  # what was typed
            writer = Written()
            given = f"position fen {position}\ngo\nquit\n".encode()
            Engine(io.BytesIO(given), writer, NINE, harmed.database).run()
            assert writer.lines[-1] == "bestmove (none)"
            assert f"info string {said}" in writer.lines
            assert not [line for line in writer.lines if " score " in line]
            fault.happened("refused, naming the file; no move and no score")


@pytest.mark.fault("damage", "a bit flipped in a table that a server reads", promise=PROMISE)
def test_serve(fault: Fault, harmed: Harmed, harm: Callable[[Harmed], None]) -> None:
    statuses = set()
    with harmed.only():
        harm(harmed)
        with (
            Tablebase(harmed.database) as tablebase,
            TestClient(make_application(tablebase)) as client,
        ):
            for position, _, result in harmed.known.positions[::3]:
                for path in ("/api/nine", "/api/nine/line"):
                    answer = client.get(path, params={"position": str(position), "r": "stones=3"})
                    record = answer.json()
                    statuses.add(answer.status_code)
                    if answer.status_code == 500:
                        assert record["kind"] == "damaged table"
                        assert str(harmed.path) in record["error"]
                    else:
                        assert answer.status_code == 200
                        if path == "/api/nine":
                            assert (record["value"], record["dtw"]) == result
            assert client.get("/healthz").json()["status"] == "ok"
    assert 500 in statuses
    fault.happened("the sound answer, or status 500 naming the file")
