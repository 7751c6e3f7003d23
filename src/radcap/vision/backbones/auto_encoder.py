"""A denoising auto-encoder (UAPT 2017): features that restore an image of which a part was hidden.

With a weight on sparsity it is a sparse one (SSNSheerinKavitha 2022): each feature is there at one place in
twenty. The plain sum of features would not do, since they fall to zero before anything is restored.
Invariant: it learns without labels, from the training images alone, for a bounded number of steps; on one CPU
thread the same images and seed give the same weights. What restores the image is thrown away afterwards, and
weights are rounded to the precision a model is stored with.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones.backbone import Backbone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.vision.settings import BackboneSettings

__all__ = ["AutoEncoder", "Encoder", "crowding", "make_auto_encoder"]

_SIDE = 64  # pixels: what is looked at, whatever the image had
_INNER = (16, 32)  # channels before the features
_EPOCHS, _STEPS = 10, 3_000  # whichever comes first
_LR = 2e-3
_SELDOM = 0.05  # how much a feature should be there, as is usual
_LEAST = 1e-4


def make_auto_encoder(settings: BackboneSettings, *, size: int) -> AutoEncoder:  # noqa: ARG001 - any size will do
    """The backbone `auto-encoder`, before it has learnt to restore."""
    return AutoEncoder(Encoder(settings.width), settings.width, settings.corruption, settings.sparsity)


class Encoder(nn.Module):
    """From scaled pixels to features at an eighth of 64 pixels: n x width x 8 x 8."""

    def __init__(self, width: int) -> None:
        super().__init__()
        first, second = _INNER
        self.layers = nn.Sequential(
            nn.Conv2d(3, first, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(first, second, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(second, width, 3, 2, 1),
            nn.ReLU(),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(_small(images))


class AutoEncoder(Backbone):
    """An encoder over pixels from -1 to 1."""

    body: Encoder

    def __init__(self, body: Encoder, width: int, corruption: float, sparsity: float = 0.0) -> None:
        super().__init__(body, width, [127.5] * 3, [127.5] * 3)
        self.corruption = corruption
        self.sparsity = sparsity

    def learn(self, images: Callable[[], Iterator[torch.Tensor]], seed: int) -> None:
        """The encoder, under a decoder that is forgotten."""
        chance = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.manual_seed(seed)
            decoder = _decoder(self.width).to(self.mean.device)
            weights = [*self.body.parameters(), *decoder.parameters()]
            optimiser = torch.optim.Adam(weights, lr=_LR)
            for batch in _shown(images):
                wanted = _small((batch - self.mean) / self.spread)
                features = self.body(self._hidden(wanted, chance))
                loss = F.mse_loss(decoder(features), wanted)
                if self.sparsity:
                    loss = loss + self.sparsity * crowding(features)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
        self._round()

    def _hidden(self, images: torch.Tensor, chance: torch.Generator) -> torch.Tensor:
        """A part of the pixels in middle grey, all channels of a pixel together."""
        drawn = torch.rand(len(images), 1, *images.shape[-2:], generator=chance).to(images.device)
        return images * (drawn >= self.corruption)

    @torch.no_grad()
    def _round(self) -> None:
        for weight in self.body.parameters():
            weight.copy_(weight.half())


def crowding(features: torch.Tensor) -> torch.Tensor:
    """The divergence (Kullback and Leibler) of how much each feature is there from how much it should be.

    A feature from 0 on is there by its tanh, on average over images and places.
    """
    there = torch.tanh(features).mean(dim=(0, 2, 3)).clamp(_LEAST, 1 - _LEAST)
    seen, unseen = torch.log(_SELDOM / there), torch.log((1 - _SELDOM) / (1 - there))
    return (_SELDOM * seen + (1 - _SELDOM) * unseen).mean()


def _shown(images: Callable[[], Iterator[torch.Tensor]]) -> Iterator[torch.Tensor]:
    """The batches of all epochs, as many as there are steps."""
    steps = 0
    for _ in range(_EPOCHS):
        for batch in images():
            if steps == _STEPS:
                return
            steps += 1
            yield batch


def _small(images: torch.Tensor) -> torch.Tensor:
    return F.adaptive_avg_pool2d(images, _SIDE)


def _decoder(width: int) -> nn.Sequential:
    first, second = _INNER
    return nn.Sequential(
        nn.ConvTranspose2d(width, second, 4, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(second, first, 4, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(first, 3, 4, 2, 1),
    )
