"""``morris analyse``: what the turns of a game were worth, and which were mistakes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.common import databases_option, json_option, optional_variant_option
from solver.cli.formats import counted, emit_json, format_result, format_table
from solver.cli.gamemoves import limit_options
from solver.cli.output import pictures_option, write_text
from solver.describe import plies
from solver.errors import MissingTableError, UsageError
from solver.escape import one_line
from solver.reading import quoted
from solver.rules import Rules

if TYPE_CHECKING:
    from solver.analysis import TurnReport
    from solver.record import Record
    from solver.results import Result
    from solver.tablebase import Tablebase

__all__ = ["analyse", "read_record"]


@click.command()
@click.argument("game", metavar="GAME")
@optional_variant_option
@click.option(
    "--position",
    "start",
    metavar="POSITION",
    help="Where the game begins, if its record does not say and it is not the empty board.",
)
@pictures_option(
    "Also draw each turn that threw something away, with the value of every move: in this folder as"
    " ply-012.svg and so on; the folder is made if need be."
)
@limit_options
@databases_option
@json_option
def analyse(
    rules: Rules | None,
    game: str,
    start: str | None,
    pictures: Path | None,
    repetition: int | None,
    quiet_limit: int | None,
    databases: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Judge every turn of GAME, and say which turns threw away a win or a draw.

    GAME is a file, - for standard input, or the turns themselves: 'd6 f4 b4 d2'. Turns may be
    numbered, with comments and tags as in PGN; a tag Variant names the game, a tag FEN the
    position that it begins with. Sanmill's and PlayOK's ways to write turns are understood.

    A turn is judged from the side that made it: what it had before, and what the turn left of
    that, counted from before the turn, so that a perfect turn leaves all of it. Where there is no
    table, there is a question mark.
    """
    from solver.analysis import analyse_game
    from solver.tablebase import open_tablebase

    record = read_record(game, rules, start)
    with open_tablebase(databases) as tablebase:
        reports = analyse_game(tablebase, record, repetition, quiet_limit)
        note = _what_is_missing(tablebase, record, reports)
    files = [] if pictures is None else _draw(pictures, reports)
    if as_json:
        emit_json(_record(record, reports, note))
        return
    click.echo(_report(record, reports, note))
    for file in files:
        click.echo(one_line(f"drawn: {file}"), err=True)


def read_record(text: str, rules: Rules | None, start: str | None = None) -> Record:
    """Read a game from a file, from standard input or from the text itself.

    Args:
        text: the argument that the user has given.
        rules: the game that was played; None for what the record says.
        start: the text of the position it begins with; None for what the record says.

    Raises:
        UsageError: it cannot be read; says where, and what was expected.
    """
    from solver.record import parse_record

    where = ""
    if text == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed; give it the record of a game")
        body, where = _decoded(sys.stdin.buffer.read(), "standard input"), "standard input: "
    elif _is_file(text):
        body, where = _decoded(Path(text).read_bytes(), text), f"{text}: "
    elif text and os.path.isdir(text):
        raise UsageError(f"{text} is a folder; name the file of a game")
    else:
        body = text
    try:
        record = parse_record(body, rules, start)
    except UsageError as error:
        if not where and not any(character.isspace() for character in text):
            raise UsageError(f"there is no file {quoted(text)}, and as a game: {error}") from None
        raise UsageError(f"{where}{error}") from None
    if not record.turns:
        raise UsageError(f"{where}the game has no turns; write some, such as 'd6 f4 b4 d2'")
    return record


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}, line {line}: this is not a text in UTF-8") from None


def _what_is_missing(
    tablebase: Tablebase, record: Record, reports: Sequence[TurnReport]
) -> str | None:
    """Say for how many turns there are no tables; None if there are for all.

    Raises:
        MissingTableError: there are for none.
    """
    unknown = [report for report in reports if report.before is None or report.after is None]
    if not unknown:
        return None
    try:
        for position in record.positions:
            tablebase.probe(position)
    except MissingTableError as error:
        if len(unknown) == len(reports):
            raise
        return f"{counted(len(unknown), 'turn')} without a judgement: {error}"
    return None


# -- answers ------------------------------------------------------------------------------------


