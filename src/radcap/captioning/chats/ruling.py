"""Our rules on the next token where transformers asks for its own (`LogitsProcessor`).

Invariant: what stands in front of the first token that is asked for is the prompt, and no rule sees it. The
log probability of a caption is that of the rules, whatever weighs beside it.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation import FORBIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.generation.controls import Weight
    from radcap.captioning.generation.rows import Choose
    from radcap.captioning.generation.rules import Rules

__all__ = ["Chosen", "Followed", "Never", "Ruled"]


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


class Ruled(ABC):
    """Rules for captions, of which so many (`copies`) in a row are of one image, and what they are chosen by.

    A subclass says what is left of the next token.
    """

    def __init__(self, rules: Rules, copies: int, weights: Sequence[Weight] = ()) -> None:
        self.rules = rules
        self.copies = copies
        self.weights = weights
        self.prompt = -1  # tokens of it; told by the first call

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """What the next token is chosen by."""
        if self.prompt < 0:
            self.prompt = input_ids.shape[1]
        images = torch.arange(len(scores), device=scores.device) // self.copies
        written = input_ids[:, self.prompt :]
        ruled = weighed = self.rules(written, scores, images)
        for weight in self.weights:
            weighed = weight(written, weighed, images)
        return self.taken(written, ruled, weighed)

    @abstractmethod
    def taken(self, written: torch.Tensor, ruled: torch.Tensor, weighed: torch.Tensor) -> torch.Tensor:
        """What is left, from log probabilities and what weights made of them."""
        ...


class Chosen(Ruled):
    """One token is left of all: the likeliest, or as our lots fall."""

    def __init__(self, rules: Rules, copies: int, choose: Choose, weights: Sequence[Weight] = ()) -> None:
        super().__init__(rules, copies, weights)
        self.choose = choose
        self.sums = torch.zeros(0)  # of log probabilities, the end among them

    def taken(self, written: torch.Tensor, ruled: torch.Tensor, weighed: torch.Tensor) -> torch.Tensor:
        rows, step = torch.arange(len(ruled), device=ruled.device), written.shape[1]
        token = self.choose(weighed, rows, step)[:, None]
        going = (written != self.rules.end).all(dim=1)
        if not step:
            self.sums = ruled.new_zeros(len(ruled))
        self.sums += ruled.gather(1, token)[:, 0].masked_fill(~going, 0)
        return torch.full_like(ruled, FORBIDDEN).scatter_(1, token, 0.0)


class Followed(Ruled):
    """Beam search takes its best; of those that it can take the log probabilities are kept."""

    def __init__(self, rules: Rules, beams: int, weights: Sequence[Weight] = ()) -> None:
        super().__init__(rules, beams, weights)
        self.steps: list[tuple[torch.Tensor, torch.Tensor]] = []  # tokens and log probabilities, rows x best

    def taken(self, written: torch.Tensor, ruled: torch.Tensor, weighed: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - as above
        best = weighed.topk(min(2 * self.copies, weighed.shape[1]), dim=1).indices
        self.steps.append((best, ruled.gather(1, best)))
        return weighed

    def sums(self, tokens: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Of captions (n x t) by the rows from which each token was taken, below 0 after the end."""
        total = torch.zeros(len(tokens), device=tokens.device)
        for step in range(rows.shape[1]):
            best, values = self.steps[step]
            row, going = rows[:, step].clamp(min=0).long(), rows[:, step] >= 0
            is_it = best[row] == tokens[:, step, None]
            total += torch.where(is_it, values[row], 0.0).sum(dim=1).masked_fill(~going, 0.0)
        return total
