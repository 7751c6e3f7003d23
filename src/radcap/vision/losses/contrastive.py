"""Images against concepts, images against images, concepts against concepts (VCMI 2022 and 2023).

Each part is a cross-entropy between what is similar and what belongs together, by rows: InfoNCE with several
positives, which are weighed by how much they share. BCE on the logits is added to them, since probabilities
would mean nothing otherwise: a contrast knows which concept is nearer, but not how near is near enough.

Invariant: rows that nothing belongs to are left out, so a batch of one image, or without any concept, has a
loss that is a number. In several processes each contrasts its own part of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from radcap.vision.heads import Taught
    from radcap.vision.settings import LossSettings

__all__ = ["ContrastiveLoss", "alike", "image_concept", "make_contrastive", "overlap", "row_contrast"]

_NEVER = -1e9  # a similarity that no softmax sees
_LEAST = 1e-6


@dataclass(frozen=True)
class ContrastiveLoss:
    """The parts by their weights. Only what changes can learn: vectors of a frozen backbone do not."""

    settings: LossSettings

    def __call__(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """All that logits tell."""
        smoothing = self.settings.smoothing
        likely = F.binary_cross_entropy_with_logits(logits, labels * (1 - smoothing) + smoothing / 2)
        return likely + self.settings.image_concept * image_concept(logits, labels)

    def inner(self, taught: Taught, labels: torch.Tensor, epoch: int) -> torch.Tensor:  # noqa: ARG002
        settings = self.settings
        with torch.autocast(labels.device.type, enabled=False):  # similarities want single precision
            loss = self(taught.logits, labels)
            if settings.image_image:
                loss = loss + settings.image_image * alike(taught.vectors, labels, settings.contrast)
            if settings.concept_concept and taught.concepts is not None:
                concepts = alike(taught.concepts.float(), labels.T, settings.contrast)
                loss = loss + settings.concept_concept * concepts
        return loss


def make_contrastive(settings: LossSettings, shares: torch.Tensor) -> ContrastiveLoss:  # noqa: ARG001
    """The loss of a system file."""
    return ContrastiveLoss(settings)


def image_concept(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Each image finds its concepts among all, and each concept its images among those of the batch."""
    return (row_contrast(logits, labels) + row_contrast(logits.T, labels.T)) / 2


def alike(vectors: torch.Tensor, sets: torch.Tensor, temperature: float) -> torch.Tensor:
    """Vectors are near each other as their sets overlap: those of images by their concepts, those of
    concepts by their images. What has no set is neither drawn nor driven away."""
    normed = F.normalize(vectors, dim=1)
    others = ~torch.eye(len(sets), dtype=torch.bool, device=sets.device)
    seen = others & (sets.sum(dim=1) > 0)
    similar = torch.where(seen, normed @ normed.T / temperature, _NEVER)
    return row_contrast(similar, torch.where(seen, overlap(sets), 0.0))


def overlap(sets: torch.Tensor) -> torch.Tensor:
    """Of each two rows: shared / all, after Jaccard; after Tanimoto where they are mixed and hold parts."""
    both = sets @ sets.T
    sizes = both.diagonal()
    return both / (sizes[:, None] + sizes[None, :] - both).clamp(min=_LEAST)


def row_contrast(similar: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """The mean cross-entropy of rows, over those where anything is wanted."""
    total = wanted.sum(dim=1)
    each = -(wanted * F.log_softmax(similar, dim=1)).sum(dim=1) / total.clamp(min=_LEAST)
    return each.sum() / (total > 0).sum().clamp(min=1)
