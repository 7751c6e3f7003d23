"""One question to an endpoint over HTTP, with limits.

Invariant: an answer is never read beyond its limit or its time, a redirection is never followed, and what is
tried again (busy or broken, 429 and 5xx) is tried so often and no more.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from radcap.core import Missing, ToolFailed
from radcap.explanation.external.endpoints import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPResponse
    from typing import NoReturn

    from radcap.explanation.external.endpoints import Endpoint

__all__ = ["LIMIT_BYTES", "Poster"]

LIMIT_BYTES = 1_000_000
_CHUNK_BYTES = 65_536
_SHOWN = 200  # letters of an answer that messages repeat
_FIRST_WAIT_S = 1.0  # doubled with each try
_LONGEST_WAIT_S = 30.0
_BUSY = 429
_BROKEN = 500
_REFUSED = (401, 403)


class _NoRedirect(HTTPRedirectHandler):
    """A redirection would take picture and key to somebody who was not named."""

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
    """Asks an endpoint. `sleep` waits between tries."""

    endpoint: Endpoint
    timeout_s: float
    retries: int
    sleep: Callable[[float], None] = time.sleep

    def post(self, body: Mapping[str, Any]) -> str:
        """The text of the answer to a JSON body."""
        request = self._request(json.dumps(body).encode())
        tried = 0
        while True:
            try:
                return self._asked(request)
            except HTTPError as error:
                tried += 1
                with error:
                    self._wait_or_refuse(error, tried)

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
        try:
            with self._opener().open(request, timeout=self.timeout_s) as response:
                return self._read(response, until)
        except HTTPError:
            raise
        except TimeoutError as error:
            raise self._late() from error
        except (URLError, OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, TimeoutError):
                raise self._late() from error
            raise ToolFailed(
                f"{self.endpoint.url} cannot be reached: {reason}. Check the address."
            ) from error

    def _opener(self) -> OpenerDirector:
        own = [ProxyHandler({})] if self.endpoint.local else []
        return build_opener(_NoRedirect, *own)

    def _read(self, response: HTTPResponse, until: float) -> str:
        """A drop at a time would keep within the timeout of each read, so the whole has one too."""
        held = bytearray()
        while chunk := response.read1(_CHUNK_BYTES):
            held += chunk
            if len(held) > LIMIT_BYTES:
                raise ToolFailed(
                    f"{self.endpoint.url} answers more than {LIMIT_BYTES:,} bytes. Boxes are few."
                )
            if time.monotonic() > until:
                raise self._late()
        return held.decode("utf-8", "replace")

    def _late(self) -> ToolFailed:
        told = f"{self.endpoint.url} did not answer within {self.timeout_s:g} s"
        return ToolFailed(f"{told}. Try again, or raise [provider] timeout_s.")

    def _refuse(self, error: HTTPError, tries: int) -> NoReturn:
        url, code = self.endpoint.url, error.code
        if code in _REFUSED:
            how = f"Set {KEY} to a key of yours for this endpoint."
            raise Missing("A key", f"{url} refuses the question ({code}).", how) from None
        if error.headers.get("Location"):
            why = "sends the question on to another address, which is not followed"
            raise ToolFailed(f"{url} {why} ({code}). Name the right one as [provider] endpoint.") from None
        told = " ".join(self.endpoint.hidden(error.read(_CHUNK_BYTES).decode("utf-8", "replace")).split())
        times = f" after {tries} tries" if tries > 1 else ""
        raise ToolFailed(f"{url} answers {code}{times}: {told[:_SHOWN]}. Look into its log.") from None


def _wait_s(told: str | None, tried: int) -> float:
    """What the endpoint asks for, if that is a number, else ever longer; never very long."""
    own = float(told) if told and told.isascii() and told.isdigit() else _FIRST_WAIT_S * 2 ** (tried - 1)
    return min(own, _LONGEST_WAIT_S)
