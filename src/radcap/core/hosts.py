"""Names of this machine, as they stand in addresses and in the headers of a request.

Invariant: only a name that no other machine can answer to counts as this machine.
>>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("example.org")
(True, True, True, False)
"""

from __future__ import annotations

from ipaddress import ip_address

__all__ = ["LOOPBACK", "is_loopback", "local_names"]

LOOPBACK = "127.0.0.1"
_NAME = "localhost"
_HTTP = 80


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by name or by number."""
    if host == _NAME:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def local_names(port: int) -> tuple[str, ...]:
    """How a browser may name a server of ours that listens on `LOOPBACK`: host and port.

    >>> local_names(8000)
    ('127.0.0.1:8000', 'localhost:8000')
    """
    hosts = (LOOPBACK, _NAME)
    named = tuple(f"{host}:{port}" for host in hosts)
    return (*named, *hosts) if port == _HTTP else named  # browsers leave the usual port out
