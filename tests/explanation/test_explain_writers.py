"""Captioners as methods see them: scores of words, and where is looked while they are written."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from explain_model_samples import (
    CAPTION,
    CPU,
    GRID,
    NAMES,
    SIZE,
    WRITERS,
    backbone,
    detector,
    language_writer,
    photo,
    tokenizer,
    writer,
)

from radcap.captioning.decoders.layered import Layered
from radcap.captioning.decoders.layers import Layer
from radcap.captioning.hints import NONE, Hints
from radcap.core import UsageError
from radcap.explanation.families import family_of
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.looking import looked
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.lenses.sighting import sighted
from radcap.explanation.lenses.writer_lens import WriterLens, hints_for
from radcap.explanation.methods.chefer import Chefer
from radcap.explanation.methods.cross_attention import CrossAttention
from radcap.explanation.methods.grad_cam import GradCam
from radcap.explanation.methods.rollout import Rollout
from radcap.explanation.methods.spans import by_caption
from radcap.explanation.targets import Concept, Contrast, Neighbour, Span

TOKENS = tuple(tokenizer().encode(CAPTION))
OTHER = tuple(tokenizer().encode("Chest radiograph showing a pleural effusion."))
ALL = Span(TOKENS, 0, len(TOKENS))
SPANS = (Span(TOKENS, 0, 1), Span(TOKENS, 1, 3), Span(TOKENS, 2, len(TOKENS)))
KINDS = (*WRITERS, "lm")
LOOKING = ("lstm", "gru", "transformer", "prefix", "lm")


@cache
def lens_of(kind: str, *, told: bool = True) -> WriterLens:
    """A captioner with an image before it, that is told concepts or nothing."""
    if kind == "lm":
        model = language_writer()
    else:
        model = writer(kind, reads=detector(), concepts="all") if told else writer(kind)
    seen = sighted(photo(), "photo.png", model.eyes.view, CPU.device)
    with torch.no_grad():
        hints = hints_for(model, model.eyes.looker(seen.pixels))
    return WriterLens(model, hints, seen.pixels, seen.frame)


def _memory(lens: WriterLens, rows: int = 1):
    features = lens.backbone(lens.pixels).detach()
    return lens.writer.memory(features, lens.told.concepts, lens.told.words, rows=rows)


@torch.no_grad()
def _stepped(lens: WriterLens, tokens: tuple[int, ...]) -> list[float]:
    """The log-probability of each token, one step at a time."""
    state, found = lens.writer.decoder.begin(_memory(lens), len(tokens)), []
    before = tokenizer().begin
    for token in tokens:
        logits, state = lens.writer.decoder.step(state, torch.tensor([before]))
        powers = np.exp(logits[0].double().numpy())
        found.append(float(np.log(powers[token] / powers.sum())))
        before = token
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("told", [True, False])
def test_scores_of_spans_are_those_of_writing_word_by_word(kind, told):
    lens = lens_of(kind, told=told)
    steps, others = _stepped(lens, TOKENS), _stepped(lens, OTHER)
    targets = [*SPANS, ALL, Contrast(Span(TOKENS, 1, 3), Span(OTHER, 2, 5))]
    wanted = [sum(steps[one.first : one.last]) for one in (*SPANS, ALL)]
    wanted.append(sum(steps[1:3]) - sum(others[2:5]))
    features = lens.backbone(lens.pixels)
    scores = lens.scores(features.repeat(2, 1, 1, 1), targets)
    assert scores.shape == (2, 5)
    np.testing.assert_allclose(scores[1].detach().numpy(), wanted, atol=2e-4)
    chances = lens.chances(lens.pixels, targets)[0]
    means = [np.exp(one / (span.last - span.first)) for one, span in zip(wanted, (*SPANS, ALL), strict=False)]
    np.testing.assert_allclose(chances, [*means, 1 / (1 + np.exp(-wanted[-1]))], atol=1e-4)
    assert not chances.requires_grad


@pytest.mark.parametrize("target", [Concept("C0032285"), Neighbour(1), Contrast(Concept("a"), Concept("b"))])
def test_what_is_no_part_of_a_caption_has_no_score(target):
    lens = lens_of("gru")
    with pytest.raises(UsageError, match="A captioner has no score for"):
        lens.scores(lens.backbone(lens.pixels), [target])
    for method in (Chefer(), CrossAttention()):
        with pytest.raises(UsageError, match="explains words of its caption"):
            method(lens, [target])


def test_chances_let_a_detector_with_the_same_eyes_decide_anew():
    lens = lens_of("transformer")
    assert lens.told.concepts is not None
    assert sorted(lens.told.concepts.tolist()[0]) == [0, 1, 2, 3]
    black, features = torch.zeros_like(lens.pixels), None
    with torch.no_grad():
        reads = lens.model.eyes.detector
        assert reads is not None
        bias = reads.network.head.get_parameter("linear.bias")
        bias -= 20  # now it decides for nothing
        try:
            features = lens.backbone(lens.pixels)
            found = lens.chances(torch.cat([lens.pixels, black]), [ALL])
        finally:
            bias += 20
        untold = Hints(torch.full((1, 4), NONE))
        alone = lens.spans(features, untold, [ALL])[0, 0]
    assert found[0, 0] == pytest.approx(float((alone / len(TOKENS)).exp()), rel=1e-4)
    assert found[0, 0] != pytest.approx(float(lens.chances(lens.pixels, [ALL])), rel=1e-3)
    assert found[1, 0] != found[0, 0]


def test_other_eyes_decided_once():
    model: Any = writer("gru", reads=detector(size=48), apart=True, concepts="modality")
    pixels = torch.rand(1, 3, SIZE, SIZE) * 255
    with torch.no_grad():
        theirs = model.eyes.detector.network.backbone(torch.rand(1, 3, 48, 48) * 255)
        told = hints_for(model, model.eyes.looker(pixels), theirs)
    assert told.concepts is not None
    assert told.concepts.tolist()[0][0] == 0  # the modality is the first label
    lens = WriterLens(model, told, pixels, Frame())
    many = lens.chances(torch.cat([pixels, pixels]), [ALL])
    scores = lens.scores(lens.backbone(pixels), [ALL])
    torch.testing.assert_close(many[1], (scores[0] / len(TOKENS)).exp().detach())


def test_a_concept_is_taken_from_what_is_told():
    lens = lens_of("transformer")
    fewer = lens.without(2)
    assert lens.told.concepts is not None
    assert fewer.concepts is not None
    before = lens.told.concepts.tolist()[0]
    assert fewer.concepts.tolist() == [[*before[:2], NONE, before[3]]]
    assert lens.told.concepts.tolist() == [before]
    assert fewer.words is lens.told.words


@torch.no_grad()
def test_the_image_is_withheld_by_a_memory_without_it():
    for lens in (lens_of("prefix"), lens_of("prefix", told=False)):
        found = lens.spans(None, lens.told, [ALL])
        told = lens.told.concepts
        asked = torch.tensor([[tokenizer().begin, *TOKENS[:-1]]])
        logits = lens.writer(None, asked, told).log_softmax(-1)
        assert float(found) == pytest.approx(
            sum(float(logits[0, place, token]) for place, token in enumerate(TOKENS)), abs=1e-4
        )


def test_prompts_are_told_in_words():
    model = writer("prefix", reads=detector(), concepts="all", prompt="Known: {concepts}.")
    pixels = torch.rand(1, 3, SIZE, SIZE) * 255
    with torch.no_grad():
        told = hints_for(model, model.eyes.looker(pixels))
    assert told.concepts is None
    assert told.words is not None
    lens = WriterLens(model, told, pixels, Frame())
    assert lens.spans(None, told, [ALL]).shape == (1, 1)
    looks = looked(lens, [ALL])
    assert looks.entries == 1 + GRID * GRID + told.words.shape[1]
    assert CrossAttention()(lens, [ALL]).maps.shape == (1, GRID, GRID)


# where is looked


def _weights_by_hand(lens: WriterLens) -> list[np.ndarray]:
    """Attention of each layer, heads x words x entries, with the softmax written out; no tensor of radcap's
    recorder is used."""
    kind = lens.model.scribe.system.decoder.kind
    asked = torch.tensor([[tokenizer().begin, *TOKENS[:-1]]])
    memory, decoder = _memory(lens), lens.writer.decoder
    if kind in ("lstm", "gru"):
        return [_additive(decoder, memory, asked)]
    assert isinstance(decoder, Layered)
    found: list[np.ndarray] = []
    with torch.no_grad():
        entry, words = decoder.normed(memory), decoder.placed(asked)
        x = torch.cat([entry, words], 1) if kind == "prefix" else words
        for layer in decoder.stack.layers:
            assert isinstance(layer, Layer)
            query, both = layer.reading.split(x)
            mask = _who_reads(x.shape[1], entry.shape[1] if kind == "prefix" else 0, memory.there)
            read = _softmax(query, both[:, 0], mask)
            x = x + layer.reading.out((read @ both[:, 1]).transpose(1, 2).flatten(2))
            if layer.looking is not None:
                query = layer.looking.query(layer.looking.norm(x)).unflatten(-1, (2, -1)).transpose(1, 2)
                keys, values = layer.looking.parts(entry).unflatten(-1, (2, 2, -1)).permute(2, 0, 3, 1, 4)
                look = _softmax(query, keys, memory.there[0].expand(x.shape[1], -1))
                x = x + layer.looking.out((look @ values).transpose(1, 2).flatten(2))
                found.append(look[0].numpy())
            else:
                found.append(read[0, :, entry.shape[1] :].numpy())
            x = x + layer.thinking(x)
    return found


def _softmax(query: torch.Tensor, keys: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    powers = torch.exp(query @ keys.mT / query.shape[-1] ** 0.5) * mask
    return powers / powers.sum(-1, keepdim=True)


def _who_reads(count: int, entries: int, there: torch.Tensor) -> torch.Tensor:
    mask = torch.zeros(count, count)
    for i in range(count):
        for j in range(count):
            mask[i, j] = bool(there[0, j]) if j < entries else j <= i
    return mask


@torch.no_grad()
def _additive(decoder, memory, asked) -> np.ndarray:
    """1 x words x entries, with the state carried by the decoder's own steps."""
    state, rows = decoder.begin(memory, asked.shape[1]), []
    normed = decoder.normed(memory)
    for token in asked[0]:
        top = decoder.cells.top(state.hidden)
        layer = decoder.attention
        scores = layer.score(torch.tanh(layer.key(normed.values[0]) + layer.query(top)))[:, 0].numpy()
        powers = np.exp(scores) * memory.there[0].numpy()
        rows.append(powers / powers.sum())
        _, state = decoder.step(state, token[None])
    return np.stack(rows)[None]


