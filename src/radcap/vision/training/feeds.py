"""What a network is fed: views of pictures, or features that were computed once.

Invariant: with chance a batch is drawn, varied and mixed; without it is what evaluation sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch

from radcap.core import UsageError
from radcap.vision.pictures import mix
from radcap.vision.settings import AugmentSettings

if TYPE_CHECKING:
    from radcap.vision.pictures import Chance, Pictures
    from radcap.vision.settings import BackboneSettings, ImageSettings

__all__ = ["FeatureFeed", "Feed", "PictureFeed", "check_augment"]


class Feed(Protocol):
    """Inputs and labels by place."""

    @property
    def labels(self) -> torch.Tensor: ...
    def __len__(self) -> int: ...
    def batch(self, places: torch.Tensor, chance: Chance | None) -> tuple[torch.Tensor, torch.Tensor]: ...


@dataclass(frozen=True)
class PictureFeed:
    """Pictures with their labels (n x labels, uint8, on the device)."""

    pictures: Pictures
    labels: torch.Tensor
    half: bool = False

    def __len__(self) -> int:
        return len(self.pictures)

    def batch(self, places: torch.Tensor, chance: Chance | None) -> tuple[torch.Tensor, torch.Tensor]:
        squares, boxes = self.pictures.squares(places)
        view = self.pictures.view
        images, labels = view(squares, boxes, chance, half=self.half), self.labels[places].float()
        if chance is None:
            return images, labels
        return mix(images, labels, view.settings.augment, chance)


@dataclass(frozen=True)
class FeatureFeed:
    """Feature maps of a frozen backbone."""

    features: torch.Tensor
    labels: torch.Tensor

    def __len__(self) -> int:
        return len(self.features)

    def batch(self, places: torch.Tensor, chance: Chance | None) -> tuple[torch.Tensor, torch.Tensor]:  # noqa: ARG002
        return self.features[places].float(), self.labels[places].float()


def check_augment(image: ImageSettings, backbone: BackboneSettings) -> None:
    """Refuse to vary images that are seen once."""
    if backbone.frozen and image.augment != AugmentSettings():
        raise UsageError(
            "[image.augment] varies the images of each epoch, and a frozen backbone sees each once."
            " Delete [image.augment], or set [backbone] frozen = false."
        )
