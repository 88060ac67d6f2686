"""Positions found in tables are those that looking at every slot finds, and no others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import plant
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FAMILY, positions

from solver.build import build
from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.index import layout
from solver.mining import puzzles
from solver.mining.found import canonical_masks
from solver.mining.keymoves import Kind, Wish, is_sacrifice, may_fulfil
from solver.mining.longest import Extreme, find_longest
from solver.mining.puzzles import find_puzzles
from solver.mining.scanning import Depths, Sample, scan, sector_key
from solver.notation import parse_turn
from solver.pack import pack_tables
from solver.position import Position, Turn
from solver.results import WDL
from solver.rules import Rules, get_variant, with_options
from solver.sectors import Sector, parse_sector
from solver.tablebase import open_tablebase
from solver.tablefile import TableHeader, TableReader, table_path, write_table
from solver.widths import WORD, payload_of, widened

NINE = get_variant("nine")
KINDS: list[Kind | None] = [None, "quiet", "capture", "sacrifice"]
WISHES = [Wish(only_move, kind) for only_move, kind in product((False, True), KINDS)]
ANY = Wish()
EVERY = 10**9


class Case(NamedTuple):
    """A sector, and the wins that are looked for in it: few enough for the slow twin."""

    rules: Rules
    sector: Sector
    least: int
    most: int

    def __str__(self) -> str:
        return f"{self.rules.name} {self.sector} {self.least}-{self.most}"


LASKER = with_options(get_variant("lasker"), ["stones=3"])
PAIRS = with_options(get_variant("five"), ["double-mill=2"])
CASES = [
    Case(NINE, Sector(3, 3), 23, 99),
    Case(get_variant("five"), Sector(5, 4), 19, 31),
    Case(get_variant("five"), Sector(3, 3, 1, 1), 9, 99),
    Case(get_variant("three"), Sector(3, 3), 1, 99),
    Case(get_variant("three"), Sector(1, 2, 2, 1), 1, 99),
    Case(get_variant("tic-tac-toe"), Sector(3, 3, 2, 1), 1, 99),
    Case(get_variant("dara"), Sector(3, 3), 25, 99),
    Case(LASKER, Sector(3, 2, 0, 1), 11, 99),
    Case(PAIRS, Sector(4, 4, 1, 1), 5, 7),
]
CASE = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(scope="module")
def solved(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Rules], Path]:
    """A folder with the tables that the cases of a game need."""
    folder = tmp_path_factory.mktemp("solved")

    @cache
    def tables(rules: Rules) -> Path:
        if rules == NINE:
            return database
        sectors = [case.sector for case in CASES if case.rules == rules]
        build(rules, sectors, folder, threads=1)
        return folder

    return tables


class Seen(NamedTuple):
    """A won position as the twin sees it: each turn with 1 if it wins, and its distance."""

    position: Position
    turns: list[tuple[Turn, int, int | None]]

    @property
    def dtw(self) -> int:
        return min(depth for _, value, depth in self.turns if value > 0 and depth is not None)

    @property
    def keys(self) -> list[Turn]:
        return [turn for turn, value, depth in self.turns if value > 0 and depth == self.dtw]

    def as_wished(self, wish: Wish) -> bool:
        if wish.only_move and [value for _, value, _ in self.turns].count(1) > 1:
            return False
        if wish.kind == "sacrifice":
            return all(gives_mill_up(self.position, turn) for turn in self.keys)
        captures = {len(turn.captures) > 0 for turn in self.keys}
        return wish.kind is None or captures == {wish.kind == "capture"}


def gives_mill_up(position: Position, turn: Turn) -> bool:
    """The definition on sets of points, as a player would check it."""
    board, rules = position.rules.board, position.rules
    if turn.origin is None:
        return False
    own = {point for point in range(board.size) if position.mover_mask >> point & 1}
    other = {point for point in range(board.size) if position.opponent_mask >> point & 1}
    moved = own - {turn.origin} | {turn.target}
    lines = [set(line) for line in board.lines]
    if not any(turn.origin in line and line <= own for line in lines):
        return False
    if any(turn.target in line and line <= moved for line in lines):
        return False
    beside = {a + b - turn.origin for a, b in board.edges if turn.origin in (a, b)}
    may_place = position.opponent_hand > 0
    may_move = not may_place or rules.place_or_slide
    flies = rules.flies(len(other), position.opponent_hand)
    near = other if flies else other & beside
    if rules.long_lines_forbidden:
        assert len(other) < 4  # or some of its moves could be forbidden
    return may_place or (may_move and bool(near))


def smallest_image(position: Position) -> Position:
    images = [position.transform(each) for each in position.rules.board.automorphisms]
    return min(images, key=lambda image: (image.white, image.black))


def look_at_every_slot(folder: Path, case: Case) -> dict[Position, Seen]:
    """Every won position of a case, by its smallest image."""
    rules, sector = case.rules, case.sector
    numbering = layout(rules, sector)
    found: dict[Position, Seen] = {}
    with open_tablebase(folder) as tablebase:
        entries = tablebase.reader(rules, sector).entries()
        for slot in range(len(entries)):
            entry = int(entries[slot])
            if entry % 2 == 0 or not case.least <= entry <= case.most:
                continue
            mover, opponent = numbering.masks(slot)
            image = smallest_image(Position(rules, mover, opponent, True, *sector[2:]))
            if image in found:
                continue
            turns: list[tuple[Turn, int, int | None]] = []
            for turn in image.turns():
                value, depth = tablebase.probe(image.apply(turn))
                turns.append((turn, -WDL[value], None if depth is None else depth + 1))
            found[image] = Seen(image, turns)
            assert found[image].dtw == entry
    return found


@pytest.fixture(scope="module")
def every(solved: Callable[[Rules], Path]) -> Callable[[Case], dict[Position, Seen]]:
    return cache(lambda case: look_at_every_slot(solved(case.rules), case))


def mine(folder: Path, case: Case, wish: Wish = ANY, **options: int) -> list[Position]:
    with open_tablebase(folder) as tablebase:
        found = find_puzzles(
            tablebase, case.rules, [case.sector], case.least, case.most, wish, **options
        )
        return [puzzle.position for puzzle in found]


# -- puzzles ----------------------------------------------------------------------------------


@CASE
def test_all_that_are_as_wished_are_found_and_no_others(
    case: Case,
    solved: Callable[[Rules], Path],
    every: Callable[[Case], dict[Position, Seen]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(puzzles, "_SINGLY", 16)  # the others go through compiled code first
    seen = every(case)
    assert len(seen) > 2
    for wish in WISHES:
        if case.rules.mill_wins and wish.kind in ("capture", "sacrifice"):
            with pytest.raises(UsageError, match="a mill wins at once"):
                mine(solved(case.rules), case, wish)
            continue
        expected = {position for position, each in seen.items() if each.as_wished(wish)}
        found = mine(solved(case.rules), case, wish, count=EVERY)
        assert len(found) == len(set(found))
        assert set(found) == expected


def test_the_cases_have_what_is_wished(every: Callable[[Case], dict[Position, Seen]]) -> None:
    """Or the test above would show little."""
    for wish in WISHES:
        number = sum(each.as_wished(wish) for case in CASES for each in every(case).values())
        assert number > 5, wish
    pairs = [len(turn.captures) for each in every(CASES[-1]).values() for turn, *_ in each.turns]
    assert 2 in pairs


@CASE
def test_what_is_said_of_a_puzzle(
    case: Case,
    solved: Callable[[Rules], Path],
    every: Callable[[Case], dict[Position, Seen]],
) -> None:
    seen = every(case)
    with open_tablebase(solved(case.rules)) as tablebase:
        for puzzle in find_puzzles(
            tablebase, case.rules, [case.sector], case.least, case.most, count=300
        ):
            each = seen[puzzle.position]
            keys = sorted(turn.text(case.rules.board) for turn in each.keys)
            assert puzzle.dtw == each.dtw
            assert (puzzle.move.text, puzzle.move.turn in each.keys) == (keys[0], True)
            assert puzzle.winning_moves == [value for _, value, _ in each.turns].count(1)
            assert puzzle.quiet == each.as_wished(Wish(kind="quiet"))
            assert puzzle.sacrifice == each.as_wished(Wish(kind="sacrifice"))


@CASE
def test_the_search_through_many_at_once_passes_over_nothing(
    case: Case, solved: Callable[[Rules], Path], every: Callable[[Case], dict[Position, Seen]]
) -> None:
    """It may let positions pass that are not as wished, but only as sacrifices."""
    seen = every(case)
    slots = [layout(case.rules, case.sector).index(p.mover_mask, p.opponent_mask) for p in seen]
    with open_tablebase(solved(case.rules)) as tablebase:
        for wish in WISHES:
            passed = may_fulfil(
                tablebase, case.rules, case.sector, np.array(slots), wish, threads=2
            )
            expected = np.array([each.as_wished(wish) for each in seen.values()])
            assert not (expected & ~passed).any()
            if wish.kind != "sacrifice":
                assert (passed == expected).all()


def test_a_seed_and_the_tables_alone_determine_what_is_found(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(NINE, Sector(3, 3), 15, 21)
    wish = Wish(only_move=True)
    first = mine(database, case, wish, count=40, seed=5)
    assert len(first) == 40
    assert mine(database, case, wish, count=40, seed=5, threads=3) == first
    assert mine(database, case, wish, count=10, seed=5) == first[:10]
    # How many slots are looked at together, and taken from the table in one pass, is no matter.
    monkeypatch.setattr(puzzles, "_FIRST_SAMPLE", 100)
    monkeypatch.setattr(puzzles, "_NEXT_SAMPLE", 333)
    assert mine(database, case, wish, count=40, seed=5) == first
    monkeypatch.setattr(puzzles, "_SINGLY", 7)
    assert mine(database, case, wish, count=40, seed=5) == first
    other = mine(database, case, wish, count=40, seed=6)
    assert len(set(other) & set(first)) < 20


def test_many_passes_find_what_one_does(
    solved: Callable[[Rules], Path],
    every: Callable[[Case], dict[Position, Seen]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(puzzles, "_FIRST_SAMPLE", 64)
    monkeypatch.setattr(puzzles, "_NEXT_SAMPLE", 200)
    case = CASES[2]
    found = mine(solved(case.rules), case, count=EVERY)
    assert sorted(map(str, found)) == sorted(map(str, every(case)))


def test_what_is_found_is_spread_over_the_sector(database: Path) -> None:
    case = Case(NINE, Sector(3, 3), 1, 1)
    numbering = layout(NINE, case.sector)
    found = mine(database, case, count=200)
    slots = [numbering.index(position.white, position.black) for position in found]
    tenths = np.bincount(np.array(slots) * 10 // numbering.slots, minlength=10)
    assert (tenths > 5).all()


def test_several_sectors_share_as_far_as_each_has_so_many(database: Path) -> None:
    sectors = [Sector(3, 3), Sector(3, 4), Sector(4, 3)]
    with open_tablebase(database) as tablebase:

        def shares(count: int, win: int, seed: int = 0) -> list[int]:
            found = find_puzzles(tablebase, NINE, sectors, win, win, count=count, seed=seed)
            each = [puzzle.position.sector for puzzle in found]
            return [each.count(sector) for sector in sectors]

        assert shares(9, 1) == [5, 0, 4] or shares(9, 1) == [4, 0, 5]  # 3-4 has no win in 1
        assert shares(8, 25) == [4, 4, 0]
        assert shares(1000, 25) == [27, 973, 0]  # 3-3 has 27 of them
        assert shares(100, 33) == [0, 100, 0]
        # With more sectors than positions chance picks the sector.
        picked = {tuple(shares(1, 25, seed)) for seed in range(20)}
        assert picked == {(1, 0, 0), (0, 1, 0)}


def test_no_more_are_looked_at_than_the_limit(database: Path) -> None:
    case = Case(NINE, Sector(3, 3), 19, 19)
    assert len(mine(database, case, count=EVERY, limit=1)) == 1
    assert 250 < len(mine(database, case, count=EVERY, limit=300)) <= 300
    some = mine(database, case, Wish(only_move=True), count=EVERY, limit=300)
    assert some == mine(database, case, Wish(only_move=True), count=len(some), limit=300)
    assert set(some) < set(mine(database, case, Wish(only_move=True), count=EVERY))


def test_progress_ends_where_the_search_does(database: Path) -> None:
    calls: list[tuple[Sector, int, int]] = []
    with open_tablebase(database) as tablebase:
        search = find_puzzles(
            tablebase, NINE, [Sector(3, 3)], 19, 19, Wish(True, "quiet"), count=EVERY,
            progress=lambda *call: calls.append(call),
        )  # fmt: skip
        assert len(list(search)) < 776
    assert all(sector == Sector(3, 3) and done <= whole == 776 for sector, done, whole in calls)
    assert calls[-1][1] == 776


def test_wins_that_cannot_be(database: Path) -> None:
    with open_tablebase(database) as tablebase:
        for least, most in ((2, 2), (9, 7), (0, 0), (-5, -1)):
            with pytest.raises(UsageError, match="odd number of plies"):
                list(find_puzzles(tablebase, NINE, [Sector(3, 3)], least, most))
        assert list(find_puzzles(tablebase, NINE, [Sector(3, 3)], 27, 27)) == []


# -- a sacrifice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "position", "turn", "expected"),
    [
        # a1-d1-g1 is a mill, and d2 is beside d1.
        ("nine", "w:Wa1,d1,g1,b4:Ba7,d2,g7,e5", "g1-g4", False),  # nobody can come to g1
        ("nine", "w:Wa1,d1,g1,b4:Ba7,d2,g7,e5", "a1-a4", False),
        ("nine", "w:Wa1,d1,g1,b4:Ba7,d2,g4,e5", "a1-a4", False),  # a7 is two away from a1
        ("nine", "w:Wa1,d1,g1,b4:Ba4,d2,g7,e5", "g1-g4", False),  # g7 goes to no g1
        ("nine", "w:Wa1,d1,g1,b4:Ba7,b2,g4,d2", "b4-a4", False),  # b4 stands in no mill
        ("nine", "w:Wd1,d2,d3,b4:Ba1,g4,g7,a7", "d1-g1", True),  # a1 goes to d1
        ("nine", "w:Wd1,d2,d3,b4:Ba7,g4,g7,b6", "d1-g1", False),  # none beside d1 but g1
        ("nine", "w:Wd1,d2,d3,b4:Ba1,f4,g7,a7", "d2-f2", False),  # b2 is free: nobody can come
        ("nine", "w:Wd1,d2,d3,b4:Ba1,b2,g7,a7", "d2-f2", True),
        ("nine", "w:Wd1,d2,d3,b4:Ba1,g7,a7", "d2-f2", True),  # three stones fly anywhere
        ("nine-no-flying", "w:Wd1,d2,d3,b4:Ba1,g7,a7", "d2-f2", False),
        # e3-e4-e5 is a mill; d3 is beside c3 and d2: the stone goes into another mill.
        ("nine", "w:Wd1,d2,e3,e4,e5:Bc3,g7,a7,a4", "e3-d3xg7", False),
        ("nine", "w:Wd1,c4,e3,e4,e5:Bf4,g7,a7,a4", "e3-d3", False),
        ("nine", "w:Wd1,c4,e3,e4,e5:Bf4,g7,a7,a4", "e5-d5", False),
        # Placing never leaves a mill.
        ("nine", "w:Wa1,d1,g1:Bd2,b2,a4:H2,2", "g4", False),
        # In Lasker Morris the other side may place its stone there.
        ("lasker", "w:Wd1,d2,d3,b4:Ba1,g4,g7,a7:H0,1", "d2-f2", True),
        ("lasker", "w:Wd1,d2,d3,b4:Ba1,g4,g7,a7:H0,0", "d2-f2", False),
        # Three in a row of Dara; the other side may not come to c1 if that makes four.
        ("dara", "w:Wc1,c2,c3,f5:Ba1,b1,e1,d5", "c1-d1", True),
        ("dara", "w:Wc1,c2,c3,f5:Ba1,b1,d2,e5", "c1-d1", True),
    ],
)
def test_a_sacrifice(variant: str, position: str, turn: str, expected: bool) -> None:
    asked = Position.parse(get_variant(variant), position)
    played = parse_turn(asked, turn)
    assert is_sacrifice(asked, played) is expected
    assert is_sacrifice(asked.swap_colours(), played) is expected


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_sacrifice_is_what_the_definition_says(data: st.DataObject) -> None:
    rules = data.draw(
        st.sampled_from([rules for rules in FAMILY if not rules.long_lines_forbidden])
    )
    position = data.draw(positions(rules))
    for turn in position.turns():
        assert is_sacrifice(position, turn) == gives_mill_up(position, turn)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_smallest_image(data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from(FAMILY))
    position = data.draw(positions(rules))
    image = smallest_image(replace(position, white_to_move=True))
    automorphism = data.draw(st.sampled_from(rules.board.automorphisms))
    turned = position.transform(automorphism)
    for each in (position, turned):
        movers, opponents = canonical_masks(
            rules.board, np.array([each.white]), np.array([each.black])
        )
        assert (movers.tolist(), opponents.tolist()) == ([image.white], [image.black])


# -- the longest ------------------------------------------------------------------------------


def longest(folder: Path, rules: Rules, sector: Sector, losses: bool, count: int) -> list[Extreme]:
    with open_tablebase(folder) as tablebase:
        return find_longest(tablebase, rules, sector, losses=losses, count=count)


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize(
    ("variant", "sector", "count"),
    [
        ("nine", "3-3", 400),
        ("nine", "3-4", 310),
        ("five", "4-3", 20),
        ("five", "4-4", 300),
        ("five", "5-4", 1),
        ("five", "4-4+1-0", 100),
        ("five", "2-3+2-1", EVERY),
        ("three", "3-3", EVERY),
        ("three", "2-3+1-0", 5),
        ("tic-tac-toe", "4-5", EVERY),
        ("dara", "3-3", 150),
    ],
)
def test_the_longest_are_those_of_every_slot(
    variant: str,
    sector: str,
    count: int,
    losses: bool,
    solved: Callable[[Rules], Path],
) -> None:
    rules, asked = get_variant(variant), parse_sector(sector)
    folder = solved(rules)
    build(rules, [asked], folder, threads=1) if variant != "nine" else None
    with open_tablebase(folder) as tablebase:
        entries = tablebase.reader(rules, asked).entries()
        distinct = tablebase.header(rules, asked).distinct_histogram
    of_depth: dict[int, dict[Position, None]] = {}
    left = count
    for depth in sorted(distinct, reverse=True):
        if (depth % 2 == 0) is not losses or left <= 0:
            continue
        for slot in np.flatnonzero(entries == depth).tolist():
            mover, opponent = layout(rules, asked).masks(slot)
            position = Position(rules, mover, opponent, True, *asked[2:])
            of_depth.setdefault(depth, {})[smallest_image(position)] = None
        assert len(of_depth[depth]) == distinct[depth]
        left -= distinct[depth]
    expected = [
        (position, depth, distinct[depth])
        for depth, found in of_depth.items()
        for position in found
    ][:count]
    found = longest(folder, rules, asked, losses, count)
    assert [(each.position, each.result.dtw, each.distinct) for each in found] == expected
    assert {each.result.value for each in found} <= {"loss" if losses else "win"}


def test_the_deepest_of_nine_are_the_published_ones(database: Path) -> None:
    deepest = {}
    table = Path(__file__).parents[1] / "databases" / "reference" / "nine.csv"
    head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    published = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    for sector in ("3-3", "3-4", "4-3"):
        for losses, column in ((False, "deepest_win"), (True, "deepest_loss")):
            found = longest(database, NINE, parse_sector(sector), losses, 1)
            deepest[sector, column] = found[0].result.dtw if found else 0
            assert deepest[sector, column] == int(published[sector][column])
    assert max(deepest.values()) == 33


# -- tables -----------------------------------------------------------------------------------


@pytest.fixture
def words(database: Path, tmp_path: Path) -> Path:
    """The same tables with entries of two bytes."""
    for path in database.glob("*/*.dtw.zst"):
        with TableReader(path) as reader:
            stored = widened(reader.entries())
            header = replace(reader.header, packing="word")
        write_table(tmp_path / path.relative_to(database), header, payload_of(stored))
    return tmp_path


def test_tables_of_words(database: Path, words: Path) -> None:
    case = Case(NINE, Sector(3, 3), 13, 25)
    for wish in (Wish(), Wish(True, "quiet")):
        found = mine(database, case, wish, count=300)
        assert len(found) == 300
        assert mine(words, case, wish, count=300) == found
    assert longest(words, NINE, Sector(3, 4), False, 400) == longest(
        database, NINE, Sector(3, 4), False, 400
    )


@pytest.fixture(scope="module")
def long_games(tmp_path_factory: pytest.TempPathFactory) -> tuple[TableReader, list[int]]:
    """A table of words with all kinds of entries, and these."""
    random = np.random.default_rng(1)
    slots = layout(NINE, Sector(3, 3)).slots
    stored = random.integers(0, 1000, slots).astype(np.uint16)
    stored[::7], stored[::11], stored[5] = WORD.draw, WORD.void, WORD.deepest
    numbers = np.bincount(stored, minlength=WORD.numbers).tolist()
    header = TableHeader.of_counts(
        numbers, numbers, sector="3-3", slots=slots, major="mover",
        rules=NINE.reduced(Sector(3, 3)), program="test 1",
    )  # fmt: skip
    path = tmp_path_factory.mktemp("long") / "table.zst"
    write_table(path, header, payload_of(stored))
    return TableReader(path), stored.tolist()


@pytest.mark.parametrize(("least", "most"), [(301, 301), (253, 65531), (2, 500), (65532, 65532)])
def test_long_distances_are_found_by_slot(
    long_games: tuple[TableReader, list[int]], least: int, most: int
) -> None:
    reader, stored = long_games
    found = list(scan(reader, Depths(least, most), lambda *kept: kept, 2))
    wanted = [
        slot
        for slot, entry in enumerate(stored)
        if least <= entry <= most and entry % 2 == least % 2
    ]
    assert wanted
    assert np.concatenate([kept[0] for _, kept in found]).tolist() == wanted
    assert np.concatenate([kept[1] for _, kept in found]).tolist() == [stored[i] for i in wanted]
    done = [slots for slots, _ in found]
    assert done == sorted(done)
    assert done[-1] == len(stored)


@pytest.mark.parametrize("size", [1, 17, 100, 10**6])
def test_a_sample_is_the_same_however_it_is_taken(
    long_games: tuple[TableReader, list[int]], size: int
) -> None:
    reader, stored = long_games
    sample = Sample(reader, Depths(5, 5), sector_key(1, Sector(3, 3)), 2)
    keys, slots = sample.slots(0, 10**6)
    assert sorted(slots.tolist()) == [slot for slot, entry in enumerate(stored) if entry == 5]
    assert slots.tolist() != sorted(slots.tolist())
    assert (keys[1:] > keys[:-1]).all()
    start, taken = 0, []
    while len(taken) < min(len(slots), 20 * size):
        some_keys, some = sample.slots(start, size)
        assert len(some) == min(size, len(slots) - len(taken))
        taken += some.tolist()
        start = int(some_keys[-1]) + 1
    assert taken == slots[: len(taken)].tolist()
    assert len(sample.slots(int(keys[-1]) + 1, size)[1]) == 0
    assert len(sample.slots(1 << 64, size)[1]) == 0


def test_seeds_and_sectors_scatter_in_different_ways() -> None:
    sectors = [Sector(3, 3), Sector(3, 4), Sector(4, 3), Sector(3, 3, 1, 1)]
    keys = {sector_key(seed, sector) for seed in range(5) for sector in sectors}
    assert len(keys) == 20


def copy_of(database: Path, folder: Path) -> Path:
    return Path(shutil.copytree(database, folder / "copy"))


def slots_with(database: Path, sector: Sector, entry: int) -> list[int]:
    with open_tablebase(database) as tablebase:
        entries = tablebase.reader(NINE, sector).entries()
    found: list[int] = np.flatnonzero(entries == entry).tolist()
    return found


def test_a_table_that_contradicts_itself_gives_no_positions(database: Path, tmp_path: Path) -> None:
    case = Case(NINE, Sector(3, 3), 25, 25)
    copy = copy_of(database, tmp_path)
    path = table_path(copy, NINE, case.sector)
    draw = slots_with(database, case.sector, 255)[3]
    plant(path, draw, 25)  # the symmetric slots, if any, and the moves say otherwise
    with pytest.raises(DamagedTableError, match=r"contradict|but the same position"):
        mine(copy, case, count=EVERY)
    with pytest.raises(DamagedTableError, match=r"contradict|but the same position|counts 27"):
        longest(copy, NINE, case.sector, False, 27)


def test_two_slots_of_one_position_must_agree(database: Path, tmp_path: Path) -> None:
    sector = Sector(3, 3)
    numbering = layout(NINE, sector)
    for slot in slots_with(database, sector, 17):
        image = smallest_image(Position(NINE, *numbering.masks(slot)))
        twin = numbering.index(image.white, image.black)
        if twin != slot:
            break
    else:
        raise AssertionError("no position of 3-3 won in 17 has two slots")
    copy = copy_of(database, tmp_path)
    plant(table_path(copy, NINE, sector), slot, 19)
    with pytest.raises(DamagedTableError, match=r"win in 19, but the same position .* win in 17"):
        mine(copy, Case(NINE, sector, 19, 19), count=EVERY)


def test_a_header_that_miscounts(database: Path, tmp_path: Path) -> None:
    sector = Sector(3, 3)
    copy = copy_of(database, tmp_path)
    plant(table_path(copy, NINE, sector), slots_with(database, sector, 25)[0], 23)
    with pytest.raises(DamagedTableError, match="counts 27 distinct positions of depth 25"):
        longest(copy, NINE, sector, False, 27)


def test_a_position_that_cannot_be_has_no_distance(
    solved: Callable[[Rules], Path], tmp_path: Path
) -> None:
    rules, sector = get_variant("three"), Sector(3, 3)
    copy = copy_of(solved(rules), tmp_path)
    path = table_path(copy, rules, sector)
    with TableReader(path) as reader:
        void = np.flatnonzero(reader.entries() == 254).tolist()[0]
    plant(path, void, 1)
    with pytest.raises(DamagedTableError, match=r"slot \d+: has a distance, but the game ended"):
        mine(copy, Case(rules, sector, 1, 1), count=EVERY)


def test_what_is_missing_is_said_before_anything_is_found(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    table_path(copy, NINE, Sector(3, 3)).unlink()
    for case in (Case(NINE, Sector(3, 4), 33, 33), Case(NINE, Sector(3, 3), 1, 1)):
        with pytest.raises(MissingTableError, match="of sector 3-3 is missing"):
            mine(copy, case)
        with pytest.raises(MissingTableError, match="of sector 3-3 is missing"):
            longest(copy, NINE, case.sector, False, 1)


def test_tables_of_win_draw_and_loss_tell_no_distances(database: Path, tmp_path: Path) -> None:
    copy = copy_of(database, tmp_path)
    pack_tables(NINE, [Sector(3, 3)], copy)
    table_path(copy, NINE, Sector(3, 3)).unlink()
    with pytest.raises(MissingTableError, match="table of distances of sector 3-3 is missing"):
        mine(copy, Case(NINE, Sector(3, 3), 1, 1))
    with (
        open_tablebase(copy) as tablebase,
        pytest.raises(ValueError, match="no table of distances"),
    ):
        next(scan(tablebase.reader(NINE, Sector(3, 3)), Depths(1, 1), lambda *kept: kept, 1))