def _map(entries: np.ndarray) -> np.ndarray:
    return entries[1 : 1 + GRID * GRID].reshape(GRID, GRID)


@pytest.mark.parametrize("kind", ["lstm", "gru", "transformer", "prefix"])
@pytest.mark.parametrize("told", [True, False])
def test_cross_attention_is_the_mean_of_layers_and_heads(kind, told):
    lens = lens_of(kind, told=told)
    heads = np.concatenate(_weights_by_hand(lens))
    found = CrossAttention()(lens, SPANS)
    assert found.spread is not None
    for number, span in enumerate(SPANS):
        each = np.stack([_map(one[span.first : span.last].mean(axis=0)) for one in heads])
        np.testing.assert_allclose(found.maps[number], each.mean(axis=0), atol=1e-5)
        np.testing.assert_allclose(found.spread[number], each.std(axis=0), atol=1e-5)


def test_the_attention_of_a_language_model_is_its_own():
    lens = lens_of("lm")
    decoder: Any = lens.writer.decoder
    model = decoder.model
    memory = _memory(lens)
    asked = torch.tensor([[tokenizer().begin, *TOKENS[:-1]]])
    with torch.no_grad():
        values = torch.cat([memory.values, model.get_input_embeddings()(asked)], 1)
        model.set_attn_implementation("eager")
        try:
            told = model(inputs_embeds=values, output_attentions=True).attentions
        finally:
            model.set_attn_implementation("sdpa")
    entries = memory.values.shape[1]
    heads = torch.cat([one[0] for one in told])[:, entries:].numpy()
    found = CrossAttention()(lens, SPANS).maps
    for number, span in enumerate(SPANS):
        wanted = _map(heads[:, span.first : span.last].mean(axis=(0, 1)))
        np.testing.assert_allclose(found[number], wanted, atol=1e-5)
    assert Chefer()(lens, SPANS).maps.sum() > 0


