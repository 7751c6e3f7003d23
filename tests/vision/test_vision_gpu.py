"""What only a GPU does: recorded steps, fused optimisers, half precision. Left out where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch._dynamo.utils import counters
from torch.nn import functional
from vision_samples import LABELS, SIZE, drawn_feed, tiny_network, weights

from radcap.vision.pictures import Pictures
from radcap.vision.pictures.pictures import DevicePixels
from radcap.vision.settings import AugmentSettings, TrainSettings
from radcap.vision.training import CheckpointFolder, PictureFeed, fit, pick_place, predicted, while_compiling

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

BCE = functional.binary_cross_entropy_with_logits
MIXED = AugmentSettings(mixup=0.4, cutmix=1.0, flip_horizontal=0.5, rotate=15, gamma=0.2)
SETTINGS = TrainSettings(epochs=4, batch=16, lr=1e-2, ema=0.8, clip_grad=1.0, keep="last")


@pytest.fixture(autouse=True)
def always_the_same(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)
    torch._dynamo.reset()
    counters.clear()


def on_gpu(place, augment=MIXED):
    feed = drawn_feed(augment=augment)
    pictures, device = feed.pictures, place.device
    squares, _ = pictures.squares(torch.arange(len(feed)))
    there = Pictures(pictures.ids, DevicePixels(squares.to(device)), pictures.boxes.to(device), pictures.view)
    return PictureFeed(there, feed.labels.to(device), place.half)


def trained(settings, precision="fp32", **options):
    place = pick_place("cuda", precision)
    network = tiny_network(drop=0.0)  # compiled dropout draws other numbers
    fit(network, on_gpu(place), BCE, settings, place, **options)
    return network


def answers(network):
    place = pick_place("cuda", "fp32")
    return predicted(network, on_gpu(place, AugmentSettings()), place).cpu()


def assert_near(one, other, tolerance):
    """By what they say: a weight that changes nothing may lie anywhere."""
    torch.testing.assert_close(answers(one), answers(other), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd", "rmsprop"])
def test_recorded_steps_are_the_same_steps(optimiser):
    settings = replace(SETTINGS, optimiser=optimiser, lr=1e-3)
    plain, recorded = (trained(replace(settings, compile=on)) for on in (False, True))
    assert counters["inductor"]["cudagraph_skips"] == 0
    assert_near(plain, recorded, 2e-3)


def test_compiling_ahead_records_nothing_wrong():
    place, settings = pick_place("cuda", "fp32"), replace(SETTINGS, compile=True)
    before = trained(settings)
    torch._dynamo.reset()
    told = while_compiling(lambda _: "decoded", tiny_network(drop=0.0), settings, place, size=SIZE, images=48)
    graphs = counters["stats"]["unique_graphs"]
    assert told == "decoded"
    assert_near(before, trained(settings), 1e-3)
    assert counters["stats"]["unique_graphs"] == graphs  # it was not compiled again


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd", "rmsprop"])
def test_a_run_that_goes_on_ends_as_an_unbroken_one(tmp_path, optimiser, compiled):
    settings = replace(SETTINGS, optimiser=optimiser, lr=1e-3, compile=compiled)
    whole = trained(settings)
    folder = CheckpointFolder(tmp_path, "a")

    def die(row):
        if row.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(settings, folder=folder, observe=die, save_s=0)
    again = weights(trained(settings, folder=folder))
    for name, value in weights(whole).items():
        torch.testing.assert_close(again[name], value, rtol=1e-5, atol=1e-5, msg=name)


def test_half_precision_learns_the_same():
    single, half = (trained(replace(SETTINGS, lr=1e-3), precision) for precision in ("fp32", "bf16"))
    assert_near(single, half, 0.05)


def test_answers_are_those_of_the_cpu():
    network = trained(SETTINGS)
    there = answers(network)
    here = predicted(network.cpu(), drawn_feed(), pick_place("cpu"))
    assert there.shape == (48, LABELS)
    torch.testing.assert_close(there, here, rtol=1e-2, atol=2e-2)
