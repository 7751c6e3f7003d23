"""Networks whose heads are not one layer are explained as others are."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.methods import make_method
from radcap.explanation.sanity import sanity_of
from radcap.explanation.targets import Concept
from radcap.vision.backbones import Backbone
from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.network import Network
from radcap.vision.settings import HeadSettings

LABELS = tuple(f"C000000{number}" for number in range(5))


def lens(kind: str) -> NetworkLens:
    torch.manual_seed(3)
    body = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU(), nn.Conv2d(4, 6, 3, 2, 1), nn.ReLU())
    head = make_head(HeadSettings(kind=kind, width=8, heads=2, groups=2), 6, len(LABELS))
    head.meet(LabelFacts(torch.rand(5), ("a", "b", "a", "", "b"), torch.arange(5)))
    network = Network(Backbone(body, 6, (0.0,) * 3, (64.0,) * 3), head).eval()
    places = {label: number for number, label in enumerate(LABELS)}
    return NetworkLens(network, places, torch.rand(1, 3, 32, 32) * 255, Frame())


@pytest.mark.parametrize("kind", ["label-embedding", "grouped", "chained"])
@pytest.mark.parametrize("method", ["grad-cam", "hires-cam", "integrated-gradients", "lrp", "occlusion"])
def test_maps_are_of_the_image_and_of_the_concept(kind, method):
    maps = make_method(method)(lens(kind), tuple(map(Concept, LABELS))).maps.numpy()
    assert np.isfinite(maps).all()
    assert maps.shape[0] == len(LABELS)
    assert (maps.reshape(5, -1).std(axis=1) > 0).all()
    assert not np.allclose(maps[0], maps[1])


@pytest.mark.parametrize("kind", ["label-embedding", "grouped", "chained"])
def test_their_weights_can_become_noise(kind):
    told = sanity_of(make_method("hires-cam"), lens(kind), [Concept(LABELS[0])], stages=2)
    assert told.stages[0] == "head"
    assert np.isfinite(told.likeness).all()
