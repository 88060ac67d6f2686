"""The interface over HTTP: what is answered, and how what goes wrong is."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from conftest import Morris
from family_rules import removable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient
from strategies import FAMILY, game_of, positions

from solver import Position, get_variant, open_tablebase
from solver.facts import turn_facts
from solver.levels import LEVELS
from solver.rules import VARIANTS
from solver.sectors import known_sectors
from solver.tablebase import Tablebase
from solver.web.application import make_application
from solver.web.document import describe_interface
from solver.web.endpoints import ENDPOINTS
from solver.web.limits import LONGEST_ADDRESS, Workers, WorkersBusyError, share_descriptors

NINE = get_variant("nine")
WON = "w:Wa1,g1,g7:Bb6,c5,d1,e5"
"""In nine plies."""
SEVEN = "w:Wa1,d5,g7:Bb2,b6,d2,d6"

JSON = dict[str, Any]


@pytest.fixture(scope="module")
def tablebase(database: Path) -> Iterator[Tablebase]:
    with open_tablebase(database) as tablebase:
        yield tablebase


@pytest.fixture(scope="module")
def client(tablebase: Tablebase) -> Iterator[TestClient]:
    with TestClient(make_application(tablebase)) as client:
        yield client


def asked(client: TestClient, path: str, **parameters: Any) -> JSON:
    answer = client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()  # type: ignore[no-any-return]


def refused(client: TestClient, status: int, path: str, **parameters: Any) -> JSON:
    answer = client.get(path, params=parameters)
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    record: JSON = answer.json()
    assert record["error"]
    assert "\n" not in record["error"]
    return record


# -- positions ----------------------------------------------------------------------------------


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_position_is_answered_as_the_tablebase_does(
    client: TestClient, tablebase: Tablebase, data: st.DataObject
) -> None:
    sectors = tablebase.present(NINE, known_sectors(NINE))
    sector = data.draw(st.sampled_from(sectors))
    points = data.draw(st.permutations(range(NINE.board.size)))
    masks = [NINE.board.mask_of(points[: sector.mover])]
    masks.append(NINE.board.mask_of(points[sector.mover : sector.stones]))
    position = Position(NINE, *masks)
    answer = asked(client, "/api/nine", position=str(position))
    result, moves = tablebase.analyse(position)
    assert (answer["value"], answer["dtw"]) == result
    assert (answer["position"], answer["sector"]) == (str(position), str(sector))
    found = [(m["move"], m["value"], m["dtw"], m["position"]) for m in answer["moves"]]
    assert found == [(m.text, m.value, m.dtw, str(m.position)) for m in moves]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_turns_come_in_parts_that_make_them(data: st.DataObject) -> None:
    """Whatever the client clicks first of two captures, it is a legal turn exactly if we say so."""
    rules = data.draw(st.sampled_from(FAMILY))
    position = data.draw(positions(rules))
    board = rules.board
    for turn in position.turns():
        facts = turn_facts(position, turn)
        assert facts["move"] == turn.text(board)
        assert facts["from"] == (None if turn.origin is None else board.points[turn.origin])
        assert facts["to"] == board.points[turn.target]
        assert facts["captures"] == [board.points[point] for point in turn.captures]
        assert facts["position"] == str(position.apply(turn))
        firsts = {first for first, _ in legal_orders(position, turn.captures)}
        if len(turn.captures) == 2:
            assert turn.captures[0] in firsts
            assert facts["any_order"] == (len(firsts) == 2)
        else:
            assert not facts["any_order"]


def legal_orders(position: Position, captures: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The orders in which two stones may be taken, as the naive twin has it."""
    game, board = game_of(position.rules), position.rules.board
    others = frozenset(board.names_of(position.opponent_mask))
    return [
        (first, second)
        for first, second in permutations(captures, 2)
        if board.points[first] in removable(game, others)
        and board.points[second] in removable(game, others - {board.points[first]})
    ]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_turns_need_no_table_in_any_game(client: TestClient, data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from(FAMILY))
    position = data.draw(positions(rules))
    name, *options = rules.name.split(" -r ")
    answer = asked(client, f"/api/{name}/turns", position=str(position), r=options)
    assert answer["variant"] == rules.name
    assert [m["move"] for m in answer["moves"]] == [
        turn.text(rules.board) for turn in position.turns()
    ]
    assert answer["side"] == position.mover_colour.lower()
    assert (answer["end"] is None) == (position.outcome() is None)
    mills = {
        (side, tuple(board_names))
        for side, stones in (("white", position.white), ("black", position.black))
        for line in rules.board.lines
        if all(stones >> point & 1 for point in line)
        for board_names in [[rules.board.points[point] for point in line]]
    }
    assert {(mill["side"], tuple(mill["points"])) for mill in answer["mills"]} == mills
    kinds = {
        "place" if m["from"] is None else "fly" if position.flying else "move"
        for m in answer["moves"]
    }
    assert set(answer["due"]) == kinds


