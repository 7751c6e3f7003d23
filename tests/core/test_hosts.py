"""Names of this machine."""

from __future__ import annotations

import pytest

from radcap.core.hosts import LOOPBACK, is_loopback, local_names


@pytest.mark.parametrize("host", ["localhost", LOOPBACK, "127.8.9.1", "::1"])
def test_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "::", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org"])
def test_another_machine(host: str) -> None:
    assert not is_loopback(host)


def test_names_with_the_port_and_without_the_usual_one() -> None:
    assert local_names(8000) == ("127.0.0.1:8000", "localhost:8000")
    assert local_names(80)[2:] == ("127.0.0.1", "localhost")
