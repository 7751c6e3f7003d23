"""BLIP-2 and InstructBLIP, woven into radcap's writer, beside what transformers makes of the same folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_generation import one_thread
from captioning_samples_pretrained import SIZE, system
from captioning_samples_qformer import KINDS, saved, whole
from published_samples import transformers

from radcap.captioning.building import make_top
from radcap.captioning.generation import marks_of, write
from radcap.captioning.pretrained import open_published, published_tokenizer
from radcap.captioning.prompting import Prompter
from radcap.captioning.settings import GenerateSettings
from radcap.vision.transformers_library import quiet

__all__ = ["one_thread"]

PROMPT = "ct of"


@dataclass(frozen=True)
class Opened:
    """A folder as radcap opens it, and as transformers does."""

    folder: Path
    model: Any
    processor: Any
    eyes: Any
    writer: Any
    tokenizer: Any


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("q-former")
    return {kind: saved(whole(kind), made / kind.replace(" ", "-"), kind) for kind in KINDS}


@pytest.fixture(scope="module", params=KINDS)
def opened(folders: dict[str, Path], request: pytest.FixtureRequest) -> Opened:
    kind = str(request.param)
    folder = folders[kind]
    made = system(folder, "q-former")
    published, tokenizer = open_published(made), published_tokenizer(made)
    top = make_top(made, tokenizer, ("C0000001", "C0000002"), published.eyes.width, published).eval()
    with quiet(transformers):
        model = getattr(transformers, f"{KINDS[kind][0]}ForConditionalGeneration").from_pretrained(folder)
        processor = transformers.AutoProcessor.from_pretrained(folder)
    return Opened(folder, model.eval(), processor, published.eyes.eval(), top.writer, tokenizer)


def pixels(rows: int = 3) -> torch.Tensor:
    return torch.rand(rows, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(1)) * 255


def inputs(opened: Opened, prompt: str, rows: int = 3) -> dict[str, Any]:
    """As transformers' own processor prepares them, over the same pixels."""
    images = opened.processor.image_processor
    mean, std = (torch.tensor(one).view(1, 3, 1, 1) for one in (images.image_mean, images.image_std))
    black = torch.zeros(3, SIZE, SIZE)
    told = opened.processor(images=[black] * rows, text=[prompt] * rows, return_tensors="pt")
    return {**told, "pixel_values": (pixels(rows) / 255 - mean) / std}


def words(opened: Opened, prompt: str, rows: int = 3) -> torch.Tensor | None:
    if not prompt:
        return None
    none: list[list[int]] = [[] for _ in range(rows)]
    return Prompter(prompt, (), opened.tokenizer)(none, [[] for _ in range(rows)])


@torch.inference_mode()
@pytest.mark.parametrize("prompt", ["", PROMPT])
def test_logits_are_those_of_transformers(opened: Opened, prompt: str) -> None:
    said = torch.tensor([[5, 9, 20], [7, 8, 30], [21, 6, 6]])
    given = inputs(opened, prompt)
    if opened.model.language_model.config.is_encoder_decoder:
        start = torch.zeros(3, 1, dtype=torch.long)
        told = opened.model(**given, decoder_input_ids=torch.cat([start, said], 1)).logits
    else:
        for key in ("input_ids", "attention_mask"):
            more = said if key == "input_ids" else torch.ones_like(said)
            given[key] = torch.cat([given[key], more], dim=1)
        told = opened.model(**given).logits[:, -4:]
    begun = torch.cat([torch.full((3, 1), opened.tokenizer.begin), said], dim=1)
    ours = opened.writer(opened.eyes(pixels()), begun, words=words(opened, prompt))
    torch.testing.assert_close(ours, told, atol=2e-5, rtol=1e-4)
    assert ours.std(dim=0).mean() > 0.01  # images differ


@torch.inference_mode()
@pytest.mark.parametrize("beams", [1, 5])
@pytest.mark.parametrize("prompt", ["", PROMPT])
def test_what_is_written_is_what_transformers_writes(opened: Opened, prompt: str, beams: int) -> None:
    rows, encodes = 8, opened.model.language_model.config.is_encoder_decoder
    given = inputs(opened, prompt, rows)
    no_repeat = 2 if encodes else 0  # else runs of tokens may begin in the prompt there
    done = opened.model.generate(
        **given,
        do_sample=False,
        num_beams=beams,
        length_penalty=1.0,
        early_stopping=False,
        no_repeat_ngram_size=no_repeat,
        min_new_tokens=1,
        max_new_tokens=16,
        suppress_tokens=list(marks_of(opened.tokenizer).never),
    )
    chosen = GenerateSettings(
        method="greedy" if beams == 1 else "beam", beams=beams, no_repeat=no_repeat, shortest=1, longest=15
    )
    memory = opened.writer.memory(opened.eyes(pixels(rows)), words=words(opened, prompt, rows), rows=rows)
    found = write(opened.writer.decoder, memory, chosen, marks_of(opened.tokenizer))
    start, whole = 1 if encodes else given["input_ids"].shape[1], 0
    for row, theirs in enumerate(done[:, start:].tolist()):
        if 1 in theirs:
            whole += 1
            assert list(found[row][0].tokens) == theirs[: theirs.index(1)]
    assert whole >= 2
