"""Pictures of boards."""

from __future__ import annotations

import doctest
from itertools import combinations, pairwise
from operator import attrgetter
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import SVG, circles, named, parsed, part, texts, words_of
from strategies import FAMILY, positions

from solver import svg
from solver.boards import Board
from solver.errors import UsageError
from solver.game import Game
from solver.position import Position, Turn
from solver.render import places
from solver.results import MoveResult, Value
from solver.rules import VARIANTS, Rules, get_variant, with_options
from solver.svg import SMALLEST, render_svg
from solver.svgboard import lay_out
from solver.svgtext import number

NINE = get_variant("nine")
POSITION = Position.parse(NINE, "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
POINT = NINE.board.point_index
VALUES: tuple[Value, ...] = ("win", "draw", "loss")


def valued(position: Position, first: int = 0) -> list[MoveResult]:
    """Every turn of a position with some value, all three in turn, and some distance."""
    found = []
    for count, turn in enumerate(position.turns(), first):
        value = VALUES[count % 3]
        dtw = None if value == "draw" else 2 * count + (value == "win")
        text = turn.text(position.rules.board)
        found.append(MoveResult(turn, text, position.apply(turn), value, dtw))
    return found


def stones(root: Element) -> tuple[set[str], set[str]]:
    """The points with a white stone, and those with a black one."""
    return set(named(root, "data-white")), set(named(root, "data-black"))


def in_hand(root: Element, colour: str) -> int:
    return sum(item.attrib.get("data-hand") == colour for item in root.iter())


# -- positions ----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(FAMILY).flatmap(positions))
def test_every_stone_is_where_it_stands_on_the_board_or_in_hand(position: Position) -> None:
    root = parsed(render_svg(position))
    board = position.rules.board
    white, black = stones(root)
    assert white == set(board.names_of(position.white))
    assert black == set(board.names_of(position.black))
    assert in_hand(root, "white") == position.white_hand
    assert in_hand(root, "black") == position.black_hand
    layout = lay_out(board, heading=False)
    for key in ("data-white", "data-black"):
        for name, stone in named(root, key).items():
            face = list(circles(stone))[1]
            assert face[:2] == pytest.approx(layout.at[board.point_index[name]], abs=0.01)
    for colour, count in (("white", position.white_hand), ("black", position.black_hand)):
        strip = part(root, f"{colour}-strip")
        assert strip is not None
        assert (str(count) in texts(strip)) == (count > 0)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(FAMILY).flatmap(positions))
def test_the_side_to_move_is_said_or_how_the_game_has_ended(position: Position) -> None:
    root = parsed(render_svg(position))
    mover, other = (
        part(root, f"{colour.lower()}-strip")
        for colour in (position.mover_colour, position.opponent_colour)
    )
    assert mover is not None
    assert other is not None
    said = texts(mover)[0]
    if position.outcome() is None:
        assert said == f"{position.mover_colour} to move"
    else:
        assert said.startswith((f"{position.mover_colour} has lost: ", "It is a draw: "))
    assert texts(other)[0] == position.opponent_colour
    assert [strip.find(f"{SVG}rect") is None for strip in (mover, other)] == [False, True]


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_the_board_of_every_variant(rules: Rules) -> None:
    board = rules.board
    root = parsed(render_svg(Position.start(rules)))
    labels = part(root, "coordinates")
    assert labels is not None
    ranks = sorted({name[1:] for name in board.points}, reverse=True)
    assert texts(labels) == [*ranks, *sorted({name[0] for name in board.points})]
    lines = part(root, "lines")
    assert lines is not None
    (path,) = lines.findall(f"{SVG}path")
    layout = lay_out(board, heading=False)
    if board.edges:
        assert path.attrib["d"].count("M") == len(board.edges)
        dots = {(x, y) for x, y, _ in circles(lines)}
        assert len(dots) == board.size
        for i, j in board.edges:
            ends = "L".join(f"{number(x)} {number(y)}" for x, y in (layout.at[i], layout.at[j]))
            assert f"M{ends}" in path.attrib["d"]
    else:
        files, ranks_ = len({f for f, _ in places(board)}), len({r for _, r in places(board)})
        assert path.attrib["d"].count("M") == files + ranks_ - 2


