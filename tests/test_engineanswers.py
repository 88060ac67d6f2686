"""What the engine answers to ``go``, compared with what the tables say."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import plant
from engines import NINE, talk

from solver.build import build
from solver.engine.answers import NO_MOVE, UNGUIDED_PLIES, Answer, Question, answer
from solver.game import Game
from solver.index import layout
from solver.notation import parse_turn
from solver.pack import pack_tables
from solver.position import Position
from solver.results import MoveResult
from solver.rules import get_variant
from solver.sectors import Sector, sectors_up_to, wanted_sectors
from solver.tablebase import open_tablebase
from solver.tablefile import table_path

DRAWN = "w:Wa4,d5,d6:Ba7,b4,c4,g4"
WON = "w:Wa1,d1,g4:Bb2,b4,d6"
SECTORS = sectors_up_to(NINE, 7)
LINE = re.compile(
    r"depth (?P<depth>\d+) multipv (?P<number>\d+) score (?P<kind>mate|cp) (?P<score>-?\d+)"
    r"(?P<bound> lowerbound)? wdl (?P<wdl>\d+ \d+ \d+)(?: dtw (?P<dtw>\d+))? pv (?P<pv>.+)"
)


def position(text: str) -> Position:
    return Position.parse(NINE, text)


def ask(folder: Path, asked: Position | Game, **changes: object) -> Answer:
    game = asked if isinstance(asked, Game) else Game(asked)
    with open_tablebase(folder) as tablebase:
        return answer(tablebase, Question(game, **changes), lambda: False)  # type: ignore[arg-type]


def lines_of(found: Answer) -> list[re.Match[str]]:
    """The lines with scores."""
    matches = [LINE.fullmatch(info) for info in found.infos if not info.startswith("string ")]
    assert None not in matches, found.infos
    return [match for match in matches if match]


def strings_of(found: Answer) -> list[str]:
    return [info.removeprefix("string ") for info in found.infos if info.startswith("string ")]


def some_positions(number: int, seed: int) -> Iterator[Position]:
    chance = random.Random(seed)
    for sector in SECTORS:
        numbering = layout(NINE, sector)
        for _ in range(number):
            mover, opponent = numbering.masks(chance.randrange(numbering.slots))
            found = Position(NINE, mover, opponent)
            yield found if chance.random() < 0.5 else found.swap_colours()


def expected_score(move: MoveResult) -> tuple[str, str, str, str | None]:
    """What a line says of a move, worked out from the words of the protocol."""
    if move.value == "draw":
        return "cp", "0", "0 1000 0", None
    won = move.value == "win"
    wdl = "1000 0 0" if won else "0 0 1000"
    if move.dtw is None:
        return "cp", "10000" if won else "-10000", wdl, None
    # Turns of the side that moves: all odd plies of a win, all even ones of a loss are wins of
    # whoever makes them.
    turns = len([ply for ply in range(1, move.dtw + 1) if ply % 2 == (1 if won else 0)])
    return "mate", str(turns if won else -turns), wdl, str(move.dtw)


def check_line(begin: Position, line: str, move: MoveResult, plies: int | None) -> None:
    """Whether a line is legal, begins with a move and is as long as it should be."""
    texts = line.split()
    assert texts[0] == move.text
    seen, at = {begin}, begin
    for number, text in enumerate(texts, 1):
        at = at.apply(parse_turn(at, text))
        assert at not in seen or number == len(texts)
        if at in seen:
            return
        seen.add(at)
    if plies is not None and len(texts) == plies:
        return
    assert at.outcome() is not None
    assert len(texts) == move.dtw


def test_every_line_agrees_with_the_tables(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for asked in some_positions(4, seed=5):
            moves = tablebase.moves(asked)
            found = answer(tablebase, Question(Game(asked), lines=1000), lambda: False)
            if not moves:
                assert found.move == NO_MOVE
                continue
            assert strings_of(found) == []
            assert found.move == moves[0].text
            lines = lines_of(found)
            assert len(lines) == len(moves)
            for number, (line, move) in enumerate(zip(lines, moves, strict=True), 1):
                said = line["kind"], line["score"], line["wdl"], line["dtw"]
                assert said == expected_score(move)
                assert (int(line["number"]), line["bound"]) == (number, None)
                assert int(line["depth"]) == len(line["pv"].split())
                limit = UNGUIDED_PLIES if move.dtw is None else None
                check_line(asked, line["pv"], move, limit)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_lines_are_no_longer_than_asked(database: Path, depth: int) -> None:
    with open_tablebase(database) as tablebase:
        for asked in some_positions(4, seed=depth):
            found = answer(tablebase, Question(Game(asked), 3, depth), lambda: False)
            moves = tablebase.moves(asked)[:3]
            assert len(lines_of(found)) == (len(moves) if found.move != NO_MOVE else 0)
            for line, move in zip(lines_of(found) if moves else [], moves, strict=True):
                check_line(asked, line["pv"], move, depth)


def test_a_line_stops_when_told_to(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        found = answer(tablebase, Question(Game(position(DRAWN)), 5), lambda: True)
    assert [int(line["depth"]) for line in lines_of(found)] == [1] * 5


def test_only_some_turns(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for asked in some_positions(5, seed=9):
            moves = tablebase.moves(asked)
            chosen = random.Random(1).sample(moves, len(moves) // 2)
            if not chosen:
                continue
            only = tuple(move.turn for move in chosen)
            found = answer(tablebase, Question(Game(asked), 1000, 1, only), lambda: False)
            best = [move.text for move in moves if move in chosen]
            assert [line["pv"] for line in lines_of(found)] == best
            assert found.move == best[0]


@pytest.mark.parametrize(
    ("variant", "text", "score", "why"),
    [
        ("nine", "w:Wa1,g7:Bb4,d1,d6", "mate 0 wdl 0 0 1000 dtw 0", "White has lost: 2 stones"),
        ("nine", "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7", "mate 0 wdl 0 0 1000 dtw 0", "no stone can move"),
        ("tic-tac-toe", "b:Wa3,b1,b2,c2,c3:Ba1,a2,b3,c1", "cp 0 wdl 0 1000 0", "it is a draw"),
    ],
)
def test_a_game_that_is_over(tmp_path: Path, variant: str, text: str, score: str, why: str) -> None:
    found = ask(tmp_path, Position.parse(get_variant(variant), text))
    told, line = found.infos
    assert told.startswith("string The game is over, ")
    assert why in told
    assert line == f"depth 0 score {score}"
    assert found.move == "(none)"


@pytest.mark.parametrize("variant", ["three", "tic-tac-toe", "four"])
def test_small_games_are_played_out_as_their_tables_say(tmp_path: Path, variant: str) -> None:
    rules = get_variant(variant)
    build(rules, wanted_sectors(rules), tmp_path, threads=1)
    with open_tablebase(tmp_path) as tablebase:
        game = Game(rules)
        result = tablebase.probe(game.position)
        for _ in range(40):
            found = answer(tablebase, Question(game), lambda: False)
            if found.move == NO_MOVE or game.outcome() is not None:
                break
            (line,) = lines_of(found)
            assert (
                line["wdl"]
                == {"win": "1000 0 0", "draw": "0 1000 0", "loss": "0 0 1000"}[result.value]
            )
            if result.dtw is not None:
                assert int(line["dtw"]) == result.dtw
            game.play(found.move)
            result = tablebase.probe(game.position)
    if variant == "three":
        assert game.outcome() is not None
        assert game.outcome().winner == "White"  # type: ignore[union-attr]


def test_a_win_that_may_take_too_long_is_warned_of(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        asked = max(some_positions(30, seed=2), key=lambda p: tablebase.probe(p).dtw or 0)
        dtw = tablebase.probe(asked).dtw
        assert dtw is not None
        assert dtw > 3
        for limit, warned in ((dtw - 1, True), (dtw, False)):
            game = Game(asked, quiet_limit=limit)
            found = answer(tablebase, Question(game), lambda: False)
            assert [f"takes {dtw} plies, longer than" in s for s in strings_of(found)] == (
                [True] if warned else []
            )


# -- tables that are missing ----------------------------------------------------------------------


def copy_of(database: Path, folder: Path, *without: str) -> Path:
    """A database without the tables of some sectors."""
    copy = folder / "copy"
    shutil.copytree(database, copy)
    for sector in without:
        (table,) = copy.glob(f"*/{sector}.dtw.zst")
        table.unlink()
    return copy


def test_a_win_at_once_needs_no_table(tmp_path: Path) -> None:
    found = ask(tmp_path, position(WON), lines=2)
    assert found.move == "g4-g1xb2"
    first, second = lines_of(found)
    assert (first["score"], first["dtw"], first["bound"]) == ("1", "1", None)
    assert second["pv"] == "g4-g1xb4"
    missing, unknown = strings_of(found)
    assert "the table of sector 3-3 is missing; make it with: morris solve nine 3-3" in missing
    turns = position(WON).turns()
    assert unknown == f"{len(turns) - 3} of {len(turns)} turns are unknown."


def test_without_any_table_a_turn_is_a_guess_and_has_no_score(tmp_path: Path) -> None:
    taking = "w:Wa4,d1,g1,b6:Bb2,b4,d6,f6"
    for text, expected in ((DRAWN, None), (taking, "a4-a1xb2")):
        found = ask(tmp_path, position(text))
        assert lines_of(found) == []
        assert found.move in [turn.text(NINE.board) for turn in position(text).turns()]
        assert expected is None or found.move == expected
        *missing, unknown, guess = strings_of(found)
        assert all("is missing; make it with: morris solve nine" in text for text in missing)
        assert re.fullmatch(r"(\d+) of \1 turns are unknown\.", unknown)
        assert guess == f"No table tells what any turn leads to: {found.move} is a guess."


@pytest.mark.parametrize("without", [["3-3"], ["4-3"], ["3-4"], ["3-3", "4-3"]])
def test_with_some_tables_no_score_is_wrong_and_no_turn_a_known_mistake(
    database: Path, tmp_path: Path, without: list[str]
) -> None:
    copy = copy_of(database, tmp_path, *without)
    kinds = set()
    with open_tablebase(database) as whole, open_tablebase(copy) as part:
        for asked in some_positions(25, seed=len(without)):
            moves = {move.text: move for move in whole.moves(asked)}
            if not moves:
                continue
            found = answer(part, Question(Game(asked), 1000, 1), lambda: False)
            known = {
                text: move for text, move in moves.items() if part.get(move.position) is not None
            }
            assert found.move in moves
            lines = lines_of(found)
            for line in lines:
                move = known[line["pv"].split()[0]]
                assert (line["kind"], line["score"], line["wdl"], line["dtw"]) == expected_score(
                    move
                )
            if lines:
                assert len(lines) == len(known)
                best = next(move for move in whole.moves(asked) if move.text in known)
                assert found.move == best.text
                assert not any(line["bound"] for line in lines[1:])
                if lines[0]["bound"] is None:
                    truly = whole.moves(asked)[0]
                    assert (best.value, best.dtw) == (truly.value, truly.dtw)
            else:
                assert found.move not in known
                result = part.get(asked)
                values = {move.value for move in known.values()}
                assert values <= {"loss"} or (result is not None and result.value not in values)
            gaps = [text for text in strings_of(found) if "is missing" in text]
            assert bool(gaps) == (len(known) < len(moves))
            kinds.add((bool(lines), bool(lines and lines[0]["bound"]), len(known) < len(moves)))
    assert (True, False, False) in kinds
    assert len(kinds) > 1


def test_the_positions_own_table_is_not_needed(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path, "3-4")
    with open_tablebase(database) as whole:
        for asked in some_positions(20, seed=4):
            if asked.sector == Sector(3, 4) and whole.moves(asked):
                break
    # What follows is in 4-3 and 3-3.
    assert ask(copy, asked, depth=1) == ask(database, asked, depth=1)


def test_a_line_ends_where_a_table_is_missing(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path, "3-4")
    asked = position("b:Wa4,d5,d6:Ba7,b4,c4,g4")  # 4-3: what follows has no table
    found = ask(copy, asked, only=tuple(asked.turns()[:1]))
    assert lines_of(found) == []
    white = position(DRAWN)
    (line,) = lines_of(ask(copy, white))
    assert int(line["depth"]) in (1, 2)


# -- tables that are damaged or tell less ---------------------------------------------------------


def test_a_damaged_table_gives_neither_score_nor_turn(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    (table,) = copy.glob("*/3-4.dtw.zst")
    whole = table.read_bytes()
    table.write_bytes(whole[: len(whole) // 2])
    found = ask(copy, position(DRAWN))
    (told,) = strings_of(found)
    assert told.startswith(f"{table}: ")
    assert found == Answer([f"string {told}"], "(none)")
    # Also where another table is missing.
    (other,) = copy.glob("*/3-3.dtw.zst")
    other.unlink()
    (told,) = ask(copy, position("b:Wa4,d5,d6:Ba7,b4,c4,g4")).infos
    assert told.startswith(f"string {table}: ")


def test_tables_that_contradict_each_other_give_neither(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    asked = position(DRAWN)
    slot = layout(NINE, asked.sector).index(asked.mover_mask, asked.opponent_mask)
    plant(table_path(copy, NINE, asked.sector), slot, 33)
    found = ask(copy, asked)
    assert found.move == "(none)"
    (told,) = strings_of(found)
    assert " contradict each other: " in told
    # A turn that is better than what its position is said to be worth, where one is not known.
    won = position("w:Wa4,d1,g1,b6:Bb2,b4,d6")
    with open_tablebase(database) as tablebase:
        assert tablebase.probe(won) == ("win", 1)
    slot = layout(NINE, won.sector).index(won.mover_mask, won.opponent_mask)
    plant(table_path(copy, NINE, won.sector), slot, 255)
    table_path(copy, NINE, Sector(3, 4)).unlink()
    found = ask(copy, won)
    assert found.move == "(none)"
    (told,) = strings_of(found)
    assert f"{won} is a draw, but a4-a1xb2 makes it a win in 1" in told


def test_tables_of_win_draw_and_loss(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    pack_tables(NINE, SECTORS, copy)
    for table in copy.glob("*/*.dtw.zst"):
        table.unlink()
    kinds = set()
    with open_tablebase(copy) as tablebase:
        for asked in some_positions(10, seed=8):
            moves = tablebase.moves(asked)
            lines = (
                lines_of(answer(tablebase, Question(Game(asked), 1000, 1), lambda: False))
                if moves
                else []
            )
            for line in lines:
                move = next(move for move in moves if move.text == line["pv"].split()[0])
                said = line["kind"], line["score"], line["wdl"], line["dtw"]
                assert said == expected_score(move)
                kinds.add(said[:2])
    assert {("cp", "10000"), ("cp", "-10000"), ("cp", "0")} <= kinds


def test_a_win_without_a_distance_does_not_go_in_circles(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    pack_tables(NINE, SECTORS, copy)
    for table in copy.glob("*/*.dtw.zst"):
        table.unlink()
    with open_tablebase(copy) as tablebase, open_tablebase(database) as distances:
        far = {p: distances.probe(p) for p in some_positions(40, seed=3)}
        asked = next(p for p, (value, dtw) in far.items() if value == "win" and (dtw or 0) > 5)
        game = Game(asked, repetition=0, quiet_limit=0)
        played: list[str] = []
        seen = set()
        for _ in range(10):
            played.append(answer(tablebase, Question(game, depth=1), lambda: False).move)
            if played[-1] == NO_MOVE:
                break
            game.play(played[-1])
            assert tablebase.get_wdl(game.position) == -1
            assert game.position not in seen
            seen.add(game.position)
            if game.position.outcome() is not None:
                break
            game.play(tablebase.moves(game.position)[0].turn)


def test_the_words_of_the_protocol(database: Path) -> None:
    asked = ["position fen w:Wa4,d1,g1,b6:Bb2,b4,d6", "setoption name MultiPV value 2", "go"]
    assert talk(*asked, database=database) == [
        "info depth 1 multipv 1 score mate 1 wdl 1000 0 0 dtw 1 pv a4-a1xb2",
        "info depth 1 multipv 2 score mate 1 wdl 1000 0 0 dtw 1 pv a4-a1xb4",
        "bestmove a4-a1xb2",
    ]
