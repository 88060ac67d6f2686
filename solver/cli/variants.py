"""``morris variants``: the games this program knows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

import click

from solver.cli.common import json_option
from solver.cli.formats import emit_json
from solver.describe import describe_rules
from solver.rules import VARIANTS, Rules, get_variant, options_of

__all__ = ["variants"]

_WIDTH: Final = 88
"""Characters in a line of text at most."""


@click.command()
@click.argument("names", nargs=-1, metavar="[VARIANT]...")
@json_option
def variants(names: Sequence[str], as_json: bool) -> None:
    """List the games this program knows, or some VARIANTs of them, with all their rules.

    The name of a variant is what other commands take, as an argument or with --variant.
    """
    chosen = [get_variant(name) for name in dict.fromkeys(names)] or list(VARIANTS.values())
    if as_json:
        emit_json([_record(rules) for rules in chosen])
    else:
        click.echo("\n\n".join(map(_text, chosen)))


def _text(rules: Rules) -> str:
    """Return a variant's rules for people: its name, then a line or more for each rule."""
    words = describe_rules(rules)
    margin = max(map(len, words)) + 4
    lines = [rules.name]
    for what, text in words.items():
        lines += textwrap.wrap(
            text,
            width=_WIDTH,
            initial_indent=f"  {what}".ljust(margin),
            subsequent_indent=" " * margin,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def _record(rules: Rules) -> dict[str, object]:
    """Return a variant's rules as JSON has them."""
    from solver.facts import rule_fields

    return {
        "name": rules.name,
        "board": rules.board.name,
        "points": rules.board.size,
        "edges": len(rules.board.edges),
        "lines": len(rules.board.lines),
        **rule_fields(rules),
        "options": {name: list(option.values) for name, option in options_of(rules).items()},
    }
