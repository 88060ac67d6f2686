"""The list of faults, ``tests/FAULTS.md``: written from what the tests that provoke them saw.

A test says with a mark which fault it provokes and what is promised, and with the fixture `fault`
what happened each time::

    @pytest.mark.fault("damage", "one bit of the payload flipped", promise="no value; ...")
    def test_flipped_bits(fault: Fault, table: Path) -> None:
        for bit in chosen_bits:
            ...
            fault.happened("refused, naming file and frame")

Tests of one fault, such as those of a parametrised function, make one row. What happened is said
only after it has been checked, in words that are the same in every run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import pytest

__all__ = ["Fault", "FaultList", "add_option"]

LIST: Final = Path(__file__).with_name("FAULTS.md")

KINDS: Final = {
    "damage": "Damaged and foreign files",
    "interruption": "Interrupted work",
    "scarcity": "Too little disk or memory, and folders that refuse",
    "concurrency": "Several at once",
    "environment": "Odd surroundings",
    "supply": "Files and packages from elsewhere",
}
"""The kinds of faults, in the order of the list."""

HEAD: Final = """\
# Faults

What goes wrong is tried, again and again, in the tests of this folder. This list is written by
`scripts/faults` from what those tests saw; the whole suite fails if it is no longer what they see.
*Tried* says how often in each run of the suite.
"""

PROPERTY: Final = "fault"


class Row(NamedTuple):
    """One fault of the list."""

    kind: str
    fault: str
    promise: str


@dataclass
class Fault:
    """What a test saw of the fault that it provokes."""

    outcomes: dict[str, int] = field(default_factory=dict)

    def happened(self, outcome: str, times: int = 1) -> None:
        """Count what happened when the fault was provoked, once it has been checked."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + times


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--faults",
        choices=["write", "check"],
        help=f"write {LIST.name}, or fail if it is not what a whole run of the tests saw",
    )


def row_of(item: pytest.Item) -> Row | None:
    """Return which fault a test provokes; None if it is marked with none."""
    mark = item.get_closest_marker("fault")
    if mark is None:
        return None
    row = Row(*mark.args, **mark.kwargs)
    if row.kind not in KINDS:
        raise pytest.UsageError(f"{item.nodeid}: {row.kind} is no kind of fault")
    return row


@pytest.fixture
def fault(request: pytest.FixtureRequest) -> Fault:
    """What the test sees of the fault it is marked with."""
    assert request.node.get_closest_marker("fault"), "mark the test with the fault it provokes"
    seen = Fault()
    # Filled by the test; read when its report is made.
    request.node.user_properties.append((PROPERTY, seen.outcomes))
    return seen


class FaultList:
    """Gathers what all tests saw, those of other test processes too."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._rows: dict[Row, Counter[str]] = {}
        self._incomplete: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            row = row_of(item)
            if row is not None:
                item.user_properties.append((PROPERTY, list(row)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = [value for name, value in report.user_properties if name == PROPERTY]
        if not found:
            return
        row = Row(*found[0])
        seen = self._rows.setdefault(row, Counter())
        if not report.passed:
            self._incomplete.add(row.fault)
        elif report.when == "call":
            for outcomes in found[1:]:
                seen.update(outcomes)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(self._config, "workerinput") or exitstatus:
            return  # a test process of several, or a run that has failed already
        wish = self._config.getoption("--faults")
        silent = {row.fault for row, seen in self._rows.items() if not seen} - self._incomplete
        if wish and silent:
            raise pytest.UsageError(f"tests do not say what happened: {sorted(silent)}")
        if wish == "write":
            if self._incomplete:
                raise pytest.UsageError(f"not all faults were tried: {sorted(self._incomplete)}")
            LIST.write_text(self._text(), encoding="utf-8")
        elif wish == "check" and not self._agrees():
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            reporter.write_line(
                "tests/FAULTS.md is not what the tests saw; write it anew with scripts/faults",
                red=True,
            )
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _agrees(self) -> bool:
        """Whether the list is what was seen, but for faults that could not be tried here."""
        listed = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
        skipped = tuple(f"| {fault} |" for fault in self._incomplete)
        kept, seen = (
            [line for line in lines if not (skipped and line.startswith(skipped))]
            for lines in (listed, self._text().splitlines())
        )
        return kept == seen

    def _text(self) -> str:
        parts = [HEAD]
        for kind, title in KINDS.items():
            rows = {row: seen for row, seen in self._rows.items() if row.kind == kind}
            if not rows:
                continue
            parts.append(f"\n## {title}\n\n| Fault | Tried | What happened | Promised |\n")
            parts.append("|---|---:|---|---|\n")
            for row in sorted(rows, key=lambda row: row.fault):
                tried, outcome = rows[row].total(), _in_words(rows[row])
                parts.append(f"| {row.fault} | {tried:,} | {outcome} | {row.promise} |\n")
        return "".join(parts)


def _in_words(outcomes: Counter[str]) -> str:
    if len(outcomes) == 1:
        return next(iter(outcomes))
    return "; ".join(f"{times:,}: {outcome}" for outcome, times in sorted(outcomes.items()))
