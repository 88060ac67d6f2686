"""The certificate check of moving sectors: what the naive twin solved, and planted mistakes."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import indexed
import naive
import numpy as np
import pytest
from strategies import NINE, SIX, TOURNAMENT

from solver.boards import BOARDS, apply_automorphism
from solver.certificate import check_sample, check_sector, needed
from solver.checkarrays import BYTE_SCORES, WORD_SCORES, board_table, major_table
from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.index import layout
from solver.pack import pack_tables
from solver.rules import Rules
from solver.sectors import Sector, parse_sector
from solver.tablefile import TableHeader, table_path, write_table
from solver.verify import verify_sectors
from solver.widths import BYTE, WORD, payload_of, widened

UNITS = [(3, 3), (4, 3), (5, 3), (4, 4), (5, 4)]
SMALL_RULES = [
    SIX,
    replace(SIX, flying_at=3),
    replace(SIX, all_in_mills="none"),
    replace(SIX, flying_at=3, all_in_mills="none"),
]
DRAW = naive.DRAW


def named(rules: Rules) -> str:
    return f"{rules.name}-{rules.flying_at}-{rules.all_in_mills}"


@cache
def twin_tables(rules: Rules) -> naive.Tables:
    if rules == NINE:
        return naive.nine_tables()
    flying, any_may_go = rules.flying_at == 3, rules.all_in_mills == "any"
    return naive.solve_units(rules.board.name, flying, any_may_go, UNITS)


@cache
def tables_of(rules: Rules) -> dict[Sector, np.ndarray]:
    return indexed.all_indexed(rules.board.name, twin_tables(rules))


def assert_right(rules: Rules, sector: Sector) -> None:
    """Check a sector in full and in parts, and the counts of the full check."""
    tables = tables_of(rules)
    check = check_sector(rules, sector, tables, threads=2)
    assert (check.checked, check.mismatches) == (len(tables[sector]), 0)
    expected = naive.histograms(rules.board.name, twin_tables(rules), *sector[:2])
    expected[:, naive.VOID] = 0
    np.testing.assert_array_equal(check.counts, expected)
    slots = np.arange(0, len(tables[sector]), 97)
    check = check_sample(rules, sector, lambda other, some: tables[other][some], slots)
    assert (check.checked, check.mismatches) == (len(slots), 0)


@pytest.mark.parametrize("sector", [(3, 3), (4, 3), (3, 4)])
def test_accepts_nine(sector):
    assert_right(NINE, Sector(*sector))


@pytest.mark.parametrize("sector", [(3, 3), (4, 3), (3, 4), (3, 5), (4, 4), (5, 4), (4, 5)])
@pytest.mark.parametrize("rules", SMALL_RULES, ids=named)
def test_accepts_a_smaller_board(rules, sector):
    assert_right(rules, Sector(*sector))


def wrong_bytes(right: int) -> list[int]:
    """Bytes that are wrong in a different way each."""
    if right == DRAW:
        return [0, 1, 2, 31, naive.VOID]
    wrong = [right + 1, right + 2, DRAW, naive.VOID, 0]
    if right > 1:
        wrong += [right - 1, right - 2]
    return [byte for byte in wrong if byte != right]


@pytest.mark.parametrize("sector", [(3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (4, 5)])
@pytest.mark.parametrize("rules", SMALL_RULES, ids=named)
def test_finds_planted_bytes(rules, sector):
    source = random.Random(f"{named(rules)} {sector}")
    sector = Sector(*sector)
    tables = dict(tables_of(rules))
    right = tables[sector]
    for byte in np.unique(right).tolist():
        slot = source.choice(np.flatnonzero(right == byte).tolist())
        for wrong in source.sample(wrong_bytes(byte), 2):
            tables[sector] = right.copy()
            tables[sector][slot] = wrong
            check = check_sector(rules, sector, tables)
            assert check.mismatches >= 1
            if sector.mover != sector.opponent:  # else it is a successor of others as well
                assert slot in [mismatch.slot for mismatch in check.listed]
                assert all(
                    mismatch.slot == slot or mismatch.reason == "symmetry"
                    for mismatch in check.listed
                )
            found = check_sample(
                rules, sector, lambda other, some: tables[other][some], np.array([slot])
            )
            assert found.mismatches == 1
            (mismatch,) = found.listed
            masks = layout(rules, sector).masks(slot)
            assert mismatch == (sector, slot, *masks, *indexed.as_words(wrong, byte), "successors")
            assert f"slot {slot} " in mismatch.describe(rules.board)


@pytest.mark.parametrize("sector", [(3, 3), (4, 3), (3, 4)])
@pytest.mark.parametrize("which", ["own", "others", "all"])
def test_checks_words_like_bytes(sector, which):
    """Tables of words, whichever they are: right ones are accepted, mistakes are found."""
    sector = Sector(*sector)
    others = needed(NINE, sector)
    wide = {"own": [sector], "others": others[1:] or others, "all": others}[which]
    tables = {**tables_of(NINE), **{other: widened(tables_of(NINE)[other]) for other in wide}}
    check = check_sector(NINE, sector, tables)
    assert check.mismatches == 0
    expected = check_sector(NINE, sector, tables_of(NINE)).counts
    np.testing.assert_array_equal(check.counts[:, : BYTE.void], expected[:, : BYTE.void])
    np.testing.assert_array_equal(check.counts[:, -2:], expected[:, -2:])
    right = widened(tables_of(NINE)[sector])
    for wrong in (2 * WORD.numbers // 3, WORD.void):
        slot = random.Random(wrong).randrange(len(right))
        tables[sector] = right.copy()
        tables[sector][slot] = wrong
        check = check_sector(NINE, sector, tables)
        assert slot in [m.slot for m in check.listed] or check.mismatches > len(check.listed)
        found = check_sample(
            NINE, sector, lambda other, some: tables[other][some], np.array([slot])
        )
        assert [(m.stored, m.expected) for m in found.listed] == [(wrong, right[slot])]


@pytest.mark.parametrize("sector", [(3, 3), (4, 3), (3, 4)])
def test_finds_planted_bytes_in_nine(sector):
    source = random.Random(4)
    sector = Sector(*sector)
    tables = dict(tables_of(NINE))
    right = tables[sector]
    for byte in source.sample(np.unique(right).tolist(), 4):
        slot = source.choice(np.flatnonzero(right == byte).tolist())
        tables[sector] = right.copy()
        tables[sector][slot] = source.choice(wrong_bytes(byte))
        check = check_sector(NINE, sector, tables)
        assert slot in [m.slot for m in check.listed] or check.mismatches > len(check.listed)


def test_finds_what_other_tables_say_wrongly():
    """A wrong byte in the twin's or the capture table shows in the sectors that lead to it."""
    for text, reader in (("3-4", "4-3"), ("4-3", "3-4"), ("3-5", "5-4"), ("3-4", "4-4")):
        changed, sector = parse_sector(text), parse_sector(reader)
        assert changed in needed(SIX, sector)
        tables = dict(tables_of(SIX))
        tables[changed] = np.zeros_like(tables[changed])
        assert check_sector(SIX, sector, tables).mismatches > 0


