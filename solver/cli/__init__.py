"""The command line: ``morris``.

Commands are listed in a table and imported when they are run, so that help comes at once. What
goes wrong ends here: one clear line on stderr and an exit code, never a traceback for a mistake
of the user's.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Final, NamedTuple

import click

from solver import __version__, memory
from solver.addressspace import load_only_with_room
from solver.cli.signals import keep_to_the_end, said_when_interrupted, say_when_interrupted
from solver.errors import MorrisError, UsageError
from solver.escape import one_line

__all__ = ["COMMANDS", "EXIT_CODES", "main", "morris", "run"]


class LazyCommand(NamedTuple):
    """A command that is not imported yet.

    Attributes:
        location: ``module:attribute`` of the click command.
        summary: the line that the list of commands shows.
    """

    location: str
    summary: str


COMMANDS: Final[dict[str, LazyCommand]] = {
    "query": LazyCommand(
        "solver.cli.query:query", "Who wins a position, in how many plies, and by which moves."
    ),
    "line": LazyCommand("solver.cli.line:line", "Best play for both sides to the end."),
    "analyse": LazyCommand(
        "solver.cli.analyse:analyse", "What the turns of a game were worth, and the mistakes."
    ),
    "play": LazyCommand("solver.cli.play:play", "A game against the tables."),
    "puzzles": LazyCommand(
        "solver.cli.puzzles:puzzles", "Won positions to think about, by what the move must be."
    ),
    "longest": LazyCommand(
        "solver.cli.longest:longest", "The wins or losses of a sector that take longest."
    ),
    "render": LazyCommand("solver.cli.render:render", "A position as a picture, or as text."),
    "serve": LazyCommand(
        "solver.cli.serve:serve", "A page to explore and play, and an interface over HTTP."
    ),
    "solve": LazyCommand("solver.cli.solve:solve", "Make tables, and all that they depend on."),
    "plan": LazyCommand("solver.cli.plan:plan", "What solving takes: slots, memory, disk, time."),
    "verify": LazyCommand("solver.cli.verify:verify", "Prove that tables are right."),
    "manifest": LazyCommand(
        "solver.cli.manifest:manifest", "List the SHA-256 of every table, for those who get them."
    ),
    "pack": LazyCommand("solver.cli.pack:pack", "Derive the smaller tables of win, draw and loss."),
    "prove": LazyCommand("solver.cli.prove:prove", "What a whole game is worth, and why."),
    "stats": LazyCommand("solver.cli.stats:stats", "Counts and deepest distances of tables."),
    "variants": LazyCommand("solver.cli.variants:variants", "The games this program knows."),
    "export": LazyCommand(
        "solver.cli.export:export", "A sector's positions and values as one file, for learning."
    ),
    "engine": LazyCommand(
        "solver.cli.engine:engine", "The perfect player for other programs, by a UCI-like protocol."
    ),
    "perft": LazyCommand("solver.cli.perft:perft", "Count the sequences of turns of a length."),
    "warmup": LazyCommand("solver.cli.warmup:warmup", "Compile the solving code ahead of time."),
    "bench": LazyCommand("solver.cli.bench:bench", "Measure how fast this machine solves."),
}
"""Every command by its name, in the order that help lists them."""

EXIT_CODES: Final = """\
Exit codes: 0 done; 1 a check failed; 2 wrong usage, or a position that cannot be;
3 a table is missing; 4 a table is damaged; 5 not enough disk or memory, or the
database is locked; 130 interrupted."""

_HELP: Final = """Endgame tables for Nine Men's Morris and its relatives.

\b
First make the tables of the smaller endgames, then ask:
    morris solve nine --stones 8
    morris query w:Wa4,d5,d6:Ba7,b4,c4,g4
"""

_INTERRUPTED: Final = 130
_BROKEN_PIPE: Final = 141  # what a shell reports for a program that SIGPIPE has ended


class LazyGroup(click.Group):
    """A group of commands that imports only the one that is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order to list them in."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        command = COMMANDS.get(cmd_name)
        if command is None:
            return None
        module, attribute = command.location.split(":")
        found = getattr(import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(COMMANDS)}"
            raise UsageError(f"no command is called {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    name="morris",
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\n{EXIT_CODES}",
)
@click.version_option(__version__, prog_name="morris")
def morris() -> None:
    """Hold the commands."""


