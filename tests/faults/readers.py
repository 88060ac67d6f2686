"""Processes, of threads, that ask one database and compare the answers with known ones.

    python readers.py start_method user

Reads a :class:`Task` by pickle on stdin; says "ready" when the first answer is there, and at the
end writes what each process saw as a line of JSON. With a number as `user`, its processes become
that user before they ask, so that the database is read-only to them.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import random
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from solver.errors import MissingTableError
from solver.position import Position
from solver.results import Result
from solver.rules import get_variant
from solver.tablebase import Tablebase

PROCESSES = 4
THREADS = 8
PLIES = 3
"""How far lines are followed."""
KINDS = ("probe", "moves", "line", "many")


@dataclass(frozen=True)
class Known:
    """The right answers about a position."""

    text: str
    sector: str
    result: Result
    moves: list[tuple[str, str, int | None]]
    line: list[str]


@dataclass(frozen=True)
class Task:
    """What to ask.

    Attributes:
        database: the folder.
        known: positions with their answers.
        always: whether all tables are there from the beginning.
        questions: for each thread.
        cache_mb, max_open_files: limits of the tablebase.
    """

    database: str
    known: list[Known]
    always: bool
    questions: int
    cache_mb: float
    max_open_files: int


@dataclass
class Seen:
    """What a process saw."""

    right: int = 0
    missing: int = 0
    wrong: str = ""
    open_files: int = 0
    cached: float = 0
    may_write: bool = False


def answers(tablebase: Tablebase, position: Position, sector: str) -> Known:
    """All answers about a position."""
    return Known(
        str(position),
        sector,
        tablebase.probe(position),
        [(move.text, move.value, move.dtw) for move in tablebase.moves(position)],
        [move.text for move in tablebase.line(position, PLIES).moves],
    )


def is_right(tablebase: Tablebase, known: Known, position: Position, kind: str) -> bool:
    """Ask in one way, and compare."""
    if kind == "probe":
        return tablebase.probe(position) == known.result
    if kind == "moves":
        found = [(move.text, move.value, move.dtw) for move in tablebase.moves(position)]
        return found == known.moves
    if kind == "line":
        return [move.text for move in tablebase.line(position, PLIES).moves] == known.line
    masks = np.full(3, position.mover_mask), np.full(3, position.opponent_mask)
    wdl, dtw = tablebase.probe_many(*masks, known.sector, position.rules, threads=2)
    value = {"win": 1, "draw": 0, "loss": -1}[known.result.value]
    distance = -1 if known.result.dtw is None else known.result.dtw
    return wdl.tolist() == [value] * 3 and dtw.tolist() == [distance] * 3


def open_tables(database: str) -> int:
    """How many files of a folder this process has open."""
    count = 0
    for entry in os.scandir("/proc/self/fd"):
        with suppress(OSError):
            count += os.readlink(entry.path).startswith(f"{database}/")
    return count


def ask(tablebase: Tablebase, task: Task, seen: Seen, lock: threading.Lock, seed: int) -> None:
    """Ask a number of questions in this thread."""
    rng = random.Random(seed)
    nine = get_variant("nine")
    for number in range(task.questions):
        known, kind = rng.choice(task.known), rng.choice(KINDS)
        right = missing = 0
        wrong = ""
        try:
            if is_right(tablebase, known, Position.parse(nine, known.text), kind):
                right = 1
            else:
                wrong = f"{kind} of {known.text} is wrong"
        except MissingTableError as error:
            missing = 1
            if task.always or error.sector not in ("5-3", "3-5", "4-4"):
                wrong = f"{kind} of {known.text}: {error}"
        except BaseException as error:
            wrong = f"{kind} of {known.text}: {error!r}"
        cached = tablebase._frames.used
        count = open_tables(task.database) if number % 4 == 0 else 0
        with lock:
            seen.right += right
            seen.missing += missing
            seen.wrong = seen.wrong or wrong
            seen.cached = max(seen.cached, cached)
            seen.open_files = max(seen.open_files, count)


def ask_in_threads(tablebase: Tablebase, task: Task, number: int) -> Seen:
    """Ask in all threads of a process."""
    seen, lock = Seen(), threading.Lock()
    threads = [
        threading.Thread(target=ask, args=(tablebase, task, seen, lock, THREADS * number + n))
        for n in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def become(user: int, database: str) -> bool:
    """Become an ordinary user; return whether the database may be written nevertheless."""
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    folders = [Path(database), *(path for path in Path(database).iterdir() if path.is_dir())]
    return any(os.access(folder, os.W_OK) for folder in folders)


def read(tablebase: Tablebase, task: Task, user: int, number: int, pipe: Connection) -> None:
    """Be one of the processes."""
    # What is only imported when it is needed comes first: the user may not see it.
    with Tablebase(task.database) as warming:
        known = next(k for k in task.known if k.sector == "3-3")
        position = Position.parse(get_variant("nine"), known.text)
        for kind in KINDS:
            assert is_right(warming, known, position, kind)
    with suppress(MissingTableError):
        tablebase.probe(Position.start(get_variant("nine")))
    may_write = become(user, task.database)
    pipe.send("ready")
    pipe.recv()
    seen = ask_in_threads(tablebase, task, number)
    seen.may_write = may_write
    pipe.send(seen)


def main() -> None:
    method, user = sys.argv[1], int(sys.argv[2])
    task: Task = pickle.load(sys.stdin.buffer)
    context = multiprocessing.get_context(method)
    tablebase = Tablebase(task.database, cache_mb=task.cache_mb, max_open_files=task.max_open_files)
    # Forked while other threads ask, as in a program that is at work.
    busy = [threading.Thread(target=ask_in_threads, args=(tablebase, task, 100)) for _ in range(1)]
    for thread in busy:
        thread.start()
    pipes, processes = [], []
    for number in range(PROCESSES):
        ours, theirs = context.Pipe()
        process = context.Process(target=read, args=(tablebase, task, user, number, theirs))
        process.start()
        pipes.append(ours)
        processes.append(process)
    for thread in busy:
        thread.join()
    for pipe in pipes:
        assert pipe.recv() == "ready"
    print("ready", flush=True)
    for pipe in pipes:
        pipe.send("go")
    print(json.dumps([asdict(pipe.recv()) for pipe in pipes]), flush=True)
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
