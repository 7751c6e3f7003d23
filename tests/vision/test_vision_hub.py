"""The hub, where there is none: what is not held is refused at once, and what is held is had."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest
from huggingface_hub import constants

from radcap.core import Missing
from radcap.vision.backbones import make_backbone
from radcap.vision.backbones.hub import without_waiting
from radcap.vision.settings import BackboneSettings

pytestmark = pytest.mark.loopback


@pytest.fixture
def server():
    """Somebody who listens on this machine."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


def test_who_answers_is_asked(monkeypatch, server):
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server}")
    with without_waiting():
        assert not constants.HF_HUB_OFFLINE


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://127.0.0.1:port", "nonsense", ""])
def test_who_does_not_answer_is_left_alone(monkeypatch, address):
    monkeypatch.setattr(constants, "ENDPOINT", address)
    with without_waiting():
        assert constants.HF_HUB_OFFLINE
    assert not constants.HF_HUB_OFFLINE


@pytest.mark.parametrize("name", ["https_proxy", "ALL_PROXY"])
def test_a_proxy_may_know_the_way(monkeypatch, name):
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.invalid")
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    with without_waiting():
        assert not constants.HF_HUB_OFFLINE


def test_who_wants_no_hub_gets_none(monkeypatch, server):
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with without_waiting():
        assert constants.HF_HUB_OFFLINE
    assert constants.HF_HUB_OFFLINE


def test_weights_that_cannot_be_had_are_refused_without_a_word_of_the_client(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(Missing, match="cannot be reached"):
        make_backbone(BackboneSettings(name="resnet10t.c3_in1k", weights="timm"), size=32)
    assert "Retrying" not in caplog.text
