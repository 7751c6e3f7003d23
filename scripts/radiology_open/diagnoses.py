"""Diagnoses as people typed them, as phrases that fit into a sentence.

Invariant: an answer gives the words it has; words that are not a finding (a course, a lecture) give nothing.
What the rules cannot tidy stands in diagnoses.csv, an answer and its findings, with a bar between two.
>>> findings("Arteriovenous malformation (AVM)"), findings("brain, cerebral abscess")
(('arteriovenous malformation',), ('cerebral abscess',))
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

from radcap.captioning.grammar.phrases import cased

_ASIDE = re.compile(r"\s*\([^()]*\)")
_MARKS = str.maketrans("\u2018\u2019\u201c\u201d\u2013\xa0", "''\"\"- ")
_TABLE = Path(__file__).parent / "diagnoses.csv"


def findings(answer: str) -> tuple[str, ...]:
    """The findings that an answer names, without articles."""
    said = plain(answer)
    known = _table().get(said)
    if known is not None:
        return known
    return (cased(_ASIDE.sub("", said).strip(" .?")),)


def plain(text: str) -> str:
    """Text in lower case on one line, with plain marks."""
    return " ".join(text.translate(_MARKS).lower().split())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            plain(row["answer"]): tuple(part for part in row["phrase"].split("|") if part)
            for row in csv.DictReader(file)
        }