def _record(record: Record, reports: Sequence[TurnReport], note: str | None) -> dict[str, object]:
    """Return the analysis as JSON has it."""
    return {
        "variant": record.start.rules.name,
        "tags": dict(record.tags),
        "position": str(record.start),
        "result": record.result,
        "turns": [
            {
                "ply": report.ply,
                "side": report.position.mover_colour.lower(),
                "move": report.text,
                "position": str(report.position),
                "before": _value(report.before),
                "after": _value(report.after),
                "threw_away": report.threw_away,
                "better": [move.text for move in report.better],
                "draw_due": None if report.draw_due is None else report.draw_due.value,
                "warning": report.warning,
            }
            for report in reports
        ],
        "mistakes": [report.ply for report in reports if report.threw_away],
        "end": str(record.end),
        "note": note,
    }


def _value(result: Result | None) -> dict[str, object] | None:
    return None if result is None else result._asdict()


def _report(record: Record, reports: Sequence[TurnReport], note: str | None) -> str:
    """Return the analysis for people."""
    from solver.describe import capitalised, describe_end

    head = ("ply", "side", "move", "before", "after", "")
    rows = [
        (
            str(report.ply),
            report.position.mover_colour,
            report.text,
            _words(report.before),
            _words(report.after),
            _remark(report),
        )
        for report in reports
    ]
    parts = [format_table(head, rows, "rlllll"), ""]
    for colour in ("White", "Black"):
        parts.append(_sum(colour, [r for r in reports if r.position.mover_colour == colour]))
    warned = next((report for report in reports if report.warning), None)
    if warned is not None:
        parts.append(f"Before ply {warned.ply}: {warned.warning}")
    due = next((report for report in reports if report.draw_due), None)
    if due is not None:
        assert due.draw_due is not None
        went_on = "" if due is reports[-1] else "; the game went on"
        parts.append(f"A draw was due after ply {due.ply}: {due.draw_due.value}{went_on}.")
    outcome = record.end.outcome()
    if outcome is not None:
        parts.append(f"{capitalised(describe_end(record.end, outcome))}.")
    if note:
        parts.append(note)
    return "\n".join(parts)


def _words(result: Result | None) -> str:
    return "?" if result is None else format_result(result)


def _remark(report: TurnReport) -> str:
    """Say what a turn threw away, and which was better."""
    if report.threw_away is None:
        return _detour(report)
    texts = [move.text for move in report.better]
    better = ""
    if texts:
        others = f" (or {len(texts) - 1} more)" if len(texts) > 1 else ""
        better = f"; better: {texts[0]}{others}"
    return f"threw away the {report.threw_away}{better}"


def _detour(report: TurnReport) -> str:
    """Say by how much a turn made a win longer or a loss shorter."""
    before, after = report.before, report.after
    if before is None or after is None or before.dtw is None or after.dtw is None:
        return ""
    if before.dtw == after.dtw:
        return ""
    change = "wins" if after.value == "win" else "loses"
    when = "later than it could" if after.value == "win" else "sooner than it must"
    return f"{change} {plies(abs(after.dtw - before.dtw))} {when}"


def _sum(colour: str, reports: Sequence[TurnReport]) -> str:
    """Say what one side threw away in the whole game."""
    thrown = [report.threw_away for report in reports]
    costs = [
        counted(thrown.count(value), value) for value in ("win", "draw") if thrown.count(value)
    ]
    return f"{colour} threw away {' and '.join(costs) or 'nothing'}."


def _draw(folder: Path, reports: Sequence[TurnReport]) -> list[Path]:
    """Draw every mistake; return the files."""
    from solver.svg import render_svg

    files = []
    for report in reports:
        if report.threw_away is None:
            continue
        better = report.better[:1]
        title = f"Ply {report.ply}: {report.text} throws away the {report.threw_away}"
        picture = render_svg(
            report.position,
            arrows=[move.turn for move in better],
            mistakes=[report.turn],
            values=report.moves,
            title=title + "".join(f"; better: {move.text}" for move in better),
        )
        file = folder / f"ply-{report.ply:03}.svg"
        write_text(str(file), picture, "--svg")
        files.append(file)
    return files
