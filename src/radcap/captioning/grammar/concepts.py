"""From UMLS concepts to the facts of a sentence.

What each label of radiology-open says stands in concepts.csv beside this file. Other concepts are judged by
their semantic types, and said by their names.
Invariant: a concept has one role; one that no sentence can use has the role `OTHER` and is not said.
>>> from radcap.captioning.grammar import sentence
>>> sentence(facts_of(["C1306645", "C0817096", "C1996865", "C0032227"], {}))
'PA chest radiograph showing a pleural effusion.'
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.captioning.grammar.facts import Facts
from radcap.captioning.grammar.phrases import phrase
from radcap.captioning.grammar.wording import words
from radcap.vocabulary import open_vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from radcap.core import Cui

__all__ = ["MOST_FINDINGS", "Concept", "Role", "facts_of", "joined", "known_concepts", "phrase_of", "role_of"]

MOST_FINDINGS = 4  # in a sentence
_ANATOMY = frozenset(("T017", "T018", "T021", "T022", "T023", "T024", "T029", "T030"))
_FINDINGS = frozenset(
    # what is wrong, and what was put in: devices
    ("T019", "T020", "T033", "T037", "T046", "T047", "T048", "T049", "T074", "T184", "T190", "T191"),
)
_RADIOGRAPH, _MAMMOGRAM, _BREAST = "radiograph", "mammogram", "breast"
_PROJECTIONS: Mapping[str, str] = {"sagittal": "lateral", "coronal": "frontal"}  # of a radiograph


class Role(StrEnum):
    """What a concept is in a sentence."""

    MODALITY = "modality"
    DIRECTION = "direction"
    REGION = "region"
    FINDING = "finding"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Concept:
    """A line of concepts.csv."""

    role: Role
    phrase: str
    within: Cui = ""  # the region it is a part of, which goes without saying


@cache
def known_concepts() -> Mapping[Cui, Concept]:
    """The concepts of the file."""
    text = files("radcap.captioning.grammar").joinpath("concepts.csv").read_text("utf-8")
    return {
        row["cui"]: Concept(Role(row["role"]), row["phrase"], row["within"])
        for row in csv.DictReader(text.splitlines())
    }


def role_of(cui: Cui, name: str = "") -> Role:
    """What a concept is in a sentence; without any name it is nothing that can be said."""
    known = known_concepts().get(cui)
    if known is not None:
        return known.role
    types = set(open_vocabulary().types(cui))
    if not phrase_of(cui, name):
        return Role.OTHER
    if types & _FINDINGS:
        return Role.FINDING
    return Role.REGION if types & _ANATOMY else Role.OTHER


def phrase_of(cui: Cui, name: str = "") -> str:
    """The words of a concept, without article: those of the file, of the given name, or of the vocabulary."""
    known = known_concepts().get(cui)
    if known is not None:
        return known.phrase
    return phrase(name or open_vocabulary().name(cui) or "")


def facts_of(cuis: Sequence[Cui], names: Mapping[Cui, str]) -> Facts:
    """The facts that concepts tell, the most probable first.

    Of several modalities, directions or regions the first counts; a concept that stands above another
    finding in the vocabulary is left out, since the other says more.
    """
    sorted_out: dict[Role, list[Cui]] = {role: [] for role in Role}
    for cui in dict.fromkeys(cuis):
        sorted_out[role_of(cui, names.get(cui, ""))].append(cui)
    said = {
        role: [phrase_of(cui, names.get(cui, "")) for cui in _telling(role, found)]
        for role, found in sorted_out.items()
    }
    modality, plane, region = (
        next(iter(said[role]), "") for role in (Role.MODALITY, Role.DIRECTION, Role.REGION)
    )
    if modality == _RADIOGRAPH:
        plane = _PROJECTIONS.get(plane, plane)
        modality, region = (_MAMMOGRAM, "") if region == _BREAST else (modality, region)
    return Facts(modality, plane=plane, region=region, findings=tuple(said[Role.FINDING][:MOST_FINDINGS]))


def _telling(role: Role, cuis: Sequence[Cui]) -> Iterator[Cui]:
    """The concepts less those that another of them implies."""
    known, vocabulary = known_concepts(), open_vocabulary()
    implied = {known[cui].within for cui in cuis if cui in known}
    if role is Role.FINDING and len(cuis) > 1:
        implied.update(above for cui in cuis for above in vocabulary.ancestors(cui))
    return (cui for cui in cuis if cui not in implied)


def joined(cuis: Collection[Cui], names: Mapping[Cui, str]) -> dict[Cui, tuple[Cui, Cui]]:
    """The concepts that two of some are when they are said together, each with the two.

    >>> joined(["C0032285", "C5203670"], {})
    {'C5244027': ('C5203670', 'C0032285')}
    """
    said = {phrase_of(cui, names.get(cui, "")): cui for cui in cuis}
    called = {known.phrase: cui for cui, known in known_concepts().items()}
    return {
        called[phrase]: (said[first], said[second])
        for first, seconds in words().together.items()
        for second, phrase in seconds.items()
        if first in said and second in said and phrase in called
    }
