"""What a build shows while it runs: a bar on a terminal, plain lines anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

import click

from solver.buildprogress import BuildProgress
from solver.cli.formats import counted, format_bytes, format_count, format_duration
from solver.compiling import compile_first
from solver.escape import one_line
from solver.plan import unit_seconds, unit_slots
from solver.schedule import job_seconds, seconds_to_end

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console
    from rich.progress import Progress

    from solver.rules import Rules
    from solver.sectors import Sector, Unit

__all__ = [
    "BarProgress",
    "PlainProgress",
    "build_progress",
    "byte_progress",
    "check_progress",
    "say",
    "unit_line",
]

_LINE_SECONDS: Final = 10
"""A unit that takes longer gets a line this often."""
_TRUSTED_SECONDS: Final = 5.0
"""How much measured time weighs as much as the plan's estimate."""


def build_progress(rules: Rules, threads: int) -> PlainProgress:
    """Return what fits where stderr goes. Use it as a context manager."""
    console = _terminal()
    return (
        PlainProgress(rules, threads) if console is None else BarProgress(rules, threads, console)
    )


_shown_on: list[Console] = []
"""The console of the bar that is being shown, if any; what is said must go above the bar."""


def say(text: str) -> None:
    """Write a line to stderr, above the bar if one is being shown."""
    if _shown_on:
        _shown_on[-1].print(one_line(text), markup=False, highlight=False, soft_wrap=True)
    else:
        click.echo(one_line(text), err=True)


def _terminal() -> Console | None:
    """Return a console for stderr if it is a terminal that can redraw a line."""
    if sys.stderr is None or not sys.stderr.isatty():  # None: closed when the program was started
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return None if console.is_dumb_terminal else console


@contextmanager
def check_progress(sectors: int) -> Iterator[Callable[[Sector, int, int], None] | None]:
    """Show a bar over so many sectors while they are checked, if stderr is a terminal.

    Yields:
        What to call with a sector, its slots checked so far and all of them; None if there is
        nothing to show it on. Lines are to be written with :func:`say`.
    """
    console = _terminal()
    if console is None:
        yield None
        return
    from rich.progress import Progress

    parts: dict[Sector, float] = {}
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("", total=sectors)

        def show(sector: Sector, done: int, slots: int) -> None:
            parts[sector] = done / slots
            bar.update(task, description=str(sector), completed=sum(parts.values()))

        _shown_on.append(console)
        try:
            yield show
        finally:
            _shown_on.pop()


class _Rate:
    """How far the reading of files is; told from any thread."""

    def __init__(self, total: int) -> None:
        self.done = 0
        self._total = max(1, total)
        self._started = self._line_at = time.perf_counter()
        self._lock = Lock()

    def add(self, read: int) -> bool:
        """Count bytes; return whether it is time for a line."""
        with self._lock:
            self.done += read
            now = time.perf_counter()
            due = now - self._line_at >= _LINE_SECONDS
            if due:
                self._line_at = now
            return due

    def words(self) -> tuple[str, str, str]:
        """Return how much is read, how fast, and how long the rest takes."""
        seconds = time.perf_counter() - self._started
        rate = self.done / seconds if seconds else 0
        left = max(0, self._total - self.done) / rate if rate else 0
        return (
            f"{min(100, 100 * self.done // self._total)} %",
            f"{format_bytes(rate)}/s",
            f"about {format_duration(left)} left",
        )


