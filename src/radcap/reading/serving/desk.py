"""One model, one look at a time, and a short line before it.

Invariant: a model is opened once, in the background; images are looked at one after the other, and who comes
when the line is full is told so at once. What is read is kept in memory for a while, and nowhere else.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from secrets import token_urlsafe
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING

from radcap.reading.serving.answers import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from radcap.reading.reader import Reader
    from radcap.reading.values import Reading, Unread

__all__ = ["KEPT", "WAITING", "Desk"]

WAITING = 8  # images in line, beside the one that is looked at
KEPT = 32  # readings; each holds its maps, some megabytes
_END_S = 20.0  # a look that is under way may end, or torch would be torn away from under it


class Desk:
    """Where images are brought to the model."""

    def __init__(self, opening: Callable[[], Reader], waiting: int = WAITING, kept: int = KEPT) -> None:
        self._reader: Future[Reader] = Future()
        self._places = BoundedSemaphore(waiting + 1)
        self._look, self._shelf = Lock(), Lock()
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._numbers = count(1)
        self._kept = kept
        self._opening = opening
        self._thread: Thread | None = None

    def open(self, failed: Callable[[], object]) -> None:
        """Begin to open the model; `failed` is called where that cannot be done."""
        self._thread = Thread(target=self._open, args=(failed,), name="radcap-opening", daemon=True)
        self._thread.start()

    def _open(self, failed: Callable[[], object]) -> None:
        try:
            self._reader.set_result(self._opening())
        except BaseException as error:  # noqa: BLE001 - told by `close`, in the thread that serves
            self._reader.set_exception(error)
            failed()

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
        reader = self._reader.result()
        reader = replace(reader, anyway=True) if anyway else reader
        with self._look:
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
        """Wait a moment for what is under way, then say what went wrong with opening, if anything did."""
        if self._thread is not None:
            self._thread.join(_END_S)
        self._look.acquire(timeout=_END_S)  # and nobody gets it again
        if self._reader.done() and (error := self._reader.exception()):
            raise error
