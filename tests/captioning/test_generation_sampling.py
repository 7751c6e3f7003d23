"""Drawn captions: how often, from what, and always the same for an image."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from captioning_samples_generation import (
    MARKS,
    TableDecoder,
    memory_of,
    one_thread,  # noqa: F401 - used by every test
    random_table,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from radcap.captioning.generation import FORBIDDEN, Rows, draw, draws, image_seed, write
from radcap.captioning.generation.sampling import _drawn
from radcap.captioning.generation.shortlist import shortlist
from radcap.captioning.settings import GenerateSettings
from radcap.core import UsageError

SIZE = 9
ONE_WORD = {"shortest": 1, "longest": 1, "no_repeat": 0, "method": "sample"}


def words(rows: Rows) -> list[int]:
    return rows.tokens[:, 0].tolist()


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1.0, 0, 1.0), (0.6, 0, 1.0), (1.7, 4, 1.0), (1.0, 0, 0.8), (1.3, 5, 0.7)],
)
def test_how_often(temperature: float, top_k: int, top_p: float) -> None:
    decoder = random_table(1, SIZE, 3)
    chosen = GenerateSettings(
        samples=40,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=1,
        **ONE_WORD,  # type: ignore[arg-type]
    )
    n = 100
    counts = Counter(words(draw(decoder, memory_of([0] * n), chosen, MARKS, range(n))))
    chances = expected(decoder.table[0, 1, 1], chosen)
    assert set(counts) <= set(chances)
    seen, wanted = zip(*((counts[word], 40 * n * chance) for word, chance in chances.items()), strict=True)
    assert stats.chisquare(seen, wanted).pvalue > 0.01


def expected(logits: torch.Tensor, chosen: GenerateSettings) -> dict[int, float]:
    """The law of the first word, said in plain Python."""
    weights = {word: float(torch.exp(logits[word].double() / chosen.temperature)) for word in range(3, SIZE)}
    order = sorted(weights, key=lambda word: -weights[word])[: chosen.top_k or SIZE]
    total, kept, so_far = sum(weights[word] for word in order), list[int](), 0.0
    for word in order:
        if so_far < chosen.top_p:
            kept.append(word)
        so_far += weights[word] / total
    total = sum(weights[word] for word in kept)
    return {word: weights[word] / total for word in kept}


@pytest.mark.parametrize(
    ("top_k", "top_p", "kept"),
    [
        (0, 1.0, {0, 1, 2, 3}),
        (2, 1.0, {1, 3}),
        (4, 1.0, {0, 1, 2, 3}),
        (9, 1.0, {0, 1, 2, 3}),
        (0, 0.49, {1}),
        (0, 0.51, {1, 3}),
        (0, 0.74, {1, 3}),
        (0, 0.76, {0, 1, 3}),
        (3, 0.9, {0, 1, 3}),
        (2, 0.6, {1}),  # of two that are left, the first has two thirds
        (0, 1e-9, {1}),
    ],
)
def test_the_shortlist(top_k: int, top_p: float, kept: set[int]) -> None:
    chances = torch.tensor([[0.125, 0.5, 0.125, 0.25]])
    chances[0, 0] += 1e-6  # no ties
    found = shortlist(chances.log(), GenerateSettings(top_k=top_k, top_p=top_p))
    assert set((found[0] > FORBIDDEN).nonzero()[:, 0].tolist()) == kept
    assert found[found > FORBIDDEN].tolist() == chances.log()[found > FORBIDDEN].tolist()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 12), st.floats(0.01, 1), st.floats(0.2, 3))
def test_the_shortlist_is_the_smallest_that_suffices(
    seed: int, top_k: int, top_p: float, heat: float
) -> None:
    logits = torch.randn(4, 10, generator=torch.Generator().manual_seed(seed))
    found = shortlist(logits, GenerateSettings(top_k=top_k, top_p=top_p, temperature=heat))
    for row, values in zip(found, logits, strict=True):
        kept = row > FORBIDDEN
        count = int(kept.sum())
        order = values.sort(descending=True).indices
        assert set(kept.nonzero()[:, 0].tolist()) == set(order[:count].tolist())
        chances = (values[order[: top_k or 10]].double() / heat).softmax(0)
        assert chances[: count - 1].sum() < top_p + 1e-5
        assert chances[:count].sum() > top_p - 1e-5


def test_a_lot_never_falls_on_what_has_no_chance() -> None:
    chances = torch.tensor([[0.0, 0.5, 0.0, 0.5, 0.0]]).repeat(4, 1)
    lots = torch.tensor([0.0, 0.49, 0.5, 1.0])
    assert _drawn(chances, lots).tolist() == [1, 1, 3, 1]  # a rounded 1 takes the likeliest


def test_the_same_for_an_image_whatever_else_is_drawn() -> None:
    chosen = GenerateSettings(method="sample", samples=3, longest=12)
    decoder = random_table(3, SIZE, 8)
    numbers = [image_seed(name) for name in ("a", "b", "c")]
    together = write(decoder, memory_of([0, 1, 2]), chosen, MARKS, seeds=numbers)
    decoder.asked.clear()
    assert write(decoder, memory_of([1]), chosen, MARKS, seeds=numbers[1:2]) == together[1:2]
    decoder.asked.clear()
    fewer = write(
        decoder, memory_of([1]), GenerateSettings(method="sample", longest=12), MARKS, seeds=numbers[1:2]
    )
    assert fewer[0][0] in together[1]
    other = GenerateSettings(method="sample", samples=3, longest=12, seed=1)
    decoder.asked.clear()
    assert write(decoder, memory_of([0, 1, 2]), other, MARKS, seeds=numbers) != together


def test_samples_are_not_each_other() -> None:
    chosen = GenerateSettings(samples=8, longest=12)
    rows = draw(random_table(2, SIZE, 8), memory_of([0, 0]), chosen, MARKS, [1, 2])
    assert len({tuple(row) for row in rows.tokens.tolist()}) > 12


def test_tensors_for_those_who_learn() -> None:
    chosen = GenerateSettings(method="sample", samples=4, longest=15, shortest=1)
    decoder = random_table(3, SIZE, 8)
    rows = draw(decoder, memory_of([0, 1, 2]), chosen, MARKS, [4, 5, 6])
    decoder.asked.clear()
    found = write(decoder, memory_of([0, 1, 2]), chosen, MARKS, seeds=[4, 5, 6])
    assert rows.tokens.shape == rows.there.shape
    assert len(rows.tokens) == 12
    assert rows.there.any(dim=0).all()
    lengths = rows.there.sum(dim=1)
    for row, length in zip(rows.tokens, lengths, strict=True):
        assert row[length - 1] == MARKS.end
        assert (row[length:] == MARKS.pad).all()
        assert not (row[: length - 1] == MARKS.end).any()
    captions = [tuple(row[: length - 1].tolist()) for row, length in zip(rows.tokens, lengths, strict=True)]
    for image in range(3):
        assert sorted(one.tokens for one in found[image]) == sorted(captions[4 * image : 4 * image + 4])
    inputs = torch.nn.functional.embedding(rows.tokens, torch.randn(SIZE, 2, requires_grad=True))
    inputs.sum().backward()  # the tokens may be learnt from


@pytest.mark.parametrize(
    ("method", "samples", "expected"),
    [("greedy", 3, False), ("beam", 3, False), ("sample", 0, True), ("mbr", 0, False), ("mbr", 2, True)],
)
def test_who_draws(method: str, samples: int, expected: bool) -> None:
    chosen = GenerateSettings(method=method, samples=samples, longest=5)  # type: ignore[arg-type]
    assert draws(chosen) == expected
    decoder = TableDecoder(torch.zeros(1, 6, 6, 6))
    if expected:
        with pytest.raises(UsageError, match="1 images and 0 seeds"):
            write(decoder, memory_of([0]), chosen, MARKS)
        assert len(write(decoder, memory_of([0]), chosen, MARKS, seeds=[1])[0]) == max(1, samples)
    else:
        assert write(decoder, memory_of([0]), chosen, MARKS)[0]
