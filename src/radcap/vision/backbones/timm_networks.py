"""Any network of timm as a backbone.

Invariant: whatever shape a network's features have (maps with channels first or last, or tokens), the
backbone gives a map with channels first.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from radcap.core import Missing, UsageError
from radcap.vision.backbones.backbone import Backbone
from radcap.vision.backbones.hub import without_waiting
from radcap.vision.blocks import BACKBONES
from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from types import ModuleType

    from radcap.vision.settings import BackboneSettings

__all__ = ["TimmFeatures", "check_network", "create_sized", "is_network", "make_timm", "timm_module"]

_RANGE = 255.0  # timm's means are given for pixels from 0 to 1
_NEAR = 10  # names that a refusal offers
_SHOWN = 60  # letters of a name that is refused


def timm_module() -> ModuleType:
    """timm, where it is installed."""
    ensure_torchvision()
    try:
        import timm
    except ImportError as error:
        raise Missing(
            "timm",
            "Backbones other than radcap's own come from it.",
            "Install it: pip install 'radcap[train]'.",
        ) from error
    return timm


def make_timm(settings: BackboneSettings, *, size: int, pretrained: bool) -> Backbone:
    """The network of a name, at a size where it cares for one."""
    check_network(settings.name)
    timm = timm_module()
    drop: dict[str, Any] = {"drop_path_rate": settings.drop} if settings.drop else {}
    try:
        with without_waiting() if pretrained else nullcontext():
            network = create_sized(timm, settings.name, size, pretrained=pretrained, **drop)
    except Exception as error:  # the hub's client raises what it likes
        if not pretrained:
            why = str(error).rstrip(".")
            told = f"timm cannot make {settings.name} at {size} pixels: {why}."
            raise UsageError(f"{told} Give another size, or another network.") from error
        make_timm(settings, size=size, pretrained=False)  # or is it no matter of the weights?
        raise Missing(
            f"The published weight file of {settings.name}",
            "It comes from the hub, which cannot be reached and whose cache does not hold it.",
            'Fetch it where there is a network, or name a file of yours: weights = "FILE.safetensors".',
        ) from error
    config: dict[str, Any] = network.pretrained_cfg
    mean, spread = ([_RANGE * value for value in config[key]] for key in ("mean", "std"))
    return Backbone(TimmFeatures(network), network.num_features, mean, spread)


def is_network(name: str) -> bool:
    """Whether there is a backbone of that name, of ours or of timm's."""
    return name in BACKBONES.names or bool(timm_module().is_model(name))


def check_network(name: str) -> None:
    """Refuse a name that no backbone has; timm has more names than a message can hold."""
    if is_network(name):
        return
    known = [*BACKBONES.names, *timm_module().list_models()]
    near = ", ".join(get_close_matches(name.casefold(), known, n=_NEAR, cutoff=0.5))
    nearest = f" Nearest are {near}." if near else ""
    told = f"There is no backbone {name[:_SHOWN]!r}.{nearest}"
    raise UsageError(f"{told} {len(known):,} are known; timm.list_models() names them.")


def create_sized(timm: ModuleType, name: str, size: int, **options: Any) -> Any:  # noqa: ANN401 - timm's own
    """Some networks must know the size of their input, and others refuse to be told."""
    try:
        return timm.create_model(name, num_classes=0, img_size=size, **options)
    except TypeError:
        return timm.create_model(name, num_classes=0, **options)


class TimmFeatures(nn.Module):
    """The features of a timm network as a map with channels first."""

    def __init__(self, network: Any) -> None:  # noqa: ANN401 - timm's own
        super().__init__()
        self.network = network
        self.width: int = network.num_features
        self.prefix: int = getattr(network, "num_prefix_tokens", 0)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        features: torch.Tensor = self.network.forward_features(images)
        if features.ndim == 3:  # noqa: PLR2004 - images, tokens, width
            tokens = features[:, self.prefix :].transpose(1, 2)
            side = math.isqrt(tokens.shape[-1])
            return tokens.view(*tokens.shape[:2], side, side)
        if features.shape[1] != self.width:
            features = features.permute(0, 3, 1, 2)
        return features
