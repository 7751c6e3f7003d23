"""Prompts of a chat with answers behind them, as a network reads both at once.

Invariant: a prompt and its answer stand side by side, and what fills up comes last, so that every token has
the position that it has when it is written; no token of a prompt is a target.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["IGNORED", "Answered", "appended"]

IGNORED = -100


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """What the network is given. Of the logits the last `kept` are looked at: `targets` is rows x kept, the
    token after each, `IGNORED` where none is of the answer; `prompts` are the lengths of the prompts."""

    given: Mapping[str, Any]
    targets: torch.Tensor
    prompts: tuple[int, ...]

    @property
    def kept(self) -> int:
        return self.targets.shape[1]


def appended(given: Mapping[str, Any], answers: Sequence[Sequence[int]], pad: int) -> Answered:
    """Prompts that are padded in front, with the tokens of an answer for each."""
    asked, there = given["input_ids"], given["attention_mask"].bool()
    lengths = [int(one) for one in there.sum(dim=1)]
    ends = [length + len(answer) for length, answer in zip(lengths, answers, strict=True)]
    whole = max(ends)
    tokens = asked.new_full((len(ends), whole), pad)
    for row, (length, answer) in enumerate(zip(lengths, answers, strict=True)):
        tokens[row, :length] = asked[row, there[row]]
        tokens[row, length : ends[row]] = torch.tensor(answer, dtype=asked.dtype, device=asked.device)
    places = torch.arange(whole, device=asked.device)
    first, last = (asked.new_tensor(one)[:, None] for one in (lengths, ends))
    after = torch.cat([tokens[:, 1:], tokens.new_full((len(ends), 1), pad)], dim=1)
    is_answer = (places >= first - 1) & (places < last - 1)
    targets = after.masked_fill(~is_answer, IGNORED)[:, min(lengths) - 1 :]
    moved = {"input_ids": tokens, "attention_mask": (places < last).to(given["attention_mask"])}
    beside = {
        name: _beside(one, there, whole)
        for name, one in given.items()
        if name not in moved and isinstance(one, torch.Tensor) and one.shape == asked.shape
    }
    return Answered({**given, **moved, **beside}, targets, tuple(lengths))


def _beside(values: torch.Tensor, there: torch.Tensor, whole: int) -> torch.Tensor:
    """What is said of each token of a prompt (which are of an image), with nothing said of an answer's."""
    moved = values.new_zeros((len(values), whole))
    for row, mask in enumerate(there):
        kept = values[row, mask]
        moved[row, : len(kept)] = kept
    return moved
