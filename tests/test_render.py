"""Text boards."""

from __future__ import annotations

from operator import attrgetter

import pytest

from solver.boards import BOARDS, Board
from solver.position import Position
from solver.render import NOT_ASCII, render_text
from solver.rules import VARIANTS, Rules, get_variant

POSITION = Position.parse(get_variant("nine"), "w:Wa4,d5,d6:Ba7,b4,c4,g4")

ASCII = """\
7  B-----------.-----------.
   |           |           |
6  |   .-------W-------.   |
   |   |       |       |   |
5  |   |   .---W---.   |   |
   |   |   |       |   |   |
4  W---B---B       .---.---B
   |   |   |       |   |   |
3  |   |   .---.---.   |   |
   |   |       |       |   |
2  |   .-------.-------.   |
   |           |           |
1  .-----------.-----------.
   a   b   c   d   e   f   g"""


def test_the_board_is_drawn_with_its_stones() -> None:
    assert render_text(POSITION, ascii_only=True) == ASCII


def test_unless_told_otherwise_with_box_characters() -> None:
    text = render_text(POSITION)
    assert text.translate(str.maketrans("·─│", ".-|")) == ASCII
    assert set(text) - set(ASCII) <= set(NOT_ASCII)


def test_a_board_without_an_outer_ring() -> None:
    rules = Rules(name="six", board=BOARDS["merels16"], stones=6)
    text = render_text(Position.start(rules), ascii_only=True)
    assert text.splitlines()[0] == "6  .-------.-------."
    assert text.splitlines()[-1] == "   b   c   d   e   f"
    assert text.count(".") == 16


BOARDS_DRAWN = {
    "merels24d": """\
7  .-----------.-----------.
   | \\         |         / |
6  |   .-------.-------.   |
   |   | \\     |     / |   |
5  |   |   .---.---.   |   |
   |   |   |       |   |   |
4  .---.---.       .---.---.
   |   |   |       |   |   |
3  |   |   .---.---.   |   |
   |   | /     |     \\ |   |
2  |   .-------.-------.   |
   | /         |         \\ |
1  .-----------.-----------.
   a   b   c   d   e   f   g""",
    "grid3d": """\
3  .---.---.
   | \\ | / |
2  .---.---.
   | / | \\ |
1  .---.---.
   a   b   c""",
    "grid3": """\
3  .   .   .

2  .   .   .

1  .   .   .
   a   b   c""",
    "grid6x5": """\
5  .---.---.---.---.---.
   |   |   |   |   |   |
4  .---.---.---.---.---.
   |   |   |   |   |   |
3  .---.---.---.---.---.
   |   |   |   |   |   |
2  .---.---.---.---.---.
   |   |   |   |   |   |
1  .---.---.---.---.---.
   a   b   c   d   e   f""",
}


@pytest.mark.parametrize("name", BOARDS_DRAWN)
def test_boards_of_other_games(name: str) -> None:
    position = Position(Rules("any", BOARDS[name]), 0, 0)
    assert render_text(position, ascii_only=True) == BOARDS_DRAWN[name]
    box = render_text(position).translate(str.maketrans("·─│\u2571\u2572", ".-|/\\"))
    assert box == BOARDS_DRAWN[name]


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_every_stone_is_drawn_on_its_point(rules: Rules) -> None:
    board = rules.board
    for point in range(board.size):
        lines = render_text(Position(rules, 1 << point, 0), ascii_only=True).splitlines()
        (line,) = (line for line in lines if "W" in line)
        name = board.points[point]
        assert line.startswith(name[1:])
        assert lines[-1][line.index("W")] == name[0]


def test_slanting_edges_are_drawn() -> None:
    points = ("a2", "b2", "a1", "b1")
    board = Board("crossed", points, ((0, 3), (1, 2)), ())
    text = render_text(Position(Rules("crossed", board), 1, 8), ascii_only=True)
    # Both edges pass through the middle; the later one is seen.
    assert text.splitlines() == ["2  W   .", "     /", "1  .   B", "   a   b"]
    falling = Board("falling", points, ((0, 3),), ())
    assert "\\" in render_text(Position(Rules("falling", falling), 0, 0), ascii_only=True)
