"""Bodies that drip, and readings that are kept for a while."""

from __future__ import annotations

from email.message import Message
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
from reading_samples import sample_reading
from serving_samples import FakeReader

from radcap.reading.serving.answers import Refused
from radcap.reading.serving.desk import Desk
from radcap.reading.serving.requests import Incoming

if TYPE_CHECKING:
    from collections.abc import Iterator


class Drops:
    """Bytes that come one by one, then an error or the end."""

    def __init__(self, data: bytes, error: OSError | None = None) -> None:
        self.data, self.error, self.asked = data, error, 0

    def read1(self, size: int) -> bytes:
        self.asked += 1
        if not self.data and self.error:
            raise self.error
        part, self.data = self.data[:1], self.data[1:]
        return part


def headers(length: int) -> Message:
    made = Message()
    made["Content-Length"] = str(length)
    return made


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk(FakeReader, waiting=0, kept=2)  # pyright: ignore[reportArgumentType]
    yield made
    made.close()


def test_a_body_comes_whole() -> None:
    assert Incoming(Drops(b"abc"), headers(3)).read() == b"abc"
    assert Incoming(Drops(b"abcd"), headers(3)).read() == b"abc"
    assert Incoming(Drops(b""), headers(0)).read() == b""


@pytest.mark.parametrize("error", [None, TimeoutError(), ConnectionResetError()], ids=ascii)
def test_a_body_that_stops(error: OSError | None) -> None:
    with pytest.raises(Refused) as told:
        Incoming(Drops(b"ab", error), headers(3)).read()
    assert told.value.status is HTTPStatus.REQUEST_TIMEOUT


def test_a_body_that_drips_for_too_long_is_refused() -> None:
    source = Drops(b"a" * 1000)
    with pytest.raises(Refused):
        Incoming(source, headers(1000), limit_s=0).read()
    assert source.asked == 0


def test_a_body_that_nobody_wants_passes_by() -> None:
    source = Drops(b"abcdef")
    Incoming(source, headers(3)).drain()
    assert source.data == b"def"
    body = Incoming(source, headers(3))
    body.read()
    body.drain()  # it was taken already, and nothing more is waited for
    assert source.asked == 6
    Incoming(source, Message()).drain()  # nobody knows how long it is
    assert source.asked == 6


def test_the_oldest_readings_go(desk: Desk) -> None:
    keys = [desk.keep(sample_reading(f"{number}.png", maps=False))[1] for number in range(3)]
    assert desk.kept(keys[1]).image == "1.png"
    with pytest.raises(Refused, match="only the last 2 are"):
        desk.kept(keys[0])


def test_a_place_is_given_back(desk: Desk) -> None:
    for _ in range(2):
        with desk.place(), pytest.raises(Refused, match="Too many images"), desk.place():
            pass
