"""When each unit is solved if several workers share the work. Counts and estimates alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter

from solver.plan import unit_seconds
from solver.rules import Rules
from solver.sectors import Unit, dependencies, unit_of

__all__ = ["seconds_to_end"]


def seconds_to_end(rules: Rules, units: Iterable[Unit], threads: int) -> dict[Unit, float]:
    """Return for each unit how long the longest chain of units is that begins with it.

    A chain is units each of which waits for the one before; how long it takes is the sum of the
    estimates for its units. List scheduling calls that the unit's *bottom level*, and lets those
    with the greatest go first.

    Args:
        rules: the game.
        units: which there are to solve, in any order; the tables of all others are there.
        threads: to solve each unit with.
    """
    waits_for = _waits_for(rules, units)
    seconds = {unit: unit_seconds(rules, unit, threads) for unit in waits_for}
    return _bottom_levels(seconds, waits_for)


def _waits_for(rules: Rules, units: Iterable[Unit]) -> dict[Unit, frozenset[Unit]]:
    """Return for each unit those of the others that it reads tables of."""
    wanted = dict.fromkeys(units)
    return {
        unit: frozenset(unit_of(rules, sector) for sector in dependencies(rules, unit))
        & wanted.keys()
        for unit in wanted
    }


def _bottom_levels(
    seconds: Mapping[Unit, float], waits_for: Mapping[Unit, frozenset[Unit]]
) -> dict[Unit, float]:
    """Return for each unit its seconds and those of the longest chain that waits for it."""
    order = tuple(TopologicalSorter(waits_for).static_order())
    after = dict.fromkeys(order, 0.0)
    levels = {}
    for unit in reversed(order):
        levels[unit] = seconds[unit] + after[unit]
        for needed in waits_for[unit]:
            after[needed] = max(after[needed], levels[unit])
    return levels
