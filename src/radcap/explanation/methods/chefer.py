"""Gradient-weighted attention relevance (Chefer and others, ICCV 2021), for encoders and decoders.

Attention counts by what its change would do to the score, and is followed through the layers. Invariant:
what no gradient reaches has no relevance; maps are never below zero, but those of contrasts.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.explanation.lenses.attention import recorded
from radcap.explanation.lenses.tokens import image_tokens, token_layers
from radcap.explanation.lenses.written_words import CaptionLens, looks_of
from radcap.explanation.methods.method import Relevance
from radcap.explanation.methods.spans import by_caption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.attention import Attended
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.lenses.looking import Looks
    from radcap.explanation.targets import Span, Target

__all__ = ["Chefer"]


@dataclass(frozen=True, slots=True)
class Chefer:
    """The attention of the decoder where there is one, else that of the encoder."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        if isinstance(lens, CaptionLens):
            return Relevance(by_caption(targets, lambda spans: _written(looks_of(lens, spans), spans)))
        return Relevance(_encoded(lens, targets))


def _encoded(lens: Lens, targets: Sequence[Target]) -> torch.Tensor:
    with torch.enable_grad(), recorded(lens.backbone) as seen:
        features = lens.backbone(lens.pixels.clone().requires_grad_()).float()
    layers, side = token_layers(seen, features), features.shape[2:]
    scores = lens.scores(features, targets)[0]
    maps: list[torch.Tensor] = []
    for score in scores:
        slopes = torch.autograd.grad(score, layers, retain_graph=True)
        followed = _followed(
            [(slope * one).relu().mean(dim=1) for slope, one in zip(slopes, layers, strict=True)]
        )
        maps.append(image_tokens(followed[0], side))
    return torch.stack(maps).detach()


def _followed(layers: Sequence[torch.Tensor]) -> torch.Tensor:
    """rows x tokens x tokens: what each token is made of, less itself."""
    own = torch.eye(layers[0].shape[-1], device=layers[0].device).expand_as(layers[0])
    whole = own
    for one in layers:
        whole = whole + one @ whole
    return whole - own


def _written(looks: Looks, spans: Sequence[Span]) -> torch.Tensor:
    layers = [_mean(one) for one in looks.relevances()]
    if looks.reads:
        known = _followed([weights for weights, _ in layers])[..., : looks.entries]
        rows = _of_spans(known, spans, looks.entries)
    else:
        rows = _of_spans(_beside(layers), spans, 0)
    return looks.image(rows)


def _mean(one: Attended) -> tuple[torch.Tensor, bool]:
    return one.weights.mean(dim=1), one.cross


def _beside(layers: Sequence[tuple[torch.Tensor, bool]]) -> torch.Tensor:
    """rows x words x entries: words read each other, then look; what they read, they looked at too."""
    words = layers[0][0].shape[1]
    own = torch.eye(words, device=layers[0][0].device).expand(len(layers[0][0]), -1, -1)
    read = own
    seen: torch.Tensor | None = None
    for weights, cross in layers:
        if cross:
            added = _normed(read, own).transpose(1, 2) @ weights
            seen = added if seen is None else seen + added
        else:
            seen = None if seen is None else seen + weights @ seen
            read = read + weights @ read
    assert seen is not None  # noqa: S101 - there is a look beside, or it would be `reads`
    return seen


def _normed(read: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """What is read from others sums to one, as the paper has it, so that reading does not outweigh itself."""
    others = read - own
    return others / others.sum(dim=-1, keepdim=True).clamp(min=1e-9) + own


def _of_spans(values: torch.Tensor, spans: Sequence[Span], shift: int) -> torch.Tensor:
    """rows x entries: summed over the tokens of the span of each row."""
    return torch.stack(
        [values[row, shift + one.first : shift + one.last].sum(dim=0) for row, one in enumerate(spans)]
    )
