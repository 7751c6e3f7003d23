"""Explanations that come from the model itself: where in the image each concept and word was seen.

What explains is loaded when it is asked for, so that reading a system file of the task costs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from radcap.explanation.values import Box, Case, Evidence, Explanation, Kind, Origin

if TYPE_CHECKING:
    from radcap.explanation.explaining import Explainer, Failure, Settings

__all__ = [
    "Box",
    "Case",
    "Evidence",
    "Explainer",
    "Explanation",
    "Failure",
    "Kind",
    "Origin",
    "Settings",
]

_LATER = ("Explainer", "Failure", "Settings")


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"radcap.explanation has no {name!r}. It has {', '.join(__all__)}.")
    return getattr(import_module("radcap.explanation.explaining"), name)
