"""What is taken from a UMLS release.

Invariant: `to_text` says every choice, so that a compiled vocabulary tells what was left out.
>>> UmlsFilters(sources=("MSH", "NCI")).to_text()["sources"]
'MSH;NCI'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.vocabulary.concepts import type_number

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["UmlsFilters"]

_LANGUAGE = re.compile(r"[A-Z]{3}")
_SUPPRESS = re.compile(r"[NOEY]")


@dataclass(frozen=True, slots=True)
class UmlsFilters:
    """The choice. None means everything."""

    languages: tuple[str, ...] | None = ("ENG",)
    suppress: tuple[str, ...] | None = ("N",)
    sources: tuple[str, ...] | None = None
    levels: tuple[int, ...] | None = (0, 1, 2, 9)  # restriction levels: the rule of the 2022 edition
    types: tuple[str, ...] | None = None
    hierarchy: bool = True  # from MRREL.RRF, where it is there
    code_sources: tuple[str, ...] | None = ("SNOMEDCT_US",)  # whose codes lead to concepts

    def __post_init__(self) -> None:
        for name in ("languages", "suppress", "sources", "levels", "types"):
            if getattr(self, name) == ():
                raise UsageError(f"The filter {name} is empty. Nothing would be left. Name some, or none.")
        _refuse("semantic type", "T and three digits", self.types, lambda one: type_number(one) is not None)
        _refuse("language", "three capital letters, as ENG", self.languages, _LANGUAGE.fullmatch)
        _refuse("value of SUPPRESS", "one of N, O, E, Y", self.suppress, _SUPPRESS.fullmatch)

    def to_text(self) -> dict[str, str]:
        """The choice as a stamp keeps it."""
        chosen = {
            "languages": self.languages,
            "suppress": self.suppress,
            "sources": self.sources,
            "restriction_levels": self.levels,
            "types": self.types,
            "code_sources": self.code_sources,
        }
        said = {name: "all" if one is None else ";".join(map(str, one)) for name, one in chosen.items()}
        return {**said, "hierarchy": "yes" if self.hierarchy else "no"}


def _refuse(what: str, form: str, chosen: tuple[str, ...] | None, fits: Callable[[str], object]) -> None:
    wrong = next((one for one in chosen or () if not fits(one)), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is no {what}. It has to be {form}. Correct it.")
