"""Captioners that write nothing of their own: template, neighbours, the commonest, any, likeliest words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.generation import consensus, image_seed
from radcap.captioning.grammar import facts_of, sentence
from radcap.captioning.models.answers import CaptionAnswers, Draft, Line
from radcap.captioning.models.ranking import reranked
from radcap.captioning.models.writer_model import answered
from radcap.captioning.texts import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.models.eyes import Eyes, Sight
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.settings import PostSettings
    from radcap.core import Cui, ImageId
    from radcap.datasets import Dataset
    from radcap.detection.models.answers import Answers
    from radcap.vision.heads import Head

__all__ = ["FrequentModel", "NearestModel", "RandomModel", "TemplateModel", "WordsModel"]


@dataclass(frozen=True, eq=False)
class TemplateModel:
    """Says what a detector decided for, in the plain words of the grammar."""

    eyes: Eyes
    names: Mapping[Cui, str]
    post: PostSettings

    @property
    def labels(self) -> tuple[Cui, ...]:
        return tuple(self.names)

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        return answered(self.eyes, dataset, self.lines, self.post, progress)

    def lines(self, sight: Sight) -> list[Line]:
        """A caption for each image of a batch."""
        assert sight.answers is not None  # noqa: S101 - a template always has a detector
        lines: list[Line] = []
        for image, told in zip(sight.ids, _decided(sight.answers), strict=True):
            raw = sentence(facts_of(list(told), self.names))
            lines.append(Line(image, finished(raw, self.post), "template", concepts=told, raw=raw))
        return lines


@dataclass(frozen=True, eq=False)
class NearestModel:
    """The caption of the nearest training image; of several, the one that agrees most with the others, or
    that a reranker takes."""

    eyes: Eyes
    recall: Recall
    neighbours: int
    post: PostSettings
    pool: Head | None = None  # makes a vector of a feature map, where no detector does
    reranker: Reranker | None = None
    way: str = "nearest"  # in which a caption is chosen

    @property
    def labels(self) -> tuple[Cui, ...]:
        return ()

    def choosing(self, reranker: Reranker | None, way: str) -> NearestModel:
        """The same with a reranker, whose eyes look beside its own."""
        if reranker is None:
            return self
        return replace(self, eyes=replace(self.eyes, beside=reranker.eyes), reranker=reranker, way=way)

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        return answered(self.eyes, dataset, self._lines, self.post, progress)

    def apart(self) -> NearestModel:
        """The same, for the images that it remembers: none of them is its own neighbour."""
        return replace(self, recall=self.recall.apart())

    def _lines(self, sight: Sight) -> list[Line]:
        vectors = vectors_of(sight, self.pool).cpu().numpy()
        near = self.recall.nearest(vectors, self.neighbours, self.recall.around(sight.ids))
        drafts: Sequence[Sequence[Draft]] = [_agreed([one.caption for one in some]) for some in near]
        if self.reranker is not None:
            drafts = reranked(drafts, self.reranker, sight)
        none: list[dict[Cui, float]] = [{} for _ in sight.ids]
        told = none if sight.answers is None else _decided(sight.answers)
        return [self._line(*four) for four in zip(sight.ids, near, drafts, told, strict=True)]

    def _line(
        self,
        image: str,
        near: tuple[NeighbourCaption, ...],
        drafts: Sequence[Draft],
        told: Mapping[Cui, float],
    ) -> Line:
        best = max(drafts, key=lambda one: one.score, default=Draft("", 0.0))
        caption = finished(best.text, self.post)
        return Line(image, caption, self.way, tuple(drafts), told, near, raw=best.text)


def _agreed(texts: Sequence[str]) -> list[Draft]:
    """Captions with how well they agree with each other."""
    agreed = consensus(texts) if len(texts) > 1 else [1.0] * len(texts)
    return [Draft(text, score) for text, score in zip(texts, agreed, strict=True)]


@dataclass(frozen=True, eq=False)
class FrequentModel:
    """The same caption for every image, which it does not look at: the commonest of the training set."""

    caption: str
    post: PostSettings

    @property
    def labels(self) -> tuple[Cui, ...]:
        return ()

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        caption = finished(self.caption, self.post)
        lines = tuple(Line(one, caption, "frequent", raw=self.caption) for one in dataset.ids)
        if progress is not None:
            progress("images", len(lines))
        return CaptionAnswers(lines, finished("", self.post))


@dataclass(frozen=True, eq=False)
class RandomModel:
    """Any caption of the training set for an image it does not look at, by a lot that is the image's own: its
    id and the seed decide, and nothing that comes before."""

    captions: tuple[str, ...]
    seed: int
    post: PostSettings

    @property
    def labels(self) -> tuple[Cui, ...]:
        return ()

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        lines = tuple(Line(one, finished(self.drawn(one), self.post), "random") for one in dataset.ids)
        if progress is not None:
            progress("images", len(lines))
        return CaptionAnswers(lines, finished("", self.post))

    def drawn(self, image: ImageId) -> str:
        return self.captions[image_seed(f"{self.seed} {image}") % len(self.captions)]


@dataclass(frozen=True, eq=False)
class WordsModel:
    """The likeliest words, in the order of their probability (IUST_NLPLAB 2022)."""

    eyes: Eyes
    head: Head
    words: tuple[str, ...]
    most: int
    post: PostSettings

    @property
    def labels(self) -> tuple[Cui, ...]:
        return ()

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        return answered(self.eyes, dataset, self._lines, self.post, progress)

    @torch.inference_mode()
    def _lines(self, sight: Sight) -> list[Line]:
        p = self.head(sight.features).sigmoid()
        best, places = p.topk(min(self.most, len(self.words)), dim=1)
        lines: list[Line] = []
        found = cast("list[list[float]]", best.tolist()), cast("list[list[int]]", places.tolist())
        for image, values, numbers in zip(sight.ids, *found, strict=True):
            drafts = tuple(Draft(self.words[n], value) for n, value in zip(numbers, values, strict=True))
            raw = " ".join(one.text for one in drafts)
            lines.append(Line(image, finished(raw, self.post), "words", drafts, raw=raw))
        return lines


def _decided(answers: Answers) -> list[dict[Cui, float]]:
    """The concepts of each image that a detector decided for, with their probabilities."""
    p, place = answers.probabilities, {cui: number for number, cui in enumerate(answers.labels)}
    return [
        {cui: 1.0 if p is None else float(p[row, place[cui]]) for cui in cuis}
        for row, cuis in enumerate(answers.concepts())
    ]


def vectors_of(sight: Sight, pool: Head | None) -> torch.Tensor:
    """What an image is compared by."""
    if sight.vectors is not None and pool is None:
        return sight.vectors
    assert pool is not None  # noqa: S101 - one of the two is there
    return pool.embed(sight.features)
