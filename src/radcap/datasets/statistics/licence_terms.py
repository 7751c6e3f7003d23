"""What a licence asks of its users, whatever way it is written.

Invariant: of several licences in one text the strictest counts; what is not recognised is `other`.
>>> str(licence_of("https://creativecommons.org/licenses/by-nc/4.0/"))
'CC BY-NC'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["NOT_STATED", "Licence", "licence_of"]

NOT_STATED = "not stated"

_TERMS = {
    "NC": r"NC|NON-?\s?COMMERCIAL",
    "SA": r"SA|SHARE-?\s?ALIKE",
    "ND": r"ND|NO-?\s?DERIV[A-Z]*(?:\s+WORKS)?",
}
_TERM = "|".join(_TERMS.values())
_COMMONS = re.compile(
    r"(?:\bCC|CREATIVE\s*COMMONS(?:\.ORG/LICEN[CS]ES)?)[\s/_:-]*(?:BY|ATTRIBUTION)(?![A-Z])"
    rf"((?:[\s/_,-]*(?:{_TERM})(?![A-Z]))*)"
)
_ZERO = re.compile(r"\bCC[\s_-]*(?:0|ZERO)(?![A-Z])|PUBLICDOMAIN/ZERO")
_FIXED = re.compile(rf"(?<![A-Z])(?:{_TERMS['ND']})(?![A-Z])")
_FREE = re.compile(r"PUBLIC\s*DOMAIN|\bNO\s+(?:KNOWN\s+)?RESTRICTIONS?\b")


@dataclass(frozen=True, slots=True)
class Licence:
    """The family of a licence, without its version, and the terms that bind."""

    family: str
    non_commercial: bool = False
    share_alike: bool = False
    no_derivatives: bool = False

    def __str__(self) -> str:
        return self.family


def licence_of(text: str) -> Licence:
    """The family a licence text belongs to.

    >>> [str(licence_of(text)) for text in ("CC BY 4.0", "cc-by-nc-nd-3.0", "CC0 1.0", "all rights reserved")]
    ['CC BY', 'CC BY-NC-ND', 'CC0', 'other']
    """
    upper = text.upper()
    found = [match[1] for match in _COMMONS.finditer(upper)]
    if found:
        return _commons(" ".join(found))
    if _ZERO.search(upper):
        return Licence("CC0")
    if _FREE.search(upper):
        return Licence("no restrictions")
    if not text.strip():
        return Licence(NOT_STATED)
    return Licence("other", no_derivatives=bool(_FIXED.search(upper)))


def _commons(terms: str) -> Licence:
    found = [name for name, spelt in _TERMS.items() if re.search(rf"(?:{spelt})(?![A-Z])", terms)]
    return Licence("-".join(["CC BY", *found]), *(name in found for name in _TERMS))
