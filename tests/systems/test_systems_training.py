"""Training by name or file, with settings changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from system_samples import TINY_SYSTEM

from radcap.core import InputError, Missing, UsageError
from radcap.datasets.synthetic import synthetic
from radcap.detection.system import ConceptSystem
from radcap.systems import read_concepts
from radcap.systems.training import changed, train

TWO = """
name = "two"
task = "concepts"
[ensemble]
rule = "votes"
votes = 1
[[member]]
name = "a"
[[member]]
name = "b"
[member.retrieval]
k = 3
"""


@pytest.fixture
def one(tmp_path: Path) -> ConceptSystem:
    return read(tmp_path, TINY_SYSTEM)


@pytest.fixture
def two(tmp_path: Path) -> ConceptSystem:
    return read(tmp_path, TWO)


def read(folder: Path, text: str) -> ConceptSystem:
    (folder / "system.toml").write_text(text, encoding="utf-8")
    return read_concepts(folder / "system.toml")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("train.epochs", "7", 7),
        ("train.lr", "1e-2", 1e-2),
        ("train.lr", "1", 1.0),
        ("train.refit", "true", True),
        ("train.optimiser", "sgd", "sgd"),
        ("train.optimiser", '"sgd"', "sgd"),
        ("data.without_sources", '["a", "b"]', ("a", "b")),
        ("backbone.weights", "some/folder", "some/folder"),
        ("image.augment.mixup", "0.4", 0.4),
        ("image.augment.zoom", "[0.9, 1.1]", (0.9, 1.1)),
        ("retrieval.k", "4", 4),
        ("name", "other", "other"),
    ],
)
def test_a_setting_is_changed(key: str, text: str, value: object, one: ConceptSystem) -> None:
    found: object = changed(one, {key: text})
    for name in key.split("."):
        found = getattr(found, name)
    assert found == value


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"train.epoch": "3"}, "epochs"),
        ({"trian.epochs": "3"}, "train"),
        ({"train.epochs": "many"}, "epochs"),
        ({"train.optimiser": "adan"}, "adam"),
        ({"head.kind": "linaer"}, "linear"),
        ({"train.lr": "-1"}, "lr"),
        ({"task": "captions"}, "concepts"),
    ],
)
def test_a_wrong_setting_is_refused_as_that_of_a_file(
    change: dict[str, str], told: str, one: ConceptSystem, two: ConceptSystem
) -> None:
    for system in (one, two):
        with pytest.raises(InputError) as caught:
            changed(system, change)
        assert len(caught.value.issues) == 1, "once, and not of each member"
        assert caught.value.issues[0].code.startswith("SYS")
        assert told in caught.value.issues[0].message + caught.value.issues[0].hint


@pytest.mark.parametrize("text", ["", "[1", "{", '"', "a=b", "1\n[train]", "1\ny = 2"])
def test_what_is_no_value_is_refused(text: str, one: ConceptSystem) -> None:
    with pytest.raises(UsageError, match="is no value of a TOML file"):
        changed(one, {"train.epochs": text})


def test_a_key_below_a_value_is_refused(one: ConceptSystem) -> None:
    with pytest.raises(UsageError, match=r"name.x cannot be set: name is no table"):
        changed(one, {"name.x": "1"})


def test_a_setting_goes_to_the_members_too_and_what_is_not_theirs_does_not(two: ConceptSystem) -> None:
    found = changed(two, {"train.epochs": "3", "ensemble.votes": "2", "name": "new", "retrieval.k": "9"})
    assert isinstance(found, ConceptSystem)
    assert [one.train.epochs for one in (found, *found.member)] == [3, 3, 3]
    assert [one.name for one in (found, *found.member)] == ["new", "a", "b"]
    assert found.ensemble.votes == 2
    assert found.member[0].retrieval is None
    assert found.member[1].retrieval is not None
    assert found.member[1].retrieval.k == 9


def test_what_would_fail_after_training_is_refused_now(two: ConceptSystem, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        changed(two, {"ensemble.votes": "5"})
    assert "votes is 5 and there are 2 members" in caught.value.issues[0].message
    plain = read(tmp_path, TWO.partition("[member.retrieval]")[0])
    for key, value, way in (
        ("retrieval.k", "5", "its neighbours"),
        ("learner.kind", "trees", "a classic model"),
        ("text.tokens", "9", "words"),
    ):
        with pytest.raises(UsageError, match=f"{key} cannot be set: no member .* answers by {way}"):
            changed(plain, {key: value})


def test_a_setting_for_networks_is_none_of_a_member_that_goes_by_words(tmp_path: Path) -> None:
    words = TWO.replace("[member.retrieval]\nk = 3", '[member.text]\nwords = "dataset"')
    found = changed(read(tmp_path, words), {"search.lr": "[0.1]"})
    assert isinstance(found, ConceptSystem)
    assert [one.search.lr for one in found.member] == [(0.1,), ()]


@pytest.mark.usefixtures("in_this_process")
def test_a_system_is_trained_by_path_on_a_dataset_by_path(tmp_path: Path, one: ConceptSystem) -> None:
    data = synthetic(60, size=32, concepts=40)
    data.save(tmp_path / "data")
    heard = train(tmp_path / "system.toml", tmp_path / "data", tmp_path / "a", changes={"train.epochs": "2"})
    assert heard.card()["training"]["epochs"] == 2
    value = train(one, data, str(tmp_path / "b"))
    assert value.card()["training"]["epochs"] == 1


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.datasets.images.cache.default_workers", lambda: 1)


def test_what_training_needs_and_lacks_is_missing(
    one: ConceptSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "radcap.detection.training", None)
    with pytest.raises(Missing, match=r"is missing. Training needs it. .*radcap\[train\]"):
        train(one, "radiology-open", "never")