def test_symmetric_slots_must_agree():
    """Images of a position have slots of their own where they share a symmetric major set."""
    sector = Sector(4, 3)
    numbering = layout(SIX, sector)

    def twins(slot: int) -> list[int]:
        mover, opponent = numbering.masks(slot)
        keeping = [a for a in SIX.board.automorphisms if apply_automorphism(a, mover) == mover]
        return sorted({numbering.index(mover, apply_automorphism(a, opponent)) for a in keeping})

    slots = next(found for found in map(twins, range(numbering.slots)) if len(found) > 1)
    tables = dict(tables_of(SIX))
    tables[sector] = tables[sector].copy()
    tables[sector][slots[0]] = wrong_bytes(int(tables[sector][slots[0]]))[0]
    reasons = {m.slot: m.reason for m in check_sector(SIX, sector, tables).listed}
    assert reasons == {slots[0]: "successors", **dict.fromkeys(slots[1:], "symmetry")}


def test_needs_the_tables_one_turn_on():
    crossing = replace(NINE, flying_at=5, double_mill=2)
    for rules, sector, others in (
        (crossing, "5-5", ["3-5", "4-5"]),
        (TOURNAMENT, "5-4", ["4-5", "3-5"]),
        (NINE, "4-3", ["3-4"]),
        (NINE, "3-4", ["4-3", "3-3"]),
        (NINE, "4-4", ["3-4"]),
        (NINE, "3-3", []),
    ):
        assert list(map(str, needed(rules, parse_sector(sector)))) == [sector, *others]
    tables = dict(tables_of(SIX))
    tables[Sector(3, 4)] = tables[Sector(3, 4)][:-1]
    with pytest.raises(ValueError, match="table of 3-4 must have"):
        check_sector(SIX, Sector(4, 3), tables)


