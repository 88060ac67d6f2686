"""``morris variants``: the games this program knows."""

from __future__ import annotations

import click

from solver.cli.common import emit_json, format_table, json_option
from solver.rules import VARIANTS, Rules

__all__ = ["variants"]


@click.command()
@json_option
def variants(as_json: bool) -> None:
    """List the games this program knows, with their rules."""
    if as_json:
        emit_json([_record(rules) for rules in VARIANTS.values()])
        return
    rows = [
        (
            rules.name,
            f"{rules.board.name} ({rules.board.size} points, {len(rules.board.lines)} lines)",
            str(rules.stones),
            "never" if rules.flying_at is None else f"at {rules.flying_at}",
            _stones(rules.double_mill),
            rules.all_in_mills,
        )
        for rules in VARIANTS.values()
    ]
    head = ("variant", "board", "stones", "flying", "double mill takes", "all in mills: goes")
    click.echo(format_table(head, rows, "llrlll"))


def _record(rules: Rules) -> dict[str, object]:
    """Return a variant's rules as JSON has them."""
    return {
        "name": rules.name,
        "board": rules.board.name,
        "points": rules.board.size,
        "lines": len(rules.board.lines),
        "stones": rules.stones,
        "flying_at": rules.flying_at,
        "double_mill": rules.double_mill,
        "all_in_mills": rules.all_in_mills,
        "fewest_stones": rules.fewest_stones,
    }


def _stones(number: int) -> str:
    return f"{number} stone{'' if number == 1 else 's'}"
