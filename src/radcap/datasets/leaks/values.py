"""A leak report as values: what was found of each kind of evidence, and the records concerned.

Invariant: counts are over all records; lists in JSON and tables are bounded, those of pairs are not.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from radcap.datasets.leaks.evidence import Evidence
from radcap.datasets.records import CaptionSource
from radcap.formats import replacing
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.leaks.matching import Matches
    from radcap.datasets.leaks.nearest_images import Nearest

__all__ = ["Leak", "Leaks", "Pair", "write_pairs"]

_COLUMNS = ("evidence", "second", "second_split", "first", "first_split", "what")
_PAIRS = 1000  # of one kind of evidence in JSON
_EXAMPLES = 20  # of one kind of evidence in tables
_LONG = 80  # letters of a caption in tables
_PICTURES = (Evidence.ID, Evidence.FILE, Evidence.PIXELS, Evidence.NEAR)  # what needs no words


@dataclass(frozen=True, slots=True)
class Pair:
    """A record of the second dataset and the earliest of the first that it shares something with."""

    evidence: Evidence
    second: str
    second_split: str
    first: str
    first_split: str
    what: str  # the group, or the caption of the second


@dataclass(frozen=True, slots=True)
class Leak:
    """What was found of one kind of evidence."""

    evidence: Evidence
    matches: Matches = field(repr=False)
    of: int  # records of the second dataset

    @property
    def images(self) -> int:
        """Records of the second dataset concerned."""
        return self.matches.images

    @property
    def share(self) -> float:
        return self.images / self.of if self.of else 0.0

    @property
    def compared(self) -> bool:
        """Whether both sides had anything to compare."""
        return bool(self.matches.asked and self.matches.asked_first)

    def to_json(self) -> dict[str, Any]:
        return {
            "evidence": self.evidence.value,
            "strong": self.evidence.strong,
            "images": self.images,
            "of": self.of,
            "share": self.share,
            "images_first": self.matches.images_first,
            "keys": self.matches.keys,
            "keys_second": self.matches.keys_second,
            "compared": self.matches.asked if self.compared else 0,
        }


@dataclass(frozen=True, slots=True)
class Leaks:
    """What the second dataset shares with the first."""

    first: Dataset = field(repr=False)
    second: Dataset = field(repr=False)
    titles: tuple[str, str]
    found: tuple[Leak, ...]
    skipped: tuple[Evidence, ...]  # not looked for, since nobody surveyed the images
    nearest: Nearest | None = field(repr=False)

    @property
    def leaking(self) -> bool:
        """Whether there is any strong evidence."""
        return any(one.images and one.evidence.strong for one in self.found)

    def leak(self, evidence: Evidence) -> Leak:
        return next(one for one in self.found if one.evidence is evidence)

    def pairs(self, evidence: Evidence) -> Iterator[Pair]:
        """Every record of the second dataset that is concerned, with its partner."""
        matches = self.leak(evidence).matches
        for second, first in zip(matches.seconds.tolist(), matches.firsts.tolist(), strict=True):
            yield Pair(
                evidence,
                self.second.table["image_id"][second].as_py(),
                self.second.table["split"][second].as_py(),
                self.first.table["image_id"][first].as_py(),
                self.first.table["split"][first].as_py(),
                self._what(evidence, second, first),
            )

    def _what(self, evidence: Evidence, place: int, first: int) -> str:
        if evidence in _PICTURES:
            return ""
        composed = evidence is Evidence.COMPOSED
        if evidence is Evidence.GROUP:
            return self.second.table["group"][place].as_py()
        second, other = (
            [one.text for one in record.captions if (one.source is CaptionSource.COMPOSED) == composed]
            for record in (self.second[place], self.first[first])
        )
        return _shared(second, other)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Every pair of every kind."""
        for leak in self.found:
            for one in self.pairs(leak.evidence):
                yield (
                    one.evidence.value,
                    *(one.second, one.second_split, one.first, one.first_split),
                    one.what,
                )

    def to_json(self) -> dict[str, Any]:
        """The report; of each kind the first thousand pairs."""
        return {
            "first": {"name": self.titles[0], "records": len(self.first)},
            "second": {"name": self.titles[1], "records": len(self.second)},
            "leaking": self.leaking,
            "evidence": [{**one.to_json(), "pairs": self._listed(one.evidence)} for one in self.found],
            "skipped": [one.value for one in self.skipped],
            "nearest": self.nearest.to_json() if self.nearest is not None else None,
        }

    def _listed(self, evidence: Evidence) -> list[dict[str, str]]:
        return [
            {"second": one.second, "first": one.first, "what": one.what}
            for one in islice(self.pairs(evidence), _PAIRS)
        ]

    def tables(self) -> tuple[Table, ...]:
        """The counts; then examples of what was found; then distances where images were surveyed."""
        # of composed captions none: that labels are equal needs no example
        telling = (one.evidence for one in self.found if one.images and one.evidence is not Evidence.COMPOSED)
        examples = [one for evidence in telling for one in self._examples(evidence)]
        columns = ("evidence", self.titles[1], self.titles[0], "what")
        tables = [self._counts()]
        if examples:
            tables.append(Table(columns, tuple(examples), f"The first {_EXAMPLES} of each kind"))
        if self.nearest is not None:
            tables.append(self.nearest.table())
        return tuple(tables)

    def _examples(self, evidence: Evidence) -> Iterator[tuple[str, str, str, str]]:
        for one in islice(self.pairs(evidence), _EXAMPLES):
            what = one.what if len(one.what) <= _LONG else f"{one.what[:_LONG]}..."
            yield evidence.heading, one.second, one.first, what

    def _counts(self) -> Table:
        rows = [
            (kind.heading, "images were not looked at", "", "", "")
            if kind in self.skipped
            else _counted(self.leak(kind))
            for kind in Evidence
        ]
        columns = ("evidence", "images", "share", f"images of {self.titles[0]}", "shared keys")
        title = f"What {self.titles[1]} shares with {self.titles[0]}"
        return Table(columns, tuple(rows), title, frozenset(columns[1:]))


def _counted(leak: Leak) -> tuple[str, str, str, str, str]:
    if not leak.compared:
        return leak.evidence.heading, "nothing to compare", "", "", ""
    matches = leak.matches
    return (
        leak.evidence.heading,
        f"{leak.images:,} of {leak.of:,}",
        f"{leak.share:.1%}",
        f"{matches.images_first:,}",
        f"{matches.keys:,} of {matches.keys_second:,}",
    )


def write_pairs(found: Iterable[Leaks], path: Path) -> None:
    """Every pair of every kind as CSV, of as many reports as there are pairs of splits."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        for one in found:
            rows.writerows(one.rows())


def _shared(texts: Sequence[str], others: Sequence[str]) -> str:
    """The first text that both have but for case and blanks, else the first."""
    there = {_plain(one) for one in others}
    return next((one for one in texts if _plain(one) in there), texts[0])


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
