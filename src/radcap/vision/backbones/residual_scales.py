"""A small residual network that looks at several scales, trained from scratch (DS4DH 2025).

Published are: colours and two channels of position, stages of 5-8-16-16-16 channels with strides 2-2-2-4,
several scales, 4 output channels, and a frozen random projection ("filter 16") before a decoder of width 16.
Interpreted here: a stage is one residual block; each of the four scales is brought to the last size by
averaging and to 4 channels by a layer, which makes 16; a random 1 x 1 projection, never trained, takes these
to the width that is asked for. Norms and ReLU are of the usual kind.
Invariant: the projection is kept with the weights, so a model that is loaded sees what was trained.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones.backbone import Backbone

if TYPE_CHECKING:
    from radcap.vision.settings import BackboneSettings

__all__ = ["ResidualScales", "make_residual_scales", "with_positions"]

CHANNELS = (5, 8, 16, 16, 16)  # what goes in, and what each stage gives
STRIDES = (2, 2, 2, 4)
SCALE = 4  # channels that each scale contributes
MEAN = SPREAD = 127.5


def make_residual_scales(settings: BackboneSettings, *, size: int) -> Backbone:  # noqa: ARG001 - any size
    """The backbone `residual-scales`, with `width` channels at a 32nd of the size."""
    return Backbone(ResidualScales(settings.width, settings.drop), settings.width, [MEAN] * 3, [SPREAD] * 3)


class ResidualScales(nn.Module):
    """From scaled pixels to the features of all scales, mixed at random."""

    projection: torch.Tensor

    def __init__(self, width: int, drop: float = 0.0) -> None:
        super().__init__()
        pairs = zip(CHANNELS, CHANNELS[1:], STRIDES, strict=False)
        self.stages = nn.ModuleList(Residual(*pair, drop) for pair in pairs)
        self.scales = nn.ModuleList(nn.Conv2d(channels, SCALE, 1) for channels in CHANNELS[1:])
        joined = SCALE * len(STRIDES)
        self.register_buffer("projection", torch.randn(width, joined, 1, 1) / joined**0.5)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x, seen = with_positions(images), list[torch.Tensor]()
        for stage in self.stages:
            x = stage(x)
            seen.append(x)
        brought = [F.adaptive_avg_pool2d(one, (x.shape[-2], x.shape[-1])) for one in seen]
        told = [layer(one) for layer, one in zip(self.scales, brought, strict=True)]
        return F.conv2d(torch.cat(told, dim=1), self.projection.to(told[0].dtype))


class Residual(nn.Module):
    """Two convolutions over a shortcut; the first and the shortcut step by the stride."""

    norm_after = (("conv1", "bn1"), ("conv2", "bn2"), ("short", "bn3"))

    def __init__(self, inside: int, outside: int, stride: int, drop: float) -> None:
        super().__init__()
        kernel = 2 * stride - 1  # so that no pixel is stepped over
        self.conv1 = nn.Conv2d(inside, outside, kernel, stride, stride - 1, bias=False)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.short = nn.Conv2d(inside, outside, 1, bias=False)
        self.stride = stride
        self.bn1, self.bn2, self.bn3 = (nn.BatchNorm2d(outside) for _ in range(3))
        self.drop = drop

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        branch = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        # ones for images whose branch is kept, zeros for others: all ones but in training
        kept = F.dropout(branch.new_ones(len(branch), 1, 1, 1), self.drop, self.training)
        # the pixels are left out before the convolution: with a stride of its own and five channels last in
        # memory, oneDNN writes beside its tensors on the way back (torch 2.13)
        short = self.bn3(self.short(x[..., :: self.stride, :: self.stride]))
        return F.relu(short + branch * kept)


def with_positions(images: torch.Tensor) -> torch.Tensor:
    """Two channels more: how far to the right and how far down, from -1 to 1."""
    down, right = (torch.linspace(-1, 1, length).to(images) for length in images.shape[-2:])
    places = torch.stack(torch.meshgrid(right, down, indexing="xy"))
    return torch.cat([images, places.expand(len(images), -1, -1, -1)], dim=1)
