"""``morris perft``: count the sequences of turns of a length."""

from __future__ import annotations

import re

import click

from solver.cli.common import WholeNumber, json_option, read_position, variant_argument
from solver.cli.formats import counted, emit_json, format_count, format_table
from solver.errors import UsageError
from solver.perft import divide as count_by_turn
from solver.perft import perft as count
from solver.position import Position
from solver.rules import Rules

__all__ = ["perft"]


class _Perft(click.Command):
    """A command that knows a negative depth from an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if re.fullmatch(r"-[0-9]", error.option_name) is None:
                raise
            raise UsageError("the depth cannot be negative: it counts turns, 0 or more") from None


@click.command(cls=_Perft)
@variant_argument
@click.argument("depth", type=WholeNumber(0))
@click.option("--divide", is_flag=True, help="Count by first turn as well.")
@click.option("--position", metavar="POSITION", help="Begin here and not with the empty board.")
@json_option
def perft(rules: Rules, depth: int, divide: bool, position: str | None, as_json: bool) -> None:
    """Count the sequences of DEPTH whole turns: the usual test of a move generator."""
    begin = Position.start(rules) if position is None else read_position(rules, position)
    turns = count_by_turn(begin, depth) if divide else None
    nodes = count(begin, depth) if turns is None else sum(turns.values())
    if as_json:
        emit_json({"nodes": nodes} if turns is None else {"nodes": nodes, "divide": turns})
        return
    if turns:
        rows = [(turn, format_count(number)) for turn, number in turns.items()]
        click.echo(format_table(("turn", "nodes"), rows, "lr") + "\n")
    click.echo(counted(nodes, "node"))
