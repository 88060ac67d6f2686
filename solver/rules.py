"""Rules as data: one record per variant, and the fingerprint that ties a table to its rules."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, Final, Literal

from solver.boards import BOARDS, Board
from solver.errors import UsageError
from solver.reading import quoted, shortened

__all__ = [
    "OPTIONS",
    "VARIANTS",
    "RuleOption",
    "Rules",
    "get_variant",
    "options_of",
    "with_options",
]

SectorCounts = tuple[int, int, int, int]
"""Stones of the mover and the opponent on the board, then in hand: any ``sectors.Sector``."""


@dataclass(frozen=True)
class Rules:
    """A variant of the game.

    Attributes:
        name: the variant as the command line has it, with the options that change it, such as
            ``nine -r stones=4``.
        board: what it is played on.
        stones: how many each side begins with in hand.
        second_stones: how many the second player begins with; None: as many as the first.
        flying_at: a side with exactly this many stones (board and hand together) moves those on
            the board to any free point; None: never.
        mill_wins: whether closing a mill wins at once; otherwise it takes a stone.
        double_mill: how many stones two mills closed at once take, 1 or 2.
        mills_protect: whether stones in mills are protected while another is in none.
        all_in_mills: which stones may go when all of a side's stand in mills.
        fewest_stones: a side to move with fewer (board and hand together) has lost.
        full_board_draws: whether a full board with empty hands is a draw; otherwise the side to
            move is blocked and has lost.
        place_or_slide: whether a side with stones in hand may move one on the board instead of
            placing one.
        long_lines_forbidden: whether no turn may make a row longer than a line, nor a placed stone
            a line.
        repetition: a position that occurs so often in a game makes it a draw; 0: never.
        quiet_limit: so many plies without a capture, counted once hands are empty, make a game a
            draw; 0: never. Values in tables leave both out.
    """

    name: str
    board: Board
    stones: int = 9
    second_stones: int | None = None
    flying_at: int | None = 3
    mill_wins: bool = False
    double_mill: int = 1
    mills_protect: bool = True
    all_in_mills: Literal["any", "none"] = "any"
    fewest_stones: int = 3
    full_board_draws: bool = False
    place_or_slide: bool = False
    long_lines_forbidden: bool = False
    repetition: int = 3
    quiet_limit: int = 60

    def __hash__(self) -> int:
        # Rules are keys of caches, asked for with every move; the name tells nearly all apart.
        return hash(self.name)

    @property
    def hands(self) -> tuple[int, int]:
        """The stones that the first and the second player begin with."""
        return self.stones, self.stones if self.second_stones is None else self.second_stones

    @property
    def stones_move(self) -> bool:
        """Whether a stone on the board can ever move."""
        return bool(self.board.edges) or self.flying_at is not None

    def flies(self, stones: int, hand: int) -> bool:
        """Whether the stones of a side may move to any free point.

        Args:
            stones: of the side on the board.
            hand: in its hand.
        """
        return stones + hand == self.flying_at and (not hand or self.place_or_slide)

    def double_capture_possible(self, sector: SectorCounts) -> bool:
        """Whether the next turn of a sector can take two stones, judged by counts and lines.

        Args:
            sector: mover's and opponent's stones on the board, then their hands.
        """
        mover, opponent, mover_hand, opponent_hand = sector
        # A first capture that wins ends the turn; the second one needs a stone to take.
        if self.mill_wins or self.double_mill < 2:
            return False
        if opponent < 2 or opponent + opponent_hand <= self.fewest_stones:
            return False
        if mover_hand and not self.long_lines_forbidden and mover >= _fewest_others(self.board):
            return True
        if mover_hand and not self.place_or_slide:
            return False
        # The stone that moves is one of the mover's, so one fewer stands still.
        slides = not self.flies(mover, mover_hand)
        return mover - 1 >= _fewest_others(self.board, sliding=slides)

    def reduced(self, sector: SectorCounts) -> dict[str, object]:
        """The rules as far as they can matter in a sector or in any that can be reached from it.

        Left out are the variant's name, the number of stones (a value depends on what is on the
        board and in hand, not on what was lost), the draws that depend on a game's history, and
        whatever can do nothing any more: a double mill that cannot be closed, a full board that
        cannot come, a choice between placing and moving with nothing to place. A flying limit that
        no side can come to counts as none. (A field added to the record must be left out where it
        says what these rules do, or every table made before loses its rules.)

        Args:
            sector: mover's and opponent's stones on the board, then their hands.

        Returns:
            A record that JSON can hold.
        """
        totals = (sector[0] + sector[2], sector[1] + sector[3])
        flying = self.flying_at
        if flying is not None and not self.fewest_stones <= flying <= max(totals):
            flying = None
        record: dict[str, object] = {
            **_spelled_board(self.board),
            "flying_at": flying,
            "all_in_mills": self.all_in_mills,
            "fewest_stones": self.fewest_stones,
        }
        if self._double_capture_ahead(sector):
            record["double_mill"] = self.double_mill
        if self.mill_wins:
            record["mill_wins"] = True
        if not self.mills_protect:
            record["mills_protect"] = False
        if self.full_board_draws and sum(totals) >= self.board.size:
            record["full_board_draws"] = True
        if self.place_or_slide and (sector[2] or sector[3]):
            record["place_or_slide"] = True
        if self.long_lines_forbidden:
            record["long_lines_forbidden"] = True
        return record

    def fingerprint(self, sector: SectorCounts) -> str:
        """16 hexadecimal digits that tell one sector's reduced rules from any others.

        The beginning of the SHA-256 of their canonical JSON (sorted keys, no spaces).
        """
        text = json.dumps(self.reduced(sector), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def folder(self, sector: SectorCounts) -> str:
        """The database sub-folder for a sector's table, such as ``merels24-1a2b3c4d``."""
        return f"{self.board.name}-{self.fingerprint(sector)[:8]}"

    def _double_capture_ahead(self, sector: SectorCounts) -> bool:
        """Whether a turn in a sector or after it can take two; totals and hands only fall."""
        if self.mill_wins or self.double_mill < 2:
            return False
        mover, opponent, mover_hand, opponent_hand = sector
        sides = ((mover, mover_hand), (opponent, opponent_hand))
        for (own, own_hand), (other, other_hand) in (sides, sides[::-1]):
            if other + other_hand <= self.fewest_stones:
                continue
            # With the last stone in hand all the others can be on the board; later all can.
            most = own + own_hand - 1
            needs = [_fewest_others(self.board, sliding=True)]
            if own_hand and not self.long_lines_forbidden:
                needs.append(_fewest_others(self.board))
            if most >= min(needs):
                return True
            if self.flying_at is not None:
                fliers = min(most, self.flying_at - 1)
                if fliers >= _fewest_others(self.board):
                    return True
        return False


