"""What must hold whatever is in the record of a check, for a fuzzer and its corpus's tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from solver.proof import CHECK_VERSION, Checker, read_along, record_path
from solver.rules import get_variant
from solver.sectors import Sector, slots
from solver.tablefile import table_path

__all__ = ["Checked", "make_database", "read_record"]

RULES = get_variant("three")
SECTOR = Sector(2, 3, 1, 0)


class Checked(NamedTuple):
    """A database, and what a record must say of it to count."""

    database: Path
    checker: Checker
    record: dict[str, Any]


def make_database(folder: Path) -> Checked:
    """Make files in the place of the tables that a record tells of: any bytes will do."""
    checker = Checker(RULES, folder)
    for number, sector in enumerate(read_along(RULES, SECTOR)):
        path = table_path(folder, RULES, sector)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes([number]) * 100)
    record = {
        "check": CHECK_VERSION,
        "program": "morris-solver 0.1.0",
        "sector": str(SECTOR),
        "slots": slots(RULES, SECTOR),
        "tables": {str(other): checker.digest(other) for other in read_along(RULES, SECTOR)},
    }
    return Checked(folder, checker, record)


def read_record(data: bytes, checked: Checked) -> bool:
    """Read a record; it counts only if it says all that it must. Return whether it counts."""
    record_path(checked.database, RULES, SECTOR).write_bytes(data)
    program = checked.checker.program(SECTOR)
    if program is None:
        return False
    assert program.isprintable()
    found = json.loads(data)
    assert found["program"] == program
    for name in ("check", "sector", "slots"):
        assert found[name] == checked.record[name]
    assert checked.record["tables"].items() <= found["tables"].items()
    return True