def test_mills_are_shown() -> None:
    text = "w:Wa1,a4,a7,b6:Bd1,d2,d3,g7"
    mills = part(parsed(render_svg(Position.parse(NINE, text))), "mills")
    assert mills is not None
    layout = lay_out(NINE.board, heading=False)
    assert len(mills) == 2
    for name in ("a1", "a7", "d1", "d3"):
        x, y = layout.at[POINT[name]]
        assert sum(f"{number(x)} {number(y)}" in mill.attrib["d"] for mill in mills) == 1
    assert part(parsed(render_svg(POSITION)), "mills") is None


def test_boards_of_other_shapes() -> None:
    points = ("a12", "b12", "a11", "b11")
    board = Board("crossed", points, ((0, 3), (1, 2)), ())
    root = parsed(render_svg(Position(Rules("crossed", board), 1, 8)))
    assert stones(root) == ({"a12"}, {"b11"})
    assert texts(root)[:4] == ["12", "11", "a", "b"]
    column = Board("column", ("a2", "a1"), ((0, 1),), ())
    assert stones(parsed(render_svg(Position(Rules("column", column), 2, 0)))) == ({"a1"}, set())


@settings(deadline=None)
@given(st.sampled_from(FAMILY))
def test_hands_do_not_reach_into_what_is_written(rules: Rules) -> None:
    start = Position.start(with_most_stones(rules))
    for position in (start, start.swap_colours()):
        root = parsed(render_svg(position))
        for colour in ("white", "black"):
            strip = part(root, f"{colour}-strip")
            assert strip is not None
            name, count = strip.findall(f"{SVG}text")
            hand = [
                list(circles(item))[1] for item in strip if item.attrib.get("data-hand") == colour
            ]
            wide = 0.6 * float(name.attrib["font-size"]) * len(name.text or "")
            assert hand[0][0] - hand[0][2] > float(name.attrib["x"]) + wide
            assert hand[-1][0] + hand[-1][2] < float(count.attrib["x"]) - 8
            steps = [right[0] - left[0] for left, right in pairwise(hand)]
            assert all(step > 3 for step in steps)


def with_most_stones(rules: Rules) -> Rules:
    """The same game with as many stones as it can have."""
    try:
        return with_options(rules, ["stones=12"])
    except UsageError:
        return rules


def test_a_long_sentence_and_a_full_hand_share_a_strip() -> None:
    rules = with_options(get_variant("three"), ["stones=12"])
    position = Position.parse(rules, "b:Wa1,b1,c1:Ba3,b2:H9,10")
    strip = part(parsed(render_svg(position)), "black-strip")
    assert strip is not None
    sentence = strip.find(f"{SVG}text")
    assert sentence is not None
    assert sentence.text == "Black has lost: White has closed a mill"
    hand = [list(circles(item))[1] for item in strip if "data-hand" in item.attrib]
    assert len(hand) == 10
    wide = 0.6 * float(sentence.attrib["font-size"]) * len(sentence.text)
    assert hand[0][0] - hand[0][2] > float(sentence.attrib["x"]) + wide


# -- marks --------------------------------------------------------------------------------------


def test_the_last_turn_is_marked() -> None:
    before = Position.parse(NINE, "w:Wa1,d1,g4:Bb2,b4,d6,a4")
    game = Game(before)
    turn = game.play("g4-g1xb2")
    root = parsed(render_svg(game.position, last_turn=turn))
    layout = lay_out(NINE.board, heading=False)
    marks = part(root, "last-turn")
    assert marks is not None
    target, origin = marks
    for mark, name in ((target, "g1"), (origin, "g4")):
        middle = (float(mark.attrib["cx"]), float(mark.attrib["cy"]))
        assert middle == pytest.approx(layout.at[POINT[name]], abs=0.01)
    assert "stroke-dasharray" in origin.attrib
    assert "stroke-dasharray" not in target.attrib
    assert float(target.attrib["r"]) + 2 > layout.radius
    assert crossed(root, "captured") == {"b2"}
    assert words_of(root)[1].endswith("The last turn was g4-g1xb2.")
    assert part(parsed(render_svg(game.position)), "last-turn") is None


