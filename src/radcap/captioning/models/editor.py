"""From drafts to the line of an image: the rules they are written by, the choice among them, the last touch.

Invariant: a caption is never empty. Where claims must be supported, the first draft that keeps to them is
taken; where none does, what can be said without a writer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from radcap.captioning.generation import consensus_of_many, draws, image_seed
from radcap.captioning.models.answers import Draft, Line
from radcap.captioning.models.ranking import reranked
from radcap.captioning.models.support import Grounds
from radcap.captioning.texts import finished

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from radcap.captioning.generation import Candidate, Control
    from radcap.captioning.generation.controls import Weight
    from radcap.captioning.models.page import Page
    from radcap.captioning.models.support import Judge
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui

__all__ = ["Editor", "Guide"]


class Guide(Protocol):
    """What makes some words likelier to be chosen for images that these concepts are decided for."""

    def weight(self, decided: Sequence[Collection[Cui]]) -> Weight: ...


@dataclass(frozen=True, eq=False)
class Editor:
    """What every writer has beside it."""

    system: CaptionSystem
    tokenizer: Tokenizer
    judge: Judge | None = None
    guide: Guide | None = None
    reranker: Reranker | None = None

    def controls(self, page: Page) -> tuple[Control, ...]:
        """The rules of a page, beside those that every caption has."""
        return () if self.judge is None else self.judge.controls(page.grounds)

    def weights(self, page: Page) -> tuple[Weight, ...]:
        """What captions of a page are chosen by beside their probability."""
        return () if self.guide is None else (self.guide.weight([one.decided for one in page.grounds]),)

    def seeds(self, page: Page) -> list[int]:
        """A number for each image, where captions are drawn."""
        return [image_seed(one) for one in page.ids] if draws(self.system.generate) else []

    def lines(self, page: Page, found: Sequence[Sequence[Candidate]]) -> list[Line]:
        """A caption for each image, with how it came about."""
        drafts = [[self._draft(page, row, one) for one in some] for row, some in enumerate(found)]
        ranked = self._agreed(drafts) if self.system.generate.method == "mbr" else drafts
        if self.reranker is not None:
            ranked = reranked(ranked, self.reranker, page.sight)
        return [self._line(page, row, some) for row, some in enumerate(ranked)]

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
