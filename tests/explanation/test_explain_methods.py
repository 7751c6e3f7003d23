"""Each method against the library of others, or against its formula written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from radcap.core import UsageError
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.methods import METHODS, make_method
from radcap.explanation.methods.ablation_cam import AblationCam
from radcap.explanation.methods.csra_map import CsraMap
from radcap.explanation.methods.grad_cam import GradCam
from radcap.explanation.methods.hires_cam import HiResCam
from radcap.explanation.methods.integrated_gradients import IntegratedGradients
from radcap.explanation.methods.layer_cam import LayerCam
from radcap.explanation.methods.lrp import Lrp
from radcap.explanation.methods.occlusion import Occlusion
from radcap.explanation.targets import Concept, Contrast, Span
from radcap.vision.backbones import Backbone
from radcap.vision.heads import make_head
from radcap.vision.network import Network
from radcap.vision.settings import HeadSettings
from radcap.vision.torchvision_ops import ensure_torchvision

torch.set_num_threads(1)  # networks this small only wait for threads

SIZE, WIDTH = 32, 6
LABELS = ("C0000001", "C0000002", "C0000003")
TARGETS = tuple(map(Concept, LABELS))


def _body(*, bias: bool = True) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, stride=2, padding=1, bias=bias), nn.ReLU(),
        nn.Conv2d(4, WIDTH, 3, stride=2, padding=1, bias=bias), nn.ReLU(),
    )  # fmt: skip


@dataclass(frozen=True)
class Sample:
    network: Network
    lens: NetworkLens


def sample(head: str = "linear", *, bias: bool = True, seed: int = 3) -> Sample:
    torch.manual_seed(seed)
    backbone = Backbone(_body(bias=bias), WIDTH, (0.0,) * 3, (64.0,) * 3)
    network = Network(backbone, make_head(HeadSettings(kind=head, heads=4, strength=0.3), WIDTH, len(LABELS)))
    pixels = torch.rand(1, 3, SIZE, SIZE) * 255
    places = {label: number for number, label in enumerate(LABELS)}
    return Sample(network.eval(), NetworkLens(network, places, pixels, Frame()))


def _theirs(kind: str, one: Sample) -> np.ndarray:
    """The map of pytorch-grad-cam before it is scaled to the image, for every label."""
    ensure_torchvision()
    import pytorch_grad_cam
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    layer = one.network.backbone.body
    assert isinstance(layer, nn.Sequential)
    cam = getattr(pytorch_grad_cam, kind)(model=one.network, target_layers=[layer[-1]])
    with cam:
        found = []
        for label in range(len(LABELS)):
            cam(one.lens.pixels.clone(), [ClassifierOutputTarget(label)])
            features = cam.activations_and_grads.activations[-1].cpu().numpy()
            slopes = cam.activations_and_grads.gradients
            grads = slopes[-1].cpu().numpy() if slopes else np.zeros_like(features)
            found.append(
                cam.get_cam_image(
                    one.lens.pixels, layer[-1], [ClassifierOutputTarget(label)], features, grads, False
                )[0]
            )
    return np.maximum(np.stack(found), 0)


@pytest.mark.parametrize(
    ("method", "kind"), [(GradCam(), "GradCAM"), (HiResCam(), "HiResCAM"), (LayerCam(), "LayerCAM")]
)
def test_maps_from_gradients_are_those_of_pytorch_grad_cam(method, kind):
    one = sample("mlp")
    ours = method(one.lens, TARGETS).maps.relu().numpy()
    assert ours.shape == (3, 8, 8)
    assert np.abs(ours).sum() > 0
    np.testing.assert_allclose(ours, _theirs(kind, one), atol=1e-5, rtol=1e-4)


def test_ablation_weighs_channels_by_what_is_lost_without_them():
    one = sample("mlp")
    features = one.network.backbone(one.lens.pixels).detach()
    whole = one.network.head(features)[0]
    expected = []
    for label in range(len(LABELS)):
        total = torch.zeros(features.shape[2:])
        for channel in range(WIDTH):
            without = features.clone()
            without[:, channel] = 0
            total += (whole[label] - one.network.head(without)[0, label]) * features[0, channel]
        expected.append(total.relu())
    found = AblationCam(batch=4)(one.lens, TARGETS).maps
    torch.testing.assert_close(found, torch.stack(expected).detach(), atol=1e-5, rtol=1e-4)


def test_hires_cam_over_a_mean_and_a_linear_layer_is_the_model():
    one = sample("linear")
    logits = one.network(one.lens.pixels)[0]
    bias = one.network.head.get_parameter("linear.bias")
    torch.testing.assert_close(HiResCam()(one.lens, TARGETS).maps.sum(dim=(1, 2)), (logits - bias).detach())


def test_the_map_of_csra_sums_to_its_logit():
    one = sample("csra")
    maps = CsraMap()(one.lens, TARGETS).maps
    torch.testing.assert_close(maps.sum(dim=(1, 2)), one.network(one.lens.pixels)[0].detach())
    pair = CsraMap()(one.lens, [Contrast(TARGETS[0], TARGETS[1])]).maps[0]
    torch.testing.assert_close(pair, maps[0] - maps[1])


def test_csra_maps_are_refused_to_other_heads():
    with pytest.raises(UsageError, match="this model has none"):
        CsraMap()(sample().lens, TARGETS)
    with pytest.raises(UsageError, match="no map for Span"):
        CsraMap()(sample("csra").lens, [Span((1,), 0, 1)])


def test_integrated_gradients_are_those_of_captum():
    from captum.attr import IntegratedGradients as Theirs

    one = sample("mlp")
    ours = IntegratedGradients(steps=12, samples=1, noise=0.0, cell=1, batch=5)(one.lens, TARGETS)
    assert ours.spread is None
    theirs = Theirs(one.network)
    for label in range(len(LABELS)):
        found = theirs.attribute(one.lens.pixels, 0 * one.lens.pixels, label, n_steps=12)
        torch.testing.assert_close(ours.maps[label], found.sum(dim=1)[0].float(), atol=1e-4, rtol=1e-3)


def test_integrated_gradients_sum_to_the_score_less_that_of_black():
    one = sample("mlp")
    maps = IntegratedGradients(steps=64, samples=1, noise=0.0)(one.lens, TARGETS).maps
    gap = one.network(one.lens.pixels)[0] - one.network(0 * one.lens.pixels)[0]
    torch.testing.assert_close(maps.sum(dim=(1, 2)), gap.detach(), atol=2e-2, rtol=2e-2)
    assert maps.shape == (3, 4, 4)


def test_runs_under_noise_are_meant_and_their_spread_told():
    one = sample("mlp")
    noisy = IntegratedGradients(steps=4, samples=3, noise=20.0, seed=1)
    again = IntegratedGradients(steps=4, samples=3, noise=20.0, seed=1)(one.lens, TARGETS)
    found = noisy(one.lens, TARGETS)
    chance = torch.Generator().manual_seed(1)
    runs = []
    for _ in range(3):
        noise = torch.randn(one.lens.pixels.shape, generator=chance) * 20
        lens = NetworkLens(one.network, one.lens.places, one.lens.pixels + noise, Frame())
        runs.append(IntegratedGradients(steps=4, samples=1, noise=0.0)(lens, TARGETS).maps)
    torch.testing.assert_close(found.maps, torch.stack(runs).mean(dim=0))
    assert found.spread is not None
    torch.testing.assert_close(found.spread, torch.stack(runs).std(dim=0))
    torch.testing.assert_close(found.maps, again.maps)


class Rest(nn.Module):
    """A network after its first layer, of the modules that captum knows."""

    def __init__(self, conv: nn.Module, linear: nn.Module) -> None:
        super().__init__()
        self.conv, self.relu, self.pool, self.linear = conv, nn.ReLU(), nn.AdaptiveAvgPool2d(1), linear

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.pool(self.relu(self.conv(x))).flatten(1))


def _first(one: Sample) -> tuple[torch.Tensor, nn.Conv2d]:
    """What the first layer gives, and the second layer."""
    body = one.network.backbone.body
    assert isinstance(body, nn.Sequential)
    second = body[2]
    assert isinstance(second, nn.Conv2d)
    return body[1](body[0](one.lens.pixels / 64)).detach(), second


def test_the_plain_rule_is_that_of_captum():
    from captum.attr import LRP
    from captum.attr._utils.lrp_rules import EpsilonRule

    one = sample("linear")
    first, conv = _first(one)
    rest = Rest(conv, one.network.head.get_submodule("linear"))
    for layer in (rest.conv, rest.pool, rest.linear):
        layer.rule = EpsilonRule(epsilon=1e-12)  # type: ignore[assignment]
    ours = Lrp(0.0)(one.lens, TARGETS).maps
    for label in range(len(LABELS)):
        found = LRP(rest).attribute(first.clone().requires_grad_(), label).sum(dim=1)[0].detach()
        torch.testing.assert_close(ours[label], found.float(), atol=1e-5, rtol=1e-3)


def test_the_gamma_rule_is_its_formula():
    """Over inputs above zero: relevance by parts w + gamma w+, of which the bias keeps its own."""
    one, gamma = sample("linear"), 0.25
    first, conv = _first(one)
    weights = one.network.head.get_parameter("linear.weight")
    ours = Lrp(gamma)(one.lens, TARGETS).maps
    x = first.clone().requires_grad_()
    parts = torch.conv2d(x, conv.weight + gamma * conv.weight.clamp(min=0), conv.bias, 2, 1)
    seen = conv(first).relu()
    for label in range(len(LABELS)):
        arrived = seen * weights[label][None, :, None, None] / seen[0, 0].numel()
        (slope,) = torch.autograd.grad((parts * (arrived / parts).detach()).sum(), x, retain_graph=True)
        torch.testing.assert_close(ours[label], (x * slope).sum(dim=1)[0].detach(), atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_without_biases_relevance_is_neither_lost_nor_made(gamma):
    one = sample("linear", bias=False)
    bias = one.network.head.get_parameter("linear.bias")
    logits = one.network(one.lens.pixels)[0] - bias
    torch.testing.assert_close(
        Lrp(gamma)(one.lens, TARGETS).maps.sum(dim=(1, 2)), logits.detach(), atol=1e-4, rtol=1e-3
    )


class Gated(nn.Module):
    """What networks of others have between convolutions: gates, norms over channels, sums."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTH, 3, stride=4, padding=1)
        self.conv = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.norm = nn.LayerNorm(WIDTH, elementwise_affine=False)
        self.scaled = nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x).relu()
        gate = x.mean(dim=(2, 3), keepdim=True).sigmoid()
        y = torch.nn.functional.silu(self.conv(x)) * gate
        y = gate * y
        x = x + y
        x = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.scaled(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def test_relevance_goes_through_gates_norms_and_sums():
    torch.manual_seed(0)
    network = Network(Backbone(Gated(), WIDTH, (0.0,) * 3, (64.0,) * 3), sample().network.head)
    lens = NetworkLens(network, sample().lens.places, sample().lens.pixels, Frame())
    maps = Lrp()(lens, TARGETS).maps
    assert maps.shape == (3, 8, 8)
    assert torch.isfinite(maps).all()
    assert maps.abs().sum() > 0


def test_a_network_without_convolutions_has_no_relevance_of_that_kind():
    class Pool(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.avg_pool2d(x, 4).repeat(1, 2, 1, 1)

    network = Network(Backbone(Pool(), WIDTH, (0.0,) * 3, (1.0,) * 3), sample().network.head)
    with pytest.raises(UsageError, match="goes through convolutions"):
        Lrp()(NetworkLens(network, sample().lens.places, sample().lens.pixels, Frame()), TARGETS)


def test_occlusion_is_that_of_captum():
    """One fill (the mean of the image), covers of one cell that do not overlap."""
    from captum.attr import Occlusion as Theirs

    one = sample("mlp")
    grey = torch.full_like(one.lens.pixels, 100.0)
    lens = NetworkLens(one.network, one.lens.places, one.lens.pixels, Frame())
    ours = Occlusion(grid=8, patch=1, covers=("mean", "blur"))(lens, TARGETS)
    mean = lens.pixels.mean(dim=(2, 3), keepdim=True).expand_as(grey)
    coarse = nn.functional.interpolate(
        nn.functional.adaptive_avg_pool2d(lens.pixels, 6), SIZE, mode="bilinear"
    )
    cell = SIZE // 8
    for label in range(len(LABELS)):
        found = [
            Theirs(one.network)
            .attribute(lens.pixels, (3, cell, cell), (3, cell, cell), fill, label)[0, 0, ::cell, ::cell]
            .float()
            for fill in (mean, coarse)
        ]
        torch.testing.assert_close(ours.maps[label], torch.stack(found).mean(dim=0), atol=1e-4, rtol=1e-3)
        assert ours.spread is not None
        gap = (found[0] - found[1]).abs() / 2
        torch.testing.assert_close(ours.spread[label], gap, atol=1e-4, rtol=1e-3)


def test_one_kind_of_cover_knows_no_spread():
    assert Occlusion(grid=4)(sample().lens, TARGETS).spread is None


def test_covers_lie_over_every_cell_equally_often():
    covers = Occlusion(grid=5, patch=3)._covers()
    assert covers.shape == (49, 5, 5)
    assert (covers.sum(dim=0) == 9).all()


def test_a_contrast_is_the_difference_of_gradients():
    one = sample("mlp")
    this, other = HiResCam()(one.lens, TARGETS[:2]).maps
    pair = HiResCam()(one.lens, [Contrast(TARGETS[0], TARGETS[1])]).maps[0]
    torch.testing.assert_close(pair, this - other)


def test_what_is_no_concept_has_no_logit():
    with pytest.raises(UsageError, match="no score for Span"):
        GradCam()(sample().lens, [Span((1,), 0, 1)])


@pytest.mark.parametrize("name", METHODS.table)
def test_every_method_can_be_made_by_its_name(name):
    assert callable(make_method(name))


def test_an_unknown_method_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="Nearest is 'grad-cam'"):
        make_method("gradcam")
