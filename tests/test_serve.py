"""``morris serve`` as a process: the port, its limits, malformed requests, and the end."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import test_readme
from conftest import Morris, solved_once
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Position, get_variant, open_tablebase
from solver.tablebase import Tablebase
from solver.web import serving
from solver.web.application import make_application

ASK = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass
class Server:
    """A running process."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    def exchange(self, request: bytes, patience: float = 20) -> bytes:
        """Send some bytes and return the first answer, or what has come when patience ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as connection:
            answer = b""
            with suppress(TimeoutError, ConnectionError):
                connection.sendall(request)
                while not is_whole(answer, request) and (more := connection.recv(65536)):
                    answer += more
            return answer


def is_whole(answer: bytes, request: bytes) -> bool:
    """Whether an answer is as long as it says."""
    head, separator, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    if not separator or length is None:
        return False
    return request.startswith(b"HEAD") or len(body) >= int(length[1])


def start(log: Path, *options: str) -> Server:
    command = [sys.executable, "-m", "solver", "serve", "--port", "0", *options]
    with open(log, "w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.fullmatch(r"Serving http://127\.0\.0\.1:(\d+)/ \(Ctrl-C stops\)\n", line)
    assert match, log.read_text()
    return Server(process, int(match[1]), log)


@pytest.fixture(scope="module")
def server(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start(tmp_path_factory.mktemp("serve") / "log", "--db", str(database))
    yield running
    running.process.terminate()
    running.process.wait(20)


def status_of(answer: bytes) -> int:
    match = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    assert match, answer[:100]
    return int(match[1])


# -- malformed requests -------------------------------------------------------------------------

TARGETS = [
    "/", "//", "///", "/%", "/%00", "/%0d%0aX-Injected:%201", "/%ff%fe", "/..", "/../../etc/passwd",
    "/static/../../pyproject.toml", "/static/..%2f..%2fpyproject.toml", "/static/%2e%2e/serving.py",
    "/static/index.html/", "/static//index.html", "/api/nine/sectors/3-3%00", "/api/%2e%2e/turns",
    "/api/nine%20-r%20stones=4/turns?position=w:W:B:H4,4", "/api/nine?position", "/api/nine?=",
    "/api/nine?&&&", "/api/nine?position=%", "/api/nine?position=%00", "/api/nine?position=%ff",
    "/api/nine?position=w:W:B:H9,9&position=w:W:B:H9,9", "/api/nine?position[]=x",
    "/api/nine?position=" + "w:W" * 3000, "/api/nine?position=w:W:B:H99999999999999999999,1",
    "/api/nine?position=%EF%BC%97", "/api/nine?position=w:W:B:H%D9%A3,3",
    "/api/nine?position=********/********/********%20w%20p%20p%209%200%209%200%200%200%200%201",
    "/api/nine?position=w:W:B:H9,9&moves=" + "d2%20" * 3000, "/api/nine?" + "a=b&" * 4000,
    "/api/nine?position=w:W:B:H9,9&moves=%7B%7B%7B[[[",
    "/api/nine?position=w:W:B:H9,9&repetition=1e9",
    "/api/nine/line?position=w:W:B:H9,9&plies=99999999", "/api/nine/line?plies=-1",
    "/api/nine/reply?position=w:W:B:H9,9&level=%00", "/api/nine/sectors/999-999%2B999-999",
    "/api/nine/rules?r=" + "&r=stones=4" * 500, "/api/nine/rules?r=stones", "/api/nine/rules?r==",
    "/api/nine/sectors/%E4%B8%83-3", "/api/NINE/turns?position=w:W:B:H9,9", "/openapi.json?x=1",
    "/healthz/", "/api/variants/", "/api", "*", "http://elsewhere.example/api/nine", "/\\..\\x",
    "/api/nine#x", "/api/nine;x=1", "/static/app.js?v=%00",
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS, ids=range(len(TARGETS)))
def test_no_target_is_too_odd(server: Server, target: str) -> None:
    for method in ("GET", "HEAD", "POST"):
        request = f"{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        answer = server.exchange(request.encode())
        assert status_of(answer) < 500
        assert b"Traceback" not in answer
        assert b"x-injected" not in answer.partition(b"\r\n\r\n")[0].lower()


REQUESTS = [
    b"", b"\r\n", b"\x00" * 100, b"GET", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n", b"GET \xff HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"GET / HTTP/1.1\r\nHost: \x01\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nxx",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 100_000,
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: \xff, gzip;q=z\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: \xff\"\r\nRange: bytes=5-1\r\n\r\n",
    b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
    ASK * 50, b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
]  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_no_request_is_too_odd(server: Server, request_: bytes) -> None:
    answer = server.exchange(request_, patience=0.3)
    if answer:
        assert status_of(answer) < 500
    assert b"Traceback" not in answer
    assert status_of(server.exchange(ASK)) == 200  # and it goes on


@settings(max_examples=60, deadline=None)
@given(
    path=st.sampled_from(["", "/turns", "/line", "/reply", "/symmetries", "/sectors/3-3"]),
    query=st.binary(max_size=60),
)  # fmt: skip
def test_random_queries(server: Server, path: str, query: bytes) -> None:
    escaped = b"".join(b"%%%02x" % byte for byte in query)
    for form in (b"position=" + escaped, b"position=w:W:B:H9,9&moves=" + escaped, escaped):
        request = b"GET /api/nine" + path.encode() + b"?" + form + b" HTTP/1.1\r\nHost: x\r\n\r\n"
        assert status_of(server.exchange(request)) in (200, 400, 404)


def test_nothing_went_wrong_inside(server: Server) -> None:
    """Comes after the others: whatever they have sent, no mistake of ours has been logged."""
    assert status_of(server.exchange(ASK)) == 200
    assert server.process.poll() is None
    assert server.log.read_text() == ""


def test_the_readme_shows_what_is_answered(tmp_path_factory: pytest.TempPathFactory) -> None:
    shown = [block for block in test_readme.blocks() if block.before == test_readme.SERVED]
    started, asked = (block.body.split("\n", 1) for block in shown)
    assert started[0] == "$ morris serve"
    database = solved_once(tmp_path_factory, 8)
    log = tmp_path_factory.mktemp("readme") / "log"
    server = start(log, "--db", str(database))
    try:
        line = started[1].replace("8000", str(server.port))
        assert line == f"Serving http://127.0.0.1:{server.port}/ (Ctrl-C stops)"
        url = re.fullmatch(r"\$ curl 'http://127\.0\.0\.1:8000(/\S+)'", asked[0])
        assert url is not None
        answer = server.exchange(f"GET {url[1]} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert answer.partition(b"\r\n\r\n")[2].decode() == asked[1]
    finally:
        server.process.terminate()
        server.process.wait(20)


# -- the port -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "numbers",
    [
        [signal.SIGINT],
        [signal.SIGTERM],
        [signal.SIGHUP],
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGTERM, signal.SIGINT],
        [signal.SIGHUP, signal.SIGINT],
    ],
    ids=lambda numbers: "-".join(number.name for number in numbers),
)
def test_a_signal_stops_it_in_order(tmp_path: Path, numbers: list[signal.Signals]) -> None:
    server = start(tmp_path / "log", "--db", str(tmp_path))
    with socket.create_connection(("127.0.0.1", server.port)):  # an idle one does not hold it up
        for number in numbers:
            server.process.send_signal(number)
            time.sleep(0.02)
        out, _ = server.process.communicate(timeout=20)
    assert (server.process.returncode, out) == (0, "Stopped.\n")
    assert server.log.read_text() == ""


def test_a_port_that_is_taken(morris: Morris) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = morris("serve", "--port", port).refused(5)
    assert said == f"port {port} of 127.0.0.1 is in use; choose another one with --port"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "no.such.host.invalid"], "there is no host"),
        (["--host", "203.0.113.7"], "no address of this machine"),
        (["--port", "70000"], "65535"),
        (["--port", "-1"], "0 or more"),
        (["--cors", "example.org"], "--cors takes"),
        (["--cors", "https://example.org/path"], "--cors takes"),
        (["--cors", "http://["], "--cors takes"),
        (["--cors", "http://user@example.org"], "--cors takes"),
        (["--cors", "HTTP://example.org"], "--cors takes"),
        (["--cors", "http://example.org:99999"], "--cors takes"),
        (["--cors", "https://example.org:443"], "not 'https://example.org:443' but 'https://exam"),
        (["--cors", "http://[::1]:80"], "without the usual port"),
        (["--cors", "http://example.org\n"], "--cors takes"),
        (["--db", __file__], "is not a folder"),
    ],
)
def test_wrong_options(morris: Morris, options: list[str], said: str) -> None:
    if "--port" not in options:
        options = [*options, "--port", "0"]
    assert said in morris("serve", *options).refused(2)


def test_without_its_packages_it_names_the_extra(
    morris: Morris, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = morris("serve", "--port", "0").refused(2)
    assert "pip install 'morris-solver[web]'" in said


@pytest.fixture
def impatient(database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that takes three connections, and no request for longer than 0.4 s."""
    monkeypatch.setattr(serving, "_REQUEST_SECONDS", 0.4)
    with open_tablebase(database) as tablebase:
        yield served_aside(tablebase, 3)


