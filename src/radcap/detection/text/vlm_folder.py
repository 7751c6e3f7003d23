"""The folder of a vision-language model as Hugging Face lays it out, looked through before it is opened.

Invariant: only weights in safetensors are taken; pickled ones, quantised ones and adapters are refused, and
nothing in the folder is ever run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from radcap.core import InputError, Missing

__all__ = ["NAMED", "check_vlm_folder", "refused"]

NAMED = "[text] words names it as the folder of a vision-language model."

_CONFIG, _WEIGHTS, _ADAPTER = "config.json", "model.safetensors", "adapter_config.json"
_INDEX = f"{_WEIGHTS}.index.json"  # which file of several holds which weight
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_AGAIN = "Get the model again, the whole folder"


def check_vlm_folder(named: str, why: str = NAMED) -> tuple[Path, str]:
    """The folder, and the type of model that its config.json names; `why` says who wants it."""
    folder = Path(named)
    if not named or not folder.is_dir():
        raise Missing(
            named or "The folder of vlm:",
            why,
            "Put the model there, or name another folder; nothing is fetched.",
        )
    config = _read_json(folder, _CONFIG)
    kind = config.get("model_type")
    if not isinstance(kind, str):
        raise refused(folder, f"{_CONFIG} names no model_type", "Save the model with save_pretrained")
    if "quantization_config" in config:
        raise refused(folder, "its weights are quantised", "Give a model in fp32, fp16 or bf16")
    if (folder / _ADAPTER).exists():  # transformers would follow it to another model, wherever that lies
        raise refused(folder, f"{_ADAPTER} says that it is an adapter", "Give the whole model, merged")
    _check_weights(folder)
    return folder, kind


def refused(folder: Path, why: str, how: str) -> InputError:
    """The refusal of a folder."""
    return InputError(f"{folder} cannot be used: {why}. {how}.", path=str(folder))


def _check_weights(folder: Path) -> None:
    if (folder / _WEIGHTS).is_file():
        return
    if (folder / _INDEX).is_file():
        _check_pieces(folder)
        return
    pickled = sorted(one.name for one in folder.iterdir() if one.suffix in _PICKLES)
    if pickled:
        why = f"its weights are pickled ({pickled[0]}), and opening those can run anything"
        raise refused(folder, why, "Get the same model in safetensors")
    raise refused(folder, f"it holds no {_WEIGHTS}", _AGAIN)


def _check_pieces(folder: Path) -> None:
    held: Any = _read_json(folder, _INDEX).get("weight_map")
    names = (
        sorted({str(one) for one in cast("dict[str, Any]", held).values()}) if isinstance(held, dict) else []
    )
    strange = [name for name in names if Path(name).name != name or not name.endswith(".safetensors")]
    if strange or not names:
        raise refused(folder, f"{_INDEX} names no files of weights beside it", _AGAIN)
    lacking = [name for name in names if not (folder / name).is_file()]
    if lacking:
        raise refused(folder, f"{lacking[0]} is not there, of {len(names)} files of weights", _AGAIN)


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        held: object = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise refused(folder, f"{name} cannot be read ({error!s:.200})", _AGAIN) from error
    if not isinstance(held, dict):
        raise refused(folder, f"{name} holds no JSON object", _AGAIN)
    return cast("dict[str, Any]", held)
