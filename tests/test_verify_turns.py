"""What the certificate check thinks can be played, against the rules in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from solver.certificate import needed
from solver.checkslots import SlotCheck
from solver.errors import UsageError
from solver.index import layout
from solver.kernels.check_slots import DRAWN, IMPOSSIBLE, LOST, PLAYING
from solver.position import Outcome, Position
from solver.rules import VARIANTS, Rules, with_options
from solver.sectors import Sector, parse_sector, wanted_sectors

SECTORS, SLOTS = 8, 12
DARA = "3-3 4-3 3-5 5-5 6-4 2-3+1-1 3-3+1-0 4-4+2-2 5-4+2-1"
OVER = {Outcome.MILL: LOST, Outcome.FULL_BOARD: DRAWN, Outcome.BLOCKED: PLAYING, None: PLAYING}

Turns = list[tuple[Sector | None, int]]


def all_rules() -> Iterator[Rules]:
    """Every variant under every choice of the options that mean something in it."""
    choices = [("flying", ("3", "never")), ("double-mill", "12"), ("all-in-mills", ("any", "none"))]
    for rules in VARIANTS.values():
        found = {}
        for values in product(*(values for _, values in choices)):
            chosen = rules
            for (name, _), value in zip(choices, values, strict=True):
                try:
                    chosen = with_options(chosen, [f"{name}={value}"])
                except UsageError:
                    continue
            found[chosen.name] = chosen
        yield from found.values()


def sectors_of(rules: Rules, source: random.Random) -> list[Sector]:
    """Some sectors with few stones of all kinds, and one that can have any number."""
    if rules.long_lines_forbidden:  # a whole game has too many
        return [parse_sector(text) for text in DARA.split()]
    few = wanted_sectors(replace(rules, stones=min(rules.stones, 5)))
    many = wanted_sectors(rules) if not rules.place_or_slide else few
    moving = [sector for sector in few if sector.moving]
    placing = [sector for sector in few if not sector.moving]
    return [
        *source.sample(placing, min(len(placing), SECTORS)),
        *source.sample(moving, min(len(moving), SECTORS)),
        source.choice(many),
    ]


def listed(check: SlotCheck, slots: np.ndarray) -> tuple[list[int], list[Turns]]:
    """How slots stand, and what their turns lead to: a sector and a slot, None if they win."""
    ends = np.zeros(len(slots), dtype=np.uint8)
    found: list[Turns] = [[] for _ in slots]
    for way, owners, targets in check.turns(slots, ends):
        if way is None:
            for owner in owners.tolist():
                found[owner].append((None, 0))
            continue
        for owner, target in zip(owners.tolist(), targets.tolist(), strict=True):
            found[owner].append((check.after[way], target))
    return ends.tolist(), found


def played(position: Position) -> Turns:
    """The same by the rules of the package."""
    found: Turns = []
    for after in position.successors():
        sector = after.sector
        if sector.mover_total < position.rules.fewest_stones:
            found.append((None, 0))
        else:
            numbering = layout(position.rules, sector)
            found.append((sector, numbering.index(after.mover_mask, after.opponent_mask)))
    return found


def possible(position: Position) -> bool:
    try:
        position.validate()
    except UsageError:
        return False
    return True


@pytest.mark.parametrize("rules", list(all_rules()), ids=lambda rules: rules.name)
def test_turns_are_those_of_the_rules(rules):
    source = random.Random(rules.name)
    for sector in sectors_of(rules, source):
        check = SlotCheck(rules, sector)
        assert set(check.after.values()) <= set(needed(rules, sector))
        numbering = layout(rules, sector)
        slots = [source.randrange(numbering.slots) for _ in range(SLOTS)]
        ends, turns = listed(check, np.array(slots))
        for slot, end, found in zip(slots, ends, turns, strict=True):
            masks = numbering.masks(slot)
            position = Position(rules, *masks, True, sector.mover_hand, sector.opponent_hand)
            assert len(found) <= check.room
            if possible(position):
                assert end == OVER[position.outcome()], position
                assert sorted(found, key=str) == sorted(played(position), key=str), position
            else:
                assert (end, found) == (IMPOSSIBLE, []), position
