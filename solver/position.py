"""Positions: who stands where, who is to move, what can be played.

A turn is whole: the stone placed or moved together with what it takes. `solver.notation` reads
and writes the texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from solver.boards import Board, apply_automorphism
from solver.errors import ImpossiblePositionError
from solver.laws import can_step, capture_order, capture_sets, forbidden_rows, holds_any, steps
from solver.rules import Rules
from solver.sectors import Sector, hands_fit, most_stones

__all__ = ["Outcome", "Position", "Turn"]


class Outcome(str, Enum):
    """Why the game is over."""

    TOO_FEW_STONES = "too few stones"
    BLOCKED = "blocked"
    MILL = "the opponent has a mill"
    FULL_BOARD = "the board is full"

    @property
    def drawn(self) -> bool:
        """Whether the game is drawn; otherwise the side to move has lost."""
        return self is Outcome.FULL_BOARD


class Turn(NamedTuple):
    """One complete turn, by point indices of the board.

    Attributes:
        origin: where the stone came from; None if it was placed.
        target: where it went.
        captures: what it took, in a legal order, alphabetical where both orders are.
    """

    origin: int | None
    target: int
    captures: tuple[int, ...] = ()

    def text(self, board: Board) -> str:
        """The turn in the notation of the project, such as ``f2-f4xd5``."""
        points = board.points
        move = points[self.target]
        if self.origin is not None:
            move = f"{points[self.origin]}-{move}"
        if not self.captures:
            return move
        return "x".join([move, *(points[point] for point in self.captures)])


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game; immutable, comparable, hashable.

    The constructor takes what it is given; `validate` refuses what cannot be.

    Attributes:
        rules: the game it belongs to.
        white: mask of the white stones.
        black: mask of the black stones.
        white_to_move: whether it is White's turn.
        white_hand: stones White has yet to place.
        black_hand: stones Black has yet to place.
    """

    rules: Rules
    white: int
    black: int
    white_to_move: bool = True
    white_hand: int = 0
    black_hand: int = 0

    @classmethod
    def start(cls, rules: Rules) -> Position:
        """The empty board, White to move."""
        return cls(rules, 0, 0, True, *rules.hands)

    @classmethod
    def parse(cls, rules: Rules, text: str) -> Position:
        """Read a position; see `solver.notation.parse_position`.

        Raises:
            UsageError: the text is wrong, or the position cannot be.
        """
        from solver.notation import parse_position  # notation builds on this module

        return parse_position(rules, text)

    def format(self) -> str:
        """The canonical text; see `solver.notation.format_position`."""
        from solver.notation import format_position  # notation builds on this module

        return format_position(self)

    def __str__(self) -> str:
        return self.format()

    def _repr_svg_(self) -> str:
        """The picture that notebooks show; see `solver.svg.render_svg`."""
        from solver.svg import render_svg  # draws this module's positions

        return render_svg(self)

    @property
    def side(self) -> Literal["w", "b"]:
        """The side to move."""
        return "w" if self.white_to_move else "b"

    @property
    def mover_colour(self) -> str:
        """The side to move, as ``White`` or ``Black``."""
        return "White" if self.white_to_move else "Black"

    @property
    def opponent_colour(self) -> str:
        """The other side, as ``White`` or ``Black``."""
        return "Black" if self.white_to_move else "White"

    @property
    def mover_mask(self) -> int:
        """The stones of the side to move."""
        return self.white if self.white_to_move else self.black

    @property
    def opponent_mask(self) -> int:
        """The stones of the other side."""
        return self.black if self.white_to_move else self.white

    @property
    def mover_hand(self) -> int:
        """The stones in the hand of the side to move."""
        return self.white_hand if self.white_to_move else self.black_hand

    @property
    def opponent_hand(self) -> int:
        """The stones in the other side's hand."""
        return self.black_hand if self.white_to_move else self.white_hand

    @property
    def moving(self) -> bool:
        """Whether both hands are empty."""
        return not (self.white_hand or self.black_hand)

    @property
    def flying(self) -> bool:
        """Whether the side to move may move a stone to any free point."""
        return self.rules.flies(self.mover_mask.bit_count(), self.mover_hand)

    @property
    def sector(self) -> Sector:
        """The stone counts, the side to move first."""
        return Sector(
            self.mover_mask.bit_count(),
            self.opponent_mask.bit_count(),
            self.mover_hand,
            self.opponent_hand,
        )

    def mills(self) -> list[tuple[Literal["white", "black"], tuple[int, ...]]]:
        """Every line that one side's stones fill, with the side, in the order of the lines."""
        board = self.rules.board
        sides: tuple[tuple[Literal["white", "black"], int], ...]
        sides = (("white", self.white), ("black", self.black))
        return [
            (side, line)
            for line, mask in zip(board.lines, board.line_masks, strict=True)
            for side, stones in sides
            if stones & mask == mask
        ]

    def validate(self) -> None:
        """Refuse a position that cannot be.

        It need not be reachable, and it may be lost already, but not for the side not to move.

        Raises:
            ImpossiblePositionError: a UsageError that says which law is broken.
        """
        self._check_points()
        self._check_stones()
        rules, board = self.rules, self.rules.board
        if rules.mill_wins and holds_any(self.mover_mask, board.line_masks):
            mover = self.mover_colour
            raise ImpossiblePositionError(
                f"the game ended before {mover}'s turn: {mover} has a mill already, which wins",
                "mill",
                {"colour": mover.lower()},
            )
        for colour, mask in (("White", self.white), ("Black", self.black)):
            for row in forbidden_rows(rules, placing=not self.moving):
                if mask & row == row:
                    points = board.names_of(row)
                    raise ImpossiblePositionError(
                        f"{colour}'s stones on {', '.join(points)} cannot be: a row of"
                        f" {len(points)} is forbidden"
                        f"{'' if self.moving else ' while stones are placed'}",
                        "row",
                        {"colour": colour.lower(), "points": points},
                    )

    def _check_points(self) -> None:
        """Refuse stones that are on no point or on one together."""
        board = self.rules.board
        if (self.white | self.black) & ~board.full_mask:
            raise ImpossiblePositionError(
                f"a stone stands on none of the {board.size} points of {board.name}",
                "off board",
                {"board": board.name, "size": board.size},
            )
        if self.white & self.black:
            points = board.names_of(self.white & self.black)
            raise ImpossiblePositionError(
                f"{' and '.join(points)} cannot hold a white and a black stone at once",
                "overlap",
                {"points": points},
            )

    def _check_stones(self) -> None:
        """Refuse numbers of stones, on the board and in the hands, that cannot be."""
        rules, sector = self.rules, self.sector
        for colour, hand in (("White", self.white_hand), ("Black", self.black_hand)):
            if hand < 0:
                raise ImpossiblePositionError(
                    f"{colour}'s hand cannot hold {hand} stones",
                    "negative hand",
                    {"colour": colour.lower(), "hand": hand},
                )
        mover, opponent = self.mover_colour, self.opponent_colour
        if not hands_fit(rules, self.mover_hand, self.opponent_hand):
            raise ImpossiblePositionError(
                f"the hands do not fit {mover}'s turn: {mover} holds {self.mover_hand} and"
                f" {opponent} {self.opponent_hand}, but the side to move holds as many as the other"
                " or one more",
                "hands",
                {
                    "mover": mover.lower(),
                    "mover_hand": self.mover_hand,
                    "opponent_hand": self.opponent_hand,
                },
            )
        most = most_stones(rules, self.mover_hand, self.opponent_hand)
        for colour, total, limit in (
            (mover, sector.mover_total, most[0]),
            (opponent, sector.opponent_total, most[1]),
        ):
            each = "each side" if most[0] == most[1] else "with these hands it"
            if total > limit:
                raise ImpossiblePositionError(
                    f"{colour} has {total} stones, but {each} has {limit} in all"
                    " (board and hand together)",
                    "too many stones",
                    {"colour": colour.lower(), "total": total, "limit": limit},
                )
        if sector.opponent_total < rules.fewest_stones:
            raise ImpossiblePositionError(
                f"the game ended before {mover}'s turn: {opponent} has only"
                f" {sector.opponent_total} of the {rules.fewest_stones} stones (board and hand"
                " together) that keep a side in play",
                "too few stones",
                {
                    "colour": opponent.lower(),
                    "total": sector.opponent_total,
                    "fewest": rules.fewest_stones,
                },
            )

    def outcome(self) -> Outcome | None:
        """Why the game is over; None while it goes on."""
        rules, board = self.rules, self.rules.board
        own, hand = self.mover_mask, self.mover_hand
        if own.bit_count() + hand < rules.fewest_stones:
            return Outcome.TOO_FEW_STONES
        if rules.mill_wins and holds_any(self.opponent_mask, board.line_masks):
            return Outcome.MILL
        if self.moving and rules.full_board_draws and self.white | self.black == board.full_mask:
            return Outcome.FULL_BOARD
        return None if can_step(rules, own, self.opponent_mask, hand) else Outcome.BLOCKED

    def turns(self) -> list[Turn]:
        """Every legal turn, in the order of their texts; none once the game is over.

        No two lead to the same position.
        """
        rules = self.rules
        own, other = self.mover_mask, self.opponent_mask
        hand, other_hand = self.mover_hand, self.opponent_hand
        found = []
        for origin, target, mills in steps(rules, own, other, hand):
            for taken in capture_sets(rules, other, other_hand, mills):
                found.append(Turn(origin, target, capture_order(rules, other, taken)))
        board = rules.board
        return sorted(found, key=lambda turn: turn.text(board))

    def apply(self, turn: Turn) -> Position:
        """The position after a turn, which must be one of `turns`; it is not checked again."""
        own = self.mover_mask | 1 << turn.target
        own_hand = self.mover_hand
        if turn.origin is None:
            own_hand -= 1
        else:
            own &= ~(1 << turn.origin)
        other = self.opponent_mask & ~self.rules.board.mask_of(turn.captures)
        if self.white_to_move:
            return Position(self.rules, own, other, False, own_hand, self.black_hand)
        return Position(self.rules, other, own, True, self.white_hand, own_hand)

    def successors(self) -> list[Position]:
        """The positions after each of `turns`, in the same order; all different."""
        return [self.apply(turn) for turn in self.turns()]

    def transform(self, permutation: tuple[int, ...]) -> Position:
        """The image under an automorphism of the board; ``permutation[i]`` is where i goes."""
        return Position(
            self.rules,
            apply_automorphism(permutation, self.white),
            apply_automorphism(permutation, self.black),
            self.white_to_move,
            self.white_hand,
            self.black_hand,
        )

    def swap_colours(self) -> Position:
        """The same position with the colours exchanged, that of the side to move too."""
        return Position(
            self.rules,
            self.black,
            self.white,
            not self.white_to_move,
            self.black_hand,
            self.white_hand,
        )
