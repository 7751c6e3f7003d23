"""A caption from facts: a small grammar of plain radiology English.

Which of its few patterns is taken depends on a key, mostly the id of the image; no key takes the plainest.
Invariant: a caption starts with a capital, ends with a full stop, stands on one line, says each finding once
and nothing that is not among the facts.
>>> from radcap.captioning.grammar import Contrast, Facts
>>> sentence(Facts("CT", contrast=Contrast.INTRAVENOUS, plane="axial", region="abdomen", findings=("mass",)))
'Axial CT of the abdomen with intravenous contrast showing a mass.'
>>> sentence(Facts("radiograph", plane="PA", region="chest", normal=True))
'PA chest radiograph. No abnormality.'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.captioning.grammar.articles import with_article
from radcap.captioning.grammar.choosing import chosen
from radcap.captioning.grammar.picture import picture
from radcap.captioning.grammar.wording import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.grammar.facts import Facts

__all__ = ["sentence"]

# {image} is the phrase of the image, {one} the same after its article; {findings} and {bare} likewise.
_FOUND = (
    *["{image} showing {findings}"] * 4,
    *["{image} shows {findings}"] * 2,
    *["{image} demonstrates {findings}"] * 2,
    *["{bare} on {one}"] * 2,
)
_NORMAL = (
    *["{image}. No abnormality"] * 2,
    "Normal {image}",
    "{image} showing no abnormality",
    "No abnormality on {one}",
)
_ABNORMAL = ("{image} showing an abnormality", "Abnormal {image}")
_ALONE = ("{image}",)


def sentence(facts: Facts, key: str = "") -> str:
    """The caption of an image with these facts."""
    image = picture(facts, key)
    found = _once(facts.findings)
    text = chosen(key, "pattern", _patterns(facts, found)).format(
        image=image,
        one=with_article(image),
        findings=_listed([with_article(one) for one in found]),
        bare=_listed(found),
    )
    return f"{text[0].upper()}{text[1:]}."


def _patterns(facts: Facts, found: Sequence[str]) -> Sequence[str]:
    if found:
        return _FOUND
    if facts.normal is None:
        return _ALONE
    return _NORMAL if facts.normal else _ABNORMAL


def _once(findings: Sequence[str]) -> list[str]:
    """The findings in order, less those that another one says as well."""
    tidy = [" ".join(one.split()).rstrip(" .,;:") for one in findings]
    tidy = list(dict.fromkeys(_together([one for one in tidy if one])))
    return [one for place, one in enumerate(tidy) if not _is_said(one, place, tidy)]


def _is_said(finding: str, place: int, findings: Sequence[str]) -> bool:
    whole = re.compile(rf"(?<!\w){re.escape(finding.lower())}(?!\w)")
    others = [(at, other.lower()) for at, other in enumerate(findings) if at != place]
    # of two that differ only in case, the first is kept
    return any(whole.search(other) and (other != finding.lower() or at < place) for at, other in others)


def _together(findings: Sequence[str]) -> list[str]:
    """The findings, two of them as one where people say so."""
    merged = list(findings)
    for first, seconds in words().together.items():
        for second, phrase in seconds.items():
            if first in merged and second in merged:
                merged = [phrase if one == first else one for one in merged if one != second]
    return merged


def _listed(phrases: Sequence[str]) -> str:
    *most, last = phrases or [""]
    return f"{', '.join(most)} and {last}" if most else last
