"""Turns, outcomes and what a position may be: the worked cases of the rules, and properties."""

from __future__ import annotations

import dataclasses
from itertools import combinations
from operator import attrgetter

import family_rules
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, SIX, TOURNAMENT, game_of, positions

from solver.boards import Board
from solver.errors import UsageError
from solver.notation import parse_position, replay
from solver.position import Outcome, Position, Turn
from solver.rules import VARIANTS, Rules, get_variant

name = attrgetter("name")
EVERY_RULE_SET = pytest.mark.parametrize("rules", FAMILY, ids=name)
SOME = settings(max_examples=30)


def texts(position: Position) -> list[str]:
    return [turn.text(position.rules.board) for turn in position.turns()]


def turn_texts(text: str, rules: Rules = NINE) -> list[str]:
    return texts(parse_position(rules, text))


def starting_with(move: str, found: list[str]) -> list[str]:
    return [text for text in found if text.split("x")[0] == move]


# The worked cases of the rules, by their numbers.


def test_case_1_a_mill_takes_at_once() -> None:
    found = turn_texts("w:Wa1,d1:Bd2,f4:H7,7")
    assert starting_with("g1", found) == ["g1xd2", "g1xf4"]
    assert starting_with("g7", found) == ["g7"]


def test_case_2_stones_in_mills_are_protected_while_another_is_not() -> None:
    position = parse_position(NINE, "w:Wa7,d7:Bb6,d6,f6,g1:H5,5")
    assert starting_with("g7", texts(position)) == ["g7xg1"]
    after = replay(position, ["g7xg1"])
    assert str(after) == "b:Wa7,d7,g7:Bb6,d6,f6:H4,5"


def test_case_3_a_single_move() -> None:
    assert turn_texts("w:Wd7,g7,f6,e5:Bd6,g4,f4,d5,e4") == ["d7-a7"]


def test_case_4_any_stone_goes_when_all_are_in_mills() -> None:
    found = turn_texts("w:Wa1,d1,b6:Bb2,d2,f2:H6,6")
    assert starting_with("g1", found) == ["g1xb2", "g1xd2", "g1xf2"]


def test_case_4_none_goes_where_the_rules_say_so() -> None:
    none = dataclasses.replace(NINE, all_in_mills="none")
    found = turn_texts("w:Wa1,d1,b6:Bb2,d2,f2:H6,6", none)
    assert starting_with("g1", found) == ["g1"]


def test_case_5_the_capture_that_wins() -> None:
    position = parse_position(NINE, "w:Wa1,d1,g4,c5:Bb6,d6,f6")
    assert starting_with("g4-g1", texts(position)) == ["g4-g1xb6", "g4-g1xd6", "g4-g1xf6"]
    for turn in position.turns():
        lost = Outcome.TOO_FEW_STONES if turn.captures else None
        assert position.apply(turn).outcome() is lost


def test_case_6_blocked_after_the_last_placement() -> None:
    game = "e5 e4 g7 d5 d7 a7 a4 d6 f6 f4 a1 c4 b2 g1 d1 d2 g4 b4"
    end = replay(Position.start(NINE), game.split())
    assert end.white_to_move
    assert end.turns() == []
    assert end.outcome() is Outcome.BLOCKED


def test_case_7_flying_with_three_stones_only() -> None:
    assert len(turn_texts("w:Wa1,d5,g7:Bb2,b6,d2,d6")) == 51
    assert len(turn_texts("w:Wa1,d5,f2,g7:Bb2,b6,d2,d6")) == 7


def test_case_8_surrounded_stones_fly_or_lose() -> None:
    assert len(turn_texts("w:Wa4,a7,d7:Ba1,b4,d6,g7")) == 51
    blocked = parse_position(NINE, "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7")
    assert blocked.turns() == []
    assert blocked.outcome() is Outcome.BLOCKED


def test_case_9_two_mills_at_once() -> None:
    text = "w:Wd1,d3,b2,f2:Ba7,b4,c4,g1,g7:H5,4"
    black = ["a7", "b4", "c4", "g1", "g7"]
    assert starting_with("d2", turn_texts(text)) == [f"d2x{name}" for name in black]
    pairs = [f"d2x{first}x{second}" for first, second in combinations(black, 2)]
    assert starting_with("d2", turn_texts(text, TOURNAMENT)) == pairs


