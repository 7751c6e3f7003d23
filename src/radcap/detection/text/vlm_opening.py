"""A vision-language model of transformers, opened from a folder.

Invariant: every weight comes from the folder; no network, no pickled weights, no code of the folder.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from radcap.detection.text.transformers_library import transformers_module, unopened
from radcap.detection.text.vlm import VisionLanguageModel
from radcap.detection.text.vlm_folder import NAMED, check_vlm_folder, refused
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vision.training.devices import Place

__all__ = ["open_processor", "open_vlm", "place_dtype"]

_LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


def open_processor(named: str, why: str = NAMED) -> tuple[Path, str, Any]:
    """The folder, the type of model, and what prepares pictures and words; the weights are not read."""
    folder, kind = check_vlm_folder(named, why)
    transformers = transformers_module()
    try:
        with quiet(transformers):
            config = transformers.AutoConfig.from_pretrained(folder, **_LOCAL)
            if type(config) not in transformers.AutoModelForImageTextToText._model_mapping:
                raise ValueError(f"{kind} is no model that is shown images and writes text")
            processor = transformers.AutoProcessor.from_pretrained(folder, **_LOCAL)
            if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
                raise ValueError("it has not both a tokenizer and a processor of images")
    except Exception as error:  # transformers raises what its many parts raise
        raise unopened(folder, error) from error
    processor.tokenizer.padding_side = "left"  # an answer goes on where the question ends
    return folder, kind, processor


def open_vlm(
    named: str, place: Place, why: str = NAMED, *, dtype: torch.dtype | None = None
) -> VisionLanguageModel:
    """The model of a folder, ready to be asked; in the precision of its place, unless another is given."""
    folder, kind, processor = open_processor(named, why)
    try:
        with quiet(transformers_module()):
            model, loading = _loaded(folder, dtype or place_dtype(place))
    except Exception as error:  # transformers raises what its many parts raise
        raise unopened(folder, error) from error
    absent = sorted(loading["missing_keys"])
    if absent:
        why = f"it lacks {len(absent)} weights, {absent[0]} for one"
        raise refused(folder, why, "Get the model again, the whole folder")
    for name in ("temperature", "top_p", "top_k"):  # they speak of answers that are drawn by lot
        setattr(model.generation_config, name, None)
    return VisionLanguageModel(processor, model.eval().to(place.device), kind, place, folder)


def place_dtype(place: Place) -> torch.dtype:
    """What weights are kept in that do not learn."""
    return torch.bfloat16 if place.precision == "bf16" else torch.float32


def _loaded(folder: Path, dtype: torch.dtype) -> tuple[Any, dict[str, Any]]:
    """The model with its weights; the attention is ours to say, or a folder could name a kernel to fetch."""
    kinds: Any = transformers_module().AutoModelForImageTextToText
    given: dict[str, Any] = {
        "dtype": dtype,
        "output_loading_info": True,
        "use_safetensors": True,
        **_LOCAL,
    }
    try:
        return kinds.from_pretrained(folder, attn_implementation="sdpa", **given)
    except ValueError as error:
        if "scaled_dot_product_attention" not in str(error):
            raise
        return kinds.from_pretrained(folder, attn_implementation="eager", **given)  # BLIP has no other
