"""What a compiled vocabulary says about itself: where it comes from, under which licence, what it holds.

Invariant: a stamp travels inside the index and comes out equal.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Source", "Stamp"]


@dataclass(frozen=True, slots=True)
class Source:
    """One origin of names: a vocabulary of UMLS, an ontology, a table."""

    name: str
    title: str = ""
    release: str = ""
    licence: str = ""
    attribution: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The description of a vocabulary. `filters` say what was left out, `counts` what is in."""

    name: str
    release: str
    licence: str
    sources: tuple[Source, ...]
    filters: Mapping[str, str] = field(default_factory=dict[str, str])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    radcap: str = ""
    words: str = ""  # the digest of the tables by which words were made alike

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def to_text(self) -> str:
        return json.dumps(self.to_json(), ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Stamp:
        read = json.loads(text)
        sources = tuple(Source(**one) for one in read.pop("sources"))
        return cls(sources=sources, **read)
