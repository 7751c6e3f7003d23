"""radcap train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from commands import Command
from model_samples import SYSTEM, write_samples

from radcap.detection.training import networks
from radcap.vision.losses import make_loss


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.datasets.images.cache.default_workers", lambda: 1)


def test_a_system_file_becomes_a_model(samples: Path, tmp_path: Path, radcap: Command) -> None:
    out = tmp_path / "m"
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", out)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].startswith(f"{out}: mine, ")
    assert "held-out F1 0." in done.out
    assert f"Next: radcap predict {out} DATA --split test --out run.csv" in done.out
    assert "epoch 1 of 1: loss" in done.err


def test_settings_are_changed_and_the_card_is_json(samples: Path, tmp_path: Path, radcap: Command) -> None:
    given = ("--set", "train.epochs=2", "--set", "data.held=none", "--device", "cpu", "--json")
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", tmp_path / "m", *given)
    assert done.code == 0, done.err
    card = json.loads(done.out)
    assert card["training"]["epochs"] == 2
    assert card["held_out"] is None
    assert json.loads((tmp_path / "m" / "card.json").read_text()) == card


def test_without_a_held_out_split_there_is_no_figure(samples: Path, tmp_path: Path, radcap: Command) -> None:
    given = ("--set", "data.held=none")
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", tmp_path / "m", *given)
    assert done.code == 0
    assert "held-out" not in done.out


def test_a_wrong_key_names_the_right_one(samples: Path, tmp_path: Path, radcap: Command) -> None:
    where = ("--data", samples / "data", "--out", tmp_path / "m")
    done = radcap("train", samples / "mine.toml", *where, "--set", "train.epoch=3")
    assert done.code == 1
    assert "SYS201" in done.out
    assert "'epochs'" in done.out
    done = radcap("train", samples / "mine.toml", *where, "--set", "train.epoch=3", "--json")
    assert done.code == 1
    assert [one["code"] for one in json.loads(done.out)["issues"]] == ["SYS201"]
    (tmp_path / "bad.toml").write_text(SYSTEM.replace("epochs", "epocs").replace("size", "sise"))
    done = radcap("train", tmp_path / "bad.toml", *where)
    assert done.code == 1
    assert done.out.count("SYS201") == 2
    assert "bad.toml:5:1: SYS201" in done.out


@pytest.mark.parametrize("text", ["train.epochs", "=3", " =3"])
def test_a_setting_without_key_or_value_is_refused(text: str, tmp_path: Path, radcap: Command) -> None:
    done = radcap("train", "radcap/quick-concepts", "--data", "x", "--out", tmp_path / "m", "--set", text)
    assert done.code == 2
    assert "Write it as TABLE.KEY=VALUE" in done.err


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_exit_code_3(samples: Path, tmp_path: Path, radcap: Command) -> None:
    where = ("--data", samples / "data", "--out", tmp_path / "m")
    done = radcap("train", samples / "mine.toml", *where, "--device", "cuda")
    assert done.code == 3
    assert "A GPU is missing" in done.err


def test_a_finished_folder_is_refused(samples: Path, radcap: Command) -> None:
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", samples / "model")
    assert done.code == 2
    assert "holds a finished model" in done.err


def test_a_loss_that_is_no_number_is_exit_code_1(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1000))

    def spoilt(*given: Any) -> Any:
        real = make_loss(*given)
        return lambda logits, labels: real(logits, labels) * (1.0 if next(calls) < 4 else float("nan"))

    monkeypatch.setattr(networks, "make_loss", spoilt)
    where = ("--data", samples / "data", "--out", tmp_path / "m", "--set", "train.epochs=5")
    done = radcap("train", samples / "mine.toml", *where)
    assert done.code == 1
    assert "training ends with the last good weights" in done.err
    assert (tmp_path / "m" / "card.json").exists()
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", tmp_path / "n")
    assert done.code == 2
    assert "no number in the first epoch" in done.err


def test_another_process_than_the_first_says_nothing(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from radcap.detection.training import system_training
    from radcap.vision.training import pick_place

    second = replace(pick_place("cpu"), rank=1)
    monkeypatch.setattr(system_training, "pick_place", lambda *_: second)
    done = radcap("train", samples / "mine.toml", "--data", samples / "data", "--out", tmp_path / "m")
    assert done == (0, "", "")
    assert not (tmp_path / "m" / "card.json").exists()
    (tmp_path / "two.toml").write_text(SYSTEM + '[[member]]\nname = "a"\n')
    done = radcap("train", tmp_path / "two.toml", "--data", samples / "data", "--out", tmp_path / "n")
    assert (done.code, done.out) == (0, "")


def test_curves_for_tensorboard_need_it(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    where = ("--data", samples / "data", "--out", tmp_path / "m", "--tensorboard", tmp_path / "board")
    done = radcap("train", samples / "mine.toml", *where)
    assert done.code == 3
    assert "pip install tensorboard" in done.err


def test_a_dataset_or_system_that_is_not_there_is_refused(tmp_path: Path, radcap: Command) -> None:
    done = radcap("train", "radcap/quick-concept", "--data", "radiology-open", "--out", tmp_path / "m")
    assert done.code == 2
    assert "radcap/quick-concepts" in done.err
    done = radcap("train", "radcap/quick-concepts", "--data", tmp_path / "none", "--out", tmp_path / "m")
    assert done.code == 1
    assert "DAT101" in done.out
