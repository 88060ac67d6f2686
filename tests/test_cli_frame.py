"""The command line as a whole: help, errors, exit codes."""

from __future__ import annotations

import errno
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import Morris

from solver import __version__, cli
from solver.cli.common import DecimalNumber, choose_sectors
from solver.cli.formats import counted, format_bytes, format_count, format_duration, format_table
from solver.describe import plies
from solver.errors import (
    DamagedTableError,
    LockedDatabaseError,
    MissingTableError,
    ResourceError,
    UsageError,
)
from solver.rules import get_variant, with_options
from solver.sectors import Sector, moving_sectors, sectors_up_to, wanted_sectors

NINE = get_variant("nine")


def test_help_lists_every_command_with_its_summary(morris: Morris) -> None:
    for option in ("--help", "-h"):
        answer = morris(option)
        assert (answer.code, answer.err) == (0, "")
        for name, command in cli.COMMANDS.items():
            assert re.search(rf"^  {name} +{re.escape(command.summary)}$", answer.out, re.M)


DIALOGUES = ("play", "engine", "serve")
"""Commands that answer what they are asked while they run."""


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_is_there_and_has_help(morris: Morris, name: str) -> None:
    answer = morris(name, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: morris {name} ")
    assert ("--json" in answer.out) == (name not in DIALOGUES)
    # The list of commands fits a terminal, and says a whole sentence.
    assert len(cli.COMMANDS[name].summary) <= 66
    assert cli.COMMANDS[name].summary.endswith(".")


def test_version(morris: Morris) -> None:
    assert morris("--version").out == f"morris, version {__version__}\n"


def test_no_command_is_a_usage_error_that_shows_the_help(morris: Morris) -> None:
    answer = morris()
    assert (answer.code, answer.out) == (2, "")
    assert "Commands:" in answer.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["qury", "x"], "no command is called 'qury'; did you mean query?"),
        (["dance"], "no command is called 'dance'; there are: query, line, "),
        (["query"], "Missing argument 'POSITION'. Try 'morris query --help'."),
        (["query", "--colour"], "No such option"),
        (["--frobnicate"], "No such option"),
        (
            ["perft", "nine", "many"],
            "DEPTH takes a whole number, not 'many'. Try 'morris perft --help'.",
        ),
        (["perft", "nine", "1.5"], "DEPTH takes a whole number, not '1.5'"),
        (["perft", "nine", "-1"], "the depth cannot be negative"),
        (["perft", "nine", "-12", "--json"], "the depth cannot be negative"),
        (["perft", "nine", "--fast", "1"], "No such option"),
        (["perft", "nine", "101"], "the depth of perft is at most 100, not 101"),
        (["perft", "nine", "3000", "--divide"], "the depth of perft is at most 100, not 3000"),
        (["perft", "nine", "9" * 5000], "DEPTH takes a whole number, not '999"),
        (["perft", "ten-pins", "1"], "no variant is called 'ten-pins'; there are: nine"),
        (["plan", "nine", "--stones", "few"], "--stones takes a whole number, not 'few'"),
        (["plan", "nine", "--threads", "0"], "--threads takes a whole number of 1 or more"),
        (["bench", "--stones", "8.0"], "--stones takes a whole number, not '8.0'"),
        (["bench", "--check", ""], "--check needs the name of a file"),
        (["stats", "nine", "3"], "'3'"),
        (["stats", "nine", "2-3"], "sector 2-3 has no table"),
        (["stats", "nine", "--db", "", "3-3"], "--db needs the name of a folder"),
        (["query", "--variant", "chess", "w:W:B"], "no variant is called 'chess'"),
        (["line", "--plies", "-4", "w:W:B"], "--plies takes a whole number of 0 or more, not '-4'"),
    ],
)
def test_wrong_usage_gives_one_line_and_exit_code_2(
    morris: Morris, arguments: list[str], expected: str
) -> None:
    assert expected in morris(*arguments).refused(2)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UsageError("wrong"), 2, "Error: wrong\n"),
        (MissingTableError("missing"), 3, "Error: missing\n"),
        (DamagedTableError("damaged"), 4, "Error: damaged\n"),
        (ResourceError("full"), 5, "Error: full\n"),
        (LockedDatabaseError("locked"), 5, "Error: locked\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 5, "Error: there is not enough memory: "),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 5, "/x: permission denied"),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), 5, "/x: no space left"),
        (OSError("odd"), 5, "Error: odd\n"),
        (FileNotFoundError(errno.ENOENT, "No such file", "/x"), 2, "/x: no such file"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory", b"/x"), 2, "/x: not a directory"),
        (click.BadParameter("bad"), 2, "Invalid value: bad"),
        (click.ClickException("odd"), 2, "Error: odd\n"),
        (click.exceptions.Exit(7), 7, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_end_in_one_line_and_their_exit_code(
    morris: Morris, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, text: str
) -> None:
    def fail(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_invoke", fail)
    answer = morris("anything")
    assert (answer.code, answer.out) == (code, "")
    assert text in answer.err
    assert answer.err.count("\n") == (1 if text else 0)


@pytest.mark.parametrize("name", ["perft", "plan", "line", "bench"])
def test_help_has_no_formulas(morris: Morris, name: str) -> None:
    assert "x>" not in morris(name, "--help").out


def test_decimal_numbers() -> None:
    option = click.Option(["--memory"])
    for text, number in (("8", 8.0), ("0.5", 0.5), ("1e3", 1000.0)):
        assert DecimalNumber().convert(text, option, None) == number
    for text, wanted in (
        ("8GB", "a number"),
        ("nan", "a number"),
        ("inf", "a number"),
        ("0", "a number above 0"),
        ("-1", "a number above 0"),
    ):
        with pytest.raises(click.UsageError, match=rf"^--memory takes {wanted}, not '{text}'$"):
            DecimalNumber().convert(text, option, None)


def test_things_are_counted(morris: Morris, tmp_path: Path) -> None:
    assert [counted(n, "slot") for n in (0, 1, 2000)] == ["0 slots", "1 slot", "2,000 slots"]
    assert morris("perft", "nine", 0).out == "1 node\n"
    assert "\nall 1 sector: " in morris("plan", "nine", "3-3", "--db", tmp_path).out


def test_variants_are_named_in_any_case(morris: Morris) -> None:
    assert morris("perft", "NINE", 1).out == morris("perft", "nine", 1).out


def test_a_message_stays_on_one_line(morris: Morris, tmp_path: Path) -> None:
    folder = tmp_path / "a\nb\x1b\udcff\ud800ü"
    message = morris("stats", "nine", "--db", folder).refused(3)
    assert "/a\\nb\\x1b\\xff\\ud800ü; make" in message


def test_json_of_names_that_are_not_text() -> None:
    program = "from solver.cli.formats import emit_json; emit_json({'ü': %s})"
    for encoding, value, expected in (
        ("utf-8", "'ü'", '{"ü": "ü"}\n'.encode()),
        ("utf-8", "chr(0xdcff)", b'{"\\u00fc": "\\udcff"}\n'),
        ("ascii", "'ü'", b'{"\\u00fc": "\\u00fc"}\n'),
    ):
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", program % value],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=True,
        )
        assert done.stdout == expected


@pytest.mark.skipif(os.name != "posix", reason="descriptors are closed the POSIX way")
@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        ("variants --json", ">&-", 141),
        ("perft nine 1 --divide", ">&-", 141),
        ("--help", ">&-", 141),
        ("query x", ">&-", 2),
        ("query x", "2>&-", 2),
        ("variants", "2>&-", 0),
        ("verify nine 3-3 --checksums", "2>&-", 0),
        ("verify nine 3-3 --checksums", ">&- 2>&-", 141),
        ("", "2>&-", 2),
        ("query x", "<&- >&- 2>&-", 2),
    ],
)
def test_closed_streams(database: Path, arguments: str, closed: str, code: int) -> None:
    command = f"{shlex.quote(sys.executable)} -m solver {arguments} {closed}"
    environment = {**os.environ, "MORRIS_DB": str(database)}
    done = subprocess.run(command, shell=True, capture_output=True, check=False, env=environment)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") == (1 if code == 2 and "2>" not in closed else 0)


def test_no_file_takes_the_place_of_a_closed_stream() -> None:
    program = "import os; from solver.cli import _occupy_closed_descriptors as f; f(); f();"
    program += "print(os.open(os.devnull, os.O_RDONLY))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)} <&- 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert int(done.stdout) == 3


def test_mistakes_in_the_program_are_not_hidden(
    morris: Morris, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: list[str]) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "_invoke", fail)
    with pytest.raises(ZeroDivisionError):
        morris("anything")


