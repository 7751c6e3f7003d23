"""The vision towers of transformers: which there are, how a folder describes one, and its weights there.

Invariant: only towers that are listed are built, from their configuration alone; what a folder says beside
the shape (kernels, code, labels, number formats) is left out.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError
from radcap.vision.backbones.geometry import CHANNELS, Geometry, read_json, three_numbers
from radcap.vision.backbones.medclip import MEDCLIP, is_medclip
from radcap.vision.backbones.probing import first_line
from radcap.vision.backbones.published_folder import transformers_module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import torch

__all__ = [
    "FILES",
    "TOWERS",
    "describe",
    "projection_of",
    "read_tower",
    "shape_of",
    "tower_config",
    "tower_scaling",
    "tower_weights",
]

FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
TOWERS = {
    "beit": "BeitModel",
    "blip_2_vision_model": "Blip2VisionModel",
    "blip_vision_model": "BlipVisionModel",
    "clip_vision_model": "CLIPVisionModel",
    "convnext": "ConvNextModel",
    "convnextv2": "ConvNextV2Model",
    "cvt": "CvtModel",
    "deit": "DeiTModel",
    "dinov2": "Dinov2Model",
    "dinov2_with_registers": "Dinov2WithRegistersModel",
    "dinov3_vit": "DINOv3ViTModel",
    "instructblip_vision_model": "InstructBlipVisionModel",
    "resnet": "ResNetModel",
    "siglip2_vision_model": "Siglip2VisionModel",
    "siglip_vision_model": "SiglipVisionModel",
    "swin": "SwinModel",
    "swinv2": "Swinv2Model",
    "vit": "ViTModel",
}
_PARTS = ("vision_config", "encoder")  # where the tower of a model of several parts is described
_PREFIXES = (
    "model.vision_tower.vision_model.",
    "vision_tower.vision_model.",
    "model.vision_tower.",
    "vision_tower.",
    "model.vision_model.",
    "vision_model.model.",
    "vision_model.",
    "encoder.",
)
_FIRST = ("embed", "encoder.")  # what the weights of a tower begin with
_DROPPED = (
    "architectures",
    "auto_map",
    "dtype",
    "id2label",
    "label2id",
    "output_attentions",
    "output_hidden_states",
    "quantization_config",
    "return_dict",
    "torch_dtype",
    "transformers_version",
)
_PROCESSORS = ("preprocessor_config.json", "processor_config.json")
_RANGE = 255.0


def describe(folder: Path, found: Mapping[str, torch.Tensor]) -> Geometry:
    """The tower that a folder holds; MedCLIP's has no configuration, and is known by its weights."""
    if not (folder / "config.json").is_file() and is_medclip(found):
        mean, spread = ((one,) * CHANNELS for one in (MEDCLIP.mean, MEDCLIP.spread))
        return Geometry(dict(MEDCLIP.config), mean, spread, _projected(found))
    config = _tower_config(folder / "config.json")
    return Geometry(config, *tower_scaling(folder), _projected(found))


def _tower_config(path: Path) -> dict[str, Any]:
    """The configuration of the tower, alone and with every default written out."""
    held = read_json(path)
    outer = str(held.get("model_type", ""))
    parts = [held[name] for name in _PARTS if isinstance(held.get(name), dict)]
    inner: dict[str, Any] = parts[0] if parts else held
    implied = f"{outer.replace('-', '_')}_vision_model" if parts else "model without model_type"
    return tower_config({**inner, "model_type": inner.get("model_type") or implied}, str(path))


def tower_config(config: Mapping[str, Any], source: str) -> dict[str, Any]:
    """A configuration that is a tower's own, with every default written out."""
    return shape_of(read_tower(config, source)[1].to_dict())


def read_tower(config: Mapping[str, Any], source: str) -> tuple[Any, Any]:
    """The class of a configuration, and the configuration as transformers has it."""
    cls = _tower_class(str(config.get("model_type")), source)
    try:
        return cls, cls.config_class.from_dict(shape_of(config))
    except Exception as error:  # each configuration has checks of its own
        why = f"{source} describes no {cls.__name__}: {first_line(error)}"
        raise InputError(f"{why}. Get the published folder again.", path=source) from error


def _tower_class(kind: str, source: str) -> Any:  # noqa: ANN401 - a class of transformers
    if kind not in TOWERS:
        raise InputError(
            f"{source} describes a {kind[:60]!r}, which is no vision tower that radcap knows."
            f" Known: {', '.join(sorted(TOWERS))}, and models that hold one of these.",
            path=source,
        )
    return getattr(transformers_module(), TOWERS[kind])


def tower_weights(found: Mapping[str, torch.Tensor], base: str) -> dict[str, torch.Tensor]:
    """The weights of the tower by its own names, whatever model it stands in."""
    for prefix in (*_PREFIXES, f"{base}."):
        inside = {one.removeprefix(prefix): held for one, held in found.items() if one.startswith(prefix)}
        if any(one.startswith(_FIRST) for one in inside):
            return inside
    return dict(found)


def shape_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The shape alone; `attn_implementation` could name a kernel that is fetched."""
    kept = {name: value for name, value in config.items() if name not in _DROPPED}
    return {name: value for name, value in kept.items() if name[0:1] != "_" and "implementation" not in name}


def projection_of(found: Mapping[str, torch.Tensor]) -> torch.Tensor | None:
    """What the image vector is projected by: CLIP's, or MedCLIP's."""
    return found.get("visual_projection.weight", found.get(MEDCLIP.projection))


def _projected(found: Mapping[str, torch.Tensor]) -> int:
    """The width of the projected image vector."""
    weight = projection_of(found)
    return 0 if weight is None else weight.shape[:1].numel()


def tower_scaling(folder: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and spread of pixels from 0 to 255."""
    paths = [folder / name for name in _PROCESSORS if (folder / name).is_file()]
    if not paths:
        told = f"{folder} has no preprocessor_config.json, which says how pixels are scaled"
        raise InputError(f"{told}. Get the published folder whole.", path=str(folder))
    held = read_json(paths[0])
    inner = held.get("image_processor")
    held = cast("dict[str, Any]", inner) if isinstance(inner, dict) else held
    try:
        factor = float(held.get("rescale_factor", 1 / _RANGE)) if held.get("do_rescale", True) else 1.0
        given = (
            (held["image_mean"], held["image_std"]) if held.get("do_normalize", True) else ([0] * 3, [1] * 3)
        )
        mean, spread = (three_numbers(one, 1 / factor) for one in given)
        if min(spread) <= 0:
            raise ValueError(spread)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        told = f"{paths[0]} gives no image_mean and image_std of three numbers, those of image_std above 0"
        raise InputError(f"{told}. Get the published folder again.", path=str(paths[0])) from error
    return mean, spread
