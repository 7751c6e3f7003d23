"""The folder of a model as Hugging Face lays it out, looked through before it is loaded.

Invariant: a folder is refused with the name of the file that is absent, damaged or not what it should be.
Only safetensors are taken: pickled weights, quantised ones and adapters are refused, and nothing in the
folder is ever run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from safetensors import SafetensorError, safe_open

from radcap.core import InputError

__all__ = ["check_folder", "read_table", "refused_file", "weight_file", "weight_files"]

_CONFIG, _WEIGHTS, _ADAPTER = "config.json", "model.safetensors", "adapter_config.json"
_INDEX = f"{_WEIGHTS}.index.json"  # which file of several holds which weight
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_AGAIN = "Get the model again, the whole folder."


def check_folder(folder: Path) -> dict[str, Any]:
    """What config.json says, where everything is there and can be opened.

    Whether the weights fit is seen when they are loaded.
    """
    config = read_table(folder / _CONFIG)
    if not isinstance(config.get("model_type"), str):
        raise refused_file(folder / _CONFIG, "it names no model_type", _AGAIN)
    if "quantization_config" in config:
        why = "its weights are quantised"
        raise refused_file(folder / _CONFIG, why, "Give a model in fp32, fp16 or bf16.")
    if (folder / _ADAPTER).exists():
        # transformers would follow it to another model, wherever that lies
        raise refused_file(folder / _ADAPTER, "it is an adapter's", "Give the whole model, merged.")
    for file in weight_files(folder):
        _open(file)
    return config


def weight_file(folder: Path, weight: str) -> Path:
    """The file that should hold this weight."""
    if (folder / _WEIGHTS).exists():
        return folder / _WEIGHTS
    return folder / str(_weight_map(folder).get(weight, _INDEX))


def weight_files(folder: Path) -> list[Path]:
    """The files of weights, which are all there."""
    if (folder / _WEIGHTS).exists():
        return [folder / _WEIGHTS]
    if not (folder / _INDEX).exists():
        raise _without_weights(folder)
    names = sorted(set(map(str, _weight_map(folder).values())))
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            why = f"it names {name!r:.80}, which is no file beside it"
            raise refused_file(folder / _INDEX, why, _AGAIN)
    lacking = [name for name in names if not (folder / name).exists()]
    if lacking:
        why = f"it is not there. {_INDEX} names {len(names)} files, and {len(lacking)} of them are absent"
        raise refused_file(folder / lacking[0], why, _AGAIN)
    return [folder / name for name in names]


def read_table(path: Path) -> dict[str, Any]:
    """The object that a JSON file of the folder holds."""
    try:
        held: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "Give the folder of a model as transformers saves it."
        raise refused_file(path, "it is not there", what) from None
    except (OSError, ValueError, RecursionError) as error:
        raise refused_file(path, f"it cannot be read: {error!s:.200}", _AGAIN) from error
    if not isinstance(held, dict):
        raise refused_file(path, "it holds no JSON object", _AGAIN)
    return cast("dict[str, Any]", held)


def refused_file(path: Path, why: str, what: str) -> InputError:
    """The refusal of a folder by one of its files."""
    return InputError(f"{path} is refused: {why}. {what}", path=str(path))


def _without_weights(folder: Path) -> InputError:
    pickled = sorted(one for one in folder.iterdir() if one.suffix in _PICKLES)
    if pickled:
        why = f"its weights are pickled ({pickled[0].name}), and opening those can run anything"
        return refused_file(pickled[0], why, "Get the same model in safetensors.")
    what = "Give a folder with safetensors; weights in other files are not opened."
    return refused_file(folder / _WEIGHTS, "it is not there", what)


def _weight_map(folder: Path) -> dict[str, Any]:
    found = read_table(folder / _INDEX).get("weight_map")
    if not isinstance(found, dict) or not found:
        raise refused_file(folder / _INDEX, "it has no weight_map", _AGAIN)
    return cast("dict[str, Any]", found)


def _open(file: Path) -> None:
    """A header that can be read, over as many bytes as it says."""
    try:
        with safe_open(file, framework="np"):
            pass
    except (SafetensorError, OSError) as error:
        raise refused_file(file, f"it cannot be opened: {error}", _AGAIN) from error
