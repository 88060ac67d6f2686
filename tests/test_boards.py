"""The boards are those of the rules, and their automorphisms are all there are."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from solver.boards import BOARDS, Board, apply_automorphism, get_board
from solver.errors import UsageError

ALL = pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))


@pytest.mark.parametrize(
    ("name", "points", "edges", "lines"),
    [("merels24", 24, 32, 16), ("merels16", 16, 20, 8)],
)
def test_sizes(name: str, points: int, edges: int, lines: int) -> None:
    board = get_board(name)
    assert (board.size, len(board.edges), len(board.lines)) == (points, edges, lines)
    assert board.full_mask == (1 << points) - 1


def test_points_go_row_by_row_from_the_top_left() -> None:
    board = get_board("merels24")
    assert " ".join(board.points) == (
        "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1"
    )
    assert board.point_index["a7"] == 0
    assert board.point_index["g1"] == 23


def test_edges_of_the_large_board_join_the_neighbours_on_its_lines() -> None:
    board = get_board("merels24")
    along_lines = {(min(pair), max(pair)) for line in board.lines for pair in pairwise(line)}
    assert set(board.edges) == along_lines


def test_small_board_is_the_large_one_without_its_outer_ring() -> None:
    large, small = get_board("merels24"), get_board("merels16")

    def named(board: Board, groups: tuple[tuple[int, ...], ...]) -> set[frozenset[str]]:
        return {frozenset(board.points[index] for index in group) for group in groups}

    inside = set(small.points)
    assert inside == {
        point for point in large.points if point[0] not in "ag" and point[1] not in "17"
    }
    for of_small, of_large in ((small.edges, large.edges), (small.lines, large.lines)):
        assert named(small, of_small) == {g for g in named(large, of_large) if g <= inside}


@ALL
def test_derived_masks_agree_with_edges_and_lines(board: Board) -> None:
    for point in range(board.size):
        near = {j for i, j in board.edges if i == point} | {i for i, j in board.edges if j == point}
        assert board.neighbours[point] == board.mask_of(near)
        through = [board.mask_of(set(line) - {point}) for line in board.lines if point in line]
        assert list(board.lines_through[point]) == through
    assert list(board.edges) == sorted(set(board.edges))
    assert list(board.lines) == sorted({tuple(sorted(line)) for line in board.lines})
    assert board.line_masks == tuple(board.mask_of(line) for line in board.lines)


@ALL
def test_sixteen_automorphisms_that_keep_edges_and_lines(board: Board) -> None:
    group = board.automorphisms
    assert len(group) == 16
    assert group[0] == tuple(range(board.size))
    assert list(group) == sorted(set(group))
    edges, lines = set(board.edges), set(board.lines)
    for permutation in group:
        assert sorted(permutation) == list(range(board.size))
        images = {(permutation[i], permutation[j]) for i, j in board.edges}
        assert {(min(pair), max(pair)) for pair in images} == edges
        assert {tuple(sorted(permutation[i] for i in line)) for line in board.lines} == lines


@ALL
def test_automorphisms_form_a_group(board: Board) -> None:
    group = set(board.automorphisms)
    for first in group:
        for second in group:
            assert tuple(second[first[i]] for i in range(board.size)) in group


def test_search_finds_every_automorphism_of_a_board_small_enough_to_try_all() -> None:
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    square = Board(
        "square", tuple(f"{c}{r}" for r in "321" for c in "abc"), (), tuple(sorted(lines))
    )
    wanted = set(lines)
    brute = [
        permutation
        for permutation in permutations(range(9))
        if all(tuple(sorted(permutation[i] for i in line)) in wanted for line in lines)
    ]
    assert list(square.automorphisms) == brute
    assert len(brute) == 8


@ALL
def test_apply_automorphism_moves_every_point(board: Board) -> None:
    for permutation in board.automorphisms:
        assert apply_automorphism(permutation, board.full_mask) == board.full_mask
        assert apply_automorphism(permutation, 0) == 0
        for point in range(board.size):
            assert apply_automorphism(permutation, 1 << point) == 1 << permutation[point]


def test_names_of_a_mask_are_alphabetical() -> None:
    board = get_board("merels24")
    assert board.names_of(board.mask_of([0, 1, 21])) == ["a1", "a7", "d7"]


def test_unknown_board_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="merels24, merels24d, merels16"):
        get_board("chess")