def test_case_10_the_last_placement_closes_a_mill() -> None:
    game = "f6 b4 c5 g7 b6 f4 e4 a1 e3 f2 a7 c3 g4 a4 d3 b2 d2 c4xf6"
    end = replay(Position.start(NINE), game.split())
    assert end.white_to_move
    assert str(end.sector) == "8-9"
    assert end.moving
    assert all(turn.origin is not None for turn in end.turns())


def test_case_11_too_few_stones_counts_the_hand() -> None:
    assert parse_position(NINE, "w:Wd2:Bd6,f6,f4,b4,b6:H3,3").outcome() is None
    lost = parse_position(NINE, "w:Wd2:Bd6,f6,f4,b4,b6:H1,1")
    assert lost.outcome() is Outcome.TOO_FEW_STONES
    assert lost.turns() == []
    with pytest.raises(UsageError, match="the game ended before Black's turn"):
        parse_position(NINE, "b:Wd2:Bd6,f6,f4,b4,b6:H1,2")


def test_case_12_lasker_flies_with_three_stones_in_all() -> None:
    found = turn_texts("w:Wa1,d5:Bb2,b6,d2,d6,e3,f4,g1:H1,2", get_variant("lasker"))
    placed = [text for text in found if "-" not in text.split("x")[0]]
    assert (len(placed), len(found) - len(placed)) == (15, 30)


def test_lasker_places_or_slides() -> None:
    found = turn_texts("w:Wa1:Bg7:H9,9", get_variant("lasker"))
    assert {"a1-a4", "a1-d1"} < set(found)
    assert len(found) == 22 + 2
    # An empty hand places nothing, whatever the other side holds.
    found = turn_texts("w:Wa1,a7,g1,g4:Bg7:H0,9", get_variant("lasker"))
    assert all("-" in text for text in found)


def test_case_13_a_slide_closes_two_mills_and_takes_one() -> None:
    found = turn_texts("w:Wd1,g1,b2,c3,a4:Bd7,f4,e5,b6", get_variant("morabaraba"))
    assert starting_with("a4-a1", found) == [f"a4-a1x{name}" for name in ("b6", "d7", "e5", "f4")]


def test_case_14_a_row_of_three_wins_at_once() -> None:
    position = parse_position(get_variant("three"), "w:Wa3,b3,c2:Ba1,a2,b1")
    after = replay(position, ["c2-c3"])
    assert after.outcome() is Outcome.MILL
    assert after.turns() == []


def test_case_15_exactly_three_pay_in_dara() -> None:
    # Rows and columns counted from the top left: (1,1) is a5.
    position = parse_position(get_variant("dara"), "w:Wa5,b5,c4:Ba2,c2,e2")
    assert starting_with("c4-c5", texts(position)) == ["c4-c5xa2", "c4-c5xc2", "c4-c5xe2"]
    assert replay(position, ["c4-c5xa2"]).outcome() is Outcome.TOO_FEW_STONES


def test_four_in_a_row_is_illegal_in_dara() -> None:
    found = turn_texts("w:Wa5,b5,d5,c4:Ba2,c2,e2", get_variant("dara"))
    assert starting_with("c4-c5", found) == []
    # Nor may it arise beside a row of three in the other direction.
    found = turn_texts("w:Wa3,b3,d3,c2,c1,c4:Ba1,e5,f1", get_variant("dara"))
    assert starting_with("c4-c3", found) == []


def test_stones_in_rows_are_not_protected_in_dara() -> None:
    found = turn_texts("w:Wa5,b5,c4:Ba2,b2,c2,e2", get_variant("dara"))
    assert starting_with("c4-c5", found) == [f"c4-c5x{name}2" for name in "abce"]


def test_no_three_in_a_row_while_dara_is_placed() -> None:
    found = turn_texts("w:Wa5,b5:Ba3,b3:H10,10", get_variant("dara"))
    assert "c5" not in found
    assert {"c3", "d5"} < set(found)