def test_contrasts_differ_head_by_head():
    lens = lens_of("transformer")
    this, other = Span(TOKENS, 1, 3), Span(OTHER, 1, 4)
    found = CrossAttention()(lens, [this, Contrast(this, other), other])
    torch.testing.assert_close(found.maps[1], found.maps[0] - found.maps[2])
    same = CrossAttention()(lens, [Contrast(this, this)])
    assert same.spread is not None
    assert float(same.maps.abs().sum() + same.spread.sum()) == 0
    assert found.spread is not None
    assert (found.spread[1] <= found.spread[0] + found.spread[2] + 1e-6).all()


@pytest.mark.parametrize("kind", ["transformer", "prefix", "lstm", "gru"])
def test_chefer_is_its_formula(kind):
    """Eq. 5 to 11 of the paper in loops, over what was recorded with its slopes."""
    lens = lens_of(kind)
    found = Chefer()(lens, SPANS).maps
    assert found.min() >= 0
    assert found.sum() > 0
    for number, span in enumerate(SPANS):
        looks = looked(lens, [span])
        held = [one.weights for one in looks.layers.writing]
        slopes = torch.autograd.grad(looks.scores.sum(), held, allow_unused=True, materialize_grads=True)
        bars = [
            (np.maximum(0, (slope * one.weights).detach().numpy())[0].mean(axis=0), one.cross)
            for slope, one in zip(slopes, looks.layers.writing, strict=True)
        ]
        rows = {"prefix": _read, "transformer": _looked}.get(kind, _asked)(bars, looks.entries)
        wanted = _map(rows[span.first : span.last].sum(axis=0))
        np.testing.assert_allclose(found[number], wanted, atol=1e-6, rtol=1e-3)