def test_a_command_returns_its_exit_code(morris: Morris, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.morris, "get_command", lambda *_: click.Command("x", callback=_one))
    assert morris("verify").code == 1


def _one() -> int:
    return 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = [sys.executable, "-m", "solver", "perft", "nine", "1", "--divide"]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_an_interruption_ends_with_130() -> None:
    program = [sys.executable, "-m", "solver", "perft", "nine", "9"]
    process = subprocess.Popen(program, stderr=subprocess.PIPE)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, b"interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("module", ["click", "difflib", "solver.cli"])
def test_an_interruption_while_the_program_loads(module: str) -> None:
    program = f"""if True:
        import os, signal, sys
        from solver.__main__ import main

        class Interrupt:
            def find_spec(self, name, *_):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        sys.modules.pop({module!r}, None)
        sys.meta_path.insert(0, Interrupt())
        main()
        """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"interrupted\n")


def test_shell_completion_lists_the_commands() -> None:
    environment = {
        **os.environ,
        "_MORRIS_COMPLETE": "bash_complete",
        "COMP_WORDS": "morris va",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "solver"], env=environment, capture_output=True, check=False
    )
    assert b"variants" in done.stdout


# -- what commands share ------------------------------------------------------------------------


def test_sectors_are_chosen_in_one_way() -> None:
    assert choose_sectors(NINE) is None
    assert choose_sectors(NINE, stones=8) == sectors_up_to(NINE, 8)
    assert choose_sectors(NINE, moving=True) == moving_sectors(NINE)
    assert choose_sectors(NINE, everything=True) == wanted_sectors(NINE)
    named = [Sector(3, 4), Sector(3, 3), Sector(4, 3), Sector(3, 3)]
    assert choose_sectors(NINE, named) == [Sector(3, 3), Sector(4, 3), Sector(3, 4)]


