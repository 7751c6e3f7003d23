"""Names of concepts as they stand in a sentence.

Invariant: no parentheses, no words of a thesaurus, one line; lower case except for names and abbreviations.
>>> phrase("Hematoma, Subdural"), phrase("Structure of right upper lobe of lung"), phrase("Crohn Disease")
('subdural hematoma', 'right upper lobe of lung', 'Crohn disease')
"""

from __future__ import annotations

import re

from radcap.captioning.grammar.wording import words

__all__ = ["cased", "phrase"]

_ASIDE = re.compile(r" ?[(\[{][^()\[\]{}]*[)\]}]")
_THESAURUS = re.compile(
    r",? NOS\b|^(?:entire|(?:bone )?structure of(?: the)?) |,? (?:unspecified|device)$"
    r"|(?<!a[lr]|ic) structure$",  # but "left atrial structure" needs its noun
    re.IGNORECASE,
)
_INVERTED = 2  # parts of "Hematoma, Subdural"
_WORD = re.compile(r"[A-Za-z0-9]+")
_ABBREVIATION = re.compile(r"(?=\d*[A-Z])[A-Z\d]{2,}|[B-Z]|[a-z]+[A-Z]\w*")  # HIV, T2, B of B-cell, mRNA
_LEVEL = re.compile(r"\b([ctls])(\d{1,2}(?:-[ctls]?\d{1,2})?)\b")
_NUMERAL = re.compile(r"\b(grade|type|stage|class|chiari) ([ivx]+|[a-d])\b", re.IGNORECASE)


def phrase(name: str) -> str:
    """A name as a phrase."""
    plain = _stripped(_ASIDE.sub("", " ".join(name.split())))
    plain = _stripped(_THESAURUS.sub("", plain)) or plain
    parts = [part.strip() for part in plain.split(",")]
    if len(parts) == _INVERTED and all(parts):
        plain = _stripped(" ".join(reversed(parts)))
    return cased(plain)


def _stripped(text: str) -> str:
    return " ".join(text.split()).strip(" .,;:")


def cased(text: str) -> str:
    """Text in lower case, except for abbreviations and for names that are known."""
    low = _WORD.sub(lambda found: _word(found[0]), text)
    low = _LEVEL.sub(lambda found: found[1].upper() + found[2].upper(), low)
    return _NUMERAL.sub(lambda found: f"{found[1]} {found[2].upper()}", low)


def _word(word: str) -> str:
    if _ABBREVIATION.fullmatch(word):
        return word
    return words().case.get(word.lower(), word.lower())
