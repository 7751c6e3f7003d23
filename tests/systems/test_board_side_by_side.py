"""Several systems at a time: the same scores on as many cores, and networks that are trained once."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from board_samples import SIZE, TINY, member, pictures, tiny
from safetensors import SafetensorError

from radcap.core import InputError, UsageError
from radcap.datasets.images.cache_lock import locked
from radcap.detection.ensembles import Ensemble
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training import train_system
from radcap.detection.training.kept_networks import KeptNetworks, network_key
from radcap.detection.training.one_model import ModelMaker
from radcap.systems.board import running
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.planning import planned
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.running import Reproduction, TimeUp
from radcap.systems.board.scales import SCALES, Scale
from radcap.vision.settings import BackboneSettings, TrainSettings
from radcap.vision.training import EpochRow, History, Trained
from radcap.vision.training.loop import fit

torch.set_num_threads(1)

PUBLISHED = SCALES["published"]
WHOLE = Scale("whole", SIZE, 1, 3, False, 16, 1e-3, SIZE, 1)
LEARNT = BackboneSettings()
ONE = tiny("one", backbone=LEARNT)
ALIKE = tiny("alike", backbone=LEARNT, published={"f1": 0.5})
PAIR = tiny(
    "pair",
    backbone=LEARNT,
    member=(member("a", 0, backbone=LEARNT), member("b", 1, backbone=LEARNT)),
    ensemble=Ensemble(rule="votes", votes=1),
)
BOARD = (ONE, ALIKE, PAIR)


def write(path: Path, text: str) -> None:
    """Something to tell that a process can be given."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def die_of_two(path: Path, text: str) -> None:
    """The process that begins the second system ends at once."""
    write(path, text)
    if text.startswith("2 of"):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    folder = BoardFolder(tmp_path_factory.mktemp("alone"))
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        assert Reproduction(pictures(), WHOLE, folder).run(BOARD)
    return folder


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


def result(folder: BoardFolder, name: str) -> Result:
    found = folder.known(name)
    assert found is not None
    return found


def test_two_at_a_time_say_what_one_after_another_says(alone: BoardFolder, tmp_path: Path) -> None:
    folder, heard = BoardFolder(tmp_path / "board"), tmp_path / "heard.txt"
    assert Reproduction(pictures(), WHOLE, folder, tell=partial(write, heard), jobs=2).run(BOARD)
    for system in BOARD:
        assert folder.run(system.name).read_bytes() == alone.run(system.name).read_bytes()
        ours, theirs = result(folder, system.name), result(alone, system.name)
        assert (ours.fingerprint, ours.held_out) == (theirs.fingerprint, theirs.held_out)
    assert sorted(heard.read_text().splitlines()) == [
        "1 of 3: one", "2 of 3: alike", "3 of 3: pair", "3 of 3: pair, its member b",
    ]  # fmt: skip
    assert {one.name for one in folder.path.iterdir()} == {"models", "results", "runs"}
    assert list((folder.path / "models").iterdir()) == []


