"""transformers, where it is installed: without bars, and with its refusals as ours."""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from radcap.core import Missing
from radcap.detection.text.vlm_folder import refused
from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path
    from types import ModuleType

    from radcap.core import InputError

__all__ = ["quiet", "transformers_module", "unopened"]


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    ensure_torchvision()
    try:
        import transformers
    except ImportError as error:
        why, how = "Vision-language models are opened with it.", "Install it: pip install 'radcap[lm]'."
        raise Missing("transformers", why, how) from error
    return transformers


@contextmanager
def quiet(transformers: ModuleType) -> Generator[None]:
    """Without bars and advice: what is wrong is told as an error."""
    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def unopened(folder: Path, error: Exception) -> InputError:
    """The refusal of a folder that transformers cannot open or use."""
    why = str(error).strip().partition("\n")[0][:300].rstrip(".") or type(error).__name__
    version = transformers_module().__version__
    return refused(folder, why, f"Give a vision-language model that transformers {version} knows by itself")
