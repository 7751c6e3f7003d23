"""Captions that are written side by side, each by itself: what greedy search and sampling have in common.

Invariant: a row depends on its image and its choices alone, not on its neighbours; every row ends with the
end mark.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import torch

from radcap.captioning.generation.candidate import Candidate, no_number
from radcap.captioning.generation.shrinking import who_goes_on

if TYPE_CHECKING:
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.generation.pen import Pen

__all__ = ["Choose", "Rows", "candidates_of", "write_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Captions as tensors, as long as the longest of them."""

    tokens: torch.Tensor  # n x t: a caption, its end mark, then pads
    there: torch.Tensor  # n x t: true up to the end mark, and for it
    log_probability: torch.Tensor  # n


class Choose(Protocol):
    """How a token is chosen."""

    def __call__(self, ruled: torch.Tensor, rows: torch.Tensor, step: int) -> torch.Tensor:
        """One token for each row of log probabilities, or of what weights made of them; `rows` are their
        numbers among all."""
        ...


@torch.no_grad()
def write_rows(pen: Pen, memory: Memory, copies: int, choose: Choose) -> Rows:
    """`copies` captions of each image, one after another."""
    device, marks = memory.values.device, pen.marks
    rows = torch.arange(len(memory) * copies, device=device)
    images = rows // copies
    state = pen.decoder.begin(memory, pen.steps).take(images)
    token, written = torch.full_like(rows, marks.begin), rows.new_empty(len(rows), 0)
    going, sums = torch.ones_like(rows, dtype=torch.bool), torch.zeros_like(rows, dtype=torch.float32)
    tokens = rows.new_full((len(rows), pen.steps), marks.pad)
    there = torch.zeros_like(tokens, dtype=torch.bool)
    for step in range(pen.steps):
        logits, state = pen.decoder.step(state, token)
        ruled = pen.rules(written, logits, images)
        weighed = pen.weighed(written, ruled, images)
        token = choose(weighed, rows, step).masked_fill(~going, marks.pad)
        sums[rows] += ruled.gather(1, token[:, None])[:, 0].masked_fill(~going, 0)
        tokens[rows, step], there[rows, step] = token, going
        going = going & (token != marks.end)
        written = torch.cat([written, token[:, None]], dim=1)
        kept = who_goes_on(going, step)
        if kept is not None:
            if not len(kept):
                break
            rows, images, token, going = rows[kept], images[kept], token[kept], going[kept]
            written, state = written[kept], state.take(kept)
    longest = int(there.sum(dim=1).amax())
    return Rows(tokens[:, :longest], there[:, :longest], sums)


def candidates_of(rows: Rows, penalty: float) -> list[Candidate]:
    """The captions of all rows."""
    if not bool(rows.log_probability.isfinite().all()):
        raise no_number()
    tokens = cast("list[list[int]]", rows.tokens.tolist())
    sums = cast("list[float]", rows.log_probability.tolist())
    lengths = cast("list[int]", rows.there.sum(dim=1).tolist())
    return [
        Candidate(tuple(row[: length - 1]), total, total / length**penalty)
        for row, total, length in zip(tokens, sums, lengths, strict=True)
    ]