def test_members_are_trained_ahead_and_again_on_both_splits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker does, in this process: the ensemble finds its networks, and trains none."""

    def here(work: Any, chunks: Any, *_: object, ahead: int) -> Any:
        assert ahead == len(chunks)
        return map(work, chunks)

    again = replace(PAIR.member[1].train, refit=True)
    pair = replace(PAIR, member=(PAIR.member[0], replace(PAIR.member[1], train=again)))
    folder, heard, learnt = BoardFolder(tmp_path), list[str](), list[int]()

    def counted(*given: Any, **more: Any) -> Any:
        learnt.append(len(heard))
        return fit(*given, **more)

    monkeypatch.setattr(running, "in_processes", here)
    monkeypatch.setattr("radcap.detection.training.networks.fit", counted)
    threads = torch.get_num_threads()
    try:
        assert Reproduction(pictures(), WHOLE, folder, tell=heard.append, jobs=2).run((pair,))
    finally:
        torch.set_num_threads(threads)
    assert heard == ["1 of 1: pair, its member b", "1 of 1: pair, its member a", "1 of 1: pair"]
    assert learnt == [1, 1, 2]  # the long one comes first: it learns once more, on both splits
    assert list((folder.path / "models").iterdir()) == []


def test_a_member_that_cannot_be_trained_leaves_it_to_its_ensemble_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "in_processes", lambda work, chunks, *_, ahead: map(work, chunks))
    broken = tmp_path / "broken.pth"
    broken.write_bytes(b"no weights")
    gone = BackboneSettings(weights=str(broken))
    pair = tiny("pair", backbone=gone, member=(member("a", backbone=gone), member("b", 1, backbone=gone)))
    folder, heard = BoardFolder(tmp_path), list[str]()
    assert Reproduction(pictures(), PUBLISHED, folder, tell=heard.append, jobs=2).run((pair,))
    assert "broken.pth cannot be read as weights" in result(folder, "pair").why_not
    assert len(heard) == 4
    assert heard[-1].startswith("Not trained: pair. ")


def test_who_waits_hears_when_the_time_is_over() -> None:
    def over(stage: str, done: int) -> None:
        raise TimeUp(stage)

    with pytest.raises(TimeUp, match="waiting"):
        Talk(progress=over).waiting()
    SILENT.waiting()


def test_networks_that_are_alike_are_trained_once_and_paid_by_each(tmp_path: Path) -> None:
    trained = mock.Mock()
    get = KeptNetworks.get

    def counting(self: KeptNetworks, key: str, network: object, train: object, wait: object) -> object:
        def counted() -> object:
            trained(key)
            time.sleep(0.3)
            return train()  # type: ignore[operator]

        return get(self, key, network, counted, wait)  # type: ignore[arg-type]

    folder = BoardFolder(tmp_path)
    with mock.patch.object(KeptNetworks, "get", counting):
        assert Reproduction(pictures(), WHOLE, folder).run(BOARD)
    assert trained.call_count == 2  # one for `one`, `alike` and `a`; one for `b`
    assert result(folder, "alike").train_s >= 0.3
    assert result(folder, "pair").train_s >= 0.6
    assert not folder.networks.exists()


def test_a_network_of_an_earlier_piece_is_paid_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over after the first of two networks; the second piece finds it, and pays for the other."""
    get, calls = KeptNetworks.get, list[str]()

    def slow(self: KeptNetworks, key: str, network: Any, learn: Any, wait: Any) -> Trained:
        def slowly() -> Trained:
            calls.append(key)
            time.sleep(0.5)
            return learn()

        return get(self, key, network, slowly, wait)

    monkeypatch.setattr(KeptNetworks, "get", slow)
    folder, board = BoardFolder(tmp_path), Reproduction(pictures(), WHOLE, BoardFolder(tmp_path))
    again = replace(ONE, train=replace(ONE.train, refit=True))
    began = time.monotonic()
    with monkeypatch.context() as patch:
        patch.setattr(ModelMaker, "_refitted", mock.Mock(side_effect=TimeUp))
        assert not board.run((again,))
    assert len(json.loads((tmp_path / "models" / "one.json").read_text())["networks"]) == 1
    assert board.run((again,))
    assert len(calls) == 2
    assert 1.0 <= result(folder, "one").train_s <= time.monotonic() - began


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_a_lack_of_memory_is_told_and_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def lacking(system: Any, *given: Any) -> Any:
        if system.name == "one":
            raise error
        return train_system(system, *given)

    monkeypatch.setattr(running, "train_system", lacking)
    folder, heard = BoardFolder(tmp_path), list[str]()
    assert Reproduction(pictures(), WHOLE, folder, tell=heard.append).run((ONE, ALIKE))
    assert result(folder, "one").why_not.startswith("It needs more memory than there is. Try a smaller")
    assert heard[1].startswith("Not trained: one. It needs more memory")
    assert result(folder, "alike").is_scored


def test_two_commands_in_one_folder_are_refused(tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path / "board")
    with (
        folder.mine(),
        pytest.raises(UsageError, match="written to by another radcap systems reproduce"),
    ):
        Reproduction(pictures(), WHOLE, folder).run((ONE,))
    assert list(tmp_path.iterdir()) == []


def test_what_nobody_foresaw_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(system: Any, *given: Any) -> Any:
        if system.name == "one":
            raise ValueError("Sizes differ.\nAnd more.")
        return train_system(system, *given)

    monkeypatch.setattr(running, "train_system", failing)
    folder = BoardFolder(tmp_path)
    assert Reproduction(pictures(), WHOLE, folder).run((ONE, ALIKE))
    assert result(folder, "one").why_not == (
        "It ended in a way that nobody foresaw: ValueError: Sizes differ. results/one.log says where."
    )
    assert result(folder, "alike").is_scored


def test_networks_of_other_labels_have_other_keys() -> None:
    feed: Any = mock.Mock()
    feed.pictures.ids, feed.labels = ("a",), torch.ones(1, 2)
    keys = {network_key(ONE, labels, feed, None, "cpu", "data") for labels in (("C1", "C2"), ("C1", "C3"))}
    assert len(keys) == 2


