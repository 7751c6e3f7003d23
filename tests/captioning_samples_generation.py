"""Small decoders whose every caption can be listed, and the rules said once more in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import pytest
import torch

from radcap.captioning.decoders import Decoder, Memory, State
from radcap.captioning.generation import Marks
from radcap.captioning.settings import GenerateSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MARKS",
    "TableDecoder",
    "every_caption",
    "log_probability",
    "may_follow",
    "memory_of",
    "obeys",
    "one_thread",
    "plain_greedy",
    "random_table",
]

MARKS = Marks(pad=0, begin=1, end=2)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """So little is done at a time that threads would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class TableState:
    images: torch.Tensor
    before: torch.Tensor

    def take(self, rows: torch.Tensor) -> TableState:
        return TableState(self.images[rows], self.before[rows])

    within = take


class TableDecoder(Decoder):
    """The logits of a token depend on the image and on the two tokens before: images x size x size x size."""

    def __init__(self, table: torch.Tensor, marks: Marks = MARKS) -> None:
        super().__init__()
        self.table, self.marks = table, marks
        self.width, self.size = 1, table.shape[-1]
        self.asked: list[int] = []  # rows of each step
        self.room = 0

    @cached_property
    def logs(self) -> Any:
        return self.table.double().log_softmax(-1).tolist()

    def begin(self, memory: Memory, longest: int) -> State:
        self.room = longest
        images = memory.values[:, 0, 0].long()
        return TableState(images, torch.full_like(images, self.marks.begin))

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        past = cast("TableState", state)
        self.asked.append(len(tokens))
        assert len(self.asked) <= self.room
        logits = self.table[past.images, past.before, tokens]
        return logits, TableState(past.images, tokens)


def random_table(
    images: int, size: int, seed: int, spread: float = 1.5, marks: Marks = MARKS
) -> TableDecoder:
    dice = torch.Generator().manual_seed(seed)
    return TableDecoder(spread * torch.randn(images, size, size, size, generator=dice), marks)


def memory_of(images: list[int]) -> Memory:
    values = torch.tensor(images, dtype=torch.float32)[:, None, None]
    return Memory(values, torch.ones(len(images), 1, dtype=torch.bool))


def log_probability(decoder: TableDecoder, image: int, tokens: tuple[int, ...]) -> float:
    """Of a whole caption with its end, token by token."""
    marks, total = decoder.marks, 0.0
    before, last = marks.begin, marks.begin
    for token in (*tokens, marks.end):
        total += decoder.logs[image][before][last][token]
        before, last = last, token
    return total


def may_follow(
    tokens: tuple[int, ...], size: int, settings: GenerateSettings, marks: Marks = MARKS
) -> set[int]:
    """What the rules allow after some tokens."""
    allowed = set(range(size)) - set(marks.never)
    n = settings.no_repeat
    if n:
        runs = {tokens[i : i + n] for i in range(len(tokens) - n + 1)}
        allowed -= {token for token in allowed if (*tokens, token)[-n:] in runs}
    if len(tokens) < settings.shortest:
        allowed -= {marks.end}
    if len(tokens) >= settings.longest:
        allowed &= {marks.end}
    return allowed or {marks.end}


def obeys(tokens: tuple[int, ...], size: int, settings: GenerateSettings, marks: Marks = MARKS) -> bool:
    whole = (*tokens, marks.end)
    return all(whole[i] in may_follow(whole[:i], size, settings, marks) for i in range(len(whole)))


def every_caption(
    decoder: TableDecoder, image: int, settings: GenerateSettings
) -> list[tuple[float, float, tuple[int, ...]]]:
    """Score, log probability and tokens of all that can be written, best first."""
    words = sorted(set(range(decoder.size)) - {*decoder.marks.never, decoder.marks.end})
    found: list[tuple[float, float, tuple[int, ...]]] = []
    for length in range(settings.longest + 1):
        for tokens in product(words, repeat=length):
            if obeys(tokens, decoder.size, settings, decoder.marks):
                total = log_probability(decoder, image, tokens)
                found.append((total / (length + 1) ** settings.length_penalty, total, tokens))
    return sorted(found, reverse=True)


def plain_greedy(decoder: TableDecoder, image: int, settings: GenerateSettings) -> tuple[int, ...]:
    tokens: tuple[int, ...] = ()
    while True:
        before, last = (decoder.marks.begin, decoder.marks.begin, *tokens)[-2:]
        logits = decoder.logs[image][before][last]
        allowed = may_follow(tokens, decoder.size, settings, decoder.marks)
        token = max(allowed, key=lambda one: logits[one])
        if token == decoder.marks.end:
            return tokens
        tokens = (*tokens, token)
