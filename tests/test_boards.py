"""The boards are those of the rules, and their automorphisms are all there are."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from solver.boards import BOARDS, Board, apply_automorphism, get_board
from solver.errors import UsageError

ALL = pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))


def named(board: Board, groups: str) -> set[frozenset[str]]:
    """The edges or the lines of a board, by the names of their points."""
    return {frozenset(board.points[index] for index in group) for group in getattr(board, groups)}


def words(text: str) -> set[frozenset[str]]:
    """Sets of points written as ``a7d7 d7g7``."""
    return {
        frozenset(word[start : start + 2] for start in range(0, len(word), 2))
        for word in text.split()
    }


@pytest.mark.parametrize(
    ("name", "points", "edges", "lines"),
    [
        ("merels24", 24, 32, 16),
        ("merels24d", 24, 40, 20),
        ("merels16", 16, 20, 8),
        ("grid3d", 9, 16, 8),
        ("grid3", 9, 0, 8),
        ("grid6x5", 30, 49, 38),
    ],
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


def test_lines_of_the_large_board_are_the_rows_and_columns_of_its_picture() -> None:
    rows = "a7d7g7 b6d6f6 c5d5e5 a4b4c4 e4f4g4 c3d3e3 b2d2f2 a1d1g1"
    columns = "a1a4a7 b2b4b6 c3c4c5 d1d2d3 d5d6d7 e3e4e5 f2f4f6 g1g4g7"
    assert named(get_board("merels24"), "lines") == words(f"{rows} {columns}")


def test_diagonals_join_the_corners_of_the_rings() -> None:
    plain, crossed = get_board("merels24"), get_board("merels24d")
    assert crossed.points == plain.points
    edges = words("a1b2 b2c3 a7b6 b6c5 g7f6 f6e5 g1f2 f2e3")
    assert named(crossed, "edges") - named(plain, "edges") == edges
    assert named(plain, "edges") < named(crossed, "edges")
    lines = words("a1b2c3 a7b6c5 g7f6e5 g1f2e3")
    assert named(crossed, "lines") - named(plain, "lines") == lines
    assert named(plain, "lines") < named(crossed, "lines")


def test_spokes_of_the_small_board_are_edges_and_no_lines() -> None:
    board = get_board("merels16")
    spokes = words("d6d5 f4e4 d2d3 b4c4")
    assert spokes <= named(board, "edges")
    assert not any(spoke <= line for spoke in spokes for line in named(board, "lines"))


def test_three_by_three() -> None:
    crossed, plain = get_board("grid3d"), get_board("grid3")
    assert " ".join(crossed.points) == "a3 b3 c3 a2 b2 c2 a1 b1 c1"
    assert plain.points == crossed.points
    lines = words("a3b3c3 a2b2c2 a1b1c1 a1a2a3 b1b2b3 c1c2c3 a1b2c3 a3b2c1")
    assert named(crossed, "lines") == named(plain, "lines") == lines
    across, upright = "a3b3 b3c3 a2b2 b2c2 a1b1 b1c1", "a1a2 a2a3 b1b2 b2b3 c1c2 c2c3"
    assert named(crossed, "edges") == words(f"{across} {upright} a1b2 a3b2 c1b2 c3b2")


def test_six_by_five() -> None:
    board = get_board("grid6x5")
    assert board.points == tuple(f"{file}{rank}" for rank in "54321" for file in "abcdef")
    near = {
        frozenset((p, q))
        for p in board.points
        for q in board.points
        if abs(ord(p[0]) - ord(q[0])) + abs(int(p[1]) - int(q[1])) == 1
    }
    assert named(board, "edges") == near
    rows = {
        frozenset(f + r for f in files) for r in "12345" for files in ("abc", "bcd", "cde", "def")
    }
    columns = {frozenset(f + r for r in ranks) for f in "abcdef" for ranks in ("123", "234", "345")}
    assert named(board, "lines") == rows | columns


def test_rows_longer_than_a_line() -> None:
    board = get_board("grid6x5")
    found = {frozenset(board.names_of(mask)) for mask in board.long_line_masks}
    rows = {frozenset(f + r for f in files) for r in "12345" for files in ("abcd", "bcde", "cdef")}
    columns = {frozenset(f + r for r in ranks) for f in "abcdef" for ranks in ("1234", "2345")}
    assert found == rows | columns
    for other in BOARDS.values():
        assert other is board or other.long_line_masks == ()


def test_small_board_is_the_large_one_without_its_outer_ring() -> None:
    large, small = get_board("merels24"), get_board("merels16")

    inside = set(small.points)
    assert inside == {
        point for point in large.points if point[0] not in "ag" and point[1] not in "17"
    }
    for groups in ("edges", "lines"):
        assert named(small, groups) == {g for g in named(large, groups) if g <= inside}


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


GROUP_SIZES = {
    "merels24": 16,
    "merels24d": 16,
    "merels16": 16,
    "grid3d": 8,
    "grid3": 8,
    "grid6x5": 4,
}


@ALL
def test_automorphisms_keep_edges_and_lines(board: Board) -> None:
    group = board.automorphisms
    assert len(group) == GROUP_SIZES[board.name]
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
