"""Rules as data: one record per variant, and the fingerprint that ties a table to its rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal

from solver.boards import BOARDS, Board
from solver.errors import UsageError

__all__ = ["OPTIONS", "VARIANTS", "Rules", "get_variant", "with_options"]

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
        flying_at: a side with exactly this many stones and none in hand moves to any free point;
            None: never.
        double_mill: how many stones two mills closed at once take, 1 or 2.
        all_in_mills: which stones may go when all of a side's stand in mills.
        fewest_stones: a side to move with fewer (board and hand together) has lost.
    """

    name: str
    board: Board
    stones: int = 9
    flying_at: int | None = 3
    double_mill: int = 1
    all_in_mills: Literal["any", "none"] = "any"
    fewest_stones: int = 3

    def double_capture_possible(self, sector: SectorCounts) -> bool:
        """Whether the next turn of a sector can take two stones, judged by counts and lines.

        Args:
            sector: mover's and opponent's stones on the board, then their hands.
        """
        mover, opponent, mover_hand, opponent_hand = sector
        # A first capture that wins ends the turn; the second one needs a stone to take.
        if self.double_mill < 2 or opponent < 2 or opponent + opponent_hand <= self.fewest_stones:
            return False
        if mover_hand:
            return mover >= _fewest_others(_crossings(self.board))
        # The stone that moves is one of the mover's, so one fewer stands still.
        flying = mover == self.flying_at
        return mover - 1 >= _fewest_others(_crossings(self.board, sliding=not flying))

    def reduced(self, sector: SectorCounts) -> dict[str, object]:
        """The rules as far as they can matter in a sector or in any that can be reached from it.

        Left out are the variant's name, the number of stones (a value depends on what is on the
        board and in hand, not on what was lost) and a double mill that takes one stone or that can
        never be closed any more. A flying limit that no side can come to counts as none. (A field
        added to the record must be left out where it says what these rules do, or every table
        made before loses its rules.)

        Args:
            sector: mover's and opponent's stones on the board, then their hands.

        Returns:
            A record that JSON can hold.
        """
        points = self.board.points
        totals = (sector[0] + sector[2], sector[1] + sector[3])
        flying = self.flying_at
        if flying is not None and not self.fewest_stones <= flying <= max(totals):
            flying = None
        record: dict[str, object] = {
            "board": self.board.name,
            "points": " ".join(points),
            "edges": " ".join(f"{points[i]}-{points[j]}" for i, j in self.board.edges),
            "lines": " ".join("".join(points[i] for i in line) for line in self.board.lines),
            "flying_at": flying,
            "all_in_mills": self.all_in_mills,
            "fewest_stones": self.fewest_stones,
        }
        if self._double_capture_ahead(sector):
            record["double_mill"] = self.double_mill
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
        if self.double_mill < 2:
            return False
        mover, opponent, mover_hand, opponent_hand = sector
        sides = ((mover, mover_hand), (opponent, opponent_hand))
        for (own, own_hand), (other, other_hand) in (sides, sides[::-1]):
            if other + other_hand <= self.fewest_stones:
                continue
            # With the last stone in hand all the others can be on the board; later all can.
            most = own + own_hand - 1
            kinds = [_crossings(self.board, sliding=True)]
            if own_hand:
                kinds.append(_crossings(self.board))
            if any(most >= _fewest_others(kind) for kind in kinds):
                return True
            if self.flying_at is not None:
                fliers = min(most, self.flying_at - 1)
                if fliers >= _fewest_others(_crossings(self.board)):
                    return True
        return False


def _crossings(board: Board, *, sliding: bool = False) -> Iterator[int]:
    """The other stones needed to close two lines at once, one number per way to do it.

    Args:
        board: the board.
        sliding: count only what a slide can do; its stone comes from neither of the two lines.
    """
    for point, through in enumerate(board.lines_through):
        for first, second in combinations(through, 2):
            others = first | second
            if not sliding or board.neighbours[point] & ~others:
                yield others.bit_count()


def _fewest_others(crossings: Iterator[int]) -> int:
    """The least of them; more than any board holds if there is none."""
    return min(crossings, default=1 << 30)


VARIANTS: dict[str, Rules] = {
    rules.name: rules for rules in (Rules(name="nine", board=BOARDS["merels24"]),)
}
"""Every variant, by its name on the command line."""


def get_variant(name: str) -> Rules:
    """The rules of a variant.

    Raises:
        UsageError: there is none of that name, in whatever case; the message lists the names
            there are.
    """
    try:
        return VARIANTS[name.strip().lower()]
    except KeyError:
        names = ", ".join(VARIANTS)
        raise UsageError(f"no variant is called {name!r}; there are: {names}") from None


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


def with_options(rules: Rules, options: Iterable[str]) -> Rules:
    """Return a variant's rules with some options changed.

    The name says which, but for those that change nothing: it is what the command line needs to
    be given again.

    Args:
        rules: of the variant.
        options: texts such as ``stones=4``, each option at most once.

    Raises:
        UsageError: there is no such option or value, or one is given twice; the message lists
            what there is.
    """
    chosen: dict[str, str] = {}
    for text in options:
        name, equals, value = (part.strip() for part in text.partition("="))
        option = OPTIONS.get(name)
        if option is None:
            known = "; ".join(f"{key}={each.valid}" for key, each in OPTIONS.items())
            raise UsageError(f"no rule option is called {name!r}; there are: {known}")
        if not equals or value not in option.values:
            raise UsageError(f"{name}={value} is not a rule; {name} may be {option.valid}")
        if name in chosen:
            raise UsageError(f"the rule option {name} is given twice")
        chosen[name] = value
    changes: dict[str, Any] = {}
    texts = [rules.name]
    for name, option in OPTIONS.items():
        if name in chosen and option.values[chosen[name]] != getattr(rules, option.field):
            changes[option.field] = option.values[chosen[name]]
            texts.append(f"-r {name}={chosen[name]}")
    return replace(rules, name=" ".join(texts), **changes)
