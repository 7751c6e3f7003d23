"""Published folders in small: as transformers saves them, and as open_clip's are laid out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from radcap.vision.backbones import make_backbone
from radcap.vision.backbones.published_folder import transformers_module
from radcap.vision.settings import BackboneSettings
from radcap.vision.transformers_library import quiet

transformers: Any = transformers_module()

SIZE = 32
VISION = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": SIZE,
    "patch_size": 8,
    "initializer_range": 0.3,
}
TEXT = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 20,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 2,
}
SWIN = {
    "image_size": SIZE,
    "patch_size": 4,
    "embed_dim": 8,
    "depths": [1, 1],
    "num_heads": [1, 2],
    "window_size": 4,
    "initializer_range": 0.3,
}
SCALING = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.4], "rescale_factor": 1 / 255}


def model(kind: str, seed: int = 0, **changes: Any) -> Any:
    """A model of transformers with random weights; `changes` are to its vision part."""
    torch.manual_seed(seed)
    vision = {**(SWIN if kind == "Swin" else VISION), **changes}
    config = getattr(transformers, f"{kind}Config")
    if kind in ("CLIP", "Siglip", "Siglip2", "Blip"):
        text = {**TEXT, "projection_size": 16} if kind.startswith("Siglip") else TEXT
        if kind == "Siglip2":
            del vision["image_size"], vision["initializer_range"]
            vision["num_patches"] = 16
        widths = {"projection_dim": 12} if kind == "CLIP" else {}
        given = config(vision_config=vision, text_config=text, **widths)
    else:
        given = config(**vision)
    made = getattr(transformers, f"{kind}Model")(given).eval()
    with torch.no_grad():
        for value in made.parameters():  # norms, biases and what begins at 0 too
            value.add_(torch.randn_like(value) * 0.05)
    return made


def saved(made: Any, folder: Path, **scaling: Any) -> Path:
    with quiet(transformers):
        made.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps({**SCALING, **scaling}))
    return folder


def pixels(size: int = SIZE, images: int = 2) -> torch.Tensor:
    return torch.rand(images, 3, size, size, generator=torch.Generator().manual_seed(1)) * 255


def scaled(images: torch.Tensor) -> torch.Tensor:
    """As the processor of a folder does it."""
    mean, std = (torch.tensor(SCALING[one]).view(1, 3, 1, 1) for one in ("image_mean", "image_std"))
    return (images / 255 - mean) / std


def settings(folder: Path | str, name: str = "hugging-face", **given: Any) -> BackboneSettings:
    return BackboneSettings(name=name, weights=str(folder), **given)


def backbone(folder: Path | str, size: int = SIZE, name: str = "hugging-face", **given: Any) -> Any:
    return make_backbone(settings(folder, name, **given), size=size).eval()


def rebuilt(made: Any, given: BackboneSettings, size: int = SIZE) -> Any:
    """The backbone once more, from what a trained model keeps: its settings and its weights."""
    again = make_backbone(made.settings_of(given), size=size, weights=False).eval()
    again.load_state_dict(made.state_dict())
    return again


PLAIN = {"layers": 2, "width": 16, "head_width": 8, "patch_size": 8, "image_size": SIZE}
TIMM = {"timm_model_name": "test_vit", "timm_model_pretrained": False, "timm_pool": "", "timm_proj": "linear"}


def open_clip_folder(
    folder: Path,
    weights: dict[str, torch.Tensor],
    vision: dict[str, Any],
    *,
    safe: bool = True,
    **model_cfg: Any,
) -> Path:
    """A folder as open_clip pushes it: the configuration, and all weights in one file."""
    folder.mkdir(exist_ok=True)
    config = {
        "model_cfg": {"embed_dim": 12, "vision_cfg": vision, "text_cfg": {"width": 16}, **model_cfg},
        "preprocess_cfg": {"mean": SCALING["image_mean"], "std": SCALING["image_std"]},
    }
    (folder / "open_clip_config.json").write_text(json.dumps(config))
    held = {name: value.contiguous() for name, value in weights.items()}
    held |= {"text.transformer.weight": torch.zeros(2), "logit_scale": torch.ones([])}
    if safe:
        save_file(held, folder / "open_clip_model.safetensors")
    else:
        torch.save(held, folder / "open_clip_pytorch_model.bin")
    return folder