def main() -> None:
    """Run the command line of this process and end it."""
    _occupy_closed_descriptors()
    load_only_with_room()
    keep_to_the_end()
    if sys.stderr is None:  # closed; most code that reports on its work takes it for granted
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    # NumPy's linear algebra, which nothing here uses, would start threads when it is imported:
    # 70 ms of a query's 300.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    A command's function returns its exit code, or None for 0.

    Args:
        arguments: without the name of the program.

    Returns:
        The exit code; why it is not 0 has been said on stderr.
    """
    say_when_interrupted()
    try:
        try:
            code = _invoke(list(arguments))
        except click.exceptions.Exit as stop:  # after help, for one
            code = stop.exit_code
        if sys.stdout is None:  # closed before we began: what we had to say is lost
            return code or _BROKEN_PIPE
        sys.stdout.flush()
        return code
    except click.UsageError as error:
        return _fail(_with_hint(error), 2)
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except MorrisError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail(said_when_interrupted(), _INTERRUPTED, prefix="")
    except BrokenPipeError:
        # Whoever read our output has gone; what is still buffered has nowhere to go.
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except MemoryError as error:
        return _fail(_too_little_memory(error), 5)
    except OSError as error:
        return _fail(*_explain(error))
    except (ImportError, RuntimeError) as error:
        reason = _refused_by_system(error)
        if reason is None:
            raise
        return _fail(reason, 5)


def _occupy_closed_descriptors() -> None:
    """Open nothing in the place of a standard stream that is closed.

    Else the next file that is opened gets its number, and what a library says there its bytes.
    """
    with suppress(OSError):
        descriptor = os.open(os.devnull, os.O_RDWR)
        while descriptor <= 2:
            descriptor = os.open(os.devnull, os.O_RDWR)
        os.close(descriptor)


def _invoke(arguments: list[str]) -> int:
    """Parse and run; not by click's own ``main``, which has other ideas of exit codes."""
    instruction = os.environ.get("_MORRIS_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(morris, {}, "morris", "_MORRIS_COMPLETE", instruction)
    if not arguments:
        click.echo(morris.make_context("morris", [], resilient_parsing=True).get_help(), err=True)
        return 2
    with morris.make_context("morris", arguments) as context:
        result = morris.invoke(context)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int, prefix: str = "Error: ") -> int:
    """Say on stderr why the exit code is not 0."""
    text = one_line(f"{prefix}{message}".rstrip())
    with suppress(OSError, ValueError):  # stderr may be closed
        click.echo(text, err=True)
    return code


def _with_hint(error: click.UsageError) -> str:
    """Return a usage error in one line that ends with where to look."""
    message = " ".join(error.format_message().split())
    if error.ctx is None:
        return message
    stop = "" if message.endswith((".", "?", "!")) else "."
    return f"{message}{stop} Try '{error.ctx.command_path} --help'."


def _too_little_memory(error: MemoryError) -> str:
    """Return what to say where memory was refused: how much was asked for, if that is known."""
    shape, kind = getattr(error, "shape", None), getattr(error, "dtype", None)
    left = f"{memory.gigabytes(memory.available_memory())} are left{_limit()}"
    if shape is None or kind is None:
        return f"there is not enough memory: {left}"
    asked = memory.gigabytes(math.prod(shape) * kind.itemsize)
    return f"there is not enough memory: {asked} more are needed, but only {left}"


def _limit() -> str:
    """Return in parentheses what the address space is limited to, if it is."""
    found = memory.address_space()
    return "" if found is None else f" (ulimit -v allows {memory.gigabytes(found[1])} in all)"


def _refused_by_system(error: ImportError | RuntimeError) -> str | None:
    """Return what to say of a refusal that Python tells in its own ways; None if it is none."""
    if isinstance(error, RuntimeError):
        if "start new thread" not in str(error):
            return None
        return (
            "the system refuses to start another thread: allow more processes (ulimit -u) or more"
            f" memory, or use fewer with --threads{_limit()}"
        )
    if memory.address_space() is None:
        return None
    return f"there is not enough memory to load what this needs{_limit()}"


def _explain(error: OSError) -> tuple[str, int]:
    """Return what to say of an error of the operating system, and the exit code.

    A name that is wrong is the user's mistake; whatever else fails is a lack of resources.
    """
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    named_wrongly = isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError)
    return f"{where}{reason}", 2 if named_wrongly else 5
