"""A server with a reader that is made by hand, and a client that says exactly what it is told to."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from reading_samples import broken_unread, sample_reading, sample_unread

from radcap.reading.serving.server import LocalServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.reading.reader import Reader
    from radcap.reading.values import Reading, Unread


@dataclass(frozen=True)
class FakeReader:
    """Refuses what is called a cat, or is empty; `before` is done at each look."""

    name: str = "zoo:captions"
    anyway: bool = False
    before: Callable[[bytes], object] = len
    seen: list[tuple[str, bytes]] = field(default_factory=list)

    def read_bytes(self, data: bytes, name: str) -> Reading | Unread:
        self.before(data)
        self.seen.append((name, data))
        if name.startswith("cat") and not self.anyway:
            return replace(sample_unread(name), code="not-radiology")
        return sample_reading(name) if data else broken_unread(name)


@dataclass(frozen=True)
class Got:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        assert set(self.json) == {"error"}
        assert self.json["error"].endswith(".")
        return self.json["error"]


@dataclass(frozen=True)
class Client:
    """Asks one server. A header that is None is not sent."""

    server: LocalServer

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Got:
        """`X_Radcap_Name` is a header `X-Radcap-Name`; host, token and length are right unless given."""
        told = {"Host": self.host, "X-Radcap-Token": self.server.site.gate.token}
        told |= {"Content-Length": str(len(body))} if method == "POST" else {}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in told.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body or None)
            found = connection.getresponse()
            return Got(found.status, dict(found.headers), found.read())
        finally:
            connection.close()

    def read(self, body: bytes = b"bytes", name: str = "chest.png", query: str = "") -> Got:
        return self.ask("POST", f"/read{query}", body, X_Radcap_Name=name)


@contextmanager
def served(opening: Callable[[], FakeReader] = FakeReader) -> Iterator[Client]:
    """A server at a free port, ended afterwards."""
    with LocalServer(cast("Callable[[], Reader]", opening)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join()
            server.site.desk.close()
