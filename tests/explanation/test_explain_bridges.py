"""Captioners and heads that look through learnt queries, and language models that encode first: maps go back
to the places of the image, beside formulas written out and a signal that stands in one place alone."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
import torch
from captioning_samples_lm import tiny_model
from captioning_samples_seq2seq import t5
from explain_model_samples import (
    CAPTION,
    CPU,
    GRID,
    NAMES,
    SIZE,
    WIDTH,
    backbone,
    detector,
    photo,
    tokenizer,
    writer,
)
from torch import nn

from radcap.captioning.decoders import make_decoder
from radcap.captioning.decoders.language_model import LanguageModel
from radcap.captioning.decoders.seq2seq import Seq2SeqModel
from radcap.captioning.hints import Hints
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.opening import make_model
from radcap.captioning.network import CaptionNetwork, Top
from radcap.captioning.settings import DecoderSettings, GenerateSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.writer import Writer
from radcap.explanation.families import family_of
from radcap.explanation.lenses.attention import recorded
from radcap.explanation.lenses.bridging import LOOKING, READING, bridge_of, bridge_rooms
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.looking import looked
from radcap.explanation.lenses.network_lens import Headed, NetworkLens
from radcap.explanation.lenses.sighting import sighted
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.explanation.methods.chefer import Chefer
from radcap.explanation.methods.cross_attention import CrossAttention
from radcap.explanation.sanity import sanity_of
from radcap.explanation.targets import Concept, Contrast, Span
from radcap.vision.backbones import Backbone
from radcap.vision.bridge import Bridge
from radcap.vision.heads import make_head
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.network import Network
from radcap.vision.places import place_sines
from radcap.vision.settings import BridgeSettings, HeadSettings

if TYPE_CHECKING:
    from radcap.explanation.lenses import Lens
    from radcap.vision.heads import Head

TOKENS = tuple(tokenizer().encode(CAPTION))
SPANS = (Span(TOKENS, 0, 1), Span(TOKENS, 1, 3), Span(TOKENS, 2, len(TOKENS)))
PLACES = GRID * GRID
BRIDGE = BridgeSettings(queries=4, layers=2, width=8, heads=2, factor=2.0, drop=0.0)
# as many queries as places, so that no shape tells what is looked at
ALIKE = {"bridge": "q-former", "queries": PLACES, "bridge_layers": 2}


def _lively(module: nn.Module) -> None:
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)


def _borrowed(kind: str) -> Any:
    size = tokenizer().size
    if kind == "lm":
        return LanguageModel(tiny_model(vocab_size=size, num_hidden_layers=1), size)
    return Seq2SeqModel(t5(vocabulary=size), size)


@cache
def lens_of(kind: str) -> WriterLens:
    """A captioner that is told queries, with an image before it; language models are told concepts too."""
    if kind in ("lm", "t5", "t5 without a bridge"):
        reads, words = detector(), tokenizer()
        decoder = _borrowed("lm" if kind == "lm" else "t5")
        torch.manual_seed(1)
        bridge = None if kind.endswith("bridge") else Bridge(BRIDGE, WIDTH)
        made = Writer(decoder, WIDTH, len(NAMES), pad=words.pad, bridge=bridge)
        for part in (made.look, made.bridge):
            if part is not None:
                _lively(part)
        system = CaptionSystem(
            name="sample",
            task="captions",
            decoder=DecoderSettings(kind="lm"),
            generate=GenerateSettings(method="greedy", longest=8),
        )
        model = make_model(system, Eyes(CPU, reads.view, None, reads), Top(made).eval(), words, NAMES)
        told = Hints(concepts=torch.tensor([[0, 2, -1]]))
    else:
        model, told = writer(kind, decoder=ALIKE), Hints()
    seen = sighted(photo(), "photo.png", model.eyes.view, CPU.device)
    return WriterLens(model, told, seen.pixels, seen.frame)


def _bridge_by_hand(bridge: Bridge, features: torch.Tensor) -> tuple[list[tuple[str, torch.Tensor]], Any]:
    """The weights of each layer, heads x queries x asked, with the softmax written out; and the queries."""
    rows = features.flatten(2).transpose(1, 2)
    places = bridge.entry(rows)
    places = places + place_sines(features.shape[2], features.shape[3], places)
    queries = bridge.queries[None]
    found: list[tuple[str, torch.Tensor]] = []
    for layer in bridge.layers:
        part: Any = layer
        for name, module, others in (("reading", part.reading, None), ("looking", part.looking, places)):
            asked = module.norm(queries)
            told = module.tell(asked if others is None else others)
            keys, values = told[0].chunk(2, -1)
            heads = module.heads
            depth = keys.shape[-1] // heads
            parts = [slice(head * depth, (head + 1) * depth) for head in range(heads)]
            scores = [module.ask(asked)[0][:, some] @ keys[:, some].T / depth**0.5 for some in parts]
            powers = torch.exp(torch.stack(scores))
            weights = powers / powers.sum(-1, keepdim=True)
            found.append((name, weights))
            views = [one @ values[:, some] for one, some in zip(weights, parts, strict=True)]
            queries = queries + module.out(torch.cat(views, -1))[None]
        queries = queries + part.thinking(queries)
    return found, bridge.norm(queries)


def _look_elsewhere() -> None:
    query, key, value = torch.randn(3, 1, 1, 2, 4)
    nn.functional.scaled_dot_product_attention(query, key, value)


def test_what_happens_in_a_room_is_told_by_its_name():
    torch.manual_seed(0)
    bridge, features = Bridge(BRIDGE, WIDTH).eval(), torch.randn(1, WIDTH, 2, 2)
    with recorded(bridge, bridge_rooms(bridge)) as seen:
        given = bridge(features)
        _look_elsewhere()
    assert [one.room for one in seen] == [READING, LOOKING, READING, LOOKING, ""]
    wanted, queries = _bridge_by_hand(bridge, features)
    torch.testing.assert_close(given[..., 0].transpose(1, 2), queries)
    for one, (_, weights) in zip(seen, wanted, strict=False):
        torch.testing.assert_close(one.weights[0], weights)
    with recorded(bridge) as seen:  # the names are let go
        bridge(features)
    assert {one.room for one in seen} == {""}


def test_a_room_is_left_where_something_fails():
    class Failing(nn.Module):
        def forward(self) -> None:
            raise KeyError

    module = Failing()
    with recorded(module, {"cellar": [module]}) as seen:
        with pytest.raises(KeyError):
            module()
        _look_elsewhere()
    assert [one.room for one in seen] == [""]


# plain attention


def _entries(lens: WriterLens) -> np.ndarray:
    """heads of all layers x words x entries, as transformers gives them."""
    decoder: Any = lens.writer.decoder
    memory = lens.writer.memory(lens.backbone(lens.pixels), lens.told.concepts, lens.told.words, rows=1)
    asked = torch.tensor([[tokenizer().begin, *TOKENS[:-1]]])
    model = decoder.model
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            if isinstance(decoder, LanguageModel):
                kept = memory.values[:, memory.there[0]]
                values = torch.cat([kept, model.get_input_embeddings()(asked)], 1)
                told = model(inputs_embeds=values, output_attentions=True).attentions
                heads = torch.cat([one[0] for one in told])[:, kept.shape[1] :]
            else:
                asked[:, 0] = 0
                told = model(
                    inputs_embeds=memory.values,
                    attention_mask=memory.there.long(),
                    decoder_input_ids=asked,
                    output_attentions=True,
                ).cross_attentions
                heads = torch.cat([one[0] for one in told])
    finally:
        model.set_attn_implementation("sdpa")
    return heads.numpy()


@pytest.mark.parametrize("kind", ["lm", "t5", "t5 without a bridge"])
def test_queries_hand_on_what_they_get_to_the_places_that_they_looked_at(kind):
    lens = lens_of(kind)
    found = CrossAttention()(lens, SPANS)
    heads = _entries(lens)
    bridge = lens.writer.bridge
    handed = np.eye(PLACES)
    if isinstance(bridge, Bridge):
        with torch.no_grad():
            layers, _ = _bridge_by_hand(bridge, lens.backbone(lens.pixels))
        looks = torch.cat([weights for name, weights in layers if name == "looking"])
        handed = looks.mean(dim=0).numpy()
    for number, span in enumerate(SPANS):
        each = [one[span.first : span.last].mean(axis=0)[1 : 1 + len(handed)] @ handed for one in heads]
        wanted = np.stack(each).reshape(-1, GRID, GRID)
        np.testing.assert_allclose(found.maps[number], wanted.mean(axis=0), atol=1e-5)
        assert found.spread is not None
        np.testing.assert_allclose(found.spread[number], wanted.std(axis=0), atol=1e-5)


# gradient-weighted attention


def _bars(layers: Any, slopes: Any) -> list[np.ndarray]:
    return [
        np.maximum(0, (slope * one.weights).detach().numpy())[0].mean(axis=0)
        for slope, one in zip(slopes, layers, strict=True)
    ]


def _beside(bars: list[np.ndarray], cross: list[bool], others: int) -> np.ndarray:
    """Eq. 6 to 11 of the paper in loops."""
    askers = len(bars[0])
    r_ss, r_sq = np.eye(askers), np.zeros((askers, others))
    for bar, looks in zip(bars, cross, strict=True):
        if looks:
            r_sq = r_sq + _normed(r_ss).T @ bar
        else:
            r_sq = r_sq + bar @ r_sq
            r_ss = r_ss + bar @ r_ss
    return r_sq


def _normed(whole: np.ndarray) -> np.ndarray:
    """Eq. 8 and 9: rows of what comes of others sum to one."""
    others = whole - np.eye(len(whole))
    sums = others.sum(axis=1, keepdims=True)
    return np.divide(others, sums, where=sums > 0, out=np.zeros_like(others)) + np.eye(len(whole))


@pytest.mark.parametrize("kind", ["transformer", "prefix", "lm", "t5", "t5 without a bridge"])
def test_chefer_goes_through_encoder_and_bridge_to_the_places(kind):
    lens = lens_of(kind)
    found = Chefer()(lens, SPANS).maps
    assert found.shape == (len(SPANS), GRID, GRID)
    assert found.min() >= 0
    for number, span in enumerate(SPANS):
        looks = looked(lens, [span])
        parts = looks.layers
        every = [*parts.writing, *parts.encoding, *parts.bridge]
        held = [one.weights for one in every]
        slopes = torch.autograd.grad(looks.scores.sum(), held)
        bars, entries = _bars(every, slopes), looks.entries
        writing = bars[: len(parts.writing)]
        encoding = bars[len(writing) : len(writing) + len(parts.encoding)]
        if kind in ("prefix", "lm"):
            whole = np.eye(len(writing[0]))
            for bar in writing:
                whole = whole + bar @ whole
            rows = (whole - np.eye(len(whole)))[entries:, :entries]
        else:
            rows = _beside(writing, [place % 2 == 1 for place in range(len(writing))], entries)
        if encoding:
            mixed = np.eye(entries)
            for bar in encoding:
                mixed = mixed + bar @ mixed
            rows = rows @ _normed(mixed)
        shown = rows[span.first : span.last].sum(axis=0)[1 : 1 + looks.told]
        if parts.bridge:
            bridging = bars[-len(parts.bridge) :]
            handed = _beside(bridging, [place % 2 == 1 for place in range(len(bridging))], PLACES)
            sums = handed.sum(axis=1, keepdims=True)
            shown = shown @ np.divide(handed, sums, where=sums > 0, out=np.zeros_like(handed))
        np.testing.assert_allclose(found[number], shown.reshape(GRID, GRID), atol=1e-7, rtol=1e-3)
        assert found[number].sum() > 0


def test_the_entries_of_an_image_are_its_queries():
    looks = looked(lens_of("t5"), SPANS)
    assert (looks.told, looks.entries, looks.side) == (4, 1 + 4 + 3, (GRID, GRID))
    assert not looks.reads
    assert [one.cross for one in looks.layers.writing] == [False, True]
    assert len(looks.layers.encoding) == 2
    assert {one.room for one in looks.layers.bridge} == {READING, LOOKING}
    alike = looked(lens_of("transformer"), SPANS)
    assert [one.cross for one in alike.layers.writing] == [False, True] * 2
    assert family_of(lens_of("t5")) == "transformer"
    assert family_of(lens_of("lm")) == "prefix"


def test_a_network_of_noise_can_take_the_place_of_a_bridged_writer():
    found = sanity_of(Chefer(), lens_of("transformer"), [SPANS[1]], stages=2)
    assert found.stages == ("head", "backbone 1/1")


# heads


def _head_lens(grid: int = 0, pool: str = "avg") -> NetworkLens:
    torch.manual_seed(4)
    looks = backbone(3)
    settings = HeadSettings(pool=pool, bridge=BridgeSettings(**{**_keys(), "grid": grid}))
    network = Network(looks, make_head(settings, looks.width, len(NAMES))).eval()
    _lively(network.head)
    pixels = torch.rand(1, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(5)) * 255
    return NetworkLens(network, {name: place for place, name in enumerate(NAMES)}, pixels, Frame())


def _keys() -> dict[str, Any]:
    return {"queries": PLACES, "layers": 2, "width": 8, "heads": 2, "drop": 0.0}


CONCEPTS = tuple(map(Concept, NAMES))


@pytest.mark.parametrize("grid", [0, 2])
def test_chefer_of_a_head_over_queries(grid):
    lens = _head_lens(grid)
    bridge = bridge_of(lens)
    assert isinstance(bridge, Bridge)
    side = grid or GRID
    found = Chefer()(lens, [*CONCEPTS, Contrast(*CONCEPTS[:2])]).maps
    assert found.shape == (len(NAMES) + 1, side, side)
    assert not found.requires_grad
    features = lens.backbone(lens.pixels)
    if grid:
        features = nn.functional.adaptive_avg_pool2d(features, grid)
    layers, queries = _bridge_by_hand(bridge, features)
    head = cast("BridgedHead", lens.network.head)
    logits = head.inner.get_submodule("linear")(queries.mean(dim=1))[0]
    torch.testing.assert_close(logits, lens.network.head(lens.backbone(lens.pixels))[0])
    cross = [name == "looking" for name, _ in layers]
    for label in range(len(NAMES)):
        slopes = torch.autograd.grad(logits[label], [one for _, one in layers], retain_graph=True)
        bars = [
            np.maximum(0, (slope * one).detach().numpy()).mean(axis=0)
            for slope, (_, one) in zip(slopes, layers, strict=True)
        ]
        wanted = _beside(bars, cross, side * side).mean(axis=0).reshape(side, side)
        np.testing.assert_allclose(found[label], wanted, atol=1e-8, rtol=1e-3)
    assert not torch.allclose(found[0], found[1])


def test_other_heads_have_no_bridge():
    assert bridge_of(lens_of("t5")) is None
    plain = NetworkLens(detector().network, {}, lens_of("t5").pixels, Frame())
    assert bridge_of(plain) is None


# a signal in one place alone

SIDE, CELL, SIGNALS = 4, 4, 3
BEGIN = SIGNALS + 1


def _signals(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Images of noise, with a small shape of some kind in one of 16 places: pixels, kinds, places.

    The last kind is none, or one of the shapes could be known by what is not seen.
    """
    lots = torch.Generator().manual_seed(seed)
    images = torch.rand(count, 3, SIDE * CELL, SIDE * CELL, generator=lots) * 90
    kinds = torch.randint(SIGNALS + 1, (count,), generator=lots)
    places = torch.randint(SIDE * SIDE, (count,), generator=lots)
    shapes = torch.zeros(SIGNALS + 1, 3, CELL, CELL)
    shapes[0], shapes[1, :, ::2], shapes[2, :, :, ::2] = 160, 160, 160
    for row, (kind, place) in enumerate(zip(kinds.tolist(), places.tolist(), strict=True)):
        top, left = CELL * (place // SIDE), CELL * (place % SIDE)
        images[row, :, top : top + CELL, left : left + CELL] += shapes[kind]
    return images, kinds, places


@pytest.fixture(scope="module")
def seer() -> CaptionNetwork:
    """Learnt the kind of the shape, as a caption of one word and as a concept: never where it stands."""
    torch.manual_seed(0)
    body = nn.Sequential(nn.Conv2d(3, 24, CELL, stride=CELL), nn.GELU())
    looks = Backbone(body, 24, (64.0,) * 3, (64.0,) * 3)
    settings = DecoderSettings(width=24, layers=1, heads=2, longest=4, drop=0.0)
    bridge = Bridge(BridgeSettings(queries=3, layers=1, width=24, heads=2, drop=0.0), 24)
    made = Writer(make_decoder(settings, BEGIN + 1), 24, 0, pad=BEGIN, bridge=bridge)
    network = CaptionNetwork(looks, Top(made, {"concepts": make_head(HeadSettings(), 24, SIGNALS)}))
    optimiser = torch.optim.Adam(network.parameters(), lr=5e-3)
    images, kinds, _ = _signals(768, 1)
    begin = torch.full((64, 1), BEGIN)
    for step in range(150):
        some = torch.arange(64) + 64 * (step % 12)
        told = network(images[some], begin)
        loss = nn.functional.cross_entropy(told["caption"][:, 0], kinds[some], label_smoothing=0.1)
        truth = nn.functional.one_hot(kinds[some], SIGNALS + 1)[:, :SIGNALS].float()
        loss = loss + nn.functional.binary_cross_entropy_with_logits(told["concepts"], truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network.eval()


def _lens(seer: CaptionNetwork, how: str, pixels: torch.Tensor) -> Lens:
    top = seer.top
    if how == "concepts":
        head = BridgedHead(cast("Bridge", top.writer.bridge), cast("Head", top.heads["concepts"]))
        return NetworkLens(
            Headed(seer.backbone, head), {f"C{one}": one for one in range(SIGNALS)}, pixels, Frame()
        )
    model: Any = SimpleNamespace(
        eyes=SimpleNamespace(looker=seer.backbone),
        scribe=SimpleNamespace(writer=top.writer, tokenizer=SimpleNamespace(begin=BEGIN)),
    )
    return WriterLens(model, Hints(), pixels, Frame())


@pytest.mark.parametrize("how", ["concepts", "caption"])
def test_gradient_weighted_attention_finds_the_one_place_that_matters(seer: CaptionNetwork, how: str) -> None:
    images, kinds, places = _signals(60, 2)
    with torch.no_grad():
        told = seer(images, torch.full((60, 1), BEGIN))[how]
    right = told.reshape(60, -1)[:, :SIGNALS].argmax(1) == kinds
    assert right.float().mean() > 0.9 * (kinds < SIGNALS).float().mean()
    hits: list[bool] = []
    for row in right.nonzero()[:, 0].tolist():
        kind = int(kinds[row])
        target = Concept(f"C{kind}") if how == "concepts" else Span((kind,), 0, 1)
        maps = Chefer()(_lens(seer, how, images[row][None]), [target]).maps
        hits.append(int(maps[0].flatten().argmax()) == int(places[row]))
    assert np.mean(hits) > 0.9