@contextmanager
def byte_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show how far the reading of so many bytes is: a bar on a terminal, else a line now and then.

    Yields:
        What to call, from any thread, with how many more bytes have been read.
    """
    rate = _Rate(total)
    console = _terminal()
    if console is None:

        def tell(read: int) -> None:
            if rate.add(read):
                say(", ".join(rate.words()))

        yield tell
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), *(TextColumn(f"{{task.fields[word{i}]}}") for i in range(3)))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total, word0="", word1="", word2="")

        def show(read: int) -> None:
            rate.add(read)
            percent, speed, left = rate.words()
            bar.update(task, completed=rate.done, word0=percent, word1=speed, word2=left)

        _shown_on.append(console)
        try:
            yield show
        finally:
            _shown_on.pop()


_MANY_SLOTS: Final = 100_000  # with fewer, a time per slot says nothing


def unit_line(unit: Unit, slots: int, seconds: float) -> str:
    """Return a line on a solved unit: ``6-5: 150,351,264 slots in 5.1 s (34 ns/slot)``."""
    text = f"{unit}: {counted(slots, 'slot')} in {format_duration(seconds)}"
    if slots < _MANY_SLOTS:
        return text
    return f"{text} ({seconds / slots * 1e9:.0f} ns/slot)"


@dataclass
class _Running:
    """A unit that is being solved.

    Attributes:
        started: when.
        line_at: when a line was last written on it.
        slots: so many of its slots have their value.
    """

    started: float
    line_at: float
    slots: int = 0


class PlainProgress(BuildProgress):
    """Lines on stderr: one for each unit, and more where one takes long.

    Args:
        rules: the game.
        threads: to solve with, unless `share` says otherwise.

    Attributes:
        tables: tables written.
    """

    def __init__(self, rules: Rules, threads: int) -> None:
        self.tables = 0
        self._rules = rules
        self._threads = threads
        self._workers: int | None = None  # processes that share the units; None for this one alone
        self._slots: dict[Unit, int] = {}
        self._planned: dict[Unit, float] = {}
        self._chains: dict[Unit, float] = {}
        self._left: set[Unit] = set()
        self._elapsed = 0.0
        self._running: dict[Unit, _Running] = {}

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def share(self, workers: int, threads: int) -> None:
        """See BuildProgress."""
        self._workers, self._threads = workers, threads
        self._planned = {unit: job_seconds(self._rules, unit, threads) for unit in self._planned}

    def begin(self, units: list[Unit]) -> None:
        """See BuildProgress."""
        self._left.clear()
        self._running.clear()
        for unit in units:
            self._add(unit)
        if units:
            if self._workers is None:
                compile_first(units, self.note)  # or the first unit would seem to be slow
            else:
                self._chains = seconds_to_end(self._rules, units, self._threads)
            count = f"{len(units)} unit{'' if len(units) == 1 else 's'}"
            total = format_count(sum(self._slots[unit] for unit in units))
            about = format_duration(self._least_seconds(dict.fromkeys(units, 0.0)))
            self.note(f"solving {count}, {total} slots, in about {about}")

    def start_unit(self, unit: Unit) -> None:
        """See BuildProgress."""
        self._add(unit)
        now = time.perf_counter()
        self._running[unit] = _Running(now, now)

    def advance(self, unit: Unit, slots: int) -> None:
        """See BuildProgress."""
        running = self._running.get(unit)
        if running is None:
            return
        running.slots += slots
        now = time.perf_counter()
        if now - running.line_at >= _LINE_SECONDS:
            running.line_at = now
            percent = 100 * running.slots // self._slots[unit]
            self._say_on(f"{unit}: {percent} %, {self.time_left()}")

    def lose_unit(self, unit: Unit) -> None:
        """See BuildProgress."""
        self._running.pop(unit, None)

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        """See BuildProgress."""
        self._elapsed += seconds
        self._left.discard(unit)
        self._running.pop(unit, None)
        left = f", {self.time_left()}" if self._left else ""
        self.note(f"{unit_line(unit, self._slots[unit], seconds)}{left}")

    def wrote(self, sector: Sector, size: int, seconds: float) -> None:
        """See BuildProgress."""
        self.tables += 1

    def note(self, text: str) -> None:
        """See BuildProgress."""
        click.echo(one_line(text), err=True)

    def time_left(self) -> str:
        """Return the time left in words: what the plan says, as much slower as it was so far."""
        elapsed = self._elapsed
        done = sum(self._planned.values()) - sum(self._planned[unit] for unit in self._left)
        parts = dict.fromkeys(self._left, 0.0)
        for unit, running in self._running.items():
            # Drawn slots come last and all at once, so a unit ends sooner than this says.
            parts[unit] = min(1.0, running.slots / self._slots[unit]) * self._planned[unit]
            elapsed += time.perf_counter() - running.started
        done += sum(parts.values())
        # A few seconds as planned keep the first, small units from saying much.
        pace = (elapsed + _TRUSTED_SECONDS) / (done + _TRUSTED_SECONDS)
        return f"about {format_duration(self._least_seconds(parts) * pace)} left"

    def _least_seconds(self, parts: Mapping[Unit, float]) -> float:
        """Return how long some units take as planned, with all workers busy.

        Args:
            parts: seconds of it that are over, by unit.
        """
        work = sum(self._planned[unit] - part for unit, part in parts.items())
        chain = (self._chains.get(unit, 0.0) - part for unit, part in parts.items())
        return max(work / (self._workers or 1), *chain, 0.0)

    def _say_on(self, text: str) -> None:
        """Write a line on a unit that takes long."""
        self.note(text)

    def _add(self, unit: Unit) -> None:
        """Take a unit into account that is still to be solved."""
        self._left.add(unit)
        if unit not in self._slots:
            self._slots[unit] = unit_slots(self._rules, unit)
            expected = unit_seconds if self._workers is None else job_seconds
            self._planned[unit] = expected(self._rules, unit, self._threads)


class BarProgress(PlainProgress):
    """One bar over all units on the terminal, with the rate and the time left."""

    def __init__(self, rules: Rules, threads: int, console: Console) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        super().__init__(rules, threads)
        self._began = 0.0
        self._bar: Progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("", start=False, visible=False, rate="", left="")

    def __enter__(self) -> BarProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def start_unit(self, unit: Unit) -> None:
        """See BuildProgress."""
        super().start_unit(unit)
        self._began = self._began or time.perf_counter()
        total = sum(self._slots.values())
        self._bar.update(self._task, total=total, visible=True)
        self._bar.start_task(self._task)
        self._show()

    def advance(self, unit: Unit, slots: int) -> None:
        """See BuildProgress."""
        super().advance(unit, slots)
        self._show()

    def finish_unit(self, unit: Unit, seconds: float) -> None:
        """See BuildProgress."""
        super().finish_unit(unit, seconds)
        self._show()

    def lose_unit(self, unit: Unit) -> None:
        """See BuildProgress."""
        super().lose_unit(unit)
        self._show()

    def note(self, text: str) -> None:
        """See BuildProgress."""
        self._bar.console.print(one_line(text), markup=False, highlight=False, soft_wrap=True)

    def _say_on(self, text: str) -> None:
        """Write nothing: the bar says it."""

    def _show(self) -> None:
        done = sum(self._slots[unit] for unit in self._slots.keys() - self._left)
        done += sum(running.slots for running in self._running.values())
        elapsed = time.perf_counter() - self._began
        rate = f"{done / elapsed / 1e6:.1f} M slots/s" if elapsed > 0.5 else ""
        left = self.time_left() if self._left else ""
        names = " ".join(map(str, self._running))
        self._bar.update(self._task, description=names, completed=done, rate=rate, left=left)
