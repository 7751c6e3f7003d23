"""A convolution, ReLU6 and a sum in one pass over memory, where oneDNN offers it.

Between two layers of a small network a CPU spends much of its time fetching and storing features. A folded
convolution can bend its output, or add the block's input to it, before it is stored.
Invariant: `fits` says yes only where nobody could tell the difference but for rounding: no gradient, no hook
on the layers passed over, no autocast, float32 on an x86 CPU. Nothing is kept between calls, so weights may
change, and networks may be copied, at any time.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import platform
from functools import cache
from typing import Any

import torch
from torch import nn

__all__ = ["fits", "one_pass"]

_X86 = ("x86_64", "AMD64")  # elsewhere oneDNN may know no such pass and take a slow way
_Bending = tuple[str, list[float], str]
_STORED: _Bending = ("none", [], "")
_BENT: _Bending = ("hardtanh", [0.0, 6.0], "")


def fits(conv: nn.Conv2d, norm: nn.Module, x: torch.Tensor) -> bool:
    """Whether a convolution and the norm behind it can be done in one pass."""
    return (
        _plainly()
        and isinstance(norm, nn.Identity)  # folded
        and not (torch.is_grad_enabled() or conv.training)
        and (x.device.type, x.dtype, type(x)) == ("cpu", torch.float32, torch.Tensor)
        and conv.weight.dtype == x.dtype
        and not (_watched(conv) or _watched(norm))
        and _known()
    )


def one_pass(
    conv: nn.Conv2d, x: torch.Tensor, *, bent: bool = False, added: torch.Tensor | None = None
) -> torch.Tensor:
    """The convolution of `x` as it is padded, under ReLU6 if `bent`, with `added` to it if there is one."""
    fused: Any = torch.ops.mkldnn._convolution_pointwise  # pyright: ignore[reportPrivateUsage]
    shape = (conv.padding, conv.stride, conv.dilation, conv.groups)
    if added is not None:
        return fused.binary(x, added, conv.weight, conv.bias, *shape, "add", None, None, [], None)
    return fused.default(x, conv.weight, conv.bias, *shape, *(_BENT if bent else _STORED))


def _watched(module: nn.Module) -> bool:
    """Whether somebody looks at what goes through a layer, who would be passed over."""
    held: dict[str, Any] = vars(module)
    return bool(held["_forward_hooks"] or held["_forward_pre_hooks"])


def _plainly() -> bool:
    """Whether torch runs layers as they come: no autocast, nothing compiled, oneDNN not switched off."""
    other = torch.compiler.is_compiling() or torch.is_autocast_enabled("cpu")
    return not other and bool(torch.backends.mkldnn.enabled)


@cache
def _known() -> bool:
    """Whether this torch has the pass, for this processor."""
    here = torch.backends.mkldnn.is_available() and platform.machine() in _X86
    return here and hasattr(torch.ops.mkldnn, "_convolution_pointwise")
