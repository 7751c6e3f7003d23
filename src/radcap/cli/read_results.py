"""The results of one call of `radcap read`, as they are made.

Invariant: none is kept; what was not read is told on stderr, and makes the exit code 1.
"""

from __future__ import annotations

import sys
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.cli.console import progress, say
from radcap.core import counted
from radcap.reading.values import Reading, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

    from radcap.cli.read_asked import Asked
    from radcap.datasets import Dataset

__all__ = ["Results"]


@dataclass(slots=True)
class Results:
    """Readings as they are made, and a count of what was not read."""

    asked: Asked
    dataset: Dataset
    shows_maps: bool = True
    read: int = field(default=0, init=False)
    unread: int = field(default=0, init=False)

    def __call__(self) -> Generator[Reading | Unread]:
        """All, in their order."""
        reader = self.asked.reader(shows_maps=self.shows_maps)
        with self._bar() as show:
            for one in reader(self.dataset, show):
                self.read += isinstance(one, Reading)
                self.unread += isinstance(one, Unread)
                yield one

    def _bar(self) -> AbstractContextManager[Callable[[str, int], None] | None]:
        """Readings that go by on the same terminal show by themselves how far it is."""
        writes = self.asked.out is not None
        return progress(len(self.dataset)) if writes or not sys.stdout.isatty() else nullcontext()

    def readings(self) -> Generator[Reading]:
        """Those that were read; the others are told."""
        with closing(self()) as results:
            for one in results:
                if isinstance(one, Unread):
                    say(one.why)
                else:
                    yield one

    def code(self) -> int:
        """The exit code, and in a word how many were not read."""
        if self.unread:
            say(f"Not read: {self.unread:,} of {counted(self.read + self.unread)}.")
        return 1 if self.unread else 0
