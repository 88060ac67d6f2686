"""``morris puzzles``: won positions to think about, found in tables of distances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from solver.cli.common import (
    WholeNumber,
    choose_sectors,
    databases_option,
    json_option,
    present_sectors,
    sectors_argument,
    threads_option,
    variant_option,
)
from solver.cli.formats import counted, emit_json
from solver.cli.found import (
    board_option,
    late_progress,
    show,
    write_pictures,
)
from solver.cli.output import pictures_option
from solver.cli.signals import terminated_like_interrupted
from solver.describe import plies
from solver.errors import UsageError
from solver.rules import Rules
from solver.sectors import Sector

if TYPE_CHECKING:
    from solver.mining.keymoves import Wish
    from solver.mining.puzzles import Puzzle
    from solver.position import Position
    from solver.tablebase import Line

__all__ = ["puzzles"]

_DEEPEST: Final = 65535
"""More plies than any position takes."""
_NOT_AT_ONCE: Final = 3
"""The fewest plies of a win unless the user says otherwise."""


@click.command()
@sectors_argument
@variant_option
@click.option(
    "--win", type=WholeNumber(0), metavar="N", help="Positions won in exactly N plies (odd)."
)
@click.option(
    "--least",
    type=WholeNumber(0),
    metavar="N",
    help="Positions won in N plies or more. Default: 3, if --win and --most are not given.",
)
@click.option("--most", type=WholeNumber(0), metavar="N", help="Positions won in N plies or fewer.")
@click.option("--only-move", is_flag=True, help="One move alone wins; all others draw or lose.")
@click.option("--quiet", is_flag=True, help="The key move takes nothing.")
@click.option(
    "--sacrifice",
    is_flag=True,
    help="The key move leaves a closed mill and closes none, and the other side can occupy the"
    " point at once.",
)
@click.option("--capture", is_flag=True, help="The key move takes a stone.")
@click.option(
    "--count",
    type=WholeNumber(1),
    default=10,
    metavar="K",
    help="The most positions to find. Default: 10.",
)
@click.option(
    "--seed",
    type=WholeNumber(0),
    default=0,
    metavar="S",
    help="Another number finds other positions, the same one the same. Default: 0.",
)
@click.option(
    "--limit",
    type=WholeNumber(1),
    metavar="N",
    help="Look at no more than N positions of each sector that are won in the plies asked for.",
)
@click.option("--solution", is_flag=True, help="Show best play for both sides to the end.")
@board_option
@pictures_option(
    "Draw each position into this folder, as puzzle-001.svg and so on; it is made if need be."
)
@databases_option
@threads_option
@json_option
def puzzles(
    rules: Rules,
    sectors: tuple[Sector, ...],
    win: int | None,
    least: int | None,
    most: int | None,
    only_move: bool,
    quiet: bool,
    sacrifice: bool,
    capture: bool,
    count: int,
    seed: int,
    limit: int | None,
    solution: bool,
    board: bool,
    pictures: Path | None,
    databases: tuple[Path, ...],
    threads: int | None,
    as_json: bool,
) -> None:
    """Find won positions of some SECTORs, or of all that have a table of distances.

    White is always to move, and no two positions are the same up to the symmetries of the board.
    They are a random choice, spread over the sectors and over each of them; the same seed and
    the same tables give the same ones.

    The key move is the one that wins soonest. Where several do, each of them must be as asked. It
    is a sacrifice if it moves a stone out of a closed mill, closes no mill, and the other side can
    occupy the point that is left with its very next turn: by a slide, by flying, or, where that is
    allowed instead, by placing a stone.

    With --json there is one object per line: variant, sector, position, value, dtw, solution (the
    turns of best play), move (the key move), winning_moves (how many win at all), quiet and
    sacrifice. If fewer positions are found than asked for, stderr says so, and the exit code is 0.
    """
    from solver.mining.puzzles import find_puzzles
    from solver.parallel import default_threads
    from solver.tablebase import open_tablebase

    shortest, longest = _plies_wanted(win, least, most)
    wish = _wish(only_move, quiet, sacrifice, capture)
    chosen = choose_sectors(rules, sectors)
    found: list[Puzzle] = []
    lines: dict[Position, Line] = {}
    interrupted: KeyboardInterrupt | None = None
    with terminated_like_interrupted(), open_tablebase(databases) as tablebase:
        if chosen is None:
            chosen = present_sectors(rules, tablebase, "dtw")
        with late_progress(len(chosen)) as progress:
            try:
                search = find_puzzles(
                    tablebase, rules, chosen, shortest, longest, wish, count=count, seed=seed,
                    limit=limit, threads=threads or default_threads(), progress=progress,
                )  # fmt: skip
                for puzzle in search:
                    if solution or as_json:  # at once, so that an interruption need not wait
                        lines[puzzle.position] = tablebase.line(puzzle.position)
                    found.append(puzzle)
            except KeyboardInterrupt as stop:  # what has been found is shown all the same
                interrupted = stop
        order = {sector: number for number, sector in enumerate(chosen)}
        found.sort(key=lambda puzzle: order[puzzle.position.sector])
    if pictures is not None:
        titles = [f"White to move wins in {plies(puzzle.dtw)}" for puzzle in found]
        named = zip((puzzle.position for puzzle in found), titles, strict=True)
        write_pictures(pictures, "puzzle", list(named))
    for number, puzzle in enumerate(found, 1):
        line = lines.get(puzzle.position)
        if as_json:
            assert line is not None
            emit_json(_record(puzzle, line))
        else:
            click.echo(_entry(number, puzzle, board, line))
    if interrupted is not None:
        raise interrupted
    if len(found) < count:
        click.echo(_fewer(len(found), count, limit), err=True)


def _plies_wanted(win: int | None, least: int | None, most: int | None) -> tuple[int, int]:
    """Return from what distance to what distance wins are wanted.

    Raises:
        UsageError: there is no such win, or the options contradict each other.
    """
    if win is not None:
        if least is not None or most is not None:
            raise UsageError("--win excludes --least and --most; choose one way")
        if win % 2 == 0:
            near = f"{win - 1} or {win + 1}" if win else "1"
            raise UsageError(
                f"--win {win}: a win takes an odd number of plies, such as {near}, as the winner"
                " makes the last turn"
            )
        return win, win
    if least is None and most is None:
        least = _NOT_AT_ONCE
    first, last = least or 0, _DEEPEST if most is None else most
    if first | 1 > last:
        raise UsageError(
            f"no win takes {first} plies or more and {last} or fewer: a win takes an odd number"
        )
    return first, last


def _wish(only_move: bool, quiet: bool, sacrifice: bool, capture: bool) -> Wish:
    """Return what is asked of the moves.

    Raises:
        UsageError: more than one kind is asked for.
    """
    from solver.mining.keymoves import Wish

    if quiet + sacrifice + capture > 1:
        raise UsageError("--quiet, --sacrifice and --capture exclude each other; choose one")
    if sacrifice:
        return Wish(only_move, "sacrifice")
    if quiet:
        return Wish(only_move, "quiet")
    return Wish(only_move, "capture" if capture else None)


def _entry(number: int, puzzle: Puzzle, board: bool, line: Line | None) -> str:
    """Return a puzzle for people."""
    from solver.tablebase import Result

    result = Result("win", puzzle.dtw)
    note = " Only one move wins." if puzzle.winning_moves == 1 else ""
    return show(f"{number}.", puzzle.position, result, note, board=board, line=line)


def _record(puzzle: Puzzle, line: Line) -> dict[str, object]:
    """Return a puzzle as JSON has it."""
    return {
        "variant": puzzle.position.rules.name,
        "sector": str(puzzle.position.sector),
        "position": str(puzzle.position),
        "value": "win",
        "dtw": puzzle.dtw,
        "solution": [move.text for move in line.moves],
        "move": puzzle.move.text,
        "winning_moves": puzzle.winning_moves,
        "quiet": puzzle.quiet,
        "sacrifice": puzzle.sacrifice,
    }


def _fewer(found: int, count: int, limit: int | None) -> str:
    """Return what to say where fewer positions were found than asked for."""
    among = "" if limit is None else f" among the first {counted(limit, 'position')} of each sector"
    if not found:
        return f"no such position was found{among}"
    return f"only {counted(found, 'such position')} of {count} found{among}"
