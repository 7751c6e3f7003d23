"""The two parts of a training by curriculum."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from vision_samples import CPU, drawn_feed, tiny_network

from radcap.vision.losses import make_loss
from radcap.vision.losses.curriculum import CurriculumLoss, label_difficulty
from radcap.vision.settings import LossSettings, TrainSettings
from radcap.vision.training import EpochRow, History, Trained, difficulty_of, fit_easy_first, predicted


def made(warm: int) -> CurriculumLoss:
    loss = make_loss(LossSettings(name="curriculum", warm=warm), torch.tensor([0.5, 0.1]))
    assert isinstance(loss, CurriculumLoss)
    return loss


class Phases:
    """Notes what it is asked to train, and gives as many rows as epochs."""

    def __init__(self, *stops: str) -> None:
        self.stops, self.asked = list(stops), []

    def __call__(self, loss, settings, name, before):
        self.asked.append((loss, settings, name, before))
        rows = tuple(EpochRow(one, 1.0, 0.1, 1.0, 1.0) for one in range(settings.epochs))
        return Trained(History(rows, settings.watch), settings.epochs - 1, self.stops.pop(0))


SETTINGS = TrainSettings(epochs=7, early_stop=2, seed=5, watch="loss")


def test_warm_epochs_come_first_and_all_together_are_the_settings():
    phases = Phases("epochs", "early")
    trained = fit_easy_first(phases, made(3), SETTINGS, lambda: torch.tensor([0.9, 0.1]))
    (warm, first, name, before), (then, second, plain, after) = phases.asked
    assert first == replace(SETTINGS, epochs=3, keep="last", early_stop=0)
    assert (warm.ranks, name, before) == (None, "-warm", 0)
    assert second == replace(SETTINGS, epochs=4, seed=second.seed)
    assert second.seed != 5
    assert (then.ranks.tolist(), then.epochs, plain, after) == ([1, 0], 4, "", 3)
    assert [row.epoch for row in trained.history.rows] == list(range(7))
    assert (trained.epoch, trained.stopped, trained.history.watch) == (6, "early", "loss")


@pytest.mark.parametrize("epochs", [0, 2, 3])
def test_few_epochs_are_all_warm(epochs):
    phases, settings = Phases("epochs"), replace(SETTINGS, epochs=epochs)
    trained = fit_easy_first(phases, made(3), settings, lambda: torch.zeros(2))
    ((loss, given, name, before),) = phases.asked
    assert (loss.ranks, given, name, before) == (None, settings, "", 0)
    assert len(trained.history.rows) == epochs


def test_a_loss_that_is_no_number_ends_it():
    phases = Phases("no number")
    trained = fit_easy_first(phases, made(3), SETTINGS, lambda: torch.zeros(2))
    assert trained.stopped == "no number"
    assert len(phases.asked) == 1


def test_difficulty_is_that_of_held_out_images_or_of_those_learnt():
    network, learnt, held = tiny_network().eval(), drawn_feed(24), drawn_feed(16, 1)
    expected = label_difficulty(predicted(network, held, CPU), held.labels, learnt.labels)
    assert torch.equal(difficulty_of(network, learnt, held, CPU), expected)
    alone = label_difficulty(predicted(network, learnt, CPU), learnt.labels, learnt.labels)
    assert torch.equal(difficulty_of(network, learnt, None, CPU), alone)
