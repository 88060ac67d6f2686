"""``morris serve``: a page to explore and play, and an interface for programs, over HTTP."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import click

from solver.cli.common import DecimalNumber, WholeNumber, databases_option
from solver.cli.signals import terminated_like_interrupted
from solver.errors import UsageError
from solver.extras import import_extra
from solver.reading import quoted

__all__ = ["serve"]

_LAST_PORT = 65535
_USUAL_PORTS = {"http": "80", "https": "443"}
_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?)(:(?P<port>[1-9][0-9]{0,4}))?"
)


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen; 0.0.0.0 lets other machines in.",
)
@click.option(
    "--port",
    type=WholeNumber(0),
    default=8000,
    show_default=True,
    metavar="N",
    help="The port; 0 for any that is free.",
)
@click.option(
    "--cors",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of another site ask, such as https://example.org, or * for all. Can be given"
    " several times. Default: none.",
)
@click.option(
    "--cache-mb",
    type=DecimalNumber(),
    default=64.0,
    show_default=True,
    metavar="MB",
    help="Memory for unpacked parts of tables.",
)
@click.option("--open", "open_page", is_flag=True, help="Show the page in a browser.")
@databases_option
def serve(
    host: str,
    port: int,
    origins: tuple[str, ...],
    cache_mb: float,
    open_page: bool,
    databases: tuple[Path, ...],
) -> None:
    """Serve a page to explore and play in a browser, and the same for programs over HTTP.

    The page is at the address that is shown; Ctrl-C stops. Tables may be added meanwhile, and
    where there are none the rules and games of two people still work. The interface is described
    by /openapi.json, for example:

    \b
    curl 'http://127.0.0.1:8000/api/nine?position=w:Wa4,d5,d6:Ba7,b4,c4,g4'
    """  # noqa: D301 - a real backspace, by which click knows not to wrap these lines
    if port > _LAST_PORT:
        raise UsageError(f"--port takes a number up to {_LAST_PORT}, not {port}")
    for origin in origins:
        _check_origin(origin)
    for package in ("starlette", "uvicorn"):
        import_extra(package, "web", "morris serve")
    from solver.tablebase import open_tablebase
    from solver.web.application import make_application
    from solver.web.limits import share_descriptors
    from solver.web.serving import open_port
    from solver.web.serving import serve as answer_requests

    listener = open_port(host, port)
    where, number = listener.getsockname()[:2]
    address = f"http://{f'[{where}]' if ':' in where else where}:{number}/"

    connections, tables = share_descriptors()

    with (
        suppress(KeyboardInterrupt),
        terminated_like_interrupted(),
        open_tablebase(databases, cache_mb=cache_mb, max_open_files=tables) as tablebase,
    ):
        application = make_application(tablebase, origins=origins)
        click.echo(f"Serving {address} (Ctrl-C stops)")
        if open_page:
            click.launch(address)
        answer_requests(application, listener, connections)
    click.echo("Stopped.")


def _check_origin(origin: str) -> None:
    """Refuse what no browser would call an origin."""
    match = _ORIGIN.fullmatch(origin)
    if origin != "*" and (match is None or int(match["port"] or 0) > _LAST_PORT):
        raise UsageError(
            f"--cors takes * or an origin such as https://example.org, not {quoted(origin)}"
        )
    if match is not None and match["port"] == _USUAL_PORTS[match["scheme"]]:
        raise UsageError(
            f"--cors takes an origin as browsers write it, without the usual port: not"
            f" {quoted(origin)} but {quoted(origin.removesuffix(':' + match['port']))}"
        )