def test_the_worked_cases(client: TestClient) -> None:
    assert len(asked(client, "/api/nine", position=SEVEN)["moves"]) == 51
    only = asked(client, "/api/nine/turns", position="w:Wd7,g7,f6,e5:Bd6,g4,f4,d5,e4")
    assert [move["move"] for move in only["moves"]] == ["d7-a7"]
    lasker = "w:Wa1,d5:Bb2,b6,d2,d6,e3,f4,g1:H1,2"
    both = asked(client, "/api/lasker/turns", position=lasker)
    assert both["due"] == ["place", "fly"]
    assert [move["from"] is None for move in both["moves"]].count(True) == 15
    assert len(both["moves"]) == 45
    blocked = "e5 e4 g7 d5 d7 a7 a4 d6 f6 f4 a1 c4 b2 g1 d1 d2 g4 b4"
    over = asked(client, "/api/nine/turns", position="w:W:B:H9,9", moves=blocked)
    assert over["end"] == {
        "winner": "black",
        "reason": "blocked",
        "text": "White has lost: no stone can move",
    }
    assert (over["due"], over["moves"], len(over["played"])) == ([], [], 18)
    assert over["last_turn"] == {"move": "b4", "from": None, "to": "b4", "captures": []}
    # Finished positions are answered without a table.
    finished = asked(client, "/api/nine", position=over["position"])
    assert (finished["value"], finished["dtw"], finished["moves"]) == ("loss", 0, [])


def test_what_was_played_counts(client: TestClient) -> None:
    moves = "c3-c4 a1-d1 c4-c3 d1-a1 " * 2
    start = "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7"
    answer = asked(client, "/api/nine/turns", position=start, moves=moves)
    assert (answer["occurrences"], answer["plies_without_capture"]) == (3, 8)
    assert (answer["end"]["reason"], answer["end"]["winner"]) == ("repetition", None)
    assert answer["moves"]  # people may go on
    further = asked(client, "/api/nine/turns", position=start, moves=moves + "c3-d3", repetition=0)
    assert (further["end"], further["last_turn"]["from"]) == (None, "c3")
    limited = asked(
        client, "/api/nine/turns", position=start, moves=moves, repetition=0, quiet_limit=9
    )
    assert (limited["end"], limited["plies_left"]) == (None, 1)


def test_values_are_warned_of_by_the_history(client: TestClient) -> None:
    answer = asked(client, "/api/nine", position=WON, quiet_limit=1)
    assert answer["value"] == "win"
    assert "longer than" in answer["warning"]
    assert asked(client, "/api/nine", position=WON)["warning"] is None


def test_turns_that_make_a_draw_now_are_told(client: TestClient) -> None:
    start = "w:Wa1,b2,g1,g7:Bb6,d7,e5"
    there_and_back = "b2-b4 e5-e4 b4-b2 e4-e5 b2-b4 e5-e4 b4-b2"
    answer = asked(client, "/api/nine", position=start, moves=there_and_back)
    assert answer["drawing"] == ["e4-e5"]
    assert "e4-e5" in {move["move"] for move in answer["moves"]}
    assert asked(client, "/api/nine", position=start)["drawing"] == []


