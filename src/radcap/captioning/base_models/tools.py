"""What has to be installed for a language model, known without loading it."""

from __future__ import annotations

from importlib.util import find_spec

from radcap.core import Missing

__all__ = ["CONVERTING", "READING", "WRITING", "check_tools", "lacking"]

READING = {"read": ("torch", "safetensors")}  # extra, and the packages of it that have to be there
WRITING = {"lm": ("torch", "safetensors", "transformers", "peft")}
CONVERTING = {"lm": ("torch", "safetensors", "transformers", "accelerate", "gguf")}


def lacking(tools: dict[str, tuple[str, ...]]) -> Missing | None:
    """The first package that is not installed."""
    for extra, packages in tools.items():
        for name in packages:
            if find_spec(name) is None:
                return Missing(name, "Models need it.", f"Install it: pip install 'radcap[{extra}]'.")
    return None


def check_tools(tools: dict[str, tuple[str, ...]]) -> None:
    """Refuse at once what could not be done at the end."""
    missing = lacking(tools)
    if missing is not None:
        raise missing
