"""The address of an endpoint that a person names, and the key for it.

Invariant: only http and https, http only to this machine unless it is allowed; a key comes from the
environment, goes only to the endpoint that it is for, and stands in no message, file or log.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from radcap.core.errors import UsageError
from radcap.core.hosts import is_loopback

__all__ = ["KEY", "OPENAI_KEY", "Endpoint", "find_endpoint"]

KEY = "RADCAP_ENDPOINT_KEY"
OPENAI_KEY = "OPENAI_API_KEY"
_OPENAI = "api.openai.com"
_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask. `local` is this machine, which no proxy stands before; `table` names the address."""

    url: str
    local: bool
    table: str
    key: str = field(default="", repr=False)

    def hidden(self, text: str) -> str:
        """A text of the endpoint's without the key, should it repeat it."""
        return text.replace(self.key, "...") if self.key else text


def find_endpoint(address: str, table: str, sent: str, *, plain_http: bool = False) -> Endpoint:
    """The endpoint of an address that a table of a system file names; `sent` is what goes there, in words."""
    parts, host = _parts(address)
    local = is_loopback(host)
    if parts.scheme == "http" and not local and not plain_http:
        why = f"goes unprotected over the network, with {sent} and the key in it"
        raise UsageError(f"{_shown(parts)} {why}. Give an https address, or set plain_http = true.")
    path = parts.path.rstrip("/")
    path = path if path.endswith(_PATH) else path + _PATH
    return Endpoint(parts._replace(path=path, fragment="").geturl(), local, table, _key(host))


def _parts(address: str) -> tuple[SplitResult, str]:
    """An address in its parts, and its host."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise UsageError(f"The endpoint is no address: {error}. Give one like https://host/v1.") from error
    if "@" in parts.netloc:
        raise UsageError(f"The endpoint holds a name or a password. Leave it out; a key goes into {KEY}.")
    odd = any(not one.isprintable() or one.isspace() for one in address)
    if parts.scheme not in {"http", "https"} or not host or odd:
        raise UsageError(f"The endpoint is {address[:60]!r}. Give an http or https address: https://host/v1.")
    return parts, host


def _shown(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}"


def _key(host: str) -> str:
    """The key of any endpoint, else that of OpenAI for OpenAI; none is fine for a server of one's own."""
    name = KEY if os.environ.get(KEY) else OPENAI_KEY if host == _OPENAI else ""
    key = os.environ.get(name, "").strip() if name else ""
    if not all("!" <= one <= "~" for one in key):
        raise UsageError(f"{name} holds signs that no key has. Set it again, without blanks and line ends.")
    return key
