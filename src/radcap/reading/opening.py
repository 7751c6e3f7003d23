"""Open a reader, and read: the calls behind `radcap read`, `radcap.open_reader` and `radcap.read`.

Invariant: what needs torch is loaded when a reader is opened; where it is missing, the way to get it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from radcap.core import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.datasets import Dataset
    from radcap.reading.reader import Reader
    from radcap.reading.values import Reading, Unread

__all__ = ["DEFAULT", "Readings", "open_reader", "read"]

DEFAULT = "zoo:captions"


def open_reader(
    model: str | Path = DEFAULT,
    *,
    maps: bool = True,
    cases: int = 3,
    anyway: bool = False,
    device: str = "auto",
) -> Reader:
    """A reader with a model by `zoo:NAME` or by its folder.

    `maps` shows where each statement comes from, `cases` is how many of the nearest training images are
    told, and `anyway` reads what does not look like a radiology image as well.
    """
    from radcap.systems.predicting import opened_model

    opened = opened_model(model, device)  # refused with the way to get torch, where it is missing
    try:
        from radcap.reading.explaining import case_finder
        from radcap.reading.looking import readable
        from radcap.reading.reader import Reader
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "Reading needs it.", "Run: pip install 'radcap[read]'") from error
    asked = readable(opened, str(model))
    finder = case_finder(model, asked) if cases else None
    return Reader(asked, str(model), maps, cases, anyway, finder)


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings of several images, in their order; those that were not read are among them with the reason."""

    results: tuple[Reading | Unread, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Reading | Unread]:
        return iter(self.results)

    @overload
    def __getitem__(self, key: int) -> Reading | Unread: ...
    @overload
    def __getitem__(self, key: slice) -> Readings: ...
    def __getitem__(self, key: int | slice) -> Reading | Unread | Readings:
        return Readings(self.results[key]) if isinstance(key, slice) else self.results[key]

    def to_json(self) -> list[dict[str, Any]]:
        return [one.to_json() for one in self.results]

    def _repr_html_(self) -> str:
        from radcap.reading.notebooks import readings_html

        return readings_html(self.results)


def read(
    images: str | Path | Dataset | Sequence[str | Path],
    *,
    model: str | Path | Reader = DEFAULT,
    maps: bool = True,
    cases: int = 3,
    anyway: bool = False,
    split: str | None = None,
    device: str = "auto",
) -> Reading | Unread | Readings:
    """What is seen in an image; of several images, or a folder, pattern or dataset, the readings of all.

    All are kept, with their maps: for thousands take `open_reader` and go through what it yields. `model` may
    be a reader that is open already, whose own settings then hold.
    """
    from radcap.datasets import Dataset
    from radcap.reading.inputs import images_of

    alone = isinstance(images, str | Path)
    named = images if isinstance(images, Dataset) else images_of([images] if alone else images)
    found = named if split is None else named.split(split)
    reader = (
        open_reader(model, maps=maps, cases=cases, anyway=anyway, device=device)
        if isinstance(model, str | Path)
        else model
    )
    results = tuple(reader(found))
    return results[0] if alone and Path(images).is_file() else Readings(results)
