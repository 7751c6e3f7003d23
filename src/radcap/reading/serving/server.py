"""The server: the standard library's, on the loopback address, with our checks before and our words after.

Invariant: it listens to this machine alone; each request has a thread and a limit of time, and ends its
connection; nothing of a request is written to a log.
"""

from __future__ import annotations

import logging
from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, cast

from radcap.core import VERSION, UsageError
from radcap.core.hosts import LOOPBACK
from radcap.reading.serving.answers import Answer, refusal
from radcap.reading.serving.desk import Desk
from radcap.reading.serving.examples import Examples
from radcap.reading.serving.gate import Gate
from radcap.reading.serving.requests import Asked, Incoming
from radcap.reading.serving.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.reading.reader import Reader

__all__ = ["LocalServer", "serve"]

_IDLE_S = 15.0  # for each piece of a request
_PORTS = range(2**16)
_log = logging.getLogger(__name__)


def serve(reader_factory: Callable[[], Reader], *, port: int = 0, ready: Callable[[str], object]) -> None:
    """Serve the page until Ctrl-C; `ready` is told its address. Port 0 is any that is free.

    The model is opened while the page is there already; where it cannot be, serving ends with that error.
    """
    with _listening(reader_factory, port) as server, closing(server.site.desk):
        try:
            ready(server.site.gate.address)
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            _log.info("interrupted")


def _listening(opening: Callable[[], Reader], port: int) -> LocalServer:
    if port not in _PORTS:
        raise UsageError(f"There is no port {port}. Give a number from 1 to 65535, or 0 for any free one.")
    try:
        return LocalServer(opening, port)
    except OSError as error:
        why = error.strerror or "it is refused"
        raise UsageError(f"Port {port} cannot be used: {why}. Give another one, or 0 for any.") from error


class LocalServer(ThreadingHTTPServer):
    """A site at a port of this machine."""

    daemon_threads = True  # who waits for an answer does not keep the command from ending
    block_on_close = False
    request_queue_size = 32

    def __init__(self, opening: Callable[[], Reader], port: int = 0) -> None:
        super().__init__((LOOPBACK, port), Handler)  # first, so that a port that is taken costs no model
        self.site = Site(Gate(self.server_port, token_urlsafe(32)), Desk(opening), Examples())

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # that of HTTPServer asks the network for our name
        self.server_name, self.server_port = LOOPBACK, int(self.server_address[1])

    def service_actions(self) -> None:
        """Between requests: without a model there is nothing to serve."""
        self.site.desk.check()

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002
        _log.debug("a connection broke", exc_info=True)  # a browser that went away is no fault


class Handler(BaseHTTPRequestHandler):
    """One connection, one request."""

    timeout = _IDLE_S
    error_content_type = "application/json"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = Incoming(cast("Any", self.rfile), self.headers)
        site = cast("LocalServer", self.server).site
        answer = site.answer(Asked(self.command, self.path, self.headers, body))
        if self.command == "POST" and answer.status is not HTTPStatus.OK:
            body.drain()
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the library refuses by itself: a method, a line or a header that makes no sense."""
        self.close_connection = True
        self._send(refusal(HTTPStatus(code), "This is no request that the page makes. Open the page at /."))

    def version_string(self) -> str:
        return f"radcap/{VERSION}"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: names of images are nobody's business."""