def served_aside(tablebase: Tablebase, connections: int) -> int:
    """The port of a server in a thread of this process."""
    listener = serving.open_port("127.0.0.1", 0)
    threading.Thread(
        target=serving.serve,
        args=(make_application(tablebase), listener, connections),
        daemon=True,  # uvicorn stops by signals alone
    ).start()
    port: int = listener.getsockname()[1]
    return port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def ask_on(connection: socket.socket) -> int:
    connection.sendall(ASK)
    answer = connection.recv(65536)
    while not is_whole(answer, ASK):
        answer += connection.recv(65536)
    return status_of(answer)


def is_dropped(connection: socket.socket, seconds: float = 10) -> bool:
    """Whether a connection is closed in time while bytes are sent that mean nothing."""
    began = time.monotonic()
    with suppress(OSError):
        while time.monotonic() - began < seconds:
            connection.sendall(b"X: y\r\n")
            time.sleep(0.05)
        return False
    return True


def test_slow_requests_are_dropped(impatient: int) -> None:
    with connect(impatient) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert is_dropped(slow)
    # A connection may be idle for longer than a request may take; not its second request.
    with connect(impatient) as patient:
        for _ in range(2):
            assert ask_on(patient) == 200
            time.sleep(0.6)
        patient.sendall(b"GET / HTTP/1.1\r\n")
        assert is_dropped(patient)


