"""The reader: a model that is open, asked about images a few at a time.

Invariant: a result for each image, in the order they were given, as it is made; memory does not grow with
their number. An image that cannot be read, or looks like none of radiology, is an `Unread` with the reason.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from radcap.captioning.grammar import role_of
from radcap.core import InputError, UsageError
from radcap.datasets.image_files import FILES, named_bytes
from radcap.datasets.refusal import ImageRefused
from radcap.explanation.subjects.picture import picture_of
from radcap.reading.evidence import Explained, explained
from radcap.reading.looking import looks
from radcap.reading.values import ORDER, Reading, Seen, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from radcap.core import Cui
    from radcap.datasets import Dataset, Record
    from radcap.explanation.rationale import CaseFinder
    from radcap.explanation.values import Case
    from radcap.reading.looking import Look, Readable

__all__ = ["Reader"]

_UNSURE = 0.5  # below it an image is more likely no radiology image


@dataclass(frozen=True, eq=False)
class Reader:
    """A model with what a reading is to have: maps, and how many of the nearest `cases`.

    `anyway` reads what does not look like a radiology image as well.
    """

    model: Readable
    name: str
    maps: bool = True
    cases: int = 3
    anyway: bool = False
    finder: CaseFinder | None = None

    @property
    def labels(self) -> Mapping[Cui, str]:
        """The concepts that it can name."""
        return self.model.names

    def __call__(
        self, dataset: Dataset, progress: Callable[[str, int], None] | None = None
    ) -> Iterator[Reading | Unread]:
        """A reading for each image, in their order."""
        records, done = iter(dataset), 0
        files = dataset.layout == FILES
        for look in looks(self.model, dataset):
            rows = {image: row for row, image in enumerate(look.ids)}
            for record in islice(records, len(look.ids) + len(look.refused)):
                name = record.image.key if files else record.id
                yield self._one(look, record, rows.get(record.id), name)
                done += 1
                if progress is not None:
                    progress("images", done)

    def read_bytes(self, data: bytes, name: str) -> Reading | Unread:
        """An image that somebody holds."""
        return next(self(named_bytes({name: data})))

    def _one(self, look: Look, record: Record, row: int | None, name: str) -> Reading | Unread:
        if row is None:
            return _refused(record, name, look.refused.get(record.id, ""))
        p = None if look.answers.radiology is None else float(look.answers.radiology[row])
        if p is not None and p < _UNSURE and not self.anyway:
            return _unlike(name, p)
        try:
            found = self._explained(look, record, row)
        except ImageRefused as error:
            return Unread(name, str(error), error.code)
        except (InputError, UsageError) as error:  # of this image: the rest may be fine
            return Unread(name, str(error))
        return self._reading(look, record, row, name, found)

    def _explained(self, look: Look, record: Record, row: int) -> Explained:
        if self.maps:
            return explained(self.model, look, record, row)
        return Explained(picture_of(record.image.bytes, record.image.name), (), "", ())

    def _reading(self, look: Look, record: Record, row: int, name: str, found: Explained) -> Reading:
        concepts = self._seen(look, row)
        return Reading(
            image=name,
            model=self.name,
            concepts=concepts,
            caption=look.lines[row].caption if look.lines else "",
            picture=found.picture,
            radiology=None if look.answers.radiology is None else float(look.answers.radiology[row]),
            evidence=found.evidence,
            neighbours=self._near(look, row, record, concepts),
            method=found.method,
            attribution=", ".join(one for one in (record.attribution, record.licence) if one),
            notes=found.notes,
        )

    def _seen(self, look: Look, row: int) -> tuple[Seen, ...]:
        """The concepts of an image, as they are told: by kind, then by probability."""
        names = self.labels
        found = [
            Seen(cui, names.get(cui, ""), p, role_of(cui, names.get(cui, "")))
            for cui, p in look.chances(row).items()
        ]
        return tuple(sorted(found, key=lambda one: ORDER.index(one.role)))

    def _near(self, look: Look, row: int, record: Record, concepts: tuple[Seen, ...]) -> tuple[Case, ...]:
        if self.finder is None or look.vectors is None or not self.cases:
            return ()
        said = [one.cui for one in concepts]
        return self.finder(look.vectors[row], self.cases, image=record.id, group=record.group, said=said)


def _refused(record: Record, name: str, code: str) -> Unread:
    """Why an image could not be looked at: the disk or the decoder says it best."""
    path = record.image.path
    if path is not None and not os.access(path, os.R_OK):
        why = "may not be read" if path.exists() else "is not there"
        return Unread(name, f"{name} {why}. Check its path and rights.", code)
    try:
        record.image.load()
    except InputError as error:
        return Unread(name, str(error), code)
    return Unread(name, f"{name} could not be read ({code}), and now it can. Read it again.", code)


def _unlike(name: str, p: float) -> Unread:
    return Unread(
        name,
        f"{name} does not look like a radiology image (probability {_figure(p)})."
        " Read it all the same with --anyway, in Python with anyway=True.",
        "not-radiology",
        p,
    )


def _figure(p: float) -> str:
    """A probability, never rounded to none at all.

    >>> _figure(0.1349), _figure(0.00002)
    ('0.13', 'below 0.001')
    """
    if p < 0.001:  # noqa: PLR2004 - the least that is worth telling
        return "below 0.001"
    return f"{p:.2f}" if p >= 0.01 else f"{p:.3f}"  # noqa: PLR2004
