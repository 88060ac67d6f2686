"""How several workers share the work: against a slow twin, by hand, and what must always hold."""

from __future__ import annotations

import pytest
from strategies import NINE

from solver.plan import unit_seconds
from solver.rules import Rules, get_variant
from solver.schedule import seconds_to_end
from solver.sectors import Unit, dependencies, solving_order, unit_of, wanted_sectors


def slow_seconds_to_end(rules: Rules, units: list[Unit], unit: Unit, threads: int) -> float:
    """The longest chain from a unit, by trying all that wait for it."""
    waiting = [
        other
        for other in units
        if unit in {unit_of(rules, sector) for sector in dependencies(rules, other)}
    ]
    own = unit_seconds(rules, unit, threads)
    return own + max(
        (slow_seconds_to_end(rules, units, other, threads) for other in waiting), default=0.0
    )


@pytest.mark.parametrize("name", ["nine -r stones=4", "six -r stones=4", "lasker -r stones=3"])
@pytest.mark.parametrize("threads", [1, 3])
def test_seconds_to_the_end_of_the_longest_chain(name: str, threads: int) -> None:
    rules = get_variant(name)
    units = solving_order(rules, wanted_sectors(rules))
    for given in (units, units[::-1], units[::2]):
        found = seconds_to_end(rules, iter(given), threads)
        assert found.keys() == set(given)
        for unit in given:
            expected = slow_seconds_to_end(rules, given, unit, threads)
            assert found[unit] == pytest.approx(expected)


def test_what_is_waited_for_has_longer_to_the_end() -> None:
    units = solving_order(NINE, wanted_sectors(NINE))
    found = seconds_to_end(NINE, units, 1)
    for unit in units:
        for sector in dependencies(NINE, unit):
            assert found[unit_of(NINE, sector)] > found[unit]
    assert found[units[-1]] == unit_seconds(NINE, units[-1], 1)
