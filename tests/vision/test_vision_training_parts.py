"""The parts of the loop one by one: order, rates, rows, answers, teachers, optimisers, boards."""

from __future__ import annotations

import builtins
import math
import weakref
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional
from vision_samples import CPU, LABELS, drawn_feed, tiny_network

from radcap.core import Missing
from radcap.metrics.concept_f1 import set_f1
from radcap.vision.settings import TrainSettings
from radcap.vision.training import EpochRow, FeatureFeed, History, Place, Teacher, board_writer, predicted
from radcap.vision.training.learner import Learner
from radcap.vision.training.optimisers import make_optimiser, set_rate
from radcap.vision.training.predicting import best_sample_f1, held_loss
from radcap.vision.training.sampling import epoch_batches
from radcap.vision.training.schedule import rate_factor


def rows(*worths: float | None, watch: str = "f1") -> History:
    made = [
        EpochRow(place, 1.0, 0.1, 1.0, 10.0, **{"held_loss" if watch == "loss" else "held_score": worth})
        for place, worth in enumerate(worths)
    ]
    return History(tuple(made), watch)


# the order of images


def test_an_epoch_shows_each_image_at_most_once():
    labels = torch.zeros(50, 3, dtype=torch.uint8)
    batches = epoch_batches(labels, TrainSettings(batch=16), 0, CPU)
    assert [len(one) for one in batches] == [16, 16, 16]
    assert len(set(torch.cat(batches).tolist())) == 48


def test_the_order_depends_on_seed_and_epoch_alone():
    labels = torch.zeros(40, 3, dtype=torch.uint8)

    def order(seed, epoch):
        return tuple(torch.cat(epoch_batches(labels, TrainSettings(batch=8, seed=seed), epoch, CPU)).tolist())

    assert order(0, 1) == order(0, 1)
    assert len({order(0, 0), order(0, 1), order(1, 0), order(7, 0), order(2**32 - 1, 0)}) == 5


def test_a_balanced_epoch_draws_rare_labels_as_often_as_the_root_says():
    labels = torch.zeros(100, 3, dtype=torch.uint8)
    labels[:4, 0] = 1  # rare
    labels[2:66, 1] = 1  # frequent, and two images have both
    settings = TrainSettings(batch=100, sampler="balanced")
    drawn = Counter(
        place for epoch in range(300) for place in epoch_batches(labels, settings, epoch, CPU)[0].tolist()
    )
    # weights: 1 / sqrt(4) for four images, 1 / sqrt(64) for 62, and as the most frequent label for the rest
    expected = [1 / 2 if place < 4 else 1 / 8 for place in range(100)]
    total = sum(expected)
    for group in (range(4), range(4, 66), range(66, 100)):
        seen = sum(drawn[place] for place in group) / 30_000
        assert seen == pytest.approx(sum(expected[place] for place in group) / total, rel=0.05)


# rates


def test_rates_of_each_schedule():
    constant, cosine = TrainSettings(schedule="constant"), TrainSettings(schedule="cosine", epochs=10)
    assert rate_factor(constant, 7.5, History()) == 1
    assert [rate_factor(cosine, at, History()) for at in (0, 5, 10)] == pytest.approx([1, 0.5, 0])
    warm = replace(cosine, warmup=2)
    assert [rate_factor(warm, at, History()) for at in (0, 1, 2, 6, 10)] == pytest.approx(
        [5e-4, 0.5, 1, 0.5, 0]
    )
    assert rate_factor(replace(cosine, warmup=10), 10, History()) == 1
    plateau = TrainSettings(schedule="plateau", factor=0.1, patience=1)
    assert rate_factor(plateau, 3, rows(0.5, 0.5, 0.5)) == pytest.approx(0.1)
    assert rate_factor(plateau, 3, rows(0.5, 0.5)) == 1


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, None]), max_size=30), st.integers(0, 3))
def test_drops_are_those_of_torch(worths, patience):
    """ReduceLROnPlateau with `threshold=0` and no cool-down, where every epoch is judged."""
    judged = [one for one in worths if one is not None]
    weight = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.SGD([weight], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimiser, mode="max", factor=0.5, patience=patience, threshold=0, eps=0
    )
    for worth in judged:
        scheduler.step(worth)
    assert optimiser.param_groups[0]["lr"] == 0.5 ** rows(*worths).drops(patience)