def test_networks_stay_until_every_system_has_a_result(tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path)
    assert Reproduction(pictures(), WHOLE, folder).run((ONE,))
    assert not folder.networks.exists()
    lock, left = folder.networks / "left.lock", folder.networks / "key.safetensors"
    lock.parent.mkdir()
    lock.write_text(json.dumps({"process": 1, "machine": "elsewhere", "since": "long ago"}))
    left.touch()
    assert not Reproduction(pictures(), WHOLE, folder, deadline=0).run(BOARD)
    assert left.exists()
    assert not lock.exists()


def test_what_died_is_told_but_for_a_member_whose_ensemble_tries_again(tmp_path: Path) -> None:
    folder, heard = BoardFolder(tmp_path), list[str]()
    done = Reproduction(pictures(), WHOLE, folder, tell=heard.append)
    work = running._Work(fit_system(PAIR, WHOLE), WHOLE, "data", 1)
    done._lost(replace(work, member=PAIR.member[0]))
    assert heard == []
    assert folder.known("pair") is None
    done._lost(work)
    assert heard[0].startswith("Not trained: pair. The process that trained it ended without a word")
    assert result(folder, "pair").why_not.endswith(
        "when nothing ran beside it. Is there memory enough? Try a smaller scale."
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no kill")
def test_a_system_whose_process_dies_says_so_and_does_not_stop_the_others(tmp_path: Path) -> None:
    folder, heard = BoardFolder(tmp_path / "board"), tmp_path / "heard.txt"
    done = Reproduction(pictures(), TINY, folder, tell=partial(die_of_two, heard), jobs=2)
    assert done.run((tiny("a"), tiny("deadly"), tiny("c")))
    assert result(folder, "deadly").why_not.startswith("The process that trained it ended without a word")
    assert result(folder, "a").is_scored
    assert result(folder, "c").is_scored
    assert heard.read_text().count("Not trained: deadly.") == 1


def test_members_come_before_their_ensemble_and_long_ones_first() -> None:
    long = tiny("long", backbone=LEARNT, train=TrainSettings(epochs=9))
    quick = tiny("quick", train=TrainSettings(epochs=99))  # frozen: its head takes seconds
    order = [(one.name, part and part.name) for one, part in planned([quick, PAIR, ONE, long])]
    assert order == [
        ("long", None), ("pair", "a"), ("pair", "b"), ("quick", None), ("pair", None), ("one", None),
    ]  # fmt: skip


def test_a_network_that_somebody_else_trains_is_waited_for(tmp_path: Path) -> None:
    kept, network = KeptNetworks(tmp_path, "data"), torch.nn.Linear(2, 1)
    trained = Trained(History((EpochRow(0, 0.5, 0.1, 1.0, 2.0),), "loss"), 0, "epochs")
    waited = mock.Mock()
    with locked(tmp_path / "key.lock"):

        def wait() -> None:
            waited()
            (tmp_path / "key.lock").unlink()
            if not (tmp_path / "key.safetensors").exists():
                KeptNetworks(tmp_path, "data").get("key", network, lambda: trained, mock.Mock())

        other = torch.nn.Linear(2, 1)
        found = kept.get("key", other, mock.Mock(side_effect=AssertionError), wait)
    assert found == trained
    assert waited.call_count == 1
    assert torch.equal(other.weight, network.weight)


@pytest.mark.parametrize("damage", [b"", b"no network", "cut", "other"])
def test_a_damaged_network_is_refused_with_a_sentence(damage: bytes | str, tmp_path: Path) -> None:
    kept, file = KeptNetworks(tmp_path, "data"), tmp_path / "key.safetensors"
    kept.get("key", torch.nn.Linear(2, 1), lambda: Trained(History(), 0, "epochs"), mock.Mock())
    if isinstance(damage, bytes):
        file.write_bytes(damage)
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-2])
    network = torch.nn.Linear(3, 1) if damage == "other" else torch.nn.Linear(2, 1)
    with pytest.raises(
        InputError, match=r"(?s)cannot be read as a network: .* Delete it, and it is trained"
    ) as caught:
        kept.get("key", network, mock.Mock(side_effect=AssertionError), mock.Mock())
    assert caught.value.path == str(file)


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    where = "radcap.detection.training.kept_networks.save_file"
    with mock.patch(where, side_effect=SafetensorError("full")), pytest.raises(OSError, match="cannot be"):
        KeptNetworks(tmp_path, "data").get(
            "key", torch.nn.Linear(1, 1), lambda: Trained(History(), 0, "epochs"), mock.Mock()
        )
    assert list(tmp_path.iterdir()) == []
