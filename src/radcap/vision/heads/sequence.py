"""A head that writes the concepts of an image as a list: modality, anatomy, and the rest.

It learns by cross entropy over the tokens of the true list, each given those before it, and answers by beam
search. Invariant: at a threshold of one half the answer is the best list; half of a label's probability is
whether that list has it, the other half the share of the lists that have it among all that were found.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.heads.head import Head, Taught
from radcap.vision.heads.sequence_beam import Bounds, search
from radcap.vision.heads.sequence_decoders import make_decoder

if TYPE_CHECKING:
    from radcap.vision.heads.head import LabelFacts
    from radcap.vision.heads.sequence_beam import Lists
    from radcap.vision.heads.sequence_decoders import State
    from radcap.vision.settings import HeadSettings

__all__ = ["SequenceHead", "ordered_lists"]

_LEAST = 1e-4  # a label in no list that was found may be there all the same
_PASSED = -100  # behind the end of a list; as torch's cross entropy has it


T = TypeVar("T")


def uncompiled(function: T) -> T:
    """Not to be compiled: lists are as long as their images ask for, which a graph cannot be."""
    return cast("T", torch.compiler.disable(function))


class SequenceHead(Head):
    """A decoder over the image; `order` has the labels as lists name them."""

    order: torch.Tensor

    looks_at_places = True
    learns_by_logits = False  # those are of the first concept alone

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        self.labels = labels
        self.bounds = Bounds(settings.beams, settings.least, settings.length)
        self.end_weight, self.hide = settings.end_weight, settings.hide
        self.bridge = nn.Sequential(nn.Linear(width, settings.width), nn.LayerNorm(settings.width))
        self.decoder = make_decoder(settings, labels)
        self.out = nn.Linear(settings.width, labels + 1)
        self.register_buffer("order", torch.arange(labels))

    @property
    def teaches(self) -> bool:
        return True

    def meet(self, facts: LabelFacts) -> None:
        self.order.copy_(facts.ranks.argsort())

    @uncompiled
    def score(self, features: torch.Tensor) -> torch.Tensor:
        lists = self.lists(features)
        held = lists.labels.to(lists.scores.dtype)
        shares = (torch.softmax(lists.scores, dim=1)[:, None] @ held).squeeze(1)
        p = (held[:, 0] + shares) / 2
        return torch.logit(p.clamp(_LEAST, 1 - _LEAST))

    def lists(self, features: torch.Tensor) -> Lists:
        """The best lists that beam search finds, the best first."""
        memory = self._memory(features)
        begin = torch.full((len(features), 1), self.labels + 1, device=features.device)
        return search(self._follow, self.decoder.start(memory), begin, self.bounds)

    @uncompiled
    def teach(self, features: torch.Tensor, labels: torch.Tensor) -> Taught:
        """The logits are those of the first concept of a list."""
        targets = ordered_lists(labels, self.order, self.bounds.length)
        begin = torch.full_like(targets[:, :1], self.labels + 1)
        given = torch.cat([begin, targets[:, :-1].clamp(min=0)], dim=1)  # what is passed over is seen by none
        told = self.out(self.decoder(given, self._memory(features))).float()
        logits, vectors = told[:, 0, :-1], self.embed(features).float()
        own = self.token_loss(told, targets) + self.own_loss(logits, vectors, labels)
        return Taught(logits, vectors, own)

    def token_loss(self, told: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The mean over tokens; ends have a weight, and some tokens are hidden by lot."""
        losses = F.cross_entropy(told.flatten(0, 1), targets.flatten(), reduction="none")
        weights = torch.where(targets == self.labels, self.end_weight, 1.0).flatten()
        weights = F.dropout(weights, self.hide, self.training)
        return (losses * weights).sum() / (targets != _PASSED).sum()

    def _memory(self, features: torch.Tensor) -> torch.Tensor:
        """The whole image, then its places: n x places + 1 x width."""
        places = features.flatten(2).transpose(1, 2)
        whole = self.embed(features)[:, None].to(places.dtype)
        return self.bridge(torch.cat([whole, places], dim=1))

    def _follow(self, tokens: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        vectors, state = self.decoder.step(tokens, state)
        return torch.log_softmax(self.out(vectors).float(), dim=-1), state


def ordered_lists(labels: torch.Tensor, order: torch.Tensor, length: int) -> torch.Tensor:
    """The labels of each image (n x labels, above one half) as tokens in an order, `length` at most, and then
    the end, which is the number of labels; lists that end sooner than others are filled with -100."""
    there, count = labels[:, order] > 0.5, labels.shape[1]  # noqa: PLR2004 - of mixed images the greater part
    lengths = there.sum(dim=1).clamp(max=length)
    longest = int(lengths.max()) if len(labels) else 0
    ranks = torch.where(there, torch.arange(count, device=labels.device), count)
    first = ranks.topk(longest, dim=1, largest=False).values
    tokens = torch.cat([order, order.new_tensor([_PASSED])])[first]
    tokens = F.pad(tokens, (0, 1), value=_PASSED)
    return tokens.scatter(1, lengths[:, None], count)
