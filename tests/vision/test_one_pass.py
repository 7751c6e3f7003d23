"""Convolution, ReLU6 and sum in one pass: the same features as layer by layer, and only where it may be."""

from __future__ import annotations

import copy
import io
import pickle
import platform
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from radcap.vision.backbones import lite, one_pass
from radcap.vision.backbones.lite import LiteNet, SameConv
from radcap.vision.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable

IDENTITY = nn.Identity().eval()

needed = pytest.mark.skipif(not one_pass._known(), reason="this torch or processor has no such pass")


def network(width: float = 1.0, *, folded: bool = True) -> LiteNet:
    """A network whose norms do something."""
    torch.manual_seed(3)
    made = LiteNet(width, 1.0).eval()
    for name, value in made.state_dict().items():
        if name.endswith("running_var"):
            value.uniform_(0.5, 2)
        elif value.ndim == 1 and value.dtype.is_floating_point:
            value.uniform_(-0.5, 1.5)
    return fold(made) if folded else made


def layer() -> SameConv:
    torch.manual_seed(0)
    conv = SameConv(8, 16, 3, 2).eval()
    conv.bias = nn.Parameter(torch.randn(16))
    return conv


def images(count: int = 2, high: int = 65, wide: int = 50) -> torch.Tensor:
    made = torch.randn(count, 3, high, wide, generator=torch.Generator().manual_seed(1))
    return made.contiguous(memory_format=torch.channels_last)


def layer_by_layer(net: nn.Module, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch) -> torch.Tensor:
    with monkeypatch.context() as patch, torch.no_grad():
        patch.setattr(lite, "fits", lambda *_: False)
        return net(x)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each layer that was done in one pass."""
    calls: list[str] = []
    real = one_pass.one_pass

    def noted(conv: nn.Conv2d, x: torch.Tensor, **how: bool | torch.Tensor | None) -> torch.Tensor:
        calls.append("added" if how.get("added") is not None else "bent" if how.get("bent") else "stored")
        return real(conv, x, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(lite, "one_pass", noted)
    return calls


@needed
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("last", [True, False], ids=["channels-last", "channels-first"])
def test_one_pass_gives_the_features_of_layer_by_layer(
    monkeypatch: pytest.MonkeyPatch, counted: list[str], count: int, last: bool
) -> None:
    net, x = network(), images(count)
    if last:
        net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    expected = layer_by_layer(net, x, monkeypatch)
    assert counted == []
    with torch.inference_mode():
        found = net(x)
    assert (found - expected).abs().max() <= 1e-4 * expected.abs().max()
    assert 0.05 < (expected > 0).float().mean() < 1  # features that say something
    assert len(counted) == sum(isinstance(one, SameConv) for one in net.modules())
    assert set(counted) == {"added", "bent", "stored"}
    assert found.is_contiguous(memory_format=torch.channels_last) or not last


@needed
def test_gradients_go_layer_by_layer(counted: list[str]) -> None:
    x = images().requires_grad_()
    network()(x).sum().backward()
    assert counted == []
    assert x.grad is not None
    assert x.grad.abs().sum() > 0


@needed
def test_hooks_see_what_they_saw(monkeypatch: pytest.MonkeyPatch, counted: list[str]) -> None:
    net, x, seen = network(), images(), list[torch.Tensor]()
    before = layer_by_layer(net, x, monkeypatch)
    block = net.get_submodule("blocks.1.0")
    handle = block.get_submodule("conv_pw").register_forward_hook(lambda *got: seen.append(got[2]))
    with torch.no_grad():
        answer = net(x)
        layers = len(counted)
        handle.remove()
        net(x)
    torch.testing.assert_close(answer, before, atol=1e-4, rtol=1e-4)
    assert len(seen) == 1
    assert seen[0].min() < 0  # before ReLU6
    assert len(counted) == 2 * layers + 1


@needed
def test_weights_may_change_and_networks_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = network(), images()
    with torch.no_grad():
        first = net(x)
        copies = [copy.deepcopy(net), pickle.loads(pickle.dumps(net))]  # noqa: S301 - our own
        held = io.BytesIO()
        torch.save(net.state_dict(), held)
        for one in net.parameters():
            one.data = one.data.flatten().flip(0).view_as(one)
        changed = net(x)
        assert all(torch.equal(one(x), first) for one in copies)
    torch.testing.assert_close(changed, layer_by_layer(net, x, monkeypatch), atol=1e-4, rtol=1e-4)
    held.seek(0)
    net.load_state_dict(torch.load(held, weights_only=True))
    with torch.no_grad():
        assert torch.equal(net(x), first)


def watched(conv: nn.Conv2d) -> nn.Conv2d:
    conv.register_forward_pre_hook(lambda *_: None)
    return conv


class Other(torch.Tensor):
    """A tensor of somebody's own."""


REFUSED: dict[str, Callable[[], tuple[nn.Conv2d, nn.Module, torch.Tensor]]] = {
    "a norm": lambda: (layer(), nn.BatchNorm2d(16).eval(), torch.zeros(1, 8, 9, 9)),
    "training": lambda: (layer().train(), IDENTITY, torch.zeros(1, 8, 9, 9)),
    "half": lambda: (layer().bfloat16(), IDENTITY, torch.zeros(1, 8, 9, 9, dtype=torch.bfloat16)),
    "mixed": lambda: (layer().double(), IDENTITY, torch.zeros(1, 8, 9, 9)),
    "another device": lambda: (layer(), IDENTITY, torch.zeros(1, 8, 9, 9, device="meta")),
    "a subclass": lambda: (layer(), IDENTITY, torch.zeros(1, 8, 9, 9).as_subclass(Other)),
    "a hook": lambda: (watched(layer()), IDENTITY, torch.zeros(1, 8, 9, 9)),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_left_to_torch(why: str) -> None:
    with torch.no_grad():
        assert not one_pass.fits(*REFUSED[why]())


@needed
def test_autocast_and_a_switched_off_library_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    given = (layer(), IDENTITY, torch.zeros(1, 8, 9, 9))
    assert not one_pass.fits(*given)  # gradients are on
    with torch.no_grad():
        assert one_pass.fits(*given)
        with torch.autocast("cpu", torch.bfloat16):
            assert not one_pass.fits(*given)
        monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
        assert not one_pass.fits(*given)


def test_other_processors_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert not one_pass._known.__wrapped__()
