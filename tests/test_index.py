"""The numbering of positions, against its definition."""

from __future__ import annotations

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexed import compress

from solver.boards import BOARDS, Board, apply_automorphism
from solver.errors import UsageError
from solver.index import (
    Layout,
    canonical,
    expand,
    images,
    layout,
    orbits,
    rank,
    subsets,
    unrank,
)
from solver.rules import get_variant
from solver.sectors import (
    Sector,
    major_is_mover,
    moving_sectors,
    orbit_count,
    sectors_up_to,
    slots,
    wanted_sectors,
)

NINE = get_variant("nine")
MERELS = BOARDS["merels24"]
SMALL = sectors_up_to(NINE, 8)
LARGE = [sector for sector in moving_sectors(NINE) if sector.stones > 8]

boards = st.sampled_from(list(BOARDS.values()))


def all_images(board: Board, mask: int) -> list[int]:
    return [apply_automorphism(permutation, mask) for permutation in board.automorphisms]


@pytest.mark.parametrize(("points", "size"), [(0, 0), (5, 0), (5, 5), (5, 6), (9, 4), (16, 1)])
def test_subsets_are_all_sets_in_order(points: int, size: int) -> None:
    expected = [mask for mask in range(1 << points) if mask.bit_count() == size]
    assert subsets(points, size).tolist() == expected


def test_ranks_number_the_subsets() -> None:
    for size in range(12):
        for number, mask in enumerate(subsets(11, size).tolist()):
            assert rank(mask) == number
            assert unrank(number, size) == mask


@given(st.integers(0, (1 << 24) - 1))
def test_unrank_undoes_rank(mask: int) -> None:
    assert unrank(rank(mask), mask.bit_count()) == mask


@given(st.integers(0, (1 << 24) - 1), st.integers(0, (1 << 24) - 1))
def test_compress_and_expand_undo_each_other(mask: int, onto: int) -> None:
    packed = compress(mask, onto)
    assert packed < 1 << onto.bit_count()
    assert expand(packed, onto) == mask & onto
    # The i-th bit of a pattern is the i-th point of the frame.
    points = [point for point in range(24) if onto >> point & 1]
    assert [packed >> i & 1 for i in range(len(points))] == [mask >> p & 1 for p in points]


@pytest.mark.parametrize("board", BOARDS.values(), ids=str)
def test_there_are_as_many_orbits_as_burnside_counts(board: Board) -> None:
    for size in range(13 if board.size <= 24 else 10):  # of 30 points that is 14 million sets
        found = orbits(board, size)
        assert len(found) == orbit_count(board, size)
        assert (np.diff(found) > 0).all()
        assert (np.bitwise_count(found) == size).all()


def test_a_set_larger_than_the_board_has_no_orbit() -> None:
    assert len(orbits(BOARDS["merels16"], 17)) == 0
    assert orbits(BOARDS["merels16"], 16).tolist() == [0xFFFF]


def test_every_orbit_of_the_small_board_is_listed_by_its_smallest_set() -> None:
    board = BOARDS["merels16"]
    for size in range(board.size + 1):
        smallest = {min(all_images(board, mask)) for mask in subsets(board.size, size).tolist()}
        assert orbits(board, size).tolist() == sorted(smallest)


def test_boards_without_symmetry_or_with_one_field_are_indexed_too() -> None:
    # A path of four points has a mirror image only; the one with a tail has none.
    path = Board("path", ("a1", "b1", "c1", "d1"), ((0, 1), (1, 2), (2, 3)), ((0, 1, 2),))
    assert len(path.automorphisms) == 1
    assert orbits(path, 2).tolist() == subsets(4, 2).tolist()
    plain = Board("plain", path.points, path.edges, ())
    assert len(plain.automorphisms) == 2
    assert orbits(plain, 2).tolist() == [0b0011, 0b0101, 0b0110, 0b1001]
    lone = Board("lone", ("a1",), (), ())
    assert orbits(lone, 1).tolist() == [1]


@given(boards, st.data())
def test_canonical_is_the_smallest_image_by_the_first_automorphism(
    board: Board, data: st.DataObject
) -> None:
    mask = data.draw(st.integers(0, board.full_mask))
    candidates = all_images(board, mask)
    smallest = min(candidates)
    assert canonical(board, mask) == (smallest, candidates.index(smallest))


@given(boards, st.data())
def test_images_of_many_sets_are_the_images_of_each(board: Board, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(board.automorphisms) - 1))
    masks = data.draw(st.lists(st.integers(0, board.full_mask), max_size=5))
    expected = [apply_automorphism(board.automorphisms[number], mask) for mask in masks]
    assert images(board, number, np.array(masks, dtype=np.int64)).tolist() == expected


