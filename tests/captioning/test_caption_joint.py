"""Concepts, modality, region and direction learnt beside the caption, and the detector that comes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_training import (
    CPU,
    TINY,
    captioner,
    detector,
    drawn,
    known_backbone,
    same_weights,
    taught,
)

import radcap
from radcap.captioning.building import kept_weights, make_top, put_kept, task_labels
from radcap.captioning.models import CaptionAnswers, CaptionFolder, open_captioner
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    DetectorSettings,
    JointSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.tokens import open_tokenizer
from radcap.captioning.training.detectors import concept_system
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.captioning.training.stages import joint_tasks
from radcap.core import DIRECTIONS, MODALITIES, REGIONS, InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.calibration.config import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.examples import label_matrix
from radcap.detection.models import Answers
from radcap.detection.system import ConceptSystem, DataSettings
from radcap.detection.talk import SILENT
from radcap.systems import read_system
from radcap.systems.training import changed
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import BackboneSettings, HeadSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file
from radcap.vocabulary import open_vocabulary

__all__ = ["known_backbone"]

ALL = JointSettings(caption=1.0, concepts=5.0, modality=0.5, region=0.25, direction=0.125)


def joint(**tables: Any) -> Any:
    given = {
        "joint": ALL,
        "train": CaptionTrainSettings(epochs=2, batch=16, lr=1e-2),
        "data": CaptionDataSettings(min_count=2),
        "calibration": Calibration(method="temperature"),
        "decision": Decision(rule="fixed", threshold=0.3),
    } | tables
    return captioner(**given)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> CaptionFolder:
    return taught(joint(), tmp_path_factory.mktemp("joint") / "m")


def concepts_of(folder: Path, split: str = "test") -> Answers:
    told = radcap.predict(folder, drawn(), split=split)
    assert isinstance(told, Answers)
    return told


def test_the_tasks_are_those_with_a_weight_and_labels(tmp_path: Path) -> None:
    data = drawn()
    system = joint()
    maker = CaptionMaker(
        system, CaptionParts.of(data, system.data), CaptionFolder(tmp_path), CPU, SILENT, data.names
    )
    tasks = joint_tasks(maker)
    assert {name: task.weight for name, task in tasks.items()} == {
        "concepts": 5.0,
        "modality": 0.5,
        "region": 0.25,
        "direction": 0.125,
    }
    assert {name: task.one_of for name, task in tasks.items()} == {
        "concepts": False,
        "modality": True,
        "region": True,
        "direction": True,
    }
    labels = maker.labels
    assert [labels[one] for one in tasks["modality"].columns] == [one for one in labels if one in MODALITIES]
    assert [labels[one] for one in tasks["region"].columns] == [one for one in labels if one in REGIONS]
    assert [labels[one] for one in tasks["direction"].columns] == [one for one in labels if one in DIRECTIONS]
    assert tasks["concepts"].columns.tolist() == list(range(len(labels)))
    few = replace(maker, system=joint(joint=JointSettings(modality=1.0)))
    assert list(joint_tasks(few)) == ["modality"]
    bare = replace(maker, parts=replace(maker.parts, labels=()))
    assert joint_tasks(bare) == {}


LIVER, LUNG, MASS, UNKNOWN = "C0023884", "C0024109", "C0577559", "C9999999"


def test_the_types_of_concepts_are_questions_of_their_own(tmp_path: Path) -> None:
    labels = (LIVER, LUNG, MASS, UNKNOWN)
    types = open_vocabulary().types
    asked = task_labels("types", labels)
    assert asked == tuple(sorted({*types(LIVER), *types(LUNG), *types(MASS)}))
    system = joint(joint=JointSettings(types=0.1))
    parts = replace(CaptionParts.of(drawn(), system.data), labels=labels)
    maker = CaptionMaker(system, parts, CaptionFolder(tmp_path), CPU, SILENT, {})
    (task,) = joint_tasks(maker).values()
    assert (task.weight, task.one_of) == (0.1, False)
    rows = torch.tensor([[1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    logits = torch.randn(3, len(asked), generator=torch.Generator().manual_seed(0))
    wanted = torch.tensor(
        [
            [
                float(any(one in types(cui) for cui, there in zip(labels, row, strict=True) if there))
                for one in asked
            ]
            for row in rows.tolist()
        ]
    )
    plain = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted)
    assert torch.allclose(task.loss(logits, rows), plain)


def test_the_head_of_the_types_learns_and_is_not_kept(tmp_path: Path) -> None:
    system = joint(joint=JointSettings(types=0.5), train=CaptionTrainSettings(epochs=1, batch=16))
    folder = taught(system, tmp_path / "m")
    assert not any(name.startswith("heads.") for name in read_weight_file(folder.weights))
    assert radcap.predict(folder.path, drawn(), split="test")
    tokenizer = open_tokenizer(folder.tokenizer)
    top = make_top(folder.system(), tokenizer, folder.labels(), 4)
    assert "types" in top.heads
    assert not any("types" in name for name in kept_weights(top))
    lost = make_top(folder.system(), tokenizer, (UNKNOWN,), 4)
    assert not lost.heads  # a vocabulary that knows none of them asks nothing


def test_the_types_are_not_learnt_by_the_eyes_of_a_detector() -> None:
    text = "[detector]\nmodel = 'zoo:concepts'\n[joint]\ntypes = 0.1"
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(f'name = "x"\ntask = "captions"\n{text}'))
    assert "The encoder is the detector's, and is not trained" in caught.value.issues[0].message


def test_the_weights_are_those_of_the_file() -> None:
    system = read_system("radcap/joint-captions")
    other = changed(system, {"joint.concepts": "7", "joint.modality": "0"})
    assert isinstance(system, CaptionSystem)
    assert isinstance(other, CaptionSystem)
    assert system.joint.concepts > 0
    assert other.joint == replace(system.joint, concepts=7.0, modality=0.0)


def test_the_folder_holds_a_captioner_and_a_detector_that_share_their_eyes(model: CaptionFolder) -> None:
    assert model.system().detector == DetectorSettings("concepts", share=True)
    assert model.card()["detector"]["model"] == "concepts"
    assert model.concepts.is_whole
    held = read_weight_file(model.weights)
    assert not any(name.startswith("backbone.") for name in held)
    assert {name.split(".")[1] for name in held if name.startswith("heads.")} == {
        "concepts",
        "modality",
        "region",
        "direction",
    }
    told = radcap.predict(model.path, drawn(), split="test")
    assert isinstance(told, CaptionAnswers)
    assert list(told.ids) == drawn().split("test").ids
    assert model.concepts.labels() == model.labels()
    assert model.concepts.names() == model.names()


def test_the_detector_answers_as_the_joint_network_does(model: CaptionFolder) -> None:
    answers = concepts_of(model.concepts.path)
    assert answers.logits is not None
    opened = open_captioner(model.path)
    assert isinstance(opened, WriterModel)
    eyes = opened.eyes
    assert eyes.detector is not None
    system, tokenizer = model.system(), open_tokenizer(model.tokenizer)
    top = make_top(system, tokenizer, model.labels(), eyes.width)
    put_kept(read_weight_file(model.weights), top)
    top.eval()
    wanted: list[torch.Tensor] = []
    with torch.no_grad():
        for shot in stream(drawn().split("test"), eyes.view, 4):
            images = eyes.view(shot.squares, shot.boxes)
            features = eyes.detector.network.backbone(images)
            wanted.append(top(features, torch.full((len(shot.ids), 1), tokenizer.begin))["concepts"])
    np.testing.assert_allclose(answers.logits, torch.cat(wanted).numpy(), atol=1e-4)


def test_the_detector_is_calibrated_and_decided_on_the_held_out_split(model: CaptionFolder) -> None:
    card = model.concepts.card()
    assert card["held_out"]["n"] == len(drawn().split("valid"))
    assert 0 <= card["held_out"]["f1"] <= 1
    assert card["training"]["joint"] == {
        "caption": 1.0,
        "concepts": 5.0,
        "types": 0.0,
        "modality": 0.5,
        "region": 0.25,
        "direction": 0.125,
    }
    assert card["training"]["stopped"] == "epochs"
    calibrator, rule = model.concepts.decision()
    assert calibrator is not None
    assert rule is not None
    answers = concepts_of(model.concepts.path)
    assert answers.probabilities is not None
    np.testing.assert_array_equal(answers.decided, answers.probabilities >= 0.3)


def test_the_tables_of_the_detector_are_those_about_concepts(model: CaptionFolder) -> None:
    system = joint(head=HeadSettings(pool="gem", drop=0.1))
    found = concept_system(system)
    assert found == ConceptSystem(
        name="tiny/concepts",
        task="concepts",
        data=DataSettings(min_count=2),
        image=system.image,
        backbone=system.backbone,
        head=system.head,
        train=TrainSettings(
            **{one: getattr(system.train, one) for one in ("epochs", "batch", "lr", "watch")}
        ),
        calibration=system.calibration,
        decision=system.decision,
    )
    assert type(found.data) is DataSettings
    assert type(found.train) is TrainSettings
    assert model.concepts.system().name == "tiny/concepts"


def test_without_a_held_out_split_a_half_decides(tmp_path: Path) -> None:
    folder = taught(joint(data=CaptionDataSettings(held="nowhere")), tmp_path / "m")
    assert folder.concepts.card()["held_out"] is None
    assert folder.concepts.decision() == (None, None)
    answers = concepts_of(folder.concepts.path)
    assert answers.probabilities is not None
    np.testing.assert_array_equal(answers.decided, answers.probabilities >= 0.5)


def test_a_refit_gives_both_the_weights_of_both_splits_and_the_decision_of_before(
    model: CaptionFolder, tmp_path: Path
) -> None:
    train = CaptionTrainSettings(epochs=2, batch=16, lr=1e-2, refit=True)
    folder = taught(joint(train=train), tmp_path / "m")
    names = ("decision.json", "labels.csv")
    for name in names:
        one, other = folder.concepts.path / name, model.concepts.path / name
        assert one.read_bytes() == other.read_bytes()
    assert not same_weights(folder.concepts.weights, model.concepts.weights)
    assert folder.concepts.card()["held_out"]["f1"] == model.concepts.card()["held_out"]["f1"]


def test_tasks_without_concepts_make_no_detector(tmp_path: Path) -> None:
    folder = taught(joint(joint=JointSettings(modality=1.0)), tmp_path / "m")
    assert not folder.concepts.path.exists()
    assert folder.system().detector.model == ""
    assert any(name.startswith("heads.modality") for name in read_weight_file(folder.weights))
    assert radcap.predict(folder.path, drawn(), split="test").ids


def test_tasks_beside_a_detector_that_has_its_own_eyes(tmp_path: Path) -> None:
    seer = detector(tmp_path / "seer")
    tables = {"joint": JointSettings(modality=1.0), "detector": DetectorSettings(str(seer.path), share=False)}
    folder = taught(joint(**tables), tmp_path / "m")
    assert same_weights(folder.concepts.weights, seer.weights)
    assert radcap.predict(folder.path, drawn(), split="test").ids


def test_a_frozen_encoder_learns_heads_alone(tmp_path: Path) -> None:
    folder = taught(joint(backbone=BackboneSettings(name=TINY, frozen=True)), tmp_path / "m")
    answers = concepts_of(folder.concepts.path)
    assert answers.labels == folder.labels()


def test_the_concepts_are_learnt(tmp_path: Path) -> None:
    """With the weight of the concepts the head fits the training set; without, it is not there."""
    train = CaptionTrainSettings(epochs=15, batch=8, lr=2e-2)
    system = joint(
        train=train, joint=JointSettings(caption=0.1, concepts=20.0), data=CaptionDataSettings(top=2)
    )
    folder = taught(system, tmp_path / "m")
    answers = concepts_of(folder.concepts.path, "train")
    truth = label_matrix(drawn().split("train"), answers.labels)
    assert answers.logits is not None
    for column in range(2):
        has, lacks = answers.logits[truth[:, column], column], answers.logits[~truth[:, column], column]
        assert has.mean() > lacks.mean() + 0.5


def test_a_system_of_a_joint_folder_cannot_be_trained_without_its_detector(
    model: CaptionFolder, tmp_path: Path
) -> None:
    with pytest.raises(
        UsageError, match=r"\[detector\] model is 'concepts', the detector inside of a trained"
    ):
        taught(model.system(), tmp_path / "m")
    assert not (tmp_path / "m").exists()
