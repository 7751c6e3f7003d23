"""How a reading is put into words: one wording for the terminal, the pages and the reports.

Invariant: a word for certainty follows from the probability alone, and a probability is never rounded to
certain or impossible.
>>> certainty(0.93), percent(0.93), percent(0.9987), percent(0.002)
('very likely', '93 %', '>99 %', '<1 %')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.grammar import Role
from radcap.explanation.certainty import word_for

if TYPE_CHECKING:
    from radcap.explanation.values import Case

__all__ = ["certainty", "kind_of", "origin_of", "percent", "radiology_sentence"]

_DECIDED = "decided"  # a model that only decides tells no probability
_KINDS = {
    Role.MODALITY: "modality",
    Role.REGION: "region",
    Role.DIRECTION: "view",
    Role.FINDING: "finding",
    Role.OTHER: "other",
}


def certainty(p: float | None) -> str:
    """The word for a calibrated probability, of the one scale that explanations use too."""
    return _DECIDED if p is None else word_for(p)


def percent(p: float | None) -> str:
    """A probability in whole percent, `-` where there is none."""
    if p is None:
        return "-"
    if p < 0.005:  # noqa: PLR2004, what would round to 0
        return "<1 %"
    return f"{100 * p:.0f} %" if p < 0.995 else ">99 %"  # noqa: PLR2004, what would round to 100


def kind_of(role: Role) -> str:
    """What a person calls concepts of this role."""
    return _KINDS[role]


def origin_of(case: Case) -> str:
    """Whose a training case is: attribution and licence, as far as they are known.

    >>> from radcap.explanation.values import Case
    >>> origin_of(Case("a", 0.9, attribution="Doe et al. 2020", licence="CC BY 4.0"))
    'Doe et al. 2020 (CC BY 4.0)'
    """
    if case.attribution and case.licence and case.licence not in case.attribution:
        return f"{case.attribution} ({case.licence})"
    return case.attribution or case.licence


def radiology_sentence(p: float | None) -> str:
    """How sure it is that the image is one of radiology; nothing where the model cannot tell.

    >>> radiology_sentence(0.9987)
    'a radiology image: almost certain (>99 %)'
    """
    return "" if p is None else f"a radiology image: {certainty(p)} ({percent(p)})"
