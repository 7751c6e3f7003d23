"""Image towers of open_clip folders as backbones, BiomedCLIP's first of all.

`weights` names a folder with open_clip_config.json and its weights, or a repository in the Hugging Face
cache. The tower is a network of timm (`visual.trunk`, `visual.head`), or open_clip's own vision transformer,
which timm's is given the weights of. With `pooled` the map has one place: the projected image vector.
Invariant: every weight of the tower comes from the folder, or the folder is refused.
"""

# timm is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError
from radcap.vision.backbones.clip_tower import ClipTower, tower_of
from radcap.vision.backbones.geometry import (
    Geometry,
    PublishedBackbone,
    read_geometry,
    read_json,
    three_numbers,
)
from radcap.vision.backbones.plain_clip import renamed
from radcap.vision.backbones.probing import probe
from radcap.vision.backbones.published_folder import find_folder, names_folder, read_folder
from radcap.vision.backbones.timm_networks import timm_module
from radcap.vision.backbones.weights import fill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import torch

    from radcap.vision.backbones.backbone import Backbone
    from radcap.vision.settings import BackboneSettings

__all__ = ["make_open_clip"]

CONFIG = "open_clip_config.json"
FILES = ("open_clip_model.safetensors", "open_clip_pytorch_model.bin")
_RANGE = 255.0
# what open_clip scales pixels by where a folder does not say
_MEAN = (0.48145466, 0.4578275, 0.40821073)
_STD = (0.26862954, 0.26130258, 0.27577711)
_TRUNK, _HEAD, _PLAIN = "visual.trunk.", "visual.head.", "visual."


def make_open_clip(settings: BackboneSettings, *, size: int) -> Backbone:
    """The tower of a published folder with its weights, or that of a geometry without them."""
    if not names_folder(settings):
        return _built(read_geometry(settings), settings, size)
    folder = find_folder(settings.weights, CONFIG)
    backbone = _built(_describe(folder / CONFIG), settings, size)
    found, path = read_folder(folder, FILES)
    fill(backbone.body, _fitted(cast("ClipTower", backbone.body), _tower_weights(found)), path)
    return backbone


def _built(geometry: Geometry, settings: BackboneSettings, size: int) -> PublishedBackbone:
    def tower() -> ClipTower:
        return tower_of(geometry.config, pooled=settings.pooled, size=size, drop=settings.drop)

    probed = probe(tower, size, "The image tower of open_clip")
    body = tower()
    probed.settle(body)
    return PublishedBackbone(body, probed.width, geometry)


def _describe(path: Path) -> Geometry:
    """What the configuration says about the image side."""
    held = read_json(path)
    try:
        model, scaling = held["model_cfg"], held.get("preprocess_cfg", {})
        config: dict[str, Any] = {
            "embed_dim": int(model["embed_dim"]),
            "quick_gelu": bool(model.get("quick_gelu")),
        }
        config["vision_cfg"] = dict(model["vision_cfg"])
        mean, spread = (
            three_numbers(scaling.get(name, usual), _RANGE)
            for name, usual in (("mean", _MEAN), ("std", _STD))
        )
        if min(spread) <= 0:
            raise ValueError(spread)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        told = f"{path} has no model_cfg with embed_dim and vision_cfg, or a preprocess_cfg that is wrong"
        raise InputError(f"{told}. Get the published folder again.", path=str(path)) from error
    return Geometry(config, mean, spread)


def _tower_weights(found: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of the image side by the names of our tower."""
    bare = {name.removeprefix("module."): value for name, value in found.items()}
    inside = {
        f"network.{one.removeprefix(_TRUNK)}": held for one, held in bare.items() if one.startswith(_TRUNK)
    }
    if not inside:
        return renamed(
            {one.removeprefix(_PLAIN): held for one, held in bare.items() if one.startswith(_PLAIN)}
        )
    head = {one.removeprefix(_HEAD): held for one, held in bare.items() if one.startswith(_HEAD)}
    return inside | {f"projection.{one}": held for one, held in head.items()}


def _fitted(tower: ClipTower, found: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Position embeddings of another size are stretched over ours."""
    name = "network.pos_embed"
    ours, theirs = tower.state_dict().get(name), found.get(name)
    if ours is None or theirs is None or ours.ndim != theirs.ndim or ours.shape[1] == theirs.shape[1]:
        return dict(found)
    timm_module()
    from timm.layers.pos_embed import resample_abs_pos_embed

    grid: tuple[int, int] = tower.network.patch_embed.grid_size
    prefix = ours.shape[1] - grid[0] * grid[1]
    stretched: Any = resample_abs_pos_embed(theirs, new_size=list(grid), num_prefix_tokens=prefix)
    return {**found, name: stretched}
