"""``morris bench``: measure how fast this machine solves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.common import (
    WholeNumber,
    choose_sectors,
    database_option,
    json_option,
    threads_option,
    variant_option,
)
from solver.cli.formats import counted, emit_json, format_bytes, format_count, format_table
from solver.errors import UsageError
from solver.escape import one_line
from solver.rules import Rules
from solver.sectors import Sector, parse_sector

if TYPE_CHECKING:
    from solver.bench import BenchReport, UnitTiming
    from solver.solved import SolvedSector

__all__ = ["bench"]


@click.command()
@click.option(
    "--stones",
    type=WholeNumber(0),
    metavar="N",
    help="Solve every moving sector with at most N stones on the board. Default: 8.",
)
@click.option("--all", "everything", is_flag=True, help="Solve the whole game.")
@threads_option
@click.option("--steps", is_flag=True, help="Also show what each step of solving takes.")
@click.option(
    "--write", is_flag=True, help="Also time how long compressing and writing tables takes."
)
@click.option(
    "--check",
    metavar="FILE",
    callback=lambda context, parameter, text: _file(text),
    help="Compare counts and deepest distances with those in a file of databases/reference.",
)
@click.option(
    "--probe",
    metavar="SECTOR",
    callback=lambda context, parameter, text: None if text is None else parse_sector(text),
    help="Time random questions to this sector's table instead: one at a time, and a million.",
)
@database_option
@variant_option
@json_option
def bench(
    rules: Rules,
    stones: int | None,
    everything: bool,
    threads: int | None,
    steps: bool,
    write: bool,
    check: Path | None,
    probe: Sector | None,
    database: Path,
    as_json: bool,
) -> int:
    """Measure how fast this machine solves a game, Nine Men's Morris if no other is named.

    Everything is solved in memory, so no database is needed and none is changed. The times are
    those of solving alone, without compiling. Bytes per slot are the memory that a unit takes at
    its peak, with the tables it reads and without the program; a dash says that a unit is too
    small to tell. The signature is the same on every machine.

    With --probe a table of the database is asked instead, and nothing is solved.
    """
    if probe is not None:
        if stones is not None or everything or steps or write or check is not None:
            raise UsageError(
                "--probe solves nothing: only --threads, --db, -r or --json goes with it"
            )
        return _bench_probes(rules, probe, database, threads, as_json)
    if stones is None and not everything:
        stones = 8
    sectors = choose_sectors(rules, stones=stones, everything=everything) or []
    from solver.bench import bench as run
    from solver.parallel import default_threads
    from solver.reference import differences, read_reference
    from solver.unitbuilder import table_header

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
        emit_json(_record(report, steps))
    else:
        click.echo(_text(report, threads, steps))
    if check is None:
        return 0
    for text in wrong:
        click.echo(text, err=True)
    text = f"{compared} of {counted(len(sectors), 'sector')} compared with {check}"
    click.echo(one_line(text), err=True)
    return 1 if wrong or not compared else 0


def _bench_probes(
    rules: Rules, sector: Sector, database: Path, threads: int | None, as_json: bool
) -> int:
    """Time questions to one table and report it."""
    from solver.parallel import default_threads
    from solver.probebench import bench_probes

    threads = threads or default_threads()
    report = bench_probes(rules, sector, database, threads=threads)
    if as_json:
        emit_json(
            {
                "sector": str(report.sector),
                "metric": report.metric,
                "probes": report.probes,
                "unpacked_us": round(report.unpacked * 1e6, 2),
                "cached_us": round(report.cached * 1e6, 2),
                "batch": report.batch,
                "batch_seconds": round(report.batch_seconds, 4),
            }
        )
        return 0
    rows = [
        ["one position, its frame to be unpacked", f"{report.unpacked * 1e6:.0f} us"],
        ["one position, its frame cached", f"{report.cached * 1e6:.0f} us"],
        [f"{format_count(report.batch)} positions at once", f"{report.batch_seconds:.2f} s"],
    ]
    click.echo(f"{sector}, table of metric {report.metric}, random positions:")
    click.echo(format_table(["question", "time"], rows, "lr"))
    click.echo(
        f"Single ones are medians of {format_count(report.probes)}; the rest used"
        f" {counted(threads, 'thread')}."
    )
    return 0


def _file(text: str | None) -> Path | None:
    """Return the file that ``--check`` names, if any."""
    if text is not None and not text:
        raise UsageError("--check needs the name of a file")
    return None if text is None else Path(text)


def _line(timing: UnitTiming) -> str:
    return f"{timing.unit}: {counted(timing.slots, 'slot')}, {timing.ns_per_slot:.0f} ns/slot"


def _record(report: BenchReport, steps: bool) -> dict[str, object]:
    return {
        "units": [_unit_record(timing, steps) for timing in report.units],
        "peak_memory": report.peak_memory,
        "signature": report.signature,
    }


def _unit_record(timing: UnitTiming, steps: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "unit": str(timing.unit),
        "slots": timing.slots,
        "seconds": round(timing.seconds, 4),
        "ns_per_slot": round(timing.ns_per_slot, 2),
        "peak_memory": timing.peak_memory,
        "bytes_per_slot": _rounded(timing.bytes_per_slot),
    }
    if timing.write_seconds is not None:
        record |= {
            "write_seconds": round(timing.write_seconds, 4),
            "read_seconds": round(timing.read_seconds or 0, 4),
            "bytes": timing.bytes,
        }
    if steps:
        record["steps"] = {name: round(seconds, 4) for name, seconds in timing.steps.items()}
    return record


def _rounded(bytes_per_slot: float | None) -> float | None:
    return None if bytes_per_slot is None else round(bytes_per_slot, 2)


def _text(report: BenchReport, threads: int, steps: bool) -> str:
    written = any(timing.write_seconds is not None for timing in report.units)
    head = ["unit", "slots", "seconds", "ns/slot", "bytes/slot"]
    if written:
        head += ["writing", "ns/slot", "reading", "ns/slot", "size"]
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
    if steps:
        lines += ["", *_steps(report.units), ""]
    lines += [f"peak memory: {format_bytes(report.peak_memory)}", f"signature: {report.signature}"]
    return "\n".join(lines)


def _steps(units: Sequence[UnitTiming]) -> list[str]:
    """Return a table of the processor time of each step, in the order they are taken."""
    names = list(dict.fromkeys(name for timing in units for name in timing.steps))
    rows = []
    for timing in units:
        per_slot = [timing.steps.get(name, 0) / timing.slots * 1e9 for name in names]
        cells = [f"{value:.1f}" if value else "-" for value in per_slot]
        rows.append([str(timing.unit), *cells, f"{sum(per_slot):.1f}"])
    return [
        "Nanoseconds of processor time per slot:",
        format_table(["unit", *names, "all"], rows, "l" + "r" * (len(names) + 1)),
    ]


def _cells(timing: UnitTiming) -> list[str]:
    cells = [
        str(timing.unit),
        format_count(timing.slots),
        f"{timing.seconds:.3f}",
        f"{timing.ns_per_slot:.1f}",
        "-" if timing.bytes_per_slot is None else f"{timing.bytes_per_slot:.2f}",
    ]
    if timing.write_seconds is not None:
        cells += [
            f"{timing.write_seconds:.3f}",
            f"{timing.write_seconds / timing.slots * 1e9:.1f}",
            f"{timing.read_seconds or 0:.3f}",
            f"{(timing.read_seconds or 0) / timing.slots * 1e9:.1f}",
            format_bytes(timing.bytes or 0),
        ]
    return cells
