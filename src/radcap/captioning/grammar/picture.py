"""The image as a phrase: "axial CT of the abdomen with intravenous contrast", "PA chest radiograph".

Invariant: every word stands for one fact; a fact that is not given has no word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.grammar.choosing import chosen
from radcap.captioning.grammar.wording import Region, words

if TYPE_CHECKING:
    from radcap.captioning.grammar.facts import Facts

__all__ = ["RECONSTRUCTION", "picture"]

RECONSTRUCTION = "3D"  # a plane that is none: the image is computed from all of them
_LONG, _SHORT = "long", "short"
_BEFORE, _AFTER = "before", "after"
_CONTRAST = (_LONG, _LONG, _SHORT)
_PLAIN = 3  # times that the plainest way comes for each of the other


def picture(facts: Facts, key: str) -> str:
    """The phrase of an image, without article or full stop."""
    before, after = _region(facts, key)
    enhanced, medium = _contrast(facts, key)
    parts = (facts.plane, enhanced, facts.sequence, before, _noun(facts, key), after, medium)
    return " ".join(" ".join(parts).split())


def _noun(facts: Facts, key: str) -> str:
    plain, *others = words().modalities.get(facts.modality, (facts.modality,))
    if facts.plane == RECONSTRUCTION:
        return f"{plain} reconstruction"
    return chosen(key, "noun", [plain] * _PLAIN + others)


def _region(facts: Facts, key: str) -> tuple[str, str]:
    """The region, either before the noun or after it."""
    if not facts.region:
        return "", ""
    known = words().regions.get(facts.region, Region())
    if known.vessels and facts.modality.endswith("angiogram"):
        return known.vessels, ""
    after = f"of the {facts.region}"
    if not known.before:
        return "", after
    ways = [_BEFORE] if known.only else [_BEFORE] * _PLAIN + [_AFTER]
    if not known.first:
        ways = [_AFTER] * _PLAIN + [_BEFORE]
    return (known.before, "") if chosen(key, "region", ways) == _BEFORE else ("", after)


def _contrast(facts: Facts, key: str) -> tuple[str, str]:
    """The contrast medium, either before the noun or at the end."""
    long, *short = words().contrast.get(facts.contrast, ("",))
    if short and chosen(key, "contrast", _CONTRAST) == _SHORT:
        return short[0], ""
    return "", long
