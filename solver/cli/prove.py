"""``morris prove``: what a whole game is worth, and on what that stands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from solver.cli.common import database_option, json_option, threads_option, variant_argument
from solver.cli.formats import (
    counted,
    emit_json,
    format_bytes,
    format_count,
    format_result,
    format_table,
)
from solver.cli.signals import terminated_like_interrupted
from solver.errors import DamagedTableError, MissingTableError
from solver.escape import one_line, shell_word
from solver.rules import Rules
from solver.sectors import Sector, start_sector, wanted_sectors

if TYPE_CHECKING:
    from solver.openings import LosingTurn, OpeningPly
    from solver.proof import Checker, Proof
    from solver.tablebase import Result

__all__ = ["prove"]

_NAMED: Final = 10
"""Sectors that are named; of more only the number is said."""
_LARGE: Final = 1_000_000_000
"""Bytes of tables that take so long to read that the user should know."""


@click.command()
@variant_argument
@click.option(
    "--check", is_flag=True, help="Check in full what has not been checked before, then answer."
)
@database_option
@threads_option
@json_option
def prove(rules: Rules, check: bool, database: Path, threads: int | None, as_json: bool) -> int:
    """Say what a whole game is worth, and on what that stands.

    The value of the start is proved when every slot of every sector of the game has been checked
    against the positions one turn on (morris verify --full, or --check here). Records of that
    lie beside the tables. A record counts only while the table and those one turn on are the
    same to the last byte, so all files are read. Also: what the first three turns of each game
    are worth to who makes them, up to symmetry, and how early a turn can lose.

    \b
    JSON: {variant, value, dtw, proved, checked: {sectors, slots}, unchecked: [...],
    missing: [...], programs: [...], openings: [{ply, win, draw, loss, win_dtw, loss_dtw,
    results: [{value, dtw, positions, example}]}],
    earliest_losing_move: {ply, move, dtw, position, line} or null}

    Exit codes: 0 proved; 1 not all is checked, or a check failed; 3 a table is missing; 4 a
    table is damaged.
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    from solver.parallel import default_threads
    from solver.proof import Checker

    threads = threads or default_threads()
    checker = Checker(rules, database, threads)
    proof = checker.proof(wanted_sectors(rules))
    _refuse_damaged(checker, proof.unchecked)
    wrong = 0
    if check and proof.unchecked and not proof.missing:
        from solver.cli.verify import check_sectors

        with terminated_like_interrupted():
            reports = check_sectors(checker, proof.unchecked, "full")
        wrong = sum(report.mismatches for report in reports)
        proof = checker.proof(wanted_sectors(rules))
    result, openings, losing = _answers(rules, database, proof)
    if as_json:
        emit_json(_record(rules, proof, result, openings, losing))
    else:
        click.echo(_text(rules, proof, result, openings, losing))
    if proof.missing:
        raise _missing(rules, database, proof.missing)
    return 0 if proof.complete and not wrong else 1


def _missing(rules: Rules, database: Path, sectors: Sequence[Sector]) -> MissingTableError:
    """Return the error to raise where tables are missing: says how to make them, if they can be."""
    from solver.survey import unsolvable

    why = unsolvable(rules, sectors)
    remedy = f"make what is missing with: morris solve {rules.name} --all"
    remedy += f" --db {shell_word(str(database))}"
    if why is not None:
        remedy = f"the whole of {rules.name} cannot be solved here: {why}"
    return MissingTableError(f"{_sectors(sectors)} no table; {remedy}", str(sectors[0]))


def _refuse_damaged(checker: Checker, sectors: Sequence[Sector]) -> None:
    """Raise DamagedTableError if a table that no record vouches for is damaged."""
    from solver.survey import open_table
    from solver.tablefile import table_path

    paths = [table_path(checker.database, checker.rules, sector) for sector in sectors]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    if size > _LARGE:
        tables = counted(len(sectors), "table")
        click.echo(f"looking for damage in {tables} of {format_bytes(size)} in all", err=True)
    damaged = []
    for sector in sectors:
        try:
            with open_table(checker.rules, sector, checker.database) as reader:
                reader.check_stored(threads=checker.threads)
        except DamagedTableError as error:
            damaged.append(str(error))
    for message in damaged[:-1]:
        click.echo(one_line(f"Error: {message}"), err=True)
    if damaged:
        raise DamagedTableError(damaged[-1])


