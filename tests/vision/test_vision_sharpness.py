"""Sharpness-aware steps against the two lines of the paper, and what they leave as it was."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.nn import functional
from vision_samples import CPU, drawn_feed, same, tiny_network, weights

from radcap.vision.pictures import Chance
from radcap.vision.settings import AugmentSettings, TrainSettings
from radcap.vision.training import CheckpointFolder, Place, fit, learn
from radcap.vision.training.learner import Learner
from radcap.vision.training.sharpness import climbed, sharp_slope, twin

BCE = functional.binary_cross_entropy_with_logits
MIXED = AugmentSettings(mixup=0.4, cutmix=1.0, flip_horizontal=0.5, rotate=15)


@dataclass(frozen=True)
class Squares:
    """Least squares: the loss is a bowl."""

    inputs: torch.Tensor
    wanted: torch.Tensor
    labels: torch.Tensor

    def __len__(self) -> int:
        return len(self.inputs)

    def loss(self, module, places, chance):
        return (module(self.inputs[places]) - self.wanted[places]).square().mean()


def bowl(n: int = 12) -> Squares:
    lots = torch.Generator().manual_seed(5)
    return Squares(torch.randn(n, 3, generator=lots), torch.randn(n, 2, generator=lots), torch.zeros(n, 1))


@pytest.mark.parametrize("clip", [0.0, 0.05])
def test_steps_are_those_of_the_paper(clip):
    lesson, rho, lr = bowl(), 0.3, 0.05
    torch.manual_seed(0)
    network = nn.Linear(3, 2)
    weight, bias = (one.detach().clone() for one in network.parameters())
    settings = TrainSettings(
        epochs=6, batch=12, optimiser="sgd", momentum=0.0, lr=lr, schedule="constant", sam=rho, clip_grad=clip
    )
    trained = learn(network, lesson, settings, CPU)

    def loss(w, b):
        return (lesson.inputs @ w.T + b - lesson.wanted).square().mean()

    slope = torch.func.grad(loss, argnums=(0, 1))
    losses = []
    for _ in range(6):
        losses.append(float(loss(weight, bias)))
        gw, gb = slope(weight, bias)
        norm = (gw.square().sum() + gb.square().sum()).sqrt()
        gw, gb = slope(weight + rho * gw / norm, bias + rho * gb / norm)
        norm = (gw.square().sum() + gb.square().sum()).sqrt()
        factor = min(1.0, clip / float(norm)) if clip else 1.0
        weight, bias = weight - lr * factor * gw, bias - lr * factor * gb
    torch.testing.assert_close(network.weight.detach(), weight, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(network.bias.detach(), bias, atol=1e-5, rtol=1e-4)
    assert [row.loss for row in trained.history.rows] == pytest.approx(losses, rel=1e-4)


def test_weights_and_norms_are_put_back_to_the_last_bit():
    network = tiny_network().train()
    BCE(network(torch.rand(4, 3, 16, 16) * 255), torch.ones(4, 6)).backward()
    norm = torch.stack([one.grad.norm() for one in network.parameters() if one.grad is not None]).norm()
    before, slopes = (
        weights(network),
        {name: one.grad for name, one in network.named_parameters() if one.grad is not None},
    )

    def climb():
        with climbed(network, 0.1):
            for name, value in network.named_parameters():
                expected = before[name] + 0.1 * slopes[name] / norm
                torch.testing.assert_close(value.detach(), expected)
                assert value.grad is None
            network(torch.rand(4, 3, 16, 16) * 255)  # which moves the statistics of norms
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        climb()
    assert same(weights(network), before)


def test_weights_without_a_slope_stay():
    network = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    network[1](torch.ones(1, 2)).sum().backward()
    before = weights(network)
    with climbed(network, 0.1):
        changed = {name for name, value in weights(network).items() if not torch.equal(value, before[name])}
        assert changed == {"1.weight", "1.bias"}


def test_a_twin_draws_the_same():
    chance = Chance.of(3, 1, CPU.device)
    chance.uniform(3, 0, 1)
    other = twin(chance)
    for draw in (lambda one: one.uniform(5, 0, 1), lambda one: one.beta(5, 0.4), lambda one: one.order(9)):
        assert torch.equal(draw(chance), draw(other))
    assert (other.epoch, other.device) == (1, CPU.device)


def test_both_slopes_are_of_the_same_views_and_the_same_dropout():
    """With a radius of almost nothing, the slope and the lots after it are those of a plain step."""

    def slopes(radius: float):
        network = tiny_network(drop=0.5)
        learner = Learner(network, TrainSettings(), CPU)
        network.train()
        torch.manual_seed(9)
        chance, seen = Chance.of(0, 0, CPU.device), []

        class Watched:
            labels = drawn_feed(16).labels

            def __len__(self):
                return 16

            def loss(self, module, places, chance):
                images, labels = drawn_feed(16, augment=MIXED).batch(places, chance)
                seen.append((images, torch.rand(1)))
                return BCE(module(images), labels)

        places = torch.arange(16)
        if radius:
            sharp_slope(learner, Watched(), places, chance, radius)
        else:
            Watched().loss(learner.module, places, chance).backward()
        return {name: one.grad for name, one in network.named_parameters()}, seen, torch.rand(1), chance

    plain, _, after, lots = slopes(0.0)
    sharp, (first, second), same_after, same_lots = slopes(1e-9)
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])
    assert torch.equal(after, same_after)
    assert torch.equal(lots.uniform(3, 0, 1), same_lots.uniform(3, 0, 1))
    for name, slope in plain.items():
        torch.testing.assert_close(sharp[name], slope, atol=1e-5, rtol=1e-3)


def sharpened(settings: TrainSettings, folder=None, dies_after=None, place: Place = CPU):
    network = tiny_network()

    def observe(row):
        if row.epoch == dies_after:
            raise InterruptedError

    feed = drawn_feed(augment=MIXED)
    done = fit(
        network, feed, BCE, settings, place, held=drawn_feed(24, 1), folder=folder, observe=observe, save_s=0
    )
    return network, done


def test_a_killed_run_ends_with_the_weights_of_an_unbroken_one(tmp_path):
    settings = TrainSettings(epochs=3, batch=16, lr=1e-2, ema=0.8, sam=0.05, clip_grad=1.0)
    unbroken, done = sharpened(settings)
    with pytest.raises(InterruptedError):
        sharpened(settings, CheckpointFolder(tmp_path, "a"), dies_after=0)
    broken, again = sharpened(settings, CheckpointFolder(tmp_path, "a"))
    assert same(weights(unbroken), weights(broken))
    assert again.epoch == done.epoch
    plain, _ = sharpened(TrainSettings(epochs=3, batch=16, lr=1e-2, ema=0.8, clip_grad=1.0))
    assert not same(weights(unbroken), weights(plain))


def test_half_precision_learns_too():
    settings = TrainSettings(epochs=4, batch=16, lr=1e-2, sam=0.05)
    _, done = sharpened(settings, place=Place(CPU.device, "bf16"))
    assert done.history.rows[-1].loss < done.history.rows[0].loss
