"""MedCLIP as its authors publish it (Wang et al. 2022): a pytorch_model.bin, and no configuration.

The image side is a Swin-T of transformers under `vision_model.model.` and a projection to 512 without bias;
the text side beside it is left alone. Images were padded to squares, grey, with one mean and one spread.
Invariant: what is written down here is what the authors' own code sets, and no weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

__all__ = ["MEDCLIP", "MedClip", "is_medclip"]


@dataclass(frozen=True, slots=True)
class MedClip:
    """What the folder does not say."""

    config: Mapping[str, Any]
    mean: float
    spread: float
    projection: str


MEDCLIP = MedClip(
    config=MappingProxyType(
        {
            "model_type": "swin",  # microsoft/swin-tiny-patch4-window7-224
            "image_size": 224,
            "patch_size": 4,
            "embed_dim": 96,
            "depths": [2, 2, 6, 2],
            "num_heads": [3, 6, 12, 24],
            "window_size": 7,
        }
    ),
    mean=255 * 0.5862785803043838,
    spread=255 * 0.27950088968644304,
    projection="vision_model.projection_head.weight",
)


def is_medclip(found: Mapping[str, torch.Tensor]) -> bool:
    """Whether weights are named as MedCLIP's with the transformer are."""
    return MEDCLIP.projection in found and any(one.startswith("vision_model.model.") for one in found)
