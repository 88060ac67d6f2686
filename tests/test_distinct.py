"""Of the slots of symmetric positions one is kept, with their number; of void ones none."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import FAMILY, positions

from solver.boards import apply_automorphism
from solver.distinct import Distinct
from solver.errors import UsageError
from solver.index import layout, rank
from solver.position import Position
from solver.sectors import check_sector

MOST_SLOTS = 50_000
"""Of a block: members of all its minor sets are listed."""


@st.composite
def tabled(draw: st.DrawFn) -> Position:
    """A position of a game whose sector has a table, White to move."""
    position = draw(positions(draw(st.sampled_from(FAMILY))))
    try:
        check_sector(position.rules, position.sector)
    except UsageError:
        assume(False)
    assume(layout(position.rules, position.sector).block <= MOST_SLOTS)
    return position if position.white_to_move else position.swap_colours()


def images(position: Position) -> list[tuple[int, int]]:
    """The sides of every image of a position, as often as an automorphism gives it."""
    return [
        (apply_automorphism(a, position.white), apply_automorphism(a, position.black))
        for a in position.rules.board.automorphisms
    ]


def slots_of(position: Position) -> list[int]:
    """Every slot that holds an image of a position."""
    numbering = layout(position.rules, position.sector)
    sets = numbering.major_sets.tolist()
    found = set()
    for sides in images(position):
        major, minor = sides if numbering.mover_is_major else sides[::-1]
        if major in sets:
            inside = rank(minor, position.rules.board.full_mask & ~major)
            found.add(sets.index(major) * numbering.block + inside)
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(tabled())
def test_one_slot_stands_for_all_images_of_a_position(position: Position) -> None:
    distinct = Distinct(position.rules, position.sector)
    slots = slots_of(position)
    kept = distinct.of_slots(np.array(slots))
    assert kept.slots.tolist() == slots[:1]
    same = set(images(position))
    assert (int(kept.movers[0]), int(kept.opponents[0])) in same
    assert kept.weights.tolist() == [len(same)]
    orbit = slots[0] // distinct.layout.block
    block = distinct.of_blocks(orbit, orbit + 1)
    (place,) = np.flatnonzero(np.isin(block.slots, slots))
    assert [int(column[place]) for column in block] == [int(column[0]) for column in kept]


@settings(max_examples=60, deadline=None)
@given(tabled(), st.data())
def test_a_slot_holds_the_masks_of_its_number_or_nothing(
    position: Position, data: st.DataObject
) -> None:
    rules, sector = position.rules, position.sector
    distinct = Distinct(rules, sector)
    slot = data.draw(st.integers(0, distinct.layout.slots - 1))
    masks = distinct.layout.masks(slot)
    held = Position(rules, *masks, True, sector.mover_hand, sector.opponent_hand)
    kept = distinct.of_slots(np.array([slot]))
    try:
        held.validate()
    except UsageError:
        assert len(kept.slots) == 0
    else:
        assert len(kept.slots) == (slot == slots_of(held)[0])
        if len(kept.slots):
            assert (int(kept.movers[0]), int(kept.opponents[0])) == masks
