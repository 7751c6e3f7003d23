"""Where a network runs."""

from __future__ import annotations

import pytest
import torch
from torch import distributed

from radcap.core import Missing, UsageError
from radcap.vision.training import Place, pick_place


@pytest.fixture
def gpus(monkeypatch):
    """As if there were two GPUs; what is asked of them is kept."""
    asked = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_device", asked.append)
    return asked


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_without_a_gpu_the_cpu_does(no_gpu, device):
    place = pick_place(device)
    assert place == Place(torch.device("cpu"), "fp32", 0, 1)
    assert place.is_first
    assert not place.half
    assert place.agreed(0.25) == 0.25
    assert place.mean(torch.tensor(3.0)) == 3.0


def test_a_gpu_that_is_not_there_is_missing(no_gpu):
    with pytest.raises(Missing, match=r"'cuda' is asked for and torch sees none. Train with --device cpu."):
        pick_place("cuda")


def test_a_gpu_beyond_those_here_is_missing(gpus):
    with pytest.raises(Missing, match=r"'cuda:2' is asked for and torch sees 2"):
        pick_place("cuda:2")


@pytest.mark.parametrize("device", ["gpu", "", "cuda:", "meta", "cpu0", "../x"])
def test_what_is_no_device_is_refused(device):
    with pytest.raises(UsageError, match=r"Write auto, cpu, cuda or cuda:0."):
        pick_place(device)


@pytest.mark.parametrize(("device", "chosen"), [("auto", "cuda:0"), ("cuda", "cuda:0"), ("cuda:1", "cuda:1")])
def test_a_gpu_is_taken_with_half_precision(gpus, device, chosen):
    place = pick_place(device)
    assert place == Place(torch.device(chosen), "bf16", 0, 1)
    assert place.half
    assert gpus == ([] if device == "cuda:1" else [torch.device("cuda", 0)])


def test_an_old_gpu_has_no_half_precision(gpus, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert pick_place("auto").precision == "fp32"


@pytest.mark.parametrize(("precision", "kind"), [("bf16", torch.bfloat16), ("fp32", torch.float32)])
def test_precision_is_as_asked_for(precision, kind):
    place = pick_place("cpu", precision)
    with place.autocast():
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == kind


@pytest.mark.parametrize(
    ("device", "backend", "chosen"), [("cpu", "gloo", "cpu"), ("auto", "nccl", "cuda:1")]
)
def test_each_process_of_torchrun_takes_its_own(gpus, monkeypatch, device, backend, chosen):
    joined = []
    monkeypatch.setattr(distributed, "init_process_group", joined.append)
    for name, value in {"WORLD_SIZE": "4", "RANK": "3", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    place = pick_place(device)
    assert (str(place.device), place.rank, place.world, place.is_first) == (chosen, 3, 4, False)
    assert joined == [backend]
    monkeypatch.setattr(distributed, "is_initialized", lambda: True)
    assert pick_place(device) == place
    assert joined == [backend]