def _answers(
    rules: Rules, database: Path, proof: Proof
) -> tuple[Result | None, list[OpeningPly], LosingTurn | None]:
    """Return the value of the start, the openings, and the first losing turn, as far as known."""
    from solver.openings import earliest_losing_turn, opening_plies
    from solver.position import Position
    from solver.tablebase import open_tablebase

    result = None
    with open_tablebase(database) as tablebase:
        if start_sector(rules) not in proof.missing:
            result = tablebase.probe(Position.start(rules))
        if proof.missing:
            return result, [], None
        openings = opening_plies(rules, tablebase)
    return result, openings, earliest_losing_turn(rules, database, openings)


def _record(
    rules: Rules,
    proof: Proof,
    result: Result | None,
    openings: list[OpeningPly],
    losing: LosingTurn | None,
) -> dict[str, Any]:
    return {
        "variant": rules.name,
        "value": None if result is None else result.value,
        "dtw": None if result is None else result.dtw,
        "proved": proof.complete,
        "checked": {"sectors": len(proof.checked), "slots": proof.slots},
        "unchecked": [str(sector) for sector in proof.unchecked],
        "missing": [str(sector) for sector in proof.missing],
        "programs": proof.programs,
        "openings": [
            {
                "ply": opening.ply,
                "win": opening.count("win"),
                "draw": opening.count("draw"),
                "loss": opening.count("loss"),
                "win_dtw": opening.distances("win"),
                "loss_dtw": opening.distances("loss"),
                "results": [each._asdict() for each in opening.results],
            }
            for opening in openings
        ],
        "earliest_losing_move": None
        if losing is None
        else {
            "ply": losing.ply,
            "move": losing.line[-1],
            "dtw": losing.dtw,
            "position": str(losing.position),
            "line": losing.line,
        },
    }


def _text(
    rules: Rules,
    proof: Proof,
    result: Result | None,
    openings: list[OpeningPly],
    losing: LosingTurn | None,
) -> str:
    """Return the answer for people."""
    total = len(proof.checked) + len(proof.unchecked) + len(proof.missing)
    value = "not known" if result is None else format_result(result)
    standing = "proved" if proof.complete else "not proved yet"
    lines = [
        f"{rules.name}: {value} ({standing})",
        "",
        f"checked in full: {len(proof.checked)} of {total} sectors,"
        f" {format_count(proof.slots)} slots"
        + (f", by {' and '.join(proof.programs)}" if proof.programs else ""),
    ]
    if proof.unchecked:
        lines.append(f"not checked yet: {_named(proof.unchecked)}")
        lines.append("check them with --check, or with morris verify --full")
    if proof.missing:
        lines.append(f"no table: {_named(proof.missing)}")
    if openings:
        lines += ["", _opening_table(openings), ""]
        lines.append("Each ply's positions, up to symmetry, by their value to who has just moved.")
        lines.append(_losing_text(losing))
    return "\n".join(lines)


def _opening_table(openings: list[OpeningPly]) -> str:
    rows = []
    for opening in openings:
        ranges = []
        for value in ("win", "loss"):
            found = opening.distances("win" if value == "win" else "loss")
            ranges.append("-" if found is None else f"{found[0]} to {found[1]}")
        counts = (opening.count("win"), opening.count("draw"), opening.count("loss"))
        rows.append((str(opening.ply), *map(format_count, counts), *ranges))
    head = ("ply", "wins", "draws", "losses", "wins in", "losses in")
    return format_table(head, rows, "rrrrrr")


def _losing_text(losing: LosingTurn | None) -> str:
    if losing is None:
        return "No turn loses so early that it was found."
    return (
        f"The earliest losing turn: ply {losing.ply}, {losing.line[-1]} (loss in {losing.dtw}),"
        f" in {' '.join(losing.line)}"
    )


def _sectors(sectors: Sequence[Sector]) -> str:
    return f"sector {sectors[0]} has" if len(sectors) == 1 else f"{len(sectors)} sectors have"


def _named(sectors: Sequence[Sector]) -> str:
    names = " ".join(map(str, sectors[:_NAMED]))
    more = len(sectors) - _NAMED
    return names if more <= 0 else f"{names} and {more} more"
