"""What a vocabulary is, told to a person: origin, licence, notices, counts, semantic types.

Invariant: the notice of every source is there in full; sources with the same one share it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from radcap.report import Table
from radcap.vocabulary.semantic_types import semantic_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.vocabulary.stamps import Stamp
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Description", "about_table", "describe", "type_label"]

_COUNTED = {
    "concepts": "concepts",
    "names": "names",
    "keys": "ways to write them",
    "words": "different words",
    "typed": "concepts with a semantic type",
    "parents": "links to a parent",
    "codes": "codes of sources",
    "retired": "retired CUIs",
    "names_not_looked_up": "names that are not looked up in text",
    "types_without_name": "types of concepts without a name",
    "parents_without_name": "parents without a name",
}
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Description:
    """A vocabulary as its stamp and its index tell it."""

    stamp: Stamp
    path: str | None  # nothing where it lives in memory alone
    size_bytes: int | None
    types: Mapping[str, int]  # concepts of each semantic type, most first

    def to_json(self) -> dict[str, Any]:
        return {
            **self.stamp.to_json(),
            "path": self.path,
            "size_bytes": self.size_bytes,
            "types": dict(self.types),
        }

    def tables(self) -> tuple[Table, ...]:
        """About it, its sources, its semantic types."""
        about = about_table(self.stamp, self.path, self.size_bytes)
        return tuple(one for one in (about, self._sources(), self._types()) if one.rows)

    def notices(self) -> tuple[str, ...]:
        """What each source asks to be said of it."""
        owners: dict[str, list[str]] = {}
        for one in self.stamp.sources:
            owners.setdefault(one.attribution, []).append(one.name)
        return tuple(f"{', '.join(names)}: {notice}" for notice, names in owners.items() if notice)

    def _sources(self) -> Table:
        rows = tuple((one.name, one.title, one.release, one.licence) for one in self.stamp.sources)
        return Table(("source", "title", "release", "licence"), rows)

    def _types(self) -> Table:
        names = {tui: (one.name, one.group_name) for tui, one in semantic_types().items()}
        rows = tuple((tui, *names.get(tui, ("", "")), f"{n:,}") for tui, n in self.types.items())
        return Table(("TUI", "semantic type", "group", "concepts"), rows, right=frozenset({"concepts"}))


def about_table(stamp: Stamp, path: str | None, size_bytes: int | None) -> Table:
    """What a stamp says, and how large the file is."""
    rows = [
        ("name", stamp.name),
        ("release", stamp.release),
        ("licence", stamp.licence),
        *((_COUNTED.get(name, name), f"{n:,}") for name, n in stamp.counts.items() if n),
        *((f"filter: {name}", value) for name, value in stamp.filters.items()),
        ("file", path or ""),
        ("size", _size(size_bytes)),
        ("compiled by", f"radcap {stamp.radcap}" if stamp.radcap else ""),
    ]
    return Table(("about", "value"), tuple(row for row in rows if row[1]))


def _size(size_bytes: int | None) -> str:
    if size_bytes is None:
        return "in memory"
    return f"{size_bytes / _MB:,.1f} MB" if size_bytes >= _MB else f"{size_bytes / 1000:,.0f} kB"


def describe(vocabulary: Vocabulary) -> Description:
    """All there is to say about a vocabulary as a whole."""
    path = vocabulary.path
    found = Counter(chain.from_iterable(map(vocabulary.types_at, range(len(vocabulary)))))
    types = dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))
    size = None if path is None else path.stat().st_size
    return Description(vocabulary.stamp, None if path is None else str(path), size, types)


def type_label(tui: str) -> str:
    """A semantic type as people read it.

    >>> type_label("T060"), type_label("T999")
    ('T060 Diagnostic Procedure', 'T999')
    """
    known = semantic_types().get(tui)
    return tui if known is None else f"{tui} {known.name}"