def test_numbering_is_that_of_the_index():
    """Two independent ways to number slots give the same sets in the same order."""
    for board in BOARDS.values():
        for size in range(3, 7):
            numbering = layout(replace(NINE, board=board), Sector(size, 3))
            table = major_table(board, size)
            np.testing.assert_array_equal(table.canonical, numbering.major_sets)


@pytest.mark.parametrize(("scores", "width"), [(BYTE_SCORES, BYTE), (WORD_SCORES, WORD)])
def test_scores_order_values(scores, width):
    """Best first: quick wins, slow wins, draws, slow losses, quick losses, no turn at all."""
    best_first = [*range(0, width.void, 2), width.draw, *range(width.void - 1, 0, -2)]
    found = scores.of_value[best_first].astype(int).tolist()
    assert found == sorted(set(found), reverse=True)
    assert min(found) > 0
    before = scores.value[found].tolist()
    # A loss too deep for bytes is none that a table of them can hold.
    assert before == [*range(1, width.void, 2), WORD.draw, *range(width.void, 0, -2)]
    assert scores.value[0] == 0


def test_entries_become_words():
    every = np.arange(256, dtype=np.uint8)
    assert widened(every).tolist() == [*range(254), WORD.void, WORD.draw]
    words = np.array([0, 254, WORD.draw], dtype=np.uint16)
    assert widened(words).tolist() == words.tolist()


def test_wrong_automorphisms_are_refused():
    board = replace(BOARDS["merels16"], name="broken")
    shifted = tuple((i + 1) % 16 for i in range(16))
    board.__dict__["automorphisms"] = (tuple(range(16)), shifted)
    with pytest.raises(ValueError, match="no automorphism"):
        board_table(board)


# -- databases --------------------------------------------------------------------------------

SECTORS = [Sector(*sector) for sector in ((3, 3), (4, 3), (3, 4), (4, 4))]


def store(folder: Path, sector: Sector, stored: np.ndarray, counts: np.ndarray) -> None:
    header = TableHeader.of_counts(
        *counts.tolist(),
        sector=str(sector),
        slots=len(stored),
        major="mover" if sector.mover >= sector.opponent else "opponent",
        rules=SIX.reduced(sector),
        program="test",
        frame_size=4096,
    )
    write_table(table_path(folder, SIX, sector), header, payload_of(stored))


def right_counts(sector: Sector) -> np.ndarray:
    counts = naive.histograms(SIX.board.name, twin_tables(SIX), *sector[:2])
    counts[:, naive.VOID] = 0
    return counts


@pytest.fixture
def database(tmp_path):
    for sector in SECTORS:
        store(tmp_path, sector, tables_of(SIX)[sector], right_counts(sector))
    return tmp_path


@pytest.mark.parametrize("mode", ["checksums", "sample", "full"])
def test_verifies_a_database(database, mode):
    seen = []
    report = verify_sectors(
        SIX, reversed(SECTORS), database, mode, 500, 2, lambda *step: seen.append(step)
    )
    assert report.mismatches == 0
    assert [sector.sector for sector in report.sectors] == SECTORS
    sizes = [len(tables_of(SIX)[sector]) for sector in SECTORS]
    expected = [500] * 4 if mode == "sample" else sizes
    assert [sector.checked for sector in report.sectors] == expected
    assert report.checked == sum(expected)
    for sector, number in zip(SECTORS, expected, strict=True):
        steps = [(done, whole) for name, done, whole in seen if name == sector]
        assert steps == sorted(steps)
        assert steps[-1] == (number, number)