@cache
def _spelled_board(board: Board) -> dict[str, str]:
    """A board's name, points, edges and lines, as the record of reduced rules has them."""
    points = board.points
    return {
        "board": board.name,
        "points": " ".join(points),
        "edges": " ".join(f"{points[i]}-{points[j]}" for i, j in board.edges),
        "lines": " ".join("".join(points[i] for i in line) for line in board.lines),
    }


@cache
def _fewest_others(board: Board, *, sliding: bool = False) -> int:
    """The fewest other stones needed to close two lines at once; a great number if none can.

    Args:
        board: the board.
        sliding: count only what a slide can do; its stone comes from neither of the two lines.
    """
    needed = (
        (first | second).bit_count()
        for point, through in enumerate(board.lines_through)
        for first, second in combinations(through, 2)
        # Lines that share another point too make a longer row, which is no two lines.
        if not first & second and (not sliding or board.neighbours[point] & ~(first | second))
    )
    return min(needed, default=1 << 30)


_MERELS: Final = BOARDS["merels24"]
_MERELS_D: Final = BOARDS["merels24d"]
_MERELS_16: Final = BOARDS["merels16"]

VARIANTS: dict[str, Rules] = {
    rules.name: rules
    for rules in (
        Rules("nine", _MERELS),
        Rules("nine-no-flying", _MERELS, flying_at=None),
        Rules("nine-tournament", _MERELS, double_mill=2),
        Rules("six", _MERELS_16, stones=6, flying_at=None),
        Rules("five", _MERELS_16, stones=5, flying_at=None),
        Rules("four", _MERELS_16, stones=4, flying_at=None),
        Rules("seven", _MERELS_16, stones=7, flying_at=None),
        Rules("ten", _MERELS, stones=10),
        Rules("eleven", _MERELS_D, stones=11),
        Rules("twelve", _MERELS_D, stones=12),
        Rules(
            "morabaraba", _MERELS_D, stones=12, full_board_draws=True, repetition=0, quiet_limit=0
        ),
        Rules("lasker", _MERELS, stones=10, place_or_slide=True),
        Rules("three", BOARDS["grid3d"], stones=3, flying_at=None, mill_wins=True, quiet_limit=120),
        Rules(
            "tic-tac-toe",
            BOARDS["grid3"],
            stones=5,
            second_stones=4,
            flying_at=None,
            mill_wins=True,
            full_board_draws=True,
            repetition=0,
            quiet_limit=0,
        ),
        Rules(
            "dara",
            BOARDS["grid6x5"],
            stones=12,
            flying_at=None,
            mills_protect=False,
            long_lines_forbidden=True,
            quiet_limit=120,
        ),
    )
}
"""Every variant, by its name on the command line."""


