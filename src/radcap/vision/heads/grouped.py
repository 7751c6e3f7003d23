"""Labels in groups, each group with layers of its own: frequent and rare labels do not disturb each other.

Groups are made by how frequent labels are (SPU 2026: four heads) or by their semantic group (VCMI).
Invariant: which label belongs to which group lies in a buffer, and no weight changes its shape with it; so a
saved head needs no facts to be loaded.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.heads.head import Head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vision.heads.head import LabelFacts
    from radcap.vision.settings import HeadSettings

__all__ = ["GroupedHead", "groups_by_kind", "groups_by_share"]

_HIDDEN = (256,)  # of a group's layers, where the system does not say


class GroupedHead(Head):
    """A trunk for each group, and a last layer for each label over the trunk of its group."""

    group: torch.Tensor  # of each label

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        self.by, count = settings.by, min(settings.groups, labels)
        hidden = settings.hidden or _HIDDEN
        self.trunks = nn.ModuleList(_trunk(hidden, settings.drop, width) for _ in range(count))
        self.last = nn.Linear(hidden[-1], labels)
        self.register_buffer("group", _parts(labels, count))  # as if labels came by frequency

    def meet(self, facts: LabelFacts) -> None:
        count = len(self.trunks)
        by_kind = self.by == "kind"
        found = groups_by_kind(facts.kinds, count) if by_kind else groups_by_share(facts.shares, count)
        self.group.copy_(found)

    def score(self, features: torch.Tensor) -> torch.Tensor:
        vectors = self.embed(features)
        # every trunk is asked for every label: a trunk without labels then has a slope of 0 rather than none,
        # which training in several processes needs
        asked = F.linear(torch.stack([trunk(vectors) for trunk in self.trunks], dim=1), self.last.weight)
        mine = self.group.view(1, 1, -1).expand(len(vectors), 1, -1)
        return asked.gather(1, mine).squeeze(1) + self.last.bias


def groups_by_share(shares: torch.Tensor, groups: int) -> torch.Tensor:
    """Groups of equal size (but for one label), the most frequent labels first."""
    order = torch.argsort(shares.cpu(), descending=True, stable=True)
    found = torch.empty_like(order)
    found[order] = _parts(len(order), groups)
    return found


def groups_by_kind(kinds: Sequence[str], groups: int) -> torch.Tensor:
    """A group for each of the kinds with the most labels; the others share the last group."""
    counts = Counter(kinds)
    ranked = sorted(counts, key=lambda kind: (-counts[kind], kind))
    place = {kind: min(rank, groups - 1) for rank, kind in enumerate(ranked)}
    return torch.tensor([place[kind] for kind in kinds])


def _parts(labels: int, groups: int) -> torch.Tensor:
    return torch.arange(labels) * groups // labels


def _trunk(hidden: Sequence[int], drop: float, width: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for wide in hidden:
        layers += [nn.Linear(width, wide), nn.ReLU(), nn.Dropout(drop)]
        width = wide
    return nn.Sequential(*layers)
