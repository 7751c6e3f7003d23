"""Models that training begins with, and models that it learns from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from training_samples import Heard, drawn, member, tiny, trained, whole

from radcap.core import InputError, UsageError
from radcap.detection.ensembles import Ensemble
from radcap.detection.learners import Learner
from radcap.detection.models import ModelFolder
from radcap.detection.retrieval import Retrieval
from radcap.detection.system import DataSettings
from radcap.detection.text.config import Text
from radcap.detection.training.teachers import open_teacher
from radcap.vision.settings import BackboneSettings, HeadSettings, TeacherSettings, TrainSettings
from radcap.vision.training import pick_place
from radcap.vision.weight_files import read_weight_file

NOTHING = TrainSettings(epochs=0, batch=16)  # what is begun with is what is written


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return trained(tiny(train=TrainSettings(epochs=2, batch=16, lr=0.1)), tmp_path_factory.mktemp("m") / "m")


def begun(folder: Path, weights: Path | str, heard: Heard, **tables: Any) -> dict[str, torch.Tensor]:
    backbone = BackboneSettings(weights=str(weights), frozen=True)
    given = {"backbone": backbone, "train": replace(NOTHING, seed=5)} | tables
    return read_weight_file(trained(tiny(**given), folder, talk=heard.talk).weights)


def parts_that_are_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> set[str]:
    same = [
        name for name in one if one[name].shape == other[name].shape and torch.equal(one[name], other[name])
    ]
    return {name.partition(".")[0] for name in same}


def test_a_model_of_the_same_labels_and_head_is_taken_over_whole(model: ModelFolder, tmp_path: Path) -> None:
    heard = Heard()
    found = begun(tmp_path / "a", model.path, heard)
    before = read_weight_file(model.weights)
    assert all(torch.equal(found[name], before[name]) for name in before)
    assert heard.has(f"Begins with the whole of {model.path}")


@pytest.mark.parametrize(
    "tables",
    [{"data": DataSettings(top=5)}, {"head": HeadSettings(kind="mlp", hidden=(8,))}],
    ids=["labels", "head"],
)
def test_of_any_other_model_the_backbone_is_taken(
    model: ModelFolder, tmp_path: Path, tables: dict[str, Any]
) -> None:
    heard = Heard()
    found = begun(tmp_path / "a", model.path, heard, **tables)
    before = read_weight_file(model.weights)
    body = [name for name in before if name.startswith("backbone.")]
    assert all(torch.equal(found[name], before[name]) for name in body)
    assert not any(
        found[name].shape == before.get(name, torch.empty(0)).shape and torch.equal(found[name], before[name])
        for name in found
        if name.startswith("head.")
    )
    assert heard.has(f"Begins with the backbone of {model.path}: its labels or its head are others")


def test_a_pooling_with_weights_makes_another_head(model: ModelFolder, tmp_path: Path) -> None:
    heard = Heard()
    begun(tmp_path / "a", model.path, heard, head=HeadSettings(pool="gem"))
    assert heard.has("Begins with the backbone of")


def test_a_model_of_another_backbone_is_refused(model: ModelFolder, tmp_path: Path) -> None:
    other = BackboneSettings(name="tf_efficientnet_lite1", weights=str(model.path), frozen=True)
    with pytest.raises(InputError, match="does not fit the backbone"):
        trained(tiny(backbone=other, train=NOTHING), tmp_path / "a")


def test_a_damaged_model_is_no_beginning(model: ModelFolder, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(model.path, tmp_path / "m")
    labels = tmp_path / "m" / "labels.csv"
    labels.write_text(labels.read_text().replace("C", "D"))
    with pytest.raises(InputError, match=r"labels.csv cannot be used"):
        begun(tmp_path / "a", tmp_path / "m", Heard())


def test_an_ensemble_is_no_beginning_but_its_members_are(tmp_path: Path) -> None:
    both = tiny("both", member=(member("a"), member("b/c", 1)), ensemble=Ensemble())
    folder = trained(both, tmp_path / "both")
    with pytest.raises(UsageError, match=r"an ensemble. Name one of its members: .*members.a, .*members.b-c"):
        begun(tmp_path / "x", folder.path, Heard())
    heard = Heard()
    begun(tmp_path / "y", folder.member("b/c").path, heard)
    assert heard.has("Begins with the whole of")


def test_a_model_of_the_zoo_is_found_by_its_name(
    model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    shutil.copytree(model.path, tmp_path / "cache" / "zoo" / "mine")
    heard = Heard()
    begun(tmp_path / "a", "zoo:mine", heard)
    assert heard.has("Begins with the whole of")
    with pytest.raises(UsageError, match="There is no model 'zoo:none'"):
        begun(tmp_path / "b", "zoo:none", heard)


# teachers


def taught(folder: Path, **given: Any) -> Any:
    teacher = TeacherSettings(**({"models": (str(folder),), "weight": 0.5} | given))
    return whole("student", teacher=teacher)


def test_a_student_learns_from_a_teacher_and_then_has_other_weights(
    model: ModelFolder, tmp_path: Path
) -> None:
    student = trained(taught(model.path), tmp_path / "a")
    alone = trained(whole("student"), tmp_path / "b")
    first, second = read_weight_file(student.weights), read_weight_file(alone.weights)
    assert not torch.equal(first["head.linear.weight"], second["head.linear.weight"])
    assert student.system().teacher.models == (str(model.path),)


def test_a_teacher_answers_with_the_columns_of_the_student(model: ModelFolder) -> None:
    place, labels = pick_place("cpu"), model.labels()
    images = torch.rand(2, 3, 32, 32) * 255
    few = (labels[3], labels[1])
    teacher = open_teacher(taught(model.path), few, place)
    every = open_teacher(taught(model.path), labels, place)
    assert teacher is not None
    assert every is not None
    torch.testing.assert_close(teacher.answer(images), every.answer(images)[:, [3, 1]])
    assert open_teacher(tiny(), labels, place) is None


def test_the_members_of_an_ensemble_teach_together(tmp_path: Path) -> None:
    both = tiny("both", member=(member("a"), member("b", 1)), ensemble=Ensemble())
    folder = trained(both, tmp_path / "both")
    teacher = open_teacher(taught(folder.path), folder.labels(), pick_place("cpu"))
    assert teacher is not None
    assert [size for _, size in teacher.networks] == [32, 32]


def test_a_teacher_that_lacks_a_label_is_refused_before_training(tmp_path: Path) -> None:
    few = trained(tiny(data=DataSettings(top=3)), tmp_path / "few")
    heard = Heard()
    with pytest.raises(UsageError, match=r"does not know .* of the student's .* labels, C"):
        trained(taught(few.path), tmp_path / "a", talk=heard.talk)
    assert not heard.has("images to learn from")


WORDS = Text(words="dataset", reader="parser")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"retrieval": Retrieval(k=3)}, r"answers by its neighbours \(\[retrieval\]\)"),
        ({"learner": Learner()}, r"answers by a classic learner \(\[learner\]\)"),
        ({"text": WORDS}, r"answers by words \(\[text\]\)"),
    ],
    ids=["neighbours", "learner", "words"],
)
@pytest.mark.parametrize("is_member", [False, True])
def test_a_teacher_without_a_head_that_was_trained_is_refused_before_training(
    tmp_path: Path, tables: dict[str, Any], said: str, *, is_member: bool
) -> None:
    both = (member("a"), member("b", **tables))
    system = tiny("both", member=both, ensemble=Ensemble("union")) if is_member else tiny(**tables)
    folder = trained(system, tmp_path / "teacher")
    with pytest.raises(UsageError, match=rf"{said}, not by the head of a network"):
        trained(taught(folder.path), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_teacher_for_a_frozen_student_is_refused(model: ModelFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a frozen backbone sees each once"):
        trained(replace(taught(model.path), backbone=BackboneSettings(frozen=True)), tmp_path / "b")
    with pytest.raises(UsageError, match="is no model folder"):
        trained(taught(tmp_path / "nowhere"), tmp_path / "c", drawn())