def get_variant(name: str) -> Rules:
    """The rules of a variant, by its name or, with options, by :attr:`Rules.name`.

    Args:
        name: such as ``six`` or ``nine -r stones=4``, in whatever case.

    Raises:
        UsageError: there is none of that name, and the message lists the names there are; or an
            option is wrong.
    """
    variant, *options = re.split(r"\s-r\s", name.strip().lower())
    try:
        rules = VARIANTS[variant.strip()]
    except KeyError:
        names = ", ".join(VARIANTS)
        raise UsageError(f"no variant is called {name!r}; there are: {names}") from None
    return with_options(rules, options) if options else rules


MOST_STONES: Final = 12
"""The most stones that the option gives each side."""


@dataclass(frozen=True)
class RuleOption:
    """Something about the rules that the user may change.

    Attributes:
        field: the field of :class:`Rules` it sets.
        values: what each text it may be given stands for.
        valid: the same in words.
    """

    field: str
    values: Mapping[str, int | str | None]
    valid: str


OPTIONS: Final[Mapping[str, RuleOption]] = {
    "stones": RuleOption(
        "stones", {str(n): n for n in range(3, MOST_STONES + 1)}, f"3 to {MOST_STONES}"
    ),
    "flying": RuleOption("flying_at", {"3": 3, "never": None}, "3 or never"),
    "double-mill": RuleOption("double_mill", {"1": 1, "2": 2}, "1 or 2"),
    "all-in-mills": RuleOption("all_in_mills", {"any": "any", "none": "none"}, "any or none"),
}
"""Every option by its name on the command line, in the order that names of rules have them."""


def _without_meaning(rules: Rules, option: str) -> str | None:
    """Why an option says nothing about a variant; None if it does."""
    if option == "stones":
        unequal = rules.second_stones is not None
        return "its stones are as many as the board has points" if unequal else None
    if option == "flying":
        return None if rules.stones_move else "no stone ever moves"
    if rules.mill_wins:
        return "a mill wins at once and takes nothing"
    if option == "all-in-mills" and not rules.mills_protect:
        return "no stone is ever protected"
    return None


def options_of(rules: Rules) -> dict[str, RuleOption]:
    """The options that mean something in a variant, by name."""
    return {
        name: option for name, option in OPTIONS.items() if _without_meaning(rules, name) is None
    }


def with_options(rules: Rules, options: Iterable[str]) -> Rules:
    """Return a variant's rules with some options changed.

    The name says which, but for those that change nothing: it is what the command line needs to
    be given again.

    Args:
        rules: of the variant.
        options: texts such as ``stones=4``, each option at most once.

    Raises:
        UsageError: there is no such option or value, one is given twice, or one means nothing in
            the variant; the message lists what there is.
    """
    chosen: dict[str, str] = {}
    for text in options:
        name, equals, value = (part.strip() for part in text.partition("="))
        option = OPTIONS.get(name)
        if option is None:
            known = "; ".join(f"{key}={each.valid}" for key, each in OPTIONS.items())
            raise UsageError(f"no rule option is called {quoted(name)}; there are: {known}")
        if not equals or value not in option.values:
            raise UsageError(
                f"{shortened(f'{name}={value}')} is not a rule; {name} may be {option.valid}"
            )
        if name in chosen:
            raise UsageError(f"the rule option {name} is given twice")
        why = _without_meaning(rules, name)
        if why:
            raise UsageError(f"{name} means nothing in {rules.name}: {why}")
        chosen[name] = value
    changes: dict[str, Any] = {}
    texts = [rules.name]
    for name, option in OPTIONS.items():
        if name in chosen and option.values[chosen[name]] != getattr(rules, option.field):
            changes[option.field] = option.values[chosen[name]]
            texts.append(f"-r {name}={chosen[name]}")
    return replace(rules, name=" ".join(texts), **changes)
