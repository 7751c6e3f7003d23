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
from radcap.vision.training import compiling_ahead, fit

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


def trained(*, ahead: bool):
    feed = drawn_feed()
    with compiling_ahead(tiny_network(), SIZE, len(feed), replace(QUICK, compile=ahead), CPU):
        pass
    network = tiny_network()
    fit(network, feed, BCE, QUICK, CPU)
    return weights(network)


def test_training_finds_the_network_compiled(traced):
    with compiling_ahead(tiny_network(), SIZE, 48, QUICK, CPU):
        pass
    assert traced() == 1
    fit(tiny_network(), drawn_feed(48), BCE, QUICK, CPU)
    assert traced() == 1


@pytest.mark.usefixtures("traced")
def test_training_is_the_same_with_it():
    assert same(trained(ahead=True), trained(ahead=False))


@pytest.mark.parametrize(
    ("settings", "place"), [(replace(QUICK, compile=False), CPU), (QUICK, replace(CPU, world=2))]
)
def test_nothing_is_compiled_where_it_would_not_be_used(traced, settings, place):
    threads = threading.active_count()
    with compiling_ahead(tiny_network(), SIZE, 32, settings, place):
        assert threading.active_count() == threads
    assert traced() == 0


def test_an_error_is_left_to_training(monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda _: 1 / 0)
    with compiling_ahead(tiny_network(), SIZE, 32, QUICK, CPU):
        pass
    with pytest.raises(ZeroDivisionError):
        fit(tiny_network(), drawn_feed(), BCE, QUICK, CPU)


def test_it_is_waited_for_whatever_happens_meanwhile(monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def slowly(module):
        begun.set()
        time.sleep(0.2)
        ended.set()
        return module

    monkeypatch.setattr(torch, "compile", slowly)
    with pytest.raises(RuntimeError, match="no image"):
        fail_meanwhile(begun)
    assert ended.is_set()


def fail_meanwhile(begun):
    with compiling_ahead(tiny_network(), SIZE, 32, QUICK, CPU):
        begun.wait()
        raise RuntimeError("no image")
