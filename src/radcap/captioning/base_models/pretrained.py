"""A language model of transformers, from a folder on this machine: a causal one, or one that encodes first.

Invariant: every weight comes from the folder, and every weight of the folder is used: nothing is left as it
was drawn. No network, no pickled weights, no code of the folder.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import torch

from radcap.core import InputError
from radcap.vision.model_folders import check_folder, weight_file
from radcap.vision.transformers_library import open_transformers, quiet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

__all__ = ["load_language_model", "load_model", "read_config", "transformers_module"]


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    return open_transformers("Language models are loaded with it.", "lm")


def load_language_model(folder: Path) -> Any:  # noqa: ANN401 - a model of transformers
    """The model in single precision, ready to answer; config.json says which of the two kinds it is."""
    check_folder(folder)
    what = "a language model"
    encodes = read_config(folder, what).is_encoder_decoder
    return load_model(folder, "AutoModelForSeq2SeqLM" if encodes else "AutoModelForCausalLM", what)[0]


def load_model(
    folder: Path,
    architecture: str,
    what: str,
    *,
    attention: str | None = "sdpa",
    new: tuple[str, ...] = (),
    idle: tuple[str, ...] = (),
    changes: Mapping[str, Any] | None = None,
) -> tuple[Any, frozenset[str]]:
    """A model in single precision, ready to answer, and the weights that the folder does not hold.

    None may be absent but those whose names have one of `new` in them, and those that begin with one of
    `idle`, which have no part in what is asked. `attention` is how it is computed: a folder could name a
    kernel to be fetched. `changes` are made to the configuration.
    """
    check_folder(folder)
    transformers = transformers_module()
    given: dict[str, Any] = {"attn_implementation": attention}
    if changes is not None:
        given["config"] = read_config(folder)
        for name, value in changes.items():
            setattr(given["config"], name, value)
    try:
        with quiet(transformers):
            model, loading = getattr(transformers, architecture).from_pretrained(
                folder,
                dtype=torch.float32,
                output_loading_info=True,
                use_safetensors=True,
                ignore_mismatched_sizes=True,  # they are told below, by name
                **given,
            )
    except Exception as error:  # transformers raises what its many parts raise
        raise _unloadable(folder, what, error) from error
    absent: list[str] = [one for one in loading["missing_keys"] if not one.startswith(idle)]
    fresh = frozenset(one for one in absent if any(mark in one for mark in new))
    _check_loading(folder, {**loading, "missing_keys": {*absent} - fresh})
    return model.eval(), fresh


def read_config(folder: Path, what: str = "a model of transformers") -> Any:  # noqa: ANN401 - transformers' own
    """What a folder says of its model's shape."""
    transformers = transformers_module()
    try:
        return transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # each configuration has checks of its own
        raise _unloadable(folder, what, error) from error


def _unloadable(folder: Path, what: str, error: Exception) -> InputError:
    why = str(error).partition("\n")[0][:300].rstrip(".")
    return InputError(
        f"{folder} cannot be loaded as {what}: {why}. Give a model that transformers"
        f" {transformers_module().__version__} knows, without code of its own.",
        path=str(folder),
    )


# What older versions of transformers wrote beside the weights, and heads that write no caption.
_BESIDE = re.compile(
    r"(^|\.)(position_ids|attn\.(masked_)?bias|crossattention\.(masked_)?bias"
    r"|cls\.seq_relationship\.(weight|bias)|bert\.pooler\.dense\.(weight|bias))$"
)


def _check_loading(folder: Path, loading: dict[str, Any]) -> None:
    kinds = (
        ("mismatched_keys", "has another shape than config.json says"),
        ("missing_keys", "is absent"),
        ("unexpected_keys", "is none of the model that config.json describes"),
    )
    for kind, what in kinds:
        # a weight of another shape comes with both shapes
        named = (one if isinstance(one, str) else str(one[0]) for one in loading.get(kind) or ())
        names = sorted(one for one in named if kind != "unexpected_keys" or not _BESIDE.search(one))
        if names:
            path = weight_file(folder, names[0])
            raise InputError(
                f"{path} does not fit the model: the weight {names[0]} {what}, and {len(names) - 1} more."
                " Get the model again, the whole folder.",
                path=str(path),
            )