@pytest.mark.parametrize(
    ("variant", "options", "stones", "found"),
    [
        ("three", [], 6, "3-3"),
        ("three", ["stones=4"], None, "4-4"),
        ("tic-tac-toe", [], None, "4-5"),
        ("tic-tac-toe", [], 9, "4-5"),
        ("six", [], 7, "3-3 4-3 3-4"),
        ("dara", [], 6, "3-3"),
    ],
)
def test_moving_sectors_of_other_games(
    variant: str, options: list[str], stones: int | None, found: str
) -> None:
    rules = with_options(get_variant(variant), options)
    chosen = choose_sectors(rules, stones=stones, moving=stones is None)
    assert chosen is not None
    assert " ".join(map(str, chosen)) == found


@pytest.mark.parametrize(
    ("variant", "options", "stones", "expected"),
    [
        ("three", [], 5, "--stones 5: no moving sector has so few stones; the smallest has 6"),
        ("tic-tac-toe", [], 8, "no moving sector has so few stones; the smallest has 9"),
        ("three", ["stones=5"], 8, "has no moving sector: its stones do not fit on the board"),
        ("three", ["stones=5"], None, "three -r stones=5 has no moving sector"),
    ],
)
def test_games_with_few_moving_sectors(
    variant: str, options: list[str], stones: int | None, expected: str
) -> None:
    rules = with_options(get_variant(variant), options)
    with pytest.raises(UsageError, match=expected):
        choose_sectors(rules, stones=stones, moving=stones is None)


@pytest.mark.parametrize(
    ("variant", "which"),
    [("nine", "--stones 8"), ("three", "--stones 8"), ("tic-tac-toe", "--all")],
)
def test_a_database_without_tables_says_how_to_make_some(
    morris: Morris, tmp_path: Path, variant: str, which: str
) -> None:
    message = morris("stats", variant, "--db", tmp_path).refused(3)
    assert f"make some with: morris solve {variant} {which} --db" in message


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"stones": 8, "moving": True}, "--stones and --moving exclude each other"),
        ({"sectors": [Sector(3, 3)], "everything": True}, "named sectors and --all exclude"),
        ({"stones": 5}, "no moving sector has so few stones; the smallest has 6"),
        ({"stones": -1}, "no moving sector has so few stones; the smallest has 6"),
        ({"sectors": [Sector(10, 3)]}, "at most 9 stones"),
        ({"sectors": [Sector(3, 2)]}, "fewer than 3 stones"),
    ],
)
def test_a_wrong_choice_of_sectors_is_refused(choice: dict[str, object], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        choose_sectors(NINE, **choice)  # type: ignore[arg-type]


def test_numbers_in_words() -> None:
    assert format_count(5140800) == "5,140,800"
    sizes = [0, 1, 999, 1000, 60_400, 999_949, 999_950, 2_100_000_000, 12_345_600_000_000]
    expected = ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "60.4 kB", "999.9 kB", "1.0 MB"]
    assert [format_bytes(size) for size in sizes] == [*expected, "2.1 GB", "12,345.6 GB"]
    times = [0, 0.44, 9.94, 9.96, 59.4, 59.6, 185, 3599.7, 7800, 360_000]
    expected = ["0.0 s", "0.4 s", "9.9 s", "10 s", "59 s", "1 min 00 s", "3 min 05 s"]
    assert [format_duration(t) for t in times] == [
        *expected,
        "1 h 00 min",
        "2 h 10 min",
        "100 h 00 min",
    ]
    assert [plies(number) for number in (0, 1, 15)] == ["0 plies", "1 ply", "15 plies"]


def test_tables_are_aligned() -> None:
    text = format_table(("move", "plies"), [("a1", "15"), ("a1-a4xb2", "")], "lr")
    assert text.splitlines() == ["move      plies", "a1           15", "a1-a4xb2"]


def test_the_default_database_is_used_unless_another_is_named(
    morris: Morris, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MORRIS_DB", str(tmp_path / "from environment"))
    assert "from environment" in morris("stats", "nine").refused(3)
    assert "by option" in morris("stats", "nine", "--db", tmp_path / "by option").refused(3)
