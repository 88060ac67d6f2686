"""Where the solver keeps what it works on: memory only for what is written, places that stay."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from strategies import NINE, SIX

from solver import memory, working
from solver.kernels.values import pattern_type
from solver.parallel import Workers
from solver.rules import Rules
from solver.sectors import Sector, closure, moving_sectors, solving_order
from solver.solve import solve_unit
from solver.working import sparse_array


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what is resident")
def test_an_array_takes_memory_only_where_it_is_written_to() -> None:
    before = memory.resident_memory()
    assert before is not None
    array = sparse_array(400_000_000, np.uint16)
    array[::2_000_000] = 7
    assert array[:8_000_000].sum(dtype=np.int64) == 4 * 7
    after = memory.resident_memory()
    assert after is not None
    assert after - before < 30e6


def test_too_large_an_array_is_refused_as_others_are() -> None:
    with pytest.raises(MemoryError):
        sparse_array(1 << 55, np.uint16)
    assert len(sparse_array(0, np.uint32)) == 0


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("blocks", [1, 7, 100, 46_879])
def test_ranges_of_little_work_begin_where_others_do(threads: int, blocks: int) -> None:
    with Workers(threads) as workers:
        finest = {first for first, _ in workers.even(blocks, 1e9)}
        assert len(finest) <= min(blocks, 16 * threads)
        for work in np.geomspace(1e3, 1e8, 60).tolist():
            ranges = workers.even(blocks, work / blocks)
            assert {first for first, _ in ranges} <= finest
            assert (ranges[0][0], ranges[-1][1]) == (0, blocks)
            assert all(before[1] == after[0] for before, after in pairwise(ranges))


def test_patterns_are_as_narrow_as_their_frame() -> None:
    kinds = [np.iinfo(pattern_type(points)).max for points in (4, 16, 17, 27)]
    assert kinds == [(1 << 16) - 1, (1 << 16) - 1, (1 << 32) - 1, (1 << 32) - 1]


EIGHT_ON_24 = replace(NINE, fewest_stones=1)
"""Rules under which eight stones against one or two are small sectors that go on."""


@pytest.mark.parametrize(
    ("rules", "sectors"),
    [
        (SIX, [sector for sector in moving_sectors(SIX) if sector.stones <= 7]),
        (EIGHT_ON_24, closure(EIGHT_ON_24, [Sector(8, 1)])),
    ],
    ids=["16 points", "24 points"],
)
def test_wide_patterns_give_the_same_tables(
    rules: Rules, sectors: Collection[Sector], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tables(kind: Callable[[int], type]) -> dict[object, bytes]:
        monkeypatch.setattr(working, "pattern_type", kind)
        solved: dict[object, np.ndarray] = {}
        with Workers(2) as workers:
            for unit in solving_order(rules, sectors):
                for each in solve_unit(rules, unit, solved.__getitem__, workers):
                    solved[each.sector] = each.stored
        return {sector: stored.tobytes() for sector, stored in solved.items()}

    narrow = tables(pattern_type)
    assert max(len(set(entries)) for entries in narrow.values()) > 5  # distances, in all
    assert tables(lambda points: np.uint32) == narrow
