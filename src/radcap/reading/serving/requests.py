"""What was asked, and the body of it, which is read only when there is a place for it.

Invariant: a body has a length that was told before, within the limit, and comes in time; memory is taken as
bytes arrive, not by what a header claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from radcap.reading.serving.answers import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from email.message import Message

__all__ = ["BODY_BYTES", "BODY_S", "Asked", "Incoming"]

BODY_BYTES = 64 * 1024 * 1024
BODY_S = 30.0
_CHUNK = 64 * 1024
_NAME = 200  # letters of a file name that are kept


class Source(Protocol):
    """Where bytes come from: a socket, as far as we use it."""

    def read1(self, size: int, /) -> bytes: ...


class Incoming:
    """A body that waits to be read. `limit_s` is for all of it, however slowly it drips."""

    def __init__(
        self, source: Source, headers: Message, limit_bytes: int = BODY_BYTES, limit_s: float = BODY_S
    ) -> None:
        self._source, self._headers = source, headers
        self._limit_bytes, self._limit_s = limit_bytes, limit_s
        self._taken = 0

    @property
    def size(self) -> int:
        """The length that was told, checked."""
        told = self._headers.get_all("Content-Length", [])
        if self._headers.get("Transfer-Encoding") or len(told) != 1 or not _is_number(told[0]):
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "The length of the image was not told. Send it whole.")
        size = int(told[0])
        if size > self._limit_bytes:
            most = self._limit_bytes // 2**20
            why = f"The file is larger than {most} MB. Read it with the command: radcap read FILE."
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
        return size

    def read(self) -> bytes:
        """All of it, or `Refused`."""
        found = bytearray()
        for part in self._parts():
            found += part
        return bytes(found)

    def drain(self) -> None:
        """Let what nobody wants pass by, or the sender would not hear why."""
        try:
            for _ in self._parts():
                pass
        except Refused:
            return

    def _parts(self) -> Iterator[bytes]:
        """What has not been taken yet."""
        size, end = self.size, monotonic() + self._limit_s
        while self._taken < size:
            part = self._next(size - self._taken, end)
            self._taken += len(part)
            yield part

    def _next(self, left: int, end: float) -> bytes:
        try:
            part = self._source.read1(min(left, _CHUNK)) if monotonic() < end else b""
        except OSError:  # the time of the socket is over, or the other side went away
            part = b""
        if not part:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, "The image did not arrive whole. Send it again.")
        return part


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16  # noqa: PLR2004, int() takes long for long ones


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. `path` is as it was sent, with its query."""

    method: str
    path: str
    headers: Message
    body: Incoming

    @property
    def place(self) -> str:
        """The path without its query."""
        return urlsplit(self.path).path

    @property
    def options(self) -> Mapping[str, str]:
        """The query; of a name that comes twice the last counts."""
        found = parse_qs(urlsplit(self.path).query, max_num_fields=8)
        return {name: values[-1] for name, values in found.items()}

    @property
    def name(self) -> str:
        """How the image is called: the end of a path, which is shown and never opened."""
        told = unquote(self.headers.get("X-Radcap-Name", ""), errors="replace")
        return told.replace("\\", "/").rpartition("/")[2][:_NAME].strip() or "image"
