"""A reader that reads nothing, for folders of readings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from reading_samples import CONCEPTS, sample_reading, sample_unread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.datasets import Dataset
    from radcap.reading.values import Reading, Unread

READING = sample_reading(
    maps=False, neighbours=(), concepts=CONCEPTS[:1], picture=np.zeros((2, 2, 3), np.uint8)
)


@dataclass
class FakeReader:
    """Reads by name: every tenth image is refused. It ends at `stop`, and remembers what it was asked."""

    name: str = "zoo:fake"
    maps: bool = True
    cases: int = 3
    anyway: bool = False
    stop: int | None = None
    error: BaseException = field(default_factory=KeyboardInterrupt)
    asked: list[str] = field(default_factory=list)

    def __call__(
        self, dataset: Dataset, progress: Callable[[str, int], None] | None = None
    ) -> Iterator[Reading | Unread]:
        for number, record in enumerate(dataset):
            if number == self.stop:
                raise self.error
            self.asked.append(record.id)
            if progress is not None:
                progress("images", number + 1)
            refused = int(record.id) % 10 == 9
            yield sample_unread(record.id) if refused else replace(READING, image=record.id)
