"""A captioner that writes, and an image before it: words by their log-probabilities.

Invariant: `scores` holds what the writer was told fixed, so that they can be derived by the feature map
alone; `chances` lets the detector decide anew, where it looks with the same eyes.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from radcap.captioning.hints import NONE, Hints
from radcap.explanation.lenses.span_scores import chances_of, span_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models.page import Page
    from radcap.captioning.models.writer_model import PageModel, WriterModel
    from radcap.captioning.writer import AnyWriter
    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone

__all__ = ["WriterLens", "hints_for", "page_for"]


@dataclass(frozen=True, slots=True, eq=False)
class WriterLens:
    """`told` is what was told beside this image, one row."""

    model: WriterModel
    told: Hints
    pixels: torch.Tensor
    frame: Frame

    @property
    def backbone(self) -> Backbone:
        return self.model.eyes.looker

    @property
    def writer(self) -> AnyWriter:
        return self.model.scribe.writer

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return self.spans(features, _repeated(self.told, len(features)), targets)

    @torch.no_grad()
    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        features = self.backbone(pixels).float()
        alike = self.model.eyes.backbone is None
        told = hints_for(self.model, features) if alike else _repeated(self.told, len(features))
        return chances_of(self.spans(features, told, targets), targets)

    def spans(self, features: torch.Tensor | None, told: Hints, targets: Sequence[Target]) -> torch.Tensor:
        """Rows x targets, over features and hints; without features the image is withheld."""
        return span_scores(targets, lambda tokens: self._log_probabilities(features, told, tokens))

    def _log_probabilities(
        self, features: torch.Tensor | None, told: Hints, tokens: tuple[int, ...]
    ) -> torch.Tensor:
        """Of each token of a caption, rows x tokens."""
        rows = len(features) if features is not None else _rows(told)
        device = self.pixels.device
        words = torch.tensor([tokens], device=device).expand(rows, -1)
        begin = torch.full((rows, 1), self.model.scribe.tokenizer.begin, device=device)
        asked = torch.cat([begin, words[:, :-1]], dim=1)
        logits = self.writer(features, asked, told.concepts, told.words)
        return logits.log_softmax(-1).gather(-1, words[..., None])[..., 0]

    def without(self, told_place: int) -> Hints:
        """What is told, less one concept."""
        assert self.told.concepts is not None  # noqa: S101 - asked only where concepts are told
        fewer = self.told.concepts.clone()
        fewer[:, told_place] = NONE
        return Hints(fewer, self.told.words)


def hints_for(model: WriterModel, features: torch.Tensor, theirs: torch.Tensor | None = None) -> Hints:
    """What the captioner tells its writer of images with these feature maps."""
    return model.scribe.hints(page_for(model, features, theirs))


def page_for(model: PageModel[Any], features: torch.Tensor, theirs: torch.Tensor | None = None) -> Page:
    """What is written from, of images with these feature maps; `theirs` are the detector's."""
    ids = tuple(map(str, range(len(features))))
    return model.page(model.eyes.sight(ids, features, features if theirs is None else theirs))


def _rows(told: Hints) -> int:
    return next((len(one) for one in (told.concepts, told.words) if one is not None), 1)


def _repeated(told: Hints, rows: int) -> Hints:
    concepts, words = (None if one is None else one.expand(rows, -1) for one in (told.concepts, told.words))
    return Hints(concepts, words)