def test_blocked_while_dara_is_placed_is_lost() -> None:
    # Every free point would be White's third in a row.
    rules = dataclasses.replace(get_variant("dara"), board=get_variant("tic-tac-toe").board)
    position = parse_position(rules, "w:Wa1,a3,c1,c3:Bb2:H2,2")
    assert position.turns() == []
    assert position.outcome() is Outcome.BLOCKED


def test_case_16_three_in_a_row_of_tic_tac_toe() -> None:
    end = replay(Position.start(get_variant("tic-tac-toe")), ["a3", "b2", "b3", "a1", "c3"])
    assert end.outcome() is Outcome.MILL
    assert end.mover_colour == "Black"
    assert end.turns() == []


def test_a_full_board_is_a_draw_where_the_rules_say_so() -> None:
    game = ["b2", "a1", "a2", "c2", "b3", "b1", "c1", "a3", "c3"]
    end = replay(Position.start(get_variant("tic-tac-toe")), game)
    assert end.outcome() is Outcome.FULL_BOARD
    assert end.outcome().drawn
    assert end.turns() == []
    names = get_variant("morabaraba").board.names_of((1 << 24) - 1)
    full = f"w:W{','.join(names[:12])}:B{','.join(names[12:])}"
    assert parse_position(get_variant("morabaraba"), full).outcome() is Outcome.FULL_BOARD
    assert parse_position(get_variant("twelve"), full).outcome() is Outcome.BLOCKED


