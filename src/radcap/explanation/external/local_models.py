"""Folders of detectors and segmenters as transformers writes them, opened without a network.

Invariant: only a folder on this disk, only weights in safetensors, and no code from the folder is run. What
lacks a weight is refused: transformers would fill it with noise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError, Missing
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["check_folder", "opened", "transformers_module"]

_LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


def check_folder(named: str, what: str) -> tuple[Path, str]:
    """The folder of a model, and the type that its config.json names."""
    if not named:
        how = f"Name as [{what}] model a folder that transformers saved: config.json and model.safetensors."
        raise Missing(f"The model of [{what}]", "None is named.", how)
    folder = Path(named)
    if not folder.is_dir():
        how = "Put the folder there, or name another; nothing is fetched."
        raise Missing(named, f"[{what}] names it.", how)
    if not [*folder.glob("model*.safetensors")]:
        why = "holds no model.safetensors, and no other weights are opened"
        raise InputError(f"{folder} {why}. Save it anew with save_pretrained.")
    return folder, _model_type(folder)


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    try:
        from radcap.vision.torchvision_ops import ensure_torchvision

        ensure_torchvision()
        import transformers
    except ImportError as error:
        how = "Install it: pip install 'radcap[train]'."
        raise Missing(str(error.name), "Detectors and segmenters of others run in it.", how) from error
    return transformers


def opened(folder: Path, processors: Any, models: Any) -> tuple[Any, Any]:  # noqa: ANN401 - without types
    """The processor and the model of a folder, by classes of transformers."""
    try:
        with quiet(transformers_module()):
            processor = processors.from_pretrained(folder, **_LOCAL)
            model, loading = models.from_pretrained(
                folder, use_safetensors=True, output_loading_info=True, **_LOCAL
            )
    except Exception as error:  # transformers raises what its many parts raise
        first = str(error).strip().partition("\n")[0][:200].rstrip(".")
        raise InputError(f"{folder} cannot be opened: {first}. Save it anew with save_pretrained.") from error
    absent = sorted(loading["missing_keys"])
    if absent:
        why = f"lacks {len(absent)} weights, {absent[0]} for one"
        raise InputError(f"{folder} {why}. Get the model again, the whole folder.")
    return processor, model.eval()


def _model_type(folder: Path) -> str:
    try:
        told = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        told = None
    named = cast("dict[str, object]", told).get("model_type") if isinstance(told, dict) else None
    if not isinstance(named, str):
        raise InputError(
            f"{folder} has no config.json that names a model_type. Save it with save_pretrained."
        )
    return named
