"""transformers, where it is installed, and without its bars."""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from radcap.core import Missing
from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import ModuleType

__all__ = ["open_transformers", "quiet"]


def open_transformers(why: str, extra: str) -> ModuleType:
    """The package; where it is absent, why it is wanted and the extra that brings it."""
    ensure_torchvision()
    try:
        import transformers
    except ImportError as error:
        raise Missing("transformers", why, f"Install it: pip install 'radcap[{extra}]'.") from error
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
