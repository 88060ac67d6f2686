"""The application: routes, what is kept, and what every answer carries."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from solver import __version__
from solver.errors import MorrisError
from solver.facts import Facts
from solver.lru import LruCache
from solver.reading import quoted
from solver.tablebase import Tablebase
from solver.web import answers
from solver.web.asked import Parameters
from solver.web.document import describe_interface
from solver.web.endpoints import ENDPOINTS, Endpoint
from solver.web.failures import FAILURES, Failure, failure_of, record_of
from solver.web.leaving import has_left, may_leave
from solver.web.limits import LONGEST_ADDRESS, Workers, WorkersBusyError
from solver.web.pages import INDEX, File, load_files

__all__ = ["make_application"]

_KEPT_BYTES: Final = 8e6
_KEPT_SECONDS: Final = 60
"""How old an answer may be that is given again, by the server and by caches on the way together:
tables may be added or change at any time. So often, too, are their files looked at anew."""

_SMALLEST_PACKED: Final = 1000
_PACKING_LEVEL: Final = 4
"""Of gzip: a fifth of the time of the strongest, and within a tenth of its size."""

_UNPACKED: Final = re.compile(rb"\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", re.IGNORECASE)
"""How a client says that it takes no packed answers, where it does not just keep silent."""

_HOST: Final = re.compile(r"https?://[^/]*")
"""What stands before the path where a request is written as for a proxy."""

_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    ),
)
"""The page needs nothing from anywhere else, and browsers are told so."""

_LOG = logging.getLogger("uvicorn.error")

Handler = Callable[[Request], Awaitable[Response]]

Kept = LruCache[tuple[bytes, bytes], tuple[float, bytes]]
"""Answers by path and query, each with the time until which it is given."""


def make_application(
    tablebase: Tablebase, *, origins: Sequence[str] = (), workers: Workers | None = None
) -> Starlette:
    """Return the ASGI application that answers for a database.

    Args:
        tablebase: where the answers come from; closed by the caller, after the application.
        origins: of other sites whose scripts may ask, such as ``https://example.org``; ``*`` for
            all.
        workers: the threads that answer; None for the usual ones.
    """
    workers = workers or Workers()
    kept: Kept = LruCache(_KEPT_BYTES)
    refreshing = _Refreshing(tablebase)
    files = load_files()
    fixed = {
        "/api/variants": _send(_json(answers.variants())),
        "/openapi.json": _send(_json(describe_interface())),
        "/healthz": _send(_json({"status": "ok", "version": __version__}), "no-store"),
    }

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        yield
        workers.close()

    application = Starlette(
        routes=[
            *(Route(path, send) for path, send in fixed.items()),
            *(
                Route(endpoint.path, _ask(endpoint, tablebase, refreshing, workers, kept))
                for endpoint in ENDPOINTS
            ),
            Route("/", _send_file(files[INDEX])),
            *(Route(f"/static/{name}", _send_file(file)) for name, file in files.items()),
        ],
        middleware=[
            Middleware(_Bounds),
            *([Middleware(CORSMiddleware, allow_origins=list(origins))] if origins else []),
            Middleware(_Packing, minimum_size=_SMALLEST_PACKED, compresslevel=_PACKING_LEVEL),
        ],
        exception_handlers={HTTPException: _refuse, Exception: _apologise},
        lifespan=lifespan,
    )
    # An address is right or wrong; a redirection would tell of hosts that only proxies know.
    application.router.redirect_slashes = False
    return application


# -- endpoints ----------------------------------------------------------------------------------


class _Refreshing:
    """Has the files of a database looked at anew whenever answers have become too old."""

    def __init__(self, tablebase: Tablebase) -> None:
        self._tablebase = tablebase
        self._due = time.monotonic() + _KEPT_SECONDS

    def now_and_then(self) -> float:
        """Do it if it is due; return when it will be the next time."""
        if time.monotonic() > self._due:
            self._due = time.monotonic() + _KEPT_SECONDS
            self._tablebase.refresh()
        return self._due


def _ask(
    endpoint: Endpoint,
    tablebase: Tablebase,
    refreshing: _Refreshing,
    workers: Workers,
    kept: Kept,
) -> Handler:
    """Return what handles requests to an endpoint."""

    def work(request: Request) -> tuple[float, bytes]:
        due = refreshing.now_and_then()
        named = dict(request.path_params)
        pairs = request.query_params.multi_items()
        asked = Parameters(named.pop("variant"), pairs, endpoint.parameters)
        return due, _json(endpoint.answer(tablebase, asked, **named))

    async def handle(request: Request) -> Response:
        path = request.scope["path"].encode(errors="surrogatepass")
        key = (path, request.scope["query_string"])
        if endpoint.kept:
            found = kept.get(key)
            if found is not None and found[0] > time.monotonic():
                return _kept_until(*found)
        try:
            due, body = await workers.answer(partial(work, request))
        except MorrisError as error:
            if failure_of(error).status >= 500:
                _LOG.error("%s: %s", quoted(str(request.url), 200), error)
            return _failed(failure_of(error), record_of(error))
        except WorkersBusyError:
            return _failed(FAILURES["busy"])
        except asyncio.TimeoutError:
            _LOG.error("%s took too long", quoted(str(request.url), 200))
            return _failed(FAILURES["slow"])
        except asyncio.CancelledError:  # the server stops, or who has asked has left
            return _failed(FAILURES["stopping"])
        if not endpoint.kept:
            return _answer(body, "no-store")
        kept.put(key, (due, body), sum(map(len, key)) + len(body))
        return _kept_until(due, body)

    return handle


def _send(body: bytes, caching: str = f"public, max-age={_KEPT_SECONDS}") -> Handler:
    """Return what answers with the same record every time."""

    async def handle(request: Request) -> Response:
        return _answer(body, caching)

    return handle


def _send_file(file: File) -> Handler:
    """Return what sends a file of the page, unless the browser has it."""
    headers = {"etag": file.tag, "cache-control": "no-cache"}
    unchanged = headers | {"vary": "Accept-Encoding"}

    async def handle(request: Request) -> Response:
        known = request.headers.get("if-none-match", "")
        if file.tag in known or known.strip() == "*":
            return Response(status_code=304, headers=unchanged)
        return Response(file.body, headers=headers, media_type=file.media_type)

    return handle


def _json(record: Facts) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def _kept_until(due: float, body: bytes) -> Response:
    """Return an answer that caches on the way may give again until the tables are looked at."""
    seconds = max(0, math.floor(due - time.monotonic()))
    return _answer(body, f"public, max-age={seconds}")


def _answer(body: bytes, caching: str) -> Response:
    return Response(body, headers={"cache-control": caching}, media_type="application/json")


# -- failures -----------------------------------------------------------------------------------


def _failed(failure: Failure, record: Facts | None = None) -> Response:
    """Return the answer that tells a failure."""
    headers = {"cache-control": "no-store"}
    if failure.passes:
        headers["retry-after"] = "1"
    return Response(
        _json(record or failure.record), failure.status, headers, media_type="application/json"
    )


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer where there is nothing, or where something else than GET was tried."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = _failed(FAILURES["method"])
        response.headers["allow"] = "GET, HEAD"
        return response
    where = quoted(request.scope["path"], 80)
    what = f"there is nothing at {where}; the interface is described at /openapi.json"
    return _failed(FAILURES["not found"], {"error": what, "kind": FAILURES["not found"].kind})


async def _apologise(request: Request, error: Exception) -> Response:
    """Answer where this program is wrong; Starlette has the log told how."""
    response = _failed(FAILURES["internal"])
    response.raw_headers.extend(_HEADERS)  # which nothing else adds out there
    return response


# -- around every answer ------------------------------------------------------------------------


class _Packing(GZipMiddleware):
    """Packs answers, but for who says that he does not take them so."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [
                (name, b"" if name == b"accept-encoding" and _UNPACKED.search(value) else value)
                for name, value in scope["headers"]
            ]
            scope = {**scope, "headers": headers}
        await super().__call__(scope, receive, send)


class _Bounds:
    """Refuses addresses that are too long, adds the headers that answers have, and ends with the
    connection.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        app = self._app
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        # The page itself says better what is wrong with its address.
        if size > LONGEST_ADDRESS and scope["path"] != "/":
            app = _failed(FAILURES["long"])
        may_leave(scope)
        host = _HOST.match(scope["path"])
        path = scope["path"][host.end() :] if host else scope["path"]
        try:
            await app({**scope, "path": path} if host else scope, receive, send_with_headers)
        except asyncio.CancelledError:
            if not has_left(scope):
                raise
