"""open_clip's own vision transformer, in timm's words.

Invariant: with the weights renamed, timm's network gives what open_clip's gives; what a configuration asks
for beyond the plain transformer is refused.
"""

# torch and timm are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from torch import nn

from radcap.core import InputError
from radcap.vision.backbones.timm_networks import timm_module

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

__all__ = ["plain_transformer", "renamed"]

_USUAL = {"layers": 12, "width": 768, "head_width": 64, "mlp_ratio": 4.0, "patch_size": 16}
_KNOWN = (*_USUAL, "image_size", "patch_dropout", "output_tokens", "timm_model_name")
_PLAIN = {
    "pos_embed_type": "learnable",
    "pool_type": "tok",
    "attn_pooler_queries": 256,
    "attn_pooler_heads": 8,
}
_RENAMED = (
    (r"^conv1\.", "patch_embed.proj."),
    (r"^class_embedding$", "cls_token"),
    (r"^positional_embedding$", "pos_embed"),
    (r"^ln_pre\.", "norm_pre."),
    (r"^ln_post\.", "norm."),
    (r"^transformer\.resblocks\.", "blocks."),
    (r"\.ln_([12])\.", r".norm\1."),
    (r"\.attn\.in_proj_", ".attn.qkv."),
    (r"\.attn\.out_proj\.", ".attn.proj."),
    (r"\.mlp\.c_fc\.", ".mlp.fc1."),
    (r"\.mlp\.c_proj\.", ".mlp.fc2."),
)
_TOKENS = 3  # images, tokens, width


def plain_transformer(given: Mapping[str, Any], *, quick: bool, size: int, drop: float) -> Any:  # noqa: ANN401 - timm's
    """timm's vision transformer of a `vision_cfg`."""
    other = [name for name, value in given.items() if name not in _KNOWN and value not in (None, False)]
    other = [name for name in other if not name.startswith("timm_") and given[name] != _PLAIN.get(name)]
    if other or not isinstance(given.get("layers", 12), int):
        raise InputError(
            f"The file open_clip_config.json asks for {', '.join(other) or 'a ResNet of its own'}"
            " in vision_cfg, which radcap does not build."
            " Name a folder of a timm network or a plain vision transformer."
        )
    timm_module()
    from timm.models.vision_transformer import VisionTransformer

    asked = {name: given.get(name, usual) for name, usual in _USUAL.items()}
    return VisionTransformer(
        img_size=size,
        patch_size=asked["patch_size"],
        num_classes=0,
        embed_dim=asked["width"],
        depth=asked["layers"],
        num_heads=asked["width"] // asked["head_width"],
        mlp_ratio=asked["mlp_ratio"],
        pre_norm=True,
        norm_layer=partial(nn.LayerNorm, eps=1e-5),
        act_layer="quick_gelu" if quick else "gelu",
        drop_path_rate=drop,
    )


def renamed(found: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of `visual.` by the names of our tower."""
    done: dict[str, torch.Tensor] = {}
    for name, value in found.items():
        if name == "proj":
            done["projection.proj.weight"] = value.t() if value.ndim < _TOKENS else value
            continue
        for pattern, word in _RENAMED:
            name = re.sub(pattern, word, name)  # noqa: PLW2901 - one word after the other
        one = name in ("cls_token", "pos_embed")
        done[f"network.{name}"] = value.reshape(1, -1, value.shape[-1:].numel()) if one else value
    return done
