"""What a dataset is, at a glance: the answer of `radcap dataset info`.

Invariant: everything is counted from the data; the card only adds words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from radcap.datasets.caption_parts import images_by_source, source_titles
from radcap.datasets.lists import lengths
from radcap.datasets.loading import is_bundled
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from radcap.datasets.dataset import Dataset

__all__ = ["Description", "SplitFacts", "describe", "description_tables", "splits_table"]


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """One split in figures."""

    name: str
    records: int
    images: int  # that are there
    captioned: Mapping[str, int]  # images with a caption of each source
    labelled: int
    concepts: int  # different ones
    groups: int

    def to_json(self) -> dict[str, object]:
        told = {name: getattr(self, name) for name in self.__slots__}
        return {**told, "captioned": dict(self.captioned)}


@dataclass(frozen=True, slots=True)
class Description:
    """A dataset in figures and words."""

    name: str
    title: str
    description: str
    layout: str
    path: str
    bundled: bool  # whether it ships inside radcap
    licence: str
    found: int
    splits: tuple[SplitFacts, ...]
    total: SplitFacts
    licences: Mapping[str, int]
    sources: Mapping[str, int]
    caption_sources: Mapping[str, int]
    limitations: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "layout": self.layout,
            "path": self.path,
            "bundled": self.bundled,
            "licence": self.licence,
            "found": self.found,
            "kept": self.total.records,
            "splits": [one.to_json() for one in self.splits],
            "total": self.total.to_json(),
            "licences": dict(self.licences),
            "sources": dict(self.sources),
            "caption_sources": dict(self.caption_sources),
            "limitations": list(self.limitations),
        }


def describe(dataset: Dataset) -> Description:
    """Count a dataset; no image is read, only looked for."""
    return Description(
        name=dataset.name,
        title=dataset.card.title,
        description=dataset.card.description,
        layout=dataset.layout,
        path=str(dataset.path or ""),
        bundled=dataset.path is not None and is_bundled(dataset.path),
        licence=dataset.card.licence,
        found=dataset.found,
        splits=tuple(_facts(dataset.split(name), name) for name in dataset.splits),
        total=_facts(dataset, "all"),
        licences=_counted(dataset.column("licence").to_pylist()),
        sources=_counted(dataset.column("source").to_pylist()),
        caption_sources=_counted(pc.struct_field(dataset.column("captions").flatten(), "source").to_pylist()),
        limitations=dataset.card.limitations,
    )


def _facts(dataset: Dataset, name: str) -> SplitFacts:
    groups: set[str] = set(dataset.column("group").to_pylist()) - {""}
    return SplitFacts(
        name,
        records=len(dataset),
        images=sum(map(dataset.images.has, dataset.column("image").to_pylist())),
        captioned=images_by_source(dataset.column("captions")),
        labelled=int((lengths(dataset.column("cui")) > 0).sum()),
        concepts=len(pc.unique(dataset.column("cui").flatten())),
        groups=len(groups),
    )


def _counted(values: list[str]) -> dict[str, int]:
    return dict(Counter(value or "not said" for value in values).most_common())


def description_tables(found: Description) -> tuple[Table, ...]:
    """For people: what it is, its splits, its licences."""
    about = (
        ("name", found.name),
        ("title", found.title),
        ("layout", found.layout),
        ("folder", "inside radcap" if found.bundled else found.path),
        ("licence", found.licence),
        ("sources", _listed(found.sources)),
        ("captions", _listed(found.caption_sources)),
    )
    licences = tuple((name, f"{n:,}") for name, n in found.licences.items())
    return (
        Table(("about", "value"), tuple((name, value) for name, value in about if value)),
        splits_table(found),
        Table(("licence", "images"), licences, right=frozenset({"images"})),
    )


def splits_table(found: Description) -> Table:
    """The splits in figures, and all of them together."""
    titles = source_titles("caption", found.total.captioned)
    captions = (f"with {name}" for name in titles.values())
    columns = ("split", "records", "images", *captions, "with concepts", "concepts", "groups")
    rows = tuple(_row(one, titles) for one in (*found.splits, found.total))
    return Table(columns, rows, right=frozenset(columns[1:]))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def _row(one: SplitFacts, sources: Iterable[str]) -> tuple[str, ...]:
    captioned = (one.captioned.get(source, 0) for source in sources)
    numbers = (one.records, one.images, *captioned, one.labelled, one.concepts, one.groups)
    return (one.name, *(f"{n:,}" for n in numbers))
