"""Published Q-Formers as methods see them: from words to queries, and from queries to places."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_pretrained import SIZE, system
from captioning_samples_qformer import QUERIES, saved, whole

from radcap.captioning.building import make_top
from radcap.captioning.hints import Hints
from radcap.captioning.pretrained import open_published, published_tokenizer
from radcap.explanation.lenses.bridging import LOOKING, READING
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.looking import looked
from radcap.explanation.lenses.network_lens import Headed, NetworkLens
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.explanation.methods.chefer import Chefer
from radcap.explanation.methods.cross_attention import CrossAttention
from radcap.explanation.targets import Concept, Span
from radcap.vision.heads import make_head
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.settings import HeadSettings

torch.set_num_threads(1)  # networks this small only wait for threads

SIDE = SIZE // 8
TOKENS = (5, 9, 20, 7)
SPANS = (Span(TOKENS, 0, 1), Span(TOKENS, 1, 4))
HEARD = {
    "blip-2 over opt": 0,
    "instructblip over t5": 5,
    "instructblip over llama": 5,
}  # tokens of an instruction


@pytest.fixture(scope="module", params=HEARD)
def lens(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> WriterLens:
    """A published captioner that was asked something, with an image before it."""
    kind = str(request.param)
    given = system(saved(whole(kind), tmp_path_factory.mktemp("q-former") / "it", kind), "q-former")
    published, tokenizer = open_published(given), published_tokenizer(given)
    top = make_top(given, tokenizer, (), published.eyes.width, published).eval()
    model: Any = SimpleNamespace(
        eyes=SimpleNamespace(looker=published.eyes.eval()),
        scribe=SimpleNamespace(writer=top.writer, tokenizer=tokenizer, system=given),
        whole=published.whole.model,
        heard=HEARD[kind],
    )
    told = Hints(words=torch.tensor([tokenizer.encode("ct of")]))
    shown = torch.rand(1, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(2)) * 255
    return WriterLens(model, told, shown, Frame())


def _by_transformers(lens: WriterLens) -> tuple[np.ndarray, np.ndarray]:
    """Of words to entries, heads x words x entries, and of queries to places, as transformers gives them."""
    writer: Any = lens.writer
    theirs: Any = lens.model.whole  # type: ignore[attr-defined]
    features = lens.backbone(lens.pixels)
    memory = writer.memory(features, None, lens.told.words, rows=1)
    theirs.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            sequence = theirs.vision_model(
                (lens.pixels - lens.backbone.mean) / lens.backbone.spread
            ).last_hidden_state
            heard = {}
            if writer.instructor is not None:
                asked = writer.instructor(lens.told.words)
                ones = torch.ones(1, QUERIES + asked.tokens.shape[1], dtype=torch.long)
                heard = {"input_ids": asked.tokens, "attention_mask": ones}
            looks = theirs.qformer(
                query_embeds=theirs.query_tokens,
                encoder_hidden_states=sequence,
                output_attentions=True,
                **heard,
            ).cross_attentions
            inner, said = theirs.language_model, torch.tensor([TOKENS[:-1]])
            if inner.config.is_encoder_decoder:
                begun = torch.cat([torch.zeros(1, 1, dtype=torch.long), said], dim=1)
                told = inner(
                    inputs_embeds=memory.values, decoder_input_ids=begun, output_attentions=True
                ).cross_attentions
                words = torch.cat([one[0] for one in told])
            else:
                values = torch.cat([memory.values, inner.get_input_embeddings()(said)], dim=1)
                told = inner(inputs_embeds=values, output_attentions=True).attentions
                words = torch.cat([one[0] for one in told])[:, memory.values.shape[1] - 1 :]
    finally:
        theirs.set_attn_implementation("sdpa")
    handed = torch.cat([one[0] for one in looks if one is not None]).mean(dim=0)
    return words.numpy(), handed.numpy()


def test_attention_is_handed_on_from_queries_to_places(lens: WriterLens) -> None:
    words, handed = _by_transformers(lens)
    found = CrossAttention()(lens, SPANS)
    for number, span in enumerate(SPANS):
        each = [one[span.first : span.last].mean(axis=0)[:QUERIES] @ handed[:, 1:] for one in words]
        wanted = np.stack(each).mean(axis=0).reshape(SIDE, SIDE)
        np.testing.assert_allclose(found.maps[number], wanted, atol=1e-5)


def _parts(values: np.ndarray) -> np.ndarray:
    sums = values.sum(axis=1, keepdims=True)
    return np.divide(values, sums, where=sums > 0, out=np.zeros_like(values))


def _beside(bars: list[tuple[np.ndarray, bool]], others: int) -> np.ndarray:
    """Eq. 6 to 11 of the paper in loops; who only reads sees nothing."""
    askers = max(len(bar) for bar, _ in bars)
    read, seen = np.zeros((askers, askers)), np.zeros((askers, others))
    for bar, looks in bars:
        if looks:
            whole_bar = np.zeros((askers, others))
            whole_bar[: len(bar)] = bar
            seen = seen + whole_bar + _parts(read).T @ whole_bar
        else:
            seen = seen + bar @ seen
            read = read + bar + bar @ read
    return seen


def test_chefer_is_its_formula_over_queries_that_hear(lens: WriterLens) -> None:
    found = Chefer()(lens, SPANS).maps
    heard: int = lens.model.heard  # type: ignore[attr-defined]
    for number, span in enumerate(SPANS):
        looks = looked(lens, [span])
        parts = looks.layers
        assert [one.room for one in parts.bridge] == [READING, LOOKING, READING, READING, LOOKING]
        reads = [one.weights.shape[-2:] for one in parts.bridge if one.room == READING]
        assert all(rows == columns for rows, columns in reads)
        assert reads[0][0] >= QUERIES + (1 if heard else 0)
        every = [*parts.writing, *parts.encoding, *parts.bridge]
        slopes = torch.autograd.grad(
            looks.scores.sum(), [one.weights for one in every], allow_unused=True, materialize_grads=True
        )
        bars = [
            (slope * one.weights).relu()[0].mean(dim=0).detach().double().numpy()
            for slope, one in zip(slopes, every, strict=True)
        ]
        bridge = [
            (bar, one.room == LOOKING)
            for bar, one in zip(bars, every, strict=True)
            if one.room in (LOOKING, READING)
        ]
        handed = _parts(_beside(bridge, 1 + SIDE * SIDE))[:QUERIES, 1:]
        writing = bars[: len(parts.writing)]
        if parts.encoding:
            rows = _beside([(bar, place % 2 == 1) for place, bar in enumerate(writing)], looks.entries)
            mixed = np.zeros((looks.entries, looks.entries))
            for bar in bars[len(writing) : len(writing) + len(parts.encoding)]:
                mixed = mixed + bar + bar @ mixed
            rows = rows + rows @ _parts(mixed)
        else:
            whole_rows = np.zeros_like(writing[0])
            for bar in writing:
                whole_rows = whole_rows + bar + bar @ whole_rows
            rows = whole_rows[looks.entries - 1 :, : looks.entries]
        shown = rows[span.first : span.last].sum(axis=0)[:QUERIES] @ handed
        assert shown.sum() > 0
        np.testing.assert_allclose(
            found[number], shown.reshape(SIDE, SIDE), atol=shown.max() * 1e-4, rtol=1e-3
        )


def test_words_are_scored_as_they_are_written(lens: WriterLens) -> None:
    writer: Any = lens.writer
    with torch.no_grad():
        memory = writer.memory(lens.backbone(lens.pixels), None, lens.told.words, rows=1)
        state, sums = writer.decoder.begin(memory, 9), []
        before = lens.model.scribe.tokenizer.begin
        for token in TOKENS:
            logits, state = writer.decoder.step(state, torch.tensor([before]))
            sums.append(float(logits[0].log_softmax(-1)[token]))
            before = token
        scores = lens.scores(lens.backbone(lens.pixels), SPANS)[0]
    np.testing.assert_allclose(scores, [sums[0], sum(sums[1:])], atol=1e-4)


def test_a_head_over_published_queries_is_followed_to_the_places(lens: WriterLens) -> None:
    bridge: Any = lens.writer.bridge
    torch.manual_seed(0)
    head = BridgedHead(bridge, make_head(HeadSettings(), bridge.width, 2)).eval()
    shown = NetworkLens(Headed(lens.backbone, head), {"C0": 0, "C1": 1}, lens.pixels, Frame())
    found = Chefer()(shown, [Concept("C0"), Concept("C1")]).maps
    assert found.shape == (2, SIDE, SIDE)
    assert found.min() >= 0
    assert found.sum() > 0
    assert not torch.allclose(found[0], found[1])
