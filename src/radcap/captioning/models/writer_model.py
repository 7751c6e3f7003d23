"""A captioner that writes, asked about any dataset.

Invariant: images are decoded, looked at, written about and forgotten; memory grows with captions alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, cast

from radcap.captioning.models.answers import CaptionAnswers, Line
from radcap.captioning.models.page import Page
from radcap.captioning.models.scribe import Scribe
from radcap.captioning.models.support import grounds_of
from radcap.captioning.texts import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.models.eyes import Eyes, Sight
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.models.support import Grounds
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.settings import PostSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.core import Cui
    from radcap.datasets import Dataset

__all__ = ["PageModel", "WriterModel", "answered"]


class Writing(Protocol):
    """What writes a page."""

    @property
    def system(self) -> CaptionSystem: ...
    @property
    def labels(self) -> tuple[Cui, ...]: ...
    def lines(self, page: Page) -> list[Line]: ...


S = TypeVar("S", bound=Writing)


@dataclass(frozen=True, eq=False)
class PageModel(Generic[S]):
    """Eyes and what writes, with what is remembered where neighbours are told."""

    eyes: Eyes
    scribe: S
    names: Mapping[Cui, str]
    recall: Recall | None = None

    @property
    def labels(self) -> tuple[Cui, ...]:
        return self.scribe.labels

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        """A caption for each image of a dataset."""
        return answered(self.eyes, dataset, self.lines, self.scribe.system.post, progress)

    def apart(self) -> Self:
        """The same, for the images that it remembers: none of them is its own neighbour."""
        return self if self.recall is None else replace(self, recall=self.recall.apart())

    def lines(self, sight: Sight) -> list[Line]:
        """A caption for each image of a batch."""
        return self.scribe.lines(self.page(sight))

    def choosing(self, reranker: Reranker | None) -> Self:
        """The same with a reranker, whose eyes look beside its own."""
        if reranker is None:
            return self
        eyes = replace(self.eyes, beside=reranker.eyes)
        return replace(self, eyes=eyes, scribe=replace(cast("Any", self.scribe), reranker=reranker))

    def page(self, sight: Sight) -> Page:
        """What is written from, of images that were looked at."""
        return Page(sight.ids, sight.features, self._grounds(sight), self._near(sight), sight)

    def _grounds(self, sight: Sight) -> list[Grounds]:
        if sight.answers is None:
            return []
        return grounds_of(sight.answers, self.names, self.scribe.system.generate.support)

    def _near(self, sight: Sight) -> Sequence[tuple[NeighbourCaption, ...]]:
        if self.recall is None or sight.vectors is None:
            return ()
        decided = None if sight.answers is None else sight.answers.decided
        k, around = self.scribe.system.condition.neighbours, self.recall.around(sight.ids)
        return self.recall.nearest(sight.vectors.cpu().numpy(), k, around, decided)


class WriterModel(PageModel[Scribe]):
    """Words come one after another over a feature map."""


def answered(
    eyes: Eyes,
    dataset: Dataset,
    lines_of: Callable[[Sight], Sequence[Line]],
    post: PostSettings,
    progress: Callable[[str, int], None] | None = None,
) -> CaptionAnswers:
    """Captions for all images that can be looked at, batch by batch."""
    lines: list[Line] = []
    refused: dict[str, str] = {}
    unlike: list[str] = []
    for sight in eyes.look(dataset):
        lines += lines_of(sight) if sight.ids else ()
        refused |= sight.refused
        unlike += [] if sight.answers is None else sight.answers.not_radiology()
        if progress is not None:
            progress("images", len(lines) + len(refused))
    return CaptionAnswers(tuple(lines), finished("", post), refused, tuple(unlike))
