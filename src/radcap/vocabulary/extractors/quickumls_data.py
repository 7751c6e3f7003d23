"""A vocabulary of radcap as MRCONSO.RRF and MRSTY.RRF, for tools that read nothing else.

The licence of the names goes with them: what was built from a UMLS release stays with its licensee.
Invariant: every name is written, in UTF-8, in the columns of UMLS; the best name of a concept is its
preferred one. Signs that part columns or lines become blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.formats import replacing
from radcap.vocabulary.semantic_types import semantic_types

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["RrfCounts", "write_rrf"]

# Python's readers end a line at more signs than a line feed, and so would tools written in it.
_PARTING = re.compile(r"[|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNTYPED = "T071"  # Entity, the root of the types: QuickUMLS stops at a concept without one


@dataclass(frozen=True, slots=True)
class RrfCounts:
    """What was written."""

    concepts: int
    names: int
    blank: int  # names that held nothing but blanks, and were left out
    untyped: int  # concepts that were given the type Entity


def write_rrf(vocabulary: Vocabulary, folder: Path) -> RrfCounts:
    """Write both files into a folder."""
    source = _field(vocabulary.stamp.name) or "RADCAP"
    names = blank = untyped = 0
    with (
        replacing(folder / "MRCONSO.RRF") as conso_path,
        replacing(folder / "MRSTY.RRF") as sty_path,
        conso_path.open("w", encoding="utf-8", newline="\n") as conso,
        sty_path.open("w", encoding="utf-8", newline="\n") as sty,
    ):
        for place in range(len(vocabulary)):
            concept = vocabulary.concept_at(place)
            untyped += not concept.types
            sty.writelines(_type_lines(concept.cui, concept.types))
            texts = [_field(one) for one in (concept.name, *concept.synonyms)]
            kept = [one for one in dict.fromkeys(texts) if one]
            blank += texts.count("")
            conso.writelines(_name_lines(concept.cui, kept, source, names))
            names += len(kept)
    return RrfCounts(len(vocabulary), names, blank, untyped)


def _field(text: str) -> str:
    return _PARTING.sub(" ", text).strip()


def _name_lines(cui: str, names: list[str], source: str, done: int) -> Iterator[str]:
    """A line for each name; identifiers of strings and atoms are numbers, as nobody looks at them."""
    for i, name in enumerate(names):
        best, kind = ("P", "PT") if i == 0 else ("S", "SY")
        preferred = "Y" if i == 0 else "N"
        number = f"{done + i + 1:08d}"
        atom = f"L{number}|PF|S{number}|{preferred}|A{number}||||"
        yield f"{cui}|ENG|{best}|{atom}{source}|{kind}|{cui}|{name}|0|N||\n"


def _type_lines(cui: str, types: tuple[str, ...]) -> Iterator[str]:
    known = semantic_types()
    for tui in types or (_UNTYPED,):
        yield f"{cui}|{tui}||{known[tui].name if tui in known else ''}|||\n"