def test_a_line_is_followed_to_its_end(client: TestClient, tablebase: Tablebase) -> None:
    answer = asked(client, "/api/nine/line", position=WON)
    position = Position.parse(NINE, WON)
    assert (answer["value"], answer["ended"]) == ("win", "loss")
    assert len(answer["line"]) == answer["dtw"] == tablebase.probe_dtw(position)
    for step in answer["line"]:
        turn = next(t for t in position.turns() if t.text(NINE.board) == step["move"])
        position = position.apply(turn)
        assert (step["position"], step["to"]) == (str(position), NINE.board.points[turn.target])
    assert position.outcome() is not None
    short = asked(client, "/api/nine/line", position=WON, plies=2)
    assert (len(short["line"]), short["ended"]) == (2, "limit")
    assert "500 at most" in refused(client, 400, "/api/nine/line", position=WON, plies=501)["error"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_plays_a_legal_turn(client: TestClient, level: str) -> None:
    turns = {move["move"]: move for move in asked(client, "/api/nine", position=WON)["moves"]}
    best = asked(client, "/api/nine", position=WON)["moves"][0]
    for _ in range(5):
        answer = client.get("/api/nine/reply", params={"position": WON, "level": level})
        assert answer.headers["cache-control"] == "no-store"
        move = answer.json()
        assert move == turns[move["move"]]
        if level == "perfect":
            assert (move["value"], move["dtw"]) == (best["value"], best["dtw"])


def test_levels_are_refused_where_they_cannot_play(client: TestClient) -> None:
    assert "easy" in refused(client, 400, "/api/nine/reply", position=WON, level="x")["error"]
    over = "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"
    assert "is over" in refused(client, 400, "/api/nine/reply", position=over)["error"]
    assert refused(client, 404, "/api/nine/reply", position="w:W:B:H9,9")["sector"] == "0-0+9-9"


@pytest.mark.parametrize("name", VARIANTS)
def test_images_under_every_symmetry(client: TestClient, name: str) -> None:
    rules = get_variant(name)
    position = Position.start(rules)
    for _ in range(3):
        position = position.successors()[-1]
    answer = asked(client, f"/api/{name}/symmetries", position=str(position))
    images = [image["position"] for image in answer["images"]]
    expected = {str(position.transform(p)) for p in rules.board.automorphisms}
    assert set(images) == expected
    assert images[0] == answer["position"] == str(position)
    assert len(images) == len(rules.board.automorphisms)


def test_symmetries_do_what_they_say(client: TestClient) -> None:
    answer = asked(client, "/api/nine/symmetries", position="w:Wa7,d6:Bb4:H7,7")
    at = {
        (image["quarter_turns"], image["mirrored"], image["swapped"]): image["position"]
        for image in answer["images"]
    }
    assert len(at) == 16
    assert at[1, False, False] == "w:Wf4,g7:Bd6:H7,7"
    assert at[0, True, False] == "w:Wd6,g7:Bf4:H7,7"
    assert at[1, True, False] == "w:Wf4,g1:Bd2:H7,7"
    assert at[0, False, True] == "w:Wc5,d6:Bb4:H7,7"


# -- games and tables ---------------------------------------------------------------------------


def test_variants_are_listed_with_their_boards(client: TestClient, morris: Morris) -> None:
    answer = asked(client, "/api/variants")
    assert [variant["name"] for variant in answer["variants"]] == list(VARIANTS)
    assert [level["name"] for level in answer["levels"]] == list(LEVELS)
    told = {record["name"]: record for record in morris("variants", "--json").json}
    for variant in answer["variants"]:
        board = answer["boards"][variant["board"]]
        record = told[variant["name"]]
        assert len(board["points"]) == record["points"]
        assert (len(board["edges"]), len(board["lines"])) == (record["edges"], record["lines"])
        assert variant["options"] == record["options"]
        assert {
            record[name] == value for name, value in variant["fields"].items() if name in record
        } == {True}
        assert str(Position.start(get_variant(variant["name"]))) == variant["start"]
        places = {(point["x"], point["y"]) for point in board["points"]}
        assert len(places) == len(board["points"])
        assert min(x for x, _ in places) == min(y for _, y in places) == 0


def test_options_change_the_rules(client: TestClient) -> None:
    answer = asked(client, "/api/nine/rules", r=["stones=4", "flying=never"])
    assert answer["name"] == "nine -r stones=4 -r flying=never"
    assert (answer["variant"], answer["start"]) == ("nine", "w:W:B:H4,4")
    assert answer["chosen"]["stones"] == "4"
    assert answer["chosen"]["flying"] == "never"
    assert answer["fields"]["flying_at"] is None
    assert "stones" in refused(client, 400, "/api/nine/rules", r="stone=4")["error"]
    assert refused(client, 400, "/api/tic-tac-toe/rules", r="flying=3")["kind"] == "bad request"


def test_sectors_are_those_of_the_tables(
    client: TestClient, morris: Morris, database: Path
) -> None:
    answer = asked(client, "/api/nine/sectors")
    told = morris("stats", "nine", "--db", database, "--json").json
    assert [sector["sector"] for sector in answer["sectors"]] == [each["sector"] for each in told]
    for summary, record in zip(answer["sectors"], told, strict=True):
        whole = asked(client, f"/api/nine/sectors/{summary['sector']}")
        assert whole == record | {"metric": "dtw"}
        assert {**whole, "metric": "dtw"} == whole | summary
        assert "histogram" not in summary
    assert asked(client, "/api/six/sectors") == {"variant": "six", "sectors": []}


def test_a_published_histogram(client: TestClient) -> None:
    """3-3 as an exhaustive solution has published it."""
    histogram = asked(client, "/api/nine/sectors/3-3")["histogram"]["distinct"]
    assert (histogram["1"], histogram["13"], histogram["25"]) == (66472, 3808, 27)
    assert (histogram["2"], histogram["26"]) == (3125, 70)


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
    client: TestClient, tablebase: Tablebase, database: Path
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
    with open_tablebase(copy) as tablebase, TestClient(make_application(tablebase)) as client:
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
        assert client.get("/api/nine", params={"position": WON}).status_code in (200, 500)
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


def test_long_addresses_are_refused(client: TestClient) -> None:
    record = refused(client, 414, "/api/nine", position="x" * LONGEST_ADDRESS)
    assert record["kind"] == "too long"


# -- limits and headers -------------------------------------------------------------------------


def test_answers_are_kept_and_packed(tablebase: Tablebase) -> None:
    class Counting(Tablebase):
        asked = 0

        def analyse(self, position: Position) -> Any:
            Counting.asked += 1
            return super().analyse(position)

    with (
        Counting(tablebase.paths) as counting,
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
    with open_tablebase(tmp_path) as tablebase, TestClient(make_application(tablebase)) as client:
        assert (
            refused(client, 404, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["sector"] == "3-3"
        )
        shutil.copytree(database, tmp_path, dirs_exist_ok=True)
        assert asked(client, "/api/nine", position="w:Wa1,d5,g7:Bb2,b6,d2")["value"]


def test_other_sites_may_ask_only_if_they_are_named(tablebase: Tablebase) -> None:
    origin = {"origin": "https://example.org"}
    for origins, allowed in (((), None), (("https://example.org",), "https://example.org")):
        with TestClient(make_application(tablebase, origins=origins)) as client:
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


def test_what_takes_too_long_is_given_up(tablebase: Tablebase) -> None:
    class Slow(Tablebase):
        def analyse(self, position: Position) -> Any:
            time.sleep(0.3)
            return super().analyse(position)

    workers = Workers(1, most_waiting=0, most_seconds=0.05)
    with (
        Slow(tablebase.paths) as slow,
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


CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
    checks.negative_data_rejection,
]
"""All but that valid data is accepted: no schema can tell which positions can be."""


@pytest.mark.parametrize("path", describe_interface()["paths"])
def test_every_answer_is_as_described(tablebase: Tablebase, path: str) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", make_application(tablebase))
    operation = schema[path]["GET"]
    right, wrong = (
        operation.as_strategy(generation_mode=mode)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    )

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=st.one_of(right, wrong))
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    check()
