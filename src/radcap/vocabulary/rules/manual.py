"""Concepts that were found beside those that people gave an image.

Invariant: what people say counts: the modality of an image is theirs, unless it is a combination of two,
which no single concept names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.core import MODALITIES
from radcap.vocabulary.rules.concept_rules import Fate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from radcap.core import Cui
    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.rules.concept_rules import ConceptRules

__all__ = ["merge_manual"]


def merge_manual(
    mentions: Iterable[Mention], manual: Collection[Cui], rules: ConceptRules, *, combined: bool = False
) -> tuple[Mention, ...]:
    """The mentions of an image that stay beside its manual labels; `combined` is the class DRCO.

    An image without manual labels keeps its modality: nobody said another one.
    """
    drops = rules.automatic_modality is Fate.DROP and bool(manual) and not combined
    return tuple(
        replace(one, kept=False, why="modality: the manual label counts")
        if drops and one.kept and one.cui in MODALITIES
        else one
        for one in mentions
    )
