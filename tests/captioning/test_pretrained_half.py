"""Published decoders write in half precision as a whole, and know when their weights have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import torch
from captioning_samples_pretrained import SIZE, published, system

from radcap.captioning.decoders import Memory, gpt2
from radcap.captioning.decoders.woven import Woven
from radcap.captioning.pretrained import open_published, saving

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_cast_once_for_the_same_weights_and_anew_for_others(tmp_path: Path) -> None:
    opened = open_published(system(published(tmp_path / "p")))
    decoder = cast("Any", opened.writer(opened.eyes.width, 3, pad=0, grid=0)).decoder.eval()
    assert isinstance(decoder, Woven)
    memory = Memory(torch.randn(2, SIZE, decoder.width), torch.ones(2, SIZE, dtype=torch.bool))
    tokens = torch.tensor([2, 2])

    def logits() -> torch.Tensor:
        return decoder.step(decoder.begin(memory, 4), tokens)[0]

    whole = logits()
    with torch.autocast("cpu", torch.bfloat16):
        half, again = logits(), logits()
        made = decoder._cast
        assert half.dtype == torch.bfloat16
        assert torch.equal(half, again)
        assert torch.allclose(half.float(), whole, atol=0.05 * float(whole.abs().max()))
        with torch.no_grad():
            for weight in decoder.model.parameters():
                weight.mul_(0.5)
        assert not torch.equal(logits(), half)
        assert decoder._cast is not made
    assert not torch.equal(logits(), whole)
    assert decoder.text.kind == torch.float32


def test_rows_that_are_added_for_speed_change_no_logit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_published(system(published(tmp_path / "p")))
    decoder = cast("Any", opened.writer(opened.eyes.width, 3, pad=0, grid=0)).decoder.eval()
    assert decoder.size % 8
    x = torch.randn(2, 3, decoder.width)
    plain = decoder.text.logits(x)
    monkeypatch.setattr(gpt2, "_PADDED", {"cpu"})
    padded = decoder.text.logits(x)
    assert padded.shape[-1] % 8 == 0
    assert torch.allclose(padded[..., : decoder.size], plain, atol=1e-6)


def test_a_processor_of_texts_alone_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "processor_config.json"
    file.write_text('{"num_query_tokens": 4}')
    saving._resize(file, 32)
    assert file.read_text() == '{"num_query_tokens": 4}'
