"""The perfect player as an engine: a protocol like chess's UCI, over lines of text.

The program that shows the board (the *user* below) writes commands, one a line; the engine answers,
one line at a time, and flushes each. Lines are UTF-8. Words that a command knows may be in any
case.

======================================  ============================================================
command                                 answer
======================================  ============================================================
``uci``                                 ``id name``, ``id author``, an ``option`` line for each
                                        option, ``uciok``
``isready``                             ``readyok``, at once, whatever else is going on
``ucinewgame``                          none; the position is the start of the variant
``setoption name NAME value VALUE``     none, or why not in an ``info string``: then nothing changes
``position startpos [moves TURN ..]``   none, or why not in an ``info string``: then the position
                                        stays what it was
``position fen TEXT [moves TURN ..]``   the same. TEXT is a position of this program, with or
                                        without spaces, or a Sanmill FEN
``go [..]``                             ``info`` lines, then ``bestmove TURN``
``go perft N``                          ``TURN: COUNT`` for each turn, an empty line,
                                        ``Nodes searched: TOTAL``; no ``bestmove``
``stop``                                what runs or waits is answered now; a count that is not
                                        done ends with an ``info string``
``ponderhit``                           the ``bestmove`` of ``go ponder``
``d``                                   the board and the position, for people
``help``                                the list of commands
``debug``, ``register``                 none: they mean nothing here
``quit``                                the engine ends
======================================  ============================================================

Anything else is answered with an ``info string`` that says what is wrong. An empty line is nothing.
A line of more than 65,535 bytes is skipped with such an answer.

**Options** (names in any case; the defaults that ``uci`` shows are the present values):

============  ======  ==============================================================================
``Variant``   combo   the game. A change begins it anew: the position is its start
``Rules``     string  rules that differ, as ``-r`` of other commands has them: ``stones=4
                      flying=never``; empty for none. A change begins the game anew
``Database``  string  the folder of the tables, which need not exist yet; or several, with a colon
                      between them (on Windows a semicolon), searched in this order
``MultiPV``   spin    how many of the best turns ``go`` shows
``Hash``      spin    megabytes of unpacked tables to keep
============  ======  ==============================================================================

**Turns** are read as everywhere in this program (``d2``, ``a1-a4``, ``d6xf4``), with a capture as
a word of its own (``d2 xb4``), or in PlayOK's numbers; and written ``a1-a4xb2``. ``position`` plays
on where a draw is due by repetition or by the quiet limit, as users may not know of it: ``go`` says
so in an ``info string`` when one is due in the present position, and gives a turn still.

**Parameters of go.** ``searchmoves TURN ..`` restricts the choice; ``depth N`` shows lines no
further than N plies; ``infinite`` and ``ponder`` keep ``bestmove`` back until ``stop`` (or
``ponderhit``). ``wtime``, ``movetime``, ``nodes`` and the like are accepted: a look-up needs no
limit. What is wrong is left out with an ``info string``, as the user waits for a turn. A ``go``
while another runs waits for its turn; it is about the position and the options as they were when it
was given.

**Answers of go.** One line for each of the best turns, the best first::

    info depth P multipv K score SCORE pv TURN TURN ..

P is the number of plies in the line, which leads to the end of the game where the distance is
known, else 8 plies on; it ends early where a table is missing or a position comes again. The score
is that of the line's first turn, for the side that plays it:

===========================================  =======================================================
``mate N wdl 1000 0 0 dtw D``                a win in D plies, which are N turns of the winner:
                                             N = (D + 1) / 2
``mate -N wdl 0 0 1000 dtw D``               a loss in D plies: N = D / 2
``cp 0 wdl 0 1000 0``                        a draw
``cp 10000 wdl 1000 0 0``, ``cp -10000 ..``  a win or a loss; how long it takes, only a table of
                                             distances would tell
``.. lowerbound ..``                         turns that no table knows may be better
===========================================  =======================================================

``bestmove`` always comes, and is a legal turn but in two cases:

- The game is over: an ``info string`` says how, ``depth 0`` has the score, and then follows
  ``bestmove (none)``.
- A table is damaged, or two contradict each other: an ``info string`` says which, and then follows
  ``bestmove (none)`` without a score. A wrong value must not look like a right one.

Where tables are *missing*, an ``info string`` says which, with the command that makes them, and how
many turns are unknown for it. Then a turn that is known to win or draw is played, the quickest win
first; but not where the position is known to be worth more. Else an ``info string`` says that
``bestmove`` is a guess (of the unknown turns one that takes most stones), and there is no score.

**The end.** ``quit`` ends the engine with all that it is doing; answers that are not there within
half a second are lost. The end of the input waits for answers; only what might take for ever (a
count, or an answer kept back) is told to stop. Where something goes wrong that should not, ``info
string internal error: ..`` says what, ``bestmove (none)`` follows if a turn was asked for, and the
engine goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Final

from solver import __version__
from solver.describe import describe_end, describe_sides
from solver.engine.answers import Question
from solver.engine.go import parse_go
from solver.engine.settings import Settings
from solver.engine.streams import LONGEST_LINE, Output, Reader, Writer, read_lines
from solver.engine.worker import Job, Worker
from solver.errors import MorrisError, UsageError
from solver.folders import PathOrPaths, read_folders
from solver.game import Game
from solver.notation import joined_turns
from solver.position import Position
from solver.reading import quoted
from solver.render import render_text
from solver.rules import Rules
from solver.tablebase import Tablebase, open_tablebase

__all__ = ["Engine"]

_QUIT_SECONDS: Final = 0.5
"""How long answers are waited for after ``quit``."""
_VALUE: Final = re.compile(r"(?:^|\s)value(?:\s|$)", re.IGNORECASE)


class Engine:
    """An engine that reads commands from one stream and writes answers to another.

    Commands are read by the thread that calls :meth:`run`, and ``go`` is answered by another.
    """

    def __init__(
        self, reader: Reader, writer: Writer, rules: Rules, databases: PathOrPaths
    ) -> None:
        """Make an engine that has read nothing yet.

        Args:
            reader, writer: the streams, of bytes.
            rules: the game to begin with.
            databases: the folder of the tables to begin with, or several; they need not exist.

        Raises:
            UsageError: a database is not a folder.
        """
        self._reader = reader
        self._output = Output(writer)
        self._settings = Settings(rules, read_folders(databases))
        self._tablebase = self._opened()
        self._game = Game(rules)
        self._ended = False
        self._commands: dict[str, Callable[[str], None]] = {
            "uci": self._uci,
            "isready": lambda rest: self._output.say("readyok"),
            "ucinewgame": self._new_game,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda rest: self._worker.stop(),
            "ponderhit": lambda rest: self._worker.stop(lambda job: job.ponders),
            "d": self._display,
            "help": self._help,
            "debug": _do_nothing,
            "register": _do_nothing,
            "quit": self._quit,
        }

    def run(self) -> None:
        """Obey commands until ``quit`` or the end of the input.

        Raises:
            OSError: an answer could not be written: BrokenPipeError if nobody reads them any more.
        """
        self._worker = Worker(self._output)
        try:
            for line in read_lines(self._reader):
                self._obey(line)
                if self._ended or self._output.error:
                    break
            if self._ended:
                self._worker.stop()
            self._worker.finish(_QUIT_SECONDS if self._ended else None)
        finally:
            self._worker.stop()
            self._output.close()
        if self._output.error:
            raise self._output.error

    def _obey(self, line: str | None) -> None:
        """Do what a line says."""
        if line is None:
            self._output.inform(f"a line of more than {LONGEST_LINE - 1} bytes is skipped")
            return
        name, *rest = line.lstrip("\ufeff").split(None, 1) or [""]
        if not name:
            return
        command = self._commands.get(name.lower())
        try:
            if command is None:
                raise UsageError(f"unknown command: {quoted(line.strip())}; try help")
            command("".join(rest).strip())
        except MorrisError as error:
            self._output.inform(str(error))
        except Exception as error:
            self._output.report(error)

    # -- commands ---------------------------------------------------------------------------------

    def _uci(self, rest: str) -> None:
        self._output.say(
            f"id name morris-solver {__version__}",
            "id author morris-solver contributors",
            *self._settings.listed(),
            "uciok",
        )

    def _new_game(self, rest: str) -> None:
        self._game = Game(self._settings.rules)

    def _set_option(self, rest: str) -> None:
        name, value = _split_option(rest)
        before = self._settings
        after = before.changed(name, value)
        self._settings = after
        if (after.databases, after.cache_mb) != (before.databases, before.cache_mb):
            self._tablebase = self._opened()
        if after.rules != before.rules:
            self._game = Game(after.rules)
        for folder in after.databases:
            if after.databases != before.databases and not folder.exists():
                self._output.inform(f"there is no folder {folder}, so no table either")

    def _opened(self) -> Tablebase:
        """Return the tables as they are set; the worker closes them."""
        return open_tablebase(self._settings.databases, cache_mb=self._settings.cache_mb)

    def _set_position(self, rest: str) -> None:
        words = rest.split()
        keys = [word.lower() for word in words]
        end = keys.index("moves") if "moves" in keys else len(words)
        kind, text = " ".join(keys[:1]), " ".join(words[1:end])
        rules = self._settings.rules
        if kind == "startpos" and not text:
            start = Position.start(rules)
        elif kind == "fen":
            start = Position.parse(rules, text)
        else:
            raise UsageError(
                "position takes startpos, or fen and a position, and then moves and turns; not"
                f" {quoted(rest)}"
            )
        self._game = self._played(start, words[end + 1 :])

    def _played(self, start: Position, words: list[str]) -> Game:
        """Return the game that some turns make; draws by its history do not end it.

        Raises:
            UsageError: one of the turns is not legal; says which, why, and what the position is.
        """
        game = Game(start)
        for number, text in enumerate(joined_turns(words), 1):
            try:
                game.play(text, past_draws=True)
            except UsageError as error:
                raise UsageError(
                    f"turn {number}, {quoted(text)}: {error}; the position stays"
                    f" {self._game.position}"
                ) from None
        return game

    def _go(self, rest: str) -> None:
        game = self._game
        asked = parse_go(game.position, rest.split())
        self._worker.submit(
            Job(
                tablebase=self._tablebase,
                question=Question(game, self._settings.lines, asked.depth, asked.only),
                perft=asked.perft,
                waits=asked.waits,
                ponders=asked.ponders,
                complaints=asked.complaints,
                stop=Event(),
            )
        )

    def _display(self, rest: str) -> None:
        position = self._game.position
        outcome = position.outcome()
        state = describe_sides(position)
        if outcome is not None:
            state = f"The game is over, {describe_end(position, outcome)}."
        self._output.say(
            *render_text(position, ascii_only=True).splitlines(),
            "",
            f"{position.rules.name}: {position}",
            state,
        )

    def _help(self, rest: str) -> None:
        self._output.inform(f"commands: {', '.join(self._commands)}")

    def _quit(self, rest: str) -> None:
        self._ended = True


def _do_nothing(rest: str) -> None:
    """Obey a command that means nothing here."""


def _split_option(rest: str) -> tuple[str, str]:
    """Return the name and the value in what follows ``setoption``.

    Raises:
        UsageError: there is no name.
    """
    key, *words = rest.split(None, 1) or [""]
    if key.lower() != "name" or not words:
        raise UsageError("setoption takes: name NAME value VALUE")
    found = _VALUE.search(words[0])
    name = words[0] if found is None else words[0][: found.start()]
    value = "" if found is None else words[0][found.end() :]
    return " ".join(name.split()), value.strip()