@pytest.mark.parametrize("rules", [rules for rules in FAMILY if rules.board.edges], ids=name)
def test_case_18_every_edge_can_be_slid_along_both_ways(rules: Rules) -> None:
    board = rules.board
    rows = (*board.line_masks, *board.long_line_masks)
    for edge in board.edges:
        for origin, target in (edge, edge[::-1]):
            rest = [point for point in range(board.size) if point not in edge]
            # Without a row, neither before the slide nor after it.
            white = next(
                stones
                for stones in (board.mask_of([origin, *trio]) for trio in combinations(rest, 3))
                if not any((stones | 1 << target) & row == row for row in rows)
            )
            free = [point for point in rest if not white >> point & 1]
            black = next(
                stones
                for stones in map(board.mask_of, combinations(free, 3))
                if not any(stones & row == row for row in rows)
            )
            position = Position(
                dataclasses.replace(rules, stones=max(4, rules.stones)), white, black
            )
            position.validate()
            assert any(turn[:2] == (origin, target) for turn in position.turns())


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_case_18_turns_commute_with_automorphisms(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    permutation = data.draw(st.sampled_from(rules.board.automorphisms))
    image = position.transform(permutation)
    images = {after.transform(permutation) for after in position.successors()}
    assert set(image.successors()) == images
    assert image.outcome() is position.outcome()


# Two captures in one turn.


def test_second_capture_is_judged_anew() -> None:
    # Black's mill a7 d7 g7 is protected until e3, the only stone outside it, has gone.
    text = "w:Wd1,d3,b2,f2:Ba7,d7,g7,e3:H5,4"
    found = starting_with("d2", turn_texts(text, TOURNAMENT))
    assert found == ["d2xe3xa7", "d2xe3xd7", "d2xe3xg7"]
    none = dataclasses.replace(TOURNAMENT, all_in_mills="none")
    assert starting_with("d2", turn_texts(text, none)) == ["d2xe3"]


def test_breaking_a_mill_frees_its_other_stones() -> None:
    found = starting_with("d2", turn_texts("w:Wd1,d3,b2,f2:Ba7,d7,g7:H5,4", TOURNAMENT))
    assert found == ["d2xa7xd7", "d2xa7xg7", "d2xd7xg7"]


def test_a_first_capture_that_wins_ends_the_turn() -> None:
    found = starting_with("d2", turn_texts("w:Wd1,d3,b2,f2:Ba7,g7:H2,1", TOURNAMENT))
    assert found == ["d2xa7", "d2xg7"]


def test_the_second_capture_is_left_out_where_there_is_no_second_stone() -> None:
    assert starting_with("d2", turn_texts("w:Wd1,d3,b2,f2:Ba7:H5,4", TOURNAMENT)) == ["d2xa7"]


def test_a_mill_with_nothing_to_take_ends_the_turn() -> None:
    assert starting_with("d2", turn_texts("w:Wd1,d3:B:H5,4")) == ["d2"]


# A second, obvious move generator, on sets of names, for every game.


def test_the_twin_has_the_same_variants() -> None:
    assert {name: game_of(rules) for name, rules in VARIANTS.items()} == family_rules.GAMES


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_turns_agree_with_an_obvious_twin(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    board, twin = rules.board, game_of(rules)
    seen = (
        set(board.names_of(position.mover_mask)),
        set(board.names_of(position.opponent_mask)),
        position.mover_hand,
        position.opponent_hand,
    )
    wanted = family_rules.turns(twin, *seen)
    assert texts(position) == sorted(wanted)
    successors = position.successors()
    assert len(successors) == len(set(successors)), "two turns lead to the same position"
    for text, after in zip(texts(position), successors, strict=True):
        assert wanted[text] == (
            set(board.names_of(after.opponent_mask)),
            set(board.names_of(after.mover_mask)),
            after.opponent_hand,
            after.mover_hand,
        )
    outcome = position.outcome()
    assert (outcome is None) == bool(successors)
    ended = None if outcome is None else "draw" if outcome.drawn else "loss"
    assert family_rules.outcome(twin, *seen) == ended


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_captures_are_listed_in_a_legal_order(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    single = dataclasses.replace(rules, double_mill=1)
    for turn in position.turns():
        if len(turn.captures) < 2:
            continue
        first, second = turn.captures
        once = dataclasses.replace(position, rules=single)
        firsts = {t.captures for t in once.turns() if t[:2] == turn[:2]}
        assert (first,) in firsts
        if (second,) in firsts and not in_mill(rules.board, position, first, second):
            assert rules.board.points[first] < rules.board.points[second]


def in_mill(board: Board, position: Position, point: int, gone: int) -> bool:
    """Whether one of the opponent's stones stands in a mill once another has gone."""
    left = position.opponent_mask & ~(1 << gone)
    return any(left & line == line and line >> point & 1 for line in board.line_masks)


@EVERY_RULE_SET
@SOME
@given(data=st.data())
def test_every_successor_can_be(rules: Rules, data: st.DataObject) -> None:
    position = data.draw(positions(rules))
    position.validate()
    for after in position.successors():
        after.validate()
        assert after.white_to_move is not position.white_to_move


@given(positions())
def test_colours_are_alike(position: Position) -> None:
    twin = position.swap_colours()
    assert twin.swap_colours() == position
    assert twin.sector == position.sector
    assert twin.turns() == position.turns()
    assert twin.outcome() is position.outcome()
    assert [after.swap_colours() for after in twin.successors()] == position.successors()


# What a position is and may be.


def test_start() -> None:
    start = Position.start(NINE)
    assert str(start) == "w:W:B:H9,9"
    assert str(start.sector) == "0-0+9-9"
    assert (start.side, start.mover_colour, start.opponent_colour) == ("w", "White", "Black")
    assert len(start.turns()) == 24
    assert not start.moving
    assert Position.start(SIX).white_hand == 6


def test_sides_of_a_position() -> None:
    position = Position.parse(NINE, "b:Wa1,d1:Bd2,f4,g7:H3,4")
    assert (position.side, position.mover_colour, position.opponent_colour) == (
        "b",
        "Black",
        "White",
    )
    assert NINE.board.names_of(position.mover_mask) == ["d2", "f4", "g7"]
    assert NINE.board.names_of(position.opponent_mask) == ["a1", "d1"]
    assert (position.mover_hand, position.opponent_hand) == (4, 3)
    assert str(position.sector) == "3-2+4-3"
    assert position.format() == "b:Wa1,d1:Bd2,f4,g7:H3,4"


def test_positions_and_turns_do_not_change() -> None:
    position = Position.start(NINE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.white = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Turn(None, 3).target = 4  # type: ignore[misc]
    assert hash(position) == hash(Position.start(NINE))


def test_hands_of_tic_tac_toe() -> None:
    rules = get_variant("tic-tac-toe")
    assert str(Position.start(rules)) == "w:W:B:H5,4"
    for text in ("b:W:B:H4,5", "b:Wb2:B:H4,4", "w:Wb2:Ba1:H4,3", "w:W:Bb2:H4,4"):
        assert str(parse_position(rules, text)) == text
    with pytest.raises(UsageError, match="with these hands it has 5 in all"):
        parse_position(rules, "b:W:Bb2:H4,5")
    # With equal hands it is the turn of who has four.
    with pytest.raises(UsageError, match="White has 5 stones, but with these hands it has 4"):
        parse_position(rules, "w:Wb2:B:H4,4")
    with pytest.raises(UsageError, match="the hands do not fit Black's turn"):
        parse_position(rules, "b:W:B:H5,4")


@pytest.mark.parametrize(
    ("variant", "text", "reason"),
    [
        ("three", "w:Wa3,b3,c3:Ba1,a2,b1", "the game ended before White's turn: White has a mill"),
        ("three", "b:Wa3,b3:Ba1,b1,c1:H1,0", "the hands do not fit Black's turn"),
        ("tic-tac-toe", "w:Wa1,b1,c1:Ba3,b3:H2,2", "White has 5 stones, but with these hands"),
        ("tic-tac-toe", "b:Wa3,b3:Ba1,b1,c1:H2,2", "Black has 5 stones, but with these hands"),
        ("tic-tac-toe", "b:Wa3,b3,c2:Ba1,b1,c1:H2,1", "the hands do not fit Black's turn"),
        ("tic-tac-toe", "b:Wa3,b3,c2:Ba1,b1,c1:H1,1", "the game ended before Black's turn"),
        ("dara", "w:Wa1,b1,c1:B:H9,12", "the hands do not fit White's turn"),
        ("dara", "w:Wa1,b1,c1:Bf5:H3,3", "White's stones on a1, b1, c1 cannot be: a row of 3 is"),
        ("dara", "w:Wa3:Bf2,f3,f4:H3,3", "Black's stones on f2, f3, f4 cannot be: a row of 3 is"),
        ("dara", "w:Wa1,b1,d3:Ba2,a3,a4,a5", "a2, a3, a4, a5 cannot be: a row of 4 is forbidden"),
        ("lasker", "w:Wa1:Bb2:H-1,5", "White's hand cannot hold -1 stones"),
        ("lasker", "w:Wa1:Bb2:H1,0", "Black has only 1 of the 3 stones"),
        ("six", "w:Wa1,b2,b4:Bd2,d3,e3", "'a1' is not a point of the board"),
        ("dara", "w:Wg1,b2,b4:Bd2,d3,e3", "'g1' is not a point of the board"),
    ],
)
def test_positions_of_other_games_that_cannot_be(variant: str, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_position(get_variant(variant), text)


def test_three_in_a_row_of_dara_can_be_once_all_are_placed() -> None:
    parse_position(get_variant("dara"), "w:Wa1,b1,c1:Ba2,a3,a4")


def test_a_side_that_has_lost_by_a_mill_can_be_to_move() -> None:
    position = parse_position(get_variant("three"), "w:Wa3,b3,c2:Ba1,b1,c1")
    assert position.outcome() is Outcome.MILL


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"white": 1, "black": 3}, "a7 cannot hold"),
        ({"white": 1 << 24}, "on none of the 24 points"),
        ({"white_hand": -1}, "White's hand cannot hold -1"),
        ({"black_hand": -1}, "Black's hand cannot hold -1"),
        ({"white_hand": 10, "black_hand": 9}, "White has 10 stones"),
        ({"white": 1}, "White has 10 stones"),
        ({"white_hand": 7}, "the hands do not fit White's turn"),
        ({"white_to_move": False, "white_hand": 7}, "the hands do not fit Black's turn"),
        ({"white_hand": 2, "black_hand": 2}, "Black has only 2 of the 3 stones"),
    ],
)
def test_impossible_positions_are_refused(changes: dict[str, int], reason: str) -> None:
    position = dataclasses.replace(Position.start(NINE), **changes)
    with pytest.raises(UsageError, match=reason):
        position.validate()
