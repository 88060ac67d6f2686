"""How fast a table answers: single random positions, and a million at once."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass

import numpy as np

from solver.index import IntArray
from solver.position import Position
from solver.rules import Rules
from solver.sectors import Sector, check_sector
from solver.tablebase import Tablebase, open_tablebase

__all__ = ["ProbeReport", "bench_probes"]


@dataclass(frozen=True)
class ProbeReport:
    """What random probes of one sector took.

    Attributes:
        sector: which one.
        metric: of the table that answered.
        probes: single probes timed.
        unpacked: median seconds of one whose frame had to be unpacked.
        cached: median seconds of one whose frame was cached.
        batch: positions of the batch.
        batch_seconds: time for all of them together.
    """

    sector: Sector
    metric: str
    probes: int
    unpacked: float
    cached: float
    batch: int
    batch_seconds: float


def bench_probes(
    rules: Rules,
    sector: Sector,
    database: str | os.PathLike[str],
    *,
    threads: int,
    probes: int = 2000,
    batch: int = 1_000_000,
    seed: int = 1,
) -> ProbeReport:
    """Time probes of random positions of a sector.

    The file is read once before, so that it lies in the system's cache as far as that has room.

    Args:
        rules: the game.
        sector: which sector; its table must be there.
        database: the folder of the tables.
        threads: threads to use for the batch.
        probes: single probes to time.
        batch: positions to probe at once.
        seed: of the random positions.

    Raises:
        UsageError: the sector has no table under these rules.
        MissingTableError: its table is not there.
    """
    check_sector(rules, sector)
    random = np.random.default_rng(seed)
    singles = _positions(rules, sector, *_random_masks(rules, sector, random, probes))
    movers, opponents = _random_masks(rules, sector, random, batch)
    with open_tablebase(database, cache_mb=0) as tablebase:
        table = tablebase.reader(rules, sector)
        table.check_stored(threads=threads)
        metric = table.header.metric
        unpacked = _median_time(tablebase, singles)
    with open_tablebase(database, cache_mb=probes * table.header.frame_size / 1e6 + 1) as tablebase:
        _median_time(tablebase, singles)
        cached = _median_time(tablebase, singles)
        started = time.perf_counter()
        tablebase.probe_many(movers, opponents, sector, rules, threads=threads)
        batch_seconds = time.perf_counter() - started
    return ProbeReport(sector, metric, probes, unpacked, cached, batch, batch_seconds)


def _random_masks(
    rules: Rules, sector: Sector, random: np.random.Generator, number: int
) -> tuple[IntArray, IntArray]:
    """Return the masks of random positions, those of the side to move first."""
    points = np.int64(1) << np.arange(rules.board.size)
    order = random.random((number, len(points)), dtype=np.float32).argsort(axis=1)
    first = points[order[:, : sector.mover]].sum(axis=1)
    second = points[order[:, sector.mover : sector.stones]].sum(axis=1)
    return first, second


def _positions(
    rules: Rules, sector: Sector, movers: IntArray, opponents: IntArray
) -> list[Position]:
    """Return positions in which White moves."""
    return [
        Position(rules, mover, opponent, True, sector.mover_hand, sector.opponent_hand)
        for mover, opponent in zip(movers.tolist(), opponents.tolist(), strict=True)
    ]


def _median_time(tablebase: Tablebase, positions: list[Position]) -> float:
    """Return the median time of a probe, in seconds."""
    times = []
    for position in positions:
        started = time.perf_counter()
        tablebase.probe(position)
        times.append(time.perf_counter() - started)
    return statistics.median(times)
