"""From what is known beside an image to the question that a chat is asked.

Invariant: the image stands where the template has its slot; what is not known is said as the prompts of other
captioners say it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.chats.instruction import template_of
from radcap.captioning.hints import NONE
from radcap.captioning.prompting import modality_of, prompt_text
from radcap.captioning.settings import CONCEPTS, IMAGE, MODALITY
from radcap.detection.text.vlm import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from radcap.captioning.settings import ConditionSettings
    from radcap.core import Cui

__all__ = ["Brief", "Questions", "questions_of"]

_MOST = 16  # concepts that are told of one image


@dataclass(frozen=True, slots=True)
class Brief:
    """What is told beside one image: labels by number, and captions of others."""

    concepts: tuple[int, ...] = ()
    modality: int = NONE
    near: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[int, ...]:
        """All labels that the question names."""
        return tuple(dict.fromkeys((*self.concepts, *((self.modality,) if self.modality >= 0 else ()))))

    def only(self, labels: Iterable[int]) -> Brief:
        """With no other labels than these."""
        kept = set(labels)
        modality = self.modality if self.modality in kept else NONE
        return Brief(tuple(one for one in self.concepts if one in kept), modality, self.near)


@dataclass(frozen=True, slots=True)
class Questions:
    """`names` are those of the labels, in their order."""

    template: str
    wanted: str  # which concepts are told: none, modality or all
    names: tuple[str, ...]
    modalities: tuple[str, ...]  # which one each label is; nothing for most

    @property
    def tells_modality(self) -> bool:
        return MODALITY in self.template

    def brief(self, decided: Iterable[int], near: Sequence[str] = ()) -> Brief:
        """Of the labels that are decided for what the template asks for."""
        held = [one for one in decided if one >= 0]
        of_modality = [one for one in held if self.modalities[one]]
        told = {"all": held, "modality": of_modality, "none": []}[self.wanted]
        concepts = tuple(told[:_MOST]) if CONCEPTS in self.template else ()
        modality = of_modality[0] if of_modality and self.tells_modality else NONE
        return Brief(concepts, modality, tuple(near))

    def question(self, brief: Brief) -> Question:
        """The words around the image."""
        before, _, after = self.template.partition(IMAGE)
        return Question(self._text(before, brief), self._text(after, brief))

    def _text(self, part: str, brief: Brief) -> str:
        modality = self.modalities[brief.modality] if brief.modality >= 0 else ""
        return prompt_text(part, [self.names[one] for one in brief.concepts], brief.near, modality)


def questions_of(condition: ConditionSettings, names: Mapping[Cui, str]) -> Questions:
    """Those of a system whose labels have these names."""
    modalities = tuple(modality_of([cui]) for cui in names)
    return Questions(template_of(condition), condition.concepts, tuple(names.values()), modalities)