def crossed(root: Element, name: str) -> set[str]:
    """The points of the 24-point board that a group has a cross on."""
    marks = part(root, name)
    assert marks is not None
    layout = lay_out(NINE.board, heading=False)
    found = set()
    for path in marks.iter(f"{SVG}path"):
        first, second = path.attrib["d"].removeprefix("M").split("M")
        (x, y), (end_x, end_y) = (tuple(map(float, end.split())) for end in first.split("L"))
        assert second
        middle = ((x + end_x) / 2, (y + end_y) / 2)
        found |= {
            board_name
            for board_name, at in zip(NINE.board.points, layout.at, strict=True)
            if abs(at[0] - middle[0]) + abs(at[1] - middle[1]) < 0.1
        }
    return found


def test_a_placement_has_no_origin_to_mark() -> None:
    game = Game(NINE)
    marks = part(parsed(render_svg(game.position, last_turn=game.play("d2"))), "last-turn")
    assert marks is not None
    assert len(marks) == 1


def test_two_captures_are_both_crossed() -> None:
    turn = Turn(POINT["a4"], POINT["b4"], (POINT["a1"], POINT["g7"]))
    assert crossed(parsed(render_svg(POSITION, last_turn=turn)), "captured") == {"a1", "g7"}
    assert crossed(parsed(render_svg(POSITION, arrows=[turn])), "taken") == {"a1", "g7"}


def test_arrows_and_rings() -> None:
    arrows = [(POINT["c3"], POINT["d3"]), Turn(None, POINT["d2"]), Turn(POINT["a4"], POINT["b4"])]
    root = parsed(render_svg(POSITION, arrows=arrows))
    moves = part(root, "moves")
    assert moves is not None
    layout = lay_out(NINE.board, heading=False)
    # An arrow for each move, a ring for the placement.
    assert [item.tag.removeprefix(SVG) for item in moves] == ["g", "circle", "g"]
    (x, y), at = tip(moves[0]), layout.at[POINT["d3"]]
    assert 0 < at[0] - x < layout.radius
    assert y == pytest.approx(at[1], abs=0.01)
    assert words_of(root)[1].endswith("Arrows: c3-d3, d2, a4-b4.")
    assert part(root, "taken") is None


def tip(arrow: Element) -> tuple[float, float]:
    """Where an arrow ends."""
    x, y = arrow[-1].attrib["d"].split("L")[1].split()
    return float(x), float(y)


def test_an_arrow_ends_at_the_rim_of_what_stands_on_its_target() -> None:
    arrow = (POINT["g4"], POINT["g7"])
    layout = lay_out(NINE.board, heading=False)
    for position, values in (
        (POSITION, None),
        (Position.parse(NINE, "w:Wa4,b6,g4:Ba1,a7,g1"), "labels"),
    ):
        found = valued(position) if values else None
        moves = part(parsed(render_svg(position, arrows=[arrow], values=found)), "moves")
        assert moves is not None
        assert tip(moves[0])[1] - layout.at[POINT["g7"]][1] >= layout.radius


def test_an_arrow_goes_round_the_stones_between() -> None:
    def shaft(position: Position) -> list[float]:
        moves = part(parsed(render_svg(position, arrows=[(POINT["a1"], POINT["g1"])])), "moves")
        assert moves is not None
        start, curve = moves[0][0].attrib["d"].removeprefix("M").split("Q")
        return [float(number) for number in f"{start} {curve}".split()]

    free = shaft(Position.parse(NINE, "w:Wa1,b4,d7:Bb6,d6,f6"))
    assert len({free[1], free[3], free[5]}) == 1
    bent = shaft(Position.parse(NINE, "w:Wa1,b4,d7:Bb6,d1,f6"))
    assert bent[3] < bent[1] - 20  # upwards, to the middle of the board


def test_an_arrow_that_leads_nowhere_is_a_ring() -> None:
    moves = part(parsed(render_svg(POSITION, arrows=[(3, 3)])), "moves")
    assert moves is not None
    assert [item.tag for item in moves] == [f"{SVG}circle"]


# -- values -------------------------------------------------------------------------------------


