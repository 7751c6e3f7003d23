"""Pools of members that choose on parts of their own, labels of some kinds, and rescue by a count."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors.numpy import load_file, save_file
from training_samples import Heard, drawn, member, predict_concepts, tiny, trained, without_valid

from radcap.core import InputError, RadcapError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.decisions import CountRescue, Decision, Rescue
from radcap.detection.ensembles import Ensemble
from radcap.detection.examples import groups_of, label_set
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.counting import label_counts, mean_counts
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.retrieval import Retrieval, load_index
from radcap.detection.semantic_kinds import of_kinds, semantic_groups
from radcap.detection.system import ConceptSystem, DataSettings, SearchSettings
from radcap.detection.system_reading import read_concept_system, system_toml
from radcap.detection.text.config import Text
from radcap.detection.training.held_answers import keep_held, read_held
from radcap.detection.training.parts import Parts
from radcap.detection.training.shelf import Shelf
from radcap.vision.settings import BackboneSettings, HeadSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file, write_weight_file

COUNT = HeadSettings(count=True)


def joined(rule: str, *members: Any, **given: Any) -> ConceptSystem:
    ensemble = {name: given.pop(name) for name in ("votes", "search") if name in given}
    return tiny("pool", member=members, ensemble=Ensemble(rule, **ensemble), **given)


def decided_by(folder: Any, *names: str) -> list[Any]:
    return [predict_concepts(folder.member(name).path, drawn(), split="test") for name in names]


# parts by lot


def test_a_part_of_the_training_groups_is_drawn_by_the_seed() -> None:
    data = DataSettings(monte_carlo=0.25)
    plain, one, other = Parts.of(drawn(), DataSettings()), *(Parts.of(drawn(), data, seed) for seed in (0, 1))
    assert plain.inner is None
    assert plain.learnt is plain.fit
    assert plain.chosen_on is plain.held
    for parts in (one, other):
        assert parts.inner is not None
        assert parts.chosen_on is parts.inner
        assert parts.held is not None
        assert parts.held.ids == plain.held.ids if plain.held else False
        assert sorted(parts.inner.ids + parts.learnt.ids) == sorted(plain.fit.ids)
        inside, outside = (set(groups_of(part, part.ids)) for part in (parts.inner, parts.learnt))
        assert not inside & outside
        assert len(inside) == round(0.25 * len(inside | outside))
        assert parts.labels == plain.labels
        assert sorted(parts.both.ids) == sorted(plain.both.ids)
        told = parts.to_json()
        assert (told["train"], told["epochs_chosen_on"]) == (len(parts.learnt), len(parts.inner))
    assert one.inner is not None
    assert other.inner is not None
    assert set(one.inner.ids) != set(other.inner.ids)
    assert Parts.of(drawn(), data, 1).data_fingerprint == other.data_fingerprint
    assert len({plain.data_fingerprint, one.data_fingerprint, other.data_fingerprint}) == 3
    assert "epochs_chosen_on" not in plain.to_json()


@pytest.mark.parametrize("part", [0.001, 0.999])
def test_something_is_left_on_either_side(part: float) -> None:
    parts = Parts.of(drawn(), DataSettings(monte_carlo=part))
    assert parts.inner is not None
    assert len(parts.inner)
    assert len(parts.learnt)


def test_one_group_cannot_be_parted() -> None:
    data = drawn().split("train")
    place = data.table.column_names.index("group")
    one = replace(data, table=data.table.set_column(place, "group", pa.array(["g"] * len(data))))
    with pytest.raises(
        UsageError, match=r"monte_carlo draws groups, and all training images of .* are of one"
    ):
        Parts.of(one, DataSettings(monte_carlo=0.2))


def test_members_of_a_pool_choose_on_parts_of_their_own_and_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.detection.training.networks import Trainer

    seen: list[tuple[set[str], set[str]]] = []
    train = Trainer.train

    def spy(self: Any, feed: Any, held: Any, *given: Any, **more: Any) -> Any:
        seen.append((set(feed.pictures.ids), set() if held is None else set(held.pictures.ids)))
        return train(self, feed, held, *given, **more)

    monkeypatch.setattr(Trainer, "train", spy)
    data = DataSettings(monte_carlo=0.3)
    near = Retrieval(rule="learned", k=3)
    members = (member("a", 0, data=data), member("b", 1, data=data, retrieval=near))
    heard = Heard()
    folder = trained(joined("votes", *members, votes=2), tmp_path / "m", talk=heard.talk)
    learnt, chosen_on = zip(*seen, strict=True)
    every, valid = set(drawn().split("train").ids), set(drawn().split("valid").ids)
    assert chosen_on[0] != chosen_on[1]
    for fit, inner in seen:
        assert fit | inner == every
        assert not fit & inner
    assert heard.has(f"{len(learnt[0])} images to learn from")
    assert folder.card()["held_out"]["n"] == len(valid)
    card = folder.member("a").card()
    assert card["data"]["train"] == len(learnt[0])
    assert card["held_out"]["cross_fitted"]["n"] == len(valid)
    index = load_index(folder.member("b").neighbours)
    assert set(index.ids) == learnt[1]
    assert index.ranks is not None
    own = decided_by(folder, "a", "b")
    answers = predict_concepts(folder.path, drawn(), split="test")
    np.testing.assert_array_equal(answers.decided, own[0].decided & own[1].decided)


def test_a_part_by_lot_serves_where_nothing_is_held_out(tmp_path: Path) -> None:
    data = DataSettings(monte_carlo=0.3)
    given = {"data": data, "search": SearchSettings(lr=(1e-2, 1e-9))}
    system = tiny(train=TrainSettings(epochs=1, batch=16, refit=True), **given)
    heard = Heard()
    folder = trained(system, tmp_path / "m", without_valid(), heard.talk)
    assert folder.card()["held_out"] is None
    assert len(folder.card()["search"]) == 2
    assert heard.has("Once more on both splits")
    assert folder.card()["data"]["epochs_chosen_on"] > 0


# labels of some kinds


def test_labels_are_of_the_kinds_that_are_asked_for() -> None:
    train = drawn().split("train")
    every = label_set(train, DataSettings())
    groups = dict(zip(every, semantic_groups(every), strict=True))
    assert "" in groups.values()
    some = label_set(train, DataSettings(kinds=("ANAT", "PROC")))
    assert set(some) == {cui for cui, group in groups.items() if group in {"ANAT", "PROC"}}
    assert len(label_set(train, DataSettings(kinds=("ANAT",), top=2))) == 2
    assert of_kinds(every, ()) == list(every)
    with pytest.raises(UsageError, match=r"There is no semantic group 'ANATS'\. Nearest is 'ANAT'"):
        label_set(train, DataSettings(kinds=("PROC", "ANATS")))
    with pytest.raises(UsageError, match="no semantic group ''"):
        label_set(train, DataSettings(kinds=("",)))
    with pytest.raises(UsageError, match=r"no label to learn .* kinds and free_only"):
        label_set(train, DataSettings(kinds=("GEOG",)))


def test_a_model_for_each_kind_and_their_union(tmp_path: Path) -> None:
    members = tuple(member(kind, data=DataSettings(kinds=(kind,))) for kind in ("ANAT", "PROC"))
    folder = trained(joined("union", *members), tmp_path / "m")
    own = decided_by(folder, "ANAT", "PROC")
    assert set(own[0].labels).isdisjoint(own[1].labels)
    assert folder.labels() == (*own[0].labels, *own[1].labels)
    answers = predict_concepts(folder.path, drawn(), split="test")
    np.testing.assert_array_equal(answers.decided, np.hstack([one.decided for one in own]))
    for rule, said in (("intersection", "asks for 2"), ("mean-logit", "no label in common")):
        with pytest.raises(UsageError, match=said):
            trained(joined(rule, *members), tmp_path / rule)
        assert not (tmp_path / rule).exists()


# neighbours of several networks


def test_neighbours_by_several_codes_are_joined(tmp_path: Path) -> None:
    kinds = (Retrieval(rule="frequency", k=5, share=0.5), Retrieval(rule="mean-at-k", k=3))
    same = Retrieval(rule="duplicate-answer", threshold=0.999)
    train = TrainSettings(epochs=0)  # vectors of networks as they are
    members = [member(f"n{n}", n, retrieval=one, train=train) for n, one in enumerate((same, *kinds))]
    folder = trained(joined("fallback", *members), tmp_path / "m")
    model = open_model(folder.path, "cpu")
    assert isinstance(model, EnsembleModel)
    test = drawn().split("test")
    values = np.stack([one.answers(test).decided for one in model.members.values()])
    assert not values[0].any(axis=1).all()  # an image without a near duplicate
    first = [next((one for one in values[:, row] if one.any()), values[0, row]) for row in range(len(test))]
    wanted = {"union": values.any(axis=0), "majority": values.sum(axis=0) >= 2, "fallback": np.array(first)}
    for rule, decided in wanted.items():
        other = replace(model, ensemble=Ensemble(rule))
        np.testing.assert_array_equal(other.answers(test).decided, decided)
        if rule != "fallback":
            again = _joined_again(folder, joined(rule, *members))
            assert again.card()["held_out"]["f1"] > 0
            assert again.decision() == (None, None)


def test_learned_weights_answer_as_they_were_judged(tmp_path: Path) -> None:
    system = tiny(retrieval=Retrieval(rule="learned", k=4), train=TrainSettings(epochs=0))
    folder = trained(system, tmp_path / "m")
    ranks = load_index(folder.neighbours).ranks
    assert ranks is not None
    assert len(ranks.weights) == 4
    held = read_held(folder, drawn().split("valid"))
    answers = predict_concepts(folder.path, drawn(), split="valid")
    assert answers.logits is not None
    assert held.logits is not None
    np.testing.assert_allclose(answers.logits, held.logits, atol=0.2)


# rescue


def test_a_count_rescues_images_with_too_few_labels(tmp_path: Path) -> None:
    given = {"head": COUNT, "decision": Decision("fixed", threshold=1.0)}  # nothing is decided
    train = TrainSettings(epochs=4, batch=16, lr=1e-2)
    folder = trained(tiny(rescue=Rescue(0.5), train=train, **given), tmp_path / "m")
    rescue = folder.rescue()
    assert rescue is not None
    assert folder.card()["held_out"]["rescue"] == rescue.to_json()
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.counts is not None
    assert answers.probabilities is not None
    least = rescue.least(answers.counts)
    assert least.max() > 0
    np.testing.assert_array_equal(answers.decided.sum(axis=1), least)
    for row, chosen in enumerate(answers.decided):
        order = np.argsort(-answers.probabilities[row], kind="stable")
        assert set(order[: least[row]]) == set(np.flatnonzero(chosen))
    card = folder.card()["held_out"]
    assert card["cross_fitted"]["f1"] > 0
    known = read_held(folder, drawn().split("valid"))
    assert known.counts is not None
    again = predict_concepts(folder.path, drawn(), split="valid")
    assert again.counts is not None
    np.testing.assert_allclose(known.counts, again.counts, atol=0.02)
    assert read_concept_system(parse_toml(system_toml(folder.system(), full=True))) == folder.system()


def test_neighbours_that_decide_are_rescued_by_the_head(tmp_path: Path) -> None:
    near = Retrieval(rule="duplicate-answer", threshold=2.0)  # nothing is decided
    folder = trained(tiny(head=COUNT, rescue=Rescue(0.3), retrieval=near), tmp_path / "m")
    rescue = folder.rescue()
    assert rescue is not None
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.counts is not None
    np.testing.assert_array_equal(answers.decided.sum(axis=1), rescue.least(answers.counts))
    assert folder.decision() == (None, None)


def test_an_ensemble_is_rescued_by_the_mean_count(tmp_path: Path) -> None:
    members = (member("a", head=COUNT), member("b", 1, head=COUNT), member("c", 2))
    strict = {"rescue": Rescue(0.4), "decision": Decision("fixed", threshold=0.9)}
    folder = trained(joined("votes", *members, votes=3, **strict), tmp_path / "m")
    first = folder.rescue()
    _check_rescued(folder, by_votes=True)
    assert all(folder.member(one.name).rescue() is None for one in members)
    # what was trained before a kill tells its counts too, and scores are rescued by the joint probability
    again = _joined_again(folder, joined("mean-logit", *members, **strict))
    assert again.rescue() == first
    _check_rescued(again, by_votes=False)
    assert "cross_fitted" in again.card()["held_out"]


def _check_rescued(folder: Any, *, by_votes: bool) -> None:
    model, test = open_model(folder.path, "cpu"), drawn().split("test")
    assert isinstance(model, EnsembleModel)
    assert model.rescue is not None
    assert model.rescue == folder.rescue()
    own: list[Any] = [one.answers(test) for one in model.members.values()]
    answers, before = model.answers(test), replace(model, rescue=None).answers(test)
    assert answers.counts is not None
    assert own[2].counts is None
    np.testing.assert_allclose(answers.counts, (own[0].counts + own[1].counts) / 2, rtol=1e-5)
    likely = before.probabilities
    if by_votes:
        chances = [1 / (1 + np.exp(-one.logits.astype(np.float64))) for one in own]
        likely = np.sum([one.decided for one in own], axis=0) + np.mean(chances, axis=0)
    assert likely is not None
    np.testing.assert_array_equal(answers.decided, model.rescue(before.decided, likely, answers.counts))
    assert (answers.decided != before.decided).any()


def _joined_again(folder: Any, system: ConceptSystem) -> Any:
    """The members of a folder under another rule, as if it had been begun with that."""
    from radcap.detection.training.system_training import _fingerprint, _parts

    parts = _parts(system, drawn(), Shelf(0))
    (folder.path / "card.json").unlink()
    (folder.path / "training").mkdir()
    (folder.path / "training" / "state.json").write_text(
        json.dumps({"fingerprint": _fingerprint(system, parts)})
    )
    return trained(system, folder.path)


def test_a_rescue_that_cannot_be_had_is_refused_before_training(tmp_path: Path) -> None:
    wrong = {
        r"\[rescue\] of tiny needs a head that counts\. Write \[head\] count = true": tiny(rescue=Rescue()),
        r"\[rescue\] of t needs": tiny("t", rescue=Rescue(), head=COUNT, text=Text()),
        r"\[rescue\] of b needs": joined("union", member("a"), member("b", rescue=Rescue())),
        "counts in one member at least": joined("union", member("a"), member("b"), rescue=Rescue()),
        "counts in every member, since": joined(
            *("union", member("a", head=COUNT), member("b")), search="subsets", rescue=Rescue()
        ),
    }
    for said, system in wrong.items():
        with pytest.raises(UsageError, match=said):
            trained(system, tmp_path / "m")
    with pytest.raises(UsageError, match=r"\[rescue\] is fitted on the split 'valid', and there is none"):
        trained(tiny(rescue=Rescue(), head=COUNT), tmp_path / "m", without_valid())
    assert not (tmp_path / "m").exists()


def test_a_rescue_by_the_margin_of_another_network_is_refused_before_training(tmp_path: Path) -> None:
    again = {"head": COUNT, "train": TrainSettings(epochs=1, refit=True)}
    wrong = {
        "tiny": tiny(rescue=Rescue(), **again),
        "a": joined("votes", member("a", rescue=Rescue(), **again), member("b"), votes=1),
        "b": joined("votes", member("a", head=COUNT), member("b", **again), votes=1, rescue=Rescue()),
    }
    for name, system in wrong.items():
        said = rf"\[rescue\] is fitted on what {name} counts, and refit = true trains another network"
        with pytest.raises(UsageError, match=said):
            trained(system, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_refit_that_nobody_counts_by_is_no_hindrance_to_a_rescue(tmp_path: Path) -> None:
    plain = member("b", train=TrainSettings(epochs=1, batch=16, refit=True))
    system = joined("votes", member("a", head=COUNT), plain, votes=2, rescue=Rescue(0.4))
    assert trained(system, tmp_path / "m").rescue() is not None


def test_a_rescue_without_a_count_is_a_broken_folder(counting: Any, tmp_path: Path) -> None:
    assert counting.rescue() is None
    folder = ModelFolder(Path(shutil.copytree(counting.path, tmp_path / "m")))
    system = folder.system()
    folder.write_system(replace(system, head=HeadSettings()))
    folder.write_decision(*folder.decision(), CountRescue(Rescue(), 1.0))
    (folder.path / "card.json").write_text("{}")
    weights = read_weight_file(folder.weights)
    plain = {name: one for name, one in weights.items() if "counter" not in name}
    assert len(plain) == len(weights) - 2
    write_weight_file(plain, folder.weights)
    with pytest.raises(InputError, match=r"decision.json cannot be used: it rescues by a count, and no head"):
        open_model(folder.path, "cpu")


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return trained(tiny(head=COUNT), tmp_path_factory.mktemp("counting") / "m")


def test_counts_are_what_the_layer_of_the_head_says(counting: Any) -> None:
    model = open_model(counting.path, "cpu")
    assert isinstance(model, NetworkModel)
    head = model.network.head
    vectors = torch.randn(5, model.network.backbone.width)
    assert head.counter is not None
    found = label_counts(head, vectors.numpy())
    assert found is not None
    with torch.no_grad():
        np.testing.assert_allclose(found, head.counter(vectors)[:, 0].numpy(), rtol=1e-4, atol=1e-4)
    assert mean_counts([], []) is None


def test_counts_that_do_not_fit_are_refused(counting: Any, tmp_path: Path) -> None:
    folder = ModelFolder(Path(shutil.copytree(counting.path, tmp_path / "m")))
    held = drawn().split("valid")
    told = read_held(folder, held)
    keep_held(folder, told, held)
    path = folder.path / "held.safetensors"
    assert told.counts is not None
    save_file({**load_file(path), "counts": told.counts[:2].copy()}, path)
    with pytest.raises(InputError, match="it is of other images or labels"):
        read_held(folder, held)


def test_members_do_not_inherit_the_rescue_of_the_whole() -> None:
    text = (
        'name = "x"\ntask = "concepts"\n[rescue]\ncoverage = 0.8\n[[member]]\n[[member]]\n[member.rescue]\n'
    )
    system = read_concept_system(parse_toml(text))
    assert system.rescue == Rescue(0.8)
    assert [one.rescue for one in system.member] == [None, Rescue()]
    assert read_concept_system(parse_toml(system_toml(system, full=True))) == system


# members that cannot be had


def test_weights_of_a_later_member_are_looked_for_before_the_first_is_trained(tmp_path: Path) -> None:
    missing = BackboneSettings(frozen=True, weights=str(tmp_path / "none.safetensors"))
    heard = Heard()
    with pytest.raises(RadcapError, match=r"none\.safetensors"):
        trained(joined("union", member("a"), member("b", backbone=missing)), tmp_path / "m", talk=heard.talk)
    assert not heard.has("Member 1")
    assert not (tmp_path / "m" / "members").exists()


@pytest.mark.parametrize("part", [-0.1, 1.0])
def test_a_part_that_is_none_is_refused(part: float) -> None:
    with pytest.raises(UsageError, match=f"monte_carlo is {part}. Give 0, or a part below 1."):
        DataSettings(monte_carlo=part)
