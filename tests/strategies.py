"""What several test modules draw from: rule sets and random positions."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from solver.boards import BOARDS
from solver.position import Position
from solver.rules import Rules, get_variant

NINE = get_variant("nine")
TOURNAMENT = replace(NINE, name="nine-tournament", double_mill=2)
SIX = Rules(name="six", board=BOARDS["merels16"], stones=6, flying_at=None)
RULE_SETS = [NINE, TOURNAMENT, replace(TOURNAMENT, all_in_mills="none"), SIX]


@st.composite
def positions(draw: st.DrawFn, rules: Rules = NINE) -> Position:
    """Any position that can be: hands that fit, and at least three stones for the side that waits.

    Sides with few stones are as likely as sides with many, and moving as likely as placing.
    """
    other_hand = draw(st.one_of(st.just(0), st.integers(0, rules.stones - 1)))
    hand = other_hand + draw(st.integers(0, 1 if other_hand else 0))
    fewest = max(0, rules.fewest_stones - other_hand)
    others = draw(st.integers(fewest, rules.stones - other_hand))
    own = draw(st.integers(0, rules.stones - hand))
    points = draw(st.permutations(range(rules.board.size)))
    mover = rules.board.mask_of(points[:own])
    opponent = rules.board.mask_of(points[own : own + others])
    position = Position(rules, mover, opponent, True, hand, other_hand)
    return position.swap_colours() if draw(st.booleans()) else position
