"""The interface over HTTP: what goes wrong, what a request may take, and the description."""

from __future__ import annotations

import asyncio
import errno
import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient
from webasking import JSON, SEVEN, WON, asked, refused

from solver import Position, get_variant, open_tablebase
from solver.tablebase import Tablebase
from solver.web import application
from solver.web.application import make_application
from solver.web.document import describe_interface
from solver.web.endpoints import ENDPOINTS
from solver.web.limits import LONGEST_ADDRESS, Workers, WorkersBusyError, share_descriptors

NINE = get_variant("nine")

# -- what goes wrong ----------------------------------------------------------------------------

BAD = [
    ({}, "position is missing"),
    ({"position": ""}, "empty"),
    ({"position": "w:Wa1,a1:Ba4,a7,b4"}, "given twice"),
    ({"position": "w:Wz9:Ba4,a7,b4"}, "not a point"),
    ({"position": "w:W:B:H9,7"}, "hands do not fit"),
    ({"position": "w:W:B:H-1,-1"}, "cannot hold -1"),
    ({"position": SEVEN, "moves": "a1-z9"}, "moves"),
    ({"position": SEVEN, "moves": "a1-b2"}, "occupied"),
    ({"position": SEVEN, "colour": "red"}, "no parameter 'colour'"),
    ({"position": [SEVEN, SEVEN]}, "given twice"),
    ({"position": SEVEN, "repetition": "x"}, "whole number"),
    ({"position": SEVEN, "repetition": "1"}, "2 or more"),
    ({"position": SEVEN, "quiet_limit": "-1"}, "whole number"),
    ({"position": SEVEN, "r": "stones=99"}, "stones"),
    ({"position": "w:W\0:B\n:H9,9"}, "not a point"),
]


@pytest.mark.parametrize(("parameters", "said"), BAD)
def test_bad_questions_are_refused_with_the_reason(
    client: TestClient, parameters: JSON, said: str
) -> None:
    for path in ("/api/nine", "/api/nine/turns", "/api/nine/line"):
        record = refused(client, 400, path, **parameters)
        assert said in record["error"]
        assert record["kind"] == "bad request"


def test_a_position_that_cannot_be_names_the_law(client: TestClient) -> None:
    record = refused(client, 400, "/api/nine/turns", position="w:W:B:H9,7")
    assert record["law"] == "hands"
    assert record["facts"] == {"mover": "white", "mover_hand": 9, "opponent_hand": 7}


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nine/", "/api/nine/x", "/api/nine/sectors/3-3/x", "/static/", "/x",
     "/static/../application.py", "/static/%2e%2e/application.py", "/api/none",
     "/api/none/turns", "/static/%00", "/api/%00", "/api/%ff"],
)  # fmt: skip
def test_nothing_is_where_nothing_is(client: TestClient, path: str) -> None:
    assert refused(client, 404, path)["kind"] == "not found"


def test_a_missing_table_is_named_with_what_makes_it(
    client: TestClient, served: Tablebase, database: Path
) -> None:
    record = refused(client, 404, "/api/nine", position="w:W:B:H9,9")
    assert (record["kind"], record["sector"]) == ("missing table", "0-0+9-9")
    assert record["command"].startswith("morris solve nine 0-0+9-9 --db ")
    assert record["command"] in record["error"]
    record = refused(client, 404, "/api/nine/sectors/9-9")
    assert (record["sector"], record["command"]) == (
        "9-9",
        f"morris solve nine 9-9 --db {database}",
    )
    unsolvable = refused(client, 404, "/api/dara/sectors/12-12")
    assert (unsolvable["sector"], unsolvable["command"]) == ("12-12", None)


