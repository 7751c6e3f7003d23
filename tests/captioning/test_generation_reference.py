"""Greedy and beam search beside those of the library transformers, over the same small language models.

The rules are set equal. Two things differ and are kept out of the way here: at its greatest length a caption
of ours gets an end and its log probability, there it is cut; and there runs of tokens may begin in the
prompt, whose tokens are therefore never written.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, cast

import pytest
import torch
from captioning_samples_generation import one_thread  # noqa: F401 - used by every test

from radcap.captioning.decoders import Decoder, Memory, State
from radcap.captioning.generation import Marks, write
from radcap.captioning.generation.mark_ban import MarkBan
from radcap.captioning.settings import GenerateSettings
from radcap.vision.torchvision_ops import ensure_torchvision

SIZE, IMAGES = 24, 4
MARKS = Marks(pad=0, begin=1, end=2)
SHARED: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "initializer_range": 0.3}
FIRST = SIZE - IMAGES  # the tokens of the images, which are the prompt


@dataclass(frozen=True, eq=False)
class CacheState:
    cache: Any

    def take(self, rows: torch.Tensor) -> CacheState:
        cache = copy.deepcopy(self.cache)
        cache.batch_select_indices(rows)
        return CacheState(cache)

    within = take


class Causal(Decoder):
    """A causal model of transformers that reads the token of an image first."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.width, self.size = 1, SIZE

    def begin(self, memory: Memory, longest: int) -> State:
        prompt = memory.values[:, :, 0].long()
        return CacheState(self.model(input_ids=prompt, use_cache=True).past_key_values)

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        past = cast("CacheState", state)
        done = self.model(input_ids=tokens[:, None], past_key_values=past.cache, use_cache=True)
        return done.logits[:, -1], CacheState(done.past_key_values)


def gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": SIZE, "n_positions": 64, "n_embd": 16, "n_layer": 2, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(**sizes, **SHARED))


def llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"vocab_size": SIZE, "hidden_size": 16, "intermediate_size": 24, "max_position_embeddings": 64}
    return LlamaForCausalLM(LlamaConfig(**sizes, num_hidden_layers=2, num_attention_heads=2, **SHARED))


@pytest.fixture(params=[gpt2, llama], ids=["gpt2", "llama"])
def model(request: pytest.FixtureRequest) -> Any:
    ensure_torchvision()
    torch.manual_seed(5)
    return request.param().eval()


@torch.no_grad()
def reference(model: Any, **how: Any) -> Any:
    prompt = torch.tensor([[FIRST + image, MARKS.begin] for image in range(IMAGES)])
    return model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        eos_token_id=MARKS.end,
        pad_token_id=MARKS.pad,
        suppress_tokens=[MARKS.pad, MARKS.begin, *range(FIRST, SIZE)],
        return_dict_in_generate=True,
        output_scores=True,
        **how,
    )


def ours(model: Any, chosen: GenerateSettings) -> Any:
    values = torch.arange(FIRST, SIZE, dtype=torch.float32)[:, None, None]
    memory = Memory(values, torch.ones(IMAGES, 1, dtype=torch.bool))
    return write(Causal(model), memory, chosen, MARKS, [MarkBan(tuple(range(FIRST, SIZE)))])


def caption(sequence: torch.Tensor) -> tuple[int, ...] | None:
    """The tokens after the prompt and before the end; None where it was cut."""
    tokens = sequence[2:].tolist()
    return tuple(tokens[: tokens.index(MARKS.end)]) if MARKS.end in tokens else None


@pytest.mark.parametrize("no_repeat", [0, 2, 3])
def test_greedy(model: Any, no_repeat: int) -> None:
    chosen = GenerateSettings(method="greedy", no_repeat=no_repeat, shortest=3, longest=40)
    done = reference(model, max_new_tokens=41, min_new_tokens=3, no_repeat_ngram_size=no_repeat)
    wanted = [caption(row) for row in done.sequences]
    found = [one[0].tokens for one in ours(model, chosen)]
    for image, tokens in enumerate(wanted):
        # one that was cut has a token more than ours may have
        assert found[image] == (tuple(done.sequences[image, 2:42].tolist()) if tokens is None else tokens)


@pytest.mark.parametrize(
    ("beams", "penalty", "no_repeat"), [(4, 1.0, 3), (4, 0.0, 3), (3, 1.3, 2), (6, 0.6, 0), (1, 1.0, 3)]
)
def test_beams(model: Any, beams: int, penalty: float, no_repeat: int) -> None:
    how = {
        "num_beams": beams,
        "num_return_sequences": beams,
        "length_penalty": penalty,
        "early_stopping": False,
    }
    how |= {"max_new_tokens": 41, "min_new_tokens": 3, "no_repeat_ngram_size": no_repeat}
    if beams == 1:
        how = {"max_new_tokens": 41, "min_new_tokens": 3, "no_repeat_ngram_size": no_repeat}
    done = reference(model, **how)
    chosen = GenerateSettings(
        beams=beams, length_penalty=penalty, no_repeat=no_repeat, shortest=3, longest=40
    )
    found = ours(model, chosen)
    wanted = [caption(row) for row in done.sequences]
    compared = 0
    for image in range(IMAGES):
        theirs = wanted[image * beams : (image + 1) * beams]
        if None in theirs:
            continue
        compared += 1
        assert [one.tokens for one in found[image]] == theirs
        if beams > 1:
            scores = done.sequences_scores[image * beams : (image + 1) * beams].tolist()
            assert [one.score for one in found[image]] == pytest.approx(scores, abs=1e-4)
    assert compared >= 2
