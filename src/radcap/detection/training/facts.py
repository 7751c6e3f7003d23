"""What is known of labels before they are learnt: how frequent, of what kind, in what order they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.core.cui_sets import MODALITIES
from radcap.core.cui_sets import NAMES as MANUAL
from radcap.detection.semantic_kinds import semantic_groups
from radcap.vision.heads import LabelFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core import Cui

__all__ = ["label_facts", "semantic_groups"]

_ANATOMY = "ANAT"


def label_facts(labels: Sequence[Cui], truth: torch.Tensor) -> LabelFacts:
    """Of the labels of training images (n x labels). Lists of concepts begin with the modality, go on with
    anatomy and other manual concepts, and end with the rest, each by how frequent they are."""
    shares, groups = truth.float().mean(dim=0).cpu(), semantic_groups(labels)

    def order(number: int) -> tuple[int, float, int]:
        cui = labels[number]
        first = 0 if cui in MODALITIES else 1 if cui in MANUAL or groups[number] == _ANATOMY else 2
        return first, -float(shares[number]), number

    ranks = torch.zeros(len(labels), dtype=torch.long)
    for rank, number in enumerate(sorted(range(len(labels)), key=order)):
        ranks[number] = rank
    return LabelFacts(shares, groups, ranks)
