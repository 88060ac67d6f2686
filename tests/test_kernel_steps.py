"""Small steps of the kernels against what they are said to do, written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from indexed import compress

from solver.boards import BOARDS
from solver.index import Layout, expand, rank, subsets
from solver.kernels import mirror, ranks, values
from solver.kernels.capture import list_larger, list_smaller, take_best
from solver.kernels.values import Lists, make_score_table, pattern_type, score_block
from solver.majors import board_arrays, orbit_tables
from solver.working import WorkingMemory

FRAMES = [(5, 2), (9, 3), (10, 0), (13, 4), (15, 9), (18, 6), (21, 5), (27, 3)]


def image(pattern: int, permutation: np.ndarray, points: int) -> int:
    """Return a pattern with every bit moved, one by one."""
    return sum(1 << int(permutation[bit]) for bit in range(points) if pattern >> bit & 1)


@pytest.mark.parametrize(("points", "size"), FRAMES)
def test_ranks(points: int, size: int) -> None:
    tables = ranks.make_ranks(points, size)
    patterns = subsets(points, size).tolist()
    assert tables.total == len(patterns)
    found = [ranks.rank_in_frame(pattern, tables.low, tables.high) for pattern in patterns]
    assert found == list(range(len(patterns)))
    for pattern in patterns[:20]:
        # What has been moved to the place behind the last has no rank.
        moved = (pattern & (pattern - 1)) | 1 << points
        assert ranks.rank_in_frame(moved, tables.low, tables.high) >= tables.total


@pytest.mark.parametrize(("points", "size"), FRAMES)
def test_permutations(points: int, size: int) -> None:
    permutation = np.random.default_rng(points).permutation(points + 1)[:points].astype(np.uint8)
    patterns = subsets(points, size).tolist()
    expected = [image(pattern, permutation, points) for pattern in patterns]
    table = np.zeros(ranks.permutation_room(points), dtype=np.int32)
    ranks.fill_permutation(permutation, points, table)
    width = ranks.permutation_width(points)
    assert [ranks.permuted(pattern, width, table) for pattern in patterns] == expected
    if points <= ranks.SHORT_POINTS:
        found = [ranks.shortly_permuted(np.uint32(pattern), table) for pattern in patterns]
        assert found == expected


@pytest.mark.parametrize(("points", "size"), FRAMES)
def test_runs_list_all_patterns_in_order(points: int, size: int) -> None:
    runs = ranks.make_runs(points, size)
    permutation = np.random.default_rng(points).permutation(points + 1)[:points].astype(np.uint8)
    low_image = np.zeros(len(runs.low_part), dtype=np.int32)
    high_image = np.zeros(len(runs.high_part), dtype=np.int32)
    room = np.zeros(ranks.run_room(points), dtype=np.int32)
    ranks.fill_run_tables(permutation, points, runs, room, low_image, high_image)
    listed = []
    for number, left in enumerate(runs.low_size):
        entries = range(runs.start[left], runs.start[left + 1])
        listed += [int(low_image[entry] | high_image[number]) for entry in entries]
    assert listed == [image(p, permutation, points) for p in subsets(points, size).tolist()]
    assert runs.total == len(listed)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_scores(kind: type[np.unsignedinteger]) -> None:
    top = int(np.iinfo(kind).max)
    stored = np.array([*range(top - 2), top], dtype=kind)
    out = np.zeros_like(stored)
    score_block(stored, top, out)
    np.testing.assert_array_equal(out, make_score_table(top)[stored])
    # From worst to best: losses, the longest last, then a draw, then wins, the shortest last.
    order = [*range(1, top - 2, 2), top, *range(top - 3, -1, -2)]
    assert np.all(np.diff(make_score_table(top)[order].astype(np.int64)) > 0)
    depths = [values.settle_depth(int(score), top) for score in out[:-1]]
    assert depths == [value + 1 for value in range(top - 2)]


def test_best_of_the_sets_with_a_stone_more_or_less() -> None:
    points, size = 11, 4
    patterns = subsets(points, size).astype(np.int32)
    for change in (1, -1):
        other = ranks.make_ranks(points, size + change)
        numbers = np.zeros((len(patterns), points - size if change > 0 else size), dtype=np.int32)
        if change > 0:
            list_larger(points, patterns, other, numbers)
        else:
            list_smaller(patterns, other, numbers)
        value = np.random.default_rng(1).integers(0, 256, other.total, dtype=np.uint8)
        out = np.zeros(len(patterns), dtype=np.uint8)
        take_best(numbers, value, out)
        for number, pattern in enumerate(patterns.tolist()):
            bits = [bit for bit in range(points) if bool(pattern >> bit & 1) == (change < 0)]
            assert out[number] == max(value[rank(pattern ^ 1 << bit)] for bit in bits)


@pytest.mark.parametrize(("board_name", "size"), [("merels16", 3), ("merels24", 3)])
def test_the_mirrored_frontier(board_name: str, size: int) -> None:
    board = BOARDS[board_name]
    numbering = Layout(board, size, size, True)
    tables = orbit_tables(board, size)
    blocks = len(tables.masks)
    patterns = subsets(board.size - size, size).astype(pattern_type(board.size - size))
    random = np.random.default_rng(3)
    chosen = np.zeros((blocks, len(patterns)), dtype=bool)
    # Whole positions: a slot with all others of its block that stand for the same one.
    for slot in random.integers(numbering.slots, size=400).tolist():
        chosen.flat[same_position(numbering, *numbering.masks(slot))] = True
    lengths = chosen.sum(axis=1).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    found = Lists(starts, lengths, patterns[np.nonzero(chosen)[1]])

    groups = (blocks - 1 >> mirror.GROUP_BITS) + 1
    images = np.zeros(4 * int(lengths.sum()), dtype=np.int64)
    counts = np.zeros(groups, dtype=np.int64)
    arrays = board_arrays(board)
    total = mirror.mirror_frontier(0, blocks, arrays, tables, found, images, counts)
    assert total == counts.sum()
    group_start = np.concatenate([[0], np.cumsum(counts)])
    dealt = np.zeros(total, dtype=np.int64)
    mirror.deal_to_groups(images[:total], group_start[:-1].copy(), dealt)
    out = Lists(
        np.zeros(blocks, dtype=np.int64),
        np.zeros(blocks, dtype=np.int32),
        np.zeros(total, dtype=patterns.dtype),
    )
    mirror.sort_groups(0, groups, arrays, tables, dealt, group_start, out)

    expected = np.zeros_like(chosen)
    for slot in np.flatnonzero(chosen).tolist():
        mover, opponent = numbering.masks(slot)
        expected.flat[same_position(numbering, opponent, mover)] = True
    for block in range(blocks):
        begin = out.start[block]
        listed = out.pattern[begin : begin + out.length[block]].tolist()
        assert sorted(listed) == patterns[expected[block]].tolist()


def same_position(numbering: Layout, mover: int, opponent: int) -> list[int]:
    """Return all slots that stand for a position or an image of it."""
    board = numbering.board
    orbit, _ = divmod(numbering.index(mover, opponent), numbering.block)
    canonical = int(numbering.major_sets[orbit])
    slots = []
    for automorphism in board.automorphisms:
        image_of = [
            sum(1 << automorphism[point] for point in range(board.size) if mask >> point & 1)
            for mask in (mover, opponent)
        ]
        if image_of[0] == canonical:
            pattern = compress(image_of[1], board.full_mask & ~canonical)
            assert expand(pattern, board.full_mask & ~canonical) == image_of[1]
            slots.append(orbit * numbering.block + rank(pattern))
    return slots


def test_a_short_room_for_images_says_how_much_is_needed() -> None:
    board = BOARDS["merels16"]
    tables = orbit_tables(board, 3)
    blocks = len(tables.masks)
    patterns = subsets(board.size - 3, 3).astype(pattern_type(board.size - 3))
    lengths = np.full(blocks, len(patterns), dtype=np.int32)
    starts = np.arange(blocks, dtype=np.int64) * len(patterns)
    found = Lists(starts, lengths, np.tile(patterns, blocks))
    arguments = (0, blocks, board_arrays(board), tables, found)
    counts = np.zeros((blocks >> mirror.GROUP_BITS) + 1, dtype=np.int64)
    total = mirror.mirror_frontier(*arguments, np.zeros(10, dtype=np.int64), counts)
    assert total == blocks * len(patterns)
    assert counts.sum() == 10


def test_memory_is_used_again() -> None:
    memory = WorkingMemory([1000])
    first = memory.take("a", 100, np.uint16)
    first[:] = 7
    assert len(first) == 100
    assert memory.bytes == 200
    again = memory.take("a", 1008, np.uint16)
    assert np.shares_memory(first, again)
    assert memory.bytes == 2016
    larger = memory.take("a", 5000, np.uint16)
    assert not np.shares_memory(first, larger)
    assert memory.bytes == 10_000
    other = memory.take("b", 100, np.uint8)
    assert memory.bytes == 10_000 + 100
    memory.drop("a", "never taken")
    assert memory.bytes == 100
    assert np.shares_memory(other, memory.take("b", 100, np.uint8))
    memory.clear()
    assert memory.bytes == 0
