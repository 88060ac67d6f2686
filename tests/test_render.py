"""Text boards."""

from __future__ import annotations

from solver.boards import BOARDS, Board
from solver.position import Position
from solver.render import NOT_ASCII, render_text
from solver.rules import Rules, get_variant

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


def test_slanting_edges_are_drawn() -> None:
    points = ("a2", "b2", "a1", "b1")
    board = Board("crossed", points, ((0, 3), (1, 2)), ())
    text = render_text(Position(Rules("crossed", board), 1, 8), ascii_only=True)
    # Both edges pass through the middle; the later one is seen.
    assert text.splitlines() == ["2  W   .", "     /", "1  .   B", "   a   b"]
    falling = Board("falling", points, ((0, 3),), ())
    assert "\\" in render_text(Position(Rules("falling", falling), 0, 0), ascii_only=True)