def test_idle_connections_are_dropped(impatient: int) -> None:
    with connect(impatient) as idle:
        idle.settimeout(5)
        assert idle.recv(1) == b""


def test_who_takes_no_answer_is_dropped(impatient: int) -> None:
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect(("127.0.0.1", impatient))
        deaf.sendall(b"GET /api/variants HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        assert is_dropped(deaf)


def test_connections_are_refused_beyond_a_number(impatient: int) -> None:
    kept = [connect(impatient) for _ in range(3)]
    for connection in kept:
        assert ask_on(connection) == 200
    with connect(impatient) as refused:
        answer = b"".join(iter(lambda: refused.recv(65536), b""))
    assert status_of(answer) == 503
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["kind"] == "busy"
    assert ask_on(kept[0]) == 200
    kept.pop().close()
    time.sleep(0.2)
    with connect(impatient) as taken:
        assert ask_on(taken) == 200
    for connection in kept:
        connection.close()


def test_what_is_no_request_is_answered_like_all_else(server: Server) -> None:
    answer = server.exchange(b"GARBAGE\r\n\r\n")
    assert status_of(answer) == 400
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["kind"] == "bad request"


def test_who_has_left_keeps_nobody_waiting(database: Path) -> None:
    begun = []

    class Slow(Tablebase):
        def analyse(self, position: Position) -> Any:
            begun.append(position)
            time.sleep(0.3)
            return super().analyse(position)

    with Slow(database) as slow:
        port = served_aside(slow, 100)
        for number in range(40):
            stones = f"w:Wa1,d1,g4:Ba{4 + 3 * (number % 2)},d7,g7"
            with connect(port) as leaving:
                target = f"/api/nine?position={stones}&repetition={number + 2}"
                leaving.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with connect(port) as staying:
            began = time.monotonic()
            target = "/api/nine/turns?position=w:Wa1,d1,g4:Ba4,d7,g7"
            staying.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert status_of(staying.recv(65536)) == 200
    assert time.monotonic() - began < 3
    assert len(begun) <= 10


def test_a_server_may_run_out_of_files(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = ["bash", "-c", 'ulimit -n 24; exec "$0" -m solver serve --port 0 --db "$1"']
    command += [sys.executable, str(tmp_path)]
    with open(log, "w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
        connections = [connect(port) for _ in range(40)]
        time.sleep(0.3)
        for connection in connections:
            connection.close()
        deadline = time.monotonic() + 20
        status = 0
        while status != 200 and time.monotonic() < deadline:
            with connect(port) as another, suppress(OSError, AssertionError):
                another.settimeout(3)
                status = ask_on(another)
            time.sleep(0.2)
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=20)
    assert (status, process.returncode, out) == (200, 0, "Stopped.\n")
    (said,) = log.read_text().splitlines()
    assert "connections have to wait: too many open files" in said


@pytest.mark.parametrize("size", [1000, 40_000_000])
def test_a_body_that_nobody_wants(server: Server, size: int) -> None:
    """A small one is thrown away and the connection goes on; a large one ends it."""
    with connect(server.port) as connection:
        head = f"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n"
        connection.sendall(head.encode())
        assert status_of(connection.recv(65536)) == 405
        sent = 0
        with suppress(ConnectionError):
            while sent < size:
                connection.sendall(b"x" * 1000)
                sent += 1000
        if size == 1000:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert status_of(connection.recv(65536)) == 200
        else:
            assert sent < size


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_amid_questions(tmp_path: Path, number: signal.Signals) -> None:
    server = start(tmp_path / "log", "--db", str(tmp_path))
    turns = "%20".join(["b2-b4", "e5-e4", "b4-b2", "e4-e5"] * 300)
    target = f"/api/nine/turns?position=w:Wa1,b2,g1,g7:Bb6,d7,e5&repetition=0&moves={turns}"
    connections = [connect(server.port) for _ in range(6)]
    for connection in connections:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    time.sleep(0.1)
    server.process.send_signal(number)
    out, _ = server.process.communicate(timeout=30)
    assert (server.process.returncode, out) == (0, "Stopped.\n")
    for connection in connections:
        with connection, suppress(OSError):
            answer = connection.recv(65536)
            assert not answer or status_of(answer) in (200, 503)
    assert server.log.read_text() == ""


@pytest.mark.parametrize(("output", "code"), [("/dev/full", 5), (None, 0)])
def test_nobody_to_tell(tmp_path: Path, output: str | None, code: int) -> None:
    if output and not os.path.exists(output):
        pytest.skip(f"there is no {output}")
    shell = f'exec "$0" -m solver serve --port 0 --db "$1" >{output or "&-"}'
    command = ["bash", "-c", shell, sys.executable, str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        if output is None:  # it serves; it only says nothing
            time.sleep(3)
            process.terminate()
        _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors
    assert len(errors.splitlines()) <= 1
    assert process.returncode in (code, 141)


def test_memory_stays_flat(server: Server) -> None:
    def resident() -> int:
        return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])

    chance = random.Random(1)
    names = get_variant("nine").board.points

    def ask_all(count: int) -> None:
        for _ in range(count):
            points = chance.sample(names, 7)
            target = f"/api/nine?position=w:W{','.join(points[:4])}:B{','.join(points[4:])}"
            answer = server.exchange(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert status_of(answer) == 200

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the system does not tell how much memory a process has")
    ask_all(300)
    before = resident()
    ask_all(600)
    assert resident() < before * 1.2
