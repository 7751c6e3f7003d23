"""A causal language model of transformers, from a folder on this machine.

Invariant: every weight comes from the folder, and every weight of the folder is used: nothing is left as it
was drawn. No network, no pickled weights, no code of the folder.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from radcap.captioning.base_models.model_folder import check_folder, weight_file
from radcap.core import InputError
from radcap.vision.transformers_library import open_transformers, quiet

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

__all__ = ["load_as", "load_language_model", "transformers_module"]


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    return open_transformers("Language models are loaded with it.", "lm")


def load_language_model(folder: Path) -> Any:  # noqa: ANN401 - a model of transformers
    """The model in single precision, ready to answer."""
    return load_as("AutoModelForCausalLM", "a causal language model", folder)


def load_as(auto: str, what: str, folder: Path) -> Any:  # noqa: ANN401 - a model of transformers
    """The same by any class of transformers that finds a model by its config; `what` is the kind in words."""
    check_folder(folder)
    transformers = transformers_module()
    try:
        with quiet(transformers):
            model, loading = getattr(transformers, auto).from_pretrained(
                folder,
                attn_implementation="sdpa",  # or a folder could name a kernel to be fetched
                dtype=torch.float32,
                local_files_only=True,
                output_loading_info=True,
                trust_remote_code=False,
                use_safetensors=True,
                ignore_mismatched_sizes=True,  # they are told below, by name
            )
    except Exception as error:  # transformers raises what its many parts raise
        why = str(error).partition("\n")[0][:300].rstrip(".")
        raise InputError(
            f"{folder} cannot be loaded as {what}: {why}. Give a model that transformers"
            f" {transformers.__version__} knows, without code of its own.",
            path=str(folder),
        ) from error
    _check_loading(folder, loading)
    return model.eval()


def _check_loading(folder: Path, loading: dict[str, Any]) -> None:
    kinds = (
        ("mismatched_keys", "has another shape than config.json says"),
        ("missing_keys", "is absent"),
        ("unexpected_keys", "is none of the model that config.json describes"),
    )
    for kind, what in kinds:
        # a weight of another shape comes with both shapes
        names = sorted(one if isinstance(one, str) else str(one[0]) for one in loading.get(kind) or ())
        if names:
            path = weight_file(folder, names[0])
            raise InputError(
                f"{path} does not fit the model: the weight {names[0]} {what}, and {len(names) - 1} more."
                " Get the model again, the whole folder.",
                path=str(path),
            )
