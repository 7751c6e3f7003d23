"""A network is compiled while something else is done, and not once more for training."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch._dynamo.utils import counters
from torch.nn import functional
from vision_samples import CPU, drawn_feed, same, tiny_network, weights

from radcap.vision.settings import TrainSettings
from radcap.vision.training import fit, while_compiling
from radcap.vision.training.compiling import compiled

BCE = functional.binary_cross_entropy_with_logits
QUICK = TrainSettings(epochs=1, batch=16, lr=1e-2, compile=True)
SIZE = 16


@pytest.fixture
def traced(monkeypatch):
    """Compiling without a compiler for C++: torch traces the graph and runs it as it is."""
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    torch._dynamo.reset()
    counters.clear()
    return lambda: counters["stats"]["unique_graphs"]


def ahead(work=lambda _: None, images=32, settings=QUICK, place=CPU):
    return while_compiling(work, tiny_network(), settings, place, size=SIZE, images=images)


def trained(*, is_ahead: bool):
    feed = drawn_feed()
    ahead(images=len(feed), settings=replace(QUICK, compile=is_ahead))
    network = tiny_network()
    fit(network, feed, BCE, QUICK, CPU)
    return weights(network)


def test_training_finds_the_network_compiled(traced):
    ahead(images=48)
    assert traced() == 1
    fit(tiny_network(), drawn_feed(48), BCE, QUICK, CPU)
    assert traced() == 1


@pytest.mark.usefixtures("traced")
def test_training_is_the_same_with_it():
    assert same(trained(is_ahead=True), trained(is_ahead=False))


@pytest.mark.parametrize(
    ("settings", "place"), [(replace(QUICK, compile=False), CPU), (QUICK, replace(CPU, world=2))]
)
def test_nothing_is_compiled_where_it_would_not_be_used(traced, settings, place):
    assert (
        ahead(lambda _: threading.current_thread(), settings=settings, place=place) is threading.main_thread()
    )
    assert traced() == 0


def test_work_is_done_beside(traced):
    def work(look_up):
        look_up()  # somebody waits
        return threading.current_thread()

    assert ahead(work) is not threading.main_thread()
    assert traced() == 1


def test_an_error_is_left_to_training(monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda _: 1 / 0)
    assert ahead(lambda _: "decoded") == "decoded"
    with pytest.raises(ZeroDivisionError):
        fit(tiny_network(), drawn_feed(), BCE, QUICK, CPU)


@pytest.mark.usefixtures("traced")
def test_what_goes_wrong_in_the_work_is_told():
    def work(_):
        raise RuntimeError("no image")

    with pytest.raises(RuntimeError, match="no image"):
        ahead(work)


def test_work_ends_when_compiling_is_interrupted(monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def interrupted(_):
        begun.wait()
        raise KeyboardInterrupt

    def work(look_up):
        begun.set()
        try:
            while True:  # for ever, but for the interrupt
                look_up()
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(torch, "compile", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ahead(work)
    assert ended.is_set()


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        (CPU, {}),
        (replace(CPU, device=torch.device("cuda:1")), {"mode": "reduce-overhead"}),
        (replace(CPU, device=torch.device("cuda:0"), world=2), {}),
    ],
)
def test_steps_are_recorded_on_one_gpu(monkeypatch, place, asked):
    monkeypatch.setattr(torch, "compile", lambda _, **options: options)
    assert compiled(tiny_network(), place) == asked
