"""What a person runs on images and data: readings, their pages and reports, explanations, scoring of captions
on files and datasets, the demo, and what is installed.

Everything here is loaded on first use: reading an image, or asking what is installed, needs none of the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.reading.demo import Story, run_demo
    from radcap.reading.scoring import compare, score_captions, true_captions

__all__ = ["Story", "compare", "run_demo", "score_captions", "true_captions"]

_HOMES = {
    "Story": "demo",
    "compare": "scoring",
    "run_demo": "demo",
    "score_captions": "scoring",
    "true_captions": "scoring",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"radcap.reading has no {name!r}. It has {', '.join(__all__)}.")
    return getattr(import_module(f"radcap.reading.{_HOMES[name]}"), name)
