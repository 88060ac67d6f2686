"""The certificate check of placing sectors: it accepts what is right and finds what is not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import indexed
import naive
import naive_placing
import numpy as np
import pytest
from strategies import NINE, SIX, TOURNAMENT

from solver.boards import apply_automorphism
from solver.certificate import SectorCheck, check_sample, check_sector, needed
from solver.errors import MissingTableError
from solver.index import layout
from solver.parallel import Workers
from solver.position import Position
from solver.rules import Rules
from solver.sectors import Sector, parse_sector, solving_order, wanted_sectors
from solver.solve import solve_unit
from solver.solved import SolvedSector
from solver.tablefile import TableHeader, table_path, write_table
from solver.verify import verify_sectors

FOUR = replace(NINE, stones=4)
SMALL = replace(SIX, stones=4)
SMALL_RULES = [
    SMALL,
    replace(SMALL, flying_at=3),
    replace(SMALL, all_in_mills="none"),
    replace(SMALL, flying_at=3, all_in_mills="none"),
]
DRAW = naive.DRAW
PLACING = [sector for sector in wanted_sectors(SMALL) if not sector.moving]

Stored = dict[Sector, np.ndarray]


def named(rules: Rules) -> str:
    return f"{rules.name}-{rules.flying_at}-{rules.all_in_mills}"


@cache
def twin_tables(rules: Rules) -> naive.Tables:
    board, any_may_go = rules.board.name, rules.all_in_mills == "any"
    units = [(3, 3), (4, 3), (4, 4)]
    moving = naive.solve_units(board, rules.flying_at == 3, any_may_go, units)
    return naive_placing.solve_sectors(board, any_may_go, PLACING, moving)


@cache
def tables_of(rules: Rules) -> Stored:
    return indexed.all_indexed(rules.board.name, twin_tables(rules))


@cache
def solved_four() -> dict[Sector, SolvedSector]:
    solved: dict[Sector, SolvedSector] = {}
    with Workers(1) as workers:
        for unit in solving_order(FOUR, wanted_sectors(FOUR)):
            for result in solve_unit(FOUR, unit, lambda s: solved[s].stored, workers):
                solved[result.sector] = result
    return solved


def check_some(rules: Rules, sector: Sector, tables: Stored, slots: np.ndarray) -> SectorCheck:
    return check_sample(rules, sector, lambda other, some: tables[other][some], slots)


def changed(tables: Stored, sector: Sector, slot: int, byte: int) -> Stored:
    """The same tables but for one byte."""
    table = tables[sector].copy()
    table[slot] = byte
    return {**tables, sector: table}


@pytest.mark.parametrize("threads", [1, 3])
def test_accepts_all_of_nine_with_four_stones(threads):
    solved = solved_four()
    tables = {sector: result.stored for sector, result in solved.items()}
    for sector, result in solved.items():
        check = check_sector(FOUR, sector, tables, threads=threads)
        assert (check.checked, check.mismatches) == (len(result.stored), 0)
        np.testing.assert_array_equal(check.counts[0], result.counts.positions)
        np.testing.assert_array_equal(check.counts[1], result.counts.distinct)
        slots = np.arange(0, len(result.stored), 1009)
        assert check_some(FOUR, sector, tables, slots).mismatches == 0


@pytest.mark.parametrize("sector", PLACING, ids=str)
@pytest.mark.parametrize("rules", SMALL_RULES, ids=named)
def test_accepts_the_twin(rules, sector):
    tables = tables_of(rules)
    check = check_sector(rules, sector, tables)
    assert (check.checked, check.mismatches) == (len(tables[sector]), 0)
    expected = naive.histograms(rules.board.name, twin_tables(rules), *sector)
    expected[:, naive.VOID] = 0
    np.testing.assert_array_equal(check.counts, expected)
    slots = np.arange(0, len(tables[sector]), 7)
    check = check_some(rules, sector, tables, slots)
    assert (check.checked, check.mismatches) == (len(slots), 0)


def wrong_bytes(right: int) -> list[int]:
    """Bytes that are wrong in a different way each."""
    wrong = [right + 1, right + 2, right - 1, right - 2, DRAW, naive.VOID, 0, 1, 2, 31]
    return sorted({byte for byte in wrong if 0 <= byte < 256} - {right})


@pytest.mark.parametrize("sector", PLACING, ids=str)
@pytest.mark.parametrize("rules", SMALL_RULES, ids=named)
def test_finds_planted_bytes(rules, sector):
    source = random.Random(f"{named(rules)} {sector}")
    right = tables_of(rules)[sector]
    for byte in source.sample(np.unique(right).tolist(), min(4, len(np.unique(right)))):
        slot = source.choice(np.flatnonzero(right == byte).tolist())
        for wrong in source.sample(wrong_bytes(byte), 3):
            tables = changed(tables_of(rules), sector, slot, wrong)
            check = check_sector(rules, sector, tables)
            by_reason = {m.slot: m.reason for m in check.listed}
            assert by_reason.pop(slot) == "successors"
            assert set(by_reason.values()) <= {"symmetry"}
            (mismatch,) = check_some(rules, sector, tables, np.array([slot])).listed
            masks = layout(rules, sector).masks(slot)
            assert mismatch == (sector, slot, *masks, *indexed.as_words(wrong, byte), "successors")


def successors(rules: Rules, sector: Sector, slot: int) -> Iterator[tuple[Sector, int]]:
    """The sector and slot of every position one turn on, by the rules of the package."""
    masks = layout(rules, sector).masks(slot)
    position = Position(rules, *masks, True, sector.mover_hand, sector.opponent_hand)
    for turn in position.turns():
        after = position.apply(turn)
        other = Sector(
            after.mover_mask.bit_count(),
            after.opponent_mask.bit_count(),
            after.mover_hand,
            after.opponent_hand,
        )
        if other.mover_total >= rules.fewest_stones:
            yield other, layout(rules, other).index(after.mover_mask, after.opponent_mask)


def planted(value: int, here: int, following: list[int]) -> set[int]:
    """Bytes that change what a position is worth, in the place of one that follows it.

    Args:
        value: of the position.
        here: value of the position that follows, in whose place they are.
        following: values of all that follow, each once.
    """
    only = following.count(here) == 1
    if value == DRAW:
        return {0, 1} if only and here == DRAW else {0}
    if value % 2 == 0:  # only wins of the opponent follow, and none later than this
        return {0, DRAW, value + 1}
    sooner = {0, value - 3} if value > 3 else {0} if value > 1 else set()
    return sooner | {DRAW, value + 1} if only and here == value - 1 else sooner


@pytest.mark.parametrize("sector", PLACING, ids=str)
@pytest.mark.parametrize("rules", [SMALL, SMALL_RULES[3], FOUR], ids=named)
def test_finds_what_successors_say_wrongly(rules, sector):
    source = random.Random(f"{named(rules)} {sector}")
    if rules == FOUR:
        tables = {other: result.stored for other, result in solved_four().items()}
    else:
        tables = tables_of(rules)
    right = tables[sector]
    # Each value, then some slots more: rare values first, as most are draws.
    slots = [source.choice(np.flatnonzero(right == v).tolist()) for v in np.unique(right).tolist()]
    slots = slots[:6] + source.choices(range(len(right)), k=2)
    for slot in slots:
        value = int(right[slot])
        places = sorted(set(successors(rules, sector, slot)))
        following = [int(tables[other][place]) for other, place in places]
        deciding = {value - 1, DRAW} if value % 2 and following.count(value - 1) == 1 else {DRAW}
        chosen = [i for i, here in enumerate(following) if here in deciding] or range(len(places))
        if not places:  # every turn wins at once
            continue
        i = source.choice(chosen)
        other, place = places[i]
        assert other in needed(rules, sector)
        for byte in planted(value, following[i], following):
            broken = changed(tables, other, place, byte)
            (mismatch,) = check_some(rules, sector, broken, np.array([slot])).listed
            assert mismatch.expected != mismatch.stored == indexed.as_words(value)[0]
            check = check_sector(rules, sector, broken)
            found = [m.slot for m in check.listed if m.reason == "successors"]
            assert slot in found or check.mismatches > len(check.listed)


@pytest.mark.parametrize("rules", [SMALL, FOUR], ids=named)
def test_symmetric_slots_must_agree(rules):
    """Images of a position have slots of their own where they share a symmetric major set."""
    tables = {other: result.stored for other, result in solved_four().items()}
    if rules == SMALL:
        tables = tables_of(rules)
    for text in ("2-2+1-1", "1-2+2-1"):
        sector = parse_sector(text)
        numbering = layout(rules, sector)
        for slot in range(numbering.slots):
            mover, opponent = numbering.masks(slot)
            major = mover if numbering.mover_is_major else opponent
            every = rules.board.automorphisms
            keeping = [a for a in every if apply_automorphism(a, major) == major]
            twins = {
                numbering.index(apply_automorphism(a, mover), apply_automorphism(a, opponent))
                for a in keeping
            } - {slot}
            if len(keeping) == 2 and twins:
                break
        wrong = wrong_bytes(int(tables[sector][slot]))[0]
        check = check_sector(rules, sector, changed(tables, sector, slot, wrong))
        reasons = {m.slot: m.reason for m in check.listed}
        assert reasons == {slot: "successors", **dict.fromkeys(twins, "symmetry")}


def test_needs_the_tables_one_turn_on():
    for rules, sector, others in (
        (FOUR, "0-0+4-4", ["0-1+4-3"]),
        (FOUR, "2-2+2-2", ["1-3+2-1", "2-3+2-1"]),
        (FOUR, "2-2+1-1", ["2-3+1-0"]),
        (FOUR, "2-4+1-0", ["3-3", "4-3"]),
        (NINE, "8-8+1-0", ["7-9", "8-9"]),
        (TOURNAMENT, "3-4+2-1", ["3-4+1-1", "4-4+1-1"]),
        (TOURNAMENT, "4-4+2-1", ["2-5+1-1", "3-5+1-1", "4-5+1-1"]),
    ):
        assert list(map(str, needed(rules, parse_sector(sector)))) == [sector, *others]


# -- databases --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the whole game with four stones. What is written to it is put back."""
    folder = tmp_path_factory.mktemp("whole")
    for sector, result in solved_four().items():
        store(folder, sector, result.stored, result.counts.positions, result.counts.distinct)
    return folder


