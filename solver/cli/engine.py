"""``morris engine``: the perfect player for other programs."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import click

from solver.cli.common import databases_option, variant_option
from solver.rules import Rules

__all__ = ["engine"]


@click.command()
@variant_option
@databases_option
def engine(rules: Rules, databases: tuple[Path, ...]) -> None:
    """Play perfectly for another program: commands on stdin, answers on stdout.

    The protocol is like UCI, that of chess engines:

    \b
    > position startpos moves d2 d6
    > go
    info depth 8 multipv 1 score cp 0 wdl 0 1000 0 pv a1 a4 ...
    bestmove a1

    'uci' lists the options, 'help' the commands, 'd' shows the board, 'quit' ends. All of it is
    told by: python -m pydoc solver.engine.protocol
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    from solver.engine.protocol import Engine

    if sys.stdout is None:
        return  # closed: nobody would hear an answer
    sys.stdout.flush()
    commands = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
    # Beneath the buffer: a thread in the middle of a write to that would hold up the end.
    answers = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    Engine(commands, answers, rules, databases).run()
