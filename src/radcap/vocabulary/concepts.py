"""A concept of a vocabulary, and the form of its identifier.

Invariant: a CUI is a C and seven digits, nothing else; inside an index it is the number behind the C.
>>> cui_number("C0040405"), cui_text(40405)
(40405, 'C0040405')
>>> cui_number("c0040405") is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["Concept", "Retired", "cui_number", "cui_text", "type_number", "type_text"]

_CUI = re.compile(r"C\d{7}", re.ASCII)
_TYPE = re.compile(r"T\d{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Concept:
    """All a vocabulary knows about one concept."""

    cui: Cui
    name: str
    synonyms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # TUIs
    sources: tuple[str, ...] = ()
    parents: tuple[Cui, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "cui": self.cui,
            "name": self.name,
            "synonyms": list(self.synonyms),
            "types": list(self.types),
            "sources": list(self.sources),
            "parents": list(self.parents),
        }


@dataclass(frozen=True, slots=True)
class Retired:
    """A CUI that a release gave up: why (DEL, SY, RB, RN, RO), and what stands for it now, if anything."""

    cui: Cui
    relation: str
    now: Cui | None


def cui_number(cui: str) -> int | None:
    """The number of a CUI, or nothing if it is none."""
    return int(cui[1:]) if _CUI.fullmatch(cui) else None


def cui_text(number: int) -> Cui:
    """The CUI of a number, as C0040405."""
    return f"C{number:07d}"


def type_number(tui: str) -> int | None:
    """The number of a semantic type, or nothing if it is none."""
    return int(tui[1:]) if _TYPE.fullmatch(tui) else None


def type_text(number: int) -> str:
    """The TUI of a number, as T060."""
    return f"T{number:03d}"
