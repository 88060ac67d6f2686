"""Runs of ``morris`` that are killed at a chosen step, many of them quickly.

A new Python takes a second and more to load the compiled code. So one process loads all of it and
forks for every run: the child is ``morris`` itself, but that it tells when it comes to a step, and
waits there if it is told to.

This file is both sides: :class:`ForkServer` is for the tests; run as a program it is the server.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

__all__ = ["STEPS", "ForkServer", "Run", "fill_disk"]

STEPS = ["starting", "solving", "compressing", "renaming", "solving beside the writer"]
"""Of ``morris solve``. Renaming is all from before the bytes are put on the disk until the name
is."""
HANG_SECONDS = 30


class Run(NamedTuple):
    """What became of a run.

    Attributes:
        code: exit code, or minus the signal that it died of.
        out, err: what it wrote.
        reached: whether it came to the step that it was to be disturbed at.
        steps: how often it came to each step; only of a run that ended in the ordinary way.
    """

    code: int
    out: str
    err: str
    reached: bool
    steps: dict[str, int]


class ForkServer:
    """Runs the command line in children of one process. A context manager."""

    def __init__(self, warm: Sequence[Sequence[str]]) -> None:
        """Start the server.

        Args:
            warm: command lines to run first, so that all they load is loaded.
        """
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps([list(arguments) for arguments in warm])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
        )

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def run(
        self,
        *arguments: object,
        step: str = "",
        number: int = 1,
        signals: Sequence[signal.Signals] = (),
        delay: float | None = None,
        closed: str = "",
        limits: dict[str, int] | None = None,
        failures: dict[str, int] | None = None,
        user: int | None = None,
        fill: Path | None = None,
        leave: int = 0,
        pause: float = 0,
    ) -> Run:
        """Run ``morris`` and disturb it.

        Args:
            arguments: of the command line.
            step: where to disturb it; nowhere if empty.
            number: the how manieth time it comes there.
            signals: to send it then, one right after the other.
            delay: seconds that it runs on before they are sent; None: it waits at the step.
            closed: ``stdout`` or ``stderr``: at the step who reads from there goes away.
            limits: resource limits by their names, such as ``RLIMIT_FSIZE``.
            failures: errors of the system that calls raise at that step, by the name of the
                function in :mod:`os`.
            user: number of the user to be; None for who runs the tests.
            fill: a file that is made so large at that step that nothing is left on its disk.
            leave: but for so many bytes.
            pause: seconds between the signals.
        """
        request = {
            "arguments": [str(argument) for argument in arguments],
            "step": step,
            "number": number,
            "signals": [int(each) for each in signals],
            "delay": delay,
            "closed": closed,
            "limits": limits or {},
            "failures": failures or {},
            "user": user,
            "fill": None if fill is None else str(fill),
            "leave": leave,
            "pause": pause,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the server has died"
        return Run(**json.loads(answer))


# -- the server -----------------------------------------------------------------------------------


def serve(warm: list[list[str]]) -> None:
    """Answer requests until there are no more."""
    from solver.cli import run

    replies = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)  # what is said while warming up is no answer
    errors = os.dup(2)
    os.dup2(null, 2)
    for arguments in warm:
        assert run(arguments) == 0, arguments
    os.dup2(errors, 2)
    for line in sys.stdin:
        answer = run_child(json.loads(line), null)
        os.write(replies, (json.dumps(answer._asdict()) + "\n").encode())


def run_child(request: dict[str, Any], null: int) -> Run:
    """Fork, let the child be ``morris``, disturb it, and return what became of it."""
    while len(os.listdir("/proc/self/task")) > 1:
        time.sleep(0.001)  # a thread that has ended is seen for another moment
    (notes, note), (waits, go) = os.pipe(), os.pipe()
    outputs = {name: tempfile.TemporaryFile() for name in ("stdout", "stderr")}  # noqa: SIM115
    pipes = {request["closed"]: os.pipe()} if request["closed"] else {}
    child = os.fork()
    if child == 0:
        os.dup2(null, 0)
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(pipes[name][1] if name in pipes else outputs[name].fileno(), number)
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor > 2 and descriptor not in (note, waits):
                with suppress(OSError):  # that of the folder itself
                    os.close(descriptor)
        become(request, note, waits)
    for descriptor in (note, waits, *(pipe[1] for pipe in pipes.values())):
        os.close(descriptor)
    first = os.read(notes, 1)
    reached = first == b"!"  # else it has ended
    for name in pipes:
        os.close(pipes[name][0])
    if reached and request["delay"] is not None:
        os.write(go, b"!")
        time.sleep(request["delay"])
    for number in request["signals"] if reached else ():
        os.kill(child, number)  # not waited for yet, so nobody else has its number
        time.sleep(request["pause"])
    if signal.SIGSTOP in request["signals"]:
        time.sleep(0.02)
        os.kill(child, signal.SIGCONT)
    os.close(go)
    steps: dict[str, int] = {}
    ready, _, _ = select.select([notes], [], [], HANG_SECONDS)
    if not ready:
        os.kill(child, signal.SIGUSR1)  # it writes what it is at
        time.sleep(1)
        os.kill(child, signal.SIGKILL)
    told = (b"" if reached else first) + b"".join(iter(lambda: os.read(notes, 65536), b""))
    if told:
        steps = json.loads(told)
    os.close(notes)
    _, status = os.waitpid(child, 0)
    said = {}
    for name, file in outputs.items():
        file.seek(0)
        said[name] = file.read().decode()
        file.close()
    code = os.waitstatus_to_exitcode(status)
    if not ready:
        said["stderr"] += f"\nHANGS for {HANG_SECONDS} s"
    return Run(code, said["stdout"], said["stderr"], reached, steps)


def become(request: dict[str, Any], note: int, waits: int) -> None:
    """Be ``morris``, in a child."""
    import resource

    from solver.__main__ import main

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.register(signal.SIGUSR1)
    for name, limit in request["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    if request["user"] is not None:
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
        from solver import compiling

        compiling.is_compiled = lambda moving: True  # in a folder of whom it was before
    steps = Steps(request, note, waits)
    watch(steps)
    sys.argv[1:] = request["arguments"]
    code: object = 70
    try:
        main()
    except SystemExit as stop:
        code = stop.code
        threading._shutdown()  # type: ignore[attr-defined]
        if code == 0:
            os.write(note, json.dumps(steps.counts).encode())
    except BaseException:
        traceback.print_exc()
    finally:
        # What Python does besides at its end takes a second in a child, with all that is loaded.
        os._exit(code if isinstance(code, int) else 70)


class Steps:
    """Knows at which step to stop."""

    def __init__(self, request: dict[str, Any], note: int, waits: int) -> None:
        self.counts: Counter[str] = Counter()
        self.wanted = request["step"], request["number"]
        self._failures = request["failures"]
        self._fill, self._leave = request["fill"], request["leave"]
        self._note, self._waits = note, waits
        self.failing: dict[str, int] = {}

    def reach(self, step: str) -> None:
        """Be at a step: tell, and wait for leave to go on, if it is the one."""
        self.counts[step] += 1
        if (step, self.counts[step]) == self.wanted:
            self.failing = self._failures
            if self._fill is not None:
                fill_disk(Path(self._fill), self._leave)
            os.write(self._note, b"!")
            os.read(self._waits, 1)


def fill_disk(path: Path, leave: int) -> None:
    """Make a file so large that nothing but so many bytes is left on its disk."""
    found = os.statvfs(path.parent)
    path.write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - leave)))


def watch(steps: Steps) -> None:
    """Have the program tell at which step it is."""
    from solver import build, export, pack, proof, seekable, tablewriter, unitbuilder

    # With this step, the first table is not written on before the next unit is being solved.
    beside = steps.wanted[0] == "solving beside the writer"
    writing, released = threading.Event(), threading.Event()

    def before(owner: Any, name: str, step: str, *, after: bool = False) -> None:
        original = getattr(owner, name)

        def stepping(*arguments: Any, **options: Any) -> Any:
            steps.reach(step)
            result = original(*arguments, **options)
            if after:
                steps.reach(step)
            return result

        setattr(owner, name, stepping)

    def solving(rules: Any, unit: Any, read: Any, workers: Any, advance: Any, *more: Any) -> Any:
        if beside and steps.counts["solving"] and not released.is_set() and writing.wait(1):
            try:
                steps.reach("solving beside the writer")
            finally:
                released.set()
        steps.reach("solving")

        def advancing(slots: int) -> None:
            steps.reach("solving")
            advance(slots)

        return solve_unit(rules, unit, read, workers, advancing, *more)

    def packing(*arguments: Any, **options: Any) -> Generator[list[bytes], None, None]:
        steps.reach("compressing")
        if beside:
            writing.set()
            released.wait(1)
        for frames in pack_frames(*arguments, **options):
            yield frames
            steps.reach("compressing")

    def failing(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if name in steps.failing:
                number = steps.failing[name]
                raise OSError(number, os.strerror(number))
            return original(*arguments, **options)

        return call

    solve_unit, pack_frames = unitbuilder.solve_unit, seekable.pack_frames
    unitbuilder.solve_unit = solving  # type: ignore[assignment]
    seekable.pack_frames = packing  # type: ignore[assignment]
    for name in ("fsync", "replace"):
        setattr(os, name, failing(name, getattr(os, name)))
        before(os, name, "renaming", after=True)
    before(build, "survey", "starting")
    before(build, "clean", "starting", after=True)
    before(tablewriter, "write_table", "writing")
    before(pack, "derive", "deriving", after=True)
    before(export, "_rows", "gathering rows", after=True)
    before(proof.Checker, "check", "checking", after=True)


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    serve(json.loads(sys.argv[1]))
