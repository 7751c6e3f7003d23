"""From a dataset to squares on a device."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from radcap.datasets.images import cache_images
from radcap.datasets.synthetic import Faults, synthetic
from radcap.vision.pictures import load_pictures
from radcap.vision.pictures import pictures as pictures_module
from radcap.vision.pictures.pictures import DevicePixels, HostPixels
from radcap.vision.pictures.preparing import equalised, trimmed
from radcap.vision.settings import ImageSettings

CPU = torch.device("cpu")
SETTINGS = ImageSettings(size=32, grey=True)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Two processes of tests may not build the same cache at once."""
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(pictures_module, "_CHUNK", 5)


def load(dataset, settings=SETTINGS, where="auto"):
    return load_pictures(dataset, settings, CPU, where=where, workers=1)


def test_squares_are_those_of_the_cache(small_chunks):
    dataset = synthetic(12, size=48)
    cache = cache_images(dataset, 32, 1, workers=1)
    places = torch.tensor([3, 0, 11])
    for where, kind in (("auto", HostPixels), ("host", HostPixels), ("device", DevicePixels)):
        pictures = load(dataset, where=where)
        assert isinstance(pictures.pixels, kind)
        assert pictures.ids == tuple(dataset.ids)
        assert pictures.device == CPU
        assert len(pictures) == 12
        squares, boxes = pictures.squares(places)
        assert squares.dtype == torch.uint8
        assert np.array_equal(squares.numpy(), cache.batch([3, 0, 11]))
        assert np.array_equal(boxes.numpy(), cache.boxes[[3, 0, 11]])


def test_images_are_loaded_larger_where_they_are_cropped():
    pictures = load(synthetic(2, size=48), replace(SETTINGS, load=1.25, grey=False))
    assert pictures.squares(torch.tensor([1]))[0].shape == (1, 40, 40, 3)


@pytest.mark.parametrize("where", ["device", "host"])
def test_what_will_not_decode_is_left_out_and_named(where):
    dataset = synthetic(20, size=48, splits={"train": 0.5, "test": 0.5}, faults=Faults(broken=3, missing=2))
    cache = cache_images(dataset, 32, 1, workers=1)
    assert len(cache.refused) == 5
    pictures = load(dataset, where=where)
    assert pictures.refused == cache.refused
    assert pictures.ids == tuple(one for one in dataset.ids if one not in cache.refused)
    squares, _ = pictures.squares(torch.arange(15))
    assert np.array_equal(squares.numpy(), cache.batch(cache.rows(pictures.ids)))


@pytest.mark.parametrize("where", ["device", "host"])
@pytest.mark.parametrize(("trim", "clahe"), [(True, 0.0), (False, 2.0), (True, 2.0)])
def test_pictures_are_prepared_wherever_they_lie(small_chunks, where, trim, clahe):
    dataset = synthetic(12, size=48)
    cache = cache_images(dataset, 32, 1, workers=1)
    pictures = load(dataset, replace(SETTINGS, trim=trim, clahe=clahe), where)
    squares, boxes = torch.from_numpy(cache.batch(range(12))), torch.from_numpy(cache.boxes.copy()).float()
    boxes = trimmed(squares, boxes) if trim else boxes
    squares = equalised(squares, boxes, clahe) if clahe else squares
    places = torch.tensor([7, 2, 9])
    found, where_they_lie = pictures.squares(places)
    assert torch.equal(found, squares[places])
    assert torch.equal(where_they_lie, boxes[places])


@pytest.mark.parametrize("where", ["device", "host"])
def test_no_pictures_at_all(where):
    pictures = load(synthetic(0), replace(SETTINGS, trim=True, clahe=2.0), where)
    assert len(pictures) == 0
    squares, boxes = pictures.squares(torch.arange(0))
    assert squares.shape == (0, 32, 32, 1)
    assert boxes.shape == (0, 4)


@pytest.mark.parametrize(("free", "fits"), [(2 * 12 * 32**2 + 2, True), (2 * 12 * 32**2, False)])
def test_a_gpu_takes_what_half_of_its_memory_holds(monkeypatch, free, fits):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 10 * free))
    view = load(synthetic(1, size=48)).view
    assert pictures_module._fits(12, view, torch.device("cuda"), "auto") is fits
    assert pictures_module._fits(12, view, torch.device("cuda"), "host") is False
