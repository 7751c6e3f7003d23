"""From feature maps to captions: hints, drafts, the choice among them, and the last touch.

Invariant: a caption is never empty. Where claims must be supported, the first draft that keeps to them is
taken; where none does, what can be said without a writer.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.generation import consensus_of_many, draws, image_seed, marks_of, write
from radcap.captioning.hints import Hints, told_concepts
from radcap.captioning.models.answers import Draft, Line
from radcap.captioning.models.ranking import reranked
from radcap.captioning.models.support import Grounds
from radcap.captioning.prompting import modality_of
from radcap.captioning.texts import finished
from radcap.core import MODALITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.generation import Candidate
    from radcap.captioning.generation.dmmcs import Guide
    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.models.support import Judge
    from radcap.captioning.prompting import Prompter
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.writer import AnyWriter
    from radcap.core import Cui
    from radcap.vision.training import Place

__all__ = ["Page", "Scribe"]

_MOST = 16  # concepts that are told of one image


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """What a batch is written from: ids, feature maps, and what is known beside."""

    ids: tuple[str, ...]
    features: torch.Tensor
    grounds: Sequence[Grounds] = ()
    near: Sequence[tuple[NeighbourCaption, ...]] = ()
    sight: Sight | None = None  # for a reranker that goes by the image


@dataclass(frozen=True, eq=False)
class Scribe:
    """A writer in evaluation mode with all that it writes by."""

    system: CaptionSystem
    writer: AnyWriter
    tokenizer: Tokenizer
    labels: tuple[Cui, ...]
    place: Place
    prompter: Prompter | None = None
    judge: Judge | None = None
    guide: Guide | None = None
    reranker: Reranker | None = None

    @torch.inference_mode()
    def lines(self, page: Page) -> list[Line]:
        """A caption for each image, with how it came about."""
        settings = self.system.generate
        hints = self.hints(page)
        controls = () if self.judge is None else self.judge.controls(page.grounds)
        decided = [one.decided for one in page.grounds]
        weights = () if self.guide is None else (self.guide.weight(decided),)
        seeds = [image_seed(one) for one in page.ids] if draws(settings) else ()
        marks = marks_of(self.tokenizer)
        with self.place.autocast():
            memory = self.writer.memory(page.features, hints.concepts, hints.words, rows=len(page.ids))
            found = write(
                self.writer.decoder, memory, settings, marks, controls, weights=weights, seeds=seeds
            )
        drafts = [[self._draft(page, row, one) for one in some] for row, some in enumerate(found)]
        ranked = self._agreed(drafts) if settings.method == "mbr" else drafts
        if self.reranker is not None:
            ranked = reranked(ranked, self.reranker, page.sight)
        return [self._line(page, row, some) for row, some in enumerate(ranked)]

    def hints(self, page: Page) -> Hints:
        """What is told beside the image."""
        wanted, device = self.system.condition, page.features.device
        concepts = None
        if wanted.concepts != "none":
            concepts = told_concepts(self._decided(page).to(device), _MOST)
        if self.prompter is None:
            return Hints(concepts)
        rows = len(page.ids)
        none: list[list[int]] = [[] for _ in range(rows)]
        numbers = none if concepts is None else cast("list[list[int]]", concepts.tolist())
        near = [[one.caption for one in page.near[row]] if page.near else [] for row in range(rows)]
        modalities = [modality_of(one.decided) for one in page.grounds]
        words = self.prompter(numbers, near, modalities).to(device)
        return Hints(None if self.prompter.tells_concepts else concepts, words)

    def _decided(self, page: Page) -> torch.Tensor:
        """The concepts that are told, as rows over the labels."""
        only_modality = self.system.condition.concepts == "modality"
        place = {cui: number for number, cui in enumerate(self.labels)}
        told = torch.zeros(len(page.ids), len(self.labels), dtype=torch.bool)
        for row, grounds in enumerate(page.grounds):
            for cui in grounds.decided:
                if cui in place and (cui in MODALITIES or not only_modality):
                    told[row, place[cui]] = True
        return told

    def _draft(self, page: Page, row: int, candidate: Candidate) -> Draft:
        text = self.tokenizer.decode(candidate.tokens)
        refused = () if self.judge is None else self.judge.refused(text, page.grounds[row])
        return Draft(text, candidate.score, candidate.log_probability, refused)

    def _agreed(self, drafts: Sequence[Sequence[Draft]]) -> list[list[Draft]]:
        """The drafts of each image by their agreement with each other."""
        texts = [[one.text for one in some] for some in drafts]
        scores = consensus_of_many(texts, metric=self.system.generate.metric)
        scored = (
            [replace(one, score=score) for one, score in zip(*both, strict=True)]
            for both in zip(drafts, scores, strict=True)
        )
        return [sorted(some, key=lambda one: -one.score) for some in scored]

    def _line(self, page: Page, row: int, drafts: Sequence[Draft]) -> Line:
        grounds = page.grounds[row] if page.grounds else Grounds((), {})
        chosen = next((one for one in drafts if not one.refused), None)
        way = self.system.generate.method if self.reranker is None else self.system.rerank.by
        by = way if chosen is not None else "plain, since no draft was supported"
        text = chosen.text if chosen is not None else self._plain(grounds)
        caption = finished(text, self.system.post)
        near = page.near[row] if page.near else ()
        return Line(page.ids[row], caption, by, tuple(drafts), dict(grounds.supported), near, raw=text)

    def _plain(self, grounds: Grounds) -> str:
        return "" if self.judge is None else self.judge.plain(grounds)
