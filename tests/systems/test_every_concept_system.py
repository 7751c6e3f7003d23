"""Every concept system of the catalogue, from its file to a valid run, in small.

Networks are frozen and begin with random weights, so that a system takes a second: what is tested is that
each file can be trained, asked and handed in, not how well it does.
"""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import pytest

from radcap.datasets.synthetic import synthetic
from radcap.detection.models import Answers, open_model
from radcap.detection.system import ConceptSystem
from radcap.detection.training import train_system
from radcap.detection.training.shelf import Shelf
from radcap.formats import validate, write_run
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.scales import Scale

TINY = Scale("tiny", 32, 1, 3, True, 16, 1e-3, 32, 1)
NAMES = [one.name for one in systems_of("concepts")]


@pytest.fixture(scope="module")
def drawings():
    return synthetic(90, size=32, concepts=40)


@pytest.fixture(scope="module")
def shelf():
    """Most systems look with the same eyes here: what those see is computed once."""
    return Shelf(2**28)


def in_one_process():
    return mock.patch("radcap.datasets.images.cache.default_workers", return_value=1)


def unweighted(model):
    """The stand-ins with random weights, frozen: as quick as it gets."""
    return replace(model, backbone=without_weights(model.backbone))


def without_weights(backbone):
    if backbone.part:
        parts = tuple(replace(without_weights(one), frozen=False) for one in backbone.part)
        return replace(backbone, part=parts, frozen=True)
    if backbone.weights != "package":
        return backbone
    return replace(backbone, name="tf_efficientnet_lite0", weights="none", frozen=True)


def in_small(name: str) -> ConceptSystem:
    system = fit_system(read_concepts(name), TINY).system
    return unweighted(replace(system, member=tuple(unweighted(one) for one in system.member)))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_becomes_a_model_and_a_valid_run(name, drawings, shelf, tmp_path):
    system, test = in_small(name), drawings.split("test")
    with in_one_process():
        folder = train_system(system, drawings, tmp_path / "model", shelf=shelf)
        answers = open_model(folder.path).answers(test)
    assert isinstance(answers, Answers)
    assert set(answers.ids) == set(test.ids)
    assert answers.decided.shape == (len(test), len(answers.labels))
    assert folder.system().name == name
    assert folder.card()["held_out"]["n"] == len(drawings.split("valid"))
    run = write_run(answers.run(test.ids), tmp_path / "run.csv")
    (tmp_path / "ids.csv").write_text("\n".join(["ID", *test.ids]))
    checked = validate(run, "concepts", ids=tmp_path / "ids.csv", edition="2026")
    assert checked.ok, checked.issues[:3]
