"""Records of games: what is read, what is written, and what is said of mistakes."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from operator import attrgetter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import FAMILY, NINE, SIX, positions

from solver.errors import UsageError
from solver.game import Game
from solver.position import Position
from solver.record import RESULTS, PlayedTurn, Record, format_record, parse_record
from solver.rules import Rules, get_variant, with_options

EVERY_RULE_SET = pytest.mark.parametrize("rules", FAMILY, ids=attrgetter("name"))
SHORT = "d6 f4 b4 d2 b6 f6 b2xf6 f6"
END = "w:Wb2,b4,b6,d6:Bd2,f4,f6:H5,5"

WORDS = st.text(
    st.characters(blacklist_characters="{}\\", blacklist_categories=["Cs", "Cc"]), max_size=30
).map(lambda text: " ".join(text.split()))


@st.composite
def records(draw: st.DrawFn, rules: Rules) -> Record:
    """A game from anywhere, with comments, marks and tags."""
    position = Position.start(rules) if draw(st.booleans()) else draw(positions(rules))
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    game = Game(position)
    for _ in range(draw(st.integers(0, 30))):
        if game.outcome() is not None:
            break
        game.play(chance.choice(game.position.turns()))
    marks = st.sampled_from(["", "!", "?", "!!", "??", "!?", "?!", "$7"])
    plain = Record.of(game)
    return Record(
        start=plain.start,
        turns=tuple(PlayedTurn(t.turn, draw(WORDS), draw(marks)) for t in plain.turns),
        tags={
            "White": draw(WORDS),
            "Black": 'a "quoted" \\ name',
            "Variant": rules.name,
            **({} if plain.start == Position.start(rules) else {"FEN": str(plain.start)}),
            "Result": plain.result,
        },
        comment=draw(WORDS),
        result=plain.result,
    )


@EVERY_RULE_SET
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_what_is_written_is_read_back(rules: Rules, data: st.DataObject) -> None:
    record = data.draw(records(rules))
    for playok in (False, True):
        text = format_record(record, playok=playok)
        assert parse_record(text, rules) == record
        assert parse_record(text.replace("\n", "\r\n"), rules) == record
        body = text.partition("\n\n")[2]
        assert all(len(line) <= 80 for line in body.splitlines() if " " in line)


@pytest.mark.parametrize(
    "text",
    [
        SHORT,
        "1. d6 f4 2. b4 d2 3. b6 f6 4. b2xf6 f6",
        "1.d6 f4 2.b4 d2 3.b6 f6 4.b2xf6 f6 *",
        "1. d6 1... f4 2. b4 2... d2 3. b6 f6 4. b2 xf6 f6",
        "1. D6 F4\n2. B4 D2\r\n3. B6 F6 4. B2\u00d7F6\tF6",
        "5 14 11 20 4 6 19x6 6",
        "d6, f4, b4, d2, b6, f6, b2xf6, f6",
        "% a line for other programs, a1 a4\nd6 f4 b4 d2\n%a1\nb6 f6 b2xf6 f6",
        "1. 5 14 2. 11 20 3. 4 6 4. 19 x6 6",
        "\ufeff{A game.} d6! f4 ; remark 1. a1\nb4 $3 d2?? b6 {here\nis more} f6 b2xf6 f6",
        '[Event "x"]\n[Variant "nine"]\n[Result "*"]\n\n' + SHORT,
        '[FEN "w:W:B:H9,9"]\n[Variant "nine"]\n' + SHORT,
    ],
)
def test_many_ways_to_write_one_game(text: str) -> None:
    assert str(parse_record(text).end) == END


def test_what_a_record_says_of_its_game() -> None:
    text = """
    [White "Anna \\"the fox\\""]
    [Variant "nine -r stones=4"]
    [Result "0-1"]

    {First} {comment} 1. d6! {good} f4 ; rest of the line
    {more} 2. b4 0-1 {White resigns}
    """
    record = parse_record(text)
    assert record.tags["White"] == 'Anna "the fox"'
    assert record.start == Position.start(with_options(NINE, ["stones=4"]))
    assert record.comment == "First comment"
    assert record.result == "0-1"
    said = [(played.mark, played.comment) for played in record.turns]
    assert said == [("!", "good"), ("", "rest of the line more"), ("", "White resigns")]


def test_who_is_to_move_shows_in_the_numbers() -> None:
    start = Position.parse(NINE, "b:Wa4,d5,d6:Ba7,b4,c4,g4")
    text = format_record(parse_record("a7-d7 a4-a7", start=start))
    assert text.endswith("1... a7-d7 2. a4-a7 *\n")
    assert f'[FEN "{start}"]' in text
    assert parse_record(text).start == start


def test_the_result_of_a_finished_game_is_known() -> None:
    game = Game(get_variant("three"))
    for turn in ["b2", "a3", "a1", "c3", "b3", "b1"]:
        game.play(turn)
    assert Record.of(game).result == "*"
    while game.outcome() is None:
        game.play(game.position.turns()[-1])
    end = game.outcome()
    assert end is not None
    record = Record.of(game, {"Event": "test"})
    assert RESULTS[record.result] == end.winner
    assert parse_record(str(record)).result == record.result


def test_a_game_that_was_drawn_by_repetition_can_go_on() -> None:
    start = Position.parse(NINE, "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
    record = parse_record("c3-c4 a1-d1 c4-c3 d1-a1 " * 3, start=start)
    assert len(record.turns) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. d6 f4 2. b4 d9", "turn 4, 'd9' at column 16: 'd9' is not a point of the board"),
        ("d6 f4\nb4 xa1 d2", "turn 3, 'b4xa1' at line 2, column 1: b4 closes no mill"),
        ("d6\n\n  d6", "turn 2, 'd6' at line 3, column 3: d6 is occupied"),
        ("xa1", "turn 1, 'xa1' at column 1: 'xa1' is only what a turn takes"),
        ("d6 (f4) d2", "'(' at column 4: variations in brackets are not read"),
        ("d6 {f4 d2", "'{' at column 4: this comment has no end"),
        ("d6 } f4", "'}' at column 4: this comment has no beginning"),
        ("[White Anna] d6", "'[' at column 1: this is not a tag, such as [White \"Anna\"]"),
        ("! d6", "'!' at column 1: a mark stands behind a turn"),
        ("d6 1-0 f4", "'f4' at column 8: the game has ended before it"),
        ('d6 [White "A"]', "a tag stands before the first turn; give one game at a time"),
        ('[White "A"] [White "B"]', "the tag White is given twice, again at column 13"),
        ('[Variant "chess"] d6', "the tag Variant of the record: no variant is called 'chess'"),
        ('[Variant "nine -r stones=2"]', "the tag Variant of the record: stones=2 is not a rule"),
        ('[FEN "w:W:B"] d6', "the tag FEN of the record: "),
        ('[Result "won"] d6', "the tag Result of the record is 'won', but it must be one of"),
        ('[Result "1-0"] d6 0-1', "the record ends with 0-1, but its tag Result is 1-0"),
        ("d6 f4x", "turn 2, 'f4x' at column 4: the name of a point is missing"),
        ("d6 f4 . b4", "'.' at column 7: a turn was expected"),
    ],
)
def test_every_mistake_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_record(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_caller_and_record_say_must_agree() -> None:
    with pytest.raises(UsageError, match="says that six was played, not nine"):
        parse_record('[Variant "six"]', NINE)
    assert parse_record('[Variant "Mühle"] d6', SIX).start == Position.start(SIX)
    with pytest.raises(UsageError, match="the record begins with w:W:B:H9,9, not with b:W"):
        other = Position.parse(NINE, "b:Wa1:B:H8,9")
        parse_record('[FEN "w:W:B:H9,9"]', NINE, other)
    lost = "w:Wa1,d1,g4:Bb2,b4,d6"
    with pytest.raises(UsageError, match="the record ends with 0-1, but the game with 1-0"):
        parse_record("g4-g1xb2 0-1", start=Position.parse(NINE, lost))
    with pytest.raises(UsageError, match="the game is over, Black has lost: 2 stones left"):
        parse_record("g4-g1xb2 b4-a4", start=Position.parse(NINE, lost))


def test_what_cannot_be_written_is_refused() -> None:
    start = Position.start(NINE)
    with pytest.raises(UsageError, match="holds a }, which would end it"):
        format_record(Record(start, comment="a } b"))
    with pytest.raises(UsageError, match="'a b' is not the name of a tag"):
        format_record(Record(start, tags={"a b": ""}))
    with pytest.raises(UsageError, match="the tag White must be on one line"):
        format_record(Record(start, tags={"White": "a\nb"}))


WORDS_OF_RECORDS = (
    'd6 f4 b4 xd6 1. ... 12 12-13 { } ( [ ] [A $1 !? 1-0 * ; " \\ \x00 a1-a4 x - é ½-½ [A"b"]'
)
PIECES = st.one_of(st.sampled_from(WORDS_OF_RECORDS.split()), st.just("\n"))


@pytest.mark.parametrize(
    "text", ["{" * 300_000, "{ d6 " * 100_000, "d6 " + "{x} " * 200_000, "d6 " + "xa1 " * 200_000]
)
def test_large_nonsense_takes_no_longer_than_it_must(text: str) -> None:
    begun = time.process_time()
    with suppress(UsageError):
        parse_record(text)
    assert time.process_time() - begun < 5


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join)))
@example('[FEN "')
@settings(max_examples=300)
def test_whatever_is_no_record_is_refused_in_one_line(text: str) -> None:
    try:
        record = parse_record(text)
    except UsageError as error:
        assert str(error)
        assert "\n" not in str(error)
    else:
        assert parse_record(format_record(record)).turns == record.turns
