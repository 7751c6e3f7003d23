"""Small decoders of every kind, and memories for them."""

from __future__ import annotations

import pytest
import torch

from radcap.captioning.decoders import Decoder, Memory, make_decoder
from radcap.captioning.settings import DecoderSettings

SIZE, WIDTH = 23, 16
SMALL = {"width": WIDTH, "layers": 2, "heads": 2, "factor": 2.0, "longest": 10}
KINDS = {
    "lstm": {"kind": "lstm"},
    "gru": {"kind": "gru"},
    "lstm, one look": {"kind": "lstm", "attention": False},
    "gru, one look": {"kind": "gru", "attention": False, "layers": 1},
    "transformer": {"kind": "transformer"},
    "prefix": {"kind": "prefix"},
}
LAYERED = ("transformer", "prefix")


@pytest.fixture(autouse=True)
def one_thread():
    """So little work is done sooner by one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def small(name: str, *, seed: int = 0, **keys: object) -> Decoder:
    """A decoder that answers, with weights that are not those it begins with: no bias is zero."""
    torch.manual_seed(seed)
    decoder = make_decoder(DecoderSettings(**(SMALL | KINDS[name] | keys)), SIZE)
    with torch.no_grad():
        for weight in decoder.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    return decoder.eval()


def a_memory(rows: int = 3, entries: int = 5, seed: int = 1) -> Memory:
    """The first entry is there, of the others some."""
    generator = torch.Generator().manual_seed(seed)
    there = torch.rand(rows, entries, generator=generator) < 0.6
    there[:, 0] = True
    return Memory(torch.randn(rows, entries, WIDTH, generator=generator), there)


def some_tokens(rows: int = 3, count: int = 7, seed: int = 2) -> torch.Tensor:
    return torch.randint(SIZE, (rows, count), generator=torch.Generator().manual_seed(seed))


def stepped(decoder: Decoder, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
    """The logits of `forward`, by steps."""
    state, logits = decoder.begin(memory, tokens.shape[1]), []
    for column in tokens.unbind(1):
        one, state = decoder.step(state, column)
        logits.append(one)
    return torch.stack(logits, 1)
