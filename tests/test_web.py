"""The interface over HTTP: what is answered."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from conftest import Morris
from family_rules import removable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from strategies import FAMILY, game_of, positions
from webasking import SEVEN, WON, asked, refused

from solver import Position, get_variant
from solver.facts import turn_facts
from solver.levels import LEVELS
from solver.rules import VARIANTS
from solver.sectors import known_sectors
from solver.tablebase import Tablebase

NINE = get_variant("nine")
# -- positions ----------------------------------------------------------------------------------


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_position_is_answered_as_the_served_does(
    client: TestClient, served: Tablebase, data: st.DataObject
) -> None:
    sectors = served.present(NINE, known_sectors(NINE))
    sector = data.draw(st.sampled_from(sectors))
    points = data.draw(st.permutations(range(NINE.board.size)))
    masks = [NINE.board.mask_of(points[: sector.mover])]
    masks.append(NINE.board.mask_of(points[sector.mover : sector.stones]))
    position = Position(NINE, *masks)
    answer = asked(client, "/api/nine", position=str(position))
    result, moves = served.analyse(position)
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


def test_a_line_is_followed_to_its_end(client: TestClient, served: Tablebase) -> None:
    answer = asked(client, "/api/nine/line", position=WON)
    position = Position.parse(NINE, WON)
    assert (answer["value"], answer["ended"]) == ("win", "loss")
    assert len(answer["line"]) == answer["dtw"] == served.probe_dtw(position)
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
    none: dict[str, list[str]] = {"sectors": [], "damaged": []}
    assert answer["damaged"] == []
    assert asked(client, "/api/six/sectors") == {"variant": "six", **none}


@pytest.mark.parametrize(
    ("variant", "sector"), [("nine", "4-4"), ("nine", "5-4"), ("four", "0-0+4-4"), ("nine", "3-3")]
)
def test_plans_count_what_is_missing(
    client: TestClient, morris: Morris, database: Path, variant: str, sector: str
) -> None:
    answer = asked(client, f"/api/{variant}/plan/{sector}")
    told = morris("plan", variant, sector, "--threads", "2", "--db", database, "--json").json
    missing = [row for row in told["sectors"] if not row["present"]]
    assert answer["tables"] == len(missing)
    assert answer["bytes"] == sum(row["bytes"] for row in missing)
    assert answer["seconds"] == pytest.approx(sum(row["seconds"] for row in missing), abs=0.2)
    assert answer["unsolvable"] is None
    if missing:
        command = refused(client, 404, f"/api/{variant}/sectors/{sector}")["command"]
        assert answer["command"] == command
    else:
        assert answer["command"] is None


def test_plans_say_what_cannot_be_made(client: TestClient) -> None:
    answer = asked(client, "/api/dara/plan/12-12")
    assert (answer["command"], answer["tables"]) == (None, 100)
    assert "memory" in answer["unsolvable"]
    assert "9-9 cannot be" in refused(client, 400, "/api/five/plan/9-9")["error"]


def test_a_published_histogram(client: TestClient) -> None:
    """3-3 as an exhaustive solution has published it."""
    histogram = asked(client, "/api/nine/sectors/3-3")["histogram"]["distinct"]
    assert (histogram["1"], histogram["13"], histogram["25"]) == (66472, 3808, 27)
    assert (histogram["2"], histogram["26"]) == (3125, 70)
