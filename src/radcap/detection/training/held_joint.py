"""What members said about the held-out images, and what is true of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.detection.examples import groups_of, label_matrix, learnable
from radcap.detection.models.ensemble_model import aligned_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.ensembles import Aligned
    from radcap.detection.models.answers import Answers
    from radcap.detection.system import ConceptSystem

__all__ = ["HeldAnswers"]


@dataclass(frozen=True, slots=True, eq=False)
class HeldAnswers:
    """Answers by the names of members, the images that they are about, and those that were learnt from."""

    answers: Mapping[str, Answers]
    images: Dataset
    learnt: Dataset

    @classmethod
    def of(cls, system: ConceptSystem, dataset: Dataset, answers: Mapping[str, Answers]) -> HeldAnswers:
        """Members may have left out other images than the system does, so none is left out here."""
        every = replace(system.data, free_only=False, without_sources=())
        images = learnable(dataset.split(system.data.held), every)
        return cls(answers, images, learnable(dataset.split(system.data.fit), system.data))

    def joined(self, system: ConceptSystem) -> Aligned:
        """What the members of a system said, in one order."""
        names = [one.name for one in system.member]
        joined = aligned_answers(names, [self.answers[name] for name in names], system.ensemble)
        if not joined.ids:
            raise UsageError(
                "No held-out image could be looked at by every member. Give them the same [data]."
            )
        return joined

    def of_members(self, joined: Aligned) -> list[Answers]:
        """What each of the members that were joined said."""
        return [self.answers[name] for name in joined.names]

    def truth(self, joined: Aligned) -> NDArray[np.bool_]:
        """Which labels the images have."""
        place = {one: row for row, one in enumerate(self.images.ids)}
        return label_matrix(self.images.take([place[one] for one in joined.ids]), joined.labels)

    def groups(self, joined: Aligned) -> list[str]:
        """Which images belong together."""
        return groups_of(self.images, joined.ids)

    def about(self, images: Set[str]) -> HeldAnswers:
        """The same about some images alone."""
        return replace(self, answers={name: _about(one, images) for name, one in self.answers.items()})


def _about(told: Answers, images: Set[str]) -> Answers:
    keep = np.array([one in images for one in told.ids], np.bool_)
    return replace(
        told,
        ids=tuple(one for one in told.ids if one in images),
        decided=told.decided[keep],
        logits=None if told.logits is None else told.logits[keep],
        counts=None if told.counts is None else told.counts[keep],
    )
