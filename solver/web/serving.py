"""The port: who may connect, how long they may take, and how it all ends."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import sys
from collections.abc import Callable
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from solver.errors import ResourceError, UsageError

__all__ = ["open_port", "serve"]

_BACKLOG: Final = 256
"""Connections that wait for being taken on."""
_LONGEST_HEAD: Final = 65_536
"""Bytes of a request's first line and headers."""
_IDLE_SECONDS: Final = 15
"""How long a connection is kept for another request."""
_REQUEST_SECONDS: Final = 30.0
"""From the first byte of a request to the last one of its answer."""
_STOPPING_SECONDS: Final = 3
_SWITCH_SECONDS: Final = 0.0005
"""After so long a thread that works lets the one that listens go first: a tenth of what is usual,
or a request may wait longer for being read than for its answer."""


class _TimedProtocol(H11Protocol):
    """Drops connections whose requests take too long to come, or their answers to go; whatever
    else is wrong with a request, it is answered once.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio does so only for sockets that say they are TCP; else an answer's body waits for
        # the other side to have acknowledged its head, 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start()

    def data_received(self, data: bytes) -> None:
        self._start()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._stop()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        # What follows a request on its way can be malformed too; the answer to it is then void.
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.abort()
                return
        super().send_400_response(msg)

    def _start(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_REQUEST_SECONDS, self.transport.abort)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def open_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: a name or an address of this machine.
        port: 0 for any that is free.

    Raises:
        UsageError: the host is none of this machine's.
        ResourceError: the port is in use or not ours to use.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(f"there is no host {host!r}; name an address such as 127.0.0.1") from None
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            why = f"port {port} of {host} is in use; choose another one with --port"
            raise ResourceError(why) from None
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise UsageError(f"{host} is no address of this machine") from None
        reason = (error.strerror or str(error)).lower()
        raise ResourceError(f"cannot listen at port {port} of {host}: {reason}") from None


def serve(
    application: ASGIApp, listener: socket.socket, connections: int, ready: Callable[[], None]
) -> None:
    """Answer requests until the process is told to stop.

    Args:
        application: what answers.
        listener: from :func:`open_port`; it is closed.
        connections: how many there may be at once.
        ready: called once requests are answered.

    Raises:
        KeyboardInterrupt: the process was told to stop, and all is in order.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    # What is there by now stays: it need not be looked through whenever answers leave litter.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        application,
        http=_TimedProtocol,
        ws="none",
        loop="asyncio",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_STOPPING_SECONDS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )
    _Server(config, ready).run(sockets=[listener])
