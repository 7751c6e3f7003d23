"""Where a published captioner looks, beside what transformers says of its attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_pretrained import published, system, whole
from published_samples import pixels, scaled

from radcap.captioning.building import make_top
from radcap.captioning.hints import Hints
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.opening import make_model
from radcap.captioning.pretrained import open_published, published_tokenizer
from radcap.explanation.families import family_of
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.explanation.methods.chefer import Chefer
from radcap.explanation.methods.cross_attention import CrossAttention
from radcap.explanation.methods.grad_cam import GradCam
from radcap.explanation.targets import Span
from radcap.vision.pictures import View
from radcap.vision.training.devices import Place

TOKENS = (5, 9, 7, 30, 3)
SPANS = [Span(TOKENS, 0, 2), Span(TOKENS, 2, 4)]
CPU = Place(torch.device("cpu"))


def lens_of(folder: Path, kind: str, eyes: str, told: Hints) -> WriterLens:
    made = system(published(folder, kind, eyes), "blip" if kind == "Blip" else "encoder-decoder")
    mine, tokenizer = open_published(made), published_tokenizer(made)
    mine.eyes.eval()
    top = make_top(made, tokenizer, ("C0040405", "C1306645"), mine.eyes.width, mine).eval()
    model = make_model(made, Eyes(CPU, View(made.image), mine.eyes), top, tokenizer, {"C0040405": "CT"})
    return WriterLens(model, told, pixels(images=1), Frame())


@torch.no_grad()
def _attention(model: Any) -> torch.Tensor:
    """layers x heads x words x entries."""
    model.decoder.set_attn_implementation("eager")
    told = model(
        pixel_values=scaled(pixels(images=1)),
        decoder_input_ids=torch.tensor([[2, *TOKENS[:-1]]]),
        output_attentions=True,
    )
    return torch.cat(told.cross_attentions)


@pytest.mark.parametrize(
    ("kind", "eyes", "always"), [("GPT2", "ViT", 1), ("Bert", "DeiT", 2), ("GPT2", "Swin", 0)]
)
def test_cross_attention_is_that_of_transformers(kind: str, eyes: str, always: int, tmp_path: Path) -> None:
    lens = lens_of(tmp_path, kind, eyes, Hints())
    assert lens.writer.always == always
    assert family_of(lens) == "transformer"
    heads = _attention(whole(kind, eyes)).flatten(0, 1).numpy()
    found = CrossAttention()(lens, SPANS)
    side = found.maps.shape[-1]
    for number, span in enumerate(SPANS):
        places = heads[:, span.first : span.last, always : always + side * side].mean(axis=(0, 1))
        np.testing.assert_allclose(found.maps[number], places.reshape(side, side), atol=1e-5)


@pytest.mark.parametrize("kind", ["GPT2", "Blip"])
def test_what_is_told_beside_is_no_place_of_the_image(kind: str, tmp_path: Path) -> None:
    lens = lens_of(tmp_path, kind, "ViT", Hints(torch.tensor([[1]]), torch.tensor([[8, 9, 0]])))
    for method in (CrossAttention(), Chefer(), GradCam()):
        maps = method(lens, SPANS).maps
        assert maps.shape == (2, 4, 4)
        assert maps.isfinite().all()
        assert maps.abs().sum() > 0
