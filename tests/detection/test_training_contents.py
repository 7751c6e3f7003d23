"""What is begun with or learnt from is known by its content: images, weights, teachers."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from training_samples import drawn, member, tiny, trained, whole

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.datasets.stores.memory import MemoryImages
from radcap.detection.ensembles import Ensemble
from radcap.detection.models import ModelFolder
from radcap.detection.system import ConceptSystem, DataSettings
from radcap.detection.talk import Talk
from radcap.detection.training import contents, leave_networks, train_system
from radcap.detection.training.contents import origins_digest, pixels_digest
from radcap.detection.training.kept_networks import KeptNetworks, network_key
from radcap.detection.training.parts import Parts
from radcap.detection.training.shelf import Shelf
from radcap.vision.settings import BackboneSettings, TeacherSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file, write_weight_file


def changed(split: str = "train", data: Dataset | None = None) -> Dataset:
    """The same records, with other pixels in one image of a split."""
    data = data or drawn()
    first, second = data.split(split).column("image").to_pylist()[:2]
    files = {key: data.images.read(key) for key in data.images.keys()}  # noqa: SIM118 - it is no mapping
    return replace(data, images=MemoryImages({**files, first: files[second]}))


def other_weights(folder: ModelFolder) -> None:
    """The same weights but for one number, in a file of the same size."""
    held = read_weight_file(folder.weights)
    name = next(name for name, one in held.items() if one.is_floating_point())
    write_weight_file({**held, name: held[name] + 1}, folder.weights)


@pytest.fixture
def model(tmp_path: Path) -> ModelFolder:
    return trained(tiny(train=TrainSettings(epochs=0, batch=16)), tmp_path / "model")


def begun_with(folder: Path | str) -> ConceptSystem:
    return whole(backbone=BackboneSettings(weights=str(folder)))


def taught_by(folder: Path | str) -> ConceptSystem:
    return whole(teacher=TeacherSettings(models=(str(folder),), weight=0.5))


def joined_with(folder: Path | str) -> ConceptSystem:
    parts = (BackboneSettings(name="residual-scales"), BackboneSettings(weights=str(folder)))
    return whole(backbone=BackboneSettings(name="joined", part=parts))


# images


def test_images_are_known_by_their_bytes_and_those_that_cannot_be_read_too() -> None:
    data, splits = drawn(), ("train", "valid")
    first = pixels_digest(data, splits)
    assert pixels_digest(changed("test"), splits) == first
    assert len({first, pixels_digest(changed(), splits), pixels_digest(changed("valid"), splits)}) == 3
    keys = data.split("train").column("image").to_pylist()
    files = {key: data.images.read(key) for key in keys[1:]}
    lacking = replace(data.split("train"), images=MemoryImages(files))
    assert pixels_digest(lacking, splits) != pixels_digest(data, ("train",))


def test_an_unfinished_training_on_other_pixels_is_refused(tmp_path: Path) -> None:
    def stop(text: str) -> None:
        if text.startswith("epoch 1"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(tiny(), tmp_path / "m", talk=Talk(stop))
    for split in ("train", "valid"):
        with pytest.raises(UsageError, match="begun with other settings or other data"):
            trained(tiny(), tmp_path / "m", changed(split))
    assert trained(tiny(), tmp_path / "m", changed("test")).is_whole  # of which nothing is learnt


def test_images_are_read_once_for_all_members_and_not_before_a_refusal(tmp_path: Path) -> None:
    from radcap.detection.training import system_training

    both = (member("a"), member("b", 1, data=DataSettings(held="nowhere")))
    with mock.patch.object(system_training, "pixels_digest", wraps=pixels_digest) as read:
        with pytest.raises(UsageError):
            trained(tiny("x", member=both, ensemble=Ensemble()), tmp_path / "x")
        with pytest.raises(UsageError, match="is no file or folder here"):
            trained(begun_with(tmp_path / "none.pth"), tmp_path / "y")
        assert not read.call_count
        trained(tiny("z", member=(member("a"), member("b", 1)), ensemble=Ensemble()), tmp_path / "z")
        assert read.call_args_list == [mock.call(drawn(), ["train", "valid"])]


def test_where_networks_are_kept_the_data_are_known(tmp_path: Path) -> None:
    from radcap.detection.training import system_training

    def shelf(data: str) -> Shelf:
        return Shelf(0, KeptNetworks(tmp_path / "networks", data))

    (tmp_path / "networks").mkdir()
    with mock.patch.object(system_training, "pixels_digest") as read:
        leave_networks(member("a", backbone=BackboneSettings()), drawn(), tmp_path / "a", Talk(), shelf("x"))
        train_system(whole(), drawn(), tmp_path / "b", Talk(), shelf("x"))
    assert not read.call_count
    parts = [
        system_training._parts(whole(), drawn(), shelf(data))["whole"].fingerprint(whole())
        for data in ("x", "x", "y")
    ]
    assert (parts[0] == parts[1], parts[1] == parts[2]) == (True, False)


# weights and teachers


@pytest.mark.parametrize("make", [begun_with, taught_by, joined_with])
def test_other_weights_under_the_same_name_are_another_training(model: ModelFolder, make: Any) -> None:
    feed: Any = mock.Mock()
    feed.pictures.ids, feed.labels = ("a",), torch.ones(1, 2)
    parts, system = Parts.of(drawn(), DataSettings()), make(model.path)

    def marks() -> tuple[str, str]:
        return parts.fingerprint(system), network_key(system, ("C1", "C2"), feed, None, "cpu", "data")

    before = marks()
    assert marks() == before
    size = model.weights.stat().st_size
    other_weights(model)
    assert model.weights.stat().st_size == size
    assert all(one != other for one, other in zip(before, marks(), strict=True))


def test_the_same_content_elsewhere_and_at_another_time_is_the_same(
    model: ModelFolder, tmp_path: Path
) -> None:
    first = origins_digest(begun_with(model.path))
    shutil.copytree(model.path, tmp_path / "copy", copy_function=shutil.copy)  # with new times
    (tmp_path / "copy" / "card.json").write_text("{}")
    assert origins_digest(begun_with(tmp_path / "copy")) == first
    assert origins_digest(taught_by(model.path)) != origins_digest(taught_by(tmp_path / "none"))


def test_the_members_of_a_teacher_are_looked_at(tmp_path: Path) -> None:
    both = tiny("both", member=(member("a"), member("b", 1)), ensemble=Ensemble())
    folder = trained(both, tmp_path / "both")
    first = origins_digest(taught_by(folder.path))
    other_weights(folder.member("b"))
    assert origins_digest(taught_by(folder.path)) != first


def test_files_and_folders_of_others_are_read_and_names_of_publishers_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = tmp_path / "weights.pth", tmp_path / "published"
    folder.mkdir()
    for number, place in enumerate((file, folder / "model.safetensors")):
        place.write_bytes(b"one")
        first = origins_digest(begun_with((file, folder)[number]))
        place.write_bytes(b"other")
        assert origins_digest(begun_with((file, folder)[number])) != first
    monkeypatch.chdir(tmp_path)
    (tmp_path / "timm").write_bytes(b"mine")
    with mock.patch.object(contents, "_files") as looked:
        assert len({origins_digest(begun_with(one)) for one in ("none", "timm", "package")}) == 1
    assert not looked.call_count


def test_models_of_the_zoo_are_found(
    model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    shutil.copytree(model.path, tmp_path / "cache" / "zoo" / "mine")
    assert origins_digest(begun_with("zoo:mine")) == origins_digest(begun_with(model.path))
