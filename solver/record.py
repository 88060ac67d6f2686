"""Records of games: the turns in order, with what PGN adds to them.

    >>> from solver import get_variant
    >>> text = '''
    ... [White "Anna"]
    ... [Black "Ben"]
    ...
    ... 1. d6 f4 2. b4 d2 {hardly good} 3. b6 f6 4. b2xf6 f6 *
    ... '''
    >>> record = parse_record(text, get_variant("nine"))
    >>> record.tags["White"], len(record.turns), record.turns[3].comment
    ('Anna', 8, 'hardly good')
    >>> str(record.end)
    'w:Wb2,b4,b6,d6:Bd2,f4,f6:H5,5'

A record is read leniently: numbers of turns, tags, comments (``{...}`` or ``;`` to the end of the
line), marks such as ``!?`` and the result may be there or not, captures may be words of their own,
and points may be numbers of PlayOK. Commas mean nothing, nor do lines that begin with ``%``. Tags
that mean something: ``Variant`` (a name such as ``six`` or ``nine -r stones=4``), ``FEN`` (the
position that the game begins with) and ``Result``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from solver.errors import UsageError
from solver.game import Game
from solver.notation import (
    CAPTURE_SIGNS,
    format_playok,
    format_turn,
    parse_position,
    parse_turn,
)
from solver.position import Position, Turn
from solver.reading import quoted
from solver.rules import Rules, get_variant

__all__ = ["RESULTS", "PlayedTurn", "Record", "format_record", "parse_record", "result_of"]

RESULTS: Final = {"1-0": "White", "0-1": "Black", "1/2-1/2": None}
"""How a game that is over can have ended, and who has then won. ``*`` stands for any other."""

_WIDTH: Final = 80
"""Characters of a line of turns at most; a longer comment is broken between words."""

_LONGEST_TURN: Final = 40
"""More characters than any turn has."""

_TOKEN: Final = re.compile(
    r"""
      (?P<tag> \[ \s* (?P<name> \w+ ) \s* " (?P<value> (?: [^"\\\n] | \\. )* ) " \s* \] )
    | \{ (?P<comment> [^}]* ) \}
    | (?P<unending> \{ ) [^}]* \Z
    | ; (?P<remark> [^\n]* )
    | (?P<nothing> (?m: ^ % [^\n]* ) | , )
    | (?P<result> (?: 1-0 | 0-1 | 1/2-1/2 | ½-½ | \* ) (?! \S ) )
    | (?P<number> \d+ \s? \.+ | \.\.+ )
    | (?P<mark> [!?]{1,2} | \$ \d+ )
    | (?P<word> [^\s{};()\[\]!?$.,]+ )
    | (?P<other> \S )
    """,
    re.VERBOSE,
)


class PlayedTurn(NamedTuple):
    """A turn of a record.

    Attributes:
        turn: what was played.
        comment: what the record says of it, on one line.
        mark: such as ``!`` or ``??``; empty if there is none.
    """

    turn: Turn
    comment: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Record:
    """A game as it was written down.

    Attributes:
        start: the position it begins with.
        turns: what was played, in order.
        tags: what the record says of the game, by name, in order: who played, when, ...
        comment: what it says before the first turn, on one line.
        result: a key of :data:`RESULTS`, or ``*`` for a game that goes on or is not known to have
            ended.
    """

    start: Position
    turns: tuple[PlayedTurn, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""
    result: str = "*"

    @property
    def positions(self) -> list[Position]:
        """The position before each turn, and the last one."""
        found = [self.start]
        for played in self.turns:
            found.append(found[-1].apply(played.turn))
        return found

    @property
    def end(self) -> Position:
        """The position after the last turn."""
        return self.positions[-1]

    @classmethod
    def of(cls, game: Game, tags: Mapping[str, str] | None = None) -> Record:
        """The record of a game so far.

        Args:
            game: what was played.
            tags: what to say of it; see :attr:`tags`.
        """
        end = game.outcome()
        result = "*"
        if end is not None:
            result = result_of(end.winner)
        turns = tuple(PlayedTurn(turn) for turn in game.turns_played)
        return cls(game.positions[0], turns, dict(tags or {}), "", result)

    def __str__(self) -> str:
        return format_record(self)

    def _repr_svg_(self) -> str:
        """Draw the last position for notebooks, with the last turn marked."""
        from solver.svg import render_svg

        return render_svg(self.end, last_turn=self.turns[-1].turn if self.turns else None)


def result_of(winner: str | None) -> str:
    """The result of a game that ``White`` or ``Black`` has won, or nobody."""
    return next(result for result, side in RESULTS.items() if side == winner)


# -- reading ------------------------------------------------------------------------------------


class _Token(NamedTuple):
    """A piece of a record: its kind (a group of the expression), what it says, where it begins."""

    kind: str
    text: str
    at: int


def parse_record(
    text: str, rules: Rules | None = None, start: Position | str | None = None
) -> Record:
    """Read the record of one game.

    Draws by repetition or by a limit of plies do not end it: whoever played on did not claim them.

    Args:
        text: the record.
        rules: the game; None for that of the tag ``Variant``, or ``nine`` if there is none.
        start: the position the game begins with, or its text; None for that of the tag ``FEN``, or
            the empty board if there is none.

    Raises:
        UsageError: something cannot be read, is not legal, or contradicts something else; says
            which word, where it is, and what is wrong with it.
    """
    text = text.removeprefix("\ufeff")
    tokens = list(_tokens(text))
    tags = _tags(text, [token for token in tokens if token.kind == "tag"])
    rules = _rules(tags, rules)
    begin = _start(tags, rules, start)
    reader = _Reader(text, begin)
    for token in tokens:
        reader.take(token)
    return reader.record(tags)


def _tokens(text: str) -> Iterator[_Token]:
    """Cut a record into its pieces; a capture that stands by itself belongs to its turn."""
    waiting: _Token | None = None
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        # The names inside a tag come after it, so the last group is not the outermost one.
        kind = "tag" if match["tag"] is not None else kind
        token = _Token(kind, match[kind] or "", match.start())
        joins = waiting is not None and len(waiting.text) < _LONGEST_TURN
        if waiting and joins and kind == "word" and token.text.startswith(CAPTURE_SIGNS):
            waiting = waiting._replace(text=waiting.text + token.text)
            continue
        if waiting:
            yield waiting
        waiting = token if kind == "word" else None
        if not waiting:
            yield token
    if waiting:
        yield waiting


def _tags(text: str, tokens: list[_Token]) -> dict[str, str]:
    """The tags of a record, by name."""
    tags: dict[str, str] = {}
    for token in tokens:
        match = _TOKEN.match(text, token.at)
        assert match is not None
        name, value = match["name"], re.sub(r"\\(.)", r"\1", match["value"])
        if name in tags:
            raise UsageError(f"the tag {name} is given twice, again at {_place(text, token.at)}")
        tags[name] = value
    return tags


def _rules(tags: Mapping[str, str], rules: Rules | None) -> Rules:
    """The game of a record, from its tags and from what the caller knows."""
    named = tags.get("Variant")
    if named is None:
        return rules or get_variant("nine")
    try:
        found = get_variant(named)
    except UsageError as error:
        if rules is not None:
            return rules  # the caller knows better than a name that other programs may have given
        raise UsageError(f"the tag Variant of the record: {error}") from None
    if rules is not None and rules != found:
        raise UsageError(f"the record says that {found.name} was played, not {rules.name}")
    return found


def _start(tags: Mapping[str, str], rules: Rules, start: Position | str | None) -> Position:
    """The position that a record begins with."""
    if isinstance(start, str):
        start = parse_position(rules, start)
    if "FEN" not in tags:
        return start or Position.start(rules)
    try:
        found = parse_position(rules, tags["FEN"])
    except UsageError as error:
        raise UsageError(f"the tag FEN of the record: {error}") from None
    if start is not None and start != found:
        raise UsageError(f"the record begins with {found}, not with {start}")
    return found


class _Reader:
    """Reads the pieces of a record one by one."""

    def __init__(self, text: str, start: Position) -> None:
        self._text = text
        self._start = self._position = start
        self._turns: list[PlayedTurn] = []
        self._comments: list[list[str]] = [[]]  # before the first turn, and behind each
        self._result: str | None = None

    def take(self, token: _Token) -> None:
        """Read the next piece.

        Raises:
            UsageError: it cannot be read, or does not belong here.
        """
        if token.kind in ("comment", "remark"):
            # Only a remark to the end of a line can hold a brace, which could not be written again.
            self._comments[-1] += token.text.replace("}", ")").split()
        elif self._result is not None:
            self._refuse(token, "the game has ended before it; give one game at a time")
        elif token.kind == "result":
            self._result = token.text.replace("½", "1/2")
        elif token.kind == "word":
            self._play(token)
        elif token.kind == "mark":
            self._add_mark(token)
        elif token.kind == "tag" and self._turns:
            self._refuse(token, "a tag stands before the first turn; give one game at a time")
        elif token.kind in ("other", "unending"):
            self._refuse(token, _EXPECTED.get(token.text, "a turn was expected"))

    def record(self, tags: Mapping[str, str]) -> Record:
        """The whole record.

        Raises:
            UsageError: its result is not the one that its tag or its last position has.
        """
        tagged = tags.get("Result", "*").replace("½", "1/2")
        if tagged not in (*RESULTS, "*"):
            raise UsageError(
                f"the tag Result of the record is {quoted(tagged)}, but it must be one of"
                f" {', '.join(RESULTS)} or *"
            )
        result = self._result if self._result not in (None, "*") else tagged
        assert result is not None
        if tagged not in ("*", result):
            raise UsageError(f"the record ends with {result}, but its tag Result is {tagged}")
        outcome = self._position.outcome()
        if outcome is not None:
            played = result_of(None if outcome.drawn else self._position.opponent_colour)
            if result not in ("*", played):
                raise UsageError(f"the record ends with {result}, but the game with {played}")
            result = played
        first, *others = (" ".join(words) for words in self._comments)
        turns = (
            played._replace(comment=comment)
            for played, comment in zip(self._turns, others, strict=True)
        )
        return Record(self._start, tuple(turns), tags, first, result)

    def _play(self, token: _Token) -> None:
        try:
            turn = parse_turn(self._position, token.text)
        except UsageError as error:
            self._refuse(token, str(error))
        self._turns.append(PlayedTurn(turn))
        self._comments.append([])
        self._position = self._position.apply(turn)

    def _add_mark(self, token: _Token) -> None:
        if not self._turns:
            self._refuse(token, "a mark stands behind a turn")
        self._turns[-1] = self._turns[-1]._replace(mark=token.text)

    def _refuse(self, token: _Token, why: str) -> None:
        """Raise the error that a piece of the record is wrong."""
        which = f"turn {len(self._turns) + 1}, " if token.kind == "word" else ""
        raise UsageError(f"{which}{quoted(token.text)} at {_place(self._text, token.at)}: {why}")


_EXPECTED: Final = {
    "(": "variations in brackets are not read, only the game itself",
    ")": "variations in brackets are not read, only the game itself",
    "{": "this comment has no end; a } was expected",
    "}": "this comment has no beginning",
    "[": 'this is not a tag, such as [White "Anna"]',
    "]": 'this is not a tag, such as [White "Anna"]',
}
"""What to say of a character that means nothing where it stands."""


def _place(text: str, at: int) -> str:
    """Where in a text something is, for people; the line is left out if there is only one."""
    lines = text.strip("\r\n").count("\n") + 1
    line = text.count("\n", 0, at) + 1
    column = f"column {at - text.rfind(chr(10), 0, at)}"
    return column if lines == 1 else f"line {line}, {column}"


# -- writing ------------------------------------------------------------------------------------


def format_record(record: Record, *, playok: bool = False) -> str:
    """The text of a record, which :func:`parse_record` reads back.

    Tags that say what the turns alone do not (``Variant``, ``FEN``, ``Result``) are always there.

    Args:
        record: the game.
        playok: whether to write points as PlayOK's numbers.

    Raises:
        UsageError: a tag or a comment holds what a record cannot have there.
    """
    tags = {name: value for name, value in record.tags.items() if name not in _OWN_TAGS}
    rules = record.start.rules
    tags["Variant"] = rules.name
    if record.start != Position.start(rules):
        tags["FEN"] = str(record.start)
    tags["Result"] = record.result
    lines = [_tag(name, value) for name, value in tags.items()]
    words = " ".join([*_words(record, playok), record.result])
    wrapped = textwrap.wrap(words, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *wrapped, ""])


_OWN_TAGS: Final = ("Variant", "FEN", "Result")


def _tag(name: str, value: str) -> str:
    """The line of a tag."""
    if re.fullmatch(r"\w+", name) is None:
        raise UsageError(f"{quoted(name)} is not the name of a tag: it must be one word")
    if "\n" in value:
        raise UsageError(f"the tag {name} must be on one line")
    return '[{} "{}"]'.format(name, re.sub(r'(["\\])', r"\\\1", value))


def _words(record: Record, playok: bool) -> Iterator[str]:
    """Numbers, turns, marks and comments in order."""
    if record.comment:
        yield _comment(record.comment)
    position = record.start
    number, after_comment = 1, True
    for played in record.turns:
        # As in PGN: White's turns are numbered, and Black's where something stands before them.
        if position.white_to_move:
            yield f"{number}."
        elif after_comment:
            yield f"{number}..."
        number += not position.white_to_move
        text = (format_playok if playok else format_turn)(position, played.turn)
        glued = played.mark if not played.mark.startswith("$") else ""
        yield text + glued
        if played.mark and not glued:
            yield played.mark
        if played.comment:
            yield _comment(played.comment)
        after_comment = bool(played.comment)
        position = position.apply(played.turn)


def _comment(text: str) -> str:
    """A comment with its braces."""
    if "}" in text:
        raise UsageError(f"the comment {quoted(text)} holds a }}, which would end it")
    return f"{{{' '.join(text.split())}}}"
