"""``morris bench``: measure how fast this machine solves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.common import (
    WholeNumber,
    counted,
    emit_json,
    format_bytes,
    format_count,
    format_table,
    json_option,
    threads_option,
)
from solver.cli.escape import one_line
from solver.errors import UsageError
from solver.rules import get_variant
from solver.sectors import sectors_up_to

if TYPE_CHECKING:
    from solver.bench import BenchReport, UnitTiming
    from solver.solved import SolvedSector

__all__ = ["bench"]


@click.command()
@click.option(
    "--stones",
    type=WholeNumber(0),
    default=8,
    metavar="N",
    help="Solve every moving sector with at most N stones on the board. Default: 8.",
)
@threads_option
@click.option(
    "--write", is_flag=True, help="Also time how long compressing and writing tables takes."
)
@click.option(
    "--check",
    metavar="FILE",
    callback=lambda context, parameter, text: _file(text),
    help="Compare counts and deepest distances with those in a file of databases/reference.",
)
@json_option
def bench(stones: int, threads: int | None, write: bool, check: Path | None, as_json: bool) -> int:
    """Measure how fast this machine solves Nine Men's Morris.

    Everything is solved in memory, so no database is needed and none is changed. The times are
    those of solving alone, without compiling. The signature is the same on every machine.
    """
    rules = get_variant("nine")
    sectors = sectors_up_to(rules, stones)
    if not sectors:
        raise UsageError(f"--stones {stones}: no moving sector has so few stones; the least is 6")
    from solver.bench import bench as run
    from solver.build import table_header
    from solver.parallel import default_threads
    from solver.reference import differences, read_reference

    reference = {} if check is None else read_reference(check)
    wrong: list[str] = []
    compared = 0

    def compare(solved: SolvedSector) -> None:
        nonlocal compared
        row = reference.get(solved.sector)
        if row is not None:
            compared += 1
            wrong.extend(differences(row, table_header(rules, solved)))

    def show(timing: UnitTiming) -> None:
        click.echo(_line(timing), err=True)

    threads = threads or default_threads()
    report = run(rules, sectors, threads=threads, write=write, on_unit=show, on_sector=compare)
    if as_json:
        emit_json(_record(report))
    else:
        click.echo(_text(report, threads))
    if check is None:
        return 0
    for text in wrong:
        click.echo(text, err=True)
    text = f"{compared} of {counted(len(sectors), 'sector')} compared with {check}"
    click.echo(one_line(text), err=True)
    return 1 if wrong or not compared else 0


def _file(text: str | None) -> Path | None:
    """Return the file that ``--check`` names, if any."""
    if text is not None and not text:
        raise UsageError("--check needs the name of a file")
    return None if text is None else Path(text)


def _line(timing: UnitTiming) -> str:
    return f"{timing.unit}: {format_count(timing.slots)} slots, {timing.ns_per_slot:.0f} ns/slot"


def _record(report: BenchReport) -> dict[str, object]:
    return {
        "units": [_unit_record(timing) for timing in report.units],
        "peak_memory": report.peak_memory,
        "signature": report.signature,
    }


def _unit_record(timing: UnitTiming) -> dict[str, Any]:
    record: dict[str, Any] = {
        "unit": str(timing.unit),
        "slots": timing.slots,
        "seconds": round(timing.seconds, 4),
        "ns_per_slot": round(timing.ns_per_slot, 2),
    }
    if timing.write_seconds is not None:
        record |= {"write_seconds": round(timing.write_seconds, 4), "bytes": timing.bytes}
    return record


def _text(report: BenchReport, threads: int) -> str:
    written = any(timing.write_seconds is not None for timing in report.units)
    head = ["unit", "slots", "seconds", "ns/slot"]
    if written:
        head += ["writing", "ns/slot", "size"]
    rows = [_cells(timing) for timing in report.units]
    slots = sum(timing.slots for timing in report.units)
    seconds = sum(timing.seconds for timing in report.units)
    lines = [
        format_table(head, rows, "l" + "r" * (len(head) - 1)),
        "",
        f"{format_count(slots)} slots in {seconds:.2f} s, {seconds / slots * 1e9:.1f} ns/slot,"
        f" with {counted(threads, 'thread')}",
    ]
    if written:
        writing = sum(timing.write_seconds or 0 for timing in report.units)
        lines.append(f"writing: {writing:.2f} s, {writing / slots * 1e9:.1f} ns/slot")
    lines += [f"peak memory: {format_bytes(report.peak_memory)}", f"signature: {report.signature}"]
    return "\n".join(lines)


def _cells(timing: UnitTiming) -> list[str]:
    cells = [
        str(timing.unit),
        format_count(timing.slots),
        f"{timing.seconds:.3f}",
        f"{timing.ns_per_slot:.1f}",
    ]
    if timing.write_seconds is not None:
        cells += [
            f"{timing.write_seconds:.3f}",
            f"{timing.write_seconds / timing.slots * 1e9:.1f}",
            format_bytes(timing.bytes or 0),
        ]
    return cells
