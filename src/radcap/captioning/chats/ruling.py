"""Our rules on the next token where transformers asks for its own (`LogitsProcessor`).

Invariant: what stands in front of the first token that is asked for is the prompt, and no rule sees it. A
token that was chosen here is the only one that is left.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation import FORBIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.generation.rows import Choose
    from radcap.captioning.generation.rules import Rules

__all__ = ["Chosen", "Never", "Ruled"]


class Never:
    """A control: the marks of a chat (images, turns, what is kept for later) are no part of an answer."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self.tokens = tokens
        self._places = torch.zeros(0, dtype=torch.long)

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - the shape of a control
        if not len(self._places):
            known = [one for one in self.tokens if one < logits.shape[1]]
            self._places = torch.tensor(known, dtype=torch.long, device=logits.device)
        return logits.index_fill_(1, self._places, FORBIDDEN)


class Ruled:
    """Rules for captions of which so many (`copies`) in a row are of one image."""

    def __init__(self, rules: Rules, copies: int) -> None:
        self.rules = rules
        self.copies = copies
        self.prompt = -1  # tokens of it; told by the first call

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Log probabilities of the next token."""
        if self.prompt < 0:
            self.prompt = input_ids.shape[1]
        images = torch.arange(len(scores), device=scores.device) // self.copies
        return self.rules(input_ids[:, self.prompt :], scores, images)


class Chosen(Ruled):
    """The same, with one token left of all: greedy, or as our lots fall."""

    def __init__(self, rules: Rules, copies: int, choose: Choose) -> None:
        super().__init__(rules, copies)
        self.choose = choose
        self.sums = torch.zeros(0)  # of log probabilities, the end among them

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        ruled = super().__call__(input_ids, scores)
        rows, step = torch.arange(len(ruled), device=ruled.device), input_ids.shape[1] - self.prompt
        token = self.choose(ruled, rows, step)[:, None]
        going = (input_ids[:, self.prompt :] != self.rules.end).all(dim=1)
        if not step:
            self.sums = ruled.new_zeros(len(ruled))
        self.sums += ruled.gather(1, token)[:, 0].masked_fill(~going, 0)
        return torch.full_like(ruled, FORBIDDEN).scatter_(1, token, 0.0)
