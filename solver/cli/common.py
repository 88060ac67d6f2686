"""What the commands share: options, arguments, and what users choose by them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from solver.errors import MissingTableError, UsageError
from solver.escape import shell_word
from solver.folders import default_database
from solver.rules import OPTIONS, Rules, get_variant, with_options
from solver.sectors import (
    Sector,
    check_sector,
    known_sectors,
    moving_sectors,
    parse_sector,
    sectors_up_to,
    solving_order,
    wanted_sectors,
)

if TYPE_CHECKING:
    from solver.position import Position
    from solver.sectortable import Metric
    from solver.tablebase import Tablebase

    WholeNumberType = click.ParamType[int]
    DecimalNumberType = click.ParamType[float]
else:  # older versions of click have it without a parameter
    WholeNumberType = DecimalNumberType = click.ParamType

__all__ = [
    "DecimalNumber",
    "Decorated",
    "WholeNumber",
    "choose_sectors",
    "database_option",
    "databases_option",
    "json_option",
    "optional_variant_argument",
    "optional_variant_option",
    "position_argument",
    "present_sectors",
    "read_position",
    "sector_choice",
    "sectors_argument",
    "threads_option",
    "variant_argument",
    "variant_option",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class WholeNumber(WholeNumberType):
    """A whole number that is not too small.

    Args:
        least: the smallest number allowed, 0 or more.
    """

    name = "whole number"

    def __init__(self, least: int) -> None:
        self._least = least

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read the number; click.UsageError if it is none or too small."""
        text = str(value).strip()
        if re.fullmatch(r"[+-]?[0-9]{1,18}", text) is None:
            raise _not_taken("a whole number", value, param, ctx)
        if int(text) < self._least:
            raise _not_taken(f"a whole number of {self._least} or more", value, param, ctx)
        return int(text)


class DecimalNumber(DecimalNumberType):
    """A number above 0, such as ``8`` or ``0.5``."""

    name = "number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the number; click.UsageError if it is none, not finite or not above 0."""
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise _not_taken("a number", value, param, ctx)
        if number <= 0:
            raise _not_taken("a number above 0", value, param, ctx)
        return number


def _not_taken(
    wanted: str, value: object, param: click.Parameter | None, ctx: click.Context | None
) -> click.UsageError:
    """Return the error that an option or argument takes something else than what was given."""
    if param is None:
        name = "this"
    elif isinstance(param, click.Argument):
        name = param.human_readable_name
    else:
        name = max(param.opts, key=len)
    text = str(value)
    shown = repr(text if len(text) <= 40 else f"{text[:37]}...")
    return click.UsageError(f"{name} takes {wanted}, not {shown}", ctx)


# -- options and arguments ----------------------------------------------------------------------


def database_option(function: Decorated) -> Decorated:
    """Add ``--db DIR`` as parameter `database`: a Path, the default one if none is named."""
    return click.option(
        "--db",
        "database",
        metavar="DIR",
        callback=_database,
        help="The folder of the tables; else the environment variable MORRIS_DB, else databases/"
        " of a checkout or the user's data folder.",
    )(function)


def databases_option(function: Decorated) -> Decorated:
    """Add ``--db DIR``, any number of times, as parameter `databases`: a tuple of some Paths."""
    return click.option(
        "--db",
        "databases",
        metavar="DIR",
        multiple=True,
        callback=_databases,
        help="A folder of tables; else the environment variable MORRIS_DB, else databases/ of a"
        " checkout or the user's data folder. Can be given several times.",
    )(function)


def json_option(function: Decorated) -> Decorated:
    """Add ``--json`` as parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout.")(function)


def threads_option(function: Decorated) -> Decorated:
    """Add ``--threads N`` as parameter `threads`: None for as many as there are processors."""
    return click.option(
        "--threads",
        type=WholeNumber(1),
        metavar="N",
        help="Threads to use; else one per processor. Results are the same.",
    )(function)


def variant_option(function: Decorated) -> Decorated:
    """Add ``--variant NAME`` and ``-r`` as parameter `rules`: Rules, ``nine`` by default."""
    return click.option(
        "--variant",
        "rules",
        default="nine",
        metavar="NAME",
        callback=_variant,
        help="The game; 'morris variants' lists them. Default: nine.",
    )(_rule_options(function))


def optional_variant_option(function: Decorated) -> Decorated:
    """Add ``--variant NAME`` and ``-r`` as parameter `rules`: Rules, None if neither is given."""
    return click.option(
        "--variant",
        "rules",
        metavar="NAME",
        callback=_optional_variant,
        help="The game; 'morris variants' lists them. Default: what the record says, else nine.",
    )(_rule_options(function))


def variant_argument(function: Decorated) -> Decorated:
    """Add the argument VARIANT, and ``-r``, as parameter `rules`: Rules."""
    argument = click.argument("rules", metavar="VARIANT", callback=_variant)
    return argument(_rule_options(function))


def optional_variant_argument(function: Decorated) -> Decorated:
    """Add the argument VARIANT, and ``-r``, as parameter `rules`: Rules, None if not given."""
    argument = click.argument("rules", metavar="[VARIANT]", required=False, callback=_named_variant)
    return argument(_rule_options(function))


def _rule_options(function: Decorated) -> Decorated:
    """Add ``-r NAME=VALUE``, which the variant's callback finds in the context."""
    valid = "; ".join(f"{name}={option.valid}" for name, option in OPTIONS.items())
    return click.option(
        "-r",
        "--rule",
        "_rule_options",
        multiple=True,
        metavar="NAME=VALUE",
        is_eager=True,  # before the variant that they change
        expose_value=False,
        callback=_keep_options,
        help=f"Change a rule of the variant: {valid}. Can be given several times.",
    )(function)


