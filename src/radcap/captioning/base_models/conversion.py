"""From a GGUF file to a folder as Hugging Face lays it out: half precision, config and tokenizer.

Invariant: only what is needed to run the model is written, and nothing of where it was made. Weights that
were quantised stay what they are worth; half precision holds them, or the conversion is refused.
"""

# transformers and safetensors are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import io
import json
from contextlib import redirect_stderr
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from radcap.captioning.base_models.pretrained import transformers_module
from radcap.core import InputError
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["convert"]


def convert(source: Path, folder: Path) -> dict[str, str]:
    """Write the weights, the config, the tokenizer and its marks; say which versions made them."""
    transformers = transformers_module()
    given: dict[str, Any] = {"gguf_file": source.name, "local_files_only": True, "trust_remote_code": False}
    try:
        with quiet(transformers), redirect_stderr(io.StringIO()):  # a bar that nothing else turns off
            tokenizer = transformers.AutoTokenizer.from_pretrained(source.parent, **given)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                source.parent, dtype=torch.float32, **given
            )
    except Exception as error:  # transformers raises what its many parts raise
        why = str(error).partition("\n")[0][:300].rstrip(".")
        raise InputError(
            f"{source.name} cannot be converted by transformers {transformers.__version__}: {why}.",
            path=str(source),
        ) from error
    _save_weights(model, folder / "model.safetensors")
    _save_config(model.config, folder)
    _save_tokenizer(tokenizer, model.config, folder)
    return {name: version(name) for name in ("gguf", "transformers")}


def _save_weights(model: Any, path: Path) -> None:  # noqa: ANN401 - a model of transformers
    """Without those that are tied to another."""
    tied = bool(model.config.tie_word_embeddings)
    held: dict[str, torch.Tensor] = model.state_dict()
    half = {
        name: weight.detach().half().contiguous()
        for name, weight in held.items()
        if not (tied and name == "lm_head.weight")
    }
    for name, weight in half.items():
        if not weight.isfinite().all():
            raise InputError(f"The weight {name} is too large for half precision. Convert it yourself.")
    save_file(half, path, metadata={"format": "pt"})  # transformers asks for the metadata
    path.chmod(0o644)  # as any file of a cache


def _save_config(config: Any, folder: Path) -> None:  # noqa: ANN401 - of transformers
    """The weights are no longer quantised, and were found by no name."""
    del config.quantization_config
    config.dtype = torch.float16
    vars(config).pop("_model_name_or_path", None)
    config.save_pretrained(folder)


def _save_tokenizer(tokenizer: Any, config: Any, folder: Path) -> None:  # noqa: ANN401 - of transformers
    """The pieces, and in a file beside them which of them begin and end a text, and how a chat is written.

    The marks are those of the model: transformers 5.17 mistakes one for the other in its tokenizer.
    """
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    names = ("bos_token", "eos_token", "pad_token")
    numbers = {name: getattr(config, f"{name}_id", None) for name in names}
    marks = {
        name: tokenizer.backend_tokenizer.id_to_token(one) for name, one in numbers.items() if one is not None
    }
    if tokenizer.chat_template:
        marks["chat_template"] = tokenizer.chat_template
    (folder / "tokenizer_config.json").write_text(json.dumps(marks, indent=1) + "\n", encoding="utf-8")
