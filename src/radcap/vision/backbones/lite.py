"""EfficientNet-Lite 0 to 4, in torch alone.

The network of Tan and Le (2019) without squeeze-and-excitation and with ReLU6, padded as TensorFlow pads.
Invariant: names and shapes of the weights are those of timm's `tf_efficientnet_liteN` without its classifier,
so that weights can go either way; the same weights give the same features (tested).
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones.backbone import Backbone
from radcap.vision.backbones.one_pass import fits, one_pass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.vision.settings import BackboneSettings

__all__ = ["LiteNet", "make_lite"]

WIDTHS_DEPTHS = {"0": (1.0, 1.0), "1": (1.0, 1.1), "2": (1.1, 1.2), "3": (1.2, 1.4), "4": (1.4, 1.8)}
# repeats, kernel, stride, expansion, channels of each stage
STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
STEM, FEATURES = 32, 1280  # the same for every size
MEAN, SPREAD = 127.0, 128.0

_norm = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.1)


def make_lite(settings: BackboneSettings, *, size: int) -> Backbone:  # noqa: ARG001 - any size will do
    """The backbone for a name like `tf_efficientnet_lite0`."""
    width, depth = WIDTHS_DEPTHS[settings.name[-1]]
    return Backbone(LiteNet(width, depth, settings.drop), FEATURES, [MEAN] * 3, [SPREAD] * 3)


class LiteNet(nn.Module):
    """From scaled pixels to 1,280 features at a 32nd of the size."""

    norm_after = (("conv_stem", "bn1"), ("conv_head", "bn2"))

    def __init__(self, width: float, depth: float, drop: float = 0.0) -> None:
        super().__init__()
        self.conv_stem = SameConv(3, STEM, 3, 2)
        self.bn1 = _norm(STEM)
        self.blocks = nn.Sequential(*_stages(width, depth, drop))
        last = _rounded(STAGES[-1][-1] * width)
        self.conv_head = SameConv(last, FEATURES, 1)
        self.bn2 = _norm(FEATURES)
        self.apply(_start)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        features = _bent(self.conv_stem, self.bn1, images)
        return _bent(self.conv_head, self.bn2, self.blocks(features))


class SameConv(nn.Conv2d):
    """A convolution whose output has the size of its input over the stride; an odd pixel is padded last."""

    def __init__(self, inside: int, outside: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        even = kernel // 2 if stride == 1 else 0
        super().__init__(inside, outside, kernel, stride, even, groups=groups, bias=False)

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - named so by torch
        return super().forward(self.padded(input))

    def padded(self, x: torch.Tensor) -> torch.Tensor:
        """The input with the pixels around it that the convolution does not add itself."""
        step, kernel = self.stride[0], self.kernel_size[0]
        if step == 1:
            return x
        high, wide = (_padding(length, kernel, step) for length in x.shape[-2:])
        return F.pad(x, (wide // 2, wide - wide // 2, high // 2, high - high // 2))


class Separable(nn.Module):
    """A depthwise convolution and a pointwise one."""

    norm_after = (("conv_dw", "bn1"), ("conv_pw", "bn2"))

    def __init__(self, inside: int, outside: int, kernel: int, stride: int, drop: float) -> None:
        super().__init__()
        self.conv_dw = SameConv(inside, inside, kernel, stride, inside)
        self.bn1 = _norm(inside)
        self.conv_pw = SameConv(inside, outside, 1)
        self.bn2 = _norm(outside)
        self.drop = drop
        self.adds = stride == 1 and inside == outside

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = _bent(self.conv_dw, self.bn1, x)
        return _ended(self, self.conv_pw, self.bn2, y, x)


class Inverted(nn.Module):
    """Widened, convolved by depth, narrowed again."""

    norm_after = (("conv_pw", "bn1"), ("conv_dw", "bn2"), ("conv_pwl", "bn3"))

    def __init__(
        self, inside: int, outside: int, kernel: int, stride: int, drop: float, expansion: int
    ) -> None:
        super().__init__()
        middle = inside * expansion
        self.conv_pw = SameConv(inside, middle, 1)
        self.bn1 = _norm(middle)
        self.conv_dw = SameConv(middle, middle, kernel, stride, middle)
        self.bn2 = _norm(middle)
        self.conv_pwl = SameConv(middle, outside, 1)
        self.bn3 = _norm(outside)
        self.drop = drop
        self.adds = stride == 1 and inside == outside

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = _bent(self.conv_pw, self.bn1, x)
        y = _bent(self.conv_dw, self.bn2, y)
        return _ended(self, self.conv_pwl, self.bn3, y, x)


def _bent(conv: SameConv, norm: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """A convolution, its norm and ReLU6."""
    if fits(conv, norm, x):
        return one_pass(conv, conv.padded(x), bent=True)
    return F.relu6(norm(conv(x)))


def _ended(
    block: Separable | Inverted, conv: SameConv, norm: nn.Module, y: torch.Tensor, x: torch.Tensor
) -> torch.Tensor:
    """The last convolution of a block and its norm, over its input where the shapes are the same."""
    if fits(conv, norm, y):
        return one_pass(conv, conv.padded(y), added=x if block.adds else None)
    y = norm(conv(y))
    return x + _dropped(y, block.drop, block.training) if block.adds else y


def _stages(width: float, depth: float, drop: float) -> Iterator[nn.Sequential]:
    """The first and the last stage keep their depth in the lite family; later blocks drop more often."""
    ends = (0, len(STAGES) - 1)
    repeats = [
        stage[0] if number in ends else math.ceil(stage[0] * depth) for number, stage in enumerate(STAGES)
    ]
    inside, done = STEM, 0
    for (_, kernel, stride, expansion, channels), times in zip(STAGES, repeats, strict=True):
        outside = _rounded(channels * width)
        blocks: list[nn.Module] = []
        for number in range(times):
            step, rate = stride if number == 0 else 1, drop * done / sum(repeats)
            if expansion == 1:
                blocks.append(Separable(inside, outside, kernel, step, rate))
            else:
                blocks.append(Inverted(inside, outside, kernel, step, rate, expansion))
            inside, done = outside, done + 1
        yield nn.Sequential(*blocks)


def _rounded(channels: float) -> int:
    """The nearest multiple of 8 that loses no more than a tenth."""
    near = max(8, int(channels + 4) // 8 * 8)
    return near + 8 if near < 0.9 * channels else near


def _padding(length: int, kernel: int, stride: int) -> int:
    return max((math.ceil(length / stride) - 1) * stride + kernel - length, 0)


def _dropped(branch: torch.Tensor, rate: float, training: bool) -> torch.Tensor:
    """The branch, left out for some images of a training batch."""
    if not training or rate == 0:
        return branch
    kept = torch.rand(len(branch), 1, 1, 1, device=branch.device) >= rate
    return branch * kept.to(branch.dtype) / (1 - rate)


def _start(module: nn.Module) -> None:
    """Weights to begin with: variance of the fan out, as the paper has it."""
    if isinstance(module, nn.Conv2d):
        fan = module.kernel_size[0] * module.kernel_size[1] * module.out_channels // module.groups
        nn.init.normal_(module.weight, 0, math.sqrt(2 / fan))