def labels(root: Element) -> dict[str, str]:
    return {point: texts(item)[0] for point, item in named(root, "data-value").items()}


def result(text: str, value: Value, dtw: int | None) -> MoveResult:
    from solver.notation import spelled_turn

    return MoveResult(spelled_turn(NINE, text), text, POSITION, value, dtw)


def test_each_point_shows_the_best_of_the_moves_that_lead_there() -> None:
    moves = [
        result("a1-d1", "loss", 8),
        result("g1-d1", "loss", 12),
        result("a4-b4", "win", 9),
        result("c4-b4", "win", 5),
        result("b2-b4", "draw", None),
        result("g4-f4", "draw", None),
        result("e4-f4", "loss", 20),
        result("d3xa1", "win", 3),
        result("d3xa7", "loss", 2),
        result("d6-d7", "win", None),
        result("e5-e3", "loss", None),
    ]
    expected = {"d1": "L12", "b4": "W5", "f4": "=", "d3": "W3", "d7": "W", "e3": "L"}
    for order in (moves, moves[::-1]):
        root = parsed(render_svg(POSITION, values=order))
        assert labels(root) == expected
    shapes = {point: item[0].tag for point, item in named(root, "data-value").items()}
    # Each value has a shape and a colour of its own.
    assert [shapes[p] for p in ("b4", "f4", "d1")] == [f"{SVG}rect", f"{SVG}circle", f"{SVG}path"]
    fills = {labels(root)[p][0]: item[0].attrib["fill"] for p, item in
             named(root, "data-value").items()}  # fmt: skip
    assert len(set(fills.values())) == len(fills) == 3
    assert words_of(root)[1].endswith("to: d7 W, b4 W5, f4 =, d3 W3, e3 L, d1 L12.")


def test_values_of_one_stone_only() -> None:
    moves = [result("a1-d1", "loss", 8), result("g1-d1", "win", 1), result("a1-a4", "draw", None)]
    root = parsed(render_svg(POSITION, values=moves, origin=POINT["a1"]))
    assert labels(root) == {"a4": "=", "d1": "L8"}
    selection = part(root, "selection")
    assert selection is not None
    layout = lay_out(NINE.board, heading=False)
    ((x, y, _),) = circles(selection)
    assert (x, y) == pytest.approx(layout.at[POINT["a1"]], abs=0.01)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(FAMILY).flatmap(positions), st.integers(0, 300))
def test_no_label_touches_a_stone_or_another_label(position: Position, first: int) -> None:
    root = parsed(render_svg(position, values=valued(position, first)))
    assert set(labels(root)) == {
        position.rules.board.points[turn.target] for turn in position.turns()
    }
    boxes = []
    for item in named(root, "data-value").values():
        (text,) = item.findall(f"{SVG}text")
        box = box_of(item[0])
        # A bold letter is as wide as three quarters of the font's size, on average.
        half = 0.75 * float(text.attrib["font-size"]) * len(text.text or "") / 2
        assert half < (box[2] - box[0]) / 2
        assert float(text.attrib["font-size"]) >= 7
        boxes.append(box)
    for key in ("data-white", "data-black"):
        for item in named(root, key).values():
            boxes.append(box_of(item.findall(f"{SVG}circle")[1]))
    for one, other in combinations(boxes, 2):
        apart = (one[2] < other[0], other[2] < one[0], one[3] < other[1], other[3] < one[1])
        assert any(apart)
    for item in part_of(root, "coordinates").iter(f"{SVG}text"):
        x, y, size = (float(item.attrib[key]) for key in ("x", "y", "font-size"))
        y -= 0.35 * size  # from the line it stands on to its middle
        for box in boxes:
            assert (
                x + 4 < box[0] or x - 4 > box[2] or y - size / 2 > box[3] or y + size / 2 < box[1]
            )


def part_of(root: Element, name: str) -> Element:
    found = part(root, name)
    assert found is not None
    return found


