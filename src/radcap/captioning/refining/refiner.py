"""Whoever has the last word on captions: a language model that is told something, or the others' agreement.

Invariant: there is a reply for each image, and equal prompts are asked once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from radcap.captioning.generation import consensus_of_many
from radcap.captioning.language import Reply
from radcap.captioning.refining.checking import CONSENSUS
from radcap.captioning.refining.prompts import BARE, INSTRUCTIONS, filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.captioning.joining_settings import RefineSettings
    from radcap.captioning.language import TextGenerator
    from radcap.captioning.refining.prompts import Material

__all__ = ["Agreed", "Refiner", "Told", "prompt_of"]


class Refiner(Protocol):
    """Makes a caption of what is known of each image."""

    @property
    def name(self) -> str: ...
    def replies(
        self, materials: Sequence[Material], progress: Callable[[str, int], None] | None = None
    ) -> list[Reply]: ...


@dataclass(frozen=True, eq=False)
class Told:
    """A language model with the template of what it is told."""

    generator: TextGenerator
    prompt: str

    @property
    def name(self) -> str:
        return self.generator.name

    def replies(
        self, materials: Sequence[Material], progress: Callable[[str, int], None] | None = None
    ) -> list[Reply]:
        prompts = [filled(self.prompt, one) for one in materials]
        distinct = list(dict.fromkeys(prompts))
        known = dict(zip(distinct, self.generator.replies(distinct, progress), strict=True))
        return [known[one] for one in prompts]


@dataclass(frozen=True, slots=True)
class Agreed:
    """Needs no model: of several texts, the one that agrees most with the others."""

    kind: str

    @property
    def name(self) -> str:
        return CONSENSUS

    def replies(
        self,
        materials: Sequence[Material],
        progress: Callable[[str, int], None] | None = None,  # noqa: ARG002 - it is done at once
    ) -> list[Reply]:
        groups = [one.source(self.kind) for one in materials]
        scores = consensus_of_many(groups)
        return [Reply(texts[worth.index(max(worth))]) for texts, worth in zip(groups, scores, strict=True)]


def prompt_of(settings: RefineSettings, generator: TextGenerator) -> str:
    """The template of the system, else ours for its kind and for what the model is."""
    ours = INSTRUCTIONS if generator.is_instructed else BARE
    return settings.prompt or ours[settings.kind]
