"""The image tower of a `vision_cfg`, built by timm.

Invariant: names of weights are timm's under `network.`, and open_clip's head's under `projection.`.
"""

# timm is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from torch import nn

from radcap.core import InputError
from radcap.vision.backbones.plain_clip import plain_transformer
from radcap.vision.backbones.timm_networks import TimmFeatures, create_sized, timm_module

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

__all__ = ["ClipTower", "tower_of"]


class ClipTower(TimmFeatures):
    """A network of timm that gives its map, or the projected vector of an image as a map of one place."""

    def __init__(self, network: Any, projection: nn.Module | None) -> None:  # noqa: ANN401 - timm's own
        super().__init__(network)
        self.projection = projection

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        if self.projection is None:
            return super().forward(images)
        return self.projection(self.network(images))[:, :, None, None]


def tower_of(config: Mapping[str, Any], *, pooled: bool, size: int, drop: float) -> ClipTower:
    """The tower with fresh weights; what is not asked for (the projection of a map) is not built."""
    given, embed = config["vision_cfg"], config["embed_dim"]
    if given.get("timm_model_name"):
        network = _timm_network(given, embed, pooled=pooled, size=size, drop=drop)
        how = str(given.get("timm_proj", "linear"))
    else:
        network = plain_transformer(given, quick=config["quick_gelu"], size=size, drop=drop)
        how = "linear"
    bias = bool(given.get("timm_proj_bias", False))
    return ClipTower(network, _projection(how, network.num_features, embed, bias=bias) if pooled else None)


def _timm_network(given: Mapping[str, Any], embed: int, *, pooled: bool, size: int, drop: float) -> Any:  # noqa: ANN401 - timm's own
    timm, name = timm_module(), str(given["timm_model_name"])
    pool, how = str(given.get("timm_pool", "avg")), given.get("timm_proj", "linear")
    if not timm.is_model(name) or pool in ("abs_attn", "rot_attn"):
        raise InputError(
            f"The file open_clip_config.json asks for the network {name[:60]!r} with the pooling"
            f" {pool[:60]!r}, and timm has no such network, or radcap no such pooling. Name another folder."
        )
    options: dict[str, Any] = {"drop_path_rate": drop} if drop else {}
    if how in ("linear", "mlp"):
        network = create_sized(timm, name, size, **options)
        if pool:
            network.reset_classifier(0, global_pool=pool)
    else:  # the network's own classifier projects
        network = create_sized(timm, name, size, global_pool=pool, **options)
        if pooled and how != "none":
            network.reset_classifier(embed, global_pool=pool)
    return network


def _projection(how: str, width: int, embed: int, *, bias: bool) -> nn.Module:
    if how == "linear":
        return nn.Sequential(OrderedDict(proj=nn.Linear(width, embed, bias=bias)))
    if how == "mlp":
        from timm.layers.mlp import Mlp

        mlp: nn.Module = Mlp(width, 2 * embed, embed, bias=(True, bias))
        return nn.Sequential(OrderedDict(mlp=mlp))
    return nn.Identity()
