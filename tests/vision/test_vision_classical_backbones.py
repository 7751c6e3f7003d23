"""Visual words, colours over a quad-tree and the auto-encoder as backbones."""

from __future__ import annotations

import copy
import math
from typing import Any
from unittest import mock

import pytest
import torch

from radcap.core import UsageError
from radcap.vision.backbones import auto_encoder, make_backbone
from radcap.vision.settings import BackboneSettings
from radcap.vision.weight_files import read_weight_file, write_weight_file

torch.set_num_threads(1)

COUNTING = ("visual-words", "colour-tree")
ALL = (*COUNTING, "auto-encoder")


def made(name: str, **settings) -> Any:
    torch.manual_seed(0)
    return make_backbone(BackboneSettings(name=name, **{"words": 12, "width": 8, **settings}), size=48)


def pictures(count: int = 24, side: int = 48, seed: int = 0) -> torch.Tensor:
    """Grey stripes, upright or lying, of several widths and with noise."""
    chance = torch.Generator().manual_seed(seed)
    lines = torch.arange(side)
    drawn = []
    for number in range(count):
        stripes = ((lines // (2 + number % 5)) % 2 * 200.0).expand(side, side)
        drawn.append(stripes if number % 2 else stripes.T)
    noisy = torch.stack(drawn) + 20 * torch.rand(count, side, side, generator=chance)
    return noisy.clamp(0, 255)[:, None].expand(-1, 3, -1, -1)


def views(images: torch.Tensor):
    return lambda: iter(torch.split(images, 10))


def learnt(name: str, images: torch.Tensor | None = None, seed: int = 0, **settings):
    backbone = made(name, **settings)
    backbone.learn(views(pictures() if images is None else images), seed)
    return backbone.eval()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("side", [16, 17, 48, 70])
def test_any_size_gives_features_of_the_width(name, side):
    backbone = learnt(name, pictures(6, side))
    found = backbone(pictures(5, side))
    assert found.shape == (5, backbone.width, *((8, 8) if name == "auto-encoder" else (1, 1)))
    assert bool(found.isfinite().all())
    if name in COUNTING:
        assert backbone.width == 12 * 5
        torch.testing.assert_close(found.flatten(1).norm(dim=1), torch.ones(5))


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_learns_the_same_and_another_something_else(name):
    one, two, other = learnt(name), learnt(name), learnt(name, seed=5)
    assert all(torch.equal(a, b) for a, b in zip(one.buffers(), two.buffers(), strict=True))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one(pictures()), other(pictures()))


@pytest.mark.parametrize("name", ALL)
def test_learning_leaves_the_chance_of_others_alone(name):
    backbone = made(name)
    torch.manual_seed(7)
    backbone.learn(views(pictures()), 0)
    drawn = torch.rand(3)
    torch.manual_seed(7)
    assert torch.equal(drawn, torch.rand(3))


@pytest.mark.parametrize("name", ALL)
def test_what_was_learnt_is_stored_without_loss(name, tmp_path):
    backbone = learnt(name)
    held = {f"backbone.{weight}": value for weight, value in backbone.state_dict().items()}
    write_weight_file(held, tmp_path / "model.safetensors")
    again = made(name)
    found = read_weight_file(tmp_path / "model.safetensors")
    again.load_state_dict({weight.removeprefix("backbone."): value for weight, value in found.items()})
    assert torch.equal(again.eval()(pictures()), backbone(pictures()))
    begun = made(name, weights=str(tmp_path / "model.safetensors"))
    assert torch.equal(begun.eval()(pictures()), backbone(pictures()))


@pytest.mark.parametrize("name", COUNTING)
def test_an_image_is_the_same_alone_in_half_precision_and_under_autocast(name):
    backbone, images = learnt(name), pictures(40).round()
    whole = backbone(images)
    alone = torch.cat([backbone(one[None]) for one in images])
    torch.testing.assert_close(whole, alone)
    torch.testing.assert_close(backbone(images.half()), whole)
    with torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(backbone(images), whole)


@pytest.mark.parametrize("name", COUNTING)
def test_nothing_is_trained_and_no_gradient_passes(name):
    backbone = learnt(name)
    assert not list(backbone.parameters())
    assert not backbone(pictures(2).clone().requires_grad_()).requires_grad


@pytest.mark.parametrize("name", COUNTING)
def test_nothing_to_learn_from_is_refused(name):
    with pytest.raises(UsageError, match="no images to learn from"):
        made(name).learn(lambda: iter(()), 0)


def test_words_tell_directions_apart():
    found = learnt("visual-words", levels=1)(pictures(20, seed=3)).flatten(1)
    likeness = found @ found.T
    upright = torch.arange(20) % 2 == 1
    same = upright[:, None] == upright[None]
    assert float(likeness[same].mean()) > 2 * float(likeness[~same].mean())


def test_a_palette_of_grey_images_is_grey_levels():
    palette = learnt("colour-tree").body.palette
    assert torch.equal(palette[:, 0], palette[:, 1])
    assert torch.equal(palette[:, 0], palette[:, 2])
    assert len(palette[:, 0].unique()) == 12


def test_colours_are_counted_where_they_stand():
    red, blue = (torch.tensor(one).view(3, 1, 1) for one in ([250.0, 0, 0], [0, 0, 250.0]))
    image = red.expand(3, 32, 32).clone()
    image[:, 16:, 16:] = blue
    backbone = learnt("colour-tree", image[None], words=2)
    found = backbone(image[None]).flatten().square() * 2  # two levels, each half of the length
    reddest = int(backbone.body.palette[:, 0].argmax())
    whole, quarters = found[:2], found[2:].view(4, 2)
    assert float(whole[reddest]) == pytest.approx(0.75, abs=1e-4)
    assert quarters[:, reddest].tolist() == pytest.approx([0.25, 0.25, 0.25, 0], abs=1e-4)


def test_the_auto_encoder_learns_to_restore():
    losses: list[float] = []
    real = torch.nn.functional.mse_loss

    def noted(*given):
        loss = real(*given)
        losses.append(float(loss.detach()))
        return loss

    with mock.patch("torch.nn.functional.mse_loss", noted):
        made("auto-encoder").learn(views(pictures(40)), 0)
    assert len(losses) == 40
    assert sum(losses[-4:]) < 0.6 * sum(losses[:4])


def test_features_are_there_as_seldom_as_the_divergence_says():
    features = torch.tensor([[0.0, 1.0], [0.2, 3.0]]).view(2, 2, 1, 1)
    there = [math.tanh(0.2) / 2, (math.tanh(1) + math.tanh(3)) / 2]
    wanted = torch.distributions.Bernoulli(torch.full((2,), 0.05))
    plain = torch.distributions.kl_divergence(wanted, torch.distributions.Bernoulli(torch.tensor(there)))
    assert float(auto_encoder.crowding(features)) == pytest.approx(float(plain.mean()), rel=1e-4)
    assert torch.isfinite(auto_encoder.crowding(torch.zeros(1, 2, 1, 1)))


def test_with_a_weight_on_it_features_are_sparser_and_still_restore():
    images, empty, losses = pictures(40), [], []
    real = torch.nn.functional.mse_loss

    def noted(*given):
        loss = real(*given)
        losses.append(float(loss.detach()))
        return loss

    for sparsity in (0.0, 0.1):
        backbone = made("auto-encoder", sparsity=sparsity)
        with mock.patch("torch.nn.functional.mse_loss", noted):
            backbone.learn(views(images), 0)
        with torch.no_grad():
            empty.append(float((backbone(images) == 0).float().mean()))
    assert empty[0] + 0.2 < empty[1] < 0.9
    assert losses[-1] < 0.6 * losses[-40]


def test_a_part_of_the_pixels_is_hidden():
    backbone = made("auto-encoder", corruption=0.3)
    hidden = backbone._hidden(torch.ones(4, 3, 64, 64), torch.Generator().manual_seed(0))
    assert torch.equal(hidden[:, 0], hidden[:, 2])
    assert float((hidden == 0).float().mean()) == pytest.approx(0.3, abs=0.02)
    whole = made("auto-encoder", corruption=0.0)
    assert bool(whole._hidden(torch.ones(1, 3, 8, 8), torch.Generator().manual_seed(0)).all())


def test_the_steps_of_the_auto_encoder_are_bounded(monkeypatch):
    monkeypatch.setattr(auto_encoder, "_STEPS", 4)
    assert len(list(auto_encoder._shown(views(pictures())))) == 4
    monkeypatch.setattr(auto_encoder, "_STEPS", 10_000)
    assert len(list(auto_encoder._shown(views(pictures())))) == 30


def test_the_encoder_can_be_trained_further():
    backbone = learnt("auto-encoder")
    before = copy.deepcopy(backbone.state_dict())
    backbone(pictures(4)).sum().backward()
    assert all(weight.grad is not None for weight in backbone.parameters())
    assert before.keys() == backbone.state_dict().keys()
    assert not any("decoder" in name for name in before)
