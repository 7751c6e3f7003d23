"""Systems of several members, and systems whose neighbours answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from training_samples import Heard, drawn, member, predict_concepts, tiny, trained, without_valid

from radcap.core import InputError, UsageError
from radcap.datasets import Dataset
from radcap.detection.ensembles import Ensemble
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.models.opening import open_model
from radcap.detection.retrieval import Retrieval, load_index
from radcap.detection.system import ConceptSystem, DataSettings
from radcap.detection.training import networks
from radcap.vision.settings import TrainSettings
from radcap.vision.training import fit

MEMBERS = (member("a"), member("b", 1), member("c/d", 2, train=TrainSettings(epochs=1, batch=16)))


def several(rule: str = "mean-logit", members: tuple[Any, ...] = MEMBERS, **given: Any) -> ConceptSystem:
    return tiny("several", member=members, ensemble=Ensemble(rule, **given))


def test_mean_logits_are_those_of_the_members(tmp_path: Path) -> None:
    heard = Heard()
    folder = trained(several(), tmp_path / "m", talk=heard.talk)
    assert heard.has("Member 3 of 3: c/d")
    assert sorted(one.name for one in folder.path.iterdir()) == [
        *("card.json", "decision.json", "labels.csv", "members", "system.toml")
    ]
    seen: list[tuple[str, int]] = []
    answers = predict_concepts(folder.path, drawn(), split="test", progress=lambda *told: seen.append(told))
    own = [predict_concepts(folder.member(one.name).path, drawn(), split="test") for one in MEMBERS]
    logits = np.mean([one.logits for one in own if one.logits is not None], axis=0)
    assert answers.logits is not None
    np.testing.assert_allclose(answers.logits, logits, rtol=1e-4, atol=1e-5)
    assert {name for name, _ in seen} == {"a", "b", "c/d"}
    card = folder.card()
    assert set(card["members"]) == {"a", "b", "c/d"}
    assert card["training"] == {"stopped": "epochs"}
    assert card["held_out"]["cross_fitted"]["n"] == len(drawn().split("valid"))


def test_votes_are_decisions_of_members_without_scores(tmp_path: Path) -> None:
    folder = trained(several("votes", votes=2), tmp_path / "m")
    answers = predict_concepts(folder.path, drawn(), split="test")
    own = [predict_concepts(folder.member(one.name).path, drawn(), split="test").decided for one in MEMBERS]
    np.testing.assert_array_equal(answers.decided, np.sum(own, axis=0) >= 2)
    assert answers.logits is None
    assert answers.probabilities is None
    assert "cross_fitted" not in folder.card()["held_out"]
    assert folder.decision() == (None, None)


def test_weights_are_fitted_and_written_into_the_system(tmp_path: Path) -> None:
    heard = Heard()
    folder = trained(several("weighted"), tmp_path / "m", talk=heard.talk)
    weights = folder.system().ensemble.weights
    assert len(weights) == 3
    assert sum(weights) == pytest.approx(1)
    assert heard.has("Weights: ")
    predict_concepts(folder.path, drawn(), split="test")
    given = trained(several("weighted", weights=(1.0, 0.0, 0.0)), tmp_path / "g")
    assert given.system().ensemble.weights == (1.0, 0.0, 0.0)


def test_a_search_keeps_the_best_members_and_removes_the_others(tmp_path: Path) -> None:
    heard = Heard()
    short = (*MEMBERS, member("few", data=DataSettings(top=2)))
    folder = trained(several("union", short, search="subsets"), tmp_path / "m", talk=heard.talk)
    kept = [one.name for one in folder.system().member]
    assert heard.has(f"Best members: {', '.join(kept)}")
    assert 0 < len(kept) < len(short)
    there = sorted(one.name for one in (folder.path / "members").iterdir())
    assert there == sorted(folder.member(name).path.name for name in kept)
    assert folder.system().ensemble.search == "none"
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.labels == folder.labels()


def test_a_search_over_scores_calibrates_those_that_are_left(tmp_path: Path) -> None:
    short = (*MEMBERS[:2], member("few", data=DataSettings(top=2)))
    folder = trained(several("mean-logit", short, search="subsets", threshold=-2.0), tmp_path / "m")
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.labels == folder.labels()
    assert answers.probabilities is not None


def test_members_with_other_labels_are_joined_over_all_of_them(tmp_path: Path) -> None:
    members = (member("few", data=DataSettings(top=3)), member("all"))
    folder = trained(several(members=members), tmp_path / "m")
    assert set(folder.labels()) == set(folder.member("all").labels())
    assert predict_concepts(folder.path, drawn(), split="test").labels == folder.labels()


def test_without_a_held_out_split_members_are_joined_as_they_are(tmp_path: Path) -> None:
    folder = trained(several(members=MEMBERS[:2]), tmp_path / "m", without_valid())
    assert folder.card()["held_out"] is None
    answers = predict_concepts(folder.path, without_valid(), split="test")
    assert answers.logits is not None
    np.testing.assert_array_equal(answers.decided, answers.logits >= 0)


@pytest.mark.parametrize("given", [{"rule": "weighted"}, {"search": "subsets"}])
def test_what_is_fitted_needs_a_held_out_split(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is fitted on the split 'valid', and there is none"):
        trained(several(**given), tmp_path / "m", without_valid())
    assert not (tmp_path / "m").exists()


def test_what_cannot_be_searched_or_joined_is_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        trained(several("weighted", search="subsets"), tmp_path / "a")
    other = member("x", data=DataSettings(held="test"))
    with pytest.raises(UsageError, match="hold out different splits: test, valid"):
        trained(several(members=(MEMBERS[0], other)), tmp_path / "b")
    with pytest.raises(UsageError, match="The members c/d, c-d would share a folder"):
        trained(several(members=(MEMBERS[2], member("c-d"))), tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_a_killed_ensemble_goes_on_with_the_member_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    heard = Heard()

    def tell(text: str) -> None:
        heard.append(text)
        if text.startswith("Member 2"):
            monkeypatch.setattr(networks, "fit", fail)

    with monkeypatch.context(), pytest.raises(KeyboardInterrupt):
        trained(several(), tmp_path / "m", talk=replace(heard.talk, tell=tell))
    monkeypatch.undo()
    with pytest.raises(UsageError, match="begun with other settings"):
        trained(several("votes", votes=1), tmp_path / "m")
    again = Heard()
    folder = trained(several(), tmp_path / "m", talk=again.talk)
    assert again.has("members/a is trained already")
    assert not again.has("members/b is trained already")
    whole = trained(several(), tmp_path / "w")
    assert folder.card()["held_out"] == whole.card()["held_out"]


def test_a_killed_ensemble_without_a_held_out_split_goes_on_too(tmp_path: Path) -> None:
    def tell(text: str) -> None:
        if text.startswith("Member 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(several(), tmp_path / "m", without_valid(), replace(Heard().talk, tell=tell))
    assert trained(several(), tmp_path / "m", without_valid()).is_whole


def test_a_member_that_ended_badly_is_told_of_by_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(*given: Any, **more: Any) -> Any:
        return replace(fit(*given, **more), stopped="no number")

    monkeypatch.setattr(networks, "fit", spoilt)
    assert trained(several(members=MEMBERS[:2]), tmp_path / "m").card()["training"] == {
        "stopped": "no number"
    }


def with_sources(*names: str) -> Dataset:
    """The drawn dataset as if its images came from several places in turn."""
    data, place = drawn(), drawn().table.column_names.index("source")
    column = pa.array([names[row % len(names)] for row in range(len(data))])
    return replace(data, table=data.table.set_column(place, "source", column))


def test_members_that_saw_different_images_are_joined_on_those_of_all(tmp_path: Path) -> None:
    data = with_sources("one", "two", "three")
    members = (member("some", data=DataSettings(without_sources=("one",))), member("all"))
    folder = trained(several(members=members), tmp_path / "m", data)
    some = folder.member("some").card()["held_out"]["n"]
    assert folder.card()["held_out"]["n"] == some < len(data.split("valid"))


def test_members_that_saw_no_image_in_common_are_refused(tmp_path: Path) -> None:
    members = tuple(member(name, data=DataSettings(without_sources=(name,))) for name in ("one", "two"))
    with pytest.raises(UsageError, match="No held-out image could be looked at by every member"):
        trained(several(members=members), tmp_path / "m", with_sources("one", "two"))


# neighbours


def test_neighbours_that_decide_answer_without_scores(tmp_path: Path) -> None:
    folder = trained(tiny(retrieval=Retrieval(rule="mean-at-k", k=3)), tmp_path / "m")
    index = load_index(folder.neighbours)
    assert index.ids == tuple(drawn().split("train").ids)
    assert folder.decision() == (None, None)
    assert "cross_fitted" not in folder.card()["held_out"]
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.logits is None
    one = predict_concepts(folder.path, only_train(), split="train")
    truth = [set(record.concepts) for record in only_train()]
    assert [set(cuis) for cuis in one.concepts()] != truth  # three neighbours, and not itself alone
    nearest = trained(tiny(retrieval=Retrieval(rule="mean-at-k", k=1)), tmp_path / "n")
    itself = predict_concepts(nearest.path, only_train(), split="train")
    alike = [set(found) == wanted for found, wanted in zip(itself.concepts(), truth, strict=True)]
    assert np.mean(alike) > 0.95  # an image is its own nearest neighbour, unless two are one to the network


def only_train() -> Dataset:
    return drawn().split("train")


def test_neighbours_that_score_are_calibrated_and_decided(tmp_path: Path) -> None:
    system = tiny(retrieval=Retrieval(rule="probabilistic", k=5), train=TrainSettings(epochs=1, refit=True))
    folder = trained(system, tmp_path / "m")
    index = load_index(folder.neighbours)
    assert set(index.ids) == set(drawn().split("train").ids) | set(drawn().split("valid").ids)  # refitted
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.logits is not None
    assert folder.card()["held_out"]["cross_fitted"]["n"] == len(drawn().split("valid"))


def test_neighbours_and_a_network_are_joined(tmp_path: Path) -> None:
    members = (member("near", retrieval=Retrieval(rule="mean-at-k", k=3)), member("net"))
    folder = trained(several(members=members), tmp_path / "m")
    assert predict_concepts(folder.path, drawn(), split="test").logits is not None
    model = open_model(folder.path, "cpu")
    assert isinstance(model, EnsembleModel)
    near = model.members["near"]
    assert isinstance(near, NetworkModel)
    assert near.index is not None


def test_a_full_disk_while_neighbours_are_written_leaves_no_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors import SafetensorError

    def full(*_: Any, **__: Any) -> None:
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(OSError, match=r"neighbours cannot be written: .*No space left"):
        trained(tiny(retrieval=Retrieval()), tmp_path / "m")
    assert not (tmp_path / "m" / "card.json").exists()


def test_neighbours_of_another_model_are_refused(tmp_path: Path) -> None:
    folder = trained(tiny(retrieval=Retrieval()), tmp_path / "m")
    few = trained(tiny(retrieval=Retrieval(), data=DataSettings(top=3)), tmp_path / "few")
    for name in ("index.json", "index.safetensors"):
        (folder.neighbours / name).write_bytes((few.neighbours / name).read_bytes())
    with pytest.raises(InputError, match="its labels or vectors are those of another model"):
        open_model(folder.path)
