"""The folder of a language model as Hugging Face lays it out, looked through before it is loaded.

Invariant: a folder is refused with the name of the file that is absent, damaged or not what it should be.
Only safetensors are taken, and nothing in the folder is ever run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from safetensors import SafetensorError, safe_open

from radcap.core import InputError

__all__ = ["check_folder", "check_tokenizer", "model_config", "weight_file"]

_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_INDEX = f"{_WEIGHTS}.index.json"  # which file of several holds which weight
_AGAIN = "Get the model again, the whole folder."


def check_folder(folder: Path) -> None:
    """Everything is there and can be opened; whether the weights fit is seen when they are loaded."""
    config = _read_json(folder / _CONFIG)
    if "quantization_config" in config:
        raise _refused(folder / _CONFIG, "its weights are quantised", "Give a model in fp32, fp16 or bf16.")
    if (folder / "adapter_config.json").exists():
        # transformers would follow it to another model, wherever that lies
        raise _refused(folder / "adapter_config.json", "it is an adapter's", "Give the whole model, merged.")
    for file in _weight_files(folder):
        _open(file)


def model_config(folder: Path) -> dict[str, Any]:
    """What a folder says of its model."""
    return _read_json(folder / _CONFIG)


def weight_file(folder: Path, weight: str) -> Path:
    """The file that should hold this weight."""
    if (folder / _WEIGHTS).exists():
        return folder / _WEIGHTS
    return folder / str(_weight_map(folder).get(weight, _INDEX))


def check_tokenizer(folder: Path, size: int, vocabulary: int) -> None:
    """Refuse a size that is not that of the model's own tokenizer, or more than the model has tokens for."""
    path = folder / "tokenizer.json"
    own = _tokenizer_size(path) if path.exists() else size
    if size != own or size > vocabulary:
        theirs = f", and its own tokenizer {own:,}" if path.exists() else ""
        raise InputError(
            f"{folder}: a tokenizer that does not match. It has {size:,} tokens; the language model has"
            f" {vocabulary:,}{theirs}. Write [tokenizer] file with the folder of the model.",
            path=str(folder),
        )


def _weight_files(folder: Path) -> list[Path]:
    if (folder / _WEIGHTS).exists():
        return [folder / _WEIGHTS]
    if not (folder / _INDEX).exists():
        what = "Give a folder with safetensors; weights in other files are not opened."
        raise _refused(folder / _WEIGHTS, "it is not there", what)
    names = sorted(set(map(str, _weight_map(folder).values())))
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise _refused(folder / _INDEX, f"it names {name!r:.80}, which is no file beside it", _AGAIN)
    lacking = [name for name in names if not (folder / name).exists()]
    if lacking:
        why = f"it is not there. {_INDEX} names {len(names)} files, and {len(lacking)} of them are absent"
        raise _refused(folder / lacking[0], why, _AGAIN)
    return [folder / name for name in names]


def _weight_map(folder: Path) -> dict[str, Any]:
    found = _read_json(folder / _INDEX).get("weight_map")
    if not isinstance(found, dict) or not found:
        raise _refused(folder / _INDEX, "it has no weight_map", _AGAIN)
    return cast("dict[str, Any]", found)


def _open(file: Path) -> None:
    """A header that can be read, over as many bytes as it says."""
    try:
        with safe_open(file, framework="np"):
            pass
    except (SafetensorError, OSError) as error:
        raise _refused(file, f"it cannot be opened: {error}", _AGAIN) from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        held: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _refused(path, "it is not there", "Give the folder of a causal language model.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(path, f"it cannot be read: {error!s:.200}", _AGAIN) from error
    if not isinstance(held, dict):
        raise _refused(path, "it holds no JSON object", _AGAIN)
    return cast("dict[str, Any]", held)


def _tokenizer_size(path: Path) -> int:
    """One more than the largest number that the file gives a token."""
    held = _read_json(path)
    try:
        pieces: Any = held["model"]["vocab"]  # by number, or in their order
        numbers: list[int] = list(pieces.values()) if hasattr(pieces, "values") else list(range(len(pieces)))
        return 1 + max([*numbers, *(int(one["id"]) for one in held.get("added_tokens") or ())])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _refused(path, "it has no vocabulary", _AGAIN) from error


def _refused(path: Path, why: str, what: str) -> InputError:
    return InputError(f"{path} is refused: {why}. {what}", path=str(path))
