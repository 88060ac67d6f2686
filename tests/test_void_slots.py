"""Games with slots that hold no possible position, and games that end drawn on a full board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from solver.errors import UsageError
from solver.index import layout
from solver.pack import pack_tables
from solver.position import Outcome, Position
from solver.results import WDL, Result
from solver.rules import Rules, get_variant
from solver.sectors import Sector, parse_sector
from solver.tablebase import open_tablebase
from solver.tablefile import table_path, write_table
from solver.tableheader import DRAW, VOID, TableHeader
from solver.widths import BYTE, WORD, Width, payload_of

THREE, TIC_TAC_TOE, DARA = map(get_variant, ("three", "tic-tac-toe", "dara"))


def position_of(rules: Rules, sector: Sector, masks: tuple[int, int]) -> Position:
    return Position(rules, *masks, True, sector.mover_hand, sector.opponent_hand)


def is_possible(position: Position) -> bool:
    try:
        position.validate()
    except UsageError:
        return False
    return True


def write(
    folder: Path,
    rules: Rules,
    sector: Sector,
    value: Callable[[Position], int],
    width: Width = BYTE,
) -> np.ndarray:
    """Write a table with a value for each possible position that is not over; return the bytes."""
    numbering = layout(rules, sector)
    stored = np.full(numbering.slots, VOID, dtype=np.uint8)
    for slot in range(numbering.slots):
        position = position_of(rules, sector, numbering.masks(slot))
        if is_possible(position):
            outcome = position.outcome()
            over = DRAW if outcome is Outcome.FULL_BOARD else 0
            stored[slot] = value(position) if outcome is None else over
    wide = stored.astype(f"u{width.bytes}")
    wide[stored >= VOID] = stored[stored >= VOID].astype(int) + width.draw - BYTE.draw
    counts = np.bincount(wide, minlength=width.numbers).tolist()
    header = TableHeader.of_counts(
        counts,
        counts,
        sector=str(sector),
        slots=len(wide),
        major="mover" if numbering.mover_is_major else "opponent",
        rules=rules.reduced(sector),
        program="test 1",
    )
    write_table(table_path(folder, rules, sector), header, payload_of(wide))
    return stored


def last_placement(position: Position) -> int:
    """The value where one turn is left: it wins, or fills the board."""
    (after,) = position.successors()
    return 1 if after.outcome() is Outcome.MILL else DRAW


def some_value(position: Position) -> int:
    return [DRAW, 1, 6, 33][hash((position.white, position.black)) % 4]


GAMES = [
    (THREE, "3-3", some_value),
    (THREE, "2-3+1-0", some_value),
    (TIC_TAC_TOE, "4-4+1-0", last_placement),
    (TIC_TAC_TOE, "3-4+1-1", some_value),
    (TIC_TAC_TOE, "4-5", some_value),
]


@pytest.mark.parametrize("width", [BYTE, WORD])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("rules", "text", "value"), GAMES)
def test_one_position_and_many_agree(
    tmp_path: Path,
    rules: Rules,
    text: str,
    value: Callable[[Position], int],
    packed: bool,
    width: Width,
) -> None:
    sector = parse_sector(text)
    stored = write(tmp_path, rules, sector, value, width)
    if packed:
        pack_tables(rules, [sector], tmp_path)
        table_path(tmp_path, rules, sector).unlink()
    numbering = layout(rules, sector)
    sound = []
    with open_tablebase(tmp_path) as tablebase:
        for slot in range(numbering.slots):
            masks = numbering.masks(slot)
            position = position_of(rules, sector, masks)
            if stored[slot] == VOID:
                for ask in (tablebase.probe, tablebase.get, tablebase.moves):
                    with pytest.raises(UsageError):
                        ask(position)
                with pytest.raises(UsageError):
                    tablebase.probe_many([masks[0]], [masks[1]], sector, rules)
            else:
                sound.append((*masks, tablebase.probe(position)))
        assert len(sound) < numbering.slots or sector.mover < 3
        movers, opponents, results = map(list, zip(*sound, strict=True))
        wdl, dtw = tablebase.probe_many(movers, opponents, sector, rules)
    assert wdl.tolist() == [WDL[result.value] for result in results]
    for slot, distance, result in zip(np.flatnonzero(stored != VOID), dtw, results, strict=True):
        lost = stored[slot] == 0
        expected = -1 if stored[slot] == DRAW or packed else stored[slot]
        assert distance == expected
        assert result.dtw == (0 if lost else None if expected == -1 else expected)


def test_the_error_for_many_names_the_law(tmp_path: Path) -> None:
    write(tmp_path, THREE, Sector(3, 3), some_value)
    board = THREE.board
    free, mill = board.mask_of([0, 1, 5]), board.line_masks[-1]
    with open_tablebase(tmp_path) as tablebase:
        with pytest.raises(UsageError, match="White has a mill already, which wins"):
            tablebase.probe_many([free, mill], [mill, free], Sector(3, 3), THREE)
        lost = tablebase.probe_many([free], [mill], Sector(3, 3), THREE)
        assert (lost.wdl.tolist(), lost.dtw.tolist()) == ([-1], [0])


@pytest.mark.parametrize("text", ["3-3+9-9", "4-3"])
def test_forbidden_rows_of_either_side(tmp_path: Path, text: str) -> None:
    sector = parse_sector(text)
    numbering = layout(DARA, sector)
    counts = [0] * 255 + [numbering.slots]
    header = TableHeader.of_counts(
        counts,
        counts,
        sector=text,
        slots=numbering.slots,
        major="mover",
        rules=DARA.reduced(sector),
        program="test 1",
    )
    path = table_path(tmp_path, DARA, sector)
    write_table(path, header, np.full(numbering.slots, DRAW, np.uint8))
    random = np.random.default_rng(6)
    slots = random.integers(0, numbering.slots, 30_000)
    masks = [numbering.masks(slot) for slot in slots.tolist()]
    possible = [is_possible(position_of(DARA, sector, both)) for both in masks]
    assert not all(possible)
    sound = np.array(masks)[possible]
    with open_tablebase(tmp_path) as tablebase:
        assert not tablebase.probe_many(sound[:, 0], sound[:, 1], sector, DARA).wdl.any()
        for mover, opponent in np.array(masks)[np.logical_not(possible)].tolist():
            with pytest.raises(UsageError, match="is forbidden"):
                tablebase.probe_many(
                    [*sound[:5, 0], mover], [*sound[:5, 1], opponent], sector, DARA
                )


def test_a_game_that_ends_on_a_full_board(tmp_path: Path) -> None:
    last, full = Sector(4, 4, 1, 0), Sector(4, 5)
    write(tmp_path, TIC_TAC_TOE, last, last_placement)
    start = Position.parse(TIC_TAC_TOE, "w:Wa3,b2,c2,b1:Bb3,c3,a2,c1:H1,0")
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.probe(start) == Result("draw", None)
        (move,) = tablebase.moves(start)
        assert (move.text, move.value, move.dtw) == ("a1", "draw", None)
        assert tablebase.analyse(start) == (Result("draw", None), [move])
        line = tablebase.line(start)
        assert (line.moves, line.ended) == ([move], "draw")
        assert tablebase.line(start, plies=1).ended == "draw"
        assert tablebase.line(start, plies=0) == ([], "limit")
        assert tablebase.missing(start) == []
        over = move.position
        assert over.sector == full
        assert tablebase.probe(over) == Result("draw", None)
        assert (tablebase.probe_wdl(over), tablebase.probe_dtw(over)) == (0, None)
        assert tablebase.line(over) == ([], "draw")
        assert (tablebase.moves(over), tablebase.missing(over)) == ([], [])


def test_a_mill_that_wins_ends_a_line(tmp_path: Path) -> None:
    write(tmp_path, TIC_TAC_TOE, Sector(4, 4, 1, 0), last_placement)
    start = Position.parse(TIC_TAC_TOE, "w:Wa2,a3,c2,b1:Bb3,c3,b2,c1:H1,0")
    with open_tablebase(tmp_path) as tablebase:
        line = tablebase.line(start)
        assert [(m.text, m.value, m.dtw) for m in line.moves] == [("a1", "win", 1)]
        assert line.ended == "loss"


def test_morabaraba_draws_where_twelve_is_lost(tmp_path: Path) -> None:
    masks = 0xFFF, 0xFFF000
    with open_tablebase(tmp_path) as tablebase:
        drawn = Position(get_variant("morabaraba"), *masks)
        assert tablebase.probe(drawn) == Result("draw", None)
        assert tablebase.line(drawn) == ([], "draw")
        lost = Position(get_variant("twelve"), *masks)
        assert tablebase.probe(lost) == Result("loss", 0)
        assert tablebase.line(lost) == ([], "loss")
