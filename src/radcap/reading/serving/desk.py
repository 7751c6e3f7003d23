"""One model, one look at a time, and a short line before it.

Invariant: the model is opened in the background, and all that it does is done in that one thread (torch
keeps threads and buffers for each that calls it). Who comes when the line is full is told so at once. What
was read is kept in memory for a while, and nowhere else.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from secrets import token_urlsafe
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from radcap.reading.serving.answers import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Future

    from radcap.reading.reader import Reader
    from radcap.reading.values import Reading, Unread

__all__ = ["KEPT", "WAITING", "Desk"]

WAITING = 8  # images in line, beside the one that is looked at
KEPT = 32  # readings; each holds its maps, some megabytes


class Desk:
    """Where images are brought to the model; it begins to open at once."""

    def __init__(self, opening: Callable[[], Reader], waiting: int = WAITING, kept: int = KEPT) -> None:
        self._thread = ThreadPoolExecutor(1, "radcap-model")
        self._reader: Future[Reader] = self._thread.submit(opening)
        self._places = BoundedSemaphore(waiting + 1)
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._kept, self._shelf, self._numbers = kept, Lock(), count(1)

    def check(self) -> None:
        """Raise what went wrong with opening the model, if anything did."""
        if self._reader.done():
            self._reader.result()

    def state(self) -> dict[str, object]:
        """Whether the model is open, for the page to say."""
        if not self._reader.done():
            return {"ready": False}
        return {"ready": True, "model": self._reader.result().name}

    @contextmanager
    def place(self) -> Generator[None]:
        """A place in the line, before the image is taken in."""
        if not self._places.acquire(blocking=False):
            why = "Too many images are waiting already. Try again when some of them are read."
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, why)
        try:
            yield
        finally:
            self._places.release()

    def read(self, data: bytes, name: str, *, anyway: bool = False) -> Reading | Unread:
        """One look, when the model is open and it is our turn."""
        try:
            return self._thread.submit(self._look, data, name, anyway=anyway).result()
        except CancelledError:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "radcap is ending. Start it again.") from None

    def _look(self, data: bytes, name: str, *, anyway: bool) -> Reading | Unread:
        reader = self._reader.result()
        reader = replace(reader, anyway=True) if anyway else reader
        return reader.read_bytes(data, name)

    def keep(self, reading: Reading) -> tuple[int, str]:
        """Keep a reading for its reports: its number, and a key that nobody can guess."""
        number, key = next(self._numbers), token_urlsafe(16)
        with self._shelf:
            self._readings[key] = reading
            while len(self._readings) > self._kept:
                self._readings.popitem(last=False)
        return number, key

    def kept(self, key: str) -> Reading:
        found = self._readings.get(key)
        if found is None:
            why = f"This reading is no longer kept: only the last {self._kept} are. Read the image again."
            raise Refused(HTTPStatus.NOT_FOUND, why)
        return found

    def close(self) -> None:
        """Let what is under way end, or torch would be torn away from under it, and drop what waits."""
        self._thread.shutdown(cancel_futures=True)
