"""The critic and the count of a head, and what a lesson hears of them."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional
from vision_samples import CPU, LABELS, WIDTH, drawn_feed, tiny_backbone, tiny_network

from radcap.vision.heads import Taught, make_head
from radcap.vision.heads.critic import Critic
from radcap.vision.losses import make_loss
from radcap.vision.network import Network
from radcap.vision.pictures import Chance
from radcap.vision.settings import HeadSettings, LossSettings, TrainSettings
from radcap.vision.training import LabelLesson, Teacher, fit

LOTS = torch.Generator().manual_seed(3)
FEATURES = torch.randn(4, WIDTH, 3, 3, generator=LOTS)
TRUTH = (torch.rand(4, LABELS, generator=LOTS) < 0.4).float()
BCE = functional.binary_cross_entropy_with_logits


def told_apart(critic: Critic, logits: torch.Tensor) -> torch.Tensor:
    """What a critic minimises, with no slope turned round."""
    true, made = critic.layers(TRUTH), critic.layers(torch.sigmoid(logits))
    return critic.weight * (BCE(true, torch.ones(4, 1)) + BCE(made, torch.zeros(4, 1))) / 2


def test_the_slope_of_the_critic_turns_round_for_the_network_alone():
    torch.manual_seed(0)
    critic = Critic(LABELS, 5, 0.3)
    logits = torch.randn(4, LABELS, requires_grad=True)
    loss, plain = critic.loss(logits, TRUTH), told_apart(critic, logits)
    torch.testing.assert_close(loss, plain)
    weights = list(critic.parameters())
    found = torch.autograd.grad(loss, [logits, *weights])
    expected = torch.autograd.grad(plain, [logits, *weights])
    torch.testing.assert_close(found[0], -expected[0])
    assert expected[0].any()
    for one, other in zip(found[1:], expected[1:], strict=True):
        torch.testing.assert_close(one, other)


def test_against_a_critic_predictions_become_like_the_truth():
    """Without labels of images: all images have either the first two or the last two concepts."""
    torch.manual_seed(0)
    truth = torch.tensor([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]).repeat(8, 1)
    critic, logits = Critic(4, 16, 1.0), nn.Parameter(torch.randn(16, 4))
    optimiser = torch.optim.Adam([*critic.parameters(), logits], lr=0.02)
    for _ in range(300):
        optimiser.zero_grad()
        critic.loss(logits, truth).backward()
        optimiser.step()
    p = torch.sigmoid(logits.detach())
    assert (p[:, 0] - p[:, 1]).abs().mean() < 0.35  # first and second come together
    assert float(p.mean()) == pytest.approx(0.5, abs=0.15)


def test_a_head_tells_how_many_concepts_there_are():
    torch.manual_seed(0)
    head = make_head(HeadSettings(count=True, count_weight=0.7), WIDTH, LABELS)
    assert head.teaches
    assert head.counter is not None
    counted = FEATURES.mean((2, 3)) @ head.counter.weight[0] + head.counter.bias
    off = (counted - TRUTH.sum(1)).abs()
    each = torch.where(off < 1, off.square() / 2, off - 0.5)  # Huber
    taught = head(FEATURES, TRUTH)
    assert isinstance(taught, Taught)
    torch.testing.assert_close(taught.own, 0.7 * each.mean())
    torch.testing.assert_close(taught.logits, head(FEATURES))
    torch.testing.assert_close(taught.vectors, FEATURES.mean((2, 3)))
    assert taught.concepts is None


def test_what_a_head_says_of_itself_is_a_sum():
    torch.manual_seed(0)
    head = make_head(HeadSettings(count=True, critic=5), WIDTH, LABELS)
    taught = head(FEATURES, TRUTH)
    assert head.critic is not None
    assert head.counter is not None
    count = 0.1 * functional.smooth_l1_loss(head.counter(taught.vectors).squeeze(1), TRUTH.sum(1))
    torch.testing.assert_close(taught.own, count + head.critic.loss(taught.logits, TRUTH))
    plain = make_head(HeadSettings(), WIDTH, LABELS)
    assert not plain.teaches
    assert float(plain(FEATURES, TRUTH).own) == 0


def chance() -> Chance:
    return Chance.of(0, 3, CPU.device)


@pytest.mark.parametrize("loss", ["bce", "curriculum", "own"])
def test_a_lesson_hears_the_head(loss):
    torch.manual_seed(0)
    head = make_head(HeadSettings(critic=5, count=True), WIDTH, LABELS)
    network, feed = Network(tiny_backbone(), head).eval(), drawn_feed(8)
    criterion = make_loss(LossSettings(name=loss), torch.full((LABELS,), 0.3))
    places = torch.arange(8)
    lesson = LabelLesson(feed, criterion, CPU, inside=True)
    images, labels = feed.batch(places, chance())
    taught = network(images, labels)
    assert isinstance(taught, Taught)
    on_labels = 0.0 if loss == "own" else BCE(network(images), labels)
    torch.testing.assert_close(lesson.loss(network, places, chance()), on_labels + taught.own)
    outside = LabelLesson(feed, criterion, CPU)
    torch.testing.assert_close(outside.loss(network, places, chance()), BCE(network(images), labels))
    teacher = Teacher([(tiny_network(1).eval(), 16)], 0.5)
    with_teacher = LabelLesson(feed, criterion, CPU, teacher, inside=True)
    expected = teacher.loss(network(images), images, on_labels + taught.own)
    torch.testing.assert_close(with_teacher.loss(network, places, chance()), expected)


def test_a_lesson_tells_a_loss_which_epoch_it_is():
    epochs = []

    class Noting:
        def __call__(self, logits, labels):
            return BCE(logits, labels)

        def inner(self, taught, labels, epoch):
            epochs.append(epoch)
            return self(taught.logits, labels)

    trained = fit(tiny_network(), drawn_feed(16), Noting(), TrainSettings(epochs=3, batch=16), CPU)
    assert epochs == [0, 1, 2]
    assert trained.stopped == "epochs"


def test_a_critic_and_a_count_learn_with_the_network():
    torch.manual_seed(0)
    network = Network(tiny_backbone(), make_head(HeadSettings(critic=5, count=True), WIDTH, LABELS))
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    fit(network, drawn_feed(16), BCE, TrainSettings(epochs=1, batch=8), CPU, inside=True)
    still = [name for name, value in network.named_parameters() if torch.equal(value, before[name])]
    assert still == []
