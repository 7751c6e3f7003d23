"""One model from a dataset to its folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors import SafetensorError
from training_samples import (
    SIZE,
    Heard,
    drawn,
    in_one_process,
    predict_concepts,
    tiny,
    trained,
    whole,
    without_valid,
)

from radcap.core import InputError, Missing, UsageError
from radcap.datasets.images import CacheBusy
from radcap.detection.decisions.f1 import sample_f1
from radcap.detection.examples import label_matrix
from radcap.detection.models.opening import load_network
from radcap.detection.system import DataSettings
from radcap.detection.talk import Talk
from radcap.detection.training import decoding, networks, train_system
from radcap.detection.training.held_answers import read_held
from radcap.detection.training.networks import Trainer
from radcap.detection.training.one_model import ModelMaker
from radcap.detection.training.shelf import Shelf
from radcap.vision.losses import make_loss
from radcap.vision.network import Network
from radcap.vision.pictures import load_pictures
from radcap.vision.settings import AugmentSettings, BackboneSettings, ImageSettings, TrainSettings
from radcap.vision.training import PictureFeed
from radcap.vision.weight_files import read_weight_file

PARTS = ["card.json", "decision.json", "held.safetensors", "labels.csv", "log.csv", "model.safetensors"]


@pytest.mark.parametrize("system", [tiny(), whole()], ids=["frozen", "whole"])
def test_a_system_becomes_a_folder_that_answers(system: Any, tmp_path: Path) -> None:
    heard = Heard()
    folder = trained(system, tmp_path / "m", talk=heard.talk)
    assert sorted(one.name for one in folder.path.iterdir()) == sorted([*PARTS, "system.toml"])
    card = folder.card()
    assert card["training"] | {"epochs": system.train.epochs, "stopped": "epochs"} == card["training"]
    assert card["labels"] == len(folder.labels())
    assert len((folder.path / "log.csv").read_text().splitlines()) == 1 + system.train.epochs
    assert heard.has("epoch 1 of")
    assert heard.has("held-out F1")
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.ids == tuple(drawn().split("test").ids)
    assert answers.probabilities is not None
    assert ((answers.probabilities >= 0) & (answers.probabilities <= 1)).all()
    assert folder.system() == replace(system, source=system.source)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize(
    "backbone",
    [
        BackboneSettings(),
        BackboneSettings(frozen=True),
        BackboneSettings(weights="package", frozen=True),  # whose features are kept on the shelf
    ],
    ids=["whole", "frozen", "kept"],
)
def test_what_is_fitted_and_indexed_is_what_is_stored(
    backbone: BackboneSettings, refit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[Trainer, Network, PictureFeed]] = []

    def seen(maker: ModelMaker, *given: Any) -> None:
        made.append(given[:3])
        write(maker, *given)

    write = ModelMaker._write
    monkeypatch.setattr(ModelMaker, "_write", seen)
    system = tiny(backbone=backbone, train=TrainSettings(epochs=1, batch=16, lr=1e-2, refit=refit))
    with in_one_process():
        folder = train_system(system, drawn(), tmp_path / "m", Talk(), Shelf(2**26))
    ((trainer, network, feed),) = made
    stored, anew = load_network(folder, system, len(trainer.labels)), replace(trainer, shelf=Shelf(0))
    stored.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    assert np.array_equal(trainer.logits(network, feed), anew.logits(stored, feed))
    assert np.array_equal(trainer.vectors(network, feed), anew.vectors(stored, feed))
    if not refit:
        held, told = (
            read_held(folder, drawn().split("valid")),
            predict_concepts(folder.path, drawn(), split="valid"),
        )
        assert held.logits is not None
        assert told.logits is not None
        np.testing.assert_allclose(held.logits, told.logits, rtol=1e-4, atol=1e-4)


def test_a_frozen_backbone_keeps_its_weights_and_learns_a_head(tmp_path: Path) -> None:
    weights = [
        read_weight_file(trained(tiny(train=one), tmp_path / str(number)).weights)
        for number, one in enumerate(
            (TrainSettings(epochs=0, batch=16), TrainSettings(epochs=2, batch=16, lr=0.1))
        )
    ]
    same = {name: torch.equal(weights[0][name], weights[1][name]) for name in weights[0]}
    assert all(equal for name, equal in same.items() if name.startswith("backbone."))
    assert not any(equal for name, equal in same.items() if name.startswith("head."))


def test_varied_images_of_a_frozen_backbone_are_refused_before_any_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "decoded_pictures", None)
    image = ImageSettings(size=SIZE, augment=AugmentSettings(mixup=0.4))
    with pytest.raises(UsageError) as caught:
        trained(tiny(image=image), tmp_path / "m")
    assert str(caught.value) == (
        "[image.augment] varies the images of each epoch, and a frozen backbone sees each once."
        " Delete [image.augment], or set [backbone] frozen = false."
    )


def test_the_card_has_the_figures_of_the_held_out_split_out_of_fold(tmp_path: Path) -> None:
    folder = trained(tiny(), tmp_path / "m")
    held = folder.card()["held_out"]
    valid = drawn().split("valid")
    assert held["n"] == len(valid)
    unseen = {cui for cuis in valid.column("cui").to_pylist() for cui in cuis} - set(folder.labels())
    assert held["labels_not_learnt"] == len(unseen) > 0
    assert 0 <= held["f1"] <= held["cross_fitted"]["f1"] <= 1  # labels that were not learnt are missed
    assert held["cross_fitted"]["low"] <= held["cross_fitted"]["f1"] <= held["cross_fitted"]["high"]


def test_labels_that_training_never_saw_count_as_missed(tmp_path: Path) -> None:
    """The figure of the card, counted again by hand from the answers that were kept."""
    from radcap.detection.training.held_answers import read_held

    system = tiny(data=DataSettings(top=4))
    folder = trained(system, tmp_path / "m")
    valid = drawn().split("valid")
    told = read_held(folder, valid)
    wanted: list[float] = []
    for record, cuis in zip(valid, told.concepts(), strict=True):
        both = len(set(cuis) & set(record.concepts))
        total = len(cuis) + len(set(record.concepts))
        wanted.append(2 * both / total if total else 1.0)
    assert folder.card()["held_out"]["f1"] == pytest.approx(np.mean(wanted))
    inside = sample_f1(told.decided, label_matrix(valid, folder.labels())).mean()
    assert folder.card()["held_out"]["cross_fitted"]["f1"] == pytest.approx(inside)
    assert folder.card()["held_out"]["f1"] < inside
    assert predict_concepts(folder.path, drawn(), split="test").labels == folder.labels()


def test_without_a_held_out_split_a_half_decides(tmp_path: Path) -> None:
    heard = Heard()
    folder = trained(tiny(), tmp_path / "m", without_valid(), heard.talk)
    assert heard.has("There is no split 'valid' to choose on: 0.5 decides, uncalibrated")
    assert folder.card()["held_out"] is None
    assert folder.decision() == (None, None)
    assert not (folder.path / "held.safetensors").exists()
    answers = predict_concepts(folder.path, without_valid(), split="test")
    assert answers.logits is not None
    assert answers.probabilities is not None
    np.testing.assert_allclose(answers.probabilities, 1 / (1 + np.exp(-answers.logits)), atol=1e-6)
    np.testing.assert_array_equal(answers.decided, answers.probabilities >= 0.5)


def test_a_refit_learns_from_both_splits_for_the_best_number_of_epochs(tmp_path: Path) -> None:
    train = TrainSettings(epochs=3, batch=16, lr=1e-2)
    heard = Heard()
    folder = trained(tiny(train=replace(train, refit=True)), tmp_path / "a", talk=heard.talk)
    plain = trained(tiny(train=train), tmp_path / "b")
    kept = folder.card()["training"]["kept_epoch"]
    assert heard.has(f"Once more on both splits, for {kept + 1} epochs")
    assert len((folder.path / "log-refit.csv").read_text().splitlines()) == 2 + kept
    assert folder.card()["held_out"]["f1"] == plain.card()["held_out"]["f1"]  # choices came before
    assert (folder.path / "decision.json").read_text() == (plain.path / "decision.json").read_text()
    first, second = read_weight_file(folder.weights), read_weight_file(plain.weights)
    assert not torch.equal(first["head.linear.weight"], second["head.linear.weight"])


def test_a_refit_without_a_held_out_split_has_nothing_to_add(tmp_path: Path) -> None:
    train = TrainSettings(epochs=1, batch=16, refit=True)
    folder = trained(tiny(train=train), tmp_path / "m", without_valid())
    assert not (folder.path / "log-refit.csv").exists()


def test_only_free_rows_and_wanted_sources_are_learnt_from(tmp_path: Path) -> None:
    card = trained(tiny(data=DataSettings(free_only=True)), tmp_path / "a").card()
    assert set(card["data"]["licences"]) <= {"CC BY 4.0", "CC0 1.0"}
    data = drawn()
    source = pa.array(["left" if row % 3 == 0 else "kept" for row in range(len(data))])
    place = data.table.column_names.index("source")
    two = replace(data, table=data.table.set_column(place, "source", source))
    card = trained(tiny(data=DataSettings(without_sources=("left",))), tmp_path / "b", two).card()
    assert set(card["data"]["sources"]) == {"kept"}


def test_images_that_will_not_decode_are_left_out_counted_and_named(tmp_path: Path) -> None:
    data = drawn(100, broken=2, missing=1)
    planted = {one for one, fault in zip(data.ids, data.column("planted").to_pylist(), strict=True) if fault}
    heard = Heard()
    system = tiny(data=DataSettings(fit="test"), train=TrainSettings(epochs=1, batch=4))
    folder = trained(system, tmp_path / "m", data, heard.talk)
    assert heard.has("Left out, for they will not decode: 3 images")
    assert set(folder.card()["data"]["refused"]) == planted
    held = trained(tiny(data=DataSettings(held="test")), tmp_path / "h", data)
    assert set(held.card()["data"]["refused"]) == planted
    assert held.card()["held_out"]["n"] == len(data.split("test")) - 3
    answers = predict_concepts(folder.path, data, split="test")
    assert set(answers.refused) == planted
    run = answers.run(data.split("test").ids)
    assert {one for one, cell in run.cells.items() if cell == ""} >= planted
    assert list(run.cells) == data.split("test").ids


def test_a_split_of_which_no_image_decodes_is_refused(tmp_path: Path) -> None:
    data = drawn(100, broken=4)
    broken = [place for place, fault in enumerate(data.column("planted").to_pylist()) if fault]
    with pytest.raises(UsageError, match=r"No image of the split 'test' of synthetic can be read. See "):
        trained(tiny(data=DataSettings(fit="test")), tmp_path / "m", data.take(broken))


class Spoilt:
    """A loss that is no number from some step on."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, settings: Any, shares: Any) -> Any:
        real = make_loss(settings, shares)

        def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
            self.left -= 1
            return real(logits, labels) * (1.0 if self.left >= 0 else float("nan"))

        return loss


