"""The naive twins of the whole family: worked cases, published numbers, and one against another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import comb

import numpy as np
import pytest
from family_masks import DRAWN, GOES_ON, IMPOSSIBLE, LOST, number, numbers_of
from naive_family import (
    BOARDS,
    DRAW,
    GAMES,
    VOID,
    Game,
    Tables,
    all_sectors,
    automorphisms,
    distinct_counts,
    mask_of,
    masks_after,
    outcome,
    perft,
    points_of,
    rules_of,
    sets,
    solve_sectors,
    status,
    turns,
    unsettled,
    value,
)
from reachable import count_reachable

Position = tuple[frozenset[str], frozenset[str], int, int]

OPTIONS = {
    "two captures on 20 lines": replace(GAMES["morabaraba"], double_mill=2),
    "two captures, none if all are in mills": replace(
        GAMES["twelve"], double_mill=2, all_in_mills="none"
    ),
    "none if all are in mills": replace(GAMES["nine"], all_in_mills="none"),
    "lasker with two captures": replace(GAMES["lasker"], board="merels24d", double_mill=2),
    "lasker without flying": replace(GAMES["lasker"], flying=None),
    "sixteen stones on sixteen points": replace(GAMES["six"], hands=(8, 8)),
    "more stones than points": replace(GAMES["six"], hands=(10, 10)),
    "a full board draws": replace(GAMES["six"], hands=(8, 8), full_board_draws=True),
}
ALL_GAMES = GAMES | OPTIONS


def position(own: str, enemy: str, own_hand: int = 0, enemy_hand: int = 0) -> Position:
    """A position from names of points, the side to move first."""
    return frozenset(own.split()), frozenset(enemy.split()), own_hand, enemy_hand


def play(game: Game, text: str) -> Position:
    """The position after some turns from the start."""
    now = (frozenset(), frozenset(), *game.hands)
    for turn in text.split():
        own, enemy, own_hand, enemy_hand = turns(game, *now)[turn]
        now = (enemy, own, enemy_hand, own_hand)
    return now


def victims(game: Game, now: Position, step: str) -> set[str]:
    """What the turns that begin with `step` take, as their texts have it; "" for nothing."""
    split = [text.partition("x") for text in turns(game, *now)]
    return {taken for first, _, taken in split if first == step}


@cache
def solved(name: str) -> Tables:
    """The tables of a whole game."""
    return solve_sectors(GAMES[name], all_sectors(GAMES[name]))


# ---------------------------------------------------------------------------------------- boards


@pytest.mark.parametrize(
    ("board", "points", "edges", "lines", "symmetries"),
    [
        ("merels24", 24, 32, 16, 16),
        ("merels24d", 24, 40, 20, 16),
        ("merels16", 16, 20, 8, 16),
        ("grid3d", 9, 16, 8, 8),
        ("grid3", 9, 0, 8, 8),
        ("grid6x5", 30, 49, 38, 4),
    ],
)
def test_boards(board, points, edges, lines, symmetries):
    now = BOARDS[board]
    assert (len(now.points), len(now.edges), len(now.lines)) == (points, edges, lines)
    # Row by row from the top left.
    assert sorted(now.points, key=lambda point: (-int(point[1]), point[0])) == list(now.points)
    assert all(len(edge) == 2 and edge <= set(now.points) for edge in now.edges)
    assert all(len(line) == 3 and line <= set(now.points) for line in now.lines)
    assert len(automorphisms(board)) == symmetries
    assert automorphisms(board)[0] == {point: point for point in now.points}
    if board.startswith("merels"):
        # Every line is two edges; four edges of the sixteen points are on no line.
        on_lines = [{edge for edge in now.edges if edge <= line} for line in now.lines]
        assert all(len(two) == 2 for two in on_lines)
        assert len(now.edges) - len(set.union(*on_lines)) == (4 if board == "merels16" else 0)


@pytest.mark.parametrize("board", BOARDS)
def test_sets_are_numbered_in_ascending_order(board):
    rules, _ = rules_of(next(game for game in GAMES.values() if game.board == board))
    for size in range(5):
        masks = sets(board, size)
        assert len(masks) == comb(rules.points, size)
        assert np.all(np.diff(masks) > 0)
        numbers = numbers_of(board)
        assert [number(rules, numbers, mask) for mask in masks.tolist()] == [*range(len(masks))]
        mask = int(masks[-1])
        assert mask_of(board, points_of(board, mask)) == mask
        assert len(points_of(board, mask)) == size


# ----------------------------------------------------------------------------------- worked cases


def test_case_1_a_mill_takes_at_once():
    now = position("a1 d1", "d2 b6 f6", 7, 6)
    assert victims(GAMES["nine"], now, "g1") == {"d2", "b6", "f6"}


def test_case_2_only_the_stone_outside_mills():
    game, now = GAMES["nine"], position("a7 d7", "b6 d6 f6 g1", 6, 5)
    assert victims(game, now, "g7") == {"g1"}
    own, enemy, own_hand, enemy_hand = turns(game, *now)["g7xg1"]
    assert (enemy, own, enemy_hand, own_hand) == position("b6 d6 f6", "a7 d7 g7", 5, 5)


def test_case_3_one_move():
    now = position("d7 g7 f6 e5", "d6 g4 f4 d5 e4")
    assert set(turns(GAMES["nine"], *now)) == {"d7-a7"}


def test_case_4_all_in_a_mill_while_placing():
    now = position("a1 d1 b6", "b2 d2 f2", 6, 6)
    assert victims(GAMES["nine"], now, "g1") == {"b2", "d2", "f2"}
    assert victims(OPTIONS["none if all are in mills"], now, "g1") == {""}


def test_case_5_wins_at_once():
    game, now = GAMES["nine"], position("a1 d1 g4 c5", "b6 d6 f6")
    assert victims(game, now, "g4-g1") == {"b6", "d6", "f6"}
    own, enemy, *hands = turns(game, *now)["g4-g1xd6"]
    assert outcome(game, enemy, own, *hands) == "loss"


def test_case_6_blocked():
    game = GAMES["nine"]
    now = play(game, "e5 e4 g7 d5 d7 a7 a4 d6 f6 f4 a1 c4 b2 g1 d1 d2 g4 b4")
    assert now[2:] == (0, 0)
    assert turns(game, *now) == {}
    assert outcome(game, *now) == "loss"


def test_case_7_flying():
    now = position("a1 d5 g7", "b2 b6 d2 d6")
    assert len(turns(GAMES["nine"], *now)) == 51
    now = position("a1 d5 g7 f2", "b2 b6 d2 d6")
    assert len(turns(GAMES["nine"], *now)) == 7


def test_case_8_flying_when_blocked():
    now = position("a4 a7 d7", "a1 b4 d6 g7")
    assert len(turns(GAMES["nine"], *now)) == 51
    assert outcome(GAMES["nine-no-flying"], *now) == "loss"
    now = position("a1 a4 a7 d7", "b4 d1 d6 g7")
    assert outcome(GAMES["nine"], *now) == "loss"


def test_case_9_two_mills():
    now = position("d1 d3 b2 f2", "a7 b4 c4 g1 g7", 5, 4)
    assert victims(GAMES["nine"], now, "d2") == {"a7", "b4", "c4", "g1", "g7"}
    pairs = {"a7xb4", "a7xc4", "a7xg1", "a7xg7", "b4xc4", "b4xg1", "b4xg7", "c4xg1", "c4xg7"}
    assert victims(GAMES["nine-tournament"], now, "d2") == pairs | {"g1xg7"}


def test_case_9_protection_is_judged_anew_and_a_first_capture_may_win():
    game = GAMES["nine-tournament"]
    # g7 is the only stone outside the mill, and the mill itself is free to take then.
    now = position("d1 d3 b2 f2", "a7 a4 a1 g7", 5, 4)
    assert victims(game, now, "d2") == {"g7xa1", "g7xa4", "g7xa7"}
    # Two stones are left after the first capture: the second one is not taken.
    now = position("d1 d3 b2 f2", "a7 c4 g7", 1, 0)
    assert victims(game, now, "d2") == {"a7", "c4", "g7"}
    # After the first nothing else may go.
    game = replace(game, all_in_mills="none")
    assert victims(game, position("d1 d3 b2 f2", "a7 a4 a1 g7", 5, 4), "d2") == {"g7"}


def test_case_10_the_last_stone_placed_takes():
    game = GAMES["nine"]
    now = play(game, "f6 b4 c5 g7 b6 f4 e4 a1 e3 f2 a7 c3 g4 a4 d3 b2 d2 c4xf6")
    assert (len(now[0]), now[2:]) == (8, (0, 0))
    assert all("-" in text for text in turns(game, *now))
    assert outcome(game, *now) is None


def test_case_11_stones_in_hand_count():
    game, white, black = GAMES["nine"], "d2", "d6 f6 f4 b4 b6"
    assert outcome(game, *position(white, black, 3, 3)) is None
    assert outcome(game, *position(white, black, 1, 1)) == "loss"
    assert outcome(game, *position(black, white, 2, 1)) == "impossible"


def test_case_12_lasker():
    now = position("a1 d5", "b2 b6 d2 d6 e3 f4 g1", 1, 2)
    texts = turns(GAMES["lasker"], *now)
    assert sum("-" not in text for text in texts) == 15
    assert sum("-" in text for text in texts) == 30
    # One more in hand, and stones slide.
    now = position("a1 d5", "b2 b6 d2 d6 e3 f4 g1", 2, 2)
    assert {text for text in turns(GAMES["lasker"], *now) if "-" in text} == {
        "a1-a4", "a1-d1", "d5-c5", "d5-e5",
    }  # fmt: skip


def test_case_13_morabaraba():
    now = position("d1 g1 b2 c3 a4", "d7 f4 e5 b6")
    assert victims(GAMES["morabaraba"], now, "a4-a1") == {"d7", "f4", "e5", "b6"}


def test_a_full_board_draws_in_morabaraba_and_loses_in_twelve():
    own, *_ = position("a7 g7 d6 c5 e5 b4 e4 g4 d3 b2 f2 d1", "")
    enemy = frozenset(BOARDS["merels24d"].points) - own
    assert outcome(GAMES["morabaraba"], own, enemy) == "draw"
    assert outcome(GAMES["twelve"], own, enemy) == "loss"


def test_case_14_three():
    game, now = GAMES["three"], position("a3 b3 c2", "a2 a1 b1")
    own, enemy, *hands = turns(game, *now)["c2-c3"]
    assert outcome(game, enemy, own, *hands) == "loss"
    assert outcome(game, own, enemy, *hands) == "impossible"
    assert turns(game, enemy, own, *hands) == {}


def test_case_15_dara():
    game, now = GAMES["dara"], position("a5 b5 c4", "a2 c2 e2")
    assert victims(game, now, "c4-c5") == {"a2", "c2", "e2"}
    own, enemy, *hands = turns(game, *now)["c4-c5xa2"]
    assert outcome(game, enemy, own, *hands) == "loss"


def test_dara_rows():
    game = GAMES["dara"]
    # Placing makes no three, upright or across; moving makes three but not four.
    texts = turns(game, *position("a5 b5 d5 f1 f3", "a1 c1", 7, 7))
    assert not {"c5", "f2"} & set(texts)
    assert {"e5", "a4"} <= set(texts)
    now = position("a5 b5 d5 c4", "a1 c1 e1")
    assert "c4-c5" not in {text.split("x")[0] for text in turns(game, *now)}
    assert victims(game, now, "d5-c5") == {"a1", "c1", "e1"}
    # Three across and four upright at once: illegal.
    now = position("a3 b3 c5 c4 c2 d3", "a1 c1 e1")
    assert "d3-c3" not in {text.split("x")[0] for text in turns(game, *now)}
    # Stones in a row are not protected, and such rows cannot be while stones are in hand.
    now = position("a5 b5 c4", "a2 b2 c2 e2")
    assert victims(game, now, "c4-c5") == {"a2", "b2", "c2", "e2"}
    assert outcome(game, *now) is None
    assert outcome(game, *now[:2], 1, 0) == "impossible"
    assert outcome(game, *position("a5 b5 c4", "a2 b2 c2 d2")) == "impossible"
    assert outcome(game, *position("a5 b5 c5 d5", "a2 b2 c2")) == "impossible"


def test_case_16_tic_tac_toe():
    game = GAMES["tic-tac-toe"]
    now = play(game, "a3 b2 b3 a1 c3")
    assert outcome(game, *now) == "loss"
    assert turns(game, *now) == {}
    assert outcome(game, *play(game, "a3 b2 c3 b3 b1 a2 c2 c1 a1")) == "draw"
    # A line on the full board wins all the same.
    assert outcome(game, *play(game, "a3 b3 c2 c3 b1 a1 a2 c1 b2")) == "loss"


@pytest.mark.parametrize("name", ALL_GAMES)
def test_case_18_turns_commute_with_automorphisms(name):
    game = ALL_GAMES[name]
    for now in random_positions(game, 6, seed=18):
        if outcome(game, *now) == "impossible":
            continue
        for image in automorphisms(game.board):
            own, enemy = ({image[point] for point in side} for side in now[:2])
            expected = {
                (frozenset(map(image.get, ours)), frozenset(map(image.get, theirs)), *hands)
                for ours, theirs, *hands in turns(game, *now).values()
            }
            assert set(turns(game, own, enemy, *now[2:]).values()) == expected


# -------------------------------------------------------------------------- the rules, twice over


def random_positions(game: Game, count: int, seed: int) -> Iterator[Position]:
    """Some positions met in play, and as many set up with stones anywhere, possible or not."""
    rng = random.Random(seed)
    points = BOARDS[game.board].points
    now = (frozenset(), frozenset(), *game.hands)
    for _ in range(count):
        following = list(turns(game, *now).values())
        if not following or rng.random() < 0.01:
            now = (frozenset(), frozenset(), *game.hands)
            continue
        own, enemy, own_hand, enemy_hand = rng.choice(following)
        now = (enemy, own, enemy_hand, own_hand)
        yield now
    for _ in range(count):
        # The mover's hand equals the opponent's or is one more, and then the mover may be first.
        own_hand = rng.choice([0, 0, rng.randint(0, game.hands[0])])
        enemy_hand = min(max(own_hand - rng.randint(0, 1), 0), game.hands[1])
        if game.place_or_slide:
            enemy_hand = rng.randint(0, game.hands[1])
        most = game.hands if own_hand > enemy_hand else game.hands[::-1]
        size = rng.randint(0, max(most[0] - own_hand, 0))
        stones = rng.sample(points, min(size + rng.randint(0, most[1] - enemy_hand), len(points)))
        yield frozenset(stones[:size]), frozenset(stones[size:]), own_hand, enemy_hand


@pytest.mark.parametrize("name", ALL_GAMES)
def test_masks_have_the_same_turns_as_sets(name):
    game = ALL_GAMES[name]
    going_on = 0
    for now in random_positions(game, 150, seed=7):
        expected = outcome(game, *now)
        masks = (mask_of(game.board, side) for side in now[:2])
        ended = status(*rules_of(game), *masks, *now[2:])
        assert (ended == IMPOSSIBLE) == (expected == "impossible")
        if expected == "impossible":
            continue
        found = masks_after(game, *now)
        assert len(set(found)) == len(found)
        assert set(found) == set(turns(game, *now).values())
        assert len(found) == len(turns(game, *now))
        assert (ended == DRAWN) == (expected == "draw")
        assert (expected == "loss") == (ended == LOST or (ended == GOES_ON and not found))
        assert (expected is None) == bool(found)
        going_on += expected is None
    assert going_on > 100


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("nine", [24, 552, 12_144, 255_024]),
        ("twelve", [24, 552, 12_144, 255_024]),
        ("morabaraba", [24, 552, 12_144, 255_024]),
        ("lasker", [24, 552, 13_552]),
        ("dara", [30, 870, 24_360]),
        ("tic-tac-toe", [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872, 0]),
    ],
)
def test_perft(name, counts):
    # nine and twelve have 5,140,800 and 5,150,880 at depth 5, which takes too long here.
    game = GAMES[name]
    assert [perft(game, depth) for depth in range(len(counts) + 1)] == [1, *counts]


# -------------------------------------------------------------------------------------- the solver


def first_values(name: str) -> dict[str, int]:
    """The value for the second player of every first turn."""
    game, tables = GAMES[name], solved(name)
    start = (frozenset(), frozenset(), *game.hands)
    return {
        text: value(game, tables, enemy, own, enemy_hand, own_hand)
        for text, (own, enemy, own_hand, enemy_hand) in turns(game, *start).items()
    }


def start_value(name: str) -> int:
    """The value of the start."""
    game = GAMES[name]
    return value(game, solved(name), frozenset(), frozenset(), *game.hands)


def test_tic_tac_toe_is_a_draw():
    assert start_value("tic-tac-toe") == DRAW
    assert set(first_values("tic-tac-toe").values()) == {DRAW}
    assert len(solved("tic-tac-toe")) == 10


def test_three_is_won_by_the_centre_only():
    assert start_value("three") % 2 == 1
    values = first_values("three")
    assert values["b2"] == start_value("three") - 1
    assert {values[corner] for corner in ("a1", "a3", "c1", "c3")} == {DRAW}
    assert all(values[edge] % 2 == 1 for edge in ("a2", "b1", "b3", "c2"))  # the second one wins


def test_four_is_a_draw():
    assert start_value("four") == DRAW


SMALL = {
    "tic-tac-toe": GAMES["tic-tac-toe"],
    "three": GAMES["three"],
    "four": GAMES["four"],
    "lasker with three stones": Game("merels16", (3, 3), flying=3, place_or_slide=True),
    "two captures, flying, none if all are in mills": Game(
        "merels16", (4, 4), flying=3, double_mill=2, all_in_mills="none"
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_values_agree_with_those_after_each_turn(name):
    game = SMALL[name]
    tables = solved(name) if name in GAMES else solve_sectors(game, all_sectors(game))
    assert [key for key in tables if unsettled(game, tables, key)] == []
    rng = random.Random(3)
    for key in tables:
        for _ in range(20):
            row, column = (rng.randrange(length) for length in tables[key].shape)
            found = int(tables[key][row, column])
            own, enemy = (
                points_of(game.board, int(sets(game.board, size)[i]))
                for size, i in zip(key[:2], (row, column), strict=True)
            )
            if own & enemy or outcome(game, own, enemy, *key[2:]) == "impossible":
                assert found == VOID
                continue
            if outcome(game, own, enemy, *key[2:]) is not None:
                assert found == (DRAW if outcome(game, own, enemy, *key[2:]) == "draw" else 0)
                continue
            after = [
                value(game, tables, theirs, ours, their_hand, our_hand)
                for ours, theirs, our_hand, their_hand in turns(game, own, enemy, *key[2:]).values()
            ]
            wins = [plies + 1 for plies in after if plies % 2 == 0]
            losses = [plies + 1 for plies in after if plies % 2 == 1 and plies != DRAW]
            assert found == (min(wins) if wins else DRAW if DRAW in after else max(losses))


def test_a_missing_table_is_noticed():
    with pytest.raises(KeyError, match="not solved"):
        solve_sectors(GAMES["nine-no-flying"], [(4, 4, 0, 0)])


@pytest.mark.slow
def test_depths_of_three_stones_each():
    game = GAMES["nine"]
    tables = solve_sectors(game, [(3, 3, 0, 0)])
    assert distinct_counts(game, (3, 3, 0, 0), tables[3, 3, 0, 0]) == {
        1: 66472, 3: 33775, 5: 16651, 7: 6619, 9: 4770, 11: 2561, 13: 3808, 15: 2506,
        17: 1185, 19: 776, 21: 1125, 23: 346, 25: 27,
        2: 3125, 4: 4700, 6: 3998, 8: 2496, 10: 2099, 12: 2160, 14: 2261, 16: 2387,
        18: 2116, 20: 2122, 22: 1079, 24: 123, 26: 70, DRAW: 269,
    }  # fmt: skip


def test_tic_tac_toe_has_5478_positions():
    counts = count_reachable(GAMES["tic-tac-toe"], solved("tic-tac-toe").__getitem__)
    assert sum(counts.values()) == 5478


@pytest.mark.slow
def test_reachable_positions_of_five():
    tables = solved("five")
    assert start_value("five") == DRAW
    counts = count_reachable(GAMES["five"], tables.__getitem__)
    assert counts == {"won": 10_070_264, "lost": 6_049_820, "drawn": 1_724_637}
