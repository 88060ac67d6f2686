"""The naive twin against published counts, and the package's rules against the twin's."""

from __future__ import annotations

import random

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RULE_SETS, positions

from solver.boards import BOARDS
from solver.position import Position
from solver.rules import Rules

# Distinct positions of Nine Men's Morris by depth, from an exhaustive solution published
# elsewhere; a draw has no depth.
PUBLISHED = {
    (3, 3): {
        1: 66472, 3: 33775, 5: 16651, 7: 6619, 9: 4770, 11: 2561, 13: 3808, 15: 2506,
        17: 1185, 19: 776, 21: 1125, 23: 346, 25: 27,
        2: 3125, 4: 4700, 6: 3998, 8: 2496, 10: 2099, 12: 2160, 14: 2261, 16: 2387,
        18: 2116, 20: 2122, 22: 1079, 24: 123, 26: 70, naive.DRAW: 269,
    },
    (4, 3): {
        1: 75397, 20: 89, 22: 13, 24: 3, 26: 2437, 28: 439, 30: 81, 32: 33, naive.DRAW: 681906,
    },
}  # fmt: skip
PUBLISHED_TOTALS = {  # wins, losses and draws (distinct), all positions
    (3, 3): (140621, 28736, 269, 2691920),
    (3, 4): (102281, 0, 658117, 12113640),
    (4, 3): (75397, 3095, 681906, 12113640),
}


@pytest.mark.parametrize("sector", PUBLISHED_TOTALS)
def test_counts_of_nine(sector):
    all_positions, distinct = naive.histograms("merels24", naive.nine_tables(), *sector)
    wins, losses, draws, total = PUBLISHED_TOTALS[sector]
    assert all_positions[: naive.VOID].sum() + all_positions[naive.DRAW] == total
    assert distinct[1 : naive.VOID : 2].sum() == wins
    assert distinct[0 : naive.VOID : 2].sum() == losses
    assert distinct[naive.DRAW] == draws


@pytest.mark.parametrize("sector", PUBLISHED)
def test_depths_of_nine(sector):
    _, distinct = naive.histograms("merels24", naive.nine_tables(), *sector)
    distinct[naive.VOID] = 0
    assert {depth: n for depth, n in enumerate(distinct.tolist()) if n} == PUBLISHED[sector]


def test_value_of_single_positions():
    def value(mover: str, opponent: str) -> int:
        masks = (naive.mask_of("merels24", text.split()) for text in (mover, opponent))
        return naive.value(naive.nine_tables(), "merels24", *masks)

    assert value("a7 d7", "a1 b2 c3") == 0  # too few stones
    assert value("a1 d1 g4", "b6 d6 f6") == 1  # g4-g1 takes any stone, though all are in a mill
    assert value("a1 a4 a7 d7", "d1 d6 g7") == naive.DRAW
    with pytest.raises(KeyError):
        value("a1 a4 a7 d7 g7", "d1 d6 g4")


@pytest.mark.parametrize("board", naive.POINTS)
def test_boards_are_those_of_the_package(board):
    ours = BOARDS[board]
    assert tuple(naive.POINTS[board]) == ours.points
    edges = {frozenset(edge.split("-")) for edge in naive.EDGES[board]}
    assert edges == {frozenset(ours.points[i] for i in edge) for edge in ours.edges}
    assert len(naive.EDGES[board]) == len(edges)
    lines = {frozenset(line.split()) for line in naive.LINES[board]}
    assert lines == {frozenset(ours.points[i] for i in line) for line in ours.lines}
    assert len(naive.LINES[board]) == len(lines)


@pytest.mark.parametrize("board", naive.POINTS)
def test_symmetries_are_the_automorphisms(board):
    points = naive.POINTS[board]
    found = {tuple(points.index(image[p]) for p in points) for image in naive.symmetries(board)}
    assert len(found) == 16
    assert found == set(BOARDS[board].automorphisms)


def turns_of(position: Position, board: str) -> dict:
    """The package's turns of a position, in the form of `naive.pure_turns`."""
    result = {}
    for turn in position.turns():
        after = position.apply(turn)
        result[turn.text(position.rules.board)] = (
            frozenset(naive.points_of(board, after.opponent_mask)),
            frozenset(naive.points_of(board, after.mover_mask)),
            after.opponent_hand,
            after.mover_hand,
        )
    return result


def pure_turns_of(position: Position, rules: Rules) -> dict:
    """The twin's turns of a position of the package."""
    board = rules.board.name
    return naive.pure_turns(
        board,
        naive.points_of(board, position.mover_mask),
        naive.points_of(board, position.opponent_mask),
        position.mover_hand,
        position.opponent_hand,
        flying_at=rules.flying_at,
        all_in_mills=rules.all_in_mills,
        double_mill=rules.double_mill,
    )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_turns_equal_the_twin(data):
    rules = data.draw(st.sampled_from(RULE_SETS))
    position = data.draw(positions(rules))
    expected = pure_turns_of(position, rules)
    assert turns_of(position, rules.board.name) == expected
    assert [turn.text(rules.board) for turn in position.turns()] == sorted(expected)


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: f"{rules.name} {rules.all_in_mills}")
def test_turns_equal_the_twin_along_games(rules):
    """Random games visit what random positions seldom hold: mills and sides full of them."""
    random_source = random.Random(2)
    for _ in range(8):
        position = Position.start(rules)
        for _ in range(60):
            turns = position.turns()
            assert turns_of(position, rules.board.name) == pure_turns_of(position, rules)
            if not turns:
                break
            # Captures first: games with many mills are worth more here.
            captures = [turn for turn in turns if turn.captures]
            position = position.apply(random_source.choice(captures or turns))


def test_perft():
    assert [naive.naive_perft("merels24", depth) for depth in (1, 2, 3)] == [24, 552, 12144]
    # White's 19 quiet placements leave Black 19 answers if White took g7, else 18 and three
    # captures; after g1xa7 and g1xd7 there are 20 each.
    count = naive.naive_perft("merels24", 2, ["a1", "d1"], ["a7", "d7"], 2, 2)
    assert count == 19 + 18 * (18 + 3) + 2 * 20


def test_removable():
    side = {"a7", "d7", "g7", "c3"}
    assert naive.removable("merels24", side, "any") == {"c3"}
    assert naive.removable("merels24", side - {"c3"}, "any") == side - {"c3"}
    assert naive.removable("merels24", side - {"c3"}, "none") == set()


def test_values_follow_from_the_turns():
    """The twin's two halves agree: each value is what the turns of `pure_turns` lead to."""
    board = "merels16"
    tables = {
        any_may_go: naive.solve_units(board, False, any_may_go, [(3, 3), (4, 3), (4, 4)])
        for any_may_go in (True, False)
    }
    source = random.Random(3)
    for _ in range(1000):
        own, other = source.choice(list(tables[True]))
        points = source.sample(naive.POINTS[board], own + other)
        mover, opponent = points[:own], points[own:]
        for any_may_go, solved in tables.items():
            rules = {"flying_at": None, "all_in_mills": "any" if any_may_go else "none"}
            turns = naive.pure_turns(board, mover, opponent, **rules)
            after = [
                naive.value(solved, board, naive.mask_of(board, them), naive.mask_of(board, us))
                for us, them, _, _ in turns.values()
            ]
            lost = [depth for depth in after if depth % 2 == 0]
            if lost:
                expected = min(lost) + 1
            elif naive.DRAW in after:
                expected = naive.DRAW
            else:
                expected = max(after, default=-1) + 1
            masks = naive.mask_of(board, mover), naive.mask_of(board, opponent)
            assert naive.value(solved, board, *masks) == expected
