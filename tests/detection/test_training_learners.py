"""Systems of classical features and classic learners, from a dataset to answers."""

from __future__ import annotations

import numpy as np
import pytest
from training_samples import Heard, drawn, predict_concepts, tiny, trained, without_valid

from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.learners import LEARNERS, Learner
from radcap.detection.members import resolve
from radcap.detection.models import open_model
from radcap.detection.retrieval import Retrieval
from radcap.detection.system_reading import read_concept_system
from radcap.detection.training.held_answers import read_held
from radcap.vision.settings import BackboneSettings, HeadSettings, TrainSettings

BACKBONES = ("visual-words", "colour-tree", "auto-encoder")
KINDS = sorted(LEARNERS.names)
NEVER = TrainSettings(epochs=0, batch=16)


def backbone(name: str, **more) -> BackboneSettings:
    return BackboneSettings(name=name, frozen=True, words=10, width=8, **more)


def learner(kind: str, **more) -> Learner:
    return Learner(kind=kind, **{"trees": 3, "depth": 3, "rounds": 2, **more})


def system(name: str, **tables):
    return tiny(backbone=backbone(name), train=NEVER, **tables)


def answers(folder):
    return predict_concepts(folder.path, drawn(), split="test")


def same(one, two) -> bool:
    return (
        one.ids == two.ids
        and np.array_equal(one.decided, two.decided)
        and np.array_equal(one.logits, two.logits)
    )


@pytest.mark.parametrize("name", BACKBONES)
def test_a_head_is_trained_over_classical_features(tmp_path, name):
    head = TrainSettings(epochs=3, batch=16, lr=1e-2)
    folder = trained(tiny(backbone=backbone(name), train=head), tmp_path / "one")
    told = answers(folder)
    assert told.logits is not None
    assert told.logits.std(axis=0).max() > 0
    again = trained(tiny(backbone=backbone(name), train=head), tmp_path / "two")
    assert same(told, answers(again))
    assert folder.weights.read_bytes() == again.weights.read_bytes()


@pytest.mark.parametrize("name", BACKBONES)
def test_neighbours_by_classical_features_answer_without_training(tmp_path, name):
    """IPL 2017: probabilistic kNN over words and colours."""
    folder = trained(system(name, retrieval=Retrieval(rule="probabilistic", k=5)), tmp_path / "one")
    told = answers(folder)
    assert told.logits is not None
    assert told.logits.std(axis=0).max() > 0
    assert folder.card()["training"]["epochs"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_learner_answers_in_place_of_the_head(tmp_path, kind):
    name = BACKBONES[KINDS.index(kind) % 3]
    folder = trained(system(name, learner=learner(kind)), tmp_path / "one")
    told = answers(folder)
    assert told.logits is not None
    assert told.logits.std(axis=0).max() > 0
    kept, valid = (
        read_held(folder, drawn().split("valid")),
        predict_concepts(folder.path, drawn(), split="valid"),
    )
    assert kept.ids == valid.ids
    assert kept.logits is not None
    assert valid.logits is not None
    np.testing.assert_allclose(valid.logits, kept.logits, atol=1e-3)  # as before it was stored
    again = trained(system(name, learner=learner(kind)), tmp_path / "two")
    assert same(told, answers(again))
    assert folder.learner.read_bytes() == again.learner.read_bytes()


def test_a_learner_is_fitted_once_more_on_both_splits(tmp_path):
    again = TrainSettings(epochs=0, batch=16, refit=True)
    once = trained(system("colour-tree", learner=learner("logistic")), tmp_path / "once")
    heard = Heard()
    twice = trained(
        tiny(backbone=backbone("colour-tree"), train=again, learner=learner("logistic")),
        tmp_path / "twice",
        talk=heard.talk,
    )
    assert heard.has("Once more on both splits")
    assert once.learner.read_bytes() != twice.learner.read_bytes()
    assert answers(twice).logits is not None


def test_a_learner_without_a_held_out_split(tmp_path):
    folder = trained(system("colour-tree", learner=learner("trees")), tmp_path, without_valid())
    told = predict_concepts(folder.path, without_valid(), split="test")
    assert told.logits is not None
    np.testing.assert_array_equal(told.decided, told.logits >= 0)


def test_a_learner_over_a_network_that_is_trained_first(tmp_path):
    folder = trained(tiny(learner=learner("forest")), tmp_path)
    assert folder.card()["training"]["epochs"] == 2
    assert answers(folder).decided.any()


def test_members_of_other_seeds_have_other_learners(tmp_path):
    """The seed of a member reaches its learner, unless that names its own."""
    forest = "[member.learner]\nkind = 'forest'\ntrees = 3\n"
    text = (
        'name = "seeds"\ntask = "concepts"\n[image]\nsize = 32\n[train]\nepochs = 0\nbatch = 16\n'
        '[backbone]\nfrozen = true\nweights = "package"\n'  # which no seed draws
        f"[[member]]\nname = 'one'\nseed = 1\n{forest}[[member]]\nname = 'two'\nseed = 2\n{forest}"
        f"[[member]]\nname = 'again'\nseed = 2\n{forest}seed = 1\n"
    )
    system = resolve(read_concept_system(parse_toml(text)), lambda _: tiny())
    folder = trained(system, tmp_path / "m")
    one, two, again = (folder.member(name).learner.read_bytes() for name in ("one", "two", "again"))
    assert one != two
    assert one == again
    assert open_model(folder.path).answers(drawn().split("test")).logits is not None


def test_another_pooling_gives_the_learner_other_vectors(tmp_path):
    told = [
        answers(
            trained(system("auto-encoder", head=HeadSettings(pool=pool), learner=learner("logistic")), place)
        )
        for pool, place in (("avg", tmp_path / "one"), ("max", tmp_path / "two"))
    ]
    assert not same(*told)


def test_a_learner_and_neighbours_together_are_refused():
    with pytest.raises(UsageError, match=r"\[retrieval\] and \[learner\] both answer"):
        system("colour-tree", learner=Learner(), retrieval=Retrieval())


def test_a_learner_of_another_model_is_refused(tmp_path):
    one = trained(system("colour-tree", learner=learner("logistic")), tmp_path / "one")
    two = trained(system("auto-encoder", learner=learner("logistic")), tmp_path / "two")
    two.learner.write_bytes(one.learner.read_bytes())
    with pytest.raises(InputError, match=r"its weights are \(50, "):
        open_model(two.path)
    two.learner.unlink()
    with pytest.raises(InputError, match=r"learner\.safetensors cannot be used"):
        open_model(two.path)


def test_words_go_from_one_model_to_the_next(tmp_path):
    """`weights` may name a model folder: its words are taken over, and nothing is learnt anew."""
    first = trained(system("visual-words", learner=learner("logistic")), tmp_path / "one")
    begun = backbone("visual-words", weights=str(first.path))
    second = trained(
        tiny(backbone=begun, train=TrainSettings(epochs=0, batch=16, seed=9), learner=learner("logistic")),
        tmp_path / "two",
    )
    one, two = (open_model(one.path).network.backbone.body.codebook for one in (first, second))  # pyright: ignore[reportAttributeAccessIssue]
    assert bool((one == two).all())
    assert bool(one.any())
