"""The attention of an encoder over the tokens of an image.

Invariant: every layer sees all tokens; encoders whose layers see windows, or that have none, are refused.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from radcap.explanation.lenses.attention import Attended

__all__ = ["image_tokens", "token_layers"]


def token_layers(seen: Sequence[Attended], features: torch.Tensor) -> list[torch.Tensor]:
    """The weights of each layer, 1 x heads x tokens x tokens."""
    layers = [one.weights for one in seen if not one.cross]
    places = features.shape[2] * features.shape[3]
    fits = layers and all(
        len(one) == 1 and one.shape[-1] == layers[0].shape[-1] and one.shape[-1] >= places for one in layers
    )
    if not fits:
        raise UsageError(
            "This model's encoder has no attention over the whole image to follow. Use grad-cam."
        )
    return layers


def image_tokens(mixed: torch.Tensor, side: Sequence[int]) -> torch.Tensor:
    """Of what tokens are made of (tokens x tokens) the image's own, as the mean over what is pooled.

    Tokens before those of the image (a class token) are not pooled by radcap's heads.
    """
    before = mixed.shape[-1] - side[0] * side[1]
    return mixed[before:, before:].mean(dim=0).view(side[0], side[1])
