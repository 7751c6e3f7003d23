"""The rows of 2023, 2025, 2026 and our own: what is published of them stands in their files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_systems_catalogue_rows import LATER, UNLISTED

from radcap.core import Task
from radcap.datasets.synthetic import synthetic
from radcap.detection.models import Answers
from radcap.detection.system import ConceptSystem, models
from radcap.metrics import board
from radcap.systems import read_concepts, systems_of
from radcap.systems.predicting import predict
from radcap.systems.training import train
from radcap.vision.settings import TrainSettings


def at(system: ConceptSystem, path: str) -> Any:
    """A setting by its table and key."""
    found: Any = system
    for name in path.split("."):
        found = getattr(found, name)
    return found


KNOWN = {  # settings that are published
    "2023/vcmi-concepts": {
        "data.top": 100,
        "image.size": 224,
        "image.augment.rotate": 45,
        "backbone.name": "densenet121.tv_in1k",
        "train.batch": 32,
        "train.epochs": 100,
    },
    "2023/vcmi-chained-concepts": {"head.kind": "chained", "head.groups": 17, "data.top": 0},
    "2023/vcmi-types-concepts": {"head.kind": "grouped", "head.by": "kind", "head.groups": 9},
    "2023/vcmi-contrastive-concepts": {"head.width": 128, "loss.name": "contrastive"},
    "2023/vcmi-caption-concepts": {"text.reader": "classifier"},
    "2023/closeai-concepts": {"text.reader": "extractor", "text.words": "zoo:captions"},
    "2023/cs-morgan-concepts": {"head.kind": "sequence", "loss.name": "own"},
    "2025/aueb-curriculum-concepts": {"loss.name": "curriculum", "loss.warm": 5, "loss.every": 2},
    "2025/aueb-sam-concepts": {"head.pool": "gem", "train.lr": 1e-3, "train.batch": 16},
    "2025/deeplens-kclip-concepts": {
        "head.kind": "label-embedding",
        "head.width": 512,
        "head.nearest": 32,
        "head.heads": 8,
        "head.temperature": 0.07,
        "loss.name": "bce",
        "decision.threshold": 0.45,
    },
    "2025/ds4dh-concepts": {
        "image.size": 512,
        "image.augment.rotate": 45,
        "backbone.name": "residual-scales",
        "backbone.weights": "none",
        "head.width": 16,
        "head.layers": 2,
        "head.heads": 1,
        "head.length": 32,
        "head.beams": 3,
        "head.drop": 0.1,
        "train.lr": 3e-3,
        "train.weight_decay": 1e-5,
        "train.epochs": 500,
        "need": 0,
        "needs": (),
    },
    "2025/sakthiii-concepts": {
        "backbone.weights": "MedCLIP",
        "train.optimiser": "adam",
        "train.lr": 1e-5,
        "train.batch": 32,
        "train.epochs": 11,
        "image.fit": "pad",  # as MedCLIP's own images, and grey
        "image.grey": True,
    },
    "2025/jj-vmed-concepts": {"text.reader": "parser", "need": 2},
    "2025/jj-vmed-inside-concepts": {"text.reader": "parser", "need": 2},
    "2025/umuteam-concepts": {
        "text.words": "vlm:BLIP",
        "text.reader": "extractor",
        "text.extractor": "neural",
    },
    "2025/lekshmiscopevit-concepts": {
        "data.top": 10,
        "head.hidden": (512, 256, 128, 64),
        "train.epochs": 10,
        "train.optimiser": "adam",
    },
    "2025/organisers-concepts": {"decision.rule": "fixed", "decision.threshold": 0.5},
    "2026/archimedes-concepts": {
        "ensemble.rule": "votes",
        "ensemble.votes": 5,
        "head.pool": "gem",
        "train.optimiser": "adamw",
        "train.lr": 1e-4,
        "train.batch": 16,
        "train.factor": 0.5,
        "decision.rule": "global",
    },
    "2026/archimedes-soft-concepts": {
        "ensemble.rule": "mean-probability",
        "decision.rule": "fixed",
        "decision.threshold": 0.35,
        "rescue": None,
    },
    "2026/deeplens-concepts": {"image.size": 128, "decision.threshold": 0.28},
    "2026/ds-gt-concepts": {"decision.rule": "per-label-regularised"},
    "2026/ds-gt-knn-concepts": {"backbone.frozen": True, "train.epochs": 0},
    "2026/spu-concepts": {
        "head.kind": "grouped",
        "head.by": "frequency",
        "head.groups": 4,
        "loss.name": "asymmetric",
        "decision.rule": "per-head",
        "decision.heads": 4,
    },
    "radcap/frequent-concepts": {"decision.rule": "top-k", "decision.k": 3},
    "radcap/random-concepts": {"backbone.weights": "none"},
    "radcap/top100-concepts": {"data.top": 100},
    "radcap/fusion-concepts": {
        "ensemble.rule": "mean-logit",
        "calibration.method": "platt",
        "calibration.groups": "label",
        "decision.rule": "gfm",
        "decision.never_empty": True,
    },
}


@pytest.mark.parametrize("name", KNOWN)
def test_settings_that_are_published(name):
    system = read_concepts(name)
    assert {path: at(system, path) for path in KNOWN[name]} == KNOWN[name]


NETWORKS = {  # members of different architecture, in the order of the file
    "2023/aueb-concepts": ["efficientnet_b0", "densenet121", "convnext_tiny"],
    "2026/ds-gt-concepts": ["convnextv2_tiny", "open-clip", "densenet169"],
    "2026/spu-concepts": ["swin_base_patch4_window7_224"] * 3,
    "radcap/fusion-concepts": [f"tf_efficientnet_lite{number}" for number in (0, 1, 2, 2)],
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_members(name):
    found = [one.backbone.name.partition(".")[0] for one in read_concepts(name).member]
    assert found == NETWORKS[name]


@pytest.mark.parametrize("edition", ["2023", "2025", "2026"])
def test_every_team_of_a_board_has_a_file_and_its_score_once(edition):
    named = [one for one in systems_of("concepts") if one.edition == edition]
    scored = [one for one in named if one.published and one.name not in UNLISTED]
    rows = [one for one in board(edition, Task.CONCEPTS) if not one.baseline]
    for row in rows:
        assert [dict(one.published) for one in scored if one.team == row.team] == [dict(row.scores)]
    assert {one.team for one in named} - {"organisers"} == {one.team for one in rows}


def test_the_families_of_vcmi_share_one_score_and_one_recipe():
    names = [one for one in LATER if one.startswith("2023/vcmi-")]
    assert len(names) == 8
    scored = [one for one in names if read_concepts(one).published]
    assert scored == ["2023/vcmi-concepts"]
    looking = [read_concepts(one) for one in names if one.split("-")[1] not in ("caption", "merged")]
    assert len({one.backbone for one in looking}) == 1
    assert {one.train for one in looking} == {
        TrainSettings(epochs=100, batch=32, optimiser="adam", lr=1e-4, schedule="constant")
    }
    plain, critic = (read_concepts(f"2023/vcmi-{one}concepts") for one in ("", "adversarial-"))
    assert (plain.head.critic, critic.head.critic > 0, critic.data) == (0, True, plain.data)
    loss = read_concepts("2023/vcmi-contrastive-concepts").loss
    assert min(loss.image_concept, loss.image_image, loss.concept_concept) > 0


def test_empty_rows_are_filled_from_a_second_run():
    system = read_concepts("2023/vcmi-merged-concepts")
    first, second = system.member
    assert system.ensemble.rule == "fallback"
    assert first.retrieval is None
    assert second.retrieval == read_concepts("2023/vcmi-retrieval-concepts").retrieval is not None


def test_archimedes_has_six_networks_with_four_seeds_each():
    system = read_concepts("2026/archimedes-concepts")
    found = [(one.backbone.name, one.train.seed) for one in system.member]
    names = {name for name, _ in found}
    assert len(names) == 6
    assert set(found) == {(name, seed) for name in names for seed in (1, 2, 3, 4)}
    assert len(found) == 24
    assert system.rescue is not None
    assert {one.backbone.name for one in system.member if one.head.count} == {"tf_efficientnetv2_m.in21k"}
    assert all(one.data.monte_carlo for one in system.member)


def test_three_folds_choose_on_a_third_each():
    system = read_concepts("2026/spu-concepts")
    assert [(one.data.monte_carlo, one.train.seed) for one in system.member] == [(0.33, n) for n in (1, 2, 3)]
    assert {one.train.ema > 0 for one in system.member} == {True}


def test_soft_voting_of_archimedes_is_over_the_networks_that_vote_without_their_counts():
    votes, soft = (read_concepts(f"2026/archimedes-{one}concepts") for one in ("", "soft-"))
    assert [one.name for one in soft.member] == [one.name for one in votes.member]
    for one, other in zip(soft.member, votes.member, strict=True):
        assert one.head == replace(other.head, count=False)
        for table in ("data", "image", "backbone", "loss", "train", "calibration"):
            assert getattr(one, table) == getattr(other, table)


def test_the_masked_loss_of_ds4dh_is_all_that_its_file_changes():
    plain, masked = (read_concepts(f"2025/ds4dh-{one}concepts") for one in ("", "masked-"))
    head = masked.head
    assert (head.least, head.hide > 0, head.end_weight < 1) == (3, True, True)
    assert replace(head, least=0, hide=0.0, end_weight=1.0) == plain.head
    for table in ("data", "image", "backbone", "loss", "train", "calibration", "decision"):
        assert getattr(masked, table) == getattr(plain, table)


PARTS = {  # networks whose features stand side by side, in the order of the file
    "2022/morgan-concepts": ["vit_base_patch16_224", "deit_base_patch16_224"],
    "2023/cs-morgan-concepts": ["densenet121", "vit_base_patch16_224"],
    "2023/ssn-mlrg-concepts": ["densenet121", "densenet169", "densenet201"],
}


@pytest.mark.parametrize("name", PARTS)
def test_networks_side_by_side(name):
    (model,) = models(read_concepts(name)).values()
    assert model.backbone.name == "joined"
    assert [one.name.partition(".")[0] for one in model.backbone.part] == PARTS[name]


def test_boosted_trees_stand_on_frozen_features():
    one = read_concepts("2023/ssn-mlrg-concepts")
    assert one.learner is not None
    assert (one.learner.kind, one.backbone.frozen, one.train.epochs) == ("boosted", True, 0)


def test_the_frozen_network_of_2026_is_the_one_of_2025():
    (then,) = [one for one in read_concepts("2025/deeplens-concepts").member if one.name == "b1"]
    now = read_concepts("2026/deeplens-concepts")
    for table in ("image", "backbone", "head", "loss", "train", "calibration", "decision"):
        assert getattr(now, table) == getattr(then, table)


def test_kclip_in_the_union_is_kclip_alone():
    alone = read_concepts("2025/deeplens-kclip-concepts")
    vit, swin = read_concepts("2025/deeplens-concepts").member[3:]
    for one in (vit, swin):
        assert (one.head, one.image, one.train, one.decision) == (
            alone.head,
            alone.image,
            alone.train,
            alone.decision,
        )
    assert vit.backbone == alone.backbone != swin.backbone


def test_ours_without_weights_and_with_fewer_labels_differ_from_lite0_by_that_alone():
    lite0 = models(read_concepts("radcap/lite0-concepts"))["radcap/lite0-concepts"]
    for name, table in (("random", "backbone"), ("top100", "data")):
        other = read_concepts(f"radcap/{name}-concepts")
        tables = ("data", "image", "backbone", "head", "loss", "train", "calibration", "decision")
        assert [one for one in tables if getattr(other, one) != getattr(lite0, one)] == [table]


def test_every_image_gets_the_three_most_frequent_concepts(tmp_path):
    data = synthetic(60, size=32, concepts=40)
    folder = train("radcap/frequent-concepts", data, tmp_path / "model")
    answers = predict(folder.path, data, split="test")
    assert isinstance(answers, Answers)
    cuis = [cui for row in data.split("train").column("cui").to_pylist() for cui in row]
    counts = np.array([cuis.count(one) for one in answers.labels])
    assert (answers.decided == answers.decided[0]).all()
    assert sorted(counts[answers.decided[0]]) == sorted(counts)[-3:]
