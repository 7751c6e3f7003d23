"""Poolings and heads against their formulas, and the network over them."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from vision_samples import LABELS, WIDTH, tiny_backbone, tiny_network

from radcap.core import UsageError
from radcap.vision.blocks import HEADS
from radcap.vision.heads import Head, LabelFacts, Taught, make_head, make_pool
from radcap.vision.heads.csra import CsraHead
from radcap.vision.heads.pooling import GemPool
from radcap.vision.network import Network, make_network
from radcap.vision.settings import BackboneSettings, HeadSettings


@pytest.fixture
def features() -> torch.Tensor:
    return torch.randn(3, WIDTH, 4, 5, generator=torch.Generator().manual_seed(1))


def test_mean_and_largest(features):
    expected = torch.stack([torch.stack([one.mean() for one in image]) for image in features])
    torch.testing.assert_close(make_pool("avg")(features), expected)
    expected = torch.tensor([[float(one.max()) for one in image] for image in features])
    torch.testing.assert_close(make_pool("max")(features), expected)
    with pytest.raises(UsageError, match="There is no pooling 'mean'"):
        make_pool("mean")


@pytest.mark.parametrize("power", [1.0, 3.0, 4.5])
def test_gem_is_the_power_mean(features, power):
    pool = GemPool()
    assert pool.power.item() == 3
    nn.init.constant_(pool.power, power)
    pooled = pool(features).tolist()
    for place, image in enumerate(features):
        for channel, values in enumerate(image):
            held = [max(float(value), 1e-6) for value in values.flatten()]
            expected = (sum(value**power for value in held) / len(held)) ** (1 / power)
            assert pooled[place][channel] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0, 7.0, 8.0, 20.0])
@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 1e4])
def test_gem_and_its_slopes_are_those_of_the_plain_formula_in_double_precision(features, power, scale):
    pool, shown = GemPool(), (scale * features).requires_grad_()
    nn.init.constant_(pool.power, power)
    pooled = pool(shown)
    pooled.sum().backward()
    exact = (scale * features).double().requires_grad_()
    p = torch.tensor(power, dtype=torch.float64, requires_grad=True)
    expected = exact.clamp(min=1e-6).pow(p).mean(dim=(2, 3)).pow(1 / p)
    expected.sum().backward()
    torch.testing.assert_close(pooled.double(), expected, rtol=1e-4, atol=0)
    for found, wanted in ((shown.grad, exact.grad), (pool.power.grad, p.grad)):
        assert found is not None
        torch.testing.assert_close(found.double(), wanted, rtol=1e-3, atol=1e-6 * max(scale, 1))


def test_gem_learns_its_power_and_works_in_half_precision(features):
    pool = GemPool()
    pooled = pool(features.half())
    assert pooled.dtype == torch.float32
    pooled.sum().backward()
    assert pool.power.grad is not None
    assert pool.power.grad.isfinite()


def test_a_linear_head_is_a_layer_over_the_mean(features):
    head = make_head(HeadSettings(drop=0.5), WIDTH, LABELS).eval()
    layer = head.get_submodule("linear")
    assert isinstance(layer, nn.Linear)
    torch.testing.assert_close(head(features), features.mean((2, 3)) @ layer.weight.T + layer.bias)
    head.train()
    torch.manual_seed(0)
    assert not torch.equal(head(features), head(features))


def test_an_mlp_has_the_layers_it_was_given(features):
    head = make_head(HeadSettings(kind="mlp", pool="max", hidden=(7, 5), drop=0.3), WIDTH, LABELS).eval()
    layers = [one for one in head.modules() if isinstance(one, nn.Linear)]
    assert [one.weight.shape for one in layers] == [(7, WIDTH), (5, 7), (LABELS, 5)]
    values = features.amax((2, 3))
    for layer in layers[:-1]:
        values = torch.relu(values @ layer.weight.T + layer.bias)
    torch.testing.assert_close(head(features), values @ layers[-1].weight.T + layers[-1].bias)
    assert len([one for one in head.modules() if isinstance(one, nn.Dropout)]) == 2


@pytest.mark.parametrize(
    ("heads", "temperatures"),
    [(1, [1]), (2, [1, 99]), (4, [1, 2, 4, 99]), (6, [1, 2, 3, 4, 5, 99]), (8, [1, 2, 3, 4, 5, 6, 7, 99])],
)
@torch.no_grad()
def test_csra_is_the_sum_of_the_published_formula(features, heads, temperatures):
    head = make_head(HeadSettings(kind="csra", heads=heads, strength=0.3), WIDTH, 4)
    assert isinstance(head, CsraHead)
    expected = torch.zeros(3, 4)
    places = features.flatten(2)
    for image in range(3):
        for label in range(4):
            for number, temperature in enumerate(temperatures):
                normed = head.weight[number, label] / head.weight[number, label].norm()
                scores = torch.stack([places[image, :, place] @ normed for place in range(20)])
                weights = torch.exp(temperature * (scores - scores.max()))
                attended = (weights * scores).sum() / weights.sum()
                expected[image, label] += float(scores.mean() + 0.3 * attended)
    torch.testing.assert_close(head(features), expected, atol=1e-5, rtol=1e-4)
    assert head.score_maps(features).shape == (3, heads, 4, 20)


def test_a_very_high_temperature_takes_the_maximum(features):
    head = make_head(HeadSettings(kind="csra", heads=2, strength=1.0), WIDTH, 4)
    assert isinstance(head, CsraHead)
    maps = head.score_maps(100 * features)
    soft = torch.softmax(maps[:, 0], -1).mul(maps[:, 0]).sum(-1)
    expected = maps[:, 0].mean(-1) + soft + maps[:, 1].mean(-1) + maps[:, 1].amax(-1)
    torch.testing.assert_close(head(100 * features), expected, atol=1e-3, rtol=1e-4)


def test_a_head_alone_has_no_logits(features):
    with pytest.raises(NotImplementedError):
        Head(HeadSettings(), WIDTH, LABELS)(features)


def test_an_unknown_head_is_refused():
    with pytest.raises(UsageError, match=r"There is no head 'liner'. Nearest is 'linear'"):
        make_head(HeadSettings(kind="liner"), 3, 3)


def test_a_network_is_its_parts():
    network = tiny_network().eval()
    pixels = torch.rand(2, 3, 16, 16) * 255
    features = network.backbone(pixels)
    assert features.shape == (2, WIDTH, 4, 4)
    logits, vectors = network.both(pixels)
    torch.testing.assert_close(network(pixels), logits)
    torch.testing.assert_close(network.embed(pixels), vectors)
    torch.testing.assert_close(vectors, features.mean((2, 3)))
    assert logits.shape == (2, LABELS)
    assert logits.dtype == vectors.dtype == torch.float32


def test_pixels_are_scaled_by_the_backbone():
    backbone = tiny_backbone().eval()
    pixels = torch.rand(1, 3, 16, 16) * 255
    torch.testing.assert_close(backbone(pixels), backbone.body((pixels - 127) / 64))
    assert not any(name in backbone.state_dict() for name in ("mean", "spread"))


def test_a_network_by_its_tables():
    network = make_network(BackboneSettings(), HeadSettings(kind="csra", pool="gem"), 3, size=32)
    assert isinstance(network, Network)
    assert isinstance(network.head, Head)
    assert network.eval()(torch.zeros(1, 3, 32, 32)).shape == (1, 3)


@pytest.mark.parametrize("kind", [one for one in HEADS.names if one != "sequence"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (1, 5)])
def test_heads_take_maps_of_any_shape_and_keep_their_answers(kind, shape):
    settings = HeadSettings(kind=kind, width=8, pool="gem", count=True)
    maps = torch.randn(2, WIDTH, *shape, generator=torch.Generator().manual_seed(1))
    head, other = (make_head(settings, WIDTH, LABELS).eval() for _ in range(2))
    head.meet(LabelFacts(torch.rand(LABELS), ("a", "b", "", "b", "b", "a"), torch.arange(LABELS)))
    assert head(maps).shape == (2, LABELS)
    assert head.embed(maps).shape == (2, WIDTH)
    other.load_state_dict(head.state_dict())
    assert torch.equal(other(maps), head(maps))
    with torch.autocast("cpu", torch.bfloat16):
        taught = head(maps, torch.ones(2, LABELS))
    assert isinstance(taught, Taught)
    assert taught.logits.dtype == taught.vectors.dtype == torch.float32
    torch.testing.assert_close(taught.logits, head(maps), atol=0.3, rtol=0.1)
