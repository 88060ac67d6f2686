"""The port: who may connect, how long they may take, and how it all ends."""

from __future__ import annotations

import asyncio
import errno
import gc
import http
import json
import logging
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from solver.errors import ResourceError, UsageError
from solver.web.failures import FAILURES
from solver.web.leaving import leave

__all__ = ["open_port", "serve"]

_LOG = logging.getLogger("uvicorn.error")

_BACKLOG: Final = 64
"""Connections that wait for being taken on; as many are taken on before any is refused."""
_LONGEST_BODY: Final = 65_536
"""Bytes. Nothing is asked by a body: this much of one is thrown away, so that who sends it comes to
read the answer, and then the connection ends."""
_LONGEST_HEAD: Final = 65_536
"""Bytes of a request's first line and headers."""
_IDLE_SECONDS: Final = 15
"""How long a connection is kept for another request."""
_REQUEST_SECONDS: Final = 30.0
"""From the first byte of a request to the last one of its answer."""
_STOPPING_SECONDS: Final = 3
_LAST_SECONDS: Final = 0.5
"""How long answers on their way are waited for when the server stops."""
_SCARCITY: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Why connections cannot be taken on at a moment."""
_SILENT_SECONDS: Final = 60.0
_SWITCH_SECONDS: Final = 0.0005
"""After so long a thread that works lets the one that listens go first: a tenth of what is usual,
or a request may wait longer for being read than for its answer."""


class _Gathering:
    """What stands before a transport, and sends in one go what is written in one turn of the loop.

    An answer's head and its body are written one after the other; each call of the system takes as
    long as a tenth of an answer.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if data:
            if not self._parts:
                self._loop.call_soon(self.flush)
            self._parts.append(data)

    def flush(self) -> None:
        """Send what has been written."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._transport.write(data)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size() + sum(map(len, self._parts))

    def close(self) -> None:
        self.flush()
        self._transport.close()


class _Protocol(H11Protocol):
    """HTTP within limits, each request answered once.

    Connections are dropped whose requests take too long to come, or their answers to be taken.
    Where the other side has gone, the task that answers is cancelled.
    """

    most_connections: int
    """Set by :func:`serve`, in a class of its own."""

    _deadline: asyncio.TimerHandle | None = None
    _receiving = True
    """Whether a request has begun to come, or the first one is waited for."""
    _unwanted = 0
    """Bytes of a request's body that came when it had been answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._gathering = _Gathering(transport, self.loop)
        super().connection_made(cast("asyncio.Transport", self._gathering))
        # asyncio does so only for sockets that say they are TCP; else an answer's body waits for
        # the other side to have acknowledged its head, 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start()
        if len(self.connections) > self.most_connections:
            self._refuse("crowded")

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self._receiving = True
            self._start()
            super().data_received(data)
            if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
                self._unwanted += len(data)
                if self._unwanted > _LONGEST_BODY:
                    self.transport.close()

    def on_response_complete(self) -> None:
        self._gathering.flush()
        self._stop()
        self._receiving = False
        self._unwanted = 0
        super().on_response_complete()
        if self._busy():
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)
        if self.cycle is not None and not self.cycle.response_complete:
            leave(cast("dict[str, Any]", self.cycle.scope))

    def send_400_response(self, msg: str) -> None:
        # What follows a request on its way can be malformed too; the answer to it is then void.
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.abort()
                return
        self._refuse("malformed")

    def _refuse(self, name: str) -> None:
        """Answer without having read a request, and hang up."""
        failure = FAILURES[name]
        body = json.dumps(failure.record).encode()
        phrase = http.HTTPStatus(failure.status).phrase
        head = (
            f"HTTP/1.1 {failure.status} {phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n"
        )
        if failure.passes:
            head += "retry-after: 1\r\n"
        self.transport.write(f"{head}\r\n".encode() + body)
        self.transport.close()

    def _busy(self) -> bool:
        """Whether an answer is still to be taken, or another request has come behind it."""
        untaken = self.transport.get_write_buffer_size() > 0
        return untaken or self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])

    def _expire(self) -> None:
        self._deadline = None
        if self._receiving or self._busy():
            self.transport.abort()

    def _start(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_REQUEST_SECONDS, self._expire)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


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


def serve(application: ASGIApp, listener: socket.socket, connections: int) -> None:
    """Answer requests until the process is told to stop.

    Args:
        application: what answers.
        listener: from :func:`open_port`; it is closed.
        connections: how many there may be at once.

    Raises:
        KeyboardInterrupt: the process was told to stop, and all is in order.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    # What is there by now stays: it need not be looked through whenever answers leave litter.
    gc.collect()
    gc.freeze()
    protocol = type("_Protocol", (_Protocol,), {"most_connections": connections})
    config = uvicorn.Config(
        application,
        http=protocol,
        ws="none",
        loop="asyncio",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=min(_BACKLOG, connections),
        # Not what uvicorn has, which writes to standard output, be it there or not.
        log_config=None,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_STOPPING_SECONDS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that says in one line, and seldom, that it may open no more connections, that does
    not have people wait for answers it will not give, and that ends in order whatever signals come.
    """

    _silent_until = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop once, however often that is asked for; a second time would leave things undone."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take what a closed terminal sends, too, unless it is to be ignored as ``nohup`` does."""
        with super().capture_signals():
            handler = signal.getsignal(signal.SIGHUP)
            is_taken = (
                threading.current_thread() is threading.main_thread()
                and handler is not signal.SIG_IGN
            )
            if is_taken:
                signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                if is_taken:
                    signal.signal(signal.SIGHUP, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._tell)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; who still waits for an answer after a moment is told so."""
        if tasks := list(self.server_state.tasks):
            _, late = await asyncio.wait(tasks, timeout=_LAST_SECONDS)
            for task in late:
                task.cancel()
        await super().shutdown(sockets)

    def _tell(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _SCARCITY:
            loop.default_exception_handler(context)
        elif loop.time() >= self._silent_until:
            self._silent_until = loop.time() + _SILENT_SECONDS
            _LOG.error("connections have to wait: %s", (error.strerror or str(error)).lower())
