"""Folding of networks whose norms we do not know the place of."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from radcap.vision.backbones import make_backbone
from radcap.vision.folding import fold
from radcap.vision.heads import make_head
from radcap.vision.network import Network
from radcap.vision.settings import BackboneSettings, HeadSettings


def test_a_network_of_timm_is_left_as_it_is() -> None:
    if find_spec("timm") is None:
        pytest.skip("timm is not installed")
    backbone = make_backbone(BackboneSettings("mobilenetv3_small_050"), size=32)
    network = Network(backbone, make_head(HeadSettings(), backbone.width, 3)).eval()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    images = torch.rand(2, 3, 32, 32) * 255
    with torch.no_grad():
        expected = network(images)
        answer = fold(network)(images)
    assert torch.equal(answer, expected)
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


@pytest.mark.parametrize("size", [0, 2])
def test_our_own_network_answers_as_before_within_a_ten_thousandth(size: int) -> None:
    torch.manual_seed(size)
    backbone = make_backbone(BackboneSettings(f"tf_efficientnet_lite{size}"), size=48)
    network = Network(backbone, make_head(HeadSettings(), backbone.width, 5))
    images = torch.rand(8, 3, 48, 48) * 255
    network.train()
    with torch.no_grad():
        for _ in range(3):
            network(images)  # norms that have seen something
        expected = network.eval()(images)
        answer = fold(network)(images)
    assert (answer - expected).abs().max() < 1e-4