def sectors_argument(function: Decorated) -> Decorated:
    """Add the arguments SECTOR... as parameter `sectors`: a tuple of Sector, maybe empty."""
    return click.argument(
        "sectors",
        nargs=-1,
        metavar="[SECTOR]...",
        callback=lambda context, parameter, texts: tuple(map(parse_sector, texts)),
    )(function)


def sector_choice(*, whole_game: bool = False) -> Callable[[Decorated], Decorated]:
    """Add all ways to choose sectors, for :func:`choose_sectors`.

    Parameters of the command: `sectors` (tuple of Sector), `stones` (int or None), `moving`
    (bool), and `everything` (bool) if `whole_game` is wanted.
    """

    def decorate(function: Decorated) -> Decorated:
        # Applied from the last to the first, as stacked decorators are.
        if whole_game:
            function = click.option(
                "--all", "everything", is_flag=True, help="Every sector of the whole game."
            )(function)
        function = click.option("--moving", is_flag=True, help="Every sector of the moving phase.")(
            function
        )
        function = click.option(
            "--stones",
            type=WholeNumber(0),
            metavar="N",
            help="Every moving sector with at most N stones on the board.",
        )(function)
        return sectors_argument(function)

    return decorate


def position_argument(function: Decorated) -> Decorated:
    """Add the argument POSITION as parameter `position`: text, see :func:`read_position`."""
    return click.argument("position", metavar="POSITION")(function)


def choose_sectors(
    rules: Rules,
    sectors: Sequence[Sector] = (),
    *,
    stones: int | None = None,
    moving: bool = False,
    everything: bool = False,
) -> list[Sector] | None:
    """Turn the user's choice into sectors.

    Args:
        rules: the game.
        sectors: named one by one.
        stones: all moving sectors with at most so many stones on the board.
        moving: all moving sectors.
        everything: all sectors of a whole game.

    Returns:
        The sectors in solving order, each once; None if the user has made no choice.

    Raises:
        UsageError: there is more than one kind of choice, or a sector cannot be.
    """
    made = [bool(sectors), stones is not None, moving, everything]
    if sum(made) > 1:
        names = ["named sectors", "--stones", "--moving", "--all"]
        chosen = [name for name, used in zip(names, made, strict=True) if used]
        raise UsageError(f"{' and '.join(chosen)} exclude each other; choose in one way only")
    if sectors:
        for sector in sectors:
            check_sector(rules, sector)
        wanted = set(sectors)
        units = solving_order(rules, wanted)
        return [sector for unit in units for sector in unit.sectors if sector in wanted]
    if stones is not None or moving:
        return _moving(rules, stones)
    return wanted_sectors(rules) if everything else None


def _moving(rules: Rules, stones: int | None) -> list[Sector]:
    """Return all moving sectors, or those with at most so many stones on the board.

    Raises:
        UsageError: there are none.
    """
    found = moving_sectors(rules)
    if not found:
        raise UsageError(f"{rules.name} has no moving sector: its stones do not fit on the board")
    if stones is None:
        return found
    least = found[0].stones
    if stones < least:
        raise UsageError(
            f"--stones {stones}: no moving sector has so few stones; the smallest has {least}"
        )
    return sectors_up_to(rules, stones)


def present_sectors(
    rules: Rules, tablebase: Tablebase, metric: Metric | None = None
) -> list[Sector]:
    """Return the sectors that have a table, in solving order.

    Args:
        rules: the game.
        tablebase: where to look.
        metric: the table they must have; None if any will do.

    Raises:
        MissingTableError: there is none at all.
    """
    present = tablebase.present(rules, known_sectors(rules), metric)
    if not present:
        folder = shell_word(str(tablebase.paths[0]))
        kind = "tables of distances" if metric == "dtw" else "tables"
        which = "--stones 8" if sectors_up_to(rules, 8) else "--all"
        raise MissingTableError(
            f"there are no {kind} of {rules.name} in {' or '.join(map(str, tablebase.paths))};"
            f" make some with: morris solve {rules.name} {which} --db {folder}"
        )
    return present


def read_position(rules: Rules, text: str) -> Position:
    """Read a POSITION argument.

    Raises:
        UsageError: the text is wrong, or the position cannot be; says why.
    """
    from solver.notation import parse_position

    return parse_position(rules, text)


def _database(context: click.Context, parameter: click.Parameter, value: str | None) -> Path:
    if value is None:
        return default_database()
    if not value:
        raise UsageError("--db needs the name of a folder")
    return Path(value)


def _databases(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Path, ...]:
    return tuple(_database(context, parameter, value) for value in values or (None,))


_OPTIONS_KEY: Final = "solver.cli.rule_options"


def _keep_options(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> None:
    context.meta[_OPTIONS_KEY] = value


def _variant(context: click.Context, parameter: click.Parameter, value: str) -> Rules:
    return with_options(get_variant(value), context.meta.get(_OPTIONS_KEY, ()))


def _named_variant(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Rules | None:
    if value is not None:
        return _variant(context, parameter, value)
    if context.meta.get(_OPTIONS_KEY):
        raise UsageError("-r changes the rules of a VARIANT, and none is named")
    return None


def _optional_variant(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Rules | None:
    if value is None and not context.meta.get(_OPTIONS_KEY):
        return None
    return _variant(context, parameter, value or "nine")
