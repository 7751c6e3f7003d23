"""What a system costs: seconds that outlive a kill, waiting that is free, and a speed without its start."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import torch
from board_samples import TINY, pictures, tiny

from radcap.datasets.images.cache_lock import locked
from radcap.detection.training import train_system
from radcap.detection.training.kept_networks import KeptNetworks
from radcap.systems.board import accounts, running
from radcap.systems.board.accounts import Account
from radcap.systems.board.hindrances import TimeUp
from radcap.systems.board.results import BoardFolder
from radcap.systems.board.running import Reproduction

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


def seconds(file: Path) -> float:
    return json.loads(file.read_text())["seconds"]


def test_seconds_are_remembered_whenever_training_speaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is ended at once writes nothing more."""
    monkeypatch.setattr(accounts, "_OFTEN_S", 0.01)
    seen: list[float] = []

    def slowly(system: Any, data: Any, out: Path, talk: Any, shelf: Any) -> Any:
        time.sleep(0.1)
        talk.tell("epoch 1")
        seen.append(seconds(tmp_path / "models" / "one.json"))
        return train_system(system, data, out, talk, shelf)

    monkeypatch.setattr(running, "train_system", slowly)
    assert Reproduction(pictures(), TINY, BoardFolder(tmp_path)).run((tiny("one"),))
    assert seen[0] >= 0.1


def test_an_account_is_written_no_more_often_than_every_few_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(accounts, "time", SimpleNamespace(monotonic=lambda: clock.now))
    file = tmp_path / "one.json"
    account = Account(file, "mark", began=clock.now)
    told: list[float] = []
    for clock.now in (100.0, 101.0, 102.0, 103.9, 104.0):
        account.keep()
        told.append(seconds(file))
    assert told == [0, 0, 2, 2, 4]
    clock.now = 104.5
    account.close()
    assert (seconds(file), account.spent.seconds) == (4.5, 4.5)
    clock.now = 200.0
    again = Account(file, "mark", began=clock.now)
    assert again.goes_on()
    clock.now = 201.0
    again.close()
    assert seconds(file) == 5.5
    assert not Account(file, "other").goes_on()


@pytest.mark.parametrize("ends", [True, False])
def test_waiting_for_anothers_network_costs_nothing(ends: bool, tmp_path: Path) -> None:
    """Also where the time is over before it is there."""
    kept, lock = KeptNetworks(tmp_path, "data"), tmp_path / "key.lock"
    began = time.monotonic()

    def wait() -> None:
        time.sleep(0.1)
        if ends:
            raise TimeUp
        lock.unlink()

    train = mock.Mock(side_effect=TimeUp)
    with locked(lock), pytest.raises(TimeUp):
        kept.get("key", torch.nn.Linear(1, 1), train, wait)
    assert train.call_count == (not ends)
    assert 0.1 <= -kept.spent.seconds <= time.monotonic() - began


def test_the_speed_is_the_median_of_three_after_a_first_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = iter(accumulate([10.0, 1.0, 4.0, 2.0]))
    now = 0.0

    def answers(_: object) -> None:
        nonlocal now
        now = next(taken)

    test = pictures().split("test")
    monkeypatch.setattr(running, "open_model", lambda *_: SimpleNamespace(answers=answers))
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: now))
    worker = running.Worker(Reproduction(pictures(), TINY, BoardFolder(tmp_path)), 1, 1)
    model: Any = SimpleNamespace(path=tmp_path)
    assert worker._speed(model, test) == len(test) / 2
