"""A network made ready to answer: each norm is taken into the convolution before it.

Invariant: answers stay the same but for rounding; a folded network can no longer be trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fold"]

AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)


@torch.no_grad()
def fold(network: AnyNetwork) -> AnyNetwork:
    """Fold in place; only where a norm is known to follow its convolution, as in our own networks."""
    network.eval()
    for module in list(network.modules()):
        for conv_name, norm_name in _pairs(module):
            conv, norm = getattr(module, conv_name), getattr(module, norm_name)
            weight, bias = fuse_conv_bn_weights(
                conv.weight, conv.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
            )
            conv.weight, conv.bias = weight, bias
            setattr(module, norm_name, nn.Identity())
    return network


def _pairs(module: nn.Module) -> Iterator[tuple[str, str]]:
    """The convolutions of a module with the norms that follow them, as the module says itself."""
    yield from getattr(module, "norm_after", ())
