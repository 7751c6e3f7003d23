"""A vision tower of transformers as a map with channels first.

Invariant: places stand in rows, whatever the tower gives; a class token and registers are left out of the
map, or, with `tokens`, stand behind the channels of each place. With `pooled` the map has one place: the
model's own image vector.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import nn

__all__ = ["TowerFeatures", "cut_patches"]

_TOKENS = 3  # images, tokens, width
_RESIZED = "interpolate_pos_encoding"  # where a tower has it, images may have another size than its own


class TowerFeatures(nn.Module):
    """The features of a network of transformers; a projection, of a width above 0, is for the vector."""

    def __init__(self, network: Any, *, pooled: bool, projection: int, tokens: bool = False) -> None:  # noqa: ANN401
        super().__init__()
        self.network = network
        self.pooled, self.tokens = pooled, tokens
        parameters = inspect.signature(network.forward).parameters
        self.by_patches = "spatial_shapes" in parameters
        self.options = {_RESIZED: True} if _RESIZED in parameters else {}
        given = getattr(network.config, "patch_size", 1)
        self.patch: int = given if isinstance(given, int) else 1
        self.projection = (
            nn.Linear(network.config.hidden_size, projection, bias=False) if projection else nn.Identity()
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        told = self.network(**self._given(images))
        hidden: torch.Tensor = told.last_hidden_state
        places = _as_map(hidden, images.shape[-1] // self.patch)
        if self.tokens:
            return torch.cat([places, *_tokens(told, places)], dim=1)
        if not self.pooled:
            return places
        vector: torch.Tensor | None = getattr(told, "pooler_output", None)
        if vector is None:
            has_class = hidden.ndim == _TOKENS and hidden.shape[1] > places[0, 0].numel()
            vector = hidden[:, 0] if has_class else places.mean(dim=(2, 3))
        return self.projection(vector.flatten(1))[:, :, None, None]

    def _given(self, images: torch.Tensor) -> dict[str, Any]:
        if not self.by_patches:
            return {"pixel_values": images, **self.options}
        patches = cut_patches(images, self.patch)
        sides = [side // self.patch for side in images.shape[-2:]]
        return {
            "pixel_values": patches,
            "pixel_attention_mask": None,  # no image of ours is padded
            "spatial_shapes": torch.tensor([sides] * len(images), device="cpu"),  # they are read as numbers
        }


def _as_map(hidden: torch.Tensor, side: int) -> torch.Tensor:
    if hidden.ndim != _TOKENS:
        return hidden
    if hidden.shape[1] < side * side:  # patches were merged
        side = int(hidden.shape[1] ** 0.5)
    return hidden[:, hidden.shape[1] - side * side :].transpose(1, 2).unflatten(2, (side, side))


def _tokens(told: Any, places: torch.Tensor) -> list[torch.Tensor]:  # noqa: ANN401 - transformers' own
    """What a tower says of the whole image, at each place: class token, registers."""
    beside: torch.Tensor | None = getattr(told, "cls_token_value", None)  # CvT's
    if beside is None:
        hidden: torch.Tensor = told.last_hidden_state
        if hidden.ndim != _TOKENS:
            return []
        beside = hidden[:, : hidden.shape[1] - places[0, 0].numel()]
    return [one[:, :, None, None].expand_as(places) for one in beside.unbind(1)]


def cut_patches(images: torch.Tensor, patch: int) -> torch.Tensor:
    """Squares of an image as rows of numbers, colours last, as SigLIP 2 wants them."""
    rows, columns = (side // patch for side in images.shape[-2:])
    cut = images[:, :, : rows * patch, : columns * patch]
    squares = cut.unflatten(3, (columns, patch)).unflatten(2, (rows, patch))
    return squares.permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)
