"""Whether the batches of an epoch are large enough for a network that learns as a whole.

Invariant: what is refused would fail at the first step; a frozen backbone normalises by what it knows.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError, counted

if TYPE_CHECKING:
    from torch import nn

    from radcap.detection.system import ConceptModel
    from radcap.vision.network import Network
    from radcap.vision.training import Place

__all__ = ["check_batches"]


def check_batches(network: Network, model: ConceptModel, images: int, place: Place) -> None:
    """Refuse batches of one image where their statistics are taken; an epoch's batches are alike in size."""
    batch = min(model.train.batch, images) // place.world
    if batch > 1 or model.backbone.frozen or _learns_from_one(network.backbone, model.image.size):
        return
    raise UsageError(
        f"A batch would hold one image (batch is {model.train.batch}, with {counted(images)} to learn from),"
        f" and the batch normalisation of {model.backbone.name} needs two. Set [train] batch to 2 or more for"
        " each process, give more images, or write [backbone] frozen = true."
    )


def _learns_from_one(backbone: nn.Module, size: int) -> bool:
    """Whether a step with one image can be taken: maps of several places give statistics too."""
    tried = deepcopy(backbone).cpu().train()
    try:
        with torch.no_grad():
            tried(torch.zeros(1, 3, size, size))
    except ValueError as error:  # of torch, for norms alone
        return "more than 1 value per channel" not in str(error)
    return True
