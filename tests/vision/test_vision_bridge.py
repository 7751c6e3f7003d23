"""Learnt queries over a feature map, beside torch's own attention, and heads that look at them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it
from vision_samples import LABELS, WIDTH, tiny_backbone

from radcap.core import UsageError
from radcap.vision.bridge import AnyBridge, Bridge, QueryAttention
from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.network import Network
from radcap.vision.places import place_sines
from radcap.vision.settings import BridgeSettings, HeadSettings

SETTINGS = BridgeSettings(queries=3, layers=2, width=8, heads=2, factor=2.0, drop=0.1)


@pytest.fixture
def features() -> torch.Tensor:
    return torch.randn(2, WIDTH, 4, 5, generator=torch.Generator().manual_seed(1))


def bridge(settings: BridgeSettings = SETTINGS) -> Bridge:
    torch.manual_seed(0)
    return Bridge(settings, WIDTH).eval()


def as_torch_has_it(ours: QueryAttention, queries: torch.Tensor, places: torch.Tensor | None) -> torch.Tensor:
    """The same weights in torch's own module."""
    width = ours.out.in_features
    theirs = nn.MultiheadAttention(width, ours.heads, batch_first=True).eval()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.ask.weight, ours.tell.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.ask.bias, ours.tell.bias]))
        theirs.out_proj.load_state_dict(ours.out.state_dict())
    normed = F.layer_norm(queries, (width,), ours.norm.weight, ours.norm.bias)
    told = normed if places is None else places
    return theirs(normed, told, told, need_weights=False)[0]


@torch.no_grad()
def test_layers_read_look_and_think(features: torch.Tensor) -> None:
    made = bridge()
    rows = features.flatten(2).transpose(1, 2)
    norm, line, last = made.entry
    places = last(line(norm(rows))) + place_sines(4, 5, torch.zeros(1, 8))
    queries = made.queries.expand(2, -1, -1)
    for layer in made.layers:
        reading, looking = (layer.get_submodule(name) for name in ("reading", "looking"))
        assert isinstance(reading, QueryAttention)
        assert isinstance(looking, QueryAttention)
        queries = queries + as_torch_has_it(reading, queries, None)
        queries = queries + as_torch_has_it(looking, queries, places)
        norm, wide, _, out = layer.get_submodule("thinking").children()
        queries = queries + out(F.gelu(wide(norm(queries))))
    expected = made.norm(queries).transpose(1, 2)[..., None]
    torch.testing.assert_close(made(features), expected, atol=1e-5, rtol=1e-4)


def test_a_map_of_any_size_is_told_in_as_many_vectors(features: torch.Tensor) -> None:
    made = bridge()
    assert made(features).shape == made(features[..., :2, :1]).shape == (2, 8, 3, 1)
    assert made.width == 8
    alone = torch.cat([made(features[:1]), made(features[1:])])
    torch.testing.assert_close(made(features), alone)
    turned = made(features.flip(-1))  # places count
    assert not torch.allclose(turned, made(features), atol=1e-3)
    assert len(made.readings()) == len(made.lookings()) == 2


def test_places_are_pooled_to_the_grid_first(features: torch.Tensor) -> None:
    pooled = bridge(replace(SETTINGS, grid=2))
    torch.testing.assert_close(pooled(features), bridge()(F.adaptive_avg_pool2d(features, 2)))
    torch.testing.assert_close(pooled(features[..., :2, :2]), bridge()(features[..., :2, :2]))


def test_sizes_are_as_the_docstrings_say() -> None:
    def count(module: nn.Module) -> int:
        return sum(one.numel() for one in module.parameters())

    made = bridge()
    width, factor = 8, 2
    assert count(made.layers[0].get_submodule("reading")) == 4 * width**2 + 6 * width
    assert count(made.layers[0]) == (8 + 2 * factor) * width**2 + (factor + 15) * width


def test_every_weight_has_a_slope_and_drops_while_it_learns(features: torch.Tensor) -> None:
    made = bridge().train()
    made(features).square().mean().backward()
    assert all(one.grad is not None for one in made.parameters())
    assert not torch.equal(made(features), made(features))


@torch.no_grad()
def test_what_is_added_begins_no_larger_than_what_it_is_added_to() -> None:
    made = Bridge(BridgeSettings(queries=16, layers=6, width=64, heads=4), 64).eval()
    seen: list[float] = []
    for layer in made.layers:
        layer.register_forward_hook(lambda _, __, out: seen.append(float(out.std())))
    made(torch.randn(4, 64, 7, 7))
    assert min(seen) > 0.9
    assert max(seen) < 2.0


@torch.no_grad()
def test_a_head_over_queries_pools_them_and_keeps_the_backbones_vector(features: torch.Tensor) -> None:
    torch.manual_seed(3)
    head = make_head(HeadSettings(bridge=SETTINGS), WIDTH, LABELS).eval()
    assert isinstance(head, BridgedHead)
    assert head.looks_at_places
    assert not head.teaches
    means = head.bridge(features).mean(dim=(2, 3))
    linear = head.inner.get_submodule("linear")
    assert isinstance(linear, nn.Linear)
    torch.testing.assert_close(head.score(features), linear(means))
    torch.testing.assert_close(head.embed(features), features.mean(dim=(2, 3)))
    assert head.concept_vectors() is None
    network = Network(tiny_backbone(), head).eval()
    logits, vectors = network.both(torch.rand(1, 3, 32, 32) * 255)
    assert (logits.shape, vectors.shape) == ((1, LABELS), (1, WIDTH))


def test_the_head_inside_meets_the_labels_and_teaches(features: torch.Tensor) -> None:
    settings = HeadSettings(kind="label-embedding", width=8, nearest=2, count=True, bridge=SETTINGS)
    torch.manual_seed(3)
    head = make_head(settings, WIDTH, LABELS).eval()
    assert isinstance(head, BridgedHead)
    assert head.teaches
    shares = torch.full((LABELS,), 0.25)
    head.meet(LabelFacts(shares, ("",) * LABELS, torch.arange(LABELS)))
    bias = head.inner.get_parameter("bias")
    torch.testing.assert_close(bias.detach(), torch.full((LABELS,), -math.log(3)))
    labels = torch.zeros(2, LABELS)
    told = head.teach(features, labels)
    expected = head.inner.teach(head.bridge(features), labels)
    for ours, theirs in zip(told, expected, strict=True):
        torch.testing.assert_close(ours, theirs)
    vectors = head.concept_vectors()
    assert vectors is not None
    assert told.concepts is not None
    assert torch.equal(told.concepts, vectors)


def test_a_bridge_tells_where_it_looks() -> None:
    bare = AnyBridge(SETTINGS, 8)
    for told in (bare.readings, bare.lookings):
        with pytest.raises(NotImplementedError):
            told()


def test_heads_must_divide_the_width_of_queries() -> None:
    with pytest.raises(UsageError, match=r"width is 8, and heads is 3\. Heads must divide"):
        replace(SETTINGS, heads=3)
    with pytest.raises(UsageError, match="heads is 0"):
        replace(SETTINGS, heads=0)