def check_round_trip(numbering: Layout, sector: Sector, slot: int) -> None:
    mover, opponent = numbering.masks(slot)
    assert mover & opponent == 0
    assert (mover.bit_count(), opponent.bit_count()) == (sector.mover, sector.opponent)
    assert numbering.index(mover, opponent) == slot


def test_every_slot_of_the_smallest_sector_comes_back() -> None:
    numbering = layout(NINE, Sector(3, 3))
    positions = set()
    for slot in range(numbering.slots):
        position = numbering.masks(slot)
        positions.add(position)
        assert numbering.index(*position) == slot
    assert len(positions) == numbering.slots == 158 * comb(21, 3)


@pytest.mark.parametrize("sector", SMALL, ids=str)
def test_every_block_of_a_small_sector_comes_back(sector: Sector) -> None:
    numbering = layout(NINE, sector)
    chance = random.Random(str(sector))
    for block in range(len(numbering.major_sets)):
        inside = {0, numbering.block - 1, chance.randrange(numbering.block)}
        for rank_in_block in inside:
            check_round_trip(numbering, sector, block * numbering.block + rank_in_block)


@pytest.mark.parametrize("sector", LARGE, ids=str)
def test_random_slots_of_a_large_sector_come_back(sector: Sector) -> None:
    numbering = layout(NINE, sector)
    chance = random.Random(str(sector))
    chosen = {0, numbering.slots - 1, *(chance.randrange(numbering.slots) for _ in range(100))}
    for slot in chosen:
        check_round_trip(numbering, sector, slot)


def test_random_slots_of_placing_sectors_come_back() -> None:
    chance = random.Random(5)
    placing = [sector for sector in wanted_sectors(NINE) if not sector.moving]
    for sector in chance.sample(placing, 60):
        numbering = layout(NINE, sector)
        assert numbering.slots == slots(NINE, sector)
        for _ in range(5):
            check_round_trip(numbering, sector, chance.randrange(numbering.slots))


@pytest.mark.parametrize("sector", SMALL + LARGE, ids=str)
def test_layouts_have_the_planned_slots(sector: Sector) -> None:
    numbering = layout(NINE, sector)
    assert numbering.slots == slots(NINE, sector)
    assert numbering.mover_is_major == major_is_mover(NINE, sector)
    assert numbering.major_size == max(sector.mover, sector.opponent)


@given(st.permutations(range(24)), st.sampled_from(SMALL + LARGE), st.integers(0, 15))
def test_a_position_has_the_slot_of_its_images_up_to_symmetry(
    points: list[int], sector: Sector, number: int
) -> None:
    mover = MERELS.mask_of(points[: sector.mover])
    opponent = MERELS.mask_of(points[sector.mover : sector.stones])
    numbering = layout(NINE, sector)
    slot = numbering.index(mover, opponent)
    permutation = MERELS.automorphisms[number]
    image = apply_automorphism(permutation, mover), apply_automorphism(permutation, opponent)
    same = [
        (apply_automorphism(p, mover), apply_automorphism(p, opponent))
        for p in MERELS.automorphisms
    ]
    assert numbering.masks(slot) in same
    # Images may have another slot of the block where the major set has symmetries of its own.
    assert numbering.masks(numbering.index(*image)) in same
    assert numbering.index(*image) // numbering.block == slot // numbering.block


def test_masks_that_are_no_position_of_the_sector_are_refused() -> None:
    numbering = layout(NINE, Sector(4, 3))
    for mover, opponent in [(0b1111, 0b1110000 >> 1), (0b111, 0b1111000), (0b1111, 0b110000)]:
        with pytest.raises(UsageError, match="no position of this sector"):
            numbering.index(mover, opponent)
    for slot in (-1, numbering.slots):
        with pytest.raises(UsageError, match="is not between"):
            numbering.masks(slot)


def test_slots_follow_the_definition() -> None:
    # Sets of one size ascending, blocks by canonical major set, minor sets in colex order.
    board = BOARDS["merels16"]
    numbering = Layout(board, 3, 2, mover_is_major=True)
    slot = 0
    smallest = sorted(
        {min(all_images(board, board.mask_of(c))) for c in combinations(range(16), 3)}
    )
    for major in smallest:
        free = [point for point in range(16) if not major >> point & 1]
        for high in range(1, len(free)):
            for low in range(high):
                assert numbering.masks(slot) == (major, 1 << free[high] | 1 << free[low])
                slot += 1
    assert slot == numbering.slots