def test_a_sample_takes_the_whole_of_a_small_sector(database):
    report = verify_sectors(SIX, [Sector(3, 3)], database, "sample", 10**9)
    assert report.checked == len(tables_of(SIX)[Sector(3, 3)])
    assert report.mismatches == 0


@pytest.mark.parametrize("sector", [Sector(3, 4), Sector(4, 4)])
def test_verifies_files_of_words(database, sector):
    """Beside files of bytes, which they lead to or which lead to them."""
    counts = np.zeros((2, WORD.numbers), dtype=np.int64)
    counts[:, : BYTE.void] = right_counts(sector)[:, : BYTE.void]
    counts[:, WORD.draw] = right_counts(sector)[:, BYTE.draw]
    stored = widened(tables_of(SIX)[sector])
    store(database, sector, stored, counts)
    for mode in ("checksums", "sample", "full"):
        assert verify_sectors(SIX, SECTORS, database, mode, 300).mismatches == 0
    pack_tables(SIX, [sector], database)
    assert verify_sectors(SIX, [sector], database, "full").mismatches == 0
    wrong = stored.copy()
    slot = 77
    wrong[slot] = 501
    store(database, sector, wrong, counts)
    (report,) = verify_sectors(SIX, [sector], database, "full").sectors
    assert slot in [mismatch.slot for mismatch in report.listed]
    assert any("depth 501," in line for line in report.header)
    assert verify_sectors(SIX, [sector], database, "sample", 10**9).mismatches > 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_finds_a_planted_byte_in_a_file(database, threads):
    sector = Sector(3, 4)
    wrong = tables_of(SIX)[sector].copy()
    slot = int(np.flatnonzero(wrong > 2)[-1])
    wrong[slot] = 1
    store(database, sector, wrong, right_counts(sector))
    assert verify_sectors(SIX, SECTORS, database, "checksums").mismatches == 0
    assert verify_sectors(SIX, [sector], database, "sample", 10**9).mismatches > 0
    report = verify_sectors(SIX, SECTORS, database, "full", threads=threads)
    found = next(part for part in report.sectors if part.sector == sector)
    assert slot in [mismatch.slot for mismatch in found.listed]
    assert any("depth 1," in line for line in found.header)
    assert report == verify_sectors(SIX, SECTORS, database, "full", threads=1)


def test_finds_a_wrong_header(database):
    sector = Sector(4, 3)
    counts = right_counts(sector)
    counts[:, [1, 3]] = counts[:, [3, 1]]
    store(database, sector, tables_of(SIX)[sector], counts)
    report = verify_sectors(SIX, [sector], database)
    # The depths of all positions, and of distinct ones.
    assert (report.mismatches, len(report.sectors[0].header)) == (2, 4)
    assert not report.sectors[0].listed


def test_names_what_is_missing_or_damaged(database):
    table_path(database, SIX, Sector(3, 4)).unlink()
    assert verify_sectors(SIX, [Sector(4, 4)], database, "checksums").mismatches == 0
    for mode in ("sample", "full"):
        with pytest.raises(MissingTableError, match=r"3-4 is missing.*morris solve six 4-3"):
            verify_sectors(SIX, [Sector(4, 4)], database, mode)
    path = table_path(database, SIX, Sector(3, 3))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    for mode in ("checksums", "sample", "full"):
        with pytest.raises(DamagedTableError, match="3-3"):
            verify_sectors(SIX, [Sector(3, 3)], database, mode)


def test_refuses_unknown_modes_and_numbers(database):
    with pytest.raises(UsageError, match="checksums, sample, full"):
        verify_sectors(SIX, SECTORS, database, "quick")
    with pytest.raises(UsageError, match="at least one"):
        verify_sectors(SIX, SECTORS, database, "sample", 0)