# rows


def test_the_best_epoch_is_the_first_of_equals():
    history = rows(0.1, 0.4, 0.4, 0.2)
    assert history.best == history.rows[1]
    assert history.stale == 2
    assert rows(None, None).best is None
    assert rows(None, None).stale == 0


def test_a_loss_that_is_no_number_is_never_best():
    history = rows(math.nan, 0.5, math.inf, None, watch="loss")
    assert history.best == history.rows[1]
    assert history.worth(history.rows[0]) == -math.inf


def test_rows_as_a_table():
    text = rows(0.5, None).to_csv()
    assert text == (
        "epoch,loss,lr,seconds,images_per_s,held_loss,held_score\n0,1.0,0.1,1.0,10.0,,0.5\n1,1.0,0.1,1.0,10.0,,\n"
    )


# answers


def test_f1_at_the_best_threshold_is_that_of_sets():
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(30, 5, generator=generator)
    labels = torch.rand(30, 5, generator=generator) < 0.3

    def f1(threshold):
        pairs = zip(torch.sigmoid(logits).tolist(), labels.tolist(), strict=True)
        scores = [
            set_f1(
                {str(n) for n, p in enumerate(ps) if p >= threshold}, {str(n) for n, y in enumerate(ys) if y}
            )
            for ps, ys in pairs
        ]
        return sum(scores) / len(scores)

    best = max(f1(0.05 + 0.025 * step) for step in range(37))
    assert best_sample_f1(logits, labels) == pytest.approx(best, abs=1e-6)


def test_answers_come_in_order_and_in_batches():
    feed, network = drawn_feed(), tiny_network().eval()
    whole = predicted(network, feed, CPU)
    assert whole.shape == (48, LABELS)
    torch.testing.assert_close(predicted(network, feed, CPU, batch=7), whole)
    half = predicted(network, feed, Place(torch.device("cpu"), "bf16"))
    assert half.dtype == torch.float32
    assert not torch.equal(half, whole)
    torch.testing.assert_close(half, whole, atol=0.05, rtol=0.05)
    assert predicted(network, drawn_feed(0), CPU).shape == (0, LABELS)


def test_answers_are_held_once_and_in_the_precision_that_is_wanted():
    said: list[weakref.ref[torch.Tensor]] = []
    alive: list[int] = []

    def answer(images):
        alive.append(sum(one() is not None for one in said))
        told = images.mean(dim=(2, 3))
        said.append(weakref.ref(told))
        return told

    feed = drawn_feed()
    whole = predicted(answer, feed, CPU, batch=7)
    assert max(alive) == 1  # those before it are forgotten
    wanted = feed.batch(torch.arange(48), None)[0].mean(dim=(2, 3))
    torch.testing.assert_close(whole, wanted)
    half = predicted(answer, feed, CPU, batch=7, kind=torch.float16)
    assert torch.equal(half, whole.half())


def test_features_are_fed_as_they_are():
    features, labels = torch.rand(5, 3, 2, 2).half(), torch.ones(5, 2, dtype=torch.uint8)
    feed = FeatureFeed(features, labels)
    assert len(feed) == 5
    given, wanted = feed.batch(torch.tensor([4, 0]), None)
    assert torch.equal(given, features[[4, 0]].float())
    assert torch.equal(wanted, torch.ones(2, 2))


# teachers


def test_teachers_see_the_same_images_at_their_own_size():
    seen = []

    def teacher(images):
        seen.append(images)
        return torch.full((2, 3), float(len(seen)))

    images = torch.rand(2, 3, 8, 8) * 255
    school = Teacher([(teacher, 8), (teacher, 4)], 0.5)
    assert torch.equal(school.answer(images), torch.full((2, 3), 1.5))
    assert torch.equal(seen[0], images)
    blocks = images.unflatten(3, (4, 2)).unflatten(2, (4, 2)).mean(dim=(3, 5))
    assert seen[1].shape == blocks.shape
    assert (seen[1] - blocks).abs().max() < 64  # a smoothing of the same image


