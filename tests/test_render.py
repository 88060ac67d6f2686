"""Text boards."""

from __future__ import annotations

import re
from operator import attrgetter

import pytest

from solver.boards import BOARDS, Board
from solver.game import Game
from solver.position import Position, Turn
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


# -- colours ------------------------------------------------------------------------------------

ESCAPE = re.compile("\x1b\\[([0-9;]*)m")


def painted(text: str) -> list[tuple[str, str]]:
    """Every character but newlines, with the colours it has; each sequence must be closed."""
    found = []
    for line in text.split("\n"):
        ink = ""
        for sequence, character in re.findall("(\x1b\\[[0-9;]*m)|(.)", line):
            if character:
                found.append((character, ink))
            else:
                ink = sequence[2:-1].removeprefix("0")
        assert ink == ""
    return found


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
@pytest.mark.parametrize("ascii_only", [False, True])
def test_colours_change_nothing_else(rules: Rules, ascii_only: bool) -> None:
    position = Position(rules, 0b010101, 0b101010)
    plain = render_text(position, ascii_only=ascii_only)
    coloured = render_text(position, ascii_only=ascii_only, colour=True)
    assert ESCAPE.sub("", coloured) == plain
    assert "\x1b" not in plain


def test_stones_and_names_have_colours() -> None:
    found = painted(render_text(POSITION, colour=True))
    inks = {
        character: {ink for other, ink in found if other == character} for character, _ in found
    }
    assert all(len(inks[character]) == 1 for character in "WBa7─│·")
    (white,), (black,), (name,) = inks["W"], inks["B"], inks["a"]
    assert len({white, black, name, ""}) == 4
    assert inks["7"] == {name}
    assert inks["─"] == inks["│"] == inks["·"] == {""}
    # Ink and ground are both set, or a stone could not be seen on some terminal.
    for stone in (white, black):
        numbers = [int(number) for number in stone.split(";")]
        assert any(30 <= number <= 37 or 90 <= number <= 97 for number in numbers)
        assert any(40 <= number <= 47 or 100 <= number <= 107 for number in numbers)


def test_the_last_turn_is_marked_in_colour() -> None:
    game = Game(Position.parse(get_variant("nine"), "w:Wa1,d1,g4:Bb2,b4,d6,a4"))
    turn = game.play("g4-g1xb2")
    text = render_text(game.position, colour=True, last_turn=turn)
    found = painted(text)
    plain = painted(render_text(game.position, colour=True))
    changed = [
        (before, after) for before, after in zip(plain, found, strict=True) if before != after
    ]
    assert [after[0] for _, after in changed] == ["·", "x", "W"]  # g4, b2, g1
    assert [before[0] for before, _ in changed] == ["·", "·", "W"]
    (origin, taken, target) = (after[1] for _, after in changed)
    assert origin == target != taken
    # Without colours there is nothing to mark it with.
    assert render_text(game.position, last_turn=turn) == render_text(game.position)


def test_a_placement_is_marked_in_colour() -> None:
    position = Position.parse(get_variant("nine"), "b:Wd2:B:H8,9")
    point = position.rules.board.point_index["d2"]
    text = render_text(position, colour=True, last_turn=Turn(None, point))
    marked = render_text(position, colour=True)
    differing = [pair for pair in zip(painted(text), painted(marked), strict=True)
                 if pair[0] != pair[1]]  # fmt: skip
    assert [pair[0][0] for pair in differing] == ["W"]
