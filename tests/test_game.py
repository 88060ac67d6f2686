"""Games with their history: who has won, and when a draw is due."""

from __future__ import annotations

import random
from operator import attrgetter

import pytest
from strategies import NINE

from solver.errors import UsageError
from solver.game import Draw, Game, GameEnd, warning
from solver.notation import parse_position
from solver.position import Outcome, Position, Turn
from solver.results import Result
from solver.rules import VARIANTS, Rules, get_variant

SHUFFLE = ["a1-a4", "g7-g4", "a4-a1", "g4-g7"]
"""Four plies that lead back to where they began."""
QUIET = "w:Wa1,b2,c3,f4:Bg7,f6,e5,b4"


def game_from(text: str, rules: Rules = NINE, **limits: int | None) -> Game:
    return Game(parse_position(rules, text), **limits)


def played(game: Game, turns: str | list[str]) -> Game:
    for text in turns.split() if isinstance(turns, str) else turns:
        game.play(text)
    return game


def test_a_new_game() -> None:
    game = Game(NINE)
    assert game.position == Position.start(NINE)
    assert game.rules is NINE
    assert game.positions == (Position.start(NINE),)
    assert game.turns_played == ()
    assert (game.occurrences, game.plies_without_capture) == (1, 0)
    assert game.outcome() is None
    assert game.draw_due is None
    assert (game.repetition, game.quiet_limit) == (3, 60)


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_limits_are_those_of_the_variant_unless_given(rules: Rules) -> None:
    game = Game(rules)
    assert (game.repetition, game.quiet_limit) == (rules.repetition, rules.quiet_limit)
    game = Game(rules, repetition=0, quiet_limit=100)
    assert (game.repetition, game.quiet_limit) == (0, 100)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"repetition": 1}, "by occurring 1 times; give 2 or more, or 0"),
        ({"repetition": -1}, "by occurring -1 times"),
        ({"quiet_limit": -5}, "after -5 plies; give 1 or more, or 0"),
    ],
)
def test_limits_without_sense_are_refused(limits: dict[str, int], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Game(NINE, **limits)


def test_a_position_that_cannot_be_begins_no_game() -> None:
    with pytest.raises(UsageError, match="White has 1"):
        Game(Position(NINE, 0, 0, True, 10, 10))


def test_turns_are_played_by_text_or_as_turns_and_taken_back() -> None:
    game = Game(NINE)
    first = game.play(" D6 ")
    assert first == Turn(None, NINE.board.point_index["d6"])
    second = game.play(game.position.turns()[0])
    assert game.turns_played == (first, second)
    assert len(game.positions) == 3
    assert game.undo() == second
    assert game.undo() == first
    assert game.position == Position.start(NINE)
    with pytest.raises(UsageError, match="there is no turn to take back"):
        game.undo()


def test_an_illegal_turn_changes_nothing() -> None:
    game = played(Game(NINE), "d6")
    before = game.positions
    with pytest.raises(UsageError, match="d6 is occupied"):
        game.play("d6")
    with pytest.raises(UsageError, match="is not a legal turn of b:Wd6:B:H8,9"):
        game.play(Turn(None, 99))
    assert game.positions == before
    assert len(game.turns_played) == 1


def test_the_third_occurrence_is_a_draw() -> None:
    game = game_from(QUIET)
    played(game, SHUFFLE)
    assert (game.occurrences, game.draw_due, game.outcome()) == (2, None, None)
    played(game, SHUFFLE)
    assert game.occurrences == 3
    assert game.draw_due is Draw.REPETITION
    text = "it is a draw: this position has occurred three times"
    assert game.outcome() == GameEnd(None, Draw.REPETITION, text)
    with pytest.raises(UsageError, match="the game is over, it is a draw: this position has occ"):
        game.play("a1-a4")
    game.undo()
    assert game.outcome() is None
    assert game.occurrences == 2


def test_repetition_can_be_switched_off_or_changed() -> None:
    assert played(game_from(QUIET, repetition=0), SHUFFLE * 3).outcome() is None
    assert played(game_from(QUIET, repetition=2), SHUFFLE).draw_due is Draw.REPETITION


def test_the_side_to_move_and_hands_belong_to_what_occurs() -> None:
    game = game_from("w:Wa1,b2:Bg7,f6:H5,5", get_variant("lasker"))
    played(game, SHUFFLE)
    assert game.occurrences == 2
    played(game, ["d1", "d7", *SHUFFLE])
    assert game.occurrences == 2
    # White makes in three plies what Black could in one: the same stones, another side to move.
    game = played(game_from("w:Wa1,b2,c3:Bg7,f6,d7"), ["a1-a4", "g7-g4", "a4-a1", "g4-g7", "a1-a4"])
    assert game.occurrences == 2


def test_plies_are_counted_from_when_all_stones_are_placed() -> None:
    game = game_from("w:Wa1,b2,c3:Bg7,f6,b4:H1,1")
    assert game.plies_left() == 62
    played(game, "f4 e5")
    assert (game.plies_without_capture, game.plies_left()) == (0, 60)
    played(game, "a1-a4")
    assert (game.plies_without_capture, game.plies_left()) == (1, 59)
    game.undo()
    assert game.plies_without_capture == 0


def test_lasker_counts_nothing_while_a_hand_holds_stones() -> None:
    game = game_from("w:Wa1,b2,c3:Bg7,f6:H0,5", get_variant("lasker"))
    played(game, "a1-a4 g7-g4")
    assert (game.plies_without_capture, game.plies_left()) == (0, None)


def test_the_quiet_limit_is_a_draw() -> None:
    game = played(game_from(QUIET, quiet_limit=3), SHUFFLE[:2])
    assert (game.outcome(), game.plies_left()) == (None, 1)
    game.play(SHUFFLE[2])
    assert game.draw_due is Draw.QUIET_LIMIT
    assert game.plies_left() == 0
    assert game.outcome() == (None, Draw.QUIET_LIMIT, "it is a draw: 3 plies without a capture")
    assert game_from(QUIET, quiet_limit=0).plies_left() is None
    assert played(game_from(QUIET, repetition=0, quiet_limit=0), SHUFFLE * 30).outcome() is None


def test_a_capture_on_the_ply_that_reaches_the_limit_counts_first() -> None:
    text = "w:Wa1,d1,g4,c5:Bb6,d6,f4,e3"
    game = played(game_from(text, quiet_limit=1), ["g4-g1xe3"])
    assert (game.plies_without_capture, game.plies_left(), game.outcome()) == (0, 1, None)
    game = played(game_from(text, quiet_limit=3), "c5-c4 e3-e4 g4-g1xf4")
    assert game.outcome() is None


def test_a_win_on_the_ply_that_reaches_the_limit_is_a_win() -> None:
    game = played(game_from("w:Wa1,d1,g4,c5:Bb6,d6,f6", quiet_limit=1), ["g4-g1xb6"])
    assert game.outcome() == (
        "White",
        Outcome.TOO_FEW_STONES,
        "Black has lost: 2 stones left",
    )
    blocked = "b:Wa1,a4,d7,a7:Bb4,d1,g7,d5"
    game = game_from(blocked, quiet_limit=1)
    game.play("d5-d6")
    assert game.outcome() == ("Black", Outcome.BLOCKED, "White has lost: no stone can move")
    assert game.draw_due is None
    # Without the win it would be a draw.
    game.undo()
    game.play("d5-c5")
    assert game.outcome() == (None, Draw.QUIET_LIMIT, "it is a draw: 1 ply without a capture")


def test_a_mill_wins_where_it_does() -> None:
    game = played(game_from("w:Wa3,b3,c2:Ba1,a2,b1", get_variant("three"), quiet_limit=1), "c2-c3")
    assert game.outcome() == ("White", Outcome.MILL, "Black has lost: White has closed a mill")
    game = played(Game(get_variant("tic-tac-toe")), "a3 b2 b3 a1 c3")
    assert game.outcome() == ("White", Outcome.MILL, "Black has lost: White has closed a mill")
    with pytest.raises(UsageError, match="the game is over, Black has lost"):
        game.play("c1")


def test_a_full_board_is_a_draw() -> None:
    game = played(Game(get_variant("tic-tac-toe")), "b2 a1 a2 c2 b3 b1 c1 a3 c3")
    assert game.outcome() == (None, Outcome.FULL_BOARD, "it is a draw: the board is full")
    assert game.draw_due is None


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=attrgetter("name"))
def test_random_games_keep_their_books(rules: Rules) -> None:
    chance = random.Random(rules.name)
    game = Game(rules, quiet_limit=12)
    while game.outcome() is None:
        game.play(chance.choice(game.position.turns()))
    again = Game(rules, quiet_limit=12)
    for turn, position in zip(game.turns_played, game.positions, strict=False):
        assert again.position == position
        assert again.outcome() is None
        quiet = again.plies_without_capture
        again.play(turn)
        expected = 0 if turn.captures or not position.moving else quiet + 1
        assert again.plies_without_capture == expected
    assert again.outcome() == game.outcome()
    while game.turns_played:
        game.undo()
    assert game.position == Position.start(rules)
    assert (game.occurrences, game.plies_without_capture) == (1, 0)


@pytest.mark.parametrize(
    ("result", "left", "said"),
    [
        (Result("draw", None), 0, None),
        (Result("win", None), 5, None),  # only its value is known
        (Result("win", 61), None, None),
        (Result("win", 59), 60, None),
        (Result("loss", 60), 60, None),
        (Result("win", 61), 60, "The win takes 61 plies, longer than the 60 plies that a game"),
        (Result("loss", 62), 1, "The loss takes 62 plies, longer than the 1 ply that a game"),
        (Result("loss", 2), 0, "The loss takes 2 plies, longer than the limit of plies without a"),
    ],
)
def test_warnings(result: Result, left: int | None, said: str | None) -> None:
    text = warning(result, left)
    if said is None:
        assert text is None
    else:
        assert text is not None
        assert text.startswith(said)
        assert text.endswith(": unless stones are taken in time, the game is a draw.")
        assert text.count(".") == 1
        assert str(warning(result, left, stones_taken=False)).endswith(": it is a draw.")
