"""What several test modules draw from: rule sets and random positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import family_rules
from hypothesis import strategies as st

from solver.laws import forbidden_rows
from solver.position import Position
from solver.rules import VARIANTS, Rules, get_variant, with_options

NINE = get_variant("nine")
TOURNAMENT = get_variant("nine-tournament")
SIX = get_variant("six")
RULE_SETS = [NINE, TOURNAMENT, replace(TOURNAMENT, all_in_mills="none"), SIX]

FAMILY = [
    *VARIANTS.values(),
    replace(TOURNAMENT, name="nine-tournament -r all-in-mills=none", all_in_mills="none"),
    with_options(get_variant("morabaraba"), ["double-mill=2"]),
    with_options(get_variant("lasker"), ["double-mill=2", "stones=4"]),
    with_options(get_variant("dara"), ["double-mill=2"]),
    with_options(get_variant("seven"), ["stones=10"]),  # more stones than points
    with_options(get_variant("three"), ["flying=3", "stones=4"]),
]
"""Every variant, and options where they meet rules that the standard game does not have."""


def game_of(rules: Rules) -> family_rules.Game:
    """The same rules as the naive twin of the family has them."""
    return family_rules.Game(
        board=rules.board.name,
        hands=rules.hands,
        flying=rules.flying_at,
        double_mill=rules.double_mill,
        all_in_mills=rules.all_in_mills,
        protected=rules.mills_protect,
        mill_wins=rules.mill_wins,
        full_board_draws=rules.full_board_draws,
        place_or_slide=rules.place_or_slide,
        long_lines_forbidden=rules.long_lines_forbidden,
        fewest=rules.fewest_stones,
    )


@st.composite
def positions(draw: st.DrawFn, rules: Rules = NINE) -> Position:
    """Any position that can be: hands that fit, and enough stones for the side that waits.

    Sides with few stones are as likely as sides with many, and moving as likely as placing.
    """
    most, other_most = rules.hands
    other_hand = draw(st.one_of(st.just(0), st.integers(0, other_most - 1)))
    if rules.place_or_slide:
        hand = draw(st.one_of(st.just(0), st.integers(0, most - 1)))
    else:
        hand = other_hand + draw(st.integers(0, 1 if other_hand or most > other_most else 0))
    if hand <= other_hand:  # the second player's turn where their stones differ
        most, other_most = other_most, most
    fewest = max(0, rules.fewest_stones - other_hand)
    others = draw(st.integers(fewest, other_most - other_hand))
    own = draw(st.integers(0, most - hand))
    points = draw(st.permutations(range(rules.board.size)))
    mover = rules.board.mask_of(points[:own])
    opponent = rules.board.mask_of(points[own : own + others])
    forbidden = forbidden_rows(rules, placing=bool(hand or other_hand))
    won = rules.board.line_masks if rules.mill_wins else ()
    mover = without_rows(mover, (*forbidden, *won))
    opponent = without_rows(opponent, forbidden)
    while opponent.bit_count() < fewest:  # what rows have lost
        opponent |= next(
            bit
            for bit in (1 << point for point in points)
            if not (mover | opponent) & bit and without_rows(opponent | bit, forbidden) & bit
        )
    position = Position(rules, mover, opponent, True, hand, other_hand)
    return position.swap_colours() if draw(st.booleans()) else position


def without_rows(stones: int, rows: Iterable[int]) -> int:
    """What is left of a set of stones when one is taken from every row that it fills."""
    for row in rows:
        if stones & row == row:
            stones &= ~(row & -row)
    return stones
