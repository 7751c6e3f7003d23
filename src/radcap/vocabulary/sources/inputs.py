"""One file or folder that names come from, and what its owner says about it.

Invariant: what is said here wins over what the file says about itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from radcap.vocabulary.sources.rrf.filters import UmlsFilters
from radcap.vocabulary.stamps import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.terms import Term

    Told: TypeAlias = Callable[[str, int], None]  # what is being read, and how much of it was

__all__ = ["Input", "Reading", "SourceReader"]


@dataclass(frozen=True, slots=True)
class Input:
    """A file or folder. Without `kind` it is recognised by its content."""

    path: Path
    kind: str = ""
    name: str = ""
    title: str = ""
    release: str = ""
    licence: str = ""
    attribution: str = ""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])  # ours -> the header's, for tables
    scopes: tuple[str, ...] = ("EXACT",)  # of synonyms, for OBO
    filters: UmlsFilters = field(default_factory=UmlsFilters)

    @property
    def file(self) -> str:
        """What findings call it."""
        return self.path.name or str(self.path)

    def about(
        self, name: str, title: str = "", release: str = "", licence: str = "", attribution: str = ""
    ) -> Source:
        """The source as the file tells it, corrected by what is said here."""
        return Source(
            self.name or name,
            self.title or title,
            self.release or release,
            self.licence or licence,
            self.attribution or attribution,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file gave: a draft, or terms that are still to be placed on concepts."""

    about: Source
    draft: Draft | None = None
    terms: tuple[Term, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict[str, str])  # what was chosen of the file


class SourceReader(Protocol):
    """Reads one kind of input. Problems go into the findings; what can be used is returned."""

    def __call__(self, given: Input, findings: Findings, told: Told) -> Reading: ...
