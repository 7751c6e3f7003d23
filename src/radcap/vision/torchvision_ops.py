"""Make timm and transformers importable where torchvision's own operators do not load.

A torchvision built for CUDA beside a torch built for the CPU refuses to be imported (`operator
torchvision::nms does not exist`), and timm and transformers import it. Two declared operators cure that:
transforms work, and only the operators themselves (nms, roi_align, torchvision.io) stay out of reach.

Invariant: call it before the first import of timm or transformers; where torchvision loads, nothing changes.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import torch

__all__ = ["ensure_torchvision"]


@cache
def ensure_torchvision() -> str:
    """absent, native, or declared: what was found, or done."""
    spec = importlib.util.find_spec("torchvision")  # does not import it
    if spec is None or spec.origin is None:
        return "absent"
    library = Path(spec.origin).parent / "_C.so"
    try:
        torch.ops.load_library(library)
    except OSError:
        _declare()
        return "declared"
    return "native"


_kept: list[torch.library.Library] = []  # a declaration lives as long as its library is held


def _declare() -> None:
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _kept.append(library)
