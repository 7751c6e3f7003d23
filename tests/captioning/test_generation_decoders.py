"""Every search over every kind of decoder: what is said of a caption is what `forward` says of it."""

from __future__ import annotations

import pytest
import torch
from captioning_samples_generation import MARKS, one_thread  # noqa: F401 - used by every test

from radcap.captioning.decoders import Memory, make_decoder
from radcap.captioning.generation import draw, write
from radcap.captioning.settings import DecoderSettings, GenerateSettings

SIZE, IMAGES, WIDTH = 30, 5, 16


def memory() -> Memory:
    dice = torch.Generator().manual_seed(3)
    there = torch.tensor([[True, True, True], [True, False, True], [True, True, False]])[[0, 1, 2, 0, 1]]
    return Memory(torch.randn(IMAGES, 3, WIDTH, generator=dice), there)


@torch.no_grad()
def log_probabilities(decoder, seen: Memory, captions: list[tuple[int, ...]]) -> list[float]:
    """Of one caption an image, all at once."""
    longest = max(map(len, captions)) + 1
    rows = [[MARKS.begin, *one, MARKS.end] + [MARKS.pad] * (longest - len(one) - 1) for one in captions]
    tokens = torch.tensor(rows)
    logs = decoder(seen, tokens[:, :-1]).log_softmax(2).gather(2, tokens[:, 1:, None])[..., 0]
    return [float(row[: len(one) + 1].sum()) for row, one in zip(logs, captions, strict=True)]


@pytest.mark.parametrize("kind", ["lstm", "gru", "transformer", "prefix"])
@pytest.mark.parametrize("method", ["greedy", "beam", "sample"])
def test_log_probabilities(kind: str, method: str) -> None:
    torch.manual_seed(1)
    made = DecoderSettings(kind=kind, width=WIDTH, layers=1, heads=2, longest=12)
    decoder = make_decoder(made, SIZE).eval()
    with torch.no_grad():
        for weight in decoder.parameters():
            weight.mul_(4)  # so that captions differ
    chosen = GenerateSettings(method=method, beams=3, samples=2, longest=12)  # type: ignore[arg-type]
    found = write(decoder, memory(), chosen, MARKS, seeds=range(IMAGES))
    for rank in range(min(map(len, found))):
        ranked = [image[rank] for image in found]
        wanted = log_probabilities(decoder, memory(), [one.tokens for one in ranked])
        assert [one.log_probability for one in ranked] == pytest.approx(wanted, rel=1e-3)
    assert len({image[0].tokens for image in found}) > 1


def test_what_is_drawn_can_be_learnt_from() -> None:
    torch.manual_seed(1)
    decoder = make_decoder(DecoderSettings(width=WIDTH, layers=1, heads=2, longest=12), SIZE)
    chosen = GenerateSettings(samples=2, longest=12)
    rows = draw(decoder.eval(), memory(), chosen, MARKS, range(IMAGES))
    given = torch.cat([torch.full((len(rows.tokens), 1), MARKS.begin), rows.tokens[:, :-1]], dim=1)
    logs = decoder(memory().repeated(2), given).log_softmax(2).gather(2, rows.tokens[..., None])[..., 0]
    sums = logs.masked_fill(~rows.there, 0).sum(dim=1)
    assert sums.tolist() == pytest.approx(rows.log_probability.tolist(), rel=1e-3)
    sums.sum().backward()
    assert any(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in decoder.parameters())
