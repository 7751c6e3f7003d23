"""A training that was killed, and a folder that holds something else."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from training_samples import Heard, drawn, tiny, trained, whole

from radcap.core import InputError, UsageError
from radcap.detection.talk import Talk
from radcap.detection.training import networks
from radcap.vision.settings import TrainSettings
from radcap.vision.training import fit
from radcap.vision.weight_files import read_weight_file


class Killed(Exception):
    """What a kill looks like from inside."""


def killer(epoch: int) -> Talk:
    def tell(text: str) -> None:
        if text.startswith(f"epoch {epoch} of"):
            raise Killed

    return Talk(tell)


def same(one: Path, other: Path) -> bool:
    first, second = read_weight_file(one), read_weight_file(other)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(autouse=True)
def saved_after_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "fit", partial(fit, save_s=0))


@pytest.mark.parametrize(
    "system",
    [
        tiny(train=TrainSettings(epochs=4, batch=16, lr=1e-2, ema=0.9)),
        whole(train=TrainSettings(epochs=2, batch=32)),
    ],
    ids=["frozen", "whole"],
)
def test_a_killed_training_goes_on_to_the_weights_of_an_unbroken_one(system: Any, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        trained(system, tmp_path / "broken", talk=killer(1))
    assert list((tmp_path / "broken" / "training" / "network").glob("epoch-1.safetensors"))
    heard = Heard()
    broken = trained(system, tmp_path / "broken", talk=heard.talk)
    assert not heard.has("epoch 1 of")
    assert heard.has("epoch 2 of")
    unbroken = trained(system, tmp_path / "unbroken")
    assert same(broken.weights, unbroken.weights)
    assert broken.card()["held_out"] == unbroken.card()["held_out"]
    assert (broken.path / "decision.json").read_text() == (unbroken.path / "decision.json").read_text()
    assert not broken.training.exists()


def test_a_training_killed_in_its_refit_goes_on_there(tmp_path: Path) -> None:
    system = tiny(train=TrainSettings(epochs=2, batch=16, lr=1e-2, refit=True))
    heard = Heard()

    def tell(text: str) -> None:
        heard.append(text)
        if heard.has("Once more") and text.startswith("epoch 1"):
            raise Killed

    with pytest.raises(Killed):
        trained(system, tmp_path / "broken", talk=Talk(tell))
    again = Heard()
    broken = trained(system, tmp_path / "broken", talk=again.talk)
    assert [one[:7] for one in again if one.startswith("epoch")] == ["epoch 2"]
    assert same(broken.weights, trained(system, tmp_path / "unbroken").weights)


def test_other_settings_or_data_on_an_unfinished_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        trained(tiny(), tmp_path / "m", talk=killer(1))
    other = tiny(train=TrainSettings(epochs=9, batch=16))
    for system, data in ((other, drawn()), (tiny(), drawn(seed=3))):
        with pytest.raises(UsageError, match="begun with other settings or other data, and is not finished"):
            trained(system, tmp_path / "m", data)
    assert trained(tiny(), tmp_path / "m").is_whole


def test_a_finished_folder_is_refused(tmp_path: Path) -> None:
    trained(tiny(), tmp_path / "m")
    with pytest.raises(
        UsageError, match=r"holds a finished model. Choose another folder, or delete that one"
    ):
        trained(tiny(), tmp_path / "m")


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds files that are no training of radcap"):
        trained(tiny(), tmp_path)
    assert (tmp_path / "training" / "notes.txt").read_text() == "mine"
    with pytest.raises(UsageError, match="is no folder"):
        trained(tiny(), tmp_path / "training" / "notes.txt")
    (tmp_path / "empty").mkdir()
    assert trained(tiny(), tmp_path / "empty").is_whole


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null"])
def test_a_state_that_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "m" / "training").mkdir(parents=True)
    (tmp_path / "m" / "training" / "state.json").write_text(text)
    with pytest.raises(InputError, match="to begin anew"):
        trained(tiny(), tmp_path / "m")
