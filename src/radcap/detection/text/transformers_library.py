"""transformers as it opens vision-language models, and its refusals as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.detection.text.vlm_folder import refused
from radcap.vision.transformers_library import open_transformers

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from radcap.core import InputError

__all__ = ["transformers_module", "unopened"]


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    return open_transformers("Vision-language models are opened with it.", "lm")


def unopened(folder: Path, error: Exception) -> InputError:
    """The refusal of a folder that transformers cannot open or use."""
    why = str(error).strip().partition("\n")[0][:300].rstrip(".") or type(error).__name__
    version = transformers_module().__version__
    return refused(folder, why, f"Give a vision-language model that transformers {version} knows by itself")