def test_a_teacher_weighs_as_the_formula_says():
    logits, answer = torch.tensor([[0.3, -1.0]]), torch.tensor([[2.0, -2.0]])
    school = Teacher([(lambda images: answer, 8)], weight=0.25, temperature=2.0)
    own = torch.tensor(0.7)
    soft = 0.0
    for student, wanted in zip(logits[0].tolist(), answer[0].tolist(), strict=True):
        p, q = (1 / (1 + math.exp(-value / 2)) for value in (student, wanted))
        soft -= (q * math.log(p) + (1 - q) * math.log(1 - p)) / 2
    value = school.loss(logits, torch.zeros(1, 3, 8, 8), own)
    assert float(value) == pytest.approx(0.75 * 0.7 + 0.25 * 4 * soft, rel=1e-6)


# optimisers


@pytest.mark.parametrize("name", ["adam", "adamw", "sgd", "rmsprop"])
def test_the_head_has_a_rate_of_its_own_and_norms_do_not_decay(name):
    network = tiny_network()
    for weight in network.get_submodule("backbone.body.0").parameters():
        weight.requires_grad_(False)
    settings = TrainSettings(optimiser=name, lr=0.5, head_lr=10.0, weight_decay=0.1, momentum=0.7)
    optimiser = make_optimiser(network, settings, torch.device("cpu"))
    set_rate(optimiser, 0.2)
    names = {id(weight): name for name, weight in network.named_parameters()}
    found = {
        names[id(weight)]: (group["lr"], group["weight_decay"])
        for group in optimiser.param_groups
        for weight in group["params"]
    }
    assert found["head.linear.weight"] == (2.0, 0.1)
    assert found["head.linear.bias"] == (2.0, 0.0)
    assert found["backbone.body.3.weight"] == (0.2, 0.1)
    assert found["backbone.body.1.weight"] == (0.2, 0.0)
    assert "backbone.body.0.weight" not in found
    assert type(optimiser).__name__.casefold() == name
    assert optimiser.defaults.get("momentum", 0.7) == 0.7


def test_a_learner_keeps_copies():
    learner = Learner(tiny_network(), TrainSettings(), CPU)
    learner.settle()
    kept = learner.kept["head.linear.bias"].clone()
    with torch.no_grad():
        learner.network.get_parameter("head.linear.bias").add_(1)
    assert torch.equal(learner.kept["head.linear.bias"], kept)
    learner.note(EpochRow(0, 1.0, 1.0, 1.0, 1.0))
    assert learner.best == {}
    learner.note(EpochRow(1, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5))
    assert learner.best is learner.kept


def test_the_held_out_loss_is_cross_entropy():
    logits, labels = torch.randn(4, 3), torch.ones(4, 3, dtype=torch.uint8)
    assert held_loss(logits, labels) == pytest.approx(float(-functional.logsigmoid(logits).mean()))


# boards


def test_rows_go_to_tensorboard(tmp_path: Path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    write = board_writer(tmp_path / "board")
    for row in rows(0.25, None).rows:
        write(row)
    events = accumulator.EventAccumulator(str(tmp_path / "board")).Reload()
    assert sorted(events.Tags()["scalars"]) == ["held_score", "images_per_s", "loss", "lr", "seconds"]
    assert [(one.step, one.value) for one in events.Scalars("held_score")] == [(0, 0.25)]
    assert [one.step for one in events.Scalars("loss")] == [0, 1]


def test_without_tensorboard_it_says_how_to_get_it(tmp_path, monkeypatch):
    there = builtins.__import__

    def absent(name, *others):
        if name.startswith(("tensorboard", "torch.utils.tensorboard")):
            raise ImportError(name)
        return there(name, *others)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(Missing, match="pip install tensorboard"):
        board_writer(tmp_path)
