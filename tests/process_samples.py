"""Work for other processes, in a module they can import."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "Growing",
    "die_of_a_note",
    "die_on_negatives",
    "die_on_pairs",
    "die_the_first_time",
    "fail_on_zero",
    "process_of",
    "sleep_long",
    "span_of_time",
    "total",
]


def total(chunk: Sequence[int]) -> int:
    return sum(chunk)


def process_of(chunk: Sequence[int]) -> int:
    return os.getpid()


def die_on_negatives(chunk: Sequence[int]) -> int:
    """As a decoder does that writes where it may not."""
    if any(one < 0 for one in chunk):
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(chunk)


def die_on_pairs(chunk: Sequence[int]) -> int:
    if len(chunk) > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(chunk)


def span_of_time(chunk: Sequence[int]) -> tuple[float, float]:
    """When the chunk was begun and when it was done, on the clock that all processes share."""
    began = time.monotonic()
    time.sleep(0.5 * len(chunk))
    die_on_negatives(chunk)
    return began, time.monotonic()


def die_of_a_note(paths: Sequence[Path]) -> int:
    """Each path gets a letter; one whose name is deadly kills then."""
    for path in paths:
        with path.open("a", encoding="utf-8") as file:
            file.write("x")
        die_on_negatives([-1 if path.name == "deadly" else 0])
    return len(paths)


def die_the_first_time(paths: Sequence[Path]) -> tuple[float, float]:
    """A death that does not come again, as of a memory that is full for a while."""
    is_first = not (said := paths[0].with_name("said")).exists()
    said.touch()
    return span_of_time([-1 if is_first else 1])


def fail_on_zero(chunk: Sequence[int]) -> int:
    """An error of the work itself, and a death for negatives."""
    if 0 in chunk:
        raise ValueError("zero was asked for")
    return die_on_negatives(chunk)


class Growing:
    """Counts how often it was pickled: once for all, and not with each chunk."""

    def __init__(self, times: int = 0) -> None:
        self.times = times

    def __reduce__(self) -> tuple[type[Growing], tuple[int]]:
        self.times += 1
        return type(self), (self.times,)

    def __call__(self, chunk: Sequence[int]) -> int:
        return self.times


def sleep_long(paths: Sequence[Path]) -> None:
    """Work that says it has begun, and that nobody would wait for."""
    paths[0].touch()
    time.sleep(300)
