"""The impression: a few sentences that say what was decided for, the sure before the doubtful.

Invariant: every concept that is named is one of those that are given, by its name or its phrase; what is less
likely than not is said to be doubtful. Nothing found is said to be a matter of the model, not of the image.
>>> impression([])
('No finding that this model knows was decided for.',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.grammar import Facts, Role, phrase_of, sentence
from radcap.explanation.rationale.quoting import listed
from radcap.reading.telling import percent
from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.structured.values import Supported

__all__ = ["NO_FINDING", "impression", "with_certainty"]

NO_FINDING = "No finding that this model knows was decided for."


def impression(supported: Sequence[Supported]) -> tuple[str, ...]:
    """What the image is, what it shows, what else was decided for, and what of all that is doubtful."""
    likely = [one for one in supported if one.is_likely]
    findings = [one for one in likely if one.role is Role.FINDING]
    others = [one for one in likely if one.role is Role.OTHER]
    doubtful = [one for one in supported if not one.is_likely]
    nothing = all(one.role is not Role.FINDING for one in supported)
    told = [
        _kind_of_image(likely),
        _told("Findings", findings),
        _told("Also decided for", others),
        _told("Doubtful, and decided for all the same", doubtful),
        NO_FINDING if nothing else "",
    ]
    return tuple(filter(None, told))


def with_certainty(one: Supported) -> str:
    """The name, how sure it is in a word, and the number where there is one."""
    return f"{one.name} ({one.certainty}{_number(one)})"


def _number(one: Supported) -> str:
    return "" if one.p is None else f", {percent(one.p)}"


def _told(what: str, found: Sequence[Supported]) -> str:
    return f"{what}: {listed([with_certainty(one) for one in found])}." if found else ""


def _kind_of_image(likely: Sequence[Supported]) -> str:
    """The first modality, view and region as a phrase; nothing without a modality to speak of."""
    modality, plane, region = (_phrase(likely, role) for role in (Role.MODALITY, Role.DIRECTION, Role.REGION))
    return sentence(Facts(modality, plane=plane, region=region)) if modality else ""


def _phrase(likely: Sequence[Supported], role: Role) -> str:
    first = next((one for one in likely if one.role is role), None)
    return "" if first is None else visible(phrase_of(first.cui, first.name)).strip() or first.name
