"""Layer-wise relevance propagation (Bach and others, 2015) through an encoder of convolutions.

Each layer hands the relevance of its output to its inputs by their part in it. Convolutions use the gamma
rule in the form that takes inputs of either sign: the parts that agree with the sign of the output count
1 + gamma times. Activations hand it on unchanged, sums split by their parts, gates and norms count as
constants, and biases keep their own. It begins as gradient times feature of the model's top (for a linear
head that is the epsilon rule with epsilon 0) and ends after the first convolution, since no pixel value means
'nothing'.

Invariant: without biases, and over a head that is linear in the features, the map sums to the score.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it
from torch.overrides import TorchFunctionMode

from radcap.core import UsageError
from radcap.explanation.methods.gradients import features_and_gradients
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["Lrp"]

_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Lrp:
    """`gamma` 0 is the plain rule, which is gradient times input and as noisy."""

    gamma: float = 0.25

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        _, gradients = features_and_gradients(lens, targets)
        with torch.enable_grad(), _Rules(self.gamma) as rules:
            found = lens.backbone(lens.pixels).float()
        first = rules.first
        if first is None or rules.attends:
            raise UsageError(
                "lrp goes through convolutions, and this model's encoder is none of them alone. Use chefer."
            )
        maps = [
            torch.autograd.grad(found, first, one[None], retain_graph=True)[0] * first for one in gradients
        ]
        return Relevance(torch.cat(maps).sum(dim=1).detach())


class _Rules(TorchFunctionMode):
    """Runs a network with the same outputs, whose gradient times input is the relevance."""

    def __init__(self, gamma: float) -> None:
        super().__init__()
        self.gamma = gamma
        self.first: torch.Tensor | None = None  # what the first convolution gave
        self.attends = False

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the function gives
        named = kwargs or {}
        if func is F.conv2d or func is torch.conv2d:
            return self._convolved(*args, **named)
        if func in _ACTIVATIONS:
            return _passed(args[0], func(*args, **named))
        if func in _PRODUCTS and all(isinstance(one, torch.Tensor) for one in args):
            return _gated(*args)
        if func is F.layer_norm:
            return _layer_normed(*args, **named)
        self.attends |= func is F.scaled_dot_product_attention
        return func(*args, **named)

    def _convolved(
        self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, *more: object
    ) -> torch.Tensor:
        if self.first is None:
            begun: torch.Tensor = _conv(x, weight, bias, *more).detach().requires_grad_()
            self.first = begun
            return begun
        plain = _conv(x, weight, None, *more)
        above, below = x.clamp(min=0), x.clamp(max=0)
        up, down = weight.clamp(min=0), weight.clamp(max=0)
        agreeing = _conv(above, up, None, *more) + _conv(below, down, None, *more)
        own = 0.0 if bias is None else bias.detach()[:, None, None]
        y = plain + own
        parts = plain + self.gamma * torch.where(y > 0, agreeing, plain - agreeing)
        return _scaled(parts, y, own)


def _scaled(parts: torch.Tensor, y: torch.Tensor, own: torch.Tensor | float = 0.0) -> torch.Tensor:
    """The output as it is, whose gradient is that of its parts, each by its share; a bias is none of them."""
    whole = parts + own
    ratio = torch.where(whole.abs() > _TINY, y / whole, torch.zeros_like(y)).detach()
    return parts * ratio + (y - parts * ratio).detach()


def _passed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """An activation: whatever its slope, its input bears all of its output."""
    return _scaled(x, y)


def _gated(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A product: the smaller factor is a gate, and the relevance is the other's."""
    return a * b.detach() if a.numel() >= b.numel() else a.detach() * b


def _layer_normed(
    x: torch.Tensor,
    shape: Any,  # noqa: ANN401 - torch's own
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """The spread is taken as constant."""
    axes = tuple(range(-len(shape), 0))
    centred = x - x.mean(dim=axes, keepdim=True)
    spread = (centred.square().mean(dim=axes, keepdim=True) + eps).sqrt().detach()
    normed = centred / spread
    normed = normed if weight is None else normed * weight.detach()
    return normed if bias is None else normed + bias.detach()


_conv: Any = F.conv2d  # its many forms are not typed
_ACTIVATIONS = {
    *(F.relu, F.relu6, F.silu, F.gelu, F.hardswish, F.leaky_relu, F.elu, F.mish, torch.relu),
    *(torch.Tensor.relu, torch.nn.functional.hardtanh),
}
_PRODUCTS = {torch.mul, torch.Tensor.mul, torch.Tensor.__mul__}
