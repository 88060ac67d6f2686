"""Positions as the Sanmill program writes them: its FEN."""

from __future__ import annotations

import re

from solver.boards import Board
from solver.errors import UsageError
from solver.position import Position
from solver.reading import parse_number, quoted
from solver.rules import Rules

__all__ = ["format_sanmill", "parse_sanmill"]

# Inner, middle and outer ring, each from 12 o'clock clockwise.
_SANMILL_RINGS = (
    "d5 e5 e4 e3 d3 c3 c4 c5",
    "d6 f6 f4 f2 d2 b2 b4 b6",
    "d7 g7 g4 g1 d1 a1 a4 a7",
)


def parse_sanmill(rules: Rules, text: str) -> Position:
    """Read a FEN of the Sanmill program.

    Its first eight fields count: board, side, phase, action, then White's stones on the board and
    in hand and Black's. Later ones differ between its versions.

    Args:
        rules: a game on the 24-point board.
        text: the FEN.

    Raises:
        UsageError: the text is wrong, a removal is pending, or the position cannot be.
    """
    order = _sanmill_order(rules.board)
    fields = text.split()
    if len(fields) < 8:
        has = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        raise UsageError(f"{quoted(text)} is not a Sanmill FEN: it has {has}, 8 are needed")
    cells, side, phase, action = fields[:4]
    if re.fullmatch(r"[O@*]{8}/[O@*]{8}/[O@*]{8}", cells) is None:
        raise UsageError(
            f"the board {quoted(cells)} of the FEN is not three rings of eight cells O, @ or *"
        )
    if side not in ("w", "b"):
        raise UsageError(f"the side to move of the FEN is {quoted(side)}, but it must be w or b")
    if action == "r":
        raise UsageError("a removal is pending in this FEN; give the position before or after it")
    if phase not in ("r", "p", "m", "o") or action not in ("p", "s", "?"):
        raise UsageError(f"the FEN has an unknown phase or action: {quoted(phase + ' ' + action)}")
    masks = {"O": 0, "@": 0, "*": 0}
    for cell, point in zip(cells.replace("/", ""), order, strict=True):
        masks[cell] |= 1 << point
    white_on, white_hand, black_on, black_hand = (parse_number(field) for field in fields[4:8])
    mover_hand = white_hand if side == "w" else black_hand
    if phase == "m" and mover_hand > 0:
        mover = "White" if side == "w" else "Black"
        raise UsageError(
            f"the FEN says that stones are moved (m), but {mover} has {mover_hand} in hand to place"
        )
    if phase == "p" and white_hand == black_hand == 0:
        raise UsageError("the FEN says that stones are placed (p), but none is in hand")
    for colour, said, mask in (("White", white_on, masks["O"]), ("Black", black_on, masks["@"])):
        shown = mask.bit_count()
        if said != shown:
            raise UsageError(
                f"the FEN counts {said} of {colour}'s stones on the board, but shows {shown}"
            )
    position = Position(rules, masks["O"], masks["@"], side == "w", white_hand, black_hand)
    position.validate()
    return position


def format_sanmill(position: Position) -> str:
    """The position as a FEN of the Sanmill program, with 17 fields.

    Raises:
        UsageError: it is not on the 24-point board.
    """
    order = _sanmill_order(position.rules.board)
    cells = "".join(
        "O" if position.white >> point & 1 else "@" if position.black >> point & 1 else "*"
        for point in order
    )
    return (
        f"{cells[:8]}/{cells[8:16]}/{cells[16:]} {position.side}"
        f" {'p p' if position.mover_hand else 'm s'}"
        f" {position.white.bit_count()} {position.white_hand}"
        f" {position.black.bit_count()} {position.black_hand} 0 0 -1 -1 -1 -1 0 0 1"
    )


def _sanmill_order(board: Board) -> list[int]:
    """The point index of each cell of a Sanmill FEN."""
    names = " ".join(_SANMILL_RINGS).split()
    if set(names) != set(board.points):
        raise UsageError(f"a Sanmill FEN describes the 24-point board, not {board.name}")
    return [board.point_index[name] for name in names]
