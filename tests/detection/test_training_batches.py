"""Batches of one image: whose network can learn from them, and whose cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from training_samples import SIZE, drawn, tiny, trained, whole

from radcap.core import UsageError
from radcap.detection.training.batches import check_batches
from radcap.vision.network import make_network
from radcap.vision.settings import BackboneSettings, ImageSettings, TrainSettings
from radcap.vision.training import Place, pick_place

ONE = TrainSettings(epochs=1, batch=1, lr=1e-3)


def test_a_batch_of_one_is_refused_before_training_and_fine_for_a_frozen_backbone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one image \(batch is 1, with .*\), and the batch normalisation"):
        trained(whole(train=ONE), tmp_path / "whole")
    assert not (tmp_path / "whole").exists()
    assert trained(tiny(train=ONE), tmp_path / "frozen").is_whole


def test_one_training_image_is_refused(tmp_path: Path) -> None:
    data = drawn()
    rows = [row for row, split in enumerate(data.column("split").to_pylist()) if split == "valid"]
    first = data.column("split").to_pylist().index("train")
    with pytest.raises(UsageError, match=r"batch is 32, with 1 image to learn from"):
        trained(whole(), tmp_path / "m", data.take([first, *rows]))


@pytest.mark.parametrize(
    ("name", "size", "batch", "images", "world", "is_fine"),
    [
        ("tf_efficientnet_lite0", SIZE, 1, 90, 1, False),
        ("tf_efficientnet_lite0", SIZE, 64, 1, 1, False),
        ("tf_efficientnet_lite0", SIZE, 3, 90, 2, False),
        ("tf_efficientnet_lite0", SIZE, 64, 3, 2, False),
        ("tf_efficientnet_lite0", SIZE, 2, 90, 1, True),
        ("tf_efficientnet_lite0", SIZE, 64, 65, 1, True),  # the last one waits for another epoch
        ("tf_efficientnet_lite0", 2 * SIZE, 1, 90, 1, True),  # maps of four places
        ("visual-words", SIZE, 1, 90, 1, True),
    ],
)
def test_networks_with_batch_normalisation_over_single_places_need_two_images(
    name: str, size: int, batch: int, images: int, world: int, *, is_fine: bool
) -> None:
    model = whole(
        backbone=BackboneSettings(name=name),
        image=ImageSettings(size=size),
        train=TrainSettings(batch=batch),
    )
    network = make_network(model.backbone, model.head, 3, size=size)
    place = Place(pick_place("cpu").device, world=world)
    if is_fine:
        check_batches(network, model, images, place)
    else:
        with pytest.raises(UsageError, match=r"normalisation of .* needs two"):
            check_batches(network, model, images, place)
