"""Whether a table file is the one that was looked for: files get renamed, and copied elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Final

from solver.rules import Rules
from solver.sectors import Sector
from solver.tableheader import TableHeader, rules_fingerprint

__all__ = ["rule_differences", "unexpected"]

_UNLESS_SAID: Final = {
    field.name: field.default for field in fields(Rules) if field.default is not MISSING
}
"""What the rules are that a record leaves out."""
_LONGEST_VALUE: Final = 20
"""Characters of a value that is told."""


def unexpected(
    header: TableHeader,
    *,
    sector: Sector | str | None,
    rules: Mapping[str, object] | None,
    slots: int | None,
    metric: str,
) -> str | None:
    """Return what a header says that is not expected, in words; None if all is well.

    Args:
        header: of the file.
        sector, rules, slots, metric: see :class:`solver.tablefile.TableReader`.
    """
    if header.metric != metric:
        return f"holds metric {header.metric}, not {metric}"
    if sector is not None and header.sector != str(sector):
        found = ascii(header.sector[:_LONGEST_VALUE]).strip("'")
        return f"holds sector {found}, not {sector}"
    if rules is not None and header.fingerprint != rules_fingerprint(rules):
        numbers = f"their fingerprint is {header.fingerprint}, not {rules_fingerprint(rules)}"
        return f"made for other rules: {rule_differences(header.rules, rules) or numbers}"
    if slots is not None and header.slots != slots:
        return f"has {header.slots} slots, not {slots}"
    return None


def rule_differences(found: Mapping[str, object], expected: Mapping[str, object]) -> str:
    """Return in words how two records of reduced rules differ; empty if that cannot be said.

    What the expected record and :class:`~solver.rules.Rules` do not know is not told; nor are
    other differences where the boards have different names.
    """
    told = []
    for name in {**_UNLESS_SAID, **expected}:
        here, there = _words(found, name), _words(expected, name)
        if here == there:
            continue
        if max(len(here), len(there)) > _LONGEST_VALUE:
            told.append(f"other {name}")
        else:
            told.append(f"{name} is {here}, not {there}")
        if name == "board":
            return told[-1]
    return ", ".join(told)


def _words(rules: Mapping[str, object], name: str) -> str:
    """Return the value of a rule, safe to print."""
    value = rules.get(name, _UNLESS_SAID.get(name))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return ascii(value).strip("'")