def test_a_loss_that_is_no_number_ends_with_the_last_good_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = len(drawn().split("train")) // 16
    monkeypatch.setattr(networks, "make_loss", Spoilt(steps))
    heard = Heard()
    folder = trained(tiny(train=TrainSettings(epochs=5, batch=16)), tmp_path / "m", talk=heard.talk)
    assert heard.has("The loss became no number after epoch 1: training ends with the last good weights")
    assert folder.card()["training"] | {"epochs": 1, "stopped": "no number"} == folder.card()["training"]
    assert all(value.isfinite().all() for value in read_weight_file(folder.weights).values())


def test_a_refit_that_ends_so_is_told_of_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = len(drawn().split("train")) // 16, len(drawn().split("train")) + len(drawn().split("valid"))
    monkeypatch.setattr(networks, "make_loss", Spoilt(2 * both[0] + both[1] // 16))
    train = TrainSettings(epochs=2, batch=16, lr=1e-2, refit=True)
    folder = trained(tiny(train=train), tmp_path / "m")
    assert folder.card()["training"]["kept_epoch"] == 1
    assert folder.card()["training"]["stopped"] == "no number"


def test_a_loss_that_is_no_number_at_once_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "make_loss", Spoilt(0))
    with pytest.raises(UsageError, match="no number in the first epoch"):
        trained(tiny(), tmp_path / "m")
    assert not (tmp_path / "m" / "card.json").exists()


def full(*_: Any, **__: Any) -> None:
    raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")


@pytest.mark.parametrize(
    "writer",
    [
        "radcap.vision.weight_files.save_file",
        "radcap.detection.training.held_answers.save_file",
        "radcap.vision.training.checkpoint.save_file",
    ],
)
def test_a_full_disk_leaves_no_card_and_the_next_try_ends_well(
    writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(writer, full)
        with pytest.raises(OSError, match="No space left on device"):
            trained(tiny(), tmp_path / "m")
    assert not (tmp_path / "m" / "card.json").exists()
    assert not list((tmp_path / "m").rglob(".radcap-*"))
    assert trained(tiny(), tmp_path / "m").is_whole


def test_a_full_disk_while_texts_are_written_leaves_no_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_text

    def write(self: Path, text: str, *rest: Any, **more: Any) -> int:
        if '"made"' in text:
            raise OSError(28, "No space left on device", str(self))
        return real(self, text, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", write)
        with pytest.raises(OSError, match="No space left"):
            trained(tiny(), tmp_path / "m")
    assert not (tmp_path / "m" / "card.json").exists()
    assert trained(tiny(), tmp_path / "m").is_whole


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(
        Missing, match=r"Device 'cuda' is asked for and torch sees none. Train with --device cpu"
    ):
        trained(tiny(train=TrainSettings(device="cuda")), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_the_curves_go_to_tensorboard_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_rows: list[tuple[str, int]] = []

    def writer(folder: Path) -> Any:
        return lambda row: drawn_rows.append((folder.name, row.epoch))

    monkeypatch.setattr(networks, "board_writer", writer)
    trained(tiny(), tmp_path / "m", talk=Talk(board=tmp_path / "board"))
    assert drawn_rows == [("network", 0), ("network", 1)]


def test_a_backbone_that_is_not_known_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises((UsageError, Missing), match=r"tf_efficientnet_lite0|timm"):
        trained(tiny(backbone=BackboneSettings(name="tf_eficientnet_lite0")), tmp_path / "m")


def test_what_was_kept_of_the_held_out_images_may_be_damaged(tmp_path: Path) -> None:
    from radcap.detection.training.held_answers import read_held

    folder, valid = trained(tiny(), tmp_path / "m"), drawn().split("valid")
    told = read_held(folder, valid)
    assert told.ids == tuple(valid.ids)
    path = folder.path / "held.safetensors"
    with pytest.raises(InputError, match="train it again"):
        read_held(folder, valid.take([0]))
    folder.write_labels(folder.labels()[:-1], {})
    with pytest.raises(InputError, match="it is of other images or labels"):
        read_held(folder, valid)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"held.safetensors cannot be used: .* train it again"):
        read_held(folder, valid)


def test_the_card_is_json_that_others_can_read(tmp_path: Path) -> None:
    folder = trained(tiny(), tmp_path / "m")
    assert json.loads((folder.path / "card.json").read_text())["files"].keys() == {
        *("system.toml", "labels.csv", "decision.json")
    }


def test_decoding_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))  # nothing is decoded yet
    told: list[tuple[str, int]] = []
    trained(tiny(), tmp_path / "m", talk=Talk(progress=lambda stage, done: told.append((stage, done))))
    assert told
    assert all(stage and done >= 0 for stage, done in told)


def test_pictures_that_another_process_decodes_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = [True, True, False, False]

    def load(*given: Any, **more: Any) -> Any:
        if busy.pop(0):
            raise CacheBusy("Process 7 is building this cache.")
        return load_pictures(*given, **more)

    monkeypatch.setattr(decoding, "load_pictures", load)
    monkeypatch.setattr(decoding, "_WAIT_S", 0.0)
    heard = Heard()
    trained(tiny(), tmp_path / "m", talk=heard.talk)
    assert [one for one in heard if "Waiting" in one] == ["Waiting: Process 7 is building this cache."]
    assert not busy
