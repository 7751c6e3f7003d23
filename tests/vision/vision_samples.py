"""A network small enough to train in a test, and drawn pictures to train it on."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import torch
from torch import nn

from radcap.datasets.synthetic import synthetic
from radcap.vision.backbones import Backbone
from radcap.vision.heads import make_head
from radcap.vision.network import Network
from radcap.vision.pictures import Pictures, View
from radcap.vision.pictures.pictures import DevicePixels
from radcap.vision.settings import AugmentSettings, HeadSettings, ImageSettings
from radcap.vision.training import PictureFeed, Place

CPU = Place(torch.device("cpu"))
SIZE, LABELS, WIDTH = 16, 6, 12
torch.set_num_threads(1)  # networks this small only wait for threads


def tiny_backbone() -> Backbone:
    """Two convolutions with norms."""
    layers = (nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, WIDTH, 3, 2, 1))
    return Backbone(nn.Sequential(*layers, nn.BatchNorm2d(WIDTH), nn.ReLU()), WIDTH, [127.0] * 3, [64.0] * 3)


def tiny_network(seed: int = 0, drop: float = 0.1, labels: int = LABELS) -> Network:
    """The same weights for the same seed."""
    torch.manual_seed(seed)
    return Network(tiny_backbone(), make_head(HeadSettings(drop=drop), WIDTH, labels))


def drawn_feed(images: int = 48, seed: int = 0, augment: AugmentSettings | None = None) -> PictureFeed:
    """Drawn pictures, and the most frequent concepts as labels."""
    squares, labels = (one[:images] for one in _drawn(max(images, 1), seed))
    boxes = torch.tensor([0.0, 0.0, SIZE, SIZE]).expand(images, 4)
    view = View(ImageSettings(size=SIZE, grey=True, augment=augment or AugmentSettings()))
    ids = tuple(f"{seed}-{place}" for place in range(images))
    return PictureFeed(Pictures(ids, DevicePixels(squares), boxes, view), labels)


@cache
def _drawn(images: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    dataset = synthetic(images, seed=seed, size=SIZE, concepts=40)
    records = list(dataset)
    counts = Counter(cui for record in synthetic(200, concepts=40) for cui in record.concepts)
    names = [cui for cui, _ in counts.most_common(LABELS)]
    squares = np.stack([np.asarray(record.image.load().convert("L"))[:, :, None] for record in records])
    labels = [[name in record.concepts for name in names] for record in records]
    return torch.from_numpy(squares.copy()), torch.tensor(labels, dtype=torch.uint8)


def weights(network: nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Equal to the last bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
