"""Attention as it is recorded, and what is followed through the layers of an encoder by it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.decoders import Memory
from radcap.captioning.decoders.additive import AdditiveAttention
from radcap.core import UsageError
from radcap.explanation.families import DEFAULTS, FAMILIES, default_method, family_of
from radcap.explanation.lenses import Lens
from radcap.explanation.lenses.attention import Attended, recorded
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.lenses.tokens import image_tokens, token_layers
from radcap.explanation.methods import METHODS
from radcap.explanation.methods.chefer import Chefer
from radcap.explanation.methods.rollout import Rollout
from radcap.explanation.targets import Concept, Contrast
from radcap.vision.backbones import Backbone
from radcap.vision.backbones.timm_networks import TimmFeatures
from radcap.vision.heads import make_head
from radcap.vision.network import Network
from radcap.vision.settings import HeadSettings
from radcap.vision.torchvision_ops import ensure_torchvision

torch.set_num_threads(1)  # networks this small only wait for threads

LABELS = ("C0000001", "C0000002")
TARGETS = tuple(map(Concept, LABELS))
SIZE, WIDTH, SIDE, HEADS = 24, 8, 3, 2


def _parts(*, askers: int = 4, asked: int = 4, heads: int = 3, keys: int = 3) -> tuple[torch.Tensor, ...]:
    chance = torch.Generator().manual_seed(0)
    shapes = ((2, heads, askers, 5), (2, keys, asked, 5), (2, keys, asked, 6))
    return tuple(torch.randn(shape, generator=chance) for shape in shapes)


def _some(*shape: int, seed: int = 1) -> torch.Tensor:
    there = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    there[..., 0] = True
    return there


BLIND = torch.ones(4, 4, dtype=torch.bool).tril(-1)  # the first may look at nothing
CALLS = {
    "plain": ({}, {}, False),
    "to others": ({"asked": 7}, {}, True),
    "causal": ({}, {"is_causal": True}, False),
    "causal, fewer asked": ({"asked": 3}, {"is_causal": True}, True),
    "boolean mask": ({}, {"attn_mask": _some(2, 1, 4, 4)}, False),
    "boolean mask, alike for all": ({}, {"attn_mask": _some(2, 1, 1, 4)}, True),
    "numbers as a mask": ({}, {"attn_mask": torch.randn(4, 4)}, False),
    "who sees nothing": ({}, {"attn_mask": BLIND}, False),
    "scale": ({}, {"scale": 0.3}, False),
    "shared keys": ({"heads": 6, "keys": 2}, {"enable_gqa": True, "is_causal": True}, False),
    "one asks": ({"askers": 1, "asked": 1}, {"attn_mask": torch.ones(1, 1, dtype=torch.bool)}, False),
}


@pytest.mark.parametrize(("sizes", "options", "cross"), CALLS.values(), ids=CALLS)
def test_what_is_recorded_is_what_torch_computes(sizes, options, cross):
    query, key, value = _parts(**sizes)
    wanted = F.scaled_dot_product_attention(query, key, value, **options)
    with recorded(nn.Identity()) as seen:
        found = F.scaled_dot_product_attention(query, key, value, **options)
    torch.testing.assert_close(found, wanted)
    (one,) = seen
    assert one.cross is cross
    times = query.shape[1] // value.shape[1]
    torch.testing.assert_close(one.weights @ value.repeat_interleave(times, 1), wanted)
    sums = one.weights.sum(-1)
    assert torch.all(torch.isclose(sums, torch.ones(())) | (sums == 0))


def test_slopes_go_through_the_weights_even_where_nothing_is_seen():
    query, key, value = [one.requires_grad_() for one in _parts()]
    plain = F.scaled_dot_product_attention(query, key, value, BLIND)
    wanted = torch.autograd.grad(plain.square().sum(), (query, key, value))
    with recorded(nn.Identity()) as seen:
        total = F.scaled_dot_product_attention(query, key, value, BLIND).square().sum()
    found = torch.autograd.grad(total, (query, key, value, seen[0].weights))
    for ours, theirs in zip(found, wanted, strict=False):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)
    assert torch.isfinite(found[3]).all()
    assert found[3].abs().sum() > 0


def test_weights_are_those_of_torchs_module():
    torch.manual_seed(2)
    module, x = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval(), torch.randn(2, 5, WIDTH)
    views, weights = module(x, x, x, average_attn_weights=False)
    parts = F.linear(x, module.in_proj_weight, module.in_proj_bias).unflatten(-1, (3, HEADS, -1))
    with recorded(module) as seen:
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        found = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(seen[0].weights, weights)
    torch.testing.assert_close(module.out_proj(found.transpose(1, 2).flatten(2)), views)


def test_attention_inside_of_a_function_of_torch_is_not_seen():
    """Torch tells of the outer call alone: such an encoder is refused, and not explained by half."""
    module, x = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval(), torch.randn(1, 9, WIDTH)
    with recorded(module) as seen:
        module(x, x, x, need_weights=False)
    assert not seen
    with pytest.raises(UsageError, match="no attention over the whole image"):
        token_layers(seen, torch.zeros(1, WIDTH, SIDE, SIDE))


def test_the_additive_kind_is_recorded_and_let_go():
    torch.manual_seed(0)
    layer = AdditiveAttention(WIDTH)
    memory = Memory(torch.randn(2, 5, WIDTH), _some(2, 5))
    asked, question = layer.see(memory), torch.randn(2, WIDTH)
    with recorded(nn.ModuleList([layer])) as seen:
        found = layer(question, asked)
    layer(question, asked)  # after it: seen by nobody
    (one,) = seen
    assert one.cross
    assert one.weights.shape == (2, 1, 1, 5)
    (slope,) = torch.autograd.grad(found.sum(), one.weights, retain_graph=True)
    torch.testing.assert_close(slope[:, 0, 0], memory.values.sum(-1))
    for row in range(2):
        scores = [
            layer.score(torch.tanh(layer.key(memory.values[row, j]) + layer.query(question[row]))).item()
            if memory.there[row, j]
            else -np.inf
            for j in range(5)
        ]
        shares = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(one.weights[row, 0, 0].detach(), shares, atol=1e-6)
        np.testing.assert_allclose(found[row].detach(), shares @ memory.values[row].numpy(), atol=1e-6)


class Block(nn.Module):
    """Attention and what follows it, each added to what came in."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.parts = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH)
        self.out, self.more = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts(self.norm(x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = self.split(x)
        return self.rest(x, F.scaled_dot_product_attention(query, key, value))

    def rest(self, x: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        x = x + self.out(views.transpose(1, 2).flatten(2))
        return x + self.more(F.gelu(x))


class MiniVit(nn.Module):
    """Two layers over 3 x 3 patches, after a class token or none."""

    def __init__(self, before: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTH, SIZE // SIDE, stride=SIZE // SIDE)
        self.before = nn.Parameter(torch.randn(1, before, WIDTH))
        self.places = nn.Parameter(torch.randn(1, SIDE * SIDE + before, WIDTH))
        self.layers = nn.ModuleList([Block(), Block()])

    def begin(self, x: torch.Tensor) -> torch.Tensor:
        patches = self.stem(x).flatten(2).transpose(1, 2)
        return torch.cat([self.before.expand(len(x), -1, -1), patches], 1) + self.places

    def end(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, self.before.shape[1] :].transpose(1, 2).unflatten(-1, (SIDE, SIDE))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.begin(x)
        for layer in self.layers:
            x = layer(x)
        return self.end(x)


def _lens(body: nn.Module, width: int = WIDTH, size: int = SIZE, head: str = "linear") -> NetworkLens:
    backbone = Backbone(body, width, (128.0,) * 3, (64.0,) * 3)
    network = Network(backbone, make_head(HeadSettings(kind=head), width, len(LABELS))).eval()
    pixels = torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(5)) * 255
    return NetworkLens(network, {label: place for place, label in enumerate(LABELS)}, pixels, Frame())


def _mini(before: int) -> NetworkLens:
    torch.manual_seed(before)
    return _lens(MiniVit(before))


def _by_hand(lens: NetworkLens) -> tuple[list[torch.Tensor], torch.Tensor]:
    """The weights of each layer of a mini transformer, with the softmax written out, and the logits."""
    body = lens.backbone.body
    assert isinstance(body, MiniVit)
    x, layers = body.begin((lens.pixels - 128) / 64), []
    for layer in body.layers:
        assert isinstance(layer, Block)
        query, key, value = layer.split(x)
        powers = torch.exp(query @ key.mT / (WIDTH / HEADS) ** 0.5)
        layers.append(powers / powers.sum(-1, keepdim=True))
        x = layer.rest(x, layers[-1] @ value)
    return layers, lens.network.head(body.end(x))[0]


def _pooled(mixed: np.ndarray, before: int, side: int = SIDE) -> np.ndarray:
    """Tokens that are pooled, as a mean over them, by the places of the image."""
    count = side * side
    found = np.zeros((side, side))
    for row in range(count):
        for column in range(count):
            found[column // side, column % side] += mixed[before + row, before + column] / count
    return found


@pytest.mark.parametrize("before", [0, 1, 3])
def test_rollout_is_the_product_of_half_attention_and_half_itself(before):
    lens = _mini(before)
    layers, _ = _by_hand(lens)
    tokens = SIDE * SIDE + before
    mixed = np.eye(tokens)
    for layer in layers:
        half = np.zeros((tokens, tokens))
        for i in range(tokens):
            for j in range(tokens):
                mean = sum(layer[0, head, i, j].item() for head in range(HEADS)) / HEADS
                half[i, j] = (mean + (i == j)) / 2
        half /= half.sum(axis=1, keepdims=True)  # as the paper has it; it changes nothing here
        mixed = half @ mixed
    found = Rollout()(lens, TARGETS)
    assert found.spread is None
    assert found.maps.shape == (2, SIDE, SIDE)
    np.testing.assert_allclose(found.maps[0], _pooled(mixed, before), atol=1e-6)
    torch.testing.assert_close(found.maps[0], found.maps[1])


@pytest.mark.parametrize("before", [0, 1])
def test_chefer_weighs_attention_by_its_slopes(before):
    lens = _mini(before)
    layers, logits = _by_hand(lens)
    tokens, found = SIDE * SIDE + before, Chefer()(lens, TARGETS).maps
    for label in range(2):
        slopes = torch.autograd.grad(logits[label], layers, retain_graph=True)
        relevance = np.eye(tokens)
        for layer, slope in zip(layers, slopes, strict=True):
            bar = np.zeros((tokens, tokens))
            for head in range(HEADS):
                bar += np.maximum(0, (slope * layer).detach().numpy()[0, head]) / HEADS
            relevance = relevance + bar @ relevance
        wanted = _pooled(relevance - np.eye(tokens), before)
        np.testing.assert_allclose(found[label], wanted, atol=1e-7, rtol=1e-4)
    assert found.min() >= 0
    assert not torch.allclose(found[0], found[1])
    assert not found.requires_grad


def test_the_contrast_of_concepts_has_slopes_of_its_own():
    lens = _mini(1)
    pair = Chefer()(lens, [Contrast(*TARGETS)]).maps[0]
    layers, logits = _by_hand(lens)
    slopes = torch.autograd.grad(logits[0] - logits[1], layers)
    bars = [(s * a).relu().mean(1)[0] for s, a in zip(slopes, layers, strict=True)]
    whole = bars[0] + bars[1] + bars[1] @ bars[0]
    np.testing.assert_allclose(pair, _pooled(whole.detach().numpy(), 1), atol=1e-7, rtol=1e-4)


@pytest.fixture(scope="module")
def timm_lens() -> NetworkLens:
    ensure_torchvision()
    from timm.models.vision_transformer import VisionTransformer

    torch.manual_seed(0)
    network = VisionTransformer(
        img_size=SIZE, patch_size=8, embed_dim=16, depth=2, num_heads=2, num_classes=0, reg_tokens=2
    )
    return _lens(TimmFeatures(network), width=16)


class Kept(nn.Module):
    """Attention weights as timm's own unfused way has them."""

    def __init__(self, kept: list[torch.Tensor]) -> None:
        super().__init__()
        self.kept = kept

    def forward(self, weights: torch.Tensor) -> torch.Tensor:
        self.kept.append(weights)
        return weights


def test_a_transformer_of_timm_is_followed(timm_lens):
    network = timm_lens.backbone.body.network
    rolled, followed = Rollout()(timm_lens, TARGETS).maps, Chefer()(timm_lens, TARGETS).maps
    kept: list[torch.Tensor] = []
    dropped = [block.attn.attn_drop for block in network.blocks]
    for block in network.blocks:
        block.attn.fused_attn, block.attn.attn_drop = False, Kept(kept)
    logits = timm_lens.network(timm_lens.pixels)[0]
    slopes = torch.autograd.grad(logits[1], kept)
    for block, drop in zip(network.blocks, dropped, strict=True):
        block.attn.fused_attn, block.attn.attn_drop = True, drop
    own = torch.eye(12)  # a class token, two registers, nine places
    half = [(one[0].mean(0) + own) / 2 for one in kept]
    np.testing.assert_allclose(rolled[0], _pooled((half[1] @ half[0]).detach().numpy(), 3), atol=1e-6)
    bars = [(s * a).relu().mean(1)[0] for s, a in zip(slopes, kept, strict=True)]
    whole = (bars[0] + bars[1] + bars[1] @ bars[0]).detach().numpy()
    np.testing.assert_allclose(followed[1], _pooled(whole, 3), atol=1e-7, rtol=1e-4)


LAYERS = {
    "none at all": [],
    "beside the image": [Attended(torch.ones(1, 2, 4, 4), cross=True)],
    "windows": [Attended(torch.ones(4, 2, 4, 4), cross=False)],
    "ever fewer tokens": [Attended(torch.ones(1, 2, n, n), cross=False) for n in (9, 4)],
    "fewer tokens than places": [Attended(torch.ones(1, 2, 3, 3), cross=False)],
}


@pytest.mark.parametrize("seen", LAYERS.values(), ids=LAYERS)
def test_an_encoder_whose_layers_do_not_see_all_is_refused(seen):
    with pytest.raises(UsageError, match="Use grad-cam"):
        token_layers(seen, torch.zeros(1, WIDTH, 2, 2))


def test_layers_that_look_beside_are_left_out():
    seen = [Attended(torch.ones(1, 2, 5, 5), cross=False), Attended(torch.ones(1, 2, 5, 3), cross=True)]
    assert len(token_layers(seen, torch.zeros(1, WIDTH, 2, 2))) == 1
    assert image_tokens(torch.eye(7), (2, 3)).shape == (2, 3)


def test_a_convolutional_network_is_refused():
    lens = _lens(nn.Conv2d(3, WIDTH, 8, stride=8))
    for method in (Rollout(), Chefer()):
        with pytest.raises(UsageError, match="Use grad-cam"):
            method(lens, TARGETS)


def test_kinds_of_networks_that_name_concepts(timm_lens):
    convolutions = nn.Conv2d(3, WIDTH, 8, stride=8)
    assert family_of(timm_lens) == "vit"
    assert family_of(_lens(convolutions)) == "cnn"
    assert family_of(_lens(convolutions, head="csra")) == "csra"


def test_every_kind_has_a_method():
    assert set(DEFAULTS) == set(FAMILIES)
    assert {default_method(one) for one in FAMILIES} <= set(METHODS.names)


def test_a_lens_has_pixels_a_frame_and_chances():
    lens: Lens = _mini(0)
    both = [*TARGETS, Contrast(*TARGETS)]
    scores = lens.scores(lens.backbone(lens.pixels), both)[0].detach()
    torch.testing.assert_close(scores[2], scores[0] - scores[1])
    chances = lens.chances(lens.pixels, both)
    torch.testing.assert_close(chances[0], 1 / (1 + torch.exp(-scores)))
    assert not chances.requires_grad
    assert lens.frame == Frame()
