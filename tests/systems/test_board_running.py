"""A board of tiny systems: trained once, gone on with after a break, and asked as `radcap predict` asks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import torch
from board_samples import SIZE, TINY, member, pictures, tiny

from radcap.core import InputError, UsageError
from radcap.datasets.refusal import missing_image
from radcap.datasets.synthetic import Faults, synthetic
from radcap.detection.ensembles import Ensemble
from radcap.detection.learners.config import Learner
from radcap.detection.models import Answers, ModelFolder
from radcap.detection.retrieval import Retrieval
from radcap.detection.system import ConceptSystem
from radcap.detection.text import Text
from radcap.detection.training import train_system
from radcap.detection.training.shelf import Shelf
from radcap.formats import validate
from radcap.systems.board import running
from radcap.systems.board.asking import ask
from radcap.systems.board.marks import data_mark
from radcap.systems.board.results import BoardFolder, Result, flat
from radcap.systems.board.running import Reproduction
from radcap.systems.board.scales import SCALES
from radcap.systems.predicting import predict
from radcap.vision.settings import BackboneSettings, TrainSettings

torch.set_num_threads(1)  # networks this small only wait for threads

ONE = tiny("radcap/one")
PAIR = tiny("pair", member=(member("a", 1), member("b", 2)), ensemble=Ensemble(rule="votes", votes=1))
WORDS = tiny("words", text=Text("dataset", "extractor"))
GONE = tiny("gone", backbone=BackboneSettings(name="resnet10t.c3_in1k", weights="timm", frozen=True))
BOARD = (ONE, PAIR, WORDS)
PUBLISHED = SCALES["published"]


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


@pytest.fixture
def trainings() -> Iterator[mock.Mock]:
    """Counts what is trained."""
    with mock.patch.object(running, "train_system", wraps=train_system) as counted:
        yield counted


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    """The folder after a board of three; a test that changes it takes a copy."""
    folder = BoardFolder(tmp_path_factory.mktemp("done"))
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        assert Reproduction(pictures(), TINY, folder).run(BOARD)
    return folder


@pytest.fixture
def copied(done: BoardFolder, tmp_path: Path) -> BoardFolder:
    shutil.copytree(done.path, tmp_path / "board")
    return BoardFolder(tmp_path / "board")


def result(folder: BoardFolder, name: str) -> Result:
    found = folder.known(name)
    assert found is not None
    return found


def ends_after(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """A clock that a reproduction with the deadline 0 finds run out after so many looks."""
    clock = count(-looks)
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: next(clock)))


def test_each_system_leaves_a_run_and_a_result_and_no_model(done: BoardFolder, tmp_path: Path) -> None:
    files = {str(one.relative_to(done.path)) for one in done.path.rglob("*") if one.is_file()}
    names = ("radcap_one", "pair", "words")
    assert files == {f"{kind}/{name}" for one in names for kind, name in
                     (("results", f"{one}.json"), ("runs", f"{one}.csv"))}  # fmt: skip
    assert list((done.path / "models").iterdir()) == []
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(pictures().split("test").ids))
    for system in BOARD:
        checked = validate(done.run(system.name), "concepts", ids=ids, edition="2025")
        assert checked.ok, checked.issues
        told = result(done, system.name)
        assert (told.name, told.scale, told.device, told.why_not) == (system.name, "tiny", "cpu", "")
        assert told.train_s > 0 or system is WORDS  # which takes no tenth of a second
        assert told.images_per_s > 0
        assert told.held_out["n"] == len(pictures().split("valid"))
        assert 0 <= told.held_out["f1"] <= 1


def test_a_result_counts_members_and_their_parameters(done: BoardFolder) -> None:
    one, pair, words = (result(done, system.name) for system in BOARD)
    assert (one.members, pair.members, words.members) == (1, 2, 1)
    assert pair.parameters == 2 * one.parameters
    assert one.parameters > 3_000_000  # those of EfficientNet-Lite0
    assert words.parameters == 0
    assert [one.borrowed, words.borrowed] == [False, False]


def test_a_second_run_trains_nothing(copied: BoardFolder, trainings: mock.Mock) -> None:
    heard: list[str] = []
    assert Reproduction(pictures(), TINY, copied, tell=heard.append).run(BOARD)
    assert trainings.call_count == 0
    assert heard == []


def test_a_changed_system_other_data_and_a_lost_run_are_trained_again(
    copied: BoardFolder, trainings: mock.Mock
) -> None:
    other = replace(ONE, train=replace(ONE.train, lr=0.5))
    heard: list[str] = []
    reproduction = Reproduction(pictures(), TINY, copied, tell=heard.append)
    before = result(copied, ONE.name)
    assert reproduction.run((other, PAIR, WORDS))
    assert heard == ["1 of 3: radcap/one"]
    assert result(copied, ONE.name).fingerprint != before.fingerprint
    copied.run("words").unlink()
    assert copied.read("words", result(copied, "words").fingerprint) is None
    assert reproduction.run((other, PAIR, WORDS))
    assert heard[1:] == ["3 of 3: words"]
    fewer = pictures().take(range(len(pictures()) - 1))
    assert replace(reproduction, dataset=fewer).run((WORDS,))
    assert heard[2:] == ["1 of 1: words"]
    assert trainings.call_count == 3


def test_words_about_a_system_are_no_part_of_what_is_trained(
    copied: BoardFolder, trainings: mock.Mock
) -> None:
    told = replace(ONE, differs="In everything.", published={"f1": 0.9}, needs=("service:none",))
    assert Reproduction(pictures(), TINY, copied).run((told, PAIR, WORDS))
    assert trainings.call_count == 0


def test_the_device_is_no_part_of_a_system(copied: BoardFolder, trainings: mock.Mock) -> None:
    assert Reproduction(pictures(), TINY, copied, device="cpu").run(BOARD)
    assert trainings.call_count == 0


def test_time_that_is_over_in_the_middle_of_a_training_is_gone_on_with(
    tmp_path: Path, trainings: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = BoardFolder(tmp_path)
    reproduction = Reproduction(pictures(), TINY, folder, deadline=0)
    ends_after(monkeypatch, 2)
    assert not reproduction.run((ONE,))
    assert trainings.call_count == 1
    assert folder.known(ONE.name) is None
    assert folder.model(ONE.name).is_dir()
    memory = tmp_path / "models" / "radcap_one.json"
    first = json.loads(memory.read_text())
    assert first["seconds"] > 0
    memory.write_text(json.dumps({**first, "seconds": 1000.0}))
    monkeypatch.undo()
    assert replace(reproduction, deadline=float("inf")).run((ONE,))
    assert result(folder, ONE.name).train_s > 1000
    assert not folder.model(ONE.name).exists()
    assert not memory.exists()


def test_no_time_at_all_begins_nothing(tmp_path: Path, trainings: mock.Mock) -> None:
    assert not Reproduction(pictures(), TINY, BoardFolder(tmp_path / "board"), deadline=0).run(BOARD)
    assert trainings.call_count == 0
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_is_not_there_is_no_fault_of_a_system(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="device is 'foo'"):
        Reproduction(pictures(), TINY, BoardFolder(tmp_path / "board"), device="foo").run(BOARD)
    assert list(tmp_path.iterdir()) == []


def test_other_pixels_are_another_dataset(copied: BoardFolder, trainings: mock.Mock) -> None:
    data = pictures()
    key = data.column("image")[0].as_py()
    alike = mock.Mock(wraps=data.images, read=mock.Mock(return_value=data.images.read(key)))
    gone = mock.Mock(wraps=data.images, read=mock.Mock(side_effect=missing_image(key)))
    others = [replace(data, images=alike), replace(data, images=gone)]
    for one in others:
        assert not Reproduction(one, TINY, copied, deadline=0).run(BOARD)
    assert Reproduction(data, TINY, copied, deadline=0).run(BOARD)
    assert len({data_mark(one) for one in (data, *others)}) == 3
    assert trainings.call_count == 0


def test_a_board_that_is_done_needs_no_time(copied: BoardFolder) -> None:
    assert Reproduction(pictures(), TINY, copied, deadline=0).run(BOARD)


def test_a_system_that_cannot_be_trained_says_why_and_does_not_stop_the_others(
    tmp_path: Path, trainings: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    folder, heard = BoardFolder(tmp_path), list[str]()
    reproduction = Reproduction(pictures(), PUBLISHED, folder, tell=heard.append)
    assert reproduction.run((GONE, WORDS))
    told = result(folder, "gone")
    assert not told.is_scored
    assert told.why_not.startswith("The published weight file of resnet10t.c3_in1k")
    assert (told.train_s, told.parameters, told.device) == (0.0, 0, "")
    assert heard[1] == f"Not trained: gone. {told.why_not}"
    assert result(folder, "words").is_scored
    assert not folder.run("gone").exists()
    marks = {**reproduction.marks((GONE, WORDS)), "never": "mark"}
    assert [(one.name, one.why_not) for one in folder.results(marks)] == [
        ("gone", told.why_not), ("words", ""), ("never", "Not trained yet."),
    ]  # fmt: skip
    assert reproduction.run((GONE, WORDS))
    assert trainings.call_count == 3  # its weights may be there by now


def test_what_is_not_here_is_told_of_each_system_before_any_is_trained(tmp_path: Path) -> None:
    """A stand-in takes the place of what a hub has, and hides no name that nobody has."""
    nowhere = BackboneSettings(name="dinov9", weights="timm")
    side_by_side = BackboneSettings(name="joined", part=(BackboneSettings(), nowhere))
    missing = member("b", backbone=BackboneSettings(weights="no/file.pth"))
    wrong = (
        tiny("misspelt", backbone=nowhere),
        tiny("joined", backbone=side_by_side),
        tiny("pair", member=(member("a"), missing), ensemble=Ensemble(rule="votes", votes=1)),
        tiny("packed", backbone=BackboneSettings(name="resnet18", weights="package")),
    )
    folder, heard = BoardFolder(tmp_path), list[str]()
    assert Reproduction(pictures(), TINY, folder, tell=heard.append).run((WORDS, *wrong))
    told = [result(folder, one.name).why_not for one in wrong]
    assert heard == [
        *(f"Not trained: {one.name}. {why}" for one, why in zip(wrong, told, strict=True)),
        "1 of 5: words",
    ]
    assert "There is no backbone 'dinov9'. Nearest are" in told[0]
    assert told[1] == told[0]
    assert "weights is 'no/file.pth', which is no file or folder here" in told[2]
    assert "not for resnet18" in told[3]
    assert result(folder, "words").is_scored


def test_models_are_kept_where_that_is_asked_for_and_not_trained_again_without_a_result(
    tmp_path: Path, trainings: mock.Mock
) -> None:
    """As a kill leaves it between the two, or somebody who deletes a result and has kept the models."""
    folder = BoardFolder(tmp_path)
    reproduction = Reproduction(pictures(), TINY, folder, keep_models=True)
    assert reproduction.run((ONE,))
    kept = ModelFolder(folder.model(ONE.name))
    assert kept.is_whole
    assert kept.system().name == ONE.name
    said, before = folder.run(ONE.name).read_text(), result(folder, ONE.name)
    folder.run(ONE.name).unlink()
    (tmp_path / "results" / "radcap_one.json").unlink()
    assert reproduction.run((ONE,))
    assert trainings.call_count == 1
    assert folder.run(ONE.name).read_text() == said
    assert result(folder, ONE.name).is_scored
    assert result(folder, ONE.name).train_s == pytest.approx(before.train_s, abs=1)


@pytest.mark.parametrize(
    "memory",
    [None, "{broken", "[]", '{"fingerprint": "of another", "seconds": 5}'],
    ids=["none", "broken", "array", "other"],
)
def test_the_remains_of_another_training_are_thrown_away(memory: str | None, tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path)
    left = folder.model("words") / "left.txt"
    left.parent.mkdir(parents=True)
    left.write_text("of another")
    if memory is not None:
        (tmp_path / "models" / "words.json").write_text(memory)
    with folder.begun("words", "mine") as account:
        assert not left.exists()
        assert account.spent.seconds == 0
    assert json.loads((tmp_path / "models" / "words.json").read_text())["fingerprint"] == "mine"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "cannot be read as a result: "),
        ("\udcff", "cannot be read as a result: "),
        ("[" * 100_000, "cannot be read as a result: "),
        ('{"name": "words"}', "cannot be read as a result: "),
        ('{"name": "words", "fingerprint": "", "scale": "", "wrong": 1}', "has no key 'wrong'"),
        ('{"name": "words", "fingerprint": "", "scale": "", "train_s": "abc"}', "train_s is 'abc'"),
        ('{"name": "words", "fingerprint": "", "scale": 7}', "scale is 7"),
        ('{"name": "other", "fingerprint": "", "scale": ""}', "is no result of words"),
        ("[]", "is no result of words"),
        ("{}", "is no result of words"),
    ],
)
def test_a_broken_result_is_refused_with_a_sentence(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "results" / "words.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=f"{why}.*Delete it, and the system is trained again") as caught:
        Reproduction(pictures(), TINY, BoardFolder(tmp_path)).run((WORDS,))
    assert caught.value.path == str(path)


def test_a_run_that_was_changed_is_refused_with_a_sentence(copied: BoardFolder) -> None:
    run, mark = copied.run(ONE.name), result(copied, ONE.name).fingerprint
    run.write_text("ID,CUIs\n")
    with pytest.raises(InputError, match=r"one\.csv is not what .*one said: it was changed\. Delete it, and"):
        copied.read(ONE.name, mark)
    assert (
        copied.read(ONE.name, "of another") is None
    )  # whose run may have been written a moment before a kill
    run.unlink()
    assert copied.read(ONE.name, mark) is None


def test_a_dataset_without_a_test_split_is_refused(tmp_path: Path) -> None:
    learnt = pictures().split("train")
    with pytest.raises(UsageError, match=r"has no split 'test', and a board is scored on it\."):
        Reproduction(learnt, TINY, BoardFolder(tmp_path)).run((WORDS,))


def test_systems_that_would_share_a_result_are_refused(tmp_path: Path) -> None:
    systems = (tiny("a/b"), tiny("c"), tiny("a_b"))
    with pytest.raises(UsageError, match=r"The systems a/b, a_b would share a result\. Give each a name"):
        Reproduction(pictures(), TINY, BoardFolder(tmp_path)).run(systems)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"The name ä{60}\.\.\. is too long for a file\."):
        Reproduction(pictures(), TINY, BoardFolder(tmp_path)).run((tiny("ä" * 101),))


@pytest.mark.parametrize("name", ["..", ".", "", "../../up", "a/../b", "c:\\d", "/etc"])
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path)
    for path, kind in ((folder.run(name), "runs"), (folder.model(name), "models")):
        assert path.parent.resolve() == (tmp_path / kind).resolve()
        assert path.resolve().parent == (tmp_path / kind).resolve()
    assert flat("2025/aueb-concepts") == "2025_aueb-concepts"


PACKAGED = BackboneSettings(weights="package", frozen=True)
KINDS = {
    "single": tiny(),
    "packaged": tiny(backbone=PACKAGED),
    "whole": tiny(backbone=BackboneSettings()),
    "ensemble": tiny(member=(member("a", backbone=PACKAGED), member("b", backbone=BackboneSettings()))),
    "retrieval": tiny(retrieval=Retrieval(rule="mean-at-k")),
    "learner": tiny(learner=Learner(kind="trees", depth=2), train=TrainSettings(epochs=0)),
    "words": WORDS,
    "read": tiny(text=Text("dataset", "classifier"), train=TrainSettings(epochs=1)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_asked_as_predict_asks_it(kind: str, tmp_path: Path) -> None:
    data = synthetic(60, size=SIZE, concepts=40, faults=Faults(broken=1))
    folder, shelf, test = train_system(KINDS[kind], data, tmp_path / "m"), Shelf(2**26), data.split("test")
    usual = predict(folder.path, data, split="test")
    assert isinstance(usual, Answers)
    for _ in range(2):  # once over features that are made, once over those that lie there
        asked = ask(folder, test, shelf, "cpu")
        assert (asked.ids, asked.labels, dict(asked.refused)) == (
            usual.ids, usual.labels, dict(usual.refused),
        )  # fmt: skip
        assert np.array_equal(asked.decided, usual.decided)
        assert (asked.probabilities is None) == (usual.probabilities is None)
        if asked.probabilities is not None and usual.probabilities is not None:
            np.testing.assert_allclose(asked.probabilities, usual.probabilities, atol=1e-4)
    assert bool(shelf.held) == (kind in ("packaged", "ensemble"))  # random weights are no other network's


def test_a_system_goes_through_a_board_as_through_train(done: BoardFolder, tmp_path: Path) -> None:
    """The run of a board is what `train` and `predict` hand in for the same system."""
    system: ConceptSystem = ONE
    folder = train_system(system, pictures(), tmp_path / "m")
    said = predict(folder.path, pictures(), split="test")
    assert isinstance(said, Answers)
    ids = pictures().split("test").ids
    lines = done.run(ONE.name).read_text().splitlines()
    assert lines[1:] == [f"{one},{cell}" for one, cell in said.run(ids).cells.items()]
