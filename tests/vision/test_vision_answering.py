"""What a finished network needs to answer: folded norms, small files, pictures in passing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from vision_samples import tiny_network, weights

from radcap.core import InputError
from radcap.datasets.images import cache_images
from radcap.datasets.synthetic import Faults, synthetic
from radcap.vision.backbones.lite import LiteNet
from radcap.vision.folding import fold
from radcap.vision.pictures import View
from radcap.vision.pictures.preparing import equalised, trimmed
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import ImageSettings
from radcap.vision.weight_files import packed, read_weight_file, unpacked, write_weight_file

# folding


def test_a_folded_network_answers_as_before():
    torch.manual_seed(0)
    network = LiteNet(1.0, 1.0)
    for name, value in network.state_dict().items():
        if name.endswith("running_var"):
            value.uniform_(0.5, 2)
        elif value.dtype.is_floating_point and value.ndim == 1:
            value.uniform_(-0.5, 1.5)
    images = torch.rand(2, 3, 48, 48)
    with torch.no_grad():
        expected = network.eval()(images)
        assert fold(network.train()) is network
        answer = network(images)
    torch.testing.assert_close(answer, expected, atol=1e-4, rtol=1e-4)
    assert not network.training
    assert not any(isinstance(one, nn.BatchNorm2d) for one in network.modules())


def test_networks_that_do_not_say_where_norms_are_stay():
    network = tiny_network()
    before = weights(network)
    fold(network)
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


# files


HELD = {
    "conv": torch.randn(5, 3, 3, 3, generator=torch.Generator().manual_seed(1)),
    "dead": torch.zeros(2, 4),
    "linear": torch.tensor([[1.0, -2.0], [1e-3, 5e-4]]),
    "bias": torch.tensor([1.1, -2.2]),
    "count": torch.tensor(7),
    "layer.scale": torch.tensor([0.3, 0.4]),  # a weight that is really named so
}


@pytest.mark.parametrize("form", ["fp32", "fp16", "int8"])
def test_weights_come_back_as_well_as_their_form_allows(tmp_path, form):
    write_weight_file(HELD, tmp_path / "a.safetensors", form)
    found = read_weight_file(tmp_path / "a.safetensors")
    assert found.keys() == HELD.keys()
    for name, value in HELD.items():
        assert found[name].dtype == value.dtype
        assert found[name].shape == value.shape
        if form == "fp32" or not value.dtype.is_floating_point or (form == "int8" and value.ndim == 1):
            assert torch.equal(found[name], value)
        elif form == "fp16":
            torch.testing.assert_close(found[name], value, rtol=1e-3, atol=1e-6)
        else:
            largest = value.flatten(1).abs().amax(1)
            error = (found[name] - value).flatten(1).abs().amax(1)
            assert (error <= largest / 127 / 2 * 1.001).all()
    assert [one.name for one in tmp_path.iterdir()] == ["a.safetensors"]


def test_eight_bits_are_a_quarter_of_the_bytes():
    small = packed({"conv": HELD["conv"]}, "int8")
    assert small["conv"].dtype == torch.int8
    assert small["conv.scale"].shape == (5,)


def test_bytes_without_a_scale_stay_what_they_are():
    counts = torch.tensor([1, 2], dtype=torch.int8)
    assert torch.equal(unpacked({"x": counts})["x"], counts)


@pytest.mark.parametrize("held", [b"", b"no weights", b"\x10\x00\x00\x00\x00\x00\x00\x00{}"])
def test_a_damaged_file_is_refused(tmp_path, held):
    (tmp_path / "a.safetensors").write_bytes(held)
    with pytest.raises(InputError, match="The model is damaged or not whole: get it again") as caught:
        read_weight_file(tmp_path / "a.safetensors")
    assert caught.value.path == str(tmp_path / "a.safetensors")


# streams


@pytest.mark.parametrize(("batch", "threads"), [(3, 1), (4, 2), (100, 1), (3, 0)])
@pytest.mark.parametrize("settings", [{}, {"trim": True, "clahe": 2.0}], ids=["plain", "prepared"])
def test_a_stream_shows_what_the_cache_holds(tmp_path, batch, threads, settings):
    dataset = synthetic(22, size=48, splits={"train": 0.5, "test": 0.5}, faults=Faults(broken=3, missing=2))
    cache = cache_images(dataset, 32, 1, workers=1, root=tmp_path)
    shots = list(stream(dataset, View(ImageSettings(size=32, grey=True, **settings)), batch, threads))
    kept = [one for one in dataset.ids if one not in cache.refused]
    assert [one for shot in shots for one in shot.ids] == kept
    assert {one: code for shot in shots for one, code in shot.refused.items()} == dict(cache.refused)
    rows = cache.rows(kept)
    squares, boxes = (
        torch.from_numpy(cache.batch(rows)),
        torch.from_numpy(np.array(cache.boxes[rows])).float(),
    )
    if settings:
        boxes = trimmed(squares, boxes)
        squares = equalised(squares, boxes, 2.0)
    assert torch.equal(torch.cat([shot.squares for shot in shots]), squares)
    assert torch.equal(torch.cat([shot.boxes for shot in shots]), boxes)
    assert all(len(shot.ids) + len(shot.refused) <= batch for shot in shots)


def test_a_stream_can_be_left(monkeypatch):
    shots = stream(synthetic(40, size=16), View(ImageSettings(size=16)), batch=2)
    assert len(next(shots).ids) == 2
    shots.close()  # type: ignore[attr-defined]
    assert list(stream(synthetic(0), View(ImageSettings(size=16)))) == []
