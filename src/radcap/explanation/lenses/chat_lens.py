"""A chat, and an image before it: words of its answer by their log probabilities.

The feature map of this lens is the image itself, as it is handed to the chat's own processor. Invariant: what
was told beside the image stays as it was. The processor works outside of torch's sight, so no slope leads
back to the pixels: `scores` refuses to be derived by them.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.hints import NONE, Hints
from radcap.core import UsageError
from radcap.explanation.lenses.span_scores import chances_of, span_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.chats.appending import Answered
    from radcap.captioning.chats.chat import Chat
    from radcap.captioning.chats.chat_scribe import ChatModel
    from radcap.captioning.chats.questions import Brief
    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone

__all__ = ["ChatLens", "answer_scores"]

_GREY = 127.5  # neither bright nor dark


@dataclass(frozen=True, slots=True, eq=False)
class ChatLens:
    """`brief` is what was told beside this image."""

    model: ChatModel
    brief: Brief
    pixels: torch.Tensor
    frame: Frame

    @property
    def backbone(self) -> Backbone:
        return self.model.eyes.looker

    @property
    def chat(self) -> Chat:
        return self.model.scribe.chat

    @property
    def told(self) -> Hints:
        """The labels that the question names, as a row."""
        labels = self.brief.told
        return Hints(torch.tensor([labels], device=self.pixels.device) if labels else None)

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        if features.requires_grad:
            raise UsageError(
                "A chat prepares its pictures by itself, and no slope leads back to them. Use occlusion,"
                " chefer or cross-attention."
            )
        return self.spans(features, self.told, targets)

    @torch.no_grad()
    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return chances_of(self.scores(self.backbone(pixels).float(), targets), targets)

    def spans(self, features: torch.Tensor | None, told: Hints, targets: Sequence[Target]) -> torch.Tensor:
        """Rows x targets; where the image is withheld the chat is shown an even grey in its place."""
        seen = torch.full_like(self.pixels, _GREY) if features is None else features
        brief = self.brief.only(() if told.concepts is None else cast("list[int]", told.concepts[0].tolist()))

        def log_probabilities(tokens: tuple[int, ...]) -> torch.Tensor:
            answered = self.answered(seen, tokens, brief)
            logits = self.chat.logits(self.chat.model, answered).logits
            return answer_scores(logits, answered, len(tokens))

        return span_scores(targets, log_probabilities)

    def answered(self, pixels: torch.Tensor, tokens: tuple[int, ...], brief: Brief | None = None) -> Answered:
        """What the network is given of pictures, with the same caption behind each."""
        question = self.model.scribe.questions.question(brief or self.brief)
        rows = len(pixels)
        return self.chat.answered(pixels, [question] * rows, [tokens] * rows)

    def without(self, told_place: int) -> Hints:
        """What is told, less one concept."""
        assert self.told.concepts is not None  # noqa: S101 - asked only where concepts are told
        fewer = self.told.concepts.clone()
        fewer[:, told_place] = NONE
        return Hints(fewer)

    def over(self, network: object) -> ChatLens:
        """The same lens over another network of the same shape."""
        scribe = replace(self.model.scribe, chat=self.chat.over(network))
        return replace(self, model=replace(self.model, scribe=scribe))


def answer_scores(logits: torch.Tensor, answered: Answered, length: int) -> torch.Tensor:
    """The log probabilities of an answer's tokens, rows x length."""
    targets = answered.targets
    found = logits.float().log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return found[targets >= 0].view(-1, length)
