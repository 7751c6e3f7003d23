"""A board of tiny caption systems: trained once, asked with and without concepts, gone on with."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import torch
from board_samples import TINY as TINY_CONCEPTS
from board_samples import tiny
from caption_board_samples import TINY, captioned, leaning, writer

from radcap.captioning.models import CaptionAnswers, CaptionFolder, open_captioner
from radcap.captioning.models.told import with_told
from radcap.captioning.settings import ConditionSettings, DetectorSettings, GenerateSettings
from radcap.captioning.system import CaptionMember, caption_tables
from radcap.captioning.training import train_captions
from radcap.core import InputError, UsageError
from radcap.detection.training import train_system
from radcap.formats import validate
from radcap.systems.board import running as boards
from radcap.systems.board.captions import running
from radcap.systems.board.captions.running import CaptionReproduction
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.predicting import predict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem

torch.set_num_threads(1)  # networks this small only wait for threads

LSTM, FREQUENT = writer("lstm", "radcap/lstm"), writer("frequent")


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


@pytest.fixture
def trainings() -> Iterator[mock.Mock]:
    """Counts what is trained."""
    with mock.patch.object(running, "train_captions", wraps=train_captions) as counted:
        yield counted


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        return train_system(tiny("seer"), captioned(), tmp_path_factory.mktemp("seer") / "m").path


@pytest.fixture(scope="module")
def systems(detector: Path) -> tuple[CaptionSystem, ...]:
    """One that writes, one that repeats, two that are told concepts."""
    told = writer(
        "transformer",
        "told",
        detector=leaning(detector),
        condition=ConditionSettings(concepts="all"),
        generate=GenerateSettings(method="greedy", longest=8),
    )
    return LSTM, FREQUENT, told, writer("template", detector=leaning(detector))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, systems: tuple[CaptionSystem, ...]) -> BoardFolder:
    """The folder after a board of four, with its models; a test that changes it takes a copy."""
    folder = BoardFolder(tmp_path_factory.mktemp("done"))
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        assert CaptionReproduction(captioned(), TINY, folder, keep_models=True).run(systems)
    return folder


@pytest.fixture
def copied(done: BoardFolder, tmp_path: Path) -> BoardFolder:
    shutil.copytree(done.path, tmp_path / "board")
    return BoardFolder(tmp_path / "board")


def result(folder: BoardFolder, name: str) -> Result:
    found = folder.known(name)
    assert found is not None
    return found


def test_each_system_leaves_valid_runs_and_a_result(
    done: BoardFolder, systems: tuple[CaptionSystem, ...], tmp_path: Path
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(["ID", *captioned().split("test").ids]))
    for system in systems:
        name = system.name
        told = result(done, name)
        assert (told.name, told.scale, told.device, told.why_not) == (name, "tiny", "cpu", "")
        assert (told.members, told.borrowed) == (1, False)
        assert told.images_per_s > 0
        assert set(told.held_out) == {"n", "rouge1", "cider", "concepts"}
        assert told.held_out["n"] == len(captioned().split("valid"))
        runs = [done.run(name), *(done.told(what, name) for what in told.told_sha256)]
        for run in runs:
            checked = validate(run, "captions", ids=ids, edition="2026")
            assert checked.ok, checked.issues
    assert result(done, LSTM.name).parameters > 3_000_000  # those of EfficientNet-Lite0
    assert result(done, "frequent").parameters == 0


def test_who_is_told_concepts_is_asked_three_times(
    done: BoardFolder, systems: tuple[CaptionSystem, ...]
) -> None:
    told = {one.name: set(result(done, one.name).told_sha256) for one in systems}
    assert told == {
        "radcap/lstm": set(),
        "frequent": set(),
        "told": {"none", "true"},
        "template": {"none", "true"},
    }
    test = captioned().split("test")
    truth = dict(zip(test.ids, test.column("cui").to_pylist(), strict=True))
    for name in ("told", "template"):
        model = open_captioner(done.model(name), "cpu")
        for what, said in (("none", {}), ("true", truth)):
            answers = with_told(model, said).answers(test)
            assert captions_of(done.told(what, name)) == answers.captions()
    said = [captions_of(done.told(what, "template")) for what in ("none", "true")]
    assert said[0] != said[1]


def captions_of(run: Path) -> dict[str, str]:
    lines = run.read_text("utf-8").splitlines()[1:]
    return {one.partition(",")[0]: one.partition(",")[2].strip('"') for one in lines}


def test_a_system_goes_through_a_board_as_through_train(done: BoardFolder, tmp_path: Path) -> None:
    """The run of a board is what `train` and `predict` hand in for the same system."""
    folder = train_captions(LSTM, captioned(), tmp_path / "m")
    answers = predict(folder.path, captioned(), split="test")
    assert isinstance(answers, CaptionAnswers)
    assert captions_of(done.run(LSTM.name)) == answers.captions()


def test_a_second_run_trains_nothing(
    copied: BoardFolder, systems: tuple[CaptionSystem, ...], trainings: mock.Mock
) -> None:
    heard: list[str] = []
    assert CaptionReproduction(captioned(), TINY, copied, tell=heard.append).run(systems)
    assert (trainings.call_count, heard) == (0, [])
    words = tuple(replace(one, differs="In all.", published={"bleu": 0.5}, need=3) for one in systems)
    assert CaptionReproduction(captioned(), TINY, copied).run(words)
    assert trainings.call_count == 0


def test_changed_settings_and_lost_or_changed_runs(
    copied: BoardFolder, systems: tuple[CaptionSystem, ...], trainings: mock.Mock
) -> None:
    board = CaptionReproduction(captioned(), TINY, copied)
    told = systems[2]
    copied.told("true", "told").unlink()
    assert board.run((told,))
    assert trainings.call_count == 0  # its model lies there
    assert copied.told("true", "told").is_file()
    copied.told("none", "told").write_text("ID,Caption\n")
    with pytest.raises(InputError, match=r"told\.csv is not what told said: it was changed"):
        board.run((told,))
    (copied.path / "results" / "told.json").unlink()
    other = replace(told, condition=ConditionSettings(concepts="modality"))
    before = copied.run(FREQUENT.name).read_text()
    assert board.run((other, FREQUENT))
    assert trainings.call_count == 1
    assert copied.run(FREQUENT.name).read_text() == before


def test_other_weights_of_a_detector_are_another_system(
    systems: tuple[CaptionSystem, ...], detector: Path, tmp_path: Path
) -> None:
    shutil.copytree(detector, tmp_path / "seer")
    board = CaptionReproduction(captioned(), TINY, BoardFolder(tmp_path / "board"))
    system = replace(systems[3], detector=leaning(tmp_path / "seer"))
    first = board.marks([system])
    assert board.marks([system]) == first
    (tmp_path / "seer" / "labels.csv").write_text("changed")
    assert board.marks([system]) != first


def test_time_that_is_over_is_gone_on_with(
    tmp_path: Path, trainings: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a training, and then while its captions are asked for."""
    folder = BoardFolder(tmp_path)
    reproduction = CaptionReproduction(captioned(), TINY, folder, deadline=0)
    clock = count(-2)
    monkeypatch.setattr(boards, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert not reproduction.run((LSTM,))
    assert folder.known(LSTM.name) is None
    assert not CaptionFolder(folder.model(LSTM.name)).is_whole
    memory = tmp_path / "models" / "radcap_lstm.json"
    memory.write_text(json.dumps({**json.loads(memory.read_text()), "seconds": 1000.0}))
    monkeypatch.undo()
    asking = mock.patch.object(running.CaptionWorker, "_asked", side_effect=boards.TimeUp)
    with asking:
        assert not replace(reproduction, deadline=float("inf")).run((LSTM,))
    assert CaptionFolder(folder.model(LSTM.name)).is_whole
    assert replace(reproduction, deadline=float("inf")).run((LSTM,))
    assert trainings.call_count == 2
    assert result(folder, LSTM.name).train_s > 1000
    assert not folder.model(LSTM.name).exists()


def test_what_is_not_here_is_told_and_does_not_stop_the_others(tmp_path: Path) -> None:
    lm = writer("lm", decoder={"model": "smollm2-135m"})
    gone = writer("lstm", "gone", backbone=replace(LSTM.backbone, weights="no/file.pth"))
    members = (
        CaptionMember(name="a", **caption_tables(LSTM)),
        CaptionMember(name="b", **caption_tables(gone)),
    )
    pool = replace(LSTM, name="pool", member=members)
    folder, heard = BoardFolder(tmp_path), list[str]()
    assert CaptionReproduction(captioned(), TINY, folder, tell=heard.append).run((lm, gone, pool, FREQUENT))
    assert "The language model smollm2-135m is missing" in result(folder, "lm").why_not
    assert "weights is 'no/file.pth'" in result(folder, "gone").why_not
    assert "weights is 'no/file.pth'" in result(folder, "pool").why_not
    assert result(folder, "frequent").is_scored
    assert heard[-1] == "4 of 4: frequent"


def test_a_detector_that_is_named_is_read_as_it_is_fitted_and_placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training reads it by its name; what is in the way of its networks is told before."""
    one, lost = tiny("seeing"), tiny("blind", backbone=replace(LSTM.backbone, weights="no/file.pth"))
    named = {one.name: one, lost.name: lost}
    monkeypatch.setattr("radcap.systems.board.captions.fitting.read_concepts", named.__getitem__)
    folder, read = BoardFolder(tmp_path), list[Any]()

    def trained(system: Any, *given: Any, **more: Any) -> Any:
        read.append(more["read"](system.detector.system))
        raise UsageError("Enough.")

    monkeypatch.setattr(running, "train_captions", trained)
    seeing = writer("template", detector=DetectorSettings(system="seeing"))
    blind = writer("template", "blind", detector=DetectorSettings(system="blind"))
    board = CaptionReproduction(captioned(), TINY, folder, device="cpu")
    assert board.run((seeing, blind))
    assert "weights is 'no/file.pth'" in result(folder, "blind").why_not
    fitted = fit_system(one, TINY_CONCEPTS).system
    assert read == [replace(fitted, train=replace(fitted.train, device="cpu"))]
    before = board.marks([seeing])
    named["seeing"] = replace(one, train=replace(one.train, lr=0.5))
    assert board.marks([seeing]) != before


def test_several_at_a_time_take_the_long_ones_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, systems: tuple[CaptionSystem, ...]
) -> None:
    monkeypatch.setattr(boards, "in_processes", lambda work, chunks, *_, ahead: map(work, chunks))
    threads = mock.Mock()
    monkeypatch.setattr(torch, "set_num_threads", threads)
    folder, heard = BoardFolder(tmp_path), list[str]()
    board = CaptionReproduction(captioned(), TINY, folder, tell=heard.append, jobs=2)
    assert board.run((FREQUENT, LSTM))
    assert heard == ["2 of 2: radcap/lstm", "1 of 2: frequent"]
    assert threads.called
    assert not folder.networks.exists()


def test_without_a_held_out_split_there_are_no_figures(tmp_path: Path) -> None:
    data = captioned()
    rows = [n for n, split in enumerate(data.column("split").to_pylist()) if split != "valid"]
    folder = BoardFolder(tmp_path)
    assert CaptionReproduction(data.take(rows), TINY, folder).run((FREQUENT,))
    assert result(folder, "frequent").held_out == {}


def test_all_learn_from_the_captions_that_most_images_have(tmp_path: Path) -> None:
    board = CaptionReproduction(captioned(), TINY, BoardFolder(tmp_path))
    assert board.source == "composed"
    assert board.fitted(replace(LSTM, data=replace(LSTM.data, captions="original"))).system == LSTM
