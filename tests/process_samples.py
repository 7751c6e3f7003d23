"""Work for other processes, in a module they can import."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Growing", "die_on_negatives", "die_on_pairs", "fail_on_zero", "process_of", "sleep_long", "total"]


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
