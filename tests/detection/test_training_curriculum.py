"""A training by curriculum: its epochs, its log, and how it goes on after a kill."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import pytest
import torch
from training_samples import Heard, drawn, tiny, trained, whole, without_valid

from radcap.detection.talk import Talk
from radcap.detection.training import networks
from radcap.vision.settings import LossSettings, TrainSettings
from radcap.vision.training import fit
from radcap.vision.weight_files import read_weight_file

EASY = LossSettings(name="curriculum", warm=2, every=1, first=0.2)


class Killed(Exception):
    """What a kill looks like from inside."""


@pytest.fixture(autouse=True)
def saved_after_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "fit", partial(fit, save_s=0))


def settings(epochs: int, **given: object) -> TrainSettings:
    return TrainSettings(**({"epochs": epochs, "batch": 16, "lr": 1e-2} | given))  # type: ignore[arg-type]


@pytest.mark.parametrize("epoch", [2, 3, 5])
def test_a_kill_in_either_part_costs_nothing(epoch: int, tmp_path: Path) -> None:
    system = tiny(loss=EASY, train=settings(5, ema=0.9))

    def tell(text: str) -> None:
        if text.startswith(f"epoch {epoch} of 5"):
            raise Killed

    with pytest.raises(Killed):
        trained(system, tmp_path / "broken", talk=Talk(tell))
    heard = Heard()
    broken = trained(system, tmp_path / "broken", talk=heard.talk)
    again = [one.partition(":")[0] for one in heard if one.startswith("epoch")]
    assert again == [f"epoch {one} of 5" for one in range(epoch + 1, 6)]
    unbroken = trained(system, tmp_path / "unbroken")
    one, other = (read_weight_file(folder.weights) for folder in (broken, unbroken))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not broken.training.exists()


def test_the_log_has_both_parts_and_a_refit_as_many_epochs_as_were_kept(tmp_path: Path) -> None:
    system = tiny(loss=EASY, train=settings(6, refit=True))
    heard = Heard()
    folder = trained(system, tmp_path / "m", talk=heard.talk)
    with (folder.path / "log.csv").open() as lines:
        assert [int(row["epoch"]) for row in csv.DictReader(lines)] == list(range(6))
    kept = folder.card()["training"]["kept_epoch"]
    assert 2 <= kept < 6
    assert heard.has(f"Once more on both splits, for {kept + 1} epochs")
    with (folder.path / "log-refit.csv").open() as lines:
        assert len(list(csv.DictReader(lines))) == kept + 1


def test_only_easy_labels_learn_at_first(tmp_path: Path) -> None:
    """Of four epochs two are warm; the next one leaves most labels as they are."""
    system = tiny(loss=EASY, train=settings(4, optimiser="sgd"))

    def tell(text: str) -> None:
        if text.startswith("epoch 3 of"):
            raise Killed

    with pytest.raises(Killed):
        trained(system, tmp_path / "m", talk=Talk(tell))
    states = [tmp_path / "m" / "training" / one for one in ("network-warm", "network")]
    warm, then = (read_weight_file(next(one.glob("*.safetensors"))) for one in states)
    moved = (warm["network.linear.bias"] != then["network.linear.bias"]).sum()
    assert int(moved) == -(-len(warm["network.linear.bias"]) // 5)  # a fifth of them


def test_without_a_held_out_split_and_as_a_whole(tmp_path: Path) -> None:
    folder = trained(tiny(loss=EASY, train=settings(3)), tmp_path / "alone", without_valid())
    assert folder.card()["training"]["epochs"] == 3
    easy = LossSettings(name="curriculum", warm=1)
    folder = trained(whole(loss=easy, train=settings(2, batch=32)), tmp_path / "whole", drawn())
    assert folder.card()["training"]["epochs"] == 2


def test_few_epochs_are_plain_training(tmp_path: Path) -> None:
    easy = trained(tiny(loss=EASY, train=settings(2)), tmp_path / "easy")
    plain = trained(tiny(train=settings(2)), tmp_path / "plain")
    one, other = (read_weight_file(folder.weights) for folder in (easy, plain))
    assert all(torch.equal(one[name], other[name]) for name in one)
