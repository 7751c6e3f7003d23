"""Gradient-weighted attention relevance (Chefer and others, ICCV 2021), for encoders and decoders.

Attention counts by what its change would do to the score, and is followed through the layers; through a
bridge from queries to the places they look at. Invariant: what no gradient reaches has no relevance; maps are
never below zero, but those of contrasts.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.explanation.lenses.attention import recorded
from radcap.explanation.lenses.bridging import LOOKING, bridge_of, bridge_rooms, side_of
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
    from radcap.vision.bridge import AnyBridge

__all__ = ["Chefer"]

_TINY = 1e-30  # slopes of a long chain are small, and still have their shares


@dataclass(frozen=True, slots=True)
class Chefer:
    """The attention of the decoder where there is one, that of a bridge, else that of the encoder."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        if isinstance(lens, CaptionLens):
            return Relevance(by_caption(targets, lambda spans: _written(looks_of(lens, spans), spans)))
        bridge = bridge_of(lens)
        return Relevance(_encoded(lens, targets) if bridge is None else _bridged(lens, bridge, targets))


def _bridged(lens: Lens, bridge: AnyBridge, targets: Sequence[Target]) -> torch.Tensor:
    """From a head to the places that its queries look at, of which it sees the mean."""
    with torch.no_grad():
        features = lens.backbone(lens.pixels).float()
    with torch.enable_grad(), recorded(bridge, bridge_rooms(bridge)) as seen:
        scores = lens.scores(features.clone().requires_grad_(), targets)[0]
    held = [one.weights for one in seen]
    maps: list[torch.Tensor] = []
    for score in scores:
        slopes = torch.autograd.grad(score, held, retain_graph=True)
        layers = [
            ((slope * one.weights).relu().mean(dim=1), one.room == LOOKING)
            for slope, one in zip(slopes, seen, strict=True)
        ]
        asked = _beside(layers)[0, : bridge.settings.queries, bridge.before :]
        maps.append(asked.mean(dim=0))
    height, width = features.shape[2:]
    return torch.stack(maps).unflatten(-1, side_of(bridge.grid, height, width)).detach()


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
    """rows x tokens x tokens: what each token is made of, less itself.

    Itself is left out from the first: slopes of a long chain are small, and would be rounded away beside one.
    """
    others = torch.zeros_like(layers[0])
    for one in layers:
        others = others + one + one @ others
    return others


def _written(looks: Looks, spans: Sequence[Span]) -> torch.Tensor:
    layers = looks.relevances()
    writing = [(one.weights.mean(dim=1), one.cross) for one in layers.writing]
    if looks.reads:
        known = _followed([weights for weights, _ in writing])[..., : looks.entries]
        rows = _of_spans(known, spans, looks.start)
    else:
        seen = _beside(writing)
        if layers.encoding:  # entries were mixed before they were looked at
            mixed = _followed([one.weights.mean(dim=1) for one in layers.encoding])
            seen = seen + seen @ _parts(mixed)
        rows = _of_spans(seen, spans, looks.start)
    return looks.image(rows, _handed(layers.bridge))


def _handed(layers: Sequence[Attended]) -> torch.Tensor | None:
    """rows x queries x places: what each query hands on, a whole of one wherever a slope reaches it."""
    if not layers:
        return None
    return _parts(_beside([(one.weights.mean(dim=1), one.room == LOOKING) for one in layers]))


def _beside(layers: Sequence[tuple[torch.Tensor, bool]]) -> torch.Tensor:
    """rows x words x entries: words read each other, then look; what they read, they looked at too."""
    rows, words = layers[0][0].shape[:2]
    read = layers[0][0].new_zeros(rows, words, words)  # from others
    seen: torch.Tensor | None = None
    for weights, cross in layers:
        if cross:
            # who reads without looking (words beside queries) sees nothing
            looks = F.pad(weights, (0, 0, 0, words - weights.shape[1]))
            # what is read sums to one, as the paper has it, so that reading does not outweigh itself
            added = looks + _parts(read).transpose(1, 2) @ looks
            seen = added if seen is None else seen + added
        else:
            seen = None if seen is None else seen + weights @ seen
            read = read + weights + weights @ read
    assert seen is not None  # noqa: S101 - there is a look beside, or it would be `reads`
    return seen


def _parts(values: torch.Tensor) -> torch.Tensor:
    """Rows that sum to one, but those that are nothing."""
    return values / values.sum(dim=-1, keepdim=True).clamp(min=_TINY)


def _of_spans(values: torch.Tensor, spans: Sequence[Span], shift: int) -> torch.Tensor:
    """rows x entries: summed over the tokens of the span of each row."""
    return torch.stack(
        [values[row, shift + one.first : shift + one.last].sum(dim=0) for row, one in enumerate(spans)]
    )