def _read(bars, entries: int) -> np.ndarray:
    whole = np.eye(len(bars[0][0]))
    for bar, _ in bars:
        whole = whole + bar @ whole
    return (whole - np.eye(len(whole)))[entries:, :entries]


def _asked(bars, entries: int) -> np.ndarray:
    """A recurrent decoder asks once for each word, and reads nothing."""
    assert all(cross and bar.shape == (1, entries) for bar, cross in bars)
    return np.concatenate([bar for bar, _ in bars])


def _looked(bars, entries: int) -> np.ndarray:
    words = len(bars[0][0])
    r_ss, r_sq = np.eye(words), np.zeros((words, entries))
    for bar, cross in bars:
        if cross:
            others = r_ss - np.eye(words)
            normed = np.eye(words)
            for i in range(words):
                normed[i] += others[i] / max(others[i].sum(), 1e-9)
            r_sq = r_sq + normed.T @ bar
        else:
            r_sq = r_sq + bar @ r_sq
            r_ss = r_ss + bar @ r_ss
    return r_sq


def test_a_decoder_that_looks_once_has_no_attention():
    for method in (Chefer(), CrossAttention()):
        with pytest.raises(UsageError, match="looks at the image once"):
            method(lens_of("lstm, one look"), [ALL])


def test_cross_attention_needs_words():
    looks = NetworkLens(detector().network, {}, lens_of("gru").pixels, Frame())
    with pytest.raises(UsageError, match="here are none"):
        CrossAttention()(looks, [Concept("C0032285")])


@pytest.mark.parametrize(("grid", "side"), [(0, 3), (2, 2), (3, 3), (5, 3)])
def test_a_coarser_grid_is_the_side_of_the_maps(grid, side):
    model = writer("transformer", decoder={"grid": grid})
    pixels = torch.rand(1, 3, SIZE, SIZE) * 255
    lens = WriterLens(model, Hints(), pixels, Frame())
    assert CrossAttention()(lens, [ALL]).maps.shape == (1, side, side)
    assert Chefer()(lens, [ALL]).maps.shape == (1, side, side)


@pytest.mark.parametrize("kind", LOOKING)
def test_a_caption_of_one_token_is_looked_at_too(kind):
    lens = lens_of(kind)
    span = Span(TOKENS[:1], 0, 1)
    assert torch.isfinite(Chefer()(lens, [span]).maps).all()
    weights = CrossAttention()(lens, [span]).maps
    assert 0 < weights.sum() <= 1


@pytest.mark.parametrize(
    ("kind", "family"),
    [("lstm", "recurrent"), ("gru", "recurrent"), ("transformer", "transformer"), ("prefix", "prefix")],
)
def test_kinds_of_captioners(kind, family):
    assert family_of(lens_of(kind)) == family
    assert family_of(lens_of("lm")) == "prefix"


def test_methods_of_encoders_see_the_eyes_of_a_captioner():
    lens = lens_of("gru")
    assert GradCam()(lens, [ALL]).maps.shape == (1, GRID, GRID)
    with pytest.raises(UsageError, match="Use grad-cam"):
        Rollout()(replace(lens, pixels=lens.pixels), [ALL])
    assert lens.backbone is lens.model.eyes.looker
    assert backbone(7).width == len(NAMES) + 2


def test_spans_come_back_in_the_order_of_the_targets():
    asked: list[list[Span]] = []

    def maps_of(spans):
        asked.append(list(spans))
        return torch.stack([torch.full((2, 2), float(10 * len(one.tokens) + one.first)) for one in spans])

    a, b, c = Span((1, 2), 0, 1), Span((1, 2, 3), 1, 2), Span((1, 2), 1, 2)
    found = by_caption([b, Contrast(a, b), c, a, b], maps_of)
    assert found[:, 0, 0].tolist() == [31, 20 - 31, 21, 20, 31]
    assert asked == [[b], [a, c]]
