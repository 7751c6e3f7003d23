"""HTTP whose whole answer has one end in time, its headers too.

Invariant: no read waits beyond that end; a server that sends a drop at a time gains nothing by it.
"""

from __future__ import annotations

import io
import time
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.request import HTTPHandler, HTTPSHandler

if TYPE_CHECKING:
    from socket import socket
    from urllib.request import BaseHandler, Request

    from _typeshed import WriteableBuffer

__all__ = ["timed_handlers"]


class _Timed(io.RawIOBase):
    """The bytes of a socket, each read of which has what is left of the time."""

    def __init__(self, sock: socket, until: float) -> None:
        super().__init__()
        self._sock, self._until = sock, until
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: socket, *given: Any, until: float, **named: Any) -> None:  # noqa: ANN401
        super().__init__(sock, *given, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock, until))


class _Http(HTTPHandler):
    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def http_open(self, req: Request) -> HTTPResponse:
        def connect(host: str, **named: Any) -> HTTPConnection:  # noqa: ANN401 - as urllib gives them
            return _ended(HTTPConnection(host, **named), self._until)

        return self.do_open(connect, req)


class _Https(HTTPSHandler):
    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def https_open(self, req: Request) -> HTTPResponse:
        def connect(host: str, **named: Any) -> HTTPConnection:  # noqa: ANN401 - as urllib gives them
            return _ended(HTTPSConnection(host, **named), self._until)

        return self.do_open(connect, req)


def timed_handlers(until: float) -> tuple[BaseHandler, ...]:
    """What urllib opens http and https with, so that an answer is over at a time of the monotonic clock."""
    return _Http(until), _Https(until)


def _ended(connection: HTTPConnection, until: float) -> HTTPConnection:
    held: Any = connection
    held.response_class = partial(_Response, until=until)
    return connection