def test_a_damaged_table_hides_no_other(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    next(copy.rglob("4-3.dtw.zst")).write_bytes(b"")
    with open_tablebase(copy) as tablebase, TestClient(make_application(tablebase)) as client:
        answer = asked(client, "/api/nine/sectors")
    assert [each["sector"] for each in answer["damaged"]] == ["4-3"]
    assert "4-3.dtw.zst" in answer["damaged"][0]["error"]
    assert "3-4" in {each["sector"] for each in answer["sectors"]}


@pytest.mark.parametrize("sector", ["3-2", "10-3", "x", "3", "3-3+1-1", "3-3+0-3", "99-99"])
def test_sectors_that_cannot_be(client: TestClient, sector: str) -> None:
    if sector == "3-3+1-1":  # can be, but has no table
        assert refused(client, 404, f"/api/nine/sectors/{sector}")["sector"] == sector
    else:
        assert "sector" in refused(client, 400, f"/api/nine/sectors/{sector}")["error"]


def test_a_damaged_table_is_told(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(database, copy)
    table = next(copy.rglob("4-3.dtw.zst"))
    content = bytearray(table.read_bytes())
    for place in range(len(content) // 4, len(content), 1000):
        content[place] ^= 1
    table.write_bytes(content)
    with open_tablebase(copy) as served, TestClient(make_application(served)) as client:
        statuses = set()
        for fourth in NINE.board.names_of(~NINE.board.mask_of([0, 1, 2, 21, 22, 23])):
            position = f"w:Wa7,d7,a1,{fourth}:Bg7,d1,g1"
            answer = client.get("/api/nine", params={"position": position})
            statuses.add(answer.status_code)
            if answer.status_code == 500:
                assert answer.json()["kind"] == "damaged table"
                assert table.name in answer.json()["error"]
        assert 500 in statuses
        # What does not need it is answered as before.
        assert asked(client, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["value"]
        assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(client: TestClient, method: str) -> None:
    for path in ("/", "/api/nine", "/healthz", "/api/variants", "/static/style.css"):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
        assert answer.json()["kind"] == "method not allowed"


def test_head_tells_the_same_without_the_body(client: TestClient) -> None:
    answer = client.head("/api/nine", params={"position": WON})
    assert (answer.status_code, answer.content) == (200, b"")
    whole = client.get("/api/nine", params={"position": WON})
    for name in ("content-type", "content-length", "content-encoding", "vary"):
        assert answer.headers.get(name) == whole.headers.get(name)


def test_long_addresses_are_refused(client: TestClient) -> None:
    record = refused(client, 414, "/api/nine", position="x" * LONGEST_ADDRESS)
    assert record["kind"] == "too long"


# -- limits and headers -------------------------------------------------------------------------


def test_answers_are_kept_and_packed(served: Tablebase) -> None:
    class Counting(Tablebase):
        asked = 0

        def analyse(self, position: Position) -> Any:
            Counting.asked += 1
            return super().analyse(position)

    with (
        Counting(served.paths) as counting,
        TestClient(make_application(counting)) as client,
    ):
        first = client.get("/api/nine", params={"position": WON})
        again = client.get("/api/nine", params={"position": WON})
        assert first.content == again.content
        assert Counting.asked == 1
        assert first.headers["content-encoding"] == "gzip"
        assert first.headers["vary"] == "Accept-Encoding"
        plain = client.get("/api/nine", params={"position": WON}, headers={"accept-encoding": ""})
        assert "content-encoding" not in plain.headers
        assert plain.content == first.content
        # What is missing may come at any moment.
        for _ in range(2):
            refused(client, 404, "/api/nine", position="w:W:B:H9,9")
        assert Counting.asked == 3


def test_a_table_is_found_that_is_made_meanwhile(database: Path, tmp_path: Path) -> None:
    with open_tablebase(tmp_path) as served, TestClient(make_application(served)) as client:
        assert (
            refused(client, 404, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["sector"] == "3-3"
        )
        shutil.copytree(database, tmp_path, dirs_exist_ok=True)
        assert asked(client, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["value"]


def test_answers_are_as_old_as_they_say(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the server keeps and what caches keep of that is together no older than a minute."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(application, "time", clock)
    shutil.copytree(database, tmp_path, dirs_exist_ok=True)
    with open_tablebase(tmp_path) as tablebase, TestClient(make_application(tablebase)) as client:
        for clock.now, age in ((1001.0, 59), (1058.5, 1)):
            answer = client.get("/api/nine", params={"position": WON})
            assert answer.headers["cache-control"] == f"public, max-age={age}"
        assert asked(client, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["value"]
        for table in tmp_path.rglob("*.zst"):
            table.unlink()
        clock.now = 1060.5
        for position in (WON, "w:Wa1,d5,g7:Bb2,b6,d2"):
            refused(client, 404, "/api/nine", position=position)


def test_a_table_is_looked_at_again(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_KEPT_SECONDS", 0)
    shutil.copytree(database, tmp_path, dirs_exist_ok=True)
    with open_tablebase(tmp_path) as tablebase, TestClient(make_application(tablebase)) as client:
        assert asked(client, "/api/nine", position=WON)["dtw"] == 9
        for table in tmp_path.rglob("*.zst"):
            table.unlink()
        time.sleep(0.01)
        assert refused(client, 404, "/api/nine", position=WON)["sector"] == "3-4"


def test_answers_to_other_questions_are_never_given(client: TestClient) -> None:
    start = "w:W:B:H9,9"
    assert (
        client.get("/api/nine/turns", params={"position": start, "moves": "d6?"}).status_code == 200
    )
    assert client.get(f"/api/nine/turns%3Fposition={start}&moves=d6?").status_code == 404


@pytest.mark.parametrize("name", ["nine -r stones=4", "nine ", "nine\n", "x" * 3000])
def test_a_path_names_a_variant_alone(client: TestClient, name: str) -> None:
    record = refused(client, 404, f"/api/{quote(name)}/rules")
    assert len(record["error"]) < 300


def test_other_sites_may_ask_only_if_they_are_named(served: Tablebase) -> None:
    origin = {"origin": "https://example.org"}
    for origins, allowed in (((), None), (("https://example.org",), "https://example.org")):
        with TestClient(make_application(served, origins=origins)) as client:
            answer = client.get("/healthz", headers=origin)
            assert answer.headers.get("access-control-allow-origin") == allowed


def test_the_page_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    unchanged = client.get("/", headers={"if-none-match": answer.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["vary"] == answer.headers["vary"] == "Accept-Encoding"
    assert client.get("/", headers={"if-none-match": "*"}).status_code == 304
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


def test_only_so_many_questions_wait() -> None:
    workers = Workers(1, most_waiting=1, most_seconds=5)
    free = threading.Event()

    async def ask() -> list[object]:
        first = [asyncio.create_task(workers.answer(free.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(WorkersBusyError):
            await workers.answer(lambda: 1)
        free.set()
        given = list(await asyncio.gather(*first))
        return [*given, await workers.answer(lambda: 1)]

    assert asyncio.run(ask()) == [True, True, 1]
    workers.close()


def test_what_nobody_waits_for_is_dropped() -> None:
    workers = Workers(1, most_waiting=20, most_seconds=5)
    free = threading.Event()
    begun = []

    async def ask() -> int:
        asyncio.get_running_loop().call_later(0.2, free.set)
        first = asyncio.create_task(workers.answer(free.wait))
        left = [asyncio.create_task(workers.answer(lambda: begun.append(1))) for _ in range(20)]
        await asyncio.sleep(0.05)
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
        given = await workers.answer(lambda: 7)  # there is room again at once
        assert await first
        return given

    assert asyncio.run(ask()) == 7
    assert begun == []
    workers.close()


def test_what_takes_too_long_is_given_up(served: Tablebase) -> None:
    class Slow(Tablebase):
        def analyse(self, position: Position) -> Any:
            time.sleep(0.3)
            return super().analyse(position)

    workers = Workers(1, most_waiting=0, most_seconds=0.05)
    with (
        Slow(served.paths) as slow,
        TestClient(make_application(slow, workers=workers)) as client,
    ):
        answers = [client.get("/api/nine", params={"position": WON}) for _ in range(2)]
        kinds = [answer.json()["kind"] for answer in answers]
        # The thread is still at the first question.
        assert kinds == ["too slow", "busy"]
        assert {answer.status_code for answer in answers} == {503}
        assert answers[0].headers["retry-after"] == "1"


def test_descriptors_are_shared() -> None:
    connections, tables = share_descriptors()
    assert 8 <= connections <= 512
    assert 8 <= tables <= 512


# -- the description ----------------------------------------------------------------------------


def test_everything_served_is_described(client: TestClient) -> None:
    document = asked(client, "/openapi.json")
    assert document == describe_interface()
    assert set(document["paths"]) == {
        "/api/variants",
        "/healthz",
        *(endpoint.path for endpoint in ENDPOINTS),
    }


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("gzip; q=0.000, br", False)],
)
def test_who_takes_no_packed_answers_gets_none(
    client: TestClient, accepted: str, packed: bool
) -> None:
    answer = client.get("/api/variants", headers={"accept-encoding": accepted})
    assert (answer.headers.get("content-encoding") == "gzip") is packed
    assert answer.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["sectors", "plan/3-3", "sectors/3-3"])
def test_a_folder_that_may_not_be_looked_into(
    database: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def refuse(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    with open_tablebase(database) as served, TestClient(make_application(served)) as client:
        monkeypatch.setattr(Path, "stat", refuse)
        monkeypatch.setattr(Path, "lstat", refuse)
        record = refused(client, 503, f"/api/nine/{path}")
    assert record["kind"] == "no resources"
    assert record["error"].endswith(".zst cannot be read: permission denied")
