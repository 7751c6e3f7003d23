"""An OpenAI-compatible endpoint in a thread, well-behaved or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Asked", "Reply", "chat", "serving"]


@dataclass(frozen=True)
class Asked:
    """A request as the endpoint saw it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the endpoint answers; `act` writes by hand in place of it."""

    code: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    act: Callable[[BaseHTTPRequestHandler], None] | None = None


def chat(content: object, **more: object) -> Reply:
    """A well-formed answer of a chat model; `more` stands beside the message."""
    told = {"choices": [{"message": {"role": "assistant", "content": content}, **more}]}
    return Reply(body=json.dumps(told).encode())


@contextmanager
def serving(
    *replies: Reply, answer: Callable[[dict[str, Any]], Reply] | None = None
) -> Iterator[tuple[str, list[Asked]]]:
    """An endpoint that gives these replies in turn, the last one for ever; or by what it is asked."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(Asked(self.path, dict(self.headers), body))
            reply = replies[min(len(asked), len(replies)) - 1] if answer is None else answer(body)
            if reply.act is not None:
                reply.act(self)
                return
            self.send_response(reply.code)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
