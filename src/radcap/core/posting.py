"""One question to an endpoint over HTTP, with limits.

Invariant: an answer is never read beyond its limit or its time, a redirection is never followed, and what is
tried again (busy or broken, 429 and 5xx; of a patient one silence too) is tried so often and no more.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from radcap.core.endpoints import KEY
from radcap.core.errors import Missing, ToolFailed
from radcap.core.timed_http import timed_handlers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPResponse
    from typing import NoReturn

    from radcap.core.endpoints import Endpoint

__all__ = ["LIMIT_BYTES", "Poster", "written"]

LIMIT_BYTES = 1_000_000
_CHUNK_BYTES = 65_536
_SHOWN = 200  # letters of an answer that messages repeat
_FIRST_WAIT_S = 1.0  # doubled with each try
_LONGEST_WAIT_S = 30.0
_BUSY = 429
_BROKEN = 500
_REFUSED = (401, 403)


class _NoRedirect(HTTPRedirectHandler):
    """A redirection would take question and key to somebody who was not named."""

    def redirect_request(
        self,
        req: Request,  # noqa: ARG002
        fp: object,  # noqa: ARG002
        code: int,  # noqa: ARG002
        msg: str,  # noqa: ARG002
        headers: object,  # noqa: ARG002
        newurl: str,  # noqa: ARG002
    ) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Poster:
    """Asks an endpoint. `sleep` waits between tries; a `patient` one tries again too where nobody answers."""

    endpoint: Endpoint
    timeout_s: float
    retries: int
    sleep: Callable[[float], None] = time.sleep
    patient: bool = False

    def post(self, body: Mapping[str, Any]) -> str:
        """The text of the answer to a JSON body."""
        request = self._request(json.dumps(body).encode())
        tried = 0
        while True:
            tried += 1
            try:
                return self._asked(request)
            except HTTPError as error:
                with error:
                    self._wait_or_refuse(error, tried)
            except (OSError, HTTPException) as error:
                if not self.patient or tried > self.retries:
                    raise self._unanswered(error, tried) from error
                self.sleep(_wait_s(None, tried))

    def _wait_or_refuse(self, error: HTTPError, tried: int) -> None:
        again = error.code == _BUSY or error.code >= _BROKEN
        if not again or tried > self.retries:
            self._refuse(error, tried)
        self.sleep(_wait_s(error.headers.get("Retry-After"), tried))

    def _request(self, data: bytes) -> Request:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.endpoint.key:
            headers["Authorization"] = f"Bearer {self.endpoint.key}"
        return Request(self.endpoint.url, data, headers)  # noqa: S310 - http and https alone, by find_endpoint

    def _asked(self, request: Request) -> str:
        until = time.monotonic() + self.timeout_s
        with self._opener(until).open(request, timeout=self.timeout_s) as response:
            return self._read(response)

    def _opener(self, until: float) -> OpenerDirector:
        own = [ProxyHandler({})] if self.endpoint.local else []
        return build_opener(_NoRedirect, *timed_handlers(until), *own)

    def _read(self, response: HTTPResponse) -> str:
        held = bytearray()
        while chunk := response.read1(_CHUNK_BYTES):
            held += chunk
            if len(held) > LIMIT_BYTES:
                url = self.endpoint.url
                raise ToolFailed(f"{url} answers more than {LIMIT_BYTES:,} bytes. Nobody asked for so much.")
        return held.decode("utf-8", "replace")

    def _unanswered(self, error: OSError | HTTPException, tries: int) -> ToolFailed:
        """What is told of a server that is late, gone, or speaks no HTTP."""
        reason = error.reason if isinstance(error, URLError) else error
        url, times = self.endpoint.url, _times(tries)
        if isinstance(reason, TimeoutError):
            told = f"{url} did not answer within {self.timeout_s:g} s{times}"
            return ToolFailed(f"{told}. Try again, or raise [{self.endpoint.table}] timeout_s.")
        told = self.endpoint.hidden(" ".join(str(reason).split()))[:_SHOWN]
        return ToolFailed(f"{url} cannot be reached{times}: {told}. Check the address.")

    def _refuse(self, error: HTTPError, tries: int) -> NoReturn:
        url, code = self.endpoint.url, error.code
        if code in _REFUSED:
            how = f"Set {KEY} to a key of yours for this endpoint."
            raise Missing("A key", f"{url} refuses the question ({code}).", how) from None
        if error.headers.get("Location"):
            why = "sends the question on to another address, which is not followed"
            how = f"Name the right one as [{self.endpoint.table}] endpoint."
            raise ToolFailed(f"{url} {why} ({code}). {how}") from None
        told = " ".join(self.endpoint.hidden(_body(error)).split())[:_SHOWN]
        raise ToolFailed(f"{url} answers {code}{_times(tries)}: {told}. Look into its log.") from None


def written(text: str, url: str) -> tuple[str, str]:
    """What the model wrote and why it stopped, out of what an OpenAI-compatible endpoint answers."""
    try:
        choice = json.loads(text)["choices"][0]
        told, stopped = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        told, stopped = None, None
    if not isinstance(told, str):
        why = "is not that of an OpenAI-compatible endpoint: it has no choices[0].message.content"
        raise ToolFailed(f"The answer of {url} {why}. Check the address.")
    return told, str(stopped or "")


def _body(error: HTTPError) -> str:
    """The beginning of what a refusal says, if it comes in time."""
    try:
        return error.read(_CHUNK_BYTES).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return "no more than that"


def _times(tries: int) -> str:
    return f" after {tries} tries" if tries > 1 else ""


def _wait_s(told: str | None, tried: int) -> float:
    """What the endpoint asks for, if that is a number, else ever longer; never very long."""
    own = float(told) if told and told.isascii() and told.isdigit() else _FIRST_WAIT_S * 2 ** (tried - 1)
    return min(own, _LONGEST_WAIT_S)
