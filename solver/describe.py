"""Rules, and how a game has ended, in plain words."""

from __future__ import annotations

from solver.position import Outcome, Position
from solver.results import Result
from solver.rules import Rules, options_of

__all__ = [
    "capitalised",
    "describe_due",
    "describe_end",
    "describe_rules",
    "describe_sides",
    "describe_value",
    "in_words",
    "plies",
]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def describe_end(position: Position, outcome: Outcome) -> str:
    """How a game has ended, as a sentence without its capital and its stop.

    Args:
        position: the last one.
        outcome: its own.
    """
    mover = position.mover_colour
    if outcome is Outcome.FULL_BOARD:
        return "it is a draw: the board is full"
    if outcome is Outcome.MILL:
        return f"{mover} has lost: {position.opponent_colour} has closed a mill"
    if outcome is Outcome.TOO_FEW_STONES:
        left = position.sector.mover_total
        return f"{mover} has lost: {left} stone{'' if left == 1 else 's'} left"
    return f"{mover} has lost: no stone can {'be placed' if position.mover_hand else 'move'}"


def capitalised(text: str) -> str:
    """A text with a capital at its beginning; all else stays as it is."""
    return text[:1].upper() + text[1:]


def describe_due(position: Position) -> str:
    """What the side to move has to do now, in sentences with an example of a legal turn.

    Args:
        position: one in which the game is not over.
    """
    rules = position.rules
    turns = [(turn, turn.text(rules.board)) for turn in position.turns()]
    mover, hand = position.mover_colour, position.mover_hand
    placed = next((text for turn, text in turns if turn.origin is None), None)
    moved = next((text for turn, text in turns if turn.origin is not None), None)
    taking = next((text for turn, text in turns if turn.captures), None)
    parts = []
    if placed is not None:
        left = "the last one" if hand == 1 else f"{in_words(hand)} left"
        parts.append(f"place a stone ({left}) on a free point, such as {placed}")
    if moved is not None:
        where = "any free point" if position.flying else "a free point next to it"
        parts.append(f"move a stone to {where}, such as {moved}")
    text = f"{mover} has to {' or '.join(parts)}."
    if taking is not None:
        text += f" Closing a mill takes a stone in the same turn, such as {taking}."
    return text


def describe_sides(position: Position) -> str:
    """Whose turn it is, and the stones, such as ``White to move, 3 stones against 4``."""
    sector = position.sector
    stones = f"{sector.mover} stone{'' if sector.mover == 1 else 's'}"
    flying = " (flying)" if position.flying else ""
    text = f"{position.mover_colour} to move, {stones}{flying} against {sector.opponent}"
    if not sector.moving:
        text += f"; in hand {sector.mover_hand} against {sector.opponent_hand}"
    return f"{text}."


def describe_value(position: Position, result: Result) -> str:
    """The value from the mover's side in a sentence, such as ``White wins in 15 plies``."""
    mover = position.mover_colour
    outcome = position.outcome()
    if outcome is not None:
        text = describe_end(position, outcome)
        return f"{capitalised(text)}."
    if result.value == "draw":
        return "The game is a draw with best play."
    verb = "wins" if result.value == "win" else "loses"
    if result.dtw is None:
        return f"{mover} {verb}; in how many plies, only a table of distances would tell."
    return f"{mover} {verb} in {plies(result.dtw)}."


def describe_rules(rules: Rules) -> dict[str, str]:
    """Every rule of a variant in words, by what it is about."""
    board = rules.board
    return {
        "board": f"{board.name}: {board.size} points, {len(board.edges) or 'no'} edges,"
        f" {len(board.lines)} lines",
        "stones": _stones(rules),
        "turns": _turns(rules),
        "flying": _flying(rules),
        "a mill": _mill(rules),
        "two at once": _two_mills(rules),
        "protection": _protection(rules),
        "rows": _rows(rules),
        "lost": _lost(rules),
        "full board": _full_board(rules),
        "repetition": _repetition(rules),
        "quiet limit": _quiet_limit(rules),
        "with -r": _options(rules),
    }


def in_words(number: int) -> str:
    """A small number as a word, another in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def plies(number: int) -> str:
    """A distance in words: ``1 ply``, ``15 plies``."""
    return f"{number} {'ply' if number == 1 else 'plies'}"


def _stones(rules: Rules) -> str:
    first, second = rules.hands
    if first == second:
        return f"{first} for each side"
    return f"{first} for the side that begins, {second} for the other"


def _turns(rules: Rules) -> str:
    if not rules.stones_move:
        return "a stone is placed on a free point; none ever moves"
    if rules.place_or_slide:
        return (
            "a stone is placed on a free point, or one on the board slides along an edge; with an"
            " empty hand only that"
        )
    return "a stone is placed on a free point; once all are placed, one slides along an edge"


def _flying(rules: Rules) -> str:
    if rules.flying_at is None:
        return "never"
    stones = f"a side with exactly {in_words(rules.flying_at)} stones"
    if rules.place_or_slide:
        return f"{stones}, on the board and in hand together, moves one to any free point"
    return f"{stones}, all placed, moves one to any free point"


def _mill(rules: Rules) -> str:
    if rules.mill_wins:
        return "wins at once"
    row = " (exactly three in a row)" if rules.long_lines_forbidden else ""
    return f"takes a stone of the other side in the same turn, if one may be taken{row}"


def _two_mills(rules: Rules) -> str:
    if rules.mill_wins:
        return "win as one does"
    if rules.double_mill == 1:
        return "take one stone as well"
    return "take two stones, the second chosen when the first has gone"


def _protection(rules: Rules) -> str:
    if rules.mill_wins:
        return "none is needed: no stone is ever taken"
    if not rules.mills_protect:
        return "none: any stone may be taken"
    last = "any may" if rules.all_in_mills == "any" else "none may"
    return (
        f"a stone in a mill may not be taken while another is in none; if all are in mills, {last}"
    )


def _rows(rules: Rules) -> str:
    if not rules.long_lines_forbidden:
        return "none is forbidden"
    return (
        "no turn may place a stone that makes three or more in a row, nor move one that makes four"
        " or more"
    )


def _lost(rules: Rules) -> str:
    if rules.mill_wins:
        return "a side to move whose opponent has a mill, or with no legal turn"
    few = f"fewer than {in_words(rules.fewest_stones)} stones in all"
    return f"a side to move with {few}, or with no legal turn"


def _full_board(rules: Rules) -> str:
    if rules.full_board_draws:
        return "a draw, once all stones are placed"
    if sum(rules.hands) < rules.board.size:
        return "cannot come: there are fewer stones than points"
    return "the side to move has no legal turn and has lost"


def _repetition(rules: Rules) -> str:
    if not rules.repetition:
        return "no rule"
    times = in_words(rules.repetition)
    return f"a draw when the same stones, hands and side to move occur {times} times in a game"


def _quiet_limit(rules: Rules) -> str:
    if not rules.quiet_limit:
        return "no rule"
    return f"a draw after {plies(rules.quiet_limit)} without a capture, once all stones are placed"


def _options(rules: Rules) -> str:
    texts = [f"{name}={option.valid}" for name, option in options_of(rules).items()]
    return "; ".join(texts) or "none"