@pytest.mark.parametrize("mode", ["sample", "full"])
def test_verifies_a_whole_game(whole, mode):
    sectors = wanted_sectors(FOUR)
    report = verify_sectors(FOUR, sectors, whole, mode, 200, 2)
    assert [part.sector for part in report.sectors] == sectors
    assert report.mismatches == 0
    sizes = [len(solved_four()[sector].stored) for sector in sectors]
    assert report.checked == sum(min(200, size) if mode == "sample" else size for size in sizes)


def test_verifies_from_the_command_line(whole, morris):
    answer = morris("verify", "nine", "2-3+1-1", "3-3+1-0", "--full", "--db", whole)
    assert answer.code == 0, answer
    assert "2 sectors, all 256,340 slots: all of it holds" in answer.out


def test_finds_what_is_wrong_in_a_file(whole):
    sector = parse_sector("3-3+1-0")
    path = table_path(whole, FOUR, sector)
    kept = path.read_bytes()
    right = solved_four()[sector]
    slot = int(np.flatnonzero(right.stored == DRAW)[-1])
    wrong = right.stored.copy()
    wrong[slot] = 0
    counts = right.counts
    swapped = counts.positions.copy(), counts.distinct.copy()
    for histogram in swapped:
        histogram[[1, 3]] = histogram[[3, 1]]
    try:
        store(whole, sector, wrong, counts.positions, counts.distinct)
        report = verify_sectors(FOUR, [sector], whole, "full", threads=2).sectors[0]
        assert slot in [mismatch.slot for mismatch in report.listed]
        assert any("depth 0," in line for line in report.header)
        assert verify_sectors(FOUR, [sector], whole, "sample", 10**9).mismatches >= 1
        before = verify_sectors(FOUR, [parse_sector("2-3+1-1")], whole, "full")
        assert before.mismatches > 0
        store(whole, sector, right.stored, *swapped)
        report = verify_sectors(FOUR, [sector], whole, "full").sectors[0]
        assert (report.mismatches, len(report.header)) == (2, 4)
        path.unlink()
        with pytest.raises(MissingTableError, match=r"3-3[+]1-0 is missing"):
            verify_sectors(FOUR, [parse_sector("2-3+1-1")], whole, "full")
    finally:
        path.write_bytes(kept)


def store(
    folder: Path, sector: Sector, stored: np.ndarray, positions: np.ndarray, distinct: np.ndarray
) -> None:
    header = TableHeader.of_counts(
        positions.tolist(),
        distinct.tolist(),
        sector=str(sector),
        slots=len(stored),
        major="mover" if layout(FOUR, sector).mover_is_major else "opponent",
        rules=FOUR.reduced(sector),
        program="test",
        frame_size=4096,
    )
    write_table(table_path(folder, FOUR, sector), header, stored)
