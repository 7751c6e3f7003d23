"""What the labels of collections without answers say of an image.

Invariant: only labels that an image can show are findings; what clinical notes tell beside is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.captioning.grammar import Facts, Role, facts_of, role_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui

# Findings of a chest image. Other concepts of clinical notes are history: influenza, leukemia, Crohn disease.
_CHEST = frozenset(
    (
        "C0000833",  # abscess
        "C0028259",  # nodule
        "C0032227",  # pleural effusion
        "C0032285",  # pneumonia
        "C0032310",  # viral pneumonia
        "C0032326",  # pneumothorax
        "C0034063",  # pulmonary edema
        "C0041327",  # pulmonary tuberculosis
        "C0332448",  # infiltrate
        "C0497156",  # lymphadenopathy
        "C1510420",  # cavitation
        "C5203670",  # COVID-19
        "C5244027",  # COVID-19 pneumonia
    )
)
_BRANCHES: Mapping[Cui, str] = {"C0226032": "anterior descending", "C0226037": "circumflex"}
_OCCLUDED = "C1947917"


def chest_facts(cuis: Sequence[Cui], path: str) -> Facts:
    """A chest image; the folder of its source may say that nothing was found."""
    facts = facts_of([cui for cui in cuis if cui in _CHEST or role_of(cui) is not Role.FINDING], {})
    return replace(facts, normal=True) if "/No_findings/" in path else facts


def lung_facts(cuis: Sequence[Cui], path: str) -> Facts:
    """Ultrasound of the lungs; the names of the source start with Reg (regular) where they are healthy."""
    facts = replace(chest_facts(cuis, path), region="lungs")
    return replace(facts, normal=True) if "/Reg" in path and not facts.findings else facts


def other_facts(cuis: Sequence[Cui], _path: str) -> Facts:
    """Any image; of a coronary angiogram the two branches of the left artery may be seen together."""
    facts = facts_of(cuis, {})
    branches = [name for cui, name in _BRANCHES.items() if cui in cuis]
    if len(branches) == len(_BRANCHES):
        facts = replace(facts, region=f"left {' and '.join(branches)} coronary arteries")
    return replace(facts, findings=("occlusion",)) if _OCCLUDED in cuis else facts