def box_of(shape: Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a shape."""
    if shape.tag == f"{SVG}circle":
        x, y, r = (float(shape.attrib[key]) for key in ("cx", "cy", "r"))
        return x - r, y - r, x + r, y + r
    if shape.tag == f"{SVG}rect":
        x, y, width, height = (float(shape.attrib[key]) for key in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    corners = [
        tuple(map(float, corner.split())) for corner in shape.attrib["d"].strip("MZ").split("L")
    ]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


# -- the whole ----------------------------------------------------------------------------------


def test_the_same_call_gives_the_same_bytes() -> None:
    def draw() -> str:
        return render_svg(
            POSITION,
            last_turn=Turn(1, 2, (3,)),
            arrows=[(0, 9), Turn(None, 4)],
            values=valued(POSITION),
            title="once",
        )

    assert draw() == draw()


def test_the_size_is_that_of_the_whole_picture() -> None:
    pictures = [render_svg(POSITION, size=size) for size in (SMALLEST, 400, 1200)]
    roots = [parsed(picture) for picture in pictures]
    assert [root.attrib["width"] for root in roots] == ["16", "400", "1200"]
    # Nothing else depends on it.
    assert len({picture.split("viewBox")[1] for picture in pictures}) == 1


@given(st.text(max_size=200))
def test_titles_are_escaped(title: str) -> None:
    root = parsed(render_svg(POSITION, title=title))
    shown = words_of(root)[0]
    if title.isprintable() and title.strip() == title != "":
        assert shown == title
    if title:
        heading = part_of(root, "heading")
        assert heading.text is not None
        assert len(heading.text) <= 70


def test_a_title_is_shown_above_the_board_and_cut_if_it_is_long() -> None:
    nasty = '<script>alert("1")</script> & \x00\x1b\ud800 ü'
    root = parsed(render_svg(POSITION, title=nasty))
    assert part_of(root, "heading").text == words_of(root)[0]
    assert words_of(root)[0] == '<script>alert("1")</script> & \ufffd\ufffd\ufffd ü'
    long = part_of(parsed(render_svg(POSITION, title="x" * 10_000)), "heading")
    assert (long.text or "").endswith("x...")
    plain = parsed(render_svg(POSITION))
    assert part(plain, "heading") is None
    assert words_of(plain)[0] == f"nine: {POSITION}"
    assert int(root.attrib["height"]) > int(plain.attrib["height"])


def test_the_description_says_what_is_seen() -> None:
    position = Position.parse(NINE, "b:Wa1,b6:Bd6:H7,8")
    assert words_of(parsed(render_svg(position)))[1] == (
        "A board of nine. White: a1, b6 on the board, 7 in hand. Black: d6 on the board, 8 in hand."
        " Black to move."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 15}, "a picture cannot be 15 pixels wide; it needs 16 or more"),
        ({"size": -400}, "a picture cannot be -400 pixels wide"),
        ({"arrows": [(0, 24)]}, "point 24 is not on merels24, whose 24 points are numbered from 0"),
        ({"arrows": [Turn(None, 1, (-1,))]}, "point -1 is not on merels24"),
        ({"last_turn": Turn(99, 1)}, "point 99 is not on merels24"),
        ({"origin": 24}, "point 24 is not on merels24"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        render_svg(POSITION, **options)  # type: ignore[arg-type]


def test_notebooks_show_pictures() -> None:
    assert POSITION._repr_svg_() == render_svg(POSITION)
    game = Game(POSITION)
    assert game._repr_svg_() == render_svg(POSITION)
    turn = game.play("c3-d3")
    assert game._repr_svg_() == render_svg(game.position, last_turn=turn)


def test_the_example_holds() -> None:
    tried = doctest.testmod(svg)
    assert tried.attempted
    assert not tried.failed


def test_mistakes_are_marked_and_arrows_may_be_texts() -> None:
    position = Position.parse(get_variant("nine"), "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
    turn = next(t for t in position.turns() if t.text(position.rules.board) == "c3-c4")
    picture = render_svg(position, arrows=["c3-d3"], mistakes=[turn])
    assert picture == render_svg(position, arrows=[(15, 16)], mistakes=["c3-c4"])
    assert picture.count("stroke-dasharray") == 1
    assert "Arrows: c3-d3. Mistakes: c3-c4." in picture
    with pytest.raises(UsageError, match="'z9' is not a point"):
        render_svg(position, arrows=["z9"])
