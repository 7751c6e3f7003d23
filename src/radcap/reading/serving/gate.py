"""Who may ask: the page that this server gave out, in a browser of this machine.

A page of another site can send requests to this machine too, and can make its own name lead here. So the
name that was asked for must be ours, a browser must say that the request comes from our page, and all but the
page itself needs a token that only our page holds.
Invariant: nothing is done, and no body is read, before every check has passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from typing import TYPE_CHECKING

from radcap.core.hosts import LOOPBACK, local_names
from radcap.reading.serving.answers import Refused

if TYPE_CHECKING:
    from email.message import Message

    from radcap.reading.serving.requests import Asked

__all__ = ["TOKEN", "Gate"]

TOKEN = "X-Radcap-Token"  # noqa: S105, the name of a header
_RELOAD = "Load the page again."


@dataclass(frozen=True, slots=True)
class Gate:
    """The checks of one server, by its port and the token of this start."""

    port: int
    token: str = field(repr=False)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def check(self, asked: Asked) -> None:
        """Nothing, or `Refused`."""
        host = _one(asked.headers, "Host")
        if host not in local_names(self.port):
            why = f"This server answers to this machine alone. Open {self.address}."
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, why)
        if asked.method == "GET" and asked.place == "/":
            _check_opened(asked.headers)
        else:
            _check_sender(asked.headers, host)
            self._check_token(asked.headers)

    def _check_token(self, headers: Message) -> None:
        given = _one(headers, TOKEN).encode("utf-8", "surrogateescape")
        if not compare_digest(given, self.token.encode("ascii")):
            raise Refused(HTTPStatus.FORBIDDEN, f"The page is of an earlier start of radcap. {_RELOAD}")


def _check_opened(headers: Message) -> None:
    """The page is opened by itself, and is no part of another one."""
    if headers.get("Sec-Fetch-Dest", "document") != "document":
        raise Refused(HTTPStatus.FORBIDDEN, "The page is shown by itself and in no other page.")


def _check_sender(headers: Message, host: str) -> None:
    """A browser says where a request comes from; who leaves it out still needs the token."""
    site = headers.get("Sec-Fetch-Site", "same-origin")
    origin = headers.get("Origin", f"http://{host}")
    if site != "same-origin" or origin != f"http://{host}":
        raise Refused(HTTPStatus.FORBIDDEN, f"Only the page of this server may ask. {_RELOAD}")


def _one(headers: Message, name: str) -> str:
    """A header that stands once; else nothing, which is never right."""
    found = headers.get_all(name, [])
    return str(found[0]) if len(found) == 1 else ""
