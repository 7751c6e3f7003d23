"""The residual network of several scales: shape, positions, frozen projection, and that it learns."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones import Backbone, make_backbone
from radcap.vision.backbones.residual_scales import ResidualScales, with_positions
from radcap.vision.folding import fold
from radcap.vision.settings import BackboneSettings


def made(seed: int = 0, width: int = 16, drop: float = 0.0) -> Backbone:
    torch.manual_seed(seed)
    return make_backbone(BackboneSettings("residual-scales", width=width, drop=drop), size=32)


def body(backbone: Backbone) -> ResidualScales:
    assert isinstance(backbone.body, ResidualScales)
    return backbone.body


@pytest.mark.parametrize(("size", "side"), [(16, 1), (32, 1), (33, 2), (100, 4), (224, 7), (512, 16)])
@torch.no_grad()
def test_any_size_is_a_map_at_a_32nd(size, side):
    features = made(width=7).eval()(torch.rand(1, 3, size, size) * 255)
    assert features.shape == (1, 7, side, side)
    assert features.isfinite().all()


def test_channels_and_strides_are_the_published_ones():
    stages: list[Any] = [stage for name, stage in made().named_modules() if name.endswith("conv1")]
    assert [(one.in_channels, one.out_channels, *one.stride) for one in stages] == [
        *((5, 8, 2, 2), (8, 16, 2, 2), (16, 16, 2, 2), (16, 16, 4, 4))
    ]
    assert body(made()).projection.shape == (16, 16, 1, 1)


def test_positions_run_from_left_to_right_and_from_top_to_bottom():
    told = with_positions(torch.zeros(2, 3, 3, 5))
    assert told.shape == (2, 5, 3, 5)
    assert told[1, 3].tolist() == [[-1.0, -0.5, 0.0, 0.5, 1.0]] * 3
    assert told[1, 4].tolist() == [[-1.0] * 5, [0.0] * 5, [1.0] * 5]


@torch.no_grad()
def test_features_are_the_scales_brought_to_the_last_size_and_projected():
    backbone = made().eval()
    network, pixels = body(backbone), torch.rand(2, 3, 64, 64) * 255
    x = with_positions((pixels - 127.5) / 127.5)
    told = []
    for number, (stage, side) in enumerate(zip(network.stages, (32, 16, 8, 2), strict=True)):
        x = stage(x)
        assert x.shape[-1] == side
        layer = network.get_submodule(f"scales.{number}")
        told.append(layer(F.avg_pool2d(x, side // 2)))
    expected = torch.einsum("wc,nchv->nwhv", network.projection[:, :, 0, 0], torch.cat(told, dim=1))
    torch.testing.assert_close(backbone(pixels), expected, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_a_block_is_two_convolutions_over_a_shortcut():
    block: Any = made().eval().get_submodule("body.stages.0")
    x = torch.randn(1, 5, 8, 8)
    inner = F.relu(block.bn1(F.conv2d(x, block.conv1.weight, stride=2, padding=1)))
    branch = block.bn2(F.conv2d(inner, block.conv2.weight, padding=1))
    short = block.bn3(torch.einsum("oi,nihw->nohw", block.short.weight[:, :, 0, 0], x[:, :, ::2, ::2]))
    torch.testing.assert_close(block(x), F.relu(short + branch), atol=1e-5, rtol=1e-4)


def test_everything_is_trained_but_the_projection():
    backbone = made().train()
    before = body(backbone).projection.clone()
    truth = torch.tensor([0.0, 1.0]).repeat(8)
    pixels = 127 + 60 * torch.randn(16, 3, 32, 32) + 40 * truth.view(-1, 1, 1, 1)
    layer = torch.nn.Linear(16, 1)
    optimiser = torch.optim.AdamW([*backbone.parameters(), *layer.parameters()], lr=1e-2)
    losses = []
    for _ in range(25):
        optimiser.zero_grad()
        loss = F.binary_cross_entropy_with_logits(layer(backbone(pixels).mean((2, 3))).squeeze(1), truth)
        loss.backward()
        assert all(one.grad is not None for one in backbone.parameters())
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.2 < losses[0]
    assert torch.equal(body(backbone).projection, before)


@torch.no_grad()
def test_the_projection_travels_with_the_weights():
    one, other, pixels = made(0).eval(), made(1).eval(), torch.rand(2, 3, 64, 64) * 255
    assert not torch.allclose(one(pixels), other(pixels))
    other.load_state_dict(one.state_dict())
    assert torch.equal(one(pixels), other(pixels))
    assert "body.projection" in one.state_dict()


@torch.no_grad()
def test_folded_norms_give_the_same_features():
    backbone, pixels = made().train(), torch.rand(4, 3, 64, 64) * 255
    for _ in range(3):
        backbone(pixels)  # norms that have seen something
    plain = copy.deepcopy(backbone).eval()(pixels)
    torch.testing.assert_close(fold(backbone)(pixels), plain, atol=1e-4, rtol=1e-3)


@torch.no_grad()
def test_branches_are_dropped_in_training_alone():
    backbone, pixels = made(drop=1.0).eval(), torch.rand(4, 3, 64, 64) * 255
    assert torch.equal(backbone(pixels), made().eval()(pixels))
    block: Any = backbone.get_submodule("body.stages.0")
    x = torch.randn(4, 5, 8, 8)
    torch.testing.assert_close(block.train()(x), F.relu(block.bn3(block.short(x[..., ::2, ::2]))))


@torch.no_grad()
def test_half_precision_will_do():
    with torch.autocast("cpu", torch.bfloat16):
        features = made().eval()(torch.rand(2, 3, 64, 64) * 255)
    assert features.isfinite().all()
