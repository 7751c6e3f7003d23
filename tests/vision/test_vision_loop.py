"""The loop on a tiny network: what it keeps, when it stops, what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional
from vision_samples import CPU, LABELS, drawn_feed, same, tiny_network, weights

from radcap.core import UsageError
from radcap.vision.settings import AugmentSettings, TrainSettings
from radcap.vision.training import CheckpointFolder, FeatureFeed, Teacher, fit
from radcap.vision.training.averaging import Average
from radcap.vision.training.lessons import LabelLesson
from radcap.vision.training.loop import learn
from radcap.vision.training.predicting import best_sample_f1, held_loss, predicted

BCE = functional.binary_cross_entropy_with_logits
QUICK = TrainSettings(epochs=3, batch=16, lr=1e-2)


class Scripted:
    """A held-out feed whose labels make each epoch look as good as planned: so many of them are there."""

    def __init__(self, worths):
        self.worths = list(worths)

    def __len__(self):
        return 1

    @property
    def labels(self):
        return (torch.arange(LABELS) < self.worths[0]).to(torch.uint8)[None]

    def batch(self, places, chance):
        labels = self.labels
        self.worths.pop(0)
        return torch.zeros(1, 3, 16, 16), labels


def saying_yes():
    """A network that gives every label the same logit of 5, and learns nothing of it."""
    network = tiny_network()
    torch.nn.init.zeros_(network.get_parameter("head.linear.weight"))
    torch.nn.init.constant_(network.get_parameter("head.linear.bias"), 5.0)
    return network


def nothing(logits, labels):
    return logits.sum() * 0


def test_a_network_learns_and_the_rows_say_so():
    network, feed = tiny_network(), drawn_feed()
    before = held_loss(predicted(network.eval(), feed, CPU), feed.labels)
    trained = fit(network, feed, BCE, replace(QUICK, epochs=12), CPU, held=feed)
    rows = trained.history.rows
    assert trained.stopped == "epochs"
    assert [row.epoch for row in rows] == list(range(12))
    assert rows[-1].loss < 0.8 * rows[0].loss
    assert trained.history.best is rows[trained.epoch]
    assert not network.training
    logits = predicted(network, feed, CPU)
    assert held_loss(logits, feed.labels) == rows[trained.epoch].held_loss
    assert held_loss(logits, feed.labels) < before
    assert best_sample_f1(logits, feed.labels) == rows[trained.epoch].held_score
    assert all(row.images_per_s > 0 and row.seconds >= 0 for row in rows)


def test_a_loop_written_out_gives_the_same_weights():
    settings = TrainSettings(epochs=2, batch=48, optimiser="sgd", lr=0.1, momentum=0.0, schedule="constant")
    network, plain, feed = tiny_network(drop=0.0), tiny_network(drop=0.0), drawn_feed()
    fit(network, feed, BCE, settings, CPU)
    plain.train()
    for _ in range(2):  # one batch an epoch, whose order does not matter but for rounding
        images, labels = feed.batch(torch.arange(48), None)
        plain.zero_grad()
        BCE(plain(images), labels).backward()
        with torch.no_grad():
            for value in plain.parameters():
                assert value.grad is not None
                value.sub_(0.1 * value.grad)
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(network.state_dict()[name], value, rtol=1e-4, atol=1e-5)


def test_early_stopping_keeps_the_best_epoch():
    held = Scripted([3, 5, 5, 4, 6, 6])
    seen = []
    settings = replace(QUICK, epochs=9, early_stop=2)
    trained = fit(saying_yes(), drawn_feed(), nothing, settings, CPU, held=held, observe=seen.append)
    assert trained.stopped == "early"
    assert trained.epoch == 1
    assert tuple(seen) == trained.history.rows
    assert len(seen) == 4


def test_loss_can_be_watched():
    held = Scripted([1, 2, 3, 3, 3, 3])
    settings = replace(QUICK, epochs=6, watch="loss", early_stop=3)
    trained = fit(saying_yes(), drawn_feed(), nothing, settings, CPU, held=held)
    assert trained.epoch == 2
    assert trained.stopped == "early"


def test_a_plateau_lowers_the_rate():
    held = Scripted([3, 3, 3, 3, 4, 4])
    settings = replace(QUICK, epochs=6, schedule="plateau", factor=0.1, patience=1)
    trained = fit(saying_yes(), drawn_feed(), nothing, settings, CPU, held=held)
    rates = [row.lr for row in trained.history.rows]
    assert rates == pytest.approx([1e-2, 1e-2, 1e-2, 1e-3, 1e-3, 1e-3])


@pytest.mark.parametrize(("keep", "epoch"), [("best", 1), ("last", 2)])
def test_best_or_last(keep, epoch):
    network, after = saying_yes(), []
    trained = fit(
        network,
        drawn_feed(),
        nothing,
        replace(QUICK, keep=keep),
        CPU,
        held=Scripted([3, 5, 4]),
        observe=lambda _: after.append(weights(network)),
    )
    assert trained.epoch == epoch
    assert [same(weights(network), one) for one in after] == [place == epoch for place in range(3)]


@pytest.mark.parametrize("held", [None, drawn_feed(0, 3)], ids=["none", "empty"])
def test_without_a_held_out_split_the_last_epoch_is_kept(held):
    trained = fit(tiny_network(), drawn_feed(), BCE, replace(QUICK, early_stop=1), CPU, held=held)
    assert (trained.epoch, trained.stopped) == (2, "epochs")
    assert trained.history.rows[0].held_score is None


def test_no_epochs_leave_the_network_as_it_was():
    network = tiny_network().train()
    before = weights(network)
    trained = fit(network, drawn_feed(), BCE, replace(QUICK, epochs=0), CPU)
    assert (trained.epoch, trained.stopped, trained.history.rows) == (-1, "epochs", ())
    assert same(weights(network), before)
    assert not network.training


def test_no_image_is_refused():
    with pytest.raises(UsageError, match="0 images to learn from, for 1 process"):
        fit(tiny_network(), drawn_feed(0), BCE, QUICK, CPU)


def test_the_average_is_judged_and_kept_and_the_network_goes_on():
    feed, after, averages = drawn_feed(), [], []
    network = tiny_network(drop=0.0)

    def look(_row):
        after.append(weights(network))

    settings = replace(QUICK, ema=0.9, keep="last", schedule="constant")
    trained = fit(network, feed, BCE, settings, CPU, held=feed, observe=look)
    plain = tiny_network(drop=0.0)
    fit(plain, feed, BCE, replace(settings, ema=0.0), CPU, observe=lambda _: averages.append(weights(plain)))
    assert same(after[-1], averages[-1])  # judging the average did not disturb the network
    assert not same(weights(network), after[-1])
    assert held_loss(predicted(network, feed, CPU), feed.labels) == trained.history.rows[-1].held_loss


def test_the_average_follows_as_a_loop_says():
    network = tiny_network()
    average = Average(network.state_dict(), 0.6)
    expected = {name: value.double() for name, value in weights(network).items()}
    generator = torch.Generator().manual_seed(1)
    for step in range(1, 8):
        with torch.no_grad():
            for value in network.parameters():
                value.add_(torch.randn(value.shape, generator=generator))
            network.get_buffer("backbone.body.1.num_batches_tracked").add_(1)
        average.follow()
        decay = min(0.6, (1 + step) / (10 + step))
        for name, value in network.state_dict().items():
            expected[name] = decay * expected[name] + (1 - decay) * value.double()
    assert int(average.weights["backbone.body.1.num_batches_tracked"]) == 7
    for name, value in average.weights.items():
        if value.dtype.is_floating_point:
            torch.testing.assert_close(value.double(), expected[name], rtol=1e-5, atol=1e-6)


def test_weights_that_are_never_trained_have_no_average(tmp_path):
    network, feed = tiny_network(), drawn_feed()
    fixed = network.get_parameter("backbone.body.0.weight").requires_grad_(False)
    before, head = fixed.clone(), network.get_parameter("head.linear.weight").detach().clone()
    folder = CheckpointFolder(tmp_path, "a")
    trained = fit(network, feed, BCE, replace(QUICK, ema=0.9), CPU, held=feed, folder=folder)
    logits = predicted(network, feed, CPU)
    assert held_loss(logits, feed.labels) == trained.history.rows[trained.epoch].held_loss
    assert torch.equal(fixed, before)
    assert not torch.equal(network.get_parameter("head.linear.weight"), head)
    left = folder.load()
    assert left is not None
    assert "average.head.linear.weight" in left.tensors
    assert not [name for name in left.tensors if name.endswith("backbone.body.0.weight")]


def test_gradients_are_clipped():
    moved = {}
    for clip in (0.0, 1e-3):
        network = tiny_network(drop=0.0)
        before = weights(network)
        settings = TrainSettings(epochs=1, batch=48, optimiser="sgd", lr=1.0, momentum=0.0, clip_grad=clip)
        fit(network, drawn_feed(), BCE, settings, CPU)
        steps = [weights(network)[name] - before[name] for name, _ in network.named_parameters()]
        moved[clip] = float(torch.cat([one.flatten() for one in steps]).norm())
    assert moved[1e-3] == pytest.approx(1e-3, rel=1e-3)
    assert moved[0.0] > 1e-2


def test_a_teacher_is_followed():
    feed, teacher = drawn_feed(), tiny_network(9).eval()
    student = tiny_network(1, drop=0.0)
    wanted = torch.sigmoid(predicted(teacher, feed, CPU))

    def distance():
        return float((torch.sigmoid(predicted(student.eval(), feed, CPU)) - wanted).abs().mean())

    before = distance()
    school = Teacher([(teacher, 16)], weight=1.0, temperature=2.0)
    fit(student, feed, BCE, replace(QUICK, epochs=15), CPU, teacher=school)
    assert distance() < before / 2


class Spoiled:
    """A loss that is no number from some step on."""

    def __init__(self, good):
        self.good = good

    def __call__(self, logits, labels):
        self.good -= 1
        return BCE(logits, labels) * (1.0 if self.good >= 0 else math.nan)


@pytest.mark.parametrize("ema", [0.0, 0.9])
@pytest.mark.parametrize("keep", ["best", "last"])
def test_a_loss_that_is_no_number_ends_training_with_the_last_good_epoch(ema, keep):
    feed, good = drawn_feed(), tiny_network()
    settings = replace(QUICK, epochs=2, ema=ema, keep=keep, schedule="constant")
    expected = fit(good, feed, BCE, settings, CPU, held=feed)
    network = tiny_network()
    trained = fit(network, feed, Spoiled(7), replace(settings, epochs=9), CPU, held=feed)  # 3 steps an epoch
    assert trained.stopped == "no number"
    assert trained.epoch == expected.epoch
    assert [row.loss for row in trained.history.rows] == [row.loss for row in expected.history.rows]
    assert same(weights(network), weights(good))
    assert not network.training


class Steep:
    """A loss that stays a number while its slope, after so many steps, is none."""

    def __init__(self, good):
        self.good = good

    def __call__(self, logits, labels):
        self.good -= 1
        loss = BCE(logits, labels)
        return loss if self.good >= 0 else loss + (logits * 0).sqrt().sum()


@pytest.mark.parametrize("ema", [0.0, 0.9])
@pytest.mark.parametrize("keep", ["best", "last"])
@pytest.mark.parametrize("is_held", [True, False])
def test_a_last_step_that_spoils_the_weights_ends_training_with_the_epoch_before(ema, keep, is_held):
    feed, good = drawn_feed(), tiny_network()
    settings = replace(QUICK, epochs=1, ema=ema, keep=keep, schedule="constant")
    held = feed if is_held else None
    fit(good, feed, BCE, settings, CPU, held=held)
    network = tiny_network()
    trained = fit(network, feed, Steep(5), replace(settings, epochs=9), CPU, held=held)  # 3 steps an epoch
    assert (trained.stopped, trained.epoch, len(trained.history.rows)) == ("no number", 0, 1)
    assert same(weights(network), weights(good))


def test_a_last_step_of_the_first_epoch_that_spoils_the_weights_is_told():
    with pytest.raises(UsageError, match=r"no number in the first epoch.*Lower \[train\] lr"):
        fit(tiny_network(), drawn_feed(), Steep(2), QUICK, CPU)


def test_a_held_out_loss_that_is_no_number_ends_training_with_the_epoch_before():
    judged, network = iter([(0.5, 0.1), (math.nan, 0.9)]), tiny_network()
    lesson = LabelLesson(drawn_feed(), BCE, CPU)
    trained = learn(network, lesson, QUICK, CPU, exam=lambda network: next(judged))
    assert (trained.stopped, trained.epoch) == ("no number", 0)


def test_a_rate_that_is_too_high_is_told():
    settings = TrainSettings(epochs=3, batch=16, optimiser="sgd", lr=1e3, schedule="constant")
    with pytest.raises(UsageError, match=r"no number in the first epoch.*Lower \[train\] lr"):
        fit(tiny_network(), drawn_feed(), lambda *told: 1e36 * BCE(*told), settings, CPU)


def test_a_loss_is_looked_at_in_long_epochs_too():
    calls = Spoiled(10)
    settings = TrainSettings(epochs=1, batch=1, lr=1e-3)
    feed = FeatureFeed(torch.rand(120, 4, 2, 2), torch.zeros(120, LABELS, dtype=torch.uint8))
    head = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, LABELS))
    with pytest.raises(UsageError, match="no number"):
        fit(head, feed, calls, settings, CPU)
    assert calls.good == 10 - 50  # and not all 120 steps


def test_chance_makes_epochs_differ_and_seeds_too():
    feed = drawn_feed(augment=AugmentSettings(flip_horizontal=0.5, rotate=20, mixup=0.4))
    ends = []
    for seed in (0, 0, 1, 7, 2**32 - 1):
        network = tiny_network()
        fit(network, feed, BCE, replace(QUICK, epochs=1, seed=seed), CPU)
        ends.append(weights(network))
    assert same(ends[0], ends[1])
    assert not any(same(ends[0], one) for one in ends[2:])


def test_each_epoch_draws_lots_of_its_own():
    drawn = []

    class Watched(FeatureFeed):
        def batch(self, places, chance):
            drawn.append(float(chance.uniform(1, 0, 1)) if chance is not None else None)
            return super().batch(places, chance)

    feed = Watched(torch.rand(4, 3, 16, 16), torch.zeros(4, LABELS, dtype=torch.uint8))
    fit(tiny_network(), feed, BCE, TrainSettings(epochs=3, batch=2), CPU, held=feed)
    assert [one is None for one in drawn] == [False, False, True] * 3  # two steps, then judged without chance
    assert len({one for one in drawn if one is not None}) == 6


def test_it_is_compiled_where_that_is_asked_for(monkeypatch):
    wrapped = []
    monkeypatch.setattr(torch, "compile", lambda module: wrapped.append(module) or module)
    network = tiny_network()
    fit(network, drawn_feed(), BCE, replace(QUICK, epochs=1, compile=True), CPU)
    assert wrapped == [network]
