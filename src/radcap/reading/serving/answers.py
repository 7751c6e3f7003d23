"""What the server says: a status, a body, and headers that keep it where it belongs.

Invariant: every answer forbids guessing of types, keeping, embedding and sending on; what is no page runs
nothing, whatever a browser makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType

__all__ = ["NOTHING_RUNS", "Answer", "Refused", "json_answer", "refusal"]

NOTHING_RUNS = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_JSON = "application/json; charset=utf-8"
_ALWAYS = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
)


class Refused(Exception):
    """A request that is not answered as it was put: the status, and a sentence with what to do."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, whole. `more` are headers of its own."""

    body: bytes
    kind: str
    status: HTTPStatus = HTTPStatus.OK
    policy: str = NOTHING_RUNS
    more: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def headers(self) -> dict[str, str]:
        own = {"Content-Type": self.kind, "Content-Length": str(len(self.body))}
        return {**_ALWAYS, **own, "Content-Security-Policy": self.policy, **self.more}


def json_answer(told: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """A value for a program."""
    return Answer(json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace"), _JSON, status)


def refusal(status: HTTPStatus, why: str) -> Answer:
    """An error as the page reads it: one sentence, never a traceback."""
    return json_answer({"error": why}, status)
