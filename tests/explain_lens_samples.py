"""Small networks that see planted squares, and a lens over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.explanation.lenses.frame import Frame
from radcap.explanation.methods.method import Relevance
from radcap.explanation.targets import Concept, Target
from radcap.vision.backbones import Backbone

torch.set_num_threads(1)  # networks this small only wait for threads

SIZE = 64
CONCEPTS = ("C0000001", "C0000002", "C0000003")
WHERE = ((10, 10), (10, 42), (42, 24))  # top and left of the square of each concept, before it is moved
PATTERNS = 3
SQUARE = 14


class TinyNetwork(nn.Module):
    """Three convolutions, the mean over places and a linear head."""

    def __init__(self, labels: int = len(CONCEPTS), width: int = 12) -> None:
        super().__init__()
        body = nn.Sequential(
            nn.Conv2d(3, 8, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(8, width, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1), nn.ReLU(),
        )  # fmt: skip
        self.backbone = Backbone(body, width, (128.0,) * 3, (64.0,) * 3)
        self.head = nn.Linear(width, labels)

    def answer(self, features: torch.Tensor) -> torch.Tensor:
        return self.head(features.mean((-2, -1)))

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.answer(self.backbone(pixels))


@dataclass(frozen=True, eq=False)
class TinyLens:
    """A lens over a tiny network; concepts are its labels in order."""

    network: TinyNetwork
    pixels: torch.Tensor
    frame: Frame = field(default_factory=Frame)

    @property
    def backbone(self) -> Backbone:
        return self.network.backbone

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return self.network.answer(features)[:, _places(targets)]

    @torch.no_grad()
    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return torch.sigmoid(self.network(pixels))[:, _places(targets)]

    def over(self, pixels: torch.Tensor) -> TinyLens:
        return replace(self, pixels=pixels)


def _places(targets: Sequence[Target]) -> list[int]:
    return [CONCEPTS.index(target.cui) for target in targets if isinstance(target, Concept)]


def concepts(count: int = len(CONCEPTS)) -> tuple[Concept, ...]:
    return tuple(Concept(cui) for cui in CONCEPTS[:count])


def grad_cam(lens: TinyLens, targets: Sequence[Target]) -> Relevance:
    """The mean gradient of each channel times the channel, with its sign."""
    features = lens.backbone(lens.pixels).detach().requires_grad_()
    scores = lens.scores(features, targets)[0]
    slopes = [torch.autograd.grad(score, features, retain_graph=True)[0] for score in scores]
    maps = [(slope.mean((-2, -1), keepdim=True) * features).sum(1)[0] for slope in slopes]
    return Relevance(torch.stack(maps).detach())


def planted(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.bool_]]:
    """Noisy pictures with squares of three patterns: pixels, labels, and where each square is."""
    lots = np.random.default_rng(seed)
    pixels = lots.normal(110, 12, (count, SIZE, SIZE))
    labels = lots.random((count, PATTERNS)) < 0.5
    truth = np.zeros((count, PATTERNS, SIZE, SIZE), bool)
    for image, label in np.argwhere(labels):
        top, left = np.array(WHERE[label]) + lots.integers(-8, 9, 2)
        spot = (slice(top, top + SQUARE), slice(left, left + SQUARE))
        pixels[image][spot] = _pattern(label)
        truth[image, label][spot] = True
    grey = torch.from_numpy(pixels.clip(0, 255)).float()[:, None].expand(-1, 3, -1, -1).contiguous()
    return grey, torch.from_numpy(labels).float(), truth


def _pattern(label: int) -> NDArray[Any]:
    rows, columns = np.indices((SQUARE, SQUARE)) // 2 % 2
    return 40 + 180.0 * (rows, columns, np.ones_like(rows))[label]


@cache
def trained(shuffled: bool = False) -> TinyNetwork:
    """Knows the three patterns; or, with labels in another order, nothing."""
    pixels, labels, _ = planted(128, seed=1)
    labels = labels[torch.randperm(128, generator=torch.Generator().manual_seed(3))] if shuffled else labels
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = TinyNetwork()
    steps = torch.optim.Adam(network.parameters(), 2e-2)
    for step in range(60):
        part = slice(32 * (step % 4), 32 * (step % 4) + 32)
        loss = F.binary_cross_entropy_with_logits(network(pixels[part]), labels[part])
        steps.zero_grad()
        loss.backward()
        steps.step()
    return network.eval()


@cache
def shown(seed: int = 2) -> tuple[torch.Tensor, NDArray[np.bool_]]:
    """One picture with all three squares (1 x 3 x s x s), and where they are."""
    pixels, labels, truth = planted(64, seed)
    place = int(labels.sum(1).argmax())
    return pixels[place : place + 1], truth[place]


def picture_of(pixels: torch.Tensor) -> NDArray[np.uint8]:
    """Height x width x 3."""
    return pixels[0].permute(1, 2, 0).round().numpy().astype(np.uint8)
